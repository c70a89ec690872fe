//! Vectors: steps of an FFT on 16-bit complex numbers.

macro_rules! vector_fft_rows {
    ([$next:ident $($rest:ident)*] $($done:tt)*) => { $next! { [$($rest)*] $($done)*

    EeFftR2bfS16 "ee.fft.r2bf.s16" "=qr, =qw, qx, qy, imm" Vector VectorAlu KEEP "11rr 1100 rwww yy0i xxyx 0100" [Apart(W, R)]
    EeFftR2bfS16StIncp "ee.fft.r2bf.s16.st.incp" "=qr, qx, qy, +as, imm" Vector VectorAluStore KEEP Stores 16 "1110 1000 iyyy 1rrr xx0j 0100 ssss 111X" []

    EeFftAmsS16StIncp "ee.fft.ams.s16.st.incp" "qw, +qz, +as, +at, qx, qy, qr, imm" Vector VectorFftStore BY_SAR Stores 16 "1010 0izz rwww zxxx yyRR tttt ssss 111Y" []
    EeFftAmsS16LdIncp "ee.fft.ams.s16.ld.incp" "=qw, +as, +qr, +qz, qx, qy, qt, imm" Vector VectorFftLoad BY_SAR Loads 16 "1101 00iz ryyy zttt xxRR zwww ssss 111X" [Apart(W, R), Apart(W, Z), Apart(R, Z)]
    EeFftAmsS16LdIncpUaup "ee.fft.ams.s16.ld.incp.uaup" "=qw, +as, +qr, +qz, qx, qy, qt, imm" Vector VectorFftLoad UNALIGNED Loads 16 "1101 01iz ryyy zttt xxRR zwww ssss 111X" [Apart(W, R), Apart(W, Z), Apart(R, Z)]
    EeFftAmsS16LdR32Decp "ee.fft.ams.s16.ld.r32.decp" "=qw, +as, +qr, +qz, qx, qy, qt, imm" Vector VectorFftLoad BY_SAR Loads 16 "1101 10iz ryyy zttt xxRR zwww ssss 111X" [Apart(W, R), Apart(W, Z), Apart(R, Z)]

    EeFftCmulS16StXp "ee.fft.cmul.s16.st.xp" "qx, qy, qw, +as, at, imm, imm2, imm3" Vector VectorFftStore BY_SAR Stores 16 "1010 1cck iyyy kwww xxjj tttt ssss 111X" []
    EeFftCmulS16LdXp "ee.fft.cmul.s16.ld.xp" "=qw, +as, at, +qr, qx, qy, imm" Vector VectorFftLoad BY_SAR Loads 16 "1101 11ii wyyy irrr xxWW tttt ssss 111X" [Apart(W, R)]

    EeFftVstR32Decp "ee.fft.vst.r32.decp" "qw, +as, imm" Vector VectorStore KEEP Stores 16 "11ww 1101 w011 0i11 ssss 0100" []

    EeBitrev "ee.bitrev" "=qr, +as" Vector VectorAlu BIT_WIDTH "11rr 1101 r111 1011 ssss 0100" []
    }};
}
