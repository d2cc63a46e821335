// The program's arguments, for Swift's runtime.
//
// The runtime itself would look for them before main, by reading /proc/self/maps to find the stack, and that takes
// longer than decrypting a vault. The C library also passes them to constructors. If these two functions exist
// already, the linker leaves the runtime's own ones, and with them the search, in the archive. They are weak, so that
// a runtime that needs more of that file brings its own instead.

#include "CArguments.h"

#include <features.h>
#include <stdint.h>
#include <stdlib.h>

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

// In place of the runtime's functions that tell a character's name (Unicode.Scalar.Properties.name), since when it is in
// Unicode, and its scripts. They would bring tables of all characters along, more than half a MiB, and nothing here asks
// for any of that. They say that there is none, and the first script. The linker puts them there for what Package.swift
// names.

intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, char *buffer, intptr_t capacity) {
  (void)scalar;
  (void)buffer;
  (void)capacity;
  return 0;
}

uint16_t __wrap__swift_stdlib_getAge(uint32_t scalar) {
  (void)scalar;
  return UINT16_MAX;
}

uint8_t __wrap__swift_stdlib_getScript(uint32_t scalar) {
  (void)scalar;
  return 0;
}

const uint8_t *__wrap__swift_stdlib_getScriptExtensions(uint32_t scalar, uint8_t *count) {
  (void)scalar;
  *count = 0;
  return 0;
}

// In place of what reads a regular expression. Nothing here has one.

_Noreturn void without_regular_expressions(void) __asm__(
    "__wrap_$s12_RegexParser5parseyAA3ASTVx_AA13SyntaxOptionsVtKSyRzSs11SubSequenceRtzlF");
_Noreturn void without_regular_expressions(void) { abort(); }

_Noreturn void without_delimited_expressions(void) __asm__(
    "__wrap_$s12_RegexParser19parseWithDelimitersyAA3ASTVxKSyRzSs11SubSequenceRtzlF");
_Noreturn void without_delimited_expressions(void) { abort(); }
