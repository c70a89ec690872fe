//! The name of each row.

macro_rules! ops {
    ($($op:ident)*) => {
        /// One instruction row: a mnemonic with one operand form.
        ///
        /// Fields of [`Inst`](super::Inst) that are not obvious from the manual's syntax:
        ///
        /// | rows | fields |
        /// |---|---|
        /// | stores | `d` is Rt, which is read |
        /// | `LslImm`, `LsrImm`, `AsrImm`, `RorImm` | source `m`, amount in `shift` with its own kind (LSL 1..=31, LSR and ASR 1..=32, ROR 1..=31) |
        /// | `LslReg` .. `RorReg` | value `n`, amount `m` |
        /// | `Rrx` | source `m`; `shift` unused |
        /// | `Bfi`, `Sbfx`, `Ubfx`, `Bfc` | source `n`, lsb `imm`, width `imm2` |
        /// | `Ssat`, `Usat`, `Ssat16`, `Usat16` | source `n`, bit position `imm2` as written, `shift` LSL 0..=31 or ASR 1..=31 |
        /// | `Sxtb` and friends | source `m`, rotation in `shift` (`Ror` 8, 16, 24, or none) |
        /// | `Umull`, `Smlalbb`, `Umaal` and friends | RdLo `d`, RdHi `a`, factors `n`, `m` |
        /// | `Mla`, `Smlabb`, `Smmla`, `Usada8` and friends | `d = f(n, m)`, accumulator `a` |
        /// | `Qadd`, `Qsub`, `Qdadd`, `Qdsub` | `d, m, n` in the manual's order: `m` first, `n` is the doubled one |
        /// | `LdrdImm`, `StrdImm`, `LdrdLit` | Rt `d`, Rt2 `a`, base `n` |
        /// | `Strex`, `Strexb`, `Strexh` | status `d`, stored value `m`, base `n` |
        /// | loads and stores with an immediate | `imm2` is 1 only for the encoding of `#-0`, which means the same as `#0` |
        /// | `LdrReg`, `StrReg`, ... | `shift` is LSL 0..=3 |
        /// | `Ldrt`, `Strt`, ... | `imm` 0..=255 |
        /// | `Push`, `Pop`, `Ldm`, `Stm`, ... | `list`; `mode` is `PreIndex` for write-back (always `Offset` for push and pop) |
        /// | `VldmS`, `VpushD`, ... | `list` of consecutive S or D registers |
        /// | `Bx`, `BlxReg` | target `m` |
        /// | `Cbz`, `Cbnz` | `n`, `imm` |
        /// | `Tbb`, `Tbh` | table `n`, index `m` |
        /// | `It` | first condition in `cond`, the 4-bit mask as encoded in `imm2` |
        /// | `B` | condition in `cond` |
        /// | `Dmb`, `Dsb`, `Isb`, `Dbg`, `Svc`, `Bkpt`, `Udf` | `imm` |
        /// | `Cps` | `imm` 0 for IE (clear the mask), 1 for ID (set it); `imm2` bit 0 = f, bit 1 = i |
        /// | `Mrs` | `d`, SYSm in `imm2` |
        /// | `Msr` | `n`, SYSm in `imm2`, `imm` = mask: 2 for `nzcvq` (and all but APSR), 1 for `g`, 3 for `nzcvqg` |
        /// | coprocessor rows | `imm2` = coprocessor, opc1 << 4, CRd << 8, CRn << 12, CRm << 16, opc2 << 20; core registers Rt `d`, Rt2 `a`, base `n` |
        /// | `VmovImmS` | `imm` holds the bits of the `f32` |
        /// | `VmovSR` / `VmovRS` | `d = n`: S from core / core from S |
        /// | `VmovSSRR` | `d` first S; `n` Rt, `a` Rt2: s\[d\], s\[d+1\] become n, a |
        /// | `VmovRRSS` | `d` Rt, `a` Rt2, `n` first S: d, a become s\[n\], s\[n+1\] |
        /// | `VmovDRR` / `VmovRRD` | likewise with a D register in `d` / `n` |
        /// | `VmovLaneR` / `VmovRLane` | `d`, `n`; the D register's word 0 or 1 in `imm` |
        /// | `Vmrs`, `Vmsr` | core register `d` / `n`, FPSCR; `VmrsApsr` moves the flags |
        /// | FP arithmetic | `d`, `n`, `m`; one source: `m`; compare: `d` with `m` |
        /// | `VcvtF32S16Fix` and friends | `d` read and written, fraction bits in `imm` |
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u16)]
        #[allow(missing_docs)]
        pub enum Op {
            $($op,)*
        }

        impl Op {
            /// Every row, in the table's order.
            pub const ALL: &'static [Op] = &[$(Op::$op,)*];
        }
    };
}

ops! {
    AdcImm AdcReg AddImm AddReg AddwImm Adr AndImm AndReg BicImm BicReg CmnImm CmnReg CmpImm CmpReg EorImm
    EorReg MovImm MovReg Movw Movt MvnImm MvnReg OrnImm OrnReg OrrImm OrrReg RsbImm RsbReg SbcImm SbcReg SubImm
    SubReg SubwImm TeqImm TeqReg TstImm TstReg

    AsrImm AsrReg LslImm LslReg LsrImm LsrReg RorImm RorReg Rrx

    Bfc Bfi Sbfx Ubfx Clz Rbit Rev Rev16 Revsh Sxtb Sxth Uxtb Uxth Ssat Usat

    Mul Mla Mls Umull Smull Umlal Smlal Sdiv Udiv

    LdrImm LdrLit LdrReg LdrbImm LdrbLit LdrbReg LdrhImm LdrhLit LdrhReg LdrsbImm LdrsbLit LdrsbReg LdrshImm
    LdrshLit LdrshReg LdrdImm LdrdLit Ldrt Ldrbt Ldrht Ldrsbt Ldrsht StrImm StrReg StrbImm StrbReg StrhImm
    StrhReg StrdImm Strt Strbt Strht

    Ldrex Ldrexb Ldrexh Strex Strexb Strexh Clrex PldImm PldLit PldReg PliImm PliLit PliReg

    Ldm Ldmdb Stm Stmdb Push Pop

    B Bl Bx BlxReg Cbz Cbnz Tbb Tbh It

    Nop Yield Wfe Wfi Sev Dbg Dmb Dsb Isb Cps Mrs Msr Svc Bkpt Udf

    Cdp Cdp2 Mcr Mcr2 Mrc Mrc2 Mcrr Mcrr2 Mrrc Mrrc2 Ldc Ldc2 Stc Stc2

    Pkhbt Pkhtb Sxtab Sxtab16 Sxtah Sxtb16 Uxtab Uxtab16 Uxtah Uxtb16 Sel Ssat16 Usat16 Usad8 Usada8

    Qadd Qdadd Qsub Qdsub

    Sadd16 Sadd8 Sasx Ssax Ssub16 Ssub8 Qadd16 Qadd8 Qasx Qsax Qsub16 Qsub8 Shadd16 Shadd8 Shasx Shsax Shsub16
    Shsub8 Uadd16 Uadd8 Uasx Usax Usub16 Usub8 Uqadd16 Uqadd8 Uqasx Uqsax Uqsub16 Uqsub8 Uhadd16 Uhadd8 Uhasx
    Uhsax Uhsub16 Uhsub8

    Smlabb Smlabt Smlatb Smlatt Smulbb Smulbt Smultb Smultt Smlawb Smlawt Smulwb Smulwt Smlad Smladx Smlsd
    Smlsdx Smuad Smuadx Smusd Smusdx Smmla Smmlar Smmls Smmlsr Smmul Smmulr Smlalbb Smlalbt Smlaltb Smlaltt
    Smlald Smlaldx Smlsld Smlsldx Umaal

    VldrS VldrD VldrLitS VldrLitD VstrS VstrD VldmS VldmD VldmdbS VldmdbD VstmS VstmD VstmdbS VstmdbD VpushS
    VpushD VpopS VpopD

    VmovImmS VmovS VmovSR VmovRS VmovSSRR VmovRRSS VmovDRR VmovRRD VmovLaneR VmovRLane Vmrs VmrsApsr Vmsr

    VaddS VsubS VmulS VnmulS VmlaS VmlsS VnmlaS VnmlsS VfmaS VfmsS VfnmaS VfnmsS VdivS VsqrtS VabsS VnegS VcmpS
    VcmpeS VcmpZeroS VcmpeZeroS

    VcvtS32F32 VcvtU32F32 VcvtrS32F32 VcvtrU32F32 VcvtF32S32 VcvtF32U32 VcvtF32S16Fix VcvtF32U16Fix
    VcvtF32S32Fix VcvtF32U32Fix VcvtS16F32Fix VcvtU16F32Fix VcvtS32F32Fix VcvtU32F32Fix VcvtbF32F16 VcvttF32F16
    VcvtbF16F32 VcvttF16F32
}
