/*
 * Vector table and start-up for any Cortex-M3 or Cortex-M4.
 */
#include "semihosting.h"

int main(void);

/* From the linker script. */
extern uint32_t data_start, data_end, data_load, bss_start, bss_end, stack_top;

/* Coprocessor access control (ARMv7-M, B3.2.20). */
#define CPACR (*(volatile uint32_t *)0xe000ed88)

void reset(void)
{
    /* Volatile, so that no compiler makes calls of memcpy and memset of it. */
    volatile uint32_t *to;
    const volatile uint32_t *from = &data_load;

#if defined(__ARM_FP)
    CPACR |= 0xfu << 20;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
#endif
    for (to = &data_start; to < &data_end; to++) {
        *to = *from++;
    }
    for (to = &bss_start; to < &bss_end; to++) {
        *to = 0;
    }
    semihosting_exit(main());
    for (;;) {
    }
}

static void fault(void)
{
    semihosting_print("fault\n");
    semihosting_exit(1);
    for (;;) {
    }
}

/* Initial stack pointer, reset, NMI, HardFault, MemManage, BusFault, UsageFault. */
__attribute__((section(".vectors"), used)) const void *const vectors[16] = {
    &stack_top, (const void *)reset, (const void *)fault, (const void *)fault,
    (const void *)fault, (const void *)fault, (const void *)fault,
};
