//! FPv4-SP (A5.3.18, A6.4 to A6.7). In D-register forms the top bit of the number is 0: there are sixteen.

macro_rules! fp_rows {
    ([$next:ident $($rest:ident)*] $($done:tt)*) => { $next! { [$($rest)*] $($done)*

    VldrS "vldr" "=Sd, [Rn{, #imm}]" Fp FpLoad KEEP Loads 4 {
        "T1" "11101101 UD01 nnnn dddd 1010 iiiiiiii" [Scale(2), NoPc("n")]
    }
    VldrLitS "vldr" "=Sd, literal" Fp FpLoad KEEP Loads 4 {
        "T1" "11101101 UD01 1111 dddd 1010 iiiiiiii" [Scale(2)]
    }
    VstrS "vstr" "Sd, [Rn{, #imm}]" Fp FpStore KEEP Stores 4 {
        "T1" "11101101 UD00 nnnn dddd 1010 iiiiiiii" [Scale(2), NoPc("n")]
    }
    VldrD "vldr" "=Dd, [Rn{, #imm}]" Fp FpLoadDouble KEEP Loads 8 {
        "T1" "11101101 U001 nnnn dddd 1011 iiiiiiii" [Scale(2), NoPc("n")]
    }
    VldrLitD "vldr" "=Dd, literal" Fp FpLoadDouble KEEP Loads 8 {
        "T1" "11101101 U001 1111 dddd 1011 iiiiiiii" [Scale(2)]
    }
    VstrD "vstr" "Dd, [Rn{, #imm}]" Fp FpStoreDouble KEEP Stores 8 {
        "T1" "11101101 U000 nnnn dddd 1011 iiiiiiii" [Scale(2), NoPc("n")]
    }
    VldmS "vldm" "Rn{!}, fplist" Fp FpLoadMultiple KEEP Loads 4 {
        "T1" "11101100 1FW1 nnnn ffff 1010 vvvvvvvv" [FpList, NoPc("n"), SeeStack]
    }
    VldmdbS "vldmdb" "Rn{!}, fplist" Fp FpLoadMultiple KEEP Loads 4 {
        "T1" "11101101 0F11 nnnn ffff 1010 vvvvvvvv" [FpList, Always(Mode::PreIndex), NoPc("n")]
    }
    VstmS "vstm" "Rn{!}, fplist" Fp FpStoreMultiple KEEP Stores 4 {
        "T1" "11101100 1FW0 nnnn ffff 1010 vvvvvvvv" [FpList, NoPc("n")]
    }
    VstmdbS "vstmdb" "Rn{!}, fplist" Fp FpStoreMultiple KEEP Stores 4 {
        "T1" "11101101 0F10 nnnn ffff 1010 vvvvvvvv" [FpList, Always(Mode::PreIndex), NoPc("n"), SeeStack]
    }
    VpushS "vpush" "fplist" Fp FpStoreMultiple KEEP Stores 4 {
        "T1" "11101101 0F10 1101 ffff 1010 vvvvvvvv" [FpList]
    }
    VpopS "vpop" "fplist" Fp FpLoadMultiple KEEP Loads 4 {
        "T1" "11101100 1F11 1101 ffff 1010 vvvvvvvv" [FpList]
    }
    VldmD "vldm" "Rn{!}, fplist" Fp FpLoadMultiple KEEP Loads 8 {
        "T1" "11101100 10W1 nnnn ffff 1011 vvvvvvv0" [Doubles, FpList, NoPc("n"), SeeStack]
    }
    VldmdbD "vldmdb" "Rn{!}, fplist" Fp FpLoadMultiple KEEP Loads 8 {
        "T1" "11101101 0011 nnnn ffff 1011 vvvvvvv0" [Doubles, FpList, Always(Mode::PreIndex), NoPc("n")]
    }
    VstmD "vstm" "Rn{!}, fplist" Fp FpStoreMultiple KEEP Stores 8 {
        "T1" "11101100 10W0 nnnn ffff 1011 vvvvvvv0" [Doubles, FpList, NoPc("n")]
    }
    VstmdbD "vstmdb" "Rn{!}, fplist" Fp FpStoreMultiple KEEP Stores 8 {
        "T1" "11101101 0010 nnnn ffff 1011 vvvvvvv0" [Doubles, FpList, Always(Mode::PreIndex), NoPc("n"), SeeStack]
    }
    VpushD "vpush" "fplist" Fp FpStoreMultiple KEEP Stores 8 {
        "T1" "11101101 0010 1101 ffff 1011 vvvvvvv0" [Doubles, FpList]
    }
    VpopD "vpop" "fplist" Fp FpLoadMultiple KEEP Loads 8 {
        "T1" "11101100 1011 1101 ffff 1011 vvvvvvv0" [Doubles, FpList]
    }

    VmovImmS "vmov.f32" "=Sd, #float" Fp FpMove KEEP {
        "T1" "11101110 1D11 iiii dddd 1010 0000 iiii" [FloatConstant]
    }
    VmovS "vmov.f32" "=Sd, Sm" Fp FpMove KEEP {
        "T1" "11101110 1D11 0000 dddd 1010 01M0 mmmm" []
    }
    VmovSR "vmov" "=Sd, Rn" Fp FpMove KEEP {
        "T1" "11101110 0000 dddd nnnn 1010 D001 0000" [NoSpPc("n")]
    }
    VmovRS "vmov" "=Rd, Sn" Fp FpMove KEEP {
        "T1" "11101110 0001 nnnn dddd 1010 N001 0000" [NoSpPc("d")]
    }
    VmovSSRR "vmov" "=Sd, pair, Rn, Ra" Fp FpMovePair KEEP {
        "T1" "11101100 0100 aaaa nnnn 1010 00D1 dddd" [PairBelow(D), NoSpPc("na")]
    }
    VmovRRSS "vmov" "=Rd, =Ra, Sn, pair" Fp FpMovePair KEEP {
        "T1" "11101100 0101 aaaa dddd 1010 00N1 nnnn" [PairBelow(N), NoSpPc("da"), Differ("da")]
    }
    VmovDRR "vmov" "=Dd, Rn, Ra" Fp FpMovePair KEEP {
        "T1" "11101100 0100 aaaa nnnn 1011 0001 dddd" [NoSpPc("na")]
    }
    VmovRRD "vmov" "=Rd, =Ra, Dn" Fp FpMovePair KEEP {
        "T1" "11101100 0101 aaaa dddd 1011 0001 nnnn" [NoSpPc("da"), Differ("da")]
    }
    VmovLaneR "vmov.32" "+Dd[imm], Rn" Fp FpMove KEEP {
        "T1" "11101110 00i0 dddd nnnn 1011 0001 0000" [NoSpPc("n")]
    }
    VmovRLane "vmov.32" "=Rd, Dn[imm]" Fp FpMove KEEP {
        "T1" "11101110 00i1 nnnn dddd 1011 0001 0000" [NoSpPc("d")]
    }
    Vmrs "vmrs" "=Rd, fpscr" Fp FpStatus READS_FP {
        "T1" "11101110 11110001 dddd 1010 0001 0000" [NoSpPc("d")]
    }
    VmrsApsr "vmrs" "APSR_nzcv, fpscr" Fp FpStatus FP_TO_APSR {
        "T1" "11101110 11110001 1111 1010 0001 0000" []
    }
    Vmsr "vmsr" "fpscr, Rn" Fp FpStatus SETS_FP {
        "T1" "11101110 11100001 nnnn 1010 0001 0000" [NoSpPc("n")]
    }

    VaddS "vadd.f32" "=Sd, Sn, Sm" Fp FpAlu KEEP {
        "T1" "11101110 0D11 nnnn dddd 1010 N0M0 mmmm" []
    }
    VsubS "vsub.f32" "=Sd, Sn, Sm" Fp FpAlu KEEP {
        "T1" "11101110 0D11 nnnn dddd 1010 N1M0 mmmm" []
    }
    VmulS "vmul.f32" "=Sd, Sn, Sm" Fp FpMul KEEP {
        "T1" "11101110 0D10 nnnn dddd 1010 N0M0 mmmm" []
    }
    VnmulS "vnmul.f32" "=Sd, Sn, Sm" Fp FpMul KEEP {
        "T1" "11101110 0D10 nnnn dddd 1010 N1M0 mmmm" []
    }
    VmlaS "vmla.f32" "+Sd, Sn, Sm" Fp FpMla KEEP {
        "T1" "11101110 0D00 nnnn dddd 1010 N0M0 mmmm" []
    }
    VmlsS "vmls.f32" "+Sd, Sn, Sm" Fp FpMla KEEP {
        "T1" "11101110 0D00 nnnn dddd 1010 N1M0 mmmm" []
    }
    VnmlaS "vnmla.f32" "+Sd, Sn, Sm" Fp FpMla KEEP {
        "T1" "11101110 0D01 nnnn dddd 1010 N1M0 mmmm" []
    }
    VnmlsS "vnmls.f32" "+Sd, Sn, Sm" Fp FpMla KEEP {
        "T1" "11101110 0D01 nnnn dddd 1010 N0M0 mmmm" []
    }
    VfmaS "vfma.f32" "+Sd, Sn, Sm" Fp FpMla KEEP {
        "T1" "11101110 1D10 nnnn dddd 1010 N0M0 mmmm" []
    }
    VfmsS "vfms.f32" "+Sd, Sn, Sm" Fp FpMla KEEP {
        "T1" "11101110 1D10 nnnn dddd 1010 N1M0 mmmm" []
    }
    VfnmaS "vfnma.f32" "+Sd, Sn, Sm" Fp FpMla KEEP {
        "T1" "11101110 1D01 nnnn dddd 1010 N1M0 mmmm" []
    }
    VfnmsS "vfnms.f32" "+Sd, Sn, Sm" Fp FpMla KEEP {
        "T1" "11101110 1D01 nnnn dddd 1010 N0M0 mmmm" []
    }
    VdivS "vdiv.f32" "=Sd, Sn, Sm" Fp FpDiv KEEP {
        "T1" "11101110 1D00 nnnn dddd 1010 N0M0 mmmm" []
    }
    VsqrtS "vsqrt.f32" "=Sd, Sm" Fp FpSqrt KEEP {
        "T1" "11101110 1D11 0001 dddd 1010 11M0 mmmm" []
    }
    VabsS "vabs.f32" "=Sd, Sm" Fp FpAlu KEEP {
        "T1" "11101110 1D11 0000 dddd 1010 11M0 mmmm" []
    }
    VnegS "vneg.f32" "=Sd, Sm" Fp FpAlu KEEP {
        "T1" "11101110 1D11 0001 dddd 1010 01M0 mmmm" []
    }
    VcmpS "vcmp.f32" "Sd, Sm" Fp FpCompare SETS_FP {
        "T1" "11101110 1D11 0100 dddd 1010 01M0 mmmm" []
    }
    VcmpZeroS "vcmp.f32" "Sd, #0.0" Fp FpCompare SETS_FP {
        "T1" "11101110 1D11 0101 dddd 1010 0100 0000" []
    }
    VcmpeS "vcmpe.f32" "Sd, Sm" Fp FpCompare SETS_FP {
        "T1" "11101110 1D11 0100 dddd 1010 11M0 mmmm" []
    }
    VcmpeZeroS "vcmpe.f32" "Sd, #0.0" Fp FpCompare SETS_FP {
        "T1" "11101110 1D11 0101 dddd 1010 1100 0000" []
    }

    VcvtS32F32 "vcvt.s32.f32" "=Sd, Sm" Fp FpConvert KEEP {
        "T1" "11101110 1D11 1101 dddd 1010 11M0 mmmm" []
    }
    VcvtU32F32 "vcvt.u32.f32" "=Sd, Sm" Fp FpConvert KEEP {
        "T1" "11101110 1D11 1100 dddd 1010 11M0 mmmm" []
    }
    VcvtrS32F32 "vcvtr.s32.f32" "=Sd, Sm" Fp FpConvert KEEP {
        "T1" "11101110 1D11 1101 dddd 1010 01M0 mmmm" []
    }
    VcvtrU32F32 "vcvtr.u32.f32" "=Sd, Sm" Fp FpConvert KEEP {
        "T1" "11101110 1D11 1100 dddd 1010 01M0 mmmm" []
    }
    VcvtF32S32 "vcvt.f32.s32" "=Sd, Sm" Fp FpConvert KEEP {
        "T1" "11101110 1D11 1000 dddd 1010 11M0 mmmm" []
    }
    VcvtF32U32 "vcvt.f32.u32" "=Sd, Sm" Fp FpConvert KEEP {
        "T1" "11101110 1D11 1000 dddd 1010 01M0 mmmm" []
    }
    VcvtbF32F16 "vcvtb.f32.f16" "=Sd, Sm" Fp FpConvert KEEP {
        "T1" "11101110 1D11 0010 dddd 1010 01M0 mmmm" []
    }
    VcvttF32F16 "vcvtt.f32.f16" "=Sd, Sm" Fp FpConvert KEEP {
        "T1" "11101110 1D11 0010 dddd 1010 11M0 mmmm" []
    }
    VcvtbF16F32 "vcvtb.f16.f32" "+Sd, Sm" Fp FpConvert KEEP {
        "T1" "11101110 1D11 0011 dddd 1010 01M0 mmmm" []
    }
    VcvttF16F32 "vcvtt.f16.f32" "+Sd, Sm" Fp FpConvert KEEP {
        "T1" "11101110 1D11 0011 dddd 1010 11M0 mmmm" []
    }
    VcvtF32S16Fix "vcvt.f32.s16" "+Sd, Sd, #imm" Fp FpConvert KEEP {
        "T1" "11101110 1D11 1010 dddd 1010 01i0 jjjj" [FractionOf(16)]
    }
    VcvtF32U16Fix "vcvt.f32.u16" "+Sd, Sd, #imm" Fp FpConvert KEEP {
        "T1" "11101110 1D11 1011 dddd 1010 01i0 jjjj" [FractionOf(16)]
    }
    VcvtF32S32Fix "vcvt.f32.s32" "+Sd, Sd, #imm" Fp FpConvert KEEP {
        "T1" "11101110 1D11 1010 dddd 1010 11i0 jjjj" [FractionOf(32)]
    }
    VcvtF32U32Fix "vcvt.f32.u32" "+Sd, Sd, #imm" Fp FpConvert KEEP {
        "T1" "11101110 1D11 1011 dddd 1010 11i0 jjjj" [FractionOf(32)]
    }
    VcvtS16F32Fix "vcvt.s16.f32" "+Sd, Sd, #imm" Fp FpConvert KEEP {
        "T1" "11101110 1D11 1110 dddd 1010 01i0 jjjj" [FractionOf(16)]
    }
    VcvtU16F32Fix "vcvt.u16.f32" "+Sd, Sd, #imm" Fp FpConvert KEEP {
        "T1" "11101110 1D11 1111 dddd 1010 01i0 jjjj" [FractionOf(16)]
    }
    VcvtS32F32Fix "vcvt.s32.f32" "+Sd, Sd, #imm" Fp FpConvert KEEP {
        "T1" "11101110 1D11 1110 dddd 1010 11i0 jjjj" [FractionOf(32)]
    }
    VcvtU32F32Fix "vcvt.u32.f32" "+Sd, Sd, #imm" Fp FpConvert KEEP {
        "T1" "11101110 1D11 1111 dddd 1010 11i0 jjjj" [FractionOf(32)]
    }
    }};
}
