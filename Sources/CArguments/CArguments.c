// The program's arguments, for Swift's runtime.
//
// The runtime looks for them itself before main, which is called too late for it: it reads /proc/self/maps to find the
// stack, and that takes longer than to decrypt a vault. The C library passes them to constructors, too. Where these two
// functions are there already, the linker leaves the runtime's own, and with them its search, in the archive; they are
// weak so that a runtime which needs more of that file brings its own instead.

#include "CArguments.h"

#include <features.h>

#ifdef __GLIBC__

static int argument_count;
static char **arguments;

__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  arguments = values;
}

char **_swift_stdlib_getUnsafeArgvArgc(int *count) __attribute__((weak));
char **_swift_stdlib_getUnsafeArgvArgc(int *count) {
  *count = argument_count;
  return arguments;
}

void _swift_stdlib_overrideUnsafeArgvArgc(char **values, int count) __attribute__((weak));
void _swift_stdlib_overrideUnsafeArgvArgc(char **values, int count) {
  argument_count = count;
  arguments = values;
}

#endif
