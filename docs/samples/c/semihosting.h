/*
 * Calls of the host: of QEMU, or of a debugger (Arm, Semihosting for AArch32 and AArch64).
 */
#ifndef SEMIHOSTING_H
#define SEMIHOSTING_H

#include <stdint.h>

static inline uint32_t semihosting_call(uint32_t operation, uint32_t argument)
{
    register uint32_t r0 __asm__("r0") = operation;
    register uint32_t r1 __asm__("r1") = argument;

    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

/* SYS_WRITE0. */
static inline void semihosting_print(const char *text)
{
    semihosting_call(0x04, (uint32_t)text);
}

/* SYS_EXIT: ADP_Stopped_ApplicationExit, or ADP_Stopped_RunTimeErrorUnknown. */
static inline void semihosting_exit(int code)
{
    semihosting_call(0x18, code == 0 ? 0x20026 : 0x20023);
}

#endif
