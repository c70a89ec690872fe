//! The polynomials of ML-KEM and Kyber on generated functions.

/// The backend of a core: a module with generated functions, which has more of them for a core with the DSP extension, or without one
/// [`Soft`](kernels::Soft).
macro_rules! mlkem {
    ($core:ident) => {
        impl MlKemBackend for $core {
            type Operand = <Soft as MlKemBackend>::Operand;
            type Sum = <Soft as MlKemBackend>::Sum;

            mlkem_from! { self => Soft; encodings }
            mlkem_from! { self => Soft; packing }
            mlkem_from! { self => Soft; products }
            mlkem_from! { self => Soft; transforms }
        }
    };
    ($core:ident, $functions:ident) => {
        mlkem! { $core, $functions, { mlkem_from! { self => Soft; packing } } }
    };
    ($core:ident, $functions:ident, dsp) => {
        mlkem! { $core, $functions, {
            #[inline]
            fn encode(&self, poly: &Poly, bytes: &mut [u8; POLY_BYTES]) {
                // SAFETY: the function writes 384 bytes and reads 256 coefficients, borrowed for the call.
                unsafe { $functions::kyber_encode(bytes.as_mut_ptr(), poly.0.as_ptr()) };
            }

            #[inline]
            fn compress(&self, bits: Bits, poly: &Poly, bytes: &mut [u8]) {
                let function = match bits {
                    Bits::D4 => $functions::kyber_compress4,
                    Bits::D5 => $functions::kyber_compress5,
                    Bits::D10 => $functions::kyber_compress10,
                    Bits::D11 => $functions::kyber_compress11,
                };
                let bytes = &mut bytes[..bits.bytes()];
                // SAFETY: the function writes as many bytes as were just taken, and reads 256 coefficients, borrowed for the call.
                unsafe { function(bytes.as_mut_ptr(), poly.0.as_ptr()) };
            }
        } }
    };
    ($core:ident, $functions:ident, { $($packing:tt)* }) => {
        impl $core {
            /// A product, as the beginning of a sum or added to it.
            #[inline]
            fn product(term: Term, a: &Poly, b: &Cached, wide: &mut [i32; N]) {
                let function = match term {
                    Term::First => $functions::kyber_basemul,
                    Term::Next => $functions::kyber_basemul_acc,
                };
                // SAFETY: the functions take 256 words, 256 coefficients of each factor, and the 128 that belong to the second,
                // borrowed for the call.
                unsafe { function(wide.as_mut_ptr(), a.0.as_ptr(), b.poly.0.as_ptr(), b.cache.as_ptr()) };
            }
        }

        impl MlKemBackend for $core {
            type Operand = Cached;
            type Sum = Sum;

            mlkem_from! { self => Soft; encodings }
            $($packing)*

            #[inline]
            fn ntt(&self, poly: &mut Poly) {
                // SAFETY: the function takes 256 coefficients, borrowed for the call.
                unsafe { $functions::kyber_ntt(poly.0.as_mut_ptr()) };
            }

            #[inline]
            fn prepare(&self, operand: &mut Cached) {
                self.ntt(&mut operand.poly);
                // SAFETY: the function writes 128 coefficients and reads 256, borrowed for the call.
                unsafe { $functions::kyber_mulcache(operand.cache.as_mut_ptr(), operand.poly.0.as_ptr()) };
            }

            #[inline]
            fn multiply(&self, term: Term, a: &Poly, b: &Cached, sum: &mut Sum) {
                Self::product(term, a, b, &mut sum.wide);
            }

            #[inline(never)]
            fn multiply_uniform<X: Xof>(&self, term: Term, xof: &mut X, b: &Cached, sum: &mut Sum) {
                uniform(self, xof, &mut sum.factor);
                Self::product(term, &sum.factor, b, &mut sum.wide);
            }

            #[inline(never)]
            fn multiply_encoded(&self, term: Term, a: &[u8; POLY_BYTES], b: &Cached, sum: &mut Sum) {
                self.decode(a, &mut sum.factor);
                Self::product(term, &sum.factor, b, &mut sum.wide);
            }

            #[inline]
            fn normalise<'a>(&self, sum: &'a mut Sum) -> &'a mut Poly {
                sum.reduced($functions::kyber_reduce_plain)
            }

            #[inline]
            fn inverse<'a>(&self, sum: &'a mut Sum) -> &'a mut Poly {
                let poly = sum.reduced($functions::kyber_reduce);
                // SAFETY: the function takes 256 coefficients, borrowed for the call.
                unsafe { $functions::kyber_invntt_sum(poly.0.as_mut_ptr()) };
                poly
            }
        }
    };
}
