//! Multiplication and division of ARMv7-M (A5.3.16, A5.3.17).

macro_rules! multiply_rows {
    ([$next:ident $($rest:ident)*] $($done:tt)*) => { $next! { [$($rest)*] $($done)*

    Mul "mul" "=Rd, Rn, Rm" V7M Mul RESULT {
        "T1" "010000 1101 nnn ddd" [Same(M, D), SetsFlagsOutsideIt]
        "T2" "111110110000 nnnn 1111 dddd 0000 mmmm" [NoSpPc("dnm")]
    }
    Mla "mla" "=Rd, Rn, Rm, Ra" V7M Mla KEEP {
        "T1" "111110110000 nnnn aaaa dddd 0000 mmmm" [NoSpPc("dnma")]
    }
    Mls "mls" "=Rd, Rn, Rm, Ra" V7M Mla KEEP {
        "T1" "111110110000 nnnn aaaa dddd 0001 mmmm" [NoSpPc("dnma")]
    }
    Umull "umull" "=RdLo, =RdHi, Rn, Rm" V7M MulLong KEEP {
        "T1" "111110111010 nnnn dddd aaaa 0000 mmmm" [NoSpPc("danm"), Differ("da")]
    }
    Smull "smull" "=RdLo, =RdHi, Rn, Rm" V7M MulLong KEEP {
        "T1" "111110111000 nnnn dddd aaaa 0000 mmmm" [NoSpPc("danm"), Differ("da")]
    }
    Umlal "umlal" "+RdLo, +RdHi, Rn, Rm" V7M MlaLong KEEP {
        "T1" "111110111110 nnnn dddd aaaa 0000 mmmm" [NoSpPc("danm"), Differ("da")]
    }
    Smlal "smlal" "+RdLo, +RdHi, Rn, Rm" V7M MlaLong KEEP {
        "T1" "111110111100 nnnn dddd aaaa 0000 mmmm" [NoSpPc("danm"), Differ("da")]
    }
    Sdiv "sdiv" "=Rd, Rn, Rm" V7M Div KEEP {
        "T1" "111110111001 nnnn 1111 dddd 1111 mmmm" [NoSpPc("dnm")]
    }
    Udiv "udiv" "=Rd, Rn, Rm" V7M Div KEEP {
        "T1" "111110111011 nnnn 1111 dddd 1111 mmmm" [NoSpPc("dnm")]
    }
    }};
}
