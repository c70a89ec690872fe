//! Vectors: moves, logic, saturating sums, extremes, comparisons, shifts and rearrangement, each also with a load or store
//! where there is one; pins.

macro_rules! vector_alu_rows {
    ([$next:ident $($rest:ident)*] $($done:tt)*) => { $next! { [$($rest)*] $($done)*

    MvQr "mv.qr" "=qr, qx" Vector VectorAlu KEEP "10rr 1111 r000 xx00 00x0 0100" []
    EeMovi32A "ee.movi.32.a" "qx, =at, imm" Vector VectorAlu KEEP "11xx 1101 x111 ii01 tttt 0100" []
    EeMovi32Q "ee.movi.32.q" "+qr, as, imm" Vector VectorAlu KEEP "11rr 1101 r011 ii10 ssss 0100" []
    EeZeroQ "ee.zero.q" "=qr" Vector VectorAlu KEEP "11rr 1101 r111 1111 1010 0100" []

    EeAndq "ee.andq" "=qr, qx, qy" Vector VectorAlu KEEP "11rr 1101 r011 yy00 xxyx 0100" []
    EeNotq "ee.notq" "=qr, qx" Vector VectorAlu KEEP "11rr 1101 r111 1111 xx0x 0100" []
    EeOrq "ee.orq" "=qr, qx, qy" Vector VectorAlu KEEP "11rr 1101 r111 yy00 xxyx 0100" []
    EeXorq "ee.xorq" "=qr, qx, qy" Vector VectorAlu KEEP "11rr 1101 r011 yy01 xxyx 0100" []

    EeVaddsS8 "ee.vadds.s8" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry0y yxxx 1000 0100" []
    EeVaddsS8StIncp "ee.vadds.s8.st.incp" "qw, +as, =qr, qx, qy" Vector VectorAluStore KEEP Stores 16 "1110 0100 ywww 1rrr xxYY 0010 ssss 111X" []
    EeVaddsS8LdIncp "ee.vadds.s8.ld.incp" "=qw, +as, =qr, qx, qy" Vector VectorAluLoad KEEP Loads 16 "1110 00ww y001 wrrr xxYY 1100 ssss 111X" [Apart(W, R)]
    EeVaddsS16 "ee.vadds.s16" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry0y yxxx 0110 0100" []
    EeVaddsS16StIncp "ee.vadds.s16.st.incp" "qw, +as, =qr, qx, qy" Vector VectorAluStore KEEP Stores 16 "1110 0100 ywww 1rrr xxYY 0000 ssss 111X" []
    EeVaddsS16LdIncp "ee.vadds.s16.ld.incp" "=qw, +as, =qr, qx, qy" Vector VectorAluLoad KEEP Loads 16 "1110 00ww y010 wrrr xxYY 1101 ssss 111X" [Apart(W, R)]
    EeVaddsS32 "ee.vadds.s32" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry0y yxxx 0111 0100" []
    EeVaddsS32StIncp "ee.vadds.s32.st.incp" "qw, +as, =qr, qx, qy" Vector VectorAluStore KEEP Stores 16 "1110 0100 ywww 1rrr xxYY 0001 ssss 111X" []
    EeVaddsS32LdIncp "ee.vadds.s32.ld.incp" "=qw, +as, =qr, qx, qy" Vector VectorAluLoad KEEP Loads 16 "1110 00ww y011 wrrr xxYY 1101 ssss 111X" [Apart(W, R)]

    EeVsubsS8 "ee.vsubs.s8" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry1y yxxx 1111 0100" []
    EeVsubsS8StIncp "ee.vsubs.s8.st.incp" "qw, +as, =qr, qx, qy" Vector VectorAluStore KEEP Stores 16 "1110 1000 ywww 1rrr xxYY 0011 ssss 111X" []
    EeVsubsS8LdIncp "ee.vsubs.s8.ld.incp" "=qw, +as, =qr, qx, qy" Vector VectorAluLoad KEEP Loads 16 "1110 00ww y110 wrrr xxYY 1101 ssss 111X" [Apart(W, R)]
    EeVsubsS16 "ee.vsubs.s16" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry1y yxxx 1101 0100" []
    EeVsubsS16StIncp "ee.vsubs.s16.st.incp" "qw, +as, =qr, qx, qy" Vector VectorAluStore KEEP Stores 16 "1110 1000 ywww 1rrr xxYY 0001 ssss 111X" []
    EeVsubsS16LdIncp "ee.vsubs.s16.ld.incp" "=qw, +as, =qr, qx, qy" Vector VectorAluLoad KEEP Loads 16 "1110 00ww y100 wrrr xxYY 1101 ssss 111X" [Apart(W, R)]
    EeVsubsS32 "ee.vsubs.s32" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry1y yxxx 1110 0100" []
    EeVsubsS32StIncp "ee.vsubs.s32.st.incp" "qw, +as, =qr, qx, qy" Vector VectorAluStore KEEP Stores 16 "1110 1000 ywww 1rrr xxYY 0010 ssss 111X" []
    EeVsubsS32LdIncp "ee.vsubs.s32.ld.incp" "=qw, +as, =qr, qx, qy" Vector VectorAluLoad KEEP Loads 16 "1110 00ww y101 wrrr xxYY 1101 ssss 111X" [Apart(W, R)]

    EeVmaxS8 "ee.vmax.s8" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry1y yxxx 0100 0100" []
    EeVmaxS8StIncp "ee.vmax.s8.st.incp" "qw, +as, =qr, qx, qy" Vector VectorAluStore KEEP Stores 16 "1110 0101 ywww 1rrr xxYY 0000 ssss 111X" []
    EeVmaxS8LdIncp "ee.vmax.s8.ld.incp" "=qw, +as, =qr, qx, qy" Vector VectorAluLoad KEEP Loads 16 "1110 00ww y001 wrrr xxYY 1111 ssss 111X" [Apart(W, R)]
    EeVmaxS16 "ee.vmax.s16" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry1y yxxx 0010 0100" []
    EeVmaxS16StIncp "ee.vmax.s16.st.incp" "qw, +as, =qr, qx, qy" Vector VectorAluStore KEEP Stores 16 "1110 0100 ywww 1rrr xxYY 0011 ssss 111X" []
    EeVmaxS16LdIncp "ee.vmax.s16.ld.incp" "=qw, +as, =qr, qx, qy" Vector VectorAluLoad KEEP Loads 16 "1110 00ww y001 wrrr xxYY 1101 ssss 111X" [Apart(W, R)]
    EeVmaxS32 "ee.vmax.s32" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry1y yxxx 0011 0100" []
    EeVmaxS32StIncp "ee.vmax.s32.st.incp" "qw, +as, =qr, qx, qy" Vector VectorAluStore KEEP Stores 16 "1110 0101 ywww 0rrr xxYY 0000 ssss 111X" []
    EeVmaxS32LdIncp "ee.vmax.s32.ld.incp" "=qw, +as, =qr, qx, qy" Vector VectorAluLoad KEEP Loads 16 "1110 00ww y001 wrrr xxYY 1110 ssss 111X" [Apart(W, R)]

    EeVminS8 "ee.vmin.s8" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry1y yxxx 0111 0100" []
    EeVminS8StIncp "ee.vmin.s8.st.incp" "qw, +as, =qr, qx, qy" Vector VectorAluStore KEEP Stores 16 "1110 0101 ywww 0rrr xxYY 0010 ssss 111X" []
    EeVminS8LdIncp "ee.vmin.s8.ld.incp" "=qw, +as, =qr, qx, qy" Vector VectorAluLoad KEEP Loads 16 "1110 00ww y010 wrrr xxYY 1111 ssss 111X" [Apart(W, R)]
    EeVminS16 "ee.vmin.s16" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry1y yxxx 0101 0100" []
    EeVminS16StIncp "ee.vmin.s16.st.incp" "qw, +as, =qr, qx, qy" Vector VectorAluStore KEEP Stores 16 "1110 0101 ywww 0rrr xxYY 0001 ssss 111X" []
    EeVminS16LdIncp "ee.vmin.s16.ld.incp" "=qw, +as, =qr, qx, qy" Vector VectorAluLoad KEEP Loads 16 "1110 00ww y010 wrrr xxYY 1110 ssss 111X" [Apart(W, R)]
    EeVminS32 "ee.vmin.s32" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry1y yxxx 0110 0100" []
    EeVminS32StIncp "ee.vmin.s32.st.incp" "qw, +as, =qr, qx, qy" Vector VectorAluStore KEEP Stores 16 "1110 0101 ywww 1rrr xxYY 0001 ssss 111X" []
    EeVminS32LdIncp "ee.vmin.s32.ld.incp" "=qw, +as, =qr, qx, qy" Vector VectorAluLoad KEEP Loads 16 "1110 00ww y011 wrrr xxYY 1110 ssss 111X" [Apart(W, R)]

    EeVcmpEqS8 "ee.vcmp.eq.s8" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry0y yxxx 1011 0100" []
    EeVcmpGtS8 "ee.vcmp.gt.s8" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry0y yxxx 1110 0100" []
    EeVcmpLtS8 "ee.vcmp.lt.s8" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry1y yxxx 0001 0100" []
    EeVcmpEqS16 "ee.vcmp.eq.s16" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry0y yxxx 1001 0100" []
    EeVcmpGtS16 "ee.vcmp.gt.s16" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry0y yxxx 1100 0100" []
    EeVcmpLtS16 "ee.vcmp.lt.s16" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry0y yxxx 1111 0100" []
    EeVcmpEqS32 "ee.vcmp.eq.s32" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry0y yxxx 1010 0100" []
    EeVcmpGtS32 "ee.vcmp.gt.s32" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry0y yxxx 1101 0100" []
    EeVcmpLtS32 "ee.vcmp.lt.s32" "=qr, qx, qy" Vector VectorAlu KEEP "10rr 1110 ry1y yxxx 0000 0100" []

    EeVsl32 "ee.vsl.32" "=qr, qx" Vector VectorAlu BY_SAR "11xx 1101 x011 1111 0rrr 0100" []
    EeVsr32 "ee.vsr.32" "=qr, qx" Vector VectorAlu BY_SAR "11xx 1101 x011 1111 1rrr 0100" []

    EeVzip16 "ee.vzip.16" "+qr, +qz" Vector VectorAlu KEEP "11zz 1100 zrrr 0011 1011 0100" [Apart(R, Z)]
    EeVzip32 "ee.vzip.32" "+qr, +qz" Vector VectorAlu KEEP "11zz 1100 zrrr 0011 1100 0100" [Apart(R, Z)]
    EeVzip8 "ee.vzip.8" "+qr, +qz" Vector VectorAlu KEEP "11zz 1100 zrrr 0011 1101 0100" [Apart(R, Z)]

    EeVunzip16 "ee.vunzip.16" "+qr, +qz" Vector VectorAlu KEEP "11zz 1100 zrrr 0011 1000 0100" [Apart(R, Z)]
    EeVunzip32 "ee.vunzip.32" "+qr, +qz" Vector VectorAlu KEEP "11zz 1100 zrrr 0011 1001 0100" [Apart(R, Z)]
    EeVunzip8 "ee.vunzip.8" "+qr, +qz" Vector VectorAlu KEEP "11zz 1100 zrrr 0011 1010 0100" [Apart(R, Z)]

    EeSlci2q "ee.slci.2q" "+qz, +qr, imm" Vector VectorAlu KEEP "11zz 1100 zrrr 0110 iiii 0100" [Apart(R, Z)]
    EeSlcxxp2q "ee.slcxxp.2q" "+qz, +qr, +as, at" Vector VectorAlu KEEP "10zz 0110 zrrr tttt ssss 0100" [Apart(R, Z)]
    EeSrci2q "ee.srci.2q" "+qz, +qr, imm" Vector VectorAlu KEEP "11zz 1100 zrrr 1010 iiii 0100" [Apart(R, Z)]
    EeSrcxxp2q "ee.srcxxp.2q" "+qz, +qr, +as, at" Vector VectorAlu KEEP "11zz 0110 zrrr tttt ssss 0100" [Apart(R, Z)]

    EeSrcQ "ee.src.q" "=qw, qr, qz" Vector VectorAlu FUNNEL "11zz 1100 zrrr 0011 0www 0100" []
    EeSrcQQup "ee.src.q.qup" "=qw, +qr, qz" Vector VectorAlu FUNNEL "11zz 1100 zrrr 0111 0www 0100" [Apart(W, R)]
    EeSrcq128StIncp "ee.srcq.128.st.incp" "qr, qz, +as" Vector VectorAluStore FUNNEL Stores 16 "11zz 1100 zrrr 1110 ssss 0100" []
    EeSrcQLdIp "ee.src.q.ld.ip" "=qw, +as, imm, +qr, qz" Vector VectorAluLoad FUNNEL Loads 16 "1110 00jj izzz jwww rrjj 00ii ssss 111R" [Signed, Scale(4), Apart(W, R)]
    EeSrcQLdXp "ee.src.q.ld.xp" "=qw, +as, at, +qr, qz" Vector VectorAluLoad FUNNEL Loads 16 "1110 1000 0zzz 0www rr00 tttt ssss 111R" [Apart(W, R)]

    EeWrMaskGpioOut "ee.wr_mask_gpio_out" "as, at" Vector WriteSpecial SET_PINS "0111 0010 0100 tttt ssss 0100" []
    EeSetBitGpioOut "ee.set_bit_gpio_out" "imm" Vector WriteSpecial SET_PINS "0111 0101 0100 iiii iiii 0100" []
    EeClrBitGpioOut "ee.clr_bit_gpio_out" "imm" Vector WriteSpecial SET_PINS "0111 0110 0100 iiii iiii 0100" []
    EeGetGpioIn "ee.get_gpio_in" "=at" Vector ReadSpecial PINS "0110 0101 0000 1000 tttt 0100" []
    }};
}
