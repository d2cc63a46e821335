#include "CNettle.h"

#include <nettle/aes.h>
#include <nettle/ctr.h>
#include <nettle/hmac.h>
#include <string.h>

size_t cnettle_hmac(enum cnettle_hash hash, const void *key, size_t key_length, const void *message, size_t length,
                    uint8_t *output) {
  union {
    struct hmac_sha1_ctx sha1;
    struct hmac_sha256_ctx sha256;
    struct hmac_sha512_ctx sha512;
  } context;
  size_t size = 0;
  switch (hash) {
  case CNETTLE_SHA1:
    hmac_sha1_set_key(&context.sha1, key_length, key);
    hmac_sha1_update(&context.sha1, length, message);
    hmac_sha1_digest(&context.sha1, size = SHA1_DIGEST_SIZE, output);
    break;
  case CNETTLE_SHA256:
    hmac_sha256_set_key(&context.sha256, key_length, key);
    hmac_sha256_update(&context.sha256, length, message);
    hmac_sha256_digest(&context.sha256, size = SHA256_DIGEST_SIZE, output);
    break;
  case CNETTLE_SHA512:
    hmac_sha512_set_key(&context.sha512, key_length, key);
    hmac_sha512_update(&context.sha512, length, message);
    hmac_sha512_digest(&context.sha512, size = SHA512_DIGEST_SIZE, output);
    break;
  }
  explicit_bzero(&context, sizeof context);
  return size;
}

void cnettle_aes256_ctr(const uint8_t *key, const void *counter, size_t length, void *output, const void *input) {
  struct aes256_ctx context;
  uint8_t block[AES_BLOCK_SIZE];
  memcpy(block, counter, sizeof block);
  aes256_set_encrypt_key(&context, key);
  ctr_crypt(&context, (nettle_cipher_func *)aes256_encrypt, sizeof block, block, length, output, input);
  explicit_bzero(&context, sizeof context);
}
