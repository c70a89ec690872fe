/*
 * Makes a key pair, encapsulates and decapsulates with ML-KEM-768, and prints the shared key by semihosting.
 *
 * The random bytes are those of the first record of NIST's known-answer file, so that the answer is known. In a real program they
 * come from a generator: crypto_kem_keypair and crypto_kem_enc ask randombytes for them.
 */
#include "mlkem768/api.h"
#include "semihosting.h"

static const uint8_t key_coins[CRYPTO_KEYPAIRCOINBYTES] = {
    0x7c, 0x99, 0x35, 0xa0, 0xb0, 0x76, 0x94, 0xaa, 0x0c, 0x6d, 0x10, 0xe4, 0xdb, 0x6b, 0x1a, 0xdd,
    0x2f, 0xd8, 0x1a, 0x25, 0xcc, 0xb1, 0x48, 0x03, 0x2d, 0xcd, 0x73, 0x99, 0x36, 0x73, 0x7f, 0x2d,
    0xb5, 0x05, 0xd7, 0xcf, 0xad, 0x1b, 0x49, 0x74, 0x99, 0x32, 0x3c, 0x86, 0x86, 0x32, 0x5e, 0x47,
    0x92, 0xf2, 0x67, 0xaa, 0xfa, 0x3f, 0x87, 0xca, 0x60, 0xd0, 0x1c, 0xb5, 0x4f, 0x29, 0x20, 0x2a,
};
static const uint8_t coins[CRYPTO_ENCCOINBYTES] = {
    0xeb, 0x4a, 0x7c, 0x66, 0xef, 0x4e, 0xba, 0x2d, 0xdb, 0x38, 0xc8, 0x8d, 0x8b, 0xc7, 0x06, 0xb1,
    0xd6, 0x39, 0x00, 0x21, 0x98, 0x17, 0x2a, 0x7b, 0x19, 0x42, 0xec, 0xa8, 0xf6, 0xc0, 0x01, 0xba,
};

static uint8_t public_key[CRYPTO_PUBLICKEYBYTES];
static uint8_t secret_key[CRYPTO_SECRETKEYBYTES];
static uint8_t ciphertext[CRYPTO_CIPHERTEXTBYTES];
static uint8_t sent[CRYPTO_BYTES];
static uint8_t received[CRYPTO_BYTES];
static char text[2 * CRYPTO_BYTES + 2];

int main(void)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t i;

    if (crypto_kem_keypair_derand(public_key, secret_key, key_coins) != 0) {
        semihosting_print("no key pair\n");
        return 1;
    }
    if (crypto_kem_enc_derand(ciphertext, sent, public_key, coins) != 0) {
        semihosting_print("the public key is refused\n");
        return 1;
    }
    if (crypto_kem_dec(received, ciphertext, secret_key) != 0) {
        semihosting_print("the secret key is refused\n");
        return 1;
    }
    for (i = 0; i < CRYPTO_BYTES; i++) {
        if (sent[i] != received[i]) {
            semihosting_print("the shared keys differ\n");
            return 1;
        }
        text[2 * i] = digits[received[i] >> 4];
        text[2 * i + 1] = digits[received[i] & 15];
    }
    text[2 * CRYPTO_BYTES] = '\n';
    semihosting_print(text);
    return 0;
}
