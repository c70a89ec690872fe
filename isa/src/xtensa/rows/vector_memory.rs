//! Loads and stores of vectors, of the accumulators, and of several f registers. Addresses are aligned by clearing bits.

macro_rules! vector_memory_rows {
    ([$next:ident $($rest:ident)*] $($done:tt)*) => { $next! { [$($rest)*] $($done)*

    LdQr "ld.qr" "=qw, as, imm" Vector VectorLoad KEEP Loads 16 "11ww 1101 w010 iiii ssss 0100" [Signed, Scale(4)]

    StQr "st.qr" "qw, as, imm" Vector VectorStore KEEP Stores 16 "11ww 1101 w110 iiii ssss 0100" [Signed, Scale(4)]

    EeVld128Ip "ee.vld.128.ip" "=qw, +as, imm" Vector VectorLoad KEEP Loads 16 "1iww 0011 wiii iiii ssss 0100" [Signed, Scale(4)]
    EeVldH64Ip "ee.vld.h.64.ip" "+qw, +as, imm" Vector VectorLoad KEEP Loads 8 "1iww 1000 wiii iiii ssss 0100" [Signed, Scale(3)]
    EeVldL64Ip "ee.vld.l.64.ip" "+qw, +as, imm" Vector VectorLoad KEEP Loads 8 "1iww 1001 wiii iiii ssss 0100" [Signed, Scale(3)]
    EeVld128Xp "ee.vld.128.xp" "=qw, +as, at" Vector VectorLoad KEEP Loads 16 "10ww 1101 w010 tttt ssss 0100" []
    EeVldH64Xp "ee.vld.h.64.xp" "+qw, +as, at" Vector VectorLoad KEEP Loads 8 "10ww 1101 w110 tttt ssss 0100" []
    EeVldL64Xp "ee.vld.l.64.xp" "+qw, +as, at" Vector VectorLoad KEEP Loads 8 "10ww 1101 w011 tttt ssss 0100" []

    EeVldbc16Ip "ee.vldbc.16.ip" "=qw, +as, imm" Vector VectorLoad KEEP Loads 2 "10ww 0101 wiii iiii ssss 0100" [Scale(1)]
    EeVldbc16 "ee.vldbc.16" "=qw, as" Vector VectorLoad KEEP Loads 2 "11ww 1101 w111 0011 ssss 0100" []
    EeVldbc32Ip "ee.vldbc.32.ip" "=qw, +as, imm" Vector VectorLoad KEEP Loads 4 "1iww 0010 wiii iiii ssss 0100" [Signed, Scale(2)]
    EeVldbc32 "ee.vldbc.32" "=qw, as" Vector VectorLoad KEEP Loads 4 "11ww 1101 w111 0111 ssss 0100" []
    EeVldbc8Ip "ee.vldbc.8.ip" "=qw, +as, imm" Vector VectorLoad KEEP Loads 1 "11ww 0101 wiii iiii ssss 0100" []
    EeVldbc8 "ee.vldbc.8" "=qw, as" Vector VectorLoad KEEP Loads 1 "11ww 1101 w011 1011 ssss 0100" []
    EeVldbc16Xp "ee.vldbc.16.xp" "=qw, +as, at" Vector VectorLoad KEEP Loads 2 "10ww 1101 w100 tttt ssss 0100" []
    EeVldbc32Xp "ee.vldbc.32.xp" "=qw, +as, at" Vector VectorLoad KEEP Loads 4 "10ww 1101 w001 tttt ssss 0100" []
    EeVldbc8Xp "ee.vldbc.8.xp" "=qw, +as, at" Vector VectorLoad KEEP Loads 1 "10ww 1101 w101 tttt ssss 0100" []

    EeVldhbc16Incp "ee.vldhbc.16.incp" "=qw, =qr, +as" Vector VectorLoad KEEP Loads 16 "11ww 1100 wrrr 0010 ssss 0100" [Apart(W, R)]

    EeLd128UsarIp "ee.ld.128.usar.ip" "=qw, +as, imm" Vector VectorLoad SET_SAR_BYTE Loads 16 "1iww 0001 wiii iiii ssss 0100" [Signed, Scale(4)]
    EeLd128UsarXp "ee.ld.128.usar.xp" "=qw, +as, at" Vector VectorLoad SET_SAR_BYTE Loads 16 "10ww 1101 w000 tttt ssss 0100" []

    EeLdxq32 "ee.ldxq.32" "+qw, qx, as, imm, imm2" Vector VectorLoad KEEP Loads 4 "1110 000i k111 iwww xxll 1101 ssss 111X" []

    EeVst128Ip "ee.vst.128.ip" "qw, +as, imm" Vector VectorStore KEEP Stores 16 "1iww 1010 wiii iiii ssss 0100" [Signed, Scale(4)]
    EeVstH64Ip "ee.vst.h.64.ip" "qw, +as, imm" Vector VectorStore KEEP Stores 8 "1iww 1011 wiii iiii ssss 0100" [Signed, Scale(3)]
    EeVstL64Ip "ee.vst.l.64.ip" "qw, +as, imm" Vector VectorStore KEEP Stores 8 "1iww 0100 wiii iiii ssss 0100" [Signed, Scale(3)]
    EeVst128Xp "ee.vst.128.xp" "qw, +as, at" Vector VectorStore KEEP Stores 16 "10ww 1101 w111 tttt ssss 0100" []
    EeVstH64Xp "ee.vst.h.64.xp" "qw, +as, at" Vector VectorStore KEEP Stores 8 "11ww 1101 w000 tttt ssss 0100" []
    EeVstL64Xp "ee.vst.l.64.xp" "qw, +as, at" Vector VectorStore KEEP Stores 8 "11ww 1101 w100 tttt ssss 0100" []

    EeStxq32 "ee.stxq.32" "qw, qx, as, imm, imm2" Vector VectorStore KEEP Stores 4 "1110 011i kwww i000 xxll 0000 ssss 111X" []

    EeLdf128Ip "ee.ldf.128.ip" "=fz, =fy, =fx, =fw, +as, imm" Vector VectorLoad KEEP Loads 16 "1000 0zzz wwww zyyy xxxx iiii ssss 111y" [Signed, Scale(4), Apart(W, Z), Apart(W, X), Apart(W, Y), Apart(Z, X), Apart(Z, Y), Apart(X, Y)]
    EeLdf64Ip "ee.ldf.64.ip" "=fx, =fw, +as, imm" Vector VectorLoad KEEP Loads 8 "1110 00jj wwww jjjj xxxx 010i ssss 111j" [Signed, Scale(3), Apart(W, X)]
    EeLdf128Xp "ee.ldf.128.xp" "=fz, =fy, =fx, =fw, +as, at" Vector VectorLoad KEEP Loads 16 "1000 1zzz wwww zyyy xxxx tttt ssss 111y" [Apart(W, Z), Apart(W, X), Apart(W, Y), Apart(Z, X), Apart(Z, Y), Apart(X, Y)]
    EeLdf64Xp "ee.ldf.64.xp" "=fx, =fw, +as, at" Vector VectorLoad KEEP Loads 8 "wwww 0110 xxxx tttt ssss 0000" [Apart(W, X)]

    EeStf128Ip "ee.stf.128.ip" "fz, fy, fx, fw, +as, imm" Vector VectorStore KEEP Stores 16 "1001 0zzz wwww zyyy xxxx iiii ssss 111y" [Signed, Scale(4)]
    EeStf64Ip "ee.stf.64.ip" "fx, fw, +as, imm" Vector VectorStore KEEP Stores 8 "1110 00jj wwww jjjj xxxx 011i ssss 111j" [Signed, Scale(3)]
    EeStf128Xp "ee.stf.128.xp" "fz, fy, fx, fw, +as, at" Vector VectorStore KEEP Stores 16 "1001 1zzz wwww zyyy xxxx tttt ssss 111y" []
    EeStf64Xp "ee.stf.64.xp" "fx, fw, +as, at" Vector VectorStore KEEP Stores 8 "wwww 0111 xxxx tttt ssss 0000" []

    EeLdqaS16128Ip "ee.ldqa.s16.128.ip" "+as, imm" Vector VectorLoad SET_QACC Loads 16 "0i00 0001 0iii iiii ssss 0100" [Signed, Scale(4)]
    EeLdqaS8128Ip "ee.ldqa.s8.128.ip" "+as, imm" Vector VectorLoad SET_QACC Loads 16 "0i01 0001 0iii iiii ssss 0100" [Signed, Scale(4)]
    EeLdqaU16128Ip "ee.ldqa.u16.128.ip" "+as, imm" Vector VectorLoad SET_QACC Loads 16 "0i00 0101 0iii iiii ssss 0100" [Signed, Scale(4)]
    EeLdqaU8128Ip "ee.ldqa.u8.128.ip" "+as, imm" Vector VectorLoad SET_QACC Loads 16 "0i01 0101 0iii iiii ssss 0100" [Signed, Scale(4)]
    EeLdqaS16128Xp "ee.ldqa.s16.128.xp" "+as, at" Vector VectorLoad SET_QACC Loads 16 "0111 1110 0100 tttt ssss 0100" []
    EeLdqaS8128Xp "ee.ldqa.s8.128.xp" "+as, at" Vector VectorLoad SET_QACC Loads 16 "0111 0001 0100 tttt ssss 0100" []
    EeLdqaU16128Xp "ee.ldqa.u16.128.xp" "+as, at" Vector VectorLoad SET_QACC Loads 16 "0111 1010 0100 tttt ssss 0100" []
    EeLdqaU8128Xp "ee.ldqa.u8.128.xp" "+as, at" Vector VectorLoad SET_QACC Loads 16 "0111 0000 0100 tttt ssss 0100" []

    EeLdQaccHH32Ip "ee.ld.qacc_h.h.32.ip" "+as, imm" Vector VectorLoad PART_QACC_H Loads 4 "0i01 1110 0iii iiii ssss 0100" [Signed, Scale(2)]
    EeLdQaccHL128Ip "ee.ld.qacc_h.l.128.ip" "+as, imm" Vector VectorLoad PART_QACC_H Loads 16 "0i00 0110 0iii iiii ssss 0100" [Signed, Scale(4)]
    EeLdQaccLH32Ip "ee.ld.qacc_l.h.32.ip" "+as, imm" Vector VectorLoad PART_QACC_L Loads 4 "0i01 0110 0iii iiii ssss 0100" [Signed, Scale(2)]
    EeLdQaccLL128Ip "ee.ld.qacc_l.l.128.ip" "+as, imm" Vector VectorLoad PART_QACC_L Loads 16 "0i00 0000 0iii iiii ssss 0100" [Signed, Scale(4)]

    EeLdAccxIp "ee.ld.accx.ip" "+as, imm" Vector VectorLoad SET_ACCX Loads 8 "0i00 1110 0iii iiii ssss 0100" [Signed, Scale(3)]

    EeLdUaStateIp "ee.ld.ua_state.ip" "+as, imm" Vector VectorLoad SET_UA_STATE Loads 16 "0i01 0000 0iii iiii ssss 0100" [Signed, Scale(4)]

    EeStQaccHH32Ip "ee.st.qacc_h.h.32.ip" "+as, imm" Vector VectorStore GET_QACC_H Stores 4 "0i01 0010 0iii iiii ssss 0100" [Signed, Scale(2)]
    EeStQaccHL128Ip "ee.st.qacc_h.l.128.ip" "+as, imm" Vector VectorStore GET_QACC_H Stores 16 "0i00 1101 0iii iiii ssss 0100" [Signed, Scale(4)]
    EeStQaccLH32Ip "ee.st.qacc_l.h.32.ip" "+as, imm" Vector VectorStore GET_QACC_L Stores 4 "0i01 1101 0iii iiii ssss 0100" [Signed, Scale(2)]
    EeStQaccLL128Ip "ee.st.qacc_l.l.128.ip" "+as, imm" Vector VectorStore GET_QACC_L Stores 16 "0i00 1100 0iii iiii ssss 0100" [Signed, Scale(4)]

    EeStAccxIp "ee.st.accx.ip" "+as, imm" Vector VectorStore GET_ACCX Stores 8 "0i00 0010 0iii iiii ssss 0100" [Signed, Scale(3)]

    EeStUaStateIp "ee.st.ua_state.ip" "+as, imm" Vector VectorStore GET_UA_STATE Stores 16 "0i01 1100 0iii iiii ssss 0100" [Signed, Scale(4)]
    }};
}
