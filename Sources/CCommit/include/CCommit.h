#ifndef CCommit_h
#define CCommit_h

/// The commit that an executable was built from, and its date: `487e5a5b 2026-11-30`. It is there only if the build knows
/// it; clinux_commit tells.
extern const char llavero_commit[];

#endif
