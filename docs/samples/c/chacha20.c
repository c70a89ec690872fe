/*
 * Encrypts the example of RFC 8439, section 2.4.2, and prints the ciphertext by semihosting.
 */
#include "quadround.h"
#include "semihosting.h"

/* The fastest function for the core that this is compiled for. */
#if defined(__ARM_FP)
#define chacha20_xor qr_chacha20_xor_unrolled_m4f
#elif defined(__ARM_ARCH_7EM__)
#define chacha20_xor qr_chacha20_xor_unrolled_m4
#else
#define chacha20_xor qr_chacha20_xor_unrolled_m3
#endif

/* Words 0 to 3 are constants, 4 to 11 the key, 12 is the block counter, 13 to 15 the nonce. */
static const uint32_t state[16] = {
    0x61707865, 0x3320646e, 0x79622d32, 0x6b206574,
    0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c,
    0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c,
    1, 0x00000000, 0x4a000000, 0x00000000,
};

static const char message[] = "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
                              "sunscreen would be it.";

#define LENGTH (sizeof message - 1)

static uint8_t ciphertext[LENGTH];
static char text[2 * LENGTH + 2];

int main(void)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t i;

    if (chacha20_xor(ciphertext, (const uint8_t *)message, LENGTH, state) != 0) {
        semihosting_print("the block counter would wrap\n");
        return 1;
    }
    for (i = 0; i < LENGTH; i++) {
        text[2 * i] = digits[ciphertext[i] >> 4];
        text[2 * i + 1] = digits[ciphertext[i] & 15];
    }
    text[2 * LENGTH] = '\n';
    semihosting_print(text);
    return 0;
}
