//! What an instruction works on: registers of all files; and what comes of it.

use crate::bus::BusFault;

/// Numbers of the special registers in [`State::special`] that instructions use by themselves.
pub mod sr {
    /// First instruction of the loop.
    pub const LBEG: usize = 0;
    /// Behind the last instruction of the loop.
    pub const LEND: usize = 1;
    /// Repetitions still to come.
    pub const LCOUNT: usize = 2;
    /// Shift amount, 6 bits.
    pub const SAR: usize = 3;
    /// b0..b15, bit i is bi.
    pub const BR: usize = 4;
    /// What S32C1I compares with.
    pub const SCOMPARE1: usize = 12;
    /// Bits 31:0 of MAC16's accumulator.
    pub const ACCLO: usize = 16;
    /// Its bits 39:32.
    pub const ACCHI: usize = 17;
    /// m0 of MAC16; m1..m3 follow.
    pub const M0: usize = 32;
    /// Which four of the 64 registers a0 begins at.
    pub const WINDOWBASE: usize = 72;
    /// Bit i: a call's frame begins at the four registers i.
    pub const WINDOWSTART: usize = 73;
    /// Where a level-1 exception came from; levels 2 to 7 follow.
    pub const EPC1: usize = 177;
    /// Where a double exception came from.
    pub const DEPC: usize = 192;
    /// PS of level 2; levels 3 to 7 follow.
    pub const EPS2: usize = 194;
    /// A word for the handler of level-1 exceptions; those of levels 2 to 7 follow.
    pub const EXCSAVE1: usize = 209;
    /// Which coprocessors may be used: bit 0 floating point, bit 3 the vector extension.
    pub const CPENABLE: usize = 224;
    /// Pending interrupts; WSR sets bits of it.
    pub const INTERRUPT: usize = 226;
    /// WSR clears bits of INTERRUPT.
    pub const INTCLEAR: usize = 227;
    /// Enabled interrupts.
    pub const INTENABLE: usize = 228;
    /// Processor state.
    pub const PS: usize = 230;
    /// Where the vectors are.
    pub const VECBASE: usize = 231;
    /// Cause of the last exception.
    pub const EXCCAUSE: usize = 232;
    /// Cycles.
    pub const CCOUNT: usize = 234;
    /// Which core this is.
    pub const PRID: usize = 235;
    /// Address of the last exception of memory.
    pub const EXCVADDR: usize = 238;
    /// The value of CCOUNT at which the first timer's interrupt is raised; that of the second follows.
    pub const CCOMPARE0: usize = 240;
    /// That of the third and last timer.
    pub const CCOMPARE2: usize = 242;
}

/// Fields of PS.
pub mod ps {
    /// Interrupts up to this level are not taken.
    pub const INTLEVEL: u32 = 0xf;
    /// An exception is being handled.
    pub const EXCM: u32 = 1 << 4;
    /// Exceptions go to the user vector. No instruction is privileged: the cores have one ring.
    pub const UM: u32 = 1 << 5;
    /// WINDOWBASE before the window exception.
    pub const OWB_SHIFT: u32 = 8;
    /// By how many fours of registers ENTRY rotates the window, as the call has left it.
    pub const CALLINC_SHIFT: u32 = 16;
    /// Window exceptions are enabled.
    pub const WOE: u32 = 1 << 18;
    /// All bits that exist.
    pub const ALL: u32 = 0x0007_0f3f;
}

/// Place of FCR, the rounding mode of floating point, in [`State::user`].
pub(super) const FCR: usize = 1;
/// Place of FSR, its flags.
pub(super) const FSR: usize = 2;

/// The state of the ESP32-S3's vector extension.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Vector {
    /// q0..q7; lane 0 is in the least significant bits.
    pub q: [u128; 8],
    /// ACCX, 40 bits.
    pub accx: u64,
    /// QACC_L, 160 bits, the lowest word first.
    pub qacc_l: [u32; 5],
    /// QACC_H, the same.
    pub qacc_h: [u32; 5],
    /// Low 4 bits of the last address of a load for unaligned data.
    pub sar_byte: u32,
    /// FFT_BIT_WIDTH, 4 bits.
    pub fft_bit_width: u32,
    /// UA_STATE.
    pub ua_state: u128,
    /// GPIO_OUT, 8 bits.
    pub gpio_out: u32,
    /// The pins that EE.GET_GPIO_IN reads, 8 bits; set by whoever simulates what is around the core.
    pub gpio_in: u32,
}

/// The programmer's model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The address of the instruction; after it, of the next one.
    pub pc: u32,
    /// All 64 registers of the file, of which a window of 16 is seen: a(i) is `ar[(4 * WINDOWBASE + i) % 64]`.
    pub ar: [u32; 64],
    /// Special registers by number ([`sr`]); those that are part of no register file and that nothing uses hold what was
    /// written.
    pub special: [u32; 256],
    /// THREADPTR, FCR, FSR and, on LX6, F64R_LO, F64R_HI and F64S: user registers 231 to 236. The vector extension's are in
    /// [`Vector`].
    pub user: [u32; 6],
    /// f0..f15 as bits.
    pub f: [u32; 16],
    /// The vector extension.
    pub vector: Vector,
}

impl State {
    /// All registers 0 but WINDOWSTART, in which the current window is the only one, and PS, with window exceptions enabled.
    pub fn new() -> State {
        let mut special = [0; 256];
        special[sr::WINDOWSTART] = 1;
        special[sr::PS] = ps::WOE;
        State { pc: 0, ar: [0; 64], special, user: [0; 6], f: [0; 16], vector: Vector::default() }
    }

    /// The place of a(i) in the file.
    #[inline(always)]
    pub fn place(&self, i: u8) -> usize {
        ((4 * self.special[sr::WINDOWBASE] + u32::from(i)) & 63) as usize
    }

    /// a(i).
    #[inline(always)]
    pub fn a(&self, i: u8) -> u32 {
        self.ar[self.place(i)]
    }

    /// Sets a(i).
    #[inline(always)]
    pub fn set_a(&mut self, i: u8, value: u32) {
        self.ar[self.place(i)] = value;
    }
}

impl Default for State {
    fn default() -> State {
        State::new()
    }
}

/// What happened, beside the change of state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The next instruction follows.
    Next,
    /// `State::pc` was set: a taken branch, a jump, call or return.
    Jumped,
    /// The instruction was the last of a loop, which goes on at LBEG.
    LoopedBack,
    /// SIMCALL: the simulator is asked for something.
    Simcall,
    /// WAITI with its level, which is set.
    Wait(u8),
}

/// Why an instruction was not executed. The state is as before; what the architecture does about it (vectors, EPC, EXCCAUSE) is for
/// whoever executes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The bus refused `address`.
    Bus {
        /// The refused address.
        address: u32,
        /// Bytes asked for.
        size: u8,
        /// True for a store.
        write: bool,
        /// Why.
        why: BusFault,
    },
    /// An access that synchronises (L32AI, S32RI, S32C1I) at an address that is no multiple of its size.
    Unaligned {
        /// The misaligned address.
        address: u32,
    },
    /// An illegal instruction: ILL, ENTRY or RETW in a state that does not allow them, MOVSP and others likewise.
    Illegal,
    /// An instruction whose result is not modelled: translation buffers, external registers, and what works by tables that
    /// nobody has published (first approximations of division and roots).
    NotModelled,
    /// Division by zero.
    DivideByZero,
    /// SYSCALL.
    Syscall,
    /// BREAK with its operands (the second is 0 for BREAK.N).
    Break(u8, u8),
    /// MOVSP found the caller's frame not in registers.
    Alloca,
    /// The coprocessor of this number is not enabled.
    CoprocessorDisabled(u8),
    /// Registers are needed that still hold a caller's frame of this many registers (4, 8 or 12).
    WindowOverflow(u8),
    /// The frame returned to, of this many registers (4, 8 or 12), is not in registers.
    WindowUnderflow(u8),
}
