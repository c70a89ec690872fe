// Computes with core and FP registers while SysTick, and interrupt 7 if somebody makes it pending, do so too. The sums that it
// prints are those of the same loops without interrupts, whatever comes in between.
typedef unsigned int u32;
#define REG(a) (*(volatile u32 *)(a))

static void say(const char *text) {
    register u32 r0 __asm__("r0") = 4;
    register const char *r1 __asm__("r1") = text;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}
static void hex(u32 value) {
    char text[10];
    for (int i = 0; i < 8; i++) text[i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15];
    text[8] = '\n'; text[9] = 0;
    say(text);
}

extern u32 _stack_top, _bss, _bss_end;
void start(void);
static volatile u32 ticks, interrupts;
static volatile u32 noise = 1;

static u32 mix(u32 x, u32 rounds) {
    u32 a = x, b = ~x, c = x * 5, d = 77;
    for (u32 i = 0; i < rounds; i++) {
        a += b; d = (d ^ a) << 16 | (d ^ a) >> 16;
        c += d; b = (b ^ c) << 12 | (b ^ c) >> 20;
        if (a & 1) b += i; else c ^= i;
        d += (unsigned long long)a * c >> 32;
        if (b) d ^= a / (b | 1);
    }
    return a ^ b ^ c ^ d;
}
#ifdef FPU
static u32 series(u32 n) {
    float x = 1, sum = 0, factor = 0.75f;
    for (u32 i = 1; i < n; i++) { x = x * factor + (float)i; sum += x / (float)(i + 3); factor = sum > 100 ? 0.5f : 0.75f; }
    union { float f; u32 u; } bits = {sum};
    return bits.u;
}
#else
static u32 series(u32 n) { return n; }
#endif

void systick(void) { ticks++; noise = mix(noise, 3) ^ series(5); }
void irq7(void) { interrupts++; noise = mix(noise, 1) ^ series(3); }

__attribute__((section(".vectors"), used)) void *const vectors[24] = {
    [0] = &_stack_top, [1] = start, [15] = systick, [16 + 7] = irq7 };

void start(void) {
    for (volatile u32 *word = &_bss; word < &_bss_end; word++) *word = 0;
    noise = 1;
#ifdef FPU
    REG(0xe000ed88) = 0xf << 20;
    __asm__ volatile("dsb\n isb");
#endif
    REG(0xe000e100) = 1 << 7;
    REG(0xe000e014) = 2000;
    REG(0xe000e018) = 0;
    REG(0xe000e010) = 7;
    u32 sum = 0;
    for (u32 i = 0; i < 40; i++) { sum ^= mix(i, 50 + i); hex(sum); sum += series(10 * i + 2); hex(sum); }
    while (ticks < 3) {}
    say(interrupts ? "interrupted\n" : "quiet\n");
    u32 block[2] = {0x20026, 3};
    register u32 r0 __asm__("r0") = 0x20;
    register u32 *r1 __asm__("r1") = block;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}
