#include "CGlibc.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/random.h>

struct dl_find_object;

float hypotf(float x, float y);
void arc4random_buf(void *bytes, size_t count);
int _dl_find_object(void *address, struct dl_find_object *result);

// For Swift's runtime; of glibc 2.35. The squares of two floats fit in a double.
float hypotf(float x, float y) { return (float)sqrt((double)x * x + (double)y * y); }

// For libexpat, which salts its tables of names; of glibc 2.36.
void arc4random_buf(void *bytes, size_t count) {
  for (size_t done = 0; done < count;) {
    ssize_t more = getrandom((char *)bytes + done, count - done, 0);
    if (more > 0) done += (size_t)more;
    else if (errno != EINTR) abort();
  }
}

// For the unwinder of libgcc; of glibc 2.35. Nothing unwinds the stack here, and there are no tables for it.
int _dl_find_object(void *address, struct dl_find_object *result) {
  (void)address;
  (void)result;
  return -1;
}
