//! The DSP extension, ARMv7E-M (A5.3.13 to A5.3.17).

macro_rules! dsp_rows {
    ([$next:ident $($rest:ident)*] $($done:tt)*) => { $next! { [$($rest)*] $($done)*

    Pkhbt "pkhbt" "=Rd, Rn, Rm{, shift}" Dsp Alu KEEP {
        "T1" "111010101100 nnnn 0 hhh dddd hh 00 mmmm" [Kind(ShiftKind::Lsl), NoSpPc("dnm")]
    }
    Pkhtb "pkhtb" "=Rd, Rn, Rm{, shift}" Dsp Alu KEEP {
        "T1" "111010101100 nnnn 0 hhh dddd hh 10 mmmm" [Kind(ShiftKind::Asr), NoSpPc("dnm")]
    }
    Sxtah "sxtah" "=Rd, Rn, Rm{, shift}" Dsp Alu KEEP {
        "T1" "111110100000 nnnn 1111 dddd 10 rr mmmm" [NoSpPc("dnm")]
    }
    Uxtah "uxtah" "=Rd, Rn, Rm{, shift}" Dsp Alu KEEP {
        "T1" "111110100001 nnnn 1111 dddd 10 rr mmmm" [NoSpPc("dnm")]
    }
    Sxtab16 "sxtab16" "=Rd, Rn, Rm{, shift}" Dsp Alu KEEP {
        "T1" "111110100010 nnnn 1111 dddd 10 rr mmmm" [NoSpPc("dnm")]
    }
    Uxtab16 "uxtab16" "=Rd, Rn, Rm{, shift}" Dsp Alu KEEP {
        "T1" "111110100011 nnnn 1111 dddd 10 rr mmmm" [NoSpPc("dnm")]
    }
    Sxtab "sxtab" "=Rd, Rn, Rm{, shift}" Dsp Alu KEEP {
        "T1" "111110100100 nnnn 1111 dddd 10 rr mmmm" [NoSpPc("dnm")]
    }
    Uxtab "uxtab" "=Rd, Rn, Rm{, shift}" Dsp Alu KEEP {
        "T1" "111110100101 nnnn 1111 dddd 10 rr mmmm" [NoSpPc("dnm")]
    }
    Sxtb16 "sxtb16" "=Rd, Rm{, shift}" Dsp Alu KEEP {
        "T1" "111110100010 1111 1111 dddd 10 rr mmmm" [NoSpPc("dm")]
    }
    Uxtb16 "uxtb16" "=Rd, Rm{, shift}" Dsp Alu KEEP {
        "T1" "111110100011 1111 1111 dddd 10 rr mmmm" [NoSpPc("dm")]
    }
    Sel "sel" "=Rd, Rn, Rm" Dsp Alu READS_GE {
        "T1" "111110101010 nnnn 1111 dddd 1000 mmmm" [NoSpPc("dnm")]
    }
    Ssat16 "ssat16" "=Rd, #imm2, Rn" Dsp Alu SATURATE {
        "T1" "11110 0 110010 nnnn 0000 dddd 0000 kkkk" [PlusOne, NoSpPc("dn")]
    }
    Usat16 "usat16" "=Rd, #imm2, Rn" Dsp Alu SATURATE {
        "T1" "11110 0 111010 nnnn 0000 dddd 0000 kkkk" [NoSpPc("dn")]
    }
    Qadd "qadd" "=Rd, Rm, Rn" Dsp Alu SATURATE {
        "T1" "111110101000 nnnn 1111 dddd 10 00 mmmm" [NoSpPc("dnm")]
    }
    Qdadd "qdadd" "=Rd, Rm, Rn" Dsp Alu SATURATE {
        "T1" "111110101000 nnnn 1111 dddd 10 01 mmmm" [NoSpPc("dnm")]
    }
    Qsub "qsub" "=Rd, Rm, Rn" Dsp Alu SATURATE {
        "T1" "111110101000 nnnn 1111 dddd 10 10 mmmm" [NoSpPc("dnm")]
    }
    Qdsub "qdsub" "=Rd, Rm, Rn" Dsp Alu SATURATE {
        "T1" "111110101000 nnnn 1111 dddd 10 11 mmmm" [NoSpPc("dnm")]
    }
    Sadd8 "sadd8" "=Rd, Rn, Rm" Dsp Alu SETS_GE {
        "T1" "111110101000 nnnn 1111 dddd 0000 mmmm" [NoSpPc("dnm")]
    }
    Sadd16 "sadd16" "=Rd, Rn, Rm" Dsp Alu SETS_GE {
        "T1" "111110101001 nnnn 1111 dddd 0000 mmmm" [NoSpPc("dnm")]
    }
    Sasx "sasx" "=Rd, Rn, Rm" Dsp Alu SETS_GE {
        "T1" "111110101010 nnnn 1111 dddd 0000 mmmm" [NoSpPc("dnm")]
    }
    Ssub8 "ssub8" "=Rd, Rn, Rm" Dsp Alu SETS_GE {
        "T1" "111110101100 nnnn 1111 dddd 0000 mmmm" [NoSpPc("dnm")]
    }
    Ssub16 "ssub16" "=Rd, Rn, Rm" Dsp Alu SETS_GE {
        "T1" "111110101101 nnnn 1111 dddd 0000 mmmm" [NoSpPc("dnm")]
    }
    Ssax "ssax" "=Rd, Rn, Rm" Dsp Alu SETS_GE {
        "T1" "111110101110 nnnn 1111 dddd 0000 mmmm" [NoSpPc("dnm")]
    }
    Qadd8 "qadd8" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101000 nnnn 1111 dddd 0001 mmmm" [NoSpPc("dnm")]
    }
    Qadd16 "qadd16" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101001 nnnn 1111 dddd 0001 mmmm" [NoSpPc("dnm")]
    }
    Qasx "qasx" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101010 nnnn 1111 dddd 0001 mmmm" [NoSpPc("dnm")]
    }
    Qsub8 "qsub8" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101100 nnnn 1111 dddd 0001 mmmm" [NoSpPc("dnm")]
    }
    Qsub16 "qsub16" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101101 nnnn 1111 dddd 0001 mmmm" [NoSpPc("dnm")]
    }
    Qsax "qsax" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101110 nnnn 1111 dddd 0001 mmmm" [NoSpPc("dnm")]
    }
    Shadd8 "shadd8" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101000 nnnn 1111 dddd 0010 mmmm" [NoSpPc("dnm")]
    }
    Shadd16 "shadd16" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101001 nnnn 1111 dddd 0010 mmmm" [NoSpPc("dnm")]
    }
    Shasx "shasx" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101010 nnnn 1111 dddd 0010 mmmm" [NoSpPc("dnm")]
    }
    Shsub8 "shsub8" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101100 nnnn 1111 dddd 0010 mmmm" [NoSpPc("dnm")]
    }
    Shsub16 "shsub16" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101101 nnnn 1111 dddd 0010 mmmm" [NoSpPc("dnm")]
    }
    Shsax "shsax" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101110 nnnn 1111 dddd 0010 mmmm" [NoSpPc("dnm")]
    }
    Uadd8 "uadd8" "=Rd, Rn, Rm" Dsp Alu SETS_GE {
        "T1" "111110101000 nnnn 1111 dddd 0100 mmmm" [NoSpPc("dnm")]
    }
    Uadd16 "uadd16" "=Rd, Rn, Rm" Dsp Alu SETS_GE {
        "T1" "111110101001 nnnn 1111 dddd 0100 mmmm" [NoSpPc("dnm")]
    }
    Uasx "uasx" "=Rd, Rn, Rm" Dsp Alu SETS_GE {
        "T1" "111110101010 nnnn 1111 dddd 0100 mmmm" [NoSpPc("dnm")]
    }
    Usub8 "usub8" "=Rd, Rn, Rm" Dsp Alu SETS_GE {
        "T1" "111110101100 nnnn 1111 dddd 0100 mmmm" [NoSpPc("dnm")]
    }
    Usub16 "usub16" "=Rd, Rn, Rm" Dsp Alu SETS_GE {
        "T1" "111110101101 nnnn 1111 dddd 0100 mmmm" [NoSpPc("dnm")]
    }
    Usax "usax" "=Rd, Rn, Rm" Dsp Alu SETS_GE {
        "T1" "111110101110 nnnn 1111 dddd 0100 mmmm" [NoSpPc("dnm")]
    }
    Uqadd8 "uqadd8" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101000 nnnn 1111 dddd 0101 mmmm" [NoSpPc("dnm")]
    }
    Uqadd16 "uqadd16" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101001 nnnn 1111 dddd 0101 mmmm" [NoSpPc("dnm")]
    }
    Uqasx "uqasx" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101010 nnnn 1111 dddd 0101 mmmm" [NoSpPc("dnm")]
    }
    Uqsub8 "uqsub8" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101100 nnnn 1111 dddd 0101 mmmm" [NoSpPc("dnm")]
    }
    Uqsub16 "uqsub16" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101101 nnnn 1111 dddd 0101 mmmm" [NoSpPc("dnm")]
    }
    Uqsax "uqsax" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101110 nnnn 1111 dddd 0101 mmmm" [NoSpPc("dnm")]
    }
    Uhadd8 "uhadd8" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101000 nnnn 1111 dddd 0110 mmmm" [NoSpPc("dnm")]
    }
    Uhadd16 "uhadd16" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101001 nnnn 1111 dddd 0110 mmmm" [NoSpPc("dnm")]
    }
    Uhasx "uhasx" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101010 nnnn 1111 dddd 0110 mmmm" [NoSpPc("dnm")]
    }
    Uhsub8 "uhsub8" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101100 nnnn 1111 dddd 0110 mmmm" [NoSpPc("dnm")]
    }
    Uhsub16 "uhsub16" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101101 nnnn 1111 dddd 0110 mmmm" [NoSpPc("dnm")]
    }
    Uhsax "uhsax" "=Rd, Rn, Rm" Dsp Alu KEEP {
        "T1" "111110101110 nnnn 1111 dddd 0110 mmmm" [NoSpPc("dnm")]
    }
    Usad8 "usad8" "=Rd, Rn, Rm" Dsp MulDsp KEEP {
        "T1" "111110110111 nnnn 1111 dddd 0000 mmmm" [NoSpPc("dnm")]
    }
    Usada8 "usada8" "=Rd, Rn, Rm, Ra" Dsp MulDsp KEEP {
        "T1" "111110110111 nnnn aaaa dddd 0000 mmmm" [NoSpPc("dnma")]
    }
    Smulbb "smulbb" "=Rd, Rn, Rm" Dsp MulDsp KEEP {
        "T1" "111110110001 nnnn 1111 dddd 00 00 mmmm" [NoSpPc("dnm")]
    }
    Smulbt "smulbt" "=Rd, Rn, Rm" Dsp MulDsp KEEP {
        "T1" "111110110001 nnnn 1111 dddd 00 01 mmmm" [NoSpPc("dnm")]
    }
    Smultb "smultb" "=Rd, Rn, Rm" Dsp MulDsp KEEP {
        "T1" "111110110001 nnnn 1111 dddd 00 10 mmmm" [NoSpPc("dnm")]
    }
    Smultt "smultt" "=Rd, Rn, Rm" Dsp MulDsp KEEP {
        "T1" "111110110001 nnnn 1111 dddd 00 11 mmmm" [NoSpPc("dnm")]
    }
    Smlabb "smlabb" "=Rd, Rn, Rm, Ra" Dsp MulDsp SATURATE {
        "T1" "111110110001 nnnn aaaa dddd 00 00 mmmm" [NoSpPc("dnma")]
    }
    Smlabt "smlabt" "=Rd, Rn, Rm, Ra" Dsp MulDsp SATURATE {
        "T1" "111110110001 nnnn aaaa dddd 00 01 mmmm" [NoSpPc("dnma")]
    }
    Smlatb "smlatb" "=Rd, Rn, Rm, Ra" Dsp MulDsp SATURATE {
        "T1" "111110110001 nnnn aaaa dddd 00 10 mmmm" [NoSpPc("dnma")]
    }
    Smlatt "smlatt" "=Rd, Rn, Rm, Ra" Dsp MulDsp SATURATE {
        "T1" "111110110001 nnnn aaaa dddd 00 11 mmmm" [NoSpPc("dnma")]
    }
    Smulwb "smulwb" "=Rd, Rn, Rm" Dsp MulDsp KEEP {
        "T1" "111110110011 nnnn 1111 dddd 000 0 mmmm" [NoSpPc("dnm")]
    }
    Smulwt "smulwt" "=Rd, Rn, Rm" Dsp MulDsp KEEP {
        "T1" "111110110011 nnnn 1111 dddd 000 1 mmmm" [NoSpPc("dnm")]
    }
    Smlawb "smlawb" "=Rd, Rn, Rm, Ra" Dsp MulDsp SATURATE {
        "T1" "111110110011 nnnn aaaa dddd 000 0 mmmm" [NoSpPc("dnma")]
    }
    Smlawt "smlawt" "=Rd, Rn, Rm, Ra" Dsp MulDsp SATURATE {
        "T1" "111110110011 nnnn aaaa dddd 000 1 mmmm" [NoSpPc("dnma")]
    }
    Smuad "smuad" "=Rd, Rn, Rm" Dsp MulDsp SATURATE {
        "T1" "111110110010 nnnn 1111 dddd 000 0 mmmm" [NoSpPc("dnm")]
    }
    Smuadx "smuadx" "=Rd, Rn, Rm" Dsp MulDsp SATURATE {
        "T1" "111110110010 nnnn 1111 dddd 000 1 mmmm" [NoSpPc("dnm")]
    }
    Smlad "smlad" "=Rd, Rn, Rm, Ra" Dsp MulDsp SATURATE {
        "T1" "111110110010 nnnn aaaa dddd 000 0 mmmm" [NoSpPc("dnma")]
    }
    Smladx "smladx" "=Rd, Rn, Rm, Ra" Dsp MulDsp SATURATE {
        "T1" "111110110010 nnnn aaaa dddd 000 1 mmmm" [NoSpPc("dnma")]
    }
    Smusd "smusd" "=Rd, Rn, Rm" Dsp MulDsp KEEP {
        "T1" "111110110100 nnnn 1111 dddd 000 0 mmmm" [NoSpPc("dnm")]
    }
    Smusdx "smusdx" "=Rd, Rn, Rm" Dsp MulDsp KEEP {
        "T1" "111110110100 nnnn 1111 dddd 000 1 mmmm" [NoSpPc("dnm")]
    }
    Smlsd "smlsd" "=Rd, Rn, Rm, Ra" Dsp MulDsp SATURATE {
        "T1" "111110110100 nnnn aaaa dddd 000 0 mmmm" [NoSpPc("dnma")]
    }
    Smlsdx "smlsdx" "=Rd, Rn, Rm, Ra" Dsp MulDsp SATURATE {
        "T1" "111110110100 nnnn aaaa dddd 000 1 mmmm" [NoSpPc("dnma")]
    }
    Smmul "smmul" "=Rd, Rn, Rm" Dsp MulDsp KEEP {
        "T1" "111110110101 nnnn 1111 dddd 000 0 mmmm" [NoSpPc("dnm")]
    }
    Smmulr "smmulr" "=Rd, Rn, Rm" Dsp MulDsp KEEP {
        "T1" "111110110101 nnnn 1111 dddd 000 1 mmmm" [NoSpPc("dnm")]
    }
    Smmla "smmla" "=Rd, Rn, Rm, Ra" Dsp MulDsp KEEP {
        "T1" "111110110101 nnnn aaaa dddd 000 0 mmmm" [NoSpPc("dnma")]
    }
    Smmlar "smmlar" "=Rd, Rn, Rm, Ra" Dsp MulDsp KEEP {
        "T1" "111110110101 nnnn aaaa dddd 000 1 mmmm" [NoSpPc("dnma")]
    }
    Smmls "smmls" "=Rd, Rn, Rm, Ra" Dsp MulDsp KEEP {
        "T1" "111110110110 nnnn aaaa dddd 000 0 mmmm" [NoSpPc("dnma")]
    }
    Smmlsr "smmlsr" "=Rd, Rn, Rm, Ra" Dsp MulDsp KEEP {
        "T1" "111110110110 nnnn aaaa dddd 000 1 mmmm" [NoSpPc("dnma")]
    }
    Smlalbb "smlalbb" "+RdLo, +RdHi, Rn, Rm" Dsp MulDsp KEEP {
        "T1" "111110111100 nnnn dddd aaaa 10 00 mmmm" [NoSpPc("danm"), Differ("da")]
    }
    Smlalbt "smlalbt" "+RdLo, +RdHi, Rn, Rm" Dsp MulDsp KEEP {
        "T1" "111110111100 nnnn dddd aaaa 10 01 mmmm" [NoSpPc("danm"), Differ("da")]
    }
    Smlaltb "smlaltb" "+RdLo, +RdHi, Rn, Rm" Dsp MulDsp KEEP {
        "T1" "111110111100 nnnn dddd aaaa 10 10 mmmm" [NoSpPc("danm"), Differ("da")]
    }
    Smlaltt "smlaltt" "+RdLo, +RdHi, Rn, Rm" Dsp MulDsp KEEP {
        "T1" "111110111100 nnnn dddd aaaa 10 11 mmmm" [NoSpPc("danm"), Differ("da")]
    }
    Smlald "smlald" "+RdLo, +RdHi, Rn, Rm" Dsp MulDsp KEEP {
        "T1" "111110111100 nnnn dddd aaaa 110 0 mmmm" [NoSpPc("danm"), Differ("da")]
    }
    Smlaldx "smlaldx" "+RdLo, +RdHi, Rn, Rm" Dsp MulDsp KEEP {
        "T1" "111110111100 nnnn dddd aaaa 110 1 mmmm" [NoSpPc("danm"), Differ("da")]
    }
    Smlsld "smlsld" "+RdLo, +RdHi, Rn, Rm" Dsp MulDsp KEEP {
        "T1" "111110111101 nnnn dddd aaaa 110 0 mmmm" [NoSpPc("danm"), Differ("da")]
    }
    Smlsldx "smlsldx" "+RdLo, +RdHi, Rn, Rm" Dsp MulDsp KEEP {
        "T1" "111110111101 nnnn dddd aaaa 110 1 mmmm" [NoSpPc("danm"), Differ("da")]
    }
    Umaal "umaal" "+RdLo, +RdHi, Rn, Rm" Dsp MulDsp KEEP {
        "T1" "111110111110 nnnn dddd aaaa 0110 mmmm" [NoSpPc("danm"), Differ("da")]
    }
    }};
}
