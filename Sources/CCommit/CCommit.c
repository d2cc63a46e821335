// The commit that the executables are built from, for --version.
//
// It is apart from everything else, so that a new commit makes this file anew and links, and compiles no module.
// Package.swift passes what integration/install has found out; without that, nothing is here.

#include "CCommit.h"

#ifdef LLAVERO_COMMIT

#define QUOTED(text) #text
#define TEXT(text) QUOTED(text)

const char llavero_commit[] = TEXT(LLAVERO_COMMIT) " " TEXT(LLAVERO_COMMIT_DATE);

#endif
