#ifndef CGCRYPT_H
#define CGCRYPT_H

#include <stdbool.h>
#include <stddef.h>

// The verification of hosts' signatures, over libgcrypt. Its own functions are variadic, which Swift can't call.
// None of these values is secret. Everything is freed before a function returns.

/// Bytes that are lent for a call.
struct cgcrypt_bytes {
  const void *start;
  size_t count;
};

/// Prepares the library, unless that has happened; has to be called before the others, by each module that uses them and
/// from any thread. Returns whether it can be used.
bool cgcrypt_start(void);

/// Verifies an Ed25519 signature (RFC 8032): a key of 32 bytes, a signature of 64.
bool cgcrypt_verify_ed25519(struct cgcrypt_bytes key, struct cgcrypt_bytes signature, struct cgcrypt_bytes message);

/// Verifies an ECDSA signature. `curve` is libgcrypt's name, such as "NIST P-256", and `hash` that of the hash, such as
/// "SHA256".
bool cgcrypt_verify_ecdsa(const char *curve, const char *hash, struct cgcrypt_bytes point, struct cgcrypt_bytes r,
                          struct cgcrypt_bytes s, struct cgcrypt_bytes message);

/// Verifies an RSA signature (PKCS #1 v1.5).
bool cgcrypt_verify_rsa(const char *hash, struct cgcrypt_bytes modulus, struct cgcrypt_bytes exponent,
                        struct cgcrypt_bytes signature, struct cgcrypt_bytes message);

/// Writes the 20 bytes of HMAC-SHA1 to `output`; returns whether that was possible.
bool cgcrypt_hmac_sha1(struct cgcrypt_bytes key, struct cgcrypt_bytes message, void *output);

/// Writes the 32 bytes of SHA-256 to `output`.
void cgcrypt_sha256(struct cgcrypt_bytes message, void *output);

#endif
