// Derives one key as age's passphrases do, with libsodium alone: scrypt LOG2-N.

#include <sodium.h>
#include <stdlib.h>

int main(int count, char **arguments) {
  unsigned char key[32] = {0}, salt[16 + 24] = {0};
  if (count != 2 || sodium_init() < 0) return 64;
  return crypto_pwhash_scryptsalsa208sha256_ll(
             key, sizeof key, salt, sizeof salt, 1ULL << atoi(arguments[1]), 8, 1, key, sizeof key) == 0
             ? 0
             : 1;
}
