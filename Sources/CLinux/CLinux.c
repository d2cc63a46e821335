#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

int clinux_openat(int directory, const char *path, int flags, mode_t mode) {
  return openat(directory, path, flags, mode);
}

int clinux_try_exclusive_lock(int fd) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(fd, F_OFD_SETLK, &lock);
}

void clinux_refuse_inspection(void) {
  struct rlimit none = {0, 0};
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  setrlimit(RLIMIT_CORE, &none);
}

bool clinux_contains(const void *text, size_t text_size, const void *part, size_t part_size) {
  return part_size == 0 || (text_size > 0 && memmem(text, text_size, part, part_size) != NULL);
}

ssize_t clinux_last_index(const void *text, size_t text_size, unsigned char byte) {
  const char *found = text_size > 0 ? memrchr(text, byte, text_size) : NULL;
  return found != NULL ? found - (const char *)text : -1;
}
