// The program's arguments, for Swift's runtime.
//
// The runtime itself would look for them before main, by reading /proc/self/maps to find the stack, and that takes
// longer than decrypting a vault. The C library also passes them to constructors. If these two functions exist
// already, the linker leaves the runtime's own ones, and with them the search, in the archive. They are weak, so that
// a runtime that needs more of that file brings its own instead.

#include "CArguments.h"

#include <features.h>
#include <stddef.h>
#include <stdint.h>

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

// The linker calls these in place of the runtime's own functions of the names without the prefix.

// There is no such program.
const char *__wrap_swift_copyAuxiliaryExecutablePath(const char *name);
const char *__wrap_swift_copyAuxiliaryExecutablePath(const char *name) {
  (void)name;
  return NULL;
}

// No character has a name.
long __wrap__swift_stdlib_getScalarName(unsigned int scalar, unsigned char *buffer, long capacity);
long __wrap__swift_stdlib_getScalarName(unsigned int scalar, unsigned char *buffer, long capacity) {
  (void)scalar;
  (void)buffer;
  (void)capacity;
  return 0;
}

#endif
