// Says what exceptions do, by semihosting or, with -DUART, by the UART: QEMU and the simulator must say the same.
typedef unsigned int u32;
#define REG(a) (*(volatile u32 *)(a))
#define ICSR REG(0xe000ed04)
#define AIRCR REG(0xe000ed0c)
#define SCR REG(0xe000ed10)
#define CCR REG(0xe000ed14)
#define SHPR2 REG(0xe000ed1c)
#define SHPR3 REG(0xe000ed20)
#define SHCSR REG(0xe000ed24)
#define CFSR REG(0xe000ed28)
#define HFSR REG(0xe000ed2c)
#define BFAR REG(0xe000ed38)
#define CPACR REG(0xe000ed88)
#define FPCCR REG(0xe000ef34)
#define FPCAR REG(0xe000ef38)
#define SYST_CSR REG(0xe000e010)
#define SYST_RVR REG(0xe000e014)
#define SYST_CVR REG(0xe000e018)
#define ISER REG(0xe000e100)
#define ICER REG(0xe000e180)
#define ISPR REG(0xe000e200)
#define ICPR REG(0xe000e280)
#define IABR REG(0xe000e300)
#define IPR(n) (*(volatile unsigned char *)(0xe000e400 + (n)))

static u32 semihost(u32 op, const void *block) {
    register u32 r0 __asm__("r0") = op;
    register const void *r1 __asm__("r1") = block;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}
#ifdef UART
static void say(const char *text) {
    for (; *text; text++) {
        while (REG(0x40004004) & 1) {}
        REG(0x40004000) = *text;
    }
}
#else
static void say(const char *text) { semihost(4, text); }
#endif
static void hex(const char *name, u32 value) {
    char text[12];
    for (int i = 0; i < 8; i++) text[i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15];
    text[8] = 0;
    say(name); say("="); say(text); say(" ");
}
static void line(void) { say("\n"); }
static void finish(u32 code) {
    u32 block[2] = {0x20026, code};
    semihost(0x20, block);
    for (;;) {}
}
static u32 ipsr(void) { u32 x; __asm__ volatile("mrs %0, ipsr" : "=r"(x)); return x; }
static u32 control(void) { u32 x; __asm__ volatile("mrs %0, control" : "=r"(x)); return x; }
static void set_control(u32 x) { __asm__ volatile("msr control, %0\n isb" :: "r"(x) : "memory"); }
static void barrier(void) { __asm__ volatile("dsb\n isb" ::: "memory"); }

extern u32 _stack_top, _bss, _bss_end;
void start(void);
static volatile u32 ticks, log_length, expect_pc;
static volatile u32 events[64];
static void event(u32 what) { if (log_length < 64) events[log_length++] = what; }
static void events_out(const char *name) {
    say(name); say(": ");
    for (u32 i = 0; i < log_length; i++) hex("e", events[i]);
    line();
    log_length = 0;
}

// Passes sp of the frame and EXC_RETURN to C. Keeps lr.
#define ENTRY(handler) __attribute__((naked)) void handler##_entry(void) { \
    __asm__ volatile("tst lr, #4\n ite eq\n mrseq r0, msp\n mrsne r0, psp\n mov r1, lr\n b " #handler); }

void fp_handler(u32 *frame, u32 link);
void svcall(u32 *frame, u32 link) {
#ifdef FPU
    if (((unsigned char *)frame[6])[-2] == 11) { fp_handler(frame, link); return; }
#endif
    hex("svc", ((unsigned char *)frame[6])[-2]);
    hex("ipsr", ipsr()); hex("link", link); hex("control", control());
    hex("r0", frame[0]); hex("r1", frame[1]); hex("r2", frame[2]); hex("r3", frame[3]); hex("r12", frame[4]);
    hex("xpsr", frame[7]); hex("aligned", (u32)frame & 7); hex("icsr", ICSR); hex("shcsr", SHCSR);
    line();
    frame[0] = 0x1234;
    if (((unsigned char *)frame[6])[-2] == 9) set_control(control() | 2);  // ignored in a handler
    if (((unsigned char *)frame[6])[-2] == 10) set_control(control() & ~1u);
}
ENTRY(svcall)

static volatile u32 skip;
void fault(u32 *frame, u32 link) {
    hex("fault", ipsr()); hex("link", link); hex("cfsr", CFSR); hex("hfsr", HFSR);
    if (CFSR & 0x8000) hex("bfar", BFAR);
    hex("pc", frame[6] - expect_pc); hex("xpsr", frame[7] & 0x0100ffff); hex("shcsr", SHCSR);
    line();
    CFSR = CFSR; HFSR = HFSR;
    if (skip == 0xffffffff) { frame[6] = frame[5] & ~1u; frame[7] |= 1 << 24; } else frame[6] += skip;
}
ENTRY(fault)

void systick(void) {
    ticks++;
    event(0x5000 + ticks);
    if (ticks == 3) ICSR = 1 << 28;
    if (ticks == 5) SYST_CSR = 0;
}
void pendsv(void) { event(0xa000 | ICSR >> 11 & 1); }
static volatile u32 nested;
static void irq(u32 n) {
    event(0x1000 + n);
    if (nested > 2) return;
    if (n == 3 || n == 5) nested++;
    if (n == 3) { ISPR = 1 << 5; barrier(); event(0x1f03); }
    if (n == 5) { ISPR = 1 << 3; ISPR = 1 << 1; barrier(); event(0x1f05); hex("iabr", IABR); hex("icsr", ICSR); line(); }
}
void irq0(void) { irq(0); }
void irq1(void) { irq(1); }
void irq2(void) { irq(2); }
void irq3(void) { irq(3); }
void irq4(void) { irq(4); }
void irq5(void) { irq(5); }
void nmi(void) { event(0x2222); }

__attribute__((section(".vectors"), used)) void *const vectors[] = {
    &_stack_top, start, nmi, fault_entry, fault_entry, fault_entry, fault_entry, 0, 0, 0, 0,
    svcall_entry, fault_entry, 0, pendsv, systick, irq0, irq1, irq2, irq3, irq4, irq5 };

// Runs one instruction that faults; `expect_pc` is its address.
#define FAULT(name, size, setup, code) do { say(name ": "); skip = size; \
    __asm__ volatile(setup "\n adr r0, 1f\n str r0, [%0]\n b 1f\n .balign 4\n 1: " code "\n nop" \
        :: "r"(&expect_pc) : "r0", "r1", "r2", "r3", "r12", "lr", "memory", "cc"); } while (0)

static void faults(void) {
    FAULT("undefined", 2, "", "udf #1");
    FAULT("load", 4, "movw r1, #0\n movt r1, #0x6f00", "ldr.w r2, [r1]");
    FAULT("store", 4, "movw r1, #4\n movt r1, #0x6f00", "str.w r2, [r1]");
    FAULT("ldm", 4, "mov r1, sp\n add r1, #2", "ldmia.w r1, {r2, r3}");
    FAULT("coprocessor", 4, "", "mcr p1, #0, r0, c0, c0, #0");
    CCR |= 1 << 4 | 1 << 3;
    FAULT("division", 4, "mov r1, #0", "udiv r2, r1, r1");
    FAULT("unaligned", 4, "mov r1, sp\n add r1, #2", "ldr.w r2, [r1]");
    FAULT("skipped", 4, "mov r1, #0\n cmp r1, #1", "itt eq\n udiveq r2, r1, r1\n ldreq.w r2, [r1, #1]\n udf #2\n udf #2");
    CCR &= ~(1u << 4 | 1 << 3);
}

static void jumps(void) {
    FAULT("nowhere", 0xffffffff, "movw r1, #1\n movt r1, #0x6f00", "blx r1");
    FAULT("arm state", 0xffffffff, "movw r1, #0x100\n movt r1, #0", "blx r1");
    FAULT("never", 0xffffffff, "movw r1, #1\n movt r1, #0xe000", "blx r1");
    FAULT("device", 0xffffffff, "movw r1, #1\n movt r1, #0xf000", "blx r1");
}

static void supervisor(void) {
    __asm__ volatile("mov r0, #10\n mov r1, #11\n mov r2, #12\n mov r3, #13\n mov r12, #14\n cmp r0, r0\n svc #7"
        ::: "r0", "r1", "r2", "r3", "r12", "cc", "memory");
    u32 back;
    __asm__ volatile("sub sp, #4\n mov r0, #20\n movs r1, #0x80000000\n svc #9\n mov %0, r0\n add sp, #4"
        : "=r"(back) :: "r0", "r1", "cc", "memory");
    hex("back", back); hex("control", control()); line();
    // An IT block is interrupted by its own supervisor call.
    __asm__ volatile("mov r0, #1\n mov r1, #5\n cmp r0, #1\n itete eq\n svceq #8\n movne r1, #1\n moveq r1, #2\n movne r1, #3\n mov %0, r1"
        : "=r"(back) :: "r0", "r1", "cc", "memory");
    hex("it", back); line();
}

static u32 process_stack[256];
__attribute__((noinline, used)) void process(void) {
    hex("control", control());
    line();
    supervisor();
    __asm__ volatile("mrs r0, control\n orr r0, #1\n msr control, r0\n isb" ::: "r0");
    u32 value;
    __asm__ volatile("mov r0, #1\n msr primask, r0\n mrs %0, primask" : "=r"(value) :: "r0");
    hex("primask", value); hex("control", control());
    line();
    FAULT("unprivileged", 4, "movw r1, #0xed04\n movt r1, #0xe000", "ldr.w r2, [r1]");
    // The way back: a handler may change its own privilege.
    __asm__ volatile("svc #10" ::: "memory");
}
static void on_process_stack(void) {
    __asm__ volatile("msr psp, %0\n mov r0, #2\n msr control, r0\n isb\n bl process\n mov r0, #0\n msr control, r0\n isb"
        :: "r"(&process_stack[255]) : "r0", "r1", "r2", "r3", "r12", "lr", "memory", "cc");
}

static void interrupts(void) {
    for (int i = 0; i < 6; i++) IPR(i) = 0xc0 - 0x20 * i;
    IPR(4) = 0x80;
    IPR(0) = 0xff;
    hex("implemented", IPR(0)); line();
    IPR(0) = 0xc0;
    ISER = 0x3e;
    ISPR = 0x3f; barrier();
    event(0xf);
    events_out("priorities");
    AIRCR = 0x05fa0000 | 5 << 8;
    for (int i = 0; i < 6; i++) IPR(i) = 0x60 + 0x20 * (i & 1);
    ISPR = 1 << 3; barrier();
    events_out("groups");
    AIRCR = 0x05fa0000;
    __asm__ volatile("cpsid i");
    ISPR = 1 << 2; barrier();
    event(1);
    hex("icsr", ICSR); hex("pending", ISPR); line();
    __asm__ volatile("cpsie i\n isb");
    event(2);
    __asm__ volatile("msr basepri, %0\n isb" :: "r"(0x60));
    ISPR = 1 << 2; barrier();
    event(3);
    __asm__ volatile("msr basepri_max, %0\n isb" :: "r"(0x80));
    __asm__ volatile("msr basepri, %0\n isb" :: "r"(0x80));
    event(4);
    __asm__ volatile("msr basepri, %0\n isb" :: "r"(0));
    ICSR = 1u << 31; barrier();
    __asm__ volatile("cpsid f\n isb");
    ISPR = 1 << 2; ICSR = 1u << 31; barrier();
    event(5);
    __asm__ volatile("cpsie f\n isb");
    REG(0xe000ef00) = 1; barrier();
    event(6);
    events_out("masks");
    ICER = 0x3f;
    ISPR = 1 << 2; barrier();
    ICPR = 0x3f; barrier();
    ISER = 0x3f; barrier();
    events_out("cleared");
}

static void timer(void) {
    SHPR3 = 0x40600000;
    hex("shpr3", SHPR3);
    SYST_RVR = 24000;
    SYST_CVR = 0;
    SYST_CSR = 7;
    while (ticks < 5) __asm__ volatile("wfi");
    hex("csr", SYST_CSR & 3); line();
    events_out("ticks");
    __asm__ volatile("cpsid i");
    SYST_CSR = 7;
    __asm__ volatile("wfi");
    hex("masked", ICSR >> 26 & 1); line();
    ticks = 4;
    __asm__ volatile("cpsie i\n isb\n sev\n wfe");
    events_out("later");
}

#ifdef FPU
static void fill(u32 seed) {
    __asm__ volatile("vmov s0, %0\n vmov s1, %1\n vmov s15, %2\n vmov s16, %0" :: "r"(seed), "r"(seed + 1), "r"(seed + 15));
}
static volatile u32 touch;
void fp_handler(u32 *frame, u32 link) {
    hex("link", link); hex("control", control()); hex("lspact", FPCCR & 1); hex("fpcar", FPCAR - (u32)frame);
    if (touch) {
        fill(0x5000);
        hex("after control", control()); hex("lspact", FPCCR & 1);
        if (!(link & 16)) {
            hex("s0", frame[8]); hex("s1", frame[9]); hex("s15", frame[23]); hex("fpscr", frame[24]);
        }
    }
    line();
}
static void fp(const char *name) {
    say(name); say(": ");
    u32 s0, s1, s15, s16;
    __asm__ volatile("vmov s0, %4\n vmov s1, %5\n vmov s15, %6\n vmov s16, %7\n vmsr fpscr, %8\n svc #11\n"
        " vmov %0, s0\n vmov %1, s1\n vmov %2, s15\n vmov %3, s16"
        : "=&r"(s0), "=&r"(s1), "=&r"(s15), "=&r"(s16) : "r"(0x100), "r"(0x101), "r"(0x115), "r"(0x116), "r"(0x03000000) : "memory", "r0", "r1", "r2", "r3", "r12");
    hex("s0", s0); hex("s1", s1); hex("s15", s15); hex("s16", s16); hex("control", control()); line();
}
static void floating(void) {
    FAULT("disabled", 4, "", ".inst.w 0xee000a10");
    CPACR |= 0xf << 20; barrier();
    hex("cpacr", CPACR); hex("fpccr", FPCCR & 0xc0000001); hex("control", control()); line();
    touch = 0; fp("untouched");
    touch = 1; fp("touched");
    FPCCR &= ~(1u << 30); fp("eager");
    FPCCR |= 1u << 30;
    FPCCR &= ~(1u << 31); set_control(0); fp("not automatic");
    FPCCR |= 1u << 31;
    set_control(0);
    touch = 0; fp("again");
}
#else
static void floating(void) {
    CPACR |= 0xf << 20; barrier();
    hex("cpacr", CPACR);
    FAULT("none", 4, "", ".inst.w 0xee000a10");
}
#endif

void start(void) {
    for (volatile u32 *word = &_bss; word < &_bss_end; word++) *word = 0;
    REG(0x40004010) = 217;
    REG(0x40004008) = 1;
    hex("control", control()); hex("ipsr", ipsr()); hex("ccr", CCR); hex("aircr", AIRCR); hex("shcsr", SHCSR);
    line();
    say("hard faults\n");
    faults();
    jumps();
    SHCSR = 7 << 16;
    say("own faults\n");
    faults();
    jumps();
    supervisor();
    on_process_stack();
    interrupts();
    timer();
    floating();
    finish(3);
}
