#include "CGcrypt.h"

#include <gcrypt.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_usable = false;

static void start(void) {
  // Another library of the process, such as libsecret, may have prepared it already, with memory of its own.
  bool is_prepared = gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P) != 0;
  is_usable = gcry_check_version(GCRYPT_VERSION) != NULL;
  if (!is_usable || is_prepared) return;
  gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
  gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

bool cgcrypt_start(void) {
  pthread_once(&once, start);
  return is_usable;
}

// Verifies, and frees all three. Each may be NULL, if it could not be made.
static bool verify(gcry_sexp_t signature, gcry_sexp_t data, gcry_sexp_t key) {
  bool holds = signature && data && key && gcry_pk_verify(signature, data, key) == 0;
  gcry_sexp_release(signature);
  gcry_sexp_release(data);
  gcry_sexp_release(key);
  return holds;
}

// A number without a sign; NULL if there is no memory.
static gcry_mpi_t number(struct cgcrypt_bytes bytes) {
  gcry_mpi_t result = NULL;
  if (gcry_mpi_scan(&result, GCRYMPI_FMT_USG, bytes.start, bytes.count, NULL) != 0) return NULL;
  return result;
}

// An s-expression with two numbers, which are freed; NULL if it can't be made.
static gcry_sexp_t with_numbers(const char *format, gcry_mpi_t one, gcry_mpi_t other) {
  gcry_sexp_t result = NULL;
  if (one && other && gcry_sexp_build(&result, NULL, format, one, other) != 0) result = NULL;
  gcry_mpi_release(one);
  gcry_mpi_release(other);
  return result;
}

bool cgcrypt_verify_ed25519(struct cgcrypt_bytes key, struct cgcrypt_bytes signature, struct cgcrypt_bytes message) {
  if (key.count != 32 || signature.count != 64) return false;
  gcry_sexp_t public = NULL, signed_data = NULL, proof = NULL;
  const char *bytes = signature.start;
  gcry_sexp_build(&public, NULL, "(public-key (ecc (curve Ed25519) (flags eddsa) (q %b)))", 32, key.start);
  gcry_sexp_build(&signed_data, NULL, "(data (flags eddsa) (hash-algo sha512) (value %b))", (int)message.count,
                  message.start);
  gcry_sexp_build(&proof, NULL, "(sig-val (eddsa (r %b) (s %b)))", 32, bytes, 32, bytes + 32);
  return verify(proof, signed_data, public);
}

// The digest of a message by a hash's name, and its size; 0 if there is no such hash.
static size_t digest(const char *hash, struct cgcrypt_bytes message, unsigned char *output, size_t room) {
  int algorithm = gcry_md_map_name(hash);
  size_t size = gcry_md_get_algo_dlen(algorithm);
  if (algorithm == 0 || size == 0 || size > room) return 0;
  gcry_md_hash_buffer(algorithm, output, message.start, message.count);
  return size;
}

bool cgcrypt_verify_ecdsa(const char *curve, const char *hash, struct cgcrypt_bytes point, struct cgcrypt_bytes r,
                          struct cgcrypt_bytes s, struct cgcrypt_bytes message) {
  unsigned char value[64];
  size_t size = digest(hash, message, value, sizeof value);
  if (size == 0) return false;
  gcry_sexp_t public = NULL, signed_data = NULL;
  gcry_sexp_build(&public, NULL, "(public-key (ecc (curve %s) (q %b)))", curve, (int)point.count, point.start);
  gcry_sexp_build(&signed_data, NULL, "(data (flags raw) (value %b))", (int)size, value);
  gcry_sexp_t proof = with_numbers("(sig-val (ecdsa (r %m) (s %m)))", number(r), number(s));
  return verify(proof, signed_data, public);
}

bool cgcrypt_verify_rsa(const char *hash, struct cgcrypt_bytes modulus, struct cgcrypt_bytes exponent,
                        struct cgcrypt_bytes signature, struct cgcrypt_bytes message) {
  unsigned char value[64];
  size_t size = digest(hash, message, value, sizeof value);
  if (size == 0) return false;
  gcry_sexp_t signed_data = NULL;
  gcry_sexp_build(&signed_data, NULL, "(data (flags pkcs1) (hash %s %b))", hash, (int)size, value);
  gcry_sexp_t public =
      with_numbers("(public-key (rsa (n %m) (e %m)))", number(modulus), number(exponent));
  gcry_mpi_t proof_number = number(signature);
  gcry_sexp_t proof = NULL;
  if (proof_number) gcry_sexp_build(&proof, NULL, "(sig-val (rsa (s %m)))", proof_number);
  gcry_mpi_release(proof_number);
  return verify(proof, signed_data, public);
}

bool cgcrypt_hmac_sha1(struct cgcrypt_bytes key, struct cgcrypt_bytes message, void *output) {
  gcry_mac_hd_t mac;
  if (gcry_mac_open(&mac, GCRY_MAC_HMAC_SHA1, 0, NULL) != 0) return false;
  size_t size = 20;
  bool holds = gcry_mac_setkey(mac, key.start, key.count) == 0 && gcry_mac_write(mac, message.start, message.count) == 0
               && gcry_mac_read(mac, output, &size) == 0 && size == 20;
  gcry_mac_close(mac);
  return holds;
}

void cgcrypt_sha256(struct cgcrypt_bytes message, void *output) {
  gcry_md_hash_buffer(GCRY_MD_SHA256, output, message.start, message.count);
}
