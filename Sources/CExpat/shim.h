#include <expat.h>
// Swift's Glibc doesn't have it.
#include <malloc.h>
