#include "CCurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

// Debian has a second one beside it, with GnuTLS, which is alike to its callers.
static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};

static const char *obstacle = NULL;
static char words[512];

static CURLcode (*global_init)(long);
static CURL *(*easy_init)(void);
static void (*easy_cleanup)(CURL *);
static void (*easy_reset)(CURL *);
static CURLcode (*easy_perform)(CURL *);
static CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
static CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
static CURLHcode (*easy_header)(CURL *, const char *, size_t, unsigned, int, struct curl_header **);
static const char *(*easy_strerror)(CURLcode);
static time_t (*getdate)(const char *, const time_t *);
static struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
static void (*slist_free_all)(struct curl_slist *);

static const struct {
  const char *name;
  void **function;
} functions[] = {
    {"curl_global_init", (void **)&global_init},   {"curl_easy_init", (void **)&easy_init},
    {"curl_easy_cleanup", (void **)&easy_cleanup}, {"curl_easy_reset", (void **)&easy_reset},
    {"curl_easy_perform", (void **)&easy_perform}, {"curl_easy_setopt", (void **)&easy_setopt},
    {"curl_easy_getinfo", (void **)&easy_getinfo}, {"curl_easy_header", (void **)&easy_header},
    {"curl_easy_strerror", (void **)&easy_strerror}, {"curl_getdate", (void **)&getdate},
    {"curl_slist_append", (void **)&slist_append}, {"curl_slist_free_all", (void **)&slist_free_all},
};

static void load(void) {
  void *library = NULL;
  for (size_t index = 0; !library && index < sizeof names / sizeof *names; index++) {
    library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    // Of the first one, because the second is in few systems.
    if (!library && index == 0) snprintf(words, sizeof words, "%s", dlerror());
  }
  if (!library) {
    obstacle = words;
    return;
  }
  for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
    *functions[index].function = dlsym(library, functions[index].name);
    if (*functions[index].function) continue;
    // The newest of them, curl_easy_header, came with 7.84.
    obstacle = "it is older than 7.84";
    return;
  }
  if (global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) obstacle = "it can't be initialized";
}

bool ccurl_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return !obstacle;
}

const char *ccurl_obstacle(void) { return obstacle; }

CURL *ccurl_new(void) { return easy_init(); }

void ccurl_free(CURL *handle) { easy_cleanup(handle); }

void ccurl_reset(CURL *handle) { easy_reset(handle); }

CURLcode ccurl_perform(CURL *handle) { return easy_perform(handle); }

CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) { return easy_setopt(handle, option, value); }

CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
  return easy_setopt(handle, option, value);
}

CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) { return easy_setopt(handle, option, value); }

CURLcode ccurl_set_write(CURL *handle, CURLoption option, ccurl_write function) {
  return easy_setopt(handle, option, function);
}

long ccurl_get_number(CURL *handle, CURLINFO info) {
  long value = 0;
  return easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

long long ccurl_get_offset(CURL *handle, CURLINFO info) {
  curl_off_t value = 0;
  return easy_getinfo(handle, info, &value) == CURLE_OK ? (long long)value : 0;
}

const char *ccurl_get_text(CURL *handle, CURLINFO info) {
  char *value = NULL;
  return easy_getinfo(handle, info, &value) == CURLE_OK ? value : NULL;
}

const char *ccurl_header(CURL *handle, const char *name) {
  struct curl_header *header = NULL;
  if (easy_header(handle, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK) return NULL;
  if (easy_header(handle, name, header->amount - 1, CURLH_HEADER, -1, &header) != CURLHE_OK) return NULL;
  return header->value;
}

const char *ccurl_message(CURLcode code) { return easy_strerror(code); }

long long ccurl_date(const char *text) { return getdate(text, NULL); }

struct curl_slist *ccurl_append(struct curl_slist *list, const char *text) { return slist_append(list, text); }

void ccurl_free_list(struct curl_slist *list) { slist_free_all(list); }
