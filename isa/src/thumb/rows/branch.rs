//! Branches, calls, IT, and exceptions (A5.2.6, A5.3.4).

macro_rules! branch_rows {
    ([$next:ident $($rest:ident)*] $($done:tt)*) => { $next! { [$($rest)*] $($done)*

    B "b" "label" V7M Branch KEEP {
        "T1" "1101 cccc iiiiiiii" [SignedHalfwords, NotInIt]
        "T2" "11100 iiiiiiiiiii" [SignedHalfwords]
        "T3" "11110 i cccc iiiiii 10 i 0 i iiiiiiiiiii" [BranchT3, NotInIt]
        "T4" "11110 iiiiiiiiiii 10 i 1 i iiiiiiiiiii" [BranchT4]
    }
    Bl "bl" "label" V7M BranchLink KEEP {
        "T1" "11110 iiiiiiiiiii 11 i 1 i iiiiiiiiiii" [BranchT4]
    }
    Bx "bx" "Rm" V7M BranchRegister KEEP {
        "T1" "010001110 mmmm 000" [NoPc("m")]
    }
    BlxReg "blx" "Rm" V7M BranchRegister KEEP {
        "T1" "010001111 mmmm 000" [NoPc("m")]
    }
    Cbz "cbz" "Rn, label" V7M CompareBranch KEEP {
        "T1" "101100 i 1 iiiii nnn" [Scale(1), NotInIt]
    }
    Cbnz "cbnz" "Rn, label" V7M CompareBranch KEEP {
        "T1" "101110 i 1 iiiii nnn" [Scale(1), NotInIt]
    }
    Tbb "tbb" "[Rn, Rm]" V7M TableBranch KEEP Loads 1 {
        "T1" "111010001101 nnnn 11110000 0000 mmmm" [NoSp("n"), NoSpPc("m")]
    }
    Tbh "tbh" "[Rn, Rm, lsl #1]" V7M TableBranch KEEP Loads 2 {
        "T1" "111010001101 nnnn 11110000 0001 mmmm" [NoSp("n"), NoSpPc("m")]
    }
    It "it" "condition" V7M It KEEP {
        "T1" "10111111 cccc kkkk" [ItMask, NotInIt]
    }
    Svc "svc" "#imm" V7M Exception KEEP {
        "T1" "11011111 iiiiiiii" []
    }
    Bkpt "bkpt" "#imm" V7M Exception KEEP {
        "T1" "10111110 iiiiiiii" [Unconditional]
    }
    Udf "udf" "#imm" V7M Exception KEEP {
        "T1" "11011110 iiiiiiii" []
        "T2" "111101111111 iiii 1010 iiiiiiiiiiii" []
    }
    }};
}
