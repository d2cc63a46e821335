#ifndef CLINUX_H
#define CLINUX_H

// What Swift cannot call by itself: variadic functions and macros of the kernel's interface.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/// openat(2) with a mode. The result is a descriptor, or -1 with errno set.
static inline int clinux_openat(int directory, const char *path, int flags, mode_t mode) {
  return openat(directory, path, flags, mode);
}

/// Takes the exclusive open-file-description lock on all of `fd` without waiting (fcntl(2), F_OFD_SETLK).
/// Returns 0, or -1 with errno EAGAIN or EACCES when another open file description holds it.
static inline int clinux_try_exclusive_lock(int fd) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0};
  return fcntl(fd, F_OFD_SETLK, &lock);
}

/// Makes the process unreadable to others of the same user (PR_SET_DUMPABLE 0) and leaves no core file.
static inline void clinux_refuse_inspection(void) {
  struct rlimit none = {0, 0};
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  setrlimit(RLIMIT_CORE, &none);
}

/// Whether `text` holds `part` somewhere (memmem(3), which is a GNU extension).
static inline bool clinux_contains(const void *text, size_t text_size, const void *part, size_t part_size) {
  return memmem(text, text_size, part, part_size) != NULL;
}

/// Where `byte` stands last in `text`, or -1 (memrchr(3), which is a GNU extension).
static inline ssize_t clinux_last_index(const void *text, size_t text_size, unsigned char byte) {
  const char *found = text_size > 0 ? (const char *)memrchr(text, byte, text_size) : NULL;
  return found != NULL ? found - (const char *)text : -1;
}

#endif
