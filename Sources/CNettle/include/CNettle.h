#pragma once

#include <stddef.h>
#include <stdint.h>

// What one-time codes are made with (RFC 4226, RFC 6238).
enum cnettle_hash { CNETTLE_SHA1, CNETTLE_SHA256, CNETTLE_SHA512 };

// The longest authenticator, in bytes.
#define CNETTLE_LONGEST 64

// HMAC (RFC 2104) of a message. Returns the number of bytes written to `output`, which has room for CNETTLE_LONGEST.
size_t cnettle_hmac(enum cnettle_hash hash, const void *key, size_t key_length, const void *message, size_t length,
                    uint8_t *output);

// AES-256 in counter mode (NIST SP 800-38A, section 6.5), with a key of 32 bytes and an initial counter of 16.
void cnettle_aes256_ctr(const uint8_t *key, const void *counter, size_t length, void *output, const void *input);
