//! What things cost on each core, and how that is known.

use super::Core;

/// The numbers of the model.
///
/// A *latency* is the number of cycles from the issue of an instruction to that of the first one that can use its result;
/// with 1 they can be neighbours. *Documented*, *published* and *measured* are followed by the source; **estimate** means
/// that no number was found and what it was guessed from.
///
/// Sources: *ISA*: Tensilica, Xtensa Instruction Set Architecture Reference Manual (4/2010), by section. *TRM*: Espressif,
/// ESP32-S3 Technical Reference Manual 1.8, section 1.7. *GCC*: the pipeline description in its `xtensa.md`.
/// *esp-dsp*: the benchmark table of Espressif's library, from which the loops named here follow; both were reconstructed,
/// cycle for cycle, as tests. *Measured on an S3*: published measurements by others, not by this project.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Costs {
    /// Bubbles after a taken branch or a jump. LX6: 3, measured (pcm1723's ESP32 series: a loop of ADDI and BNEZ takes 5).
    /// LX7: 2, documented (TRM 1.7.3).
    pub taken: u8,
    /// What a branch target costs that lies across two 4-byte words, likewise the first instruction of a loop when it is
    /// repeated. 1, documented (ISA 8.4.2, 4.3.2.2).
    pub straddle: u8,
    /// What LOOP, LOOPNEZ and LOOPGTZ cost beyond their own cycle when the loop is entered; going back is free (ISA 4.3.2.2).
    /// 1, **estimate**: "1 and a little" by published loops that do not tell it from their other overhead.
    pub loop_setup: u8,
    /// What ENTRY costs beyond its own cycle. 0: with the jump's bubbles, CALL8 and ENTRY take a jump and a cycle (ISA 4.7).
    pub entry: u8,
    /// What RETW costs beyond a jump to a register. 0, **estimate** (ISA 4.7 names no cost where no exception occurs).
    pub window_return: u8,
    /// Latency of a load into a0..a15 or m0..m3. LX6: 3, published (esp-dsp: four MULA.DD with loads take 6). LX7: 2, measured
    /// on an S3, and GCC.
    pub load: u8,
    /// Latency of a load into f0..f15. 1: floating-point operands are read so late that arithmetic never waits for a load,
    /// published (esp-dsp: LSX, MADD.S, ADD.N, LSX take 4).
    pub float_load: u8,
    /// Latency of MULL, MULUH, MULSH, MUL16. LX7: 2 (GCC). LX6: 3, **estimate**: as a load, for its two memory stages.
    pub multiply: u8,
    /// Latency of RSR, XSR, RUR. 2 on both (GCC); not measured.
    pub read_special: u8,
    /// Latency of ADD.S, SUB.S, MUL.S, MADD.S and their kin. 4, published (esp-dsp: a biquad section takes 17) and GCC.
    pub float: u8,
    /// Latency of conversions between integers and floating point. 2 (GCC).
    pub float_convert: u8,
    /// Latency of RFR, and of a comparison's boolean. **Estimate**: as a load, for that is when such a result leaves the
    /// floating-point unit at the earliest.
    pub from_float: u8,
    /// Latency of WFR, of moves and first approximations within f0..f15. 1 (GCC).
    pub float_move: u8,
    /// Latency of what vectors define at stage M, for those that use it at E. 2, documented (TRM, tables 1.7-1 and 1.7-2).
    /// LX6 has no vectors.
    pub vector: u8,
    /// Cycles of SRCMB and SRS. 2, measured on an S3; they do not wait for accumulators then, while by the tables of the TRM
    /// they take one cycle and wait for one. SRS was not measured by itself.
    pub vector_read_out: u8,
    /// Cycles of QUOS, QUOU, REMS, REMU, of which nothing overlaps. LX7: 18, the longest that was measured on an S3 (16 to 18).
    /// LX6: the same, **estimate**.
    pub divide: u8,
    /// Cycles of ISYNC: what is behind it is fetched anew when all before it is finished. **Estimate**: the stages of the
    /// pipeline, 7 and 5.
    pub isync: u8,
    /// Cycles from the end of an instruction to the first one of an exception's or interrupt's handler. **Estimate**: as ISYNC.
    pub exception: u8,
    /// Cycles of the other barriers. **Estimate**: the stages from the reading of registers to the end, 4 and 3.
    pub barrier: u8,
    /// Cycles of S32C1I, which reads and writes in one. **Estimate**: as its load and a store that waits for it, 4 and 3.
    pub exchange: u8,
    /// Cycles of RSIL, WAITI, ROTW, MOVSP's check, translation buffers and external registers. **Estimate**: 3.
    pub system: u8,
    /// What a load or store costs more that is split in two. **Estimate**: 1, the second access.
    pub split: u8,
    /// Bytes that one access can reach: the width of the data bus, 4 on LX6 and 16 on LX7, documented (core-isa.h).
    pub width: u8,
}

impl Costs {
    /// Those of a core.
    pub const fn of(core: Core) -> Costs {
        match core {
            Core::Lx6 => LX6,
            Core::Lx7 => LX7,
        }
    }

    /// Cycles of a window exception that moves 4, 8 or 12 registers, there and back. **Estimate**: that of an exception, the
    /// handler's instructions (with more than 4 registers it loads an address, which the next but one uses), and the jump back.
    pub const fn window_exception(&self, registers: u8) -> u64 {
        let load = if registers > 4 { self.load as u64 } else { 0 };
        self.exception as u64 + registers as u64 + load + 1 + self.taken as u64
    }
}

const LX6: Costs = Costs {
    taken: 3,
    straddle: 1,
    loop_setup: 1,
    entry: 0,
    window_return: 0,
    load: 3,
    float_load: 1,
    multiply: 3,
    read_special: 2,
    float: 4,
    float_convert: 2,
    from_float: 3,
    float_move: 1,
    vector: 2,
    vector_read_out: 2,
    divide: 18,
    isync: 7,
    exception: 7,
    barrier: 4,
    exchange: 4,
    system: 3,
    split: 1,
    width: 4,
};

const LX7: Costs = Costs {
    taken: 2,
    load: 2,
    multiply: 2,
    from_float: 2,
    isync: 5,
    exception: 5,
    barrier: 3,
    exchange: 3,
    width: 16,
    ..LX6
};
