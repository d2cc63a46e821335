#ifndef CArguments_h
#define CArguments_h

// Nothing to call: what is in CArguments.c takes effect in whatever it is linked into.

#endif
