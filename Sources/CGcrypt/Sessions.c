#include "CGcrypt.h"

#include <gcrypt.h>

void cgcrypt_random(void *output, size_t count) {
  // The level that libgcrypt's manual names for session keys. The one above it asks for new entropy each time, which
  // takes more than ten milliseconds.
  gcry_randomize(output, count, GCRY_STRONG_RANDOM);
}

void cgcrypt_nonce(void *output, size_t count) {
  gcry_create_nonce(output, count);
}

// A number without a sign that counts as secret; NULL for 0, or if there is no memory. libgcrypt wipes a number's memory
// when it releases it, and the copies that it makes of a number while it calculates if that number counts as secret.
static gcry_mpi_t secret_number(struct cgcrypt_bytes bytes) {
  gcry_mpi_t result = NULL;
  if (gcry_mpi_scan(&result, GCRYMPI_FMT_USG, bytes.start, bytes.count, NULL) != 0) return NULL;
  if (gcry_mpi_cmp_ui(result, 0) == 0) {
    gcry_mpi_release(result);
    return NULL;
  }
  gcry_mpi_set_flag(result, GCRYMPI_FLAG_SECURE);
  return result;
}

// Whether 1 < number < modulus - 1. The powers of all others are 0, 1 and -1.
static bool is_between(gcry_mpi_t number, gcry_mpi_t modulus) {
  gcry_mpi_t limit = gcry_mpi_new(gcry_mpi_get_nbits(modulus));
  gcry_mpi_sub_ui(limit, modulus, 1);
  bool is_less = gcry_mpi_cmp(number, limit) < 0;
  gcry_mpi_release(limit);
  return is_less && gcry_mpi_cmp_ui(number, 1) > 0;
}

// Writes a number to `count` bytes, bit by bit: gcry_mpi_print leaves a copy behind in memory that it doesn't wipe, and
// leaves out the zeros on the left.
static void write_number(gcry_mpi_t number, unsigned char *output, size_t count) {
  for (size_t index = 0; index < count; index++) {
    unsigned first_bit = 8 * (unsigned)(count - 1 - index), byte = 0;
    for (unsigned bit = 8; bit-- > 0;) byte = byte << 1 | (gcry_mpi_test_bit(number, first_bit + bit) != 0);
    output[index] = (unsigned char)byte;
  }
}

bool cgcrypt_power(struct cgcrypt_bytes base, struct cgcrypt_bytes exponent, struct cgcrypt_bytes modulus, void *output) {
  gcry_mpi_t base_number = secret_number(base), exponent_number = secret_number(exponent),
             modulus_number = secret_number(modulus);
  bool is_possible = base_number && exponent_number && modulus_number && is_between(base_number, modulus_number);
  if (is_possible) {
    // Room for a product, so that it needs no more memory in between: what it leaves then isn't wiped.
    gcry_mpi_t result = gcry_mpi_snew(2 * 8 * (unsigned)modulus.count);
    gcry_mpi_powm(result, base_number, exponent_number, modulus_number);
    write_number(result, output, modulus.count);
    gcry_mpi_release(result);
  }
  gcry_mpi_release(base_number);
  gcry_mpi_release(exponent_number);
  gcry_mpi_release(modulus_number);
  return is_possible;
}

bool cgcrypt_hmac_sha256(struct cgcrypt_bytes key, struct cgcrypt_bytes message, void *output) {
  gcry_mac_hd_t mac;
  if (gcry_mac_open(&mac, GCRY_MAC_HMAC_SHA256, GCRY_MAC_FLAG_SECURE, NULL) != 0) return false;
  size_t size = 32;
  bool is_possible = gcry_mac_setkey(mac, key.start, key.count) == 0
                     && gcry_mac_write(mac, message.start, message.count) == 0
                     && gcry_mac_read(mac, output, &size) == 0 && size == 32;
  gcry_mac_close(mac);
  return is_possible;
}

// One of libgcrypt's two functions, which work in place if there is no input.
typedef gcry_error_t (*in_place)(gcry_cipher_hd_t, void *, size_t, const void *, size_t);

static bool apply_aes128_cbc(in_place function, struct cgcrypt_bytes key, struct cgcrypt_bytes iv, void *blocks,
                             size_t count) {
  gcry_cipher_hd_t cipher;
  if (gcry_cipher_open(&cipher, GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_CBC, GCRY_CIPHER_SECURE) != 0) return false;
  bool is_possible = gcry_cipher_setkey(cipher, key.start, key.count) == 0
                     && gcry_cipher_setiv(cipher, iv.start, iv.count) == 0
                     && function(cipher, blocks, count, NULL, 0) == 0;
  gcry_cipher_close(cipher);
  return is_possible;
}

bool cgcrypt_encrypt_aes128_cbc(struct cgcrypt_bytes key, struct cgcrypt_bytes iv, void *blocks, size_t count) {
  return apply_aes128_cbc(gcry_cipher_encrypt, key, iv, blocks, count);
}

bool cgcrypt_decrypt_aes128_cbc(struct cgcrypt_bytes key, struct cgcrypt_bytes iv, void *blocks, size_t count) {
  return apply_aes128_cbc(gcry_cipher_decrypt, key, iv, blocks, count);
}
