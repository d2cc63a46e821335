#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>
#include <stdbool.h>

// libcurl, which is loaded when it is first needed: a program that asks no server starts in a tenth of the time, starts
// without it, and takes any version that is there. Swift can't call functions with variable arguments either.

/// Loads the library, once; has to be called before the others, from any thread. Returns whether it can be used.
bool ccurl_load(void);

/// Why the library can't be used: the loader's words, or that it is too old. Never NULL after ccurl_load returned false.
const char *ccurl_obstacle(void);

/// A handle; NULL if there is no memory.
CURL *ccurl_new(void);
void ccurl_free(CURL *handle);
void ccurl_reset(CURL *handle);
CURLcode ccurl_perform(CURL *handle);

CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value);
CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value);

typedef size_t (*ccurl_write)(char *bytes, size_t size, size_t count, void *user);
CURLcode ccurl_set_write(CURL *handle, CURLoption option, ccurl_write function);

/// What is known of an exchange; 0 or NULL for what isn't known.
long ccurl_get_number(CURL *handle, CURLINFO info);
long long ccurl_get_offset(CURL *handle, CURLINFO info);
const char *ccurl_get_text(CURL *handle, CURLINFO info);

/// The value of the last header of a name; NULL if there is none.
const char *ccurl_header(CURL *handle, const char *name);

/// A code in words.
const char *ccurl_message(CURLcode code);

/// The seconds since 1970 of a date in any form that servers write; -1 for other text.
long long ccurl_date(const char *text);

/// The list with a copy of a text at its end; NULL if there is no memory.
struct curl_slist *ccurl_append(struct curl_slist *list, const char *text);
void ccurl_free_list(struct curl_slist *list);

#endif
