#ifndef CGCRYPT_H
#define CGCRYPT_H

#include <stdbool.h>
#include <stddef.h>

// libgcrypt, whose own functions are variadic in part: Swift can't call those. Everything is freed before a function
// returns.

/// Bytes that are lent for a call.
struct cgcrypt_bytes {
  const void *start;
  size_t count;
};

/// Prepares the library, unless that has happened; has to be called before the others, by each module that uses them and
/// from any thread. Returns whether it can be used.
bool cgcrypt_start(void);

// The verification of hosts' signatures, in CGcrypt.c. None of these values is secret.

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

// The keys of sessions, in Sessions.c. Copies of what is secret are wiped before a function returns.

/// Writes `count` random bytes that keys can be made of to `output`.
void cgcrypt_random(void *output, size_t count);

/// Writes `count` unpredictable bytes to `output`, for an IV.
void cgcrypt_nonce(void *output, size_t count);

/// Writes the power of `base` modulo an odd `modulus` to `output`: as many bytes as the modulus has, most significant
/// first, with zeros on the left. Returns false if the base is not greater than 1 and less than the modulus minus 1, or
/// the exponent is 0.
bool cgcrypt_power(struct cgcrypt_bytes base, struct cgcrypt_bytes exponent, struct cgcrypt_bytes modulus, void *output);

/// Writes the 32 bytes of HMAC-SHA256 to `output`; returns whether that was possible.
bool cgcrypt_hmac_sha256(struct cgcrypt_bytes key, struct cgcrypt_bytes message, void *output);

/// Encrypts blocks of 16 bytes in place, by AES-128 in CBC mode: a key and an IV of 16 bytes. Returns whether that was
/// possible.
bool cgcrypt_encrypt_aes128_cbc(struct cgcrypt_bytes key, struct cgcrypt_bytes iv, void *blocks, size_t count);

/// Decrypts blocks of 16 bytes in place.
bool cgcrypt_decrypt_aes128_cbc(struct cgcrypt_bytes key, struct cgcrypt_bytes iv, void *blocks, size_t count);

#endif
