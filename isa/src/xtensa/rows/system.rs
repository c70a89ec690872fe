//! Barriers, special and user registers, exceptions, interrupts, translation buffers.

macro_rules! system_rows {
    ([$next:ident $($rest:ident)*] $($done:tt)*) => { $next! { [$($rest)*] $($done)*

    Nop "nop" "" Core Nop KEEP "0000 0000 0010 0000 1111 0000" []
    NopN "nop.n" "" Density Nop KEEP "1111 0000 0011 1101" []
    Isync "isync" "" Core Barrier KEEP "0000 0000 0010 0000 0000 0000" []
    Rsync "rsync" "" Core Barrier KEEP "0000 0000 0010 0000 0001 0000" []
    Esync "esync" "" Core Barrier KEEP "0000 0000 0010 0000 0010 0000" []
    Dsync "dsync" "" Core Barrier KEEP "0000 0000 0010 0000 0011 0000" []
    Excw "excw" "" System Barrier KEEP "0000 0000 0010 0000 1000 0000" []
    Memw "memw" "" Core Barrier KEEP "0000 0000 0010 0000 1100 0000" []
    Extw "extw" "" Core Barrier KEEP "0000 0000 0010 0000 1101 0000" []

    Rsr "rsr" "=at, special" Core ReadSpecial KEEP "0000 0011 iiiiiiii tttt 0000" [Special(Access::Read)]
    Wsr "wsr" "at, special" Core WriteSpecial KEEP "0001 0011 iiiiiiii tttt 0000" [Special(Access::Write)]
    Xsr "xsr" "+at, special" Core ReadSpecial KEEP "0110 0001 iiiiiiii tttt 0000" [Special(Access::ReadWrite)]
    Rur "rur" "=ar, user" Core ReadSpecial KEEP "1110 0011 rrrr iiiiiiii 0000" [User]
    Wur "wur" "at, user" Core WriteSpecial KEEP "1111 0011 iiiiiiii tttt 0000" [User]

    Ill "ill" "" Core Exception SYSTEM "0000 0000 0000 0000 0000 0000" []
    IllN "ill.n" "" Density Exception SYSTEM "1111 0000 0110 1101" []
    Syscall "syscall" "" System Exception SYSTEM "0000 0000 0101 0000 0000 0000" []
    Simcall "simcall" "" System Exception SYSTEM "0000 0000 0101 0001 0000 0000" []
    Break "break" "imm, imm2" System Exception SYSTEM "0000 0000 0100 iiii kkkk 0000" []
    BreakN "break.n" "imm" Density Exception SYSTEM "1111 iiii 0010 1101" []
    Rfe "rfe" "" System ExceptionReturn SYSTEM "0000 0000 0011 0000 0000 0000" []
    Rfde "rfde" "" System ExceptionReturn SYSTEM "0000 0000 0011 0010 0000 0000" []
    Rfi "rfi" "imm" System ExceptionReturn SYSTEM "0000 0000 0011 iiii 0001 0000" []
    Rsil "rsil" "=at, imm" System System SYSTEM "0000 0000 0110 iiii tttt 0000" []
    Waiti "waiti" "imm" System System SYSTEM "0000 0000 0111 iiii 0000 0000" []

    Lddr32P "lddr32.p" "+as" System System SYSTEM Loads 4 "0000 0000 0111 ssss 1110 0000" []
    Sddr32P "sddr32.p" "+as" System System SYSTEM Stores 4 "0000 0000 0111 ssss 1111 0000" []
    Rer "rer" "=at, as" External System SYSTEM "0100 0000 0110 ssss tttt 0000" []
    Wer "wer" "at, as" External System SYSTEM "0100 0000 0111 ssss tttt 0000" []
    Ritlb0 "ritlb0" "=at, as" Translation System SYSTEM "0101 0000 0011 ssss tttt 0000" []
    Iitlb "iitlb" "as" Translation System SYSTEM "0101 0000 0100 ssss 0000 0000" []
    Pitlb "pitlb" "=at, as" Translation System SYSTEM "0101 0000 0101 ssss tttt 0000" []
    Witlb "witlb" "at, as" Translation System SYSTEM "0101 0000 0110 ssss tttt 0000" []
    Ritlb1 "ritlb1" "=at, as" Translation System SYSTEM "0101 0000 0111 ssss tttt 0000" []
    Rdtlb0 "rdtlb0" "=at, as" Translation System SYSTEM "0101 0000 1011 ssss tttt 0000" []
    Idtlb "idtlb" "as" Translation System SYSTEM "0101 0000 1100 ssss 0000 0000" []
    Pdtlb "pdtlb" "=at, as" Translation System SYSTEM "0101 0000 1101 ssss tttt 0000" []
    Wdtlb "wdtlb" "at, as" Translation System SYSTEM "0101 0000 1110 ssss tttt 0000" []
    Rdtlb1 "rdtlb1" "=at, as" Translation System SYSTEM "0101 0000 1111 ssss tttt 0000" []
    }};
}
