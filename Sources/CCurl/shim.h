#include <curl/curl.h>

// Swift can't call functions with variable arguments.

static inline CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

typedef size_t (*ccurl_write)(char *bytes, size_t size, size_t count, void *user);

static inline CURLcode ccurl_set_write(CURL *handle, CURLoption option, ccurl_write function) {
  return curl_easy_setopt(handle, option, function);
}

static inline long ccurl_get_number(CURL *handle, CURLINFO info) {
  long value = 0;
  return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

static inline long long ccurl_get_offset(CURL *handle, CURLINFO info) {
  curl_off_t value = 0;
  return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? (long long)value : 0;
}

static inline const char *ccurl_get_text(CURL *handle, CURLINFO info) {
  char *value = NULL;
  return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : NULL;
}

// The value of the last header of a name; NULL if there is none.
static inline const char *ccurl_header(CURL *handle, const char *name) {
  struct curl_header *header = NULL;
  size_t last = 0;
  if (curl_easy_header(handle, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK) return NULL;
  last = header->amount - 1;
  if (curl_easy_header(handle, name, last, CURLH_HEADER, -1, &header) != CURLHE_OK) return NULL;
  return header->value;
}
