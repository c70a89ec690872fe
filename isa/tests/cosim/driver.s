@ Runs many small cases and writes what each left behind. The image is placed at address 0 and built by image.rs, which
@ also states the numbers used here.

        .syntax unified
        .cpu    cortex-m4
        .fpu    fpv4-sp-d16
        .thumb

        .equ    STACK,   0x20008000
        .equ    SCRATCH, 0x20010000
        .equ    RESULTS, 0x21000000
        .equ    CPACR,   0xe000ed88
        .equ    CFSR,    0xe000ed28
        .equ    FPCCR,   0xe000ef34

start:  .word   STACK
        .word   reset - start + 1
        .rept   14
        .word   fault - start + 1
        .endr

@ Where every case ends, at 0x40: stores r0-r12, sp, lr, APSR, FPSCR, s0-s30 and a status of 0. Only s31 is lost.
done:   vmov    s31, r12
        ldr     r12, result
        stmia   r12!, {r0-r11}
        vmov    r0, s31
        str     r0, [r12], #4
        mov     r0, sp
        str     r0, [r12], #4
        str     lr, [r12], #4
        mrs     r0, apsr
        str     r0, [r12], #4
        vmrs    r0, fpscr
        str     r0, [r12], #4
        vstmia  r12!, {s0-s30}
        movs    r0, #0
        str     r0, [r12], #4

@ Then the scratch memory.
finish: ldr     sp, =STACK
        ldr     r0, =SCRATCH
        movs    r1, #16
1:      ldmia   r0!, {r2-r9}
        stmia   r12!, {r2-r9}
        subs    r1, #1
        bne     1b
        adr.w   r0, result
        str     r12, [r0]

next:   adr.w   r0, input
        ldr     r10, [r0]
        ldr     r1, end
        cmp     r10, r1
        beq     write
        add     r1, r10, #196
        str     r1, [r0]

@ Sets the scratch memory, FPSCR, s0-s30, s31 to 0, APSR, r0-r12, sp, lr, and starts the case.
        adr.w   r0, image
        ldr     r1, =SCRATCH
        movs    r11, #16
1:      ldmia   r0!, {r2-r9}
        stmia   r1!, {r2-r9}
        subs    r11, #1
        bne     1b
        clrex
        ldr     r0, [r10, #192]
        adr.w   r1, target
        str     r0, [r1]
        ldr     r0, [r10, #64]
        vmsr    fpscr, r0
        add     r0, r10, #68
        vldmia  r0, {s0-s30}
        movs    r0, #0
        vmov    s31, r0
        ldr     r0, [r10, #60]
        msr     apsr_nzcvqg, r0
        ldr     sp, [r10, #52]
        ldr     lr, [r10, #56]
        ldr     r12, [r10, #48]
        ldr     r11, [r10, #44]
        ldmia   r10, {r0-r10}
        ldr     pc, target

reset:  ldr     r0, =CPACR
        ldr     r1, [r0]
        orr     r1, #0xf00000
        str     r1, [r0]
        ldr     r0, =FPCCR
        movs    r1, #0
        str     r1, [r0]
        dsb
        isb
        b       next

@ A case that faulted: its status is CFSR. Returns from the exception to `finish`.
fault:  ldr     sp, =STACK
        ldr     r12, result
        ldr     r0, =CFSR
        ldr     r1, [r0]
        str     r1, [r0]
        str     r1, [r12, #192]
        add     r12, #196
        movs    r0, #0
        mov     r2, #0x01000000
        adr.w   r1, finish
        push    {r1, r2}
        push    {r0, r1}
        str     r12, [sp]
        push    {r0-r3}
        mvn     r0, #6
        bx      r0

@ Opens the file, writes all results, exits.
write:  adr.w   r1, open
        movs    r0, #1
        bkpt    0xab
        adr.w   r1, block
        str     r0, [r1]
        ldr     r2, result
        ldr     r3, [r1, #4]
        subs    r2, r3
        str     r2, [r1, #8]
        movs    r0, #5
        bkpt    0xab
        ldr     r1, =0x20026
        movs    r0, #0x18
        bkpt    0xab
        b       .

        .ltorg

@ A page without code: what changes, and what image.rs fills in.
        .org    0xc00
target: .word   0
result: .word   RESULTS
input:  .word   0
end:    .word   0
open:   .word   name - start
        .word   5
        .word   7
block:  .word   0
        .word   RESULTS
        .word   0
name:   .asciz  "results"
        .org    0xc40
image:
