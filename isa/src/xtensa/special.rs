//! Special and user registers of both cores: number, name, how they can be accessed, and what they are part of.

use super::{Access, Extension, Inst, Op, States};

/// A special register.
struct Special {
    number: u8,
    name: &'static str,
    /// Read, written, or also exchanged.
    access: Access,
    states: States,
}

const fn special(number: u8, name: &'static str, states: States) -> Special {
    Special { number, name, access: Access::ReadWrite, states }
}

const fn only(access: Access, number: u8, name: &'static str) -> Special {
    Special { number, name, access, states: States::SYSTEM }
}

const fn system(number: u8, name: &'static str) -> Special {
    special(number, name, States::SYSTEM)
}

/// All special registers, by number. BR and M0..M3 are register files, not state.
static SPECIAL: &[Special] = &[
    special(0, "lbeg", States::LOOP),
    special(1, "lend", States::LOOP),
    special(2, "lcount", States::LOOP),
    special(3, "sar", States::SAR),
    special(4, "br", States::NONE),
    special(12, "scompare1", States::SCOMPARE),
    special(16, "acclo", States::ACC),
    special(17, "acchi", States::ACC),
    special(32, "m0", States::NONE),
    special(33, "m1", States::NONE),
    special(34, "m2", States::NONE),
    special(35, "m3", States::NONE),
    special(72, "windowbase", States::WINDOW),
    special(73, "windowstart", States::WINDOW),
    system(96, "ibreakenable"),
    system(97, "memctl"),
    system(99, "atomctl"),
    system(104, "ddr"),
    system(128, "ibreaka0"),
    system(129, "ibreaka1"),
    system(144, "dbreaka0"),
    system(145, "dbreaka1"),
    system(160, "dbreakc0"),
    system(161, "dbreakc1"),
    only(Access::Read, 176, "configid0"),
    only(Access::Write, 176, "configid0"),
    system(177, "epc1"),
    system(178, "epc2"),
    system(179, "epc3"),
    system(180, "epc4"),
    system(181, "epc5"),
    system(182, "epc6"),
    system(183, "epc7"),
    system(192, "depc"),
    system(194, "eps2"),
    system(195, "eps3"),
    system(196, "eps4"),
    system(197, "eps5"),
    system(198, "eps6"),
    system(199, "eps7"),
    only(Access::Read, 208, "configid1"),
    system(209, "excsave1"),
    system(210, "excsave2"),
    system(211, "excsave3"),
    system(212, "excsave4"),
    system(213, "excsave5"),
    system(214, "excsave6"),
    system(215, "excsave7"),
    system(224, "cpenable"),
    only(Access::Read, 226, "interrupt"),
    only(Access::Write, 226, "intset"),
    only(Access::Write, 227, "intclear"),
    system(228, "intenable"),
    special(230, "ps", States::SYSTEM.with(States::WINDOW)),
    system(231, "vecbase"),
    system(232, "exccause"),
    only(Access::Read, 233, "debugcause"),
    system(234, "ccount"),
    only(Access::Read, 235, "prid"),
    system(236, "icount"),
    system(237, "icountlevel"),
    system(238, "excvaddr"),
    system(240, "ccompare0"),
    system(241, "ccompare1"),
    system(242, "ccompare2"),
    system(244, "misc0"),
    system(245, "misc1"),
    system(246, "misc2"),
    system(247, "misc3"),
];

/// User registers: number, name, what they are part of.
const USER: [(u8, &str, States); 25] = [
    (0, "accx_0", States::ACCX),
    (1, "accx_1", States::ACCX),
    (2, "qacc_h_0", States::QACC_H),
    (3, "qacc_h_1", States::QACC_H),
    (4, "qacc_h_2", States::QACC_H),
    (5, "qacc_h_3", States::QACC_H),
    (6, "qacc_h_4", States::QACC_H),
    (7, "qacc_l_0", States::QACC_L),
    (8, "qacc_l_1", States::QACC_L),
    (9, "qacc_l_2", States::QACC_L),
    (10, "qacc_l_3", States::QACC_L),
    (11, "qacc_l_4", States::QACC_L),
    (12, "gpio_out", States::GPIO),
    (13, "sar_byte", States::SAR_BYTE),
    (14, "fft_bit_width", States::FFT_BIT_WIDTH),
    (15, "ua_state_0", States::UA_STATE),
    (16, "ua_state_1", States::UA_STATE),
    (17, "ua_state_2", States::UA_STATE),
    (18, "ua_state_3", States::UA_STATE),
    (231, "threadptr", States::USER),
    (232, "fcr", States::FLOAT_MODE),
    (233, "fsr", States::FLOAT_FLAGS),
    (234, "f64r_lo", States::USER),
    (235, "f64r_hi", States::USER),
    (236, "f64s", States::USER),
];

/// Number of BR among the special registers.
pub(super) const BR: i64 = 4;
/// Number of M0 among the special registers; M1..M3 follow.
pub(super) const M0: i64 = 32;

/// The name of a special register and what it is part of, if it exists and can be accessed like this: `Read` by RSR, `Write`
/// by WSR, `ReadWrite` by XSR.
pub fn special_register(number: i64, access: Access) -> Option<(&'static str, States)> {
    let fits = |special: &&Special| {
        i64::from(special.number) == number && (special.access == Access::ReadWrite || special.access == access)
    };
    SPECIAL.iter().find(fits).map(|special| (special.name, special.states))
}

/// The name of a user register and what it is part of, if it exists on one of the cores. Up to number 18 they belong to the
/// vector extension, which LX7 has; F64R_LO, F64R_HI and F64S to the accelerator of double precision, which LX6 has
/// ([`Inst::extension`]).
pub fn user_register(number: i64) -> Option<(&'static str, States)> {
    USER.iter().find(|user| i64::from(user.0) == number).map(|&(_, name, states)| (name, states))
}

impl<R> Inst<R> {
    /// The option of the architecture that a core needs for this instruction: the row's, or that of the user register which
    /// it names.
    pub fn extension(&self) -> Extension {
        match (self.op, self.imm) {
            (Op::Rur | Op::Wur, ..=18) => Extension::Vector,
            (Op::Rur | Op::Wur, 234..) => Extension::Double,
            _ => self.op.row().extension,
        }
    }
}
