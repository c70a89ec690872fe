//! The polynomials of ML-KEM and Kyber on generated functions.

/// Methods of `MlKemBackend` that are another backend's.
macro_rules! mlkem_from {
    ($inner:expr; $(fn $name:ident($($arg:ident: $type:ty),*) $(-> $out:ty)?;)*) => {
        $(
            #[inline]
            fn $name(&self, $($arg: $type),*) $(-> $out)? {
                MlKemBackend::$name(&$inner, $($arg),*)
            }
        )*
    };
    ($inner:expr; products) => {
        mlkem_from! { $inner;
            fn multiply(term: Term, a: &Poly, b: &Self::Operand, sum: &mut Self::Sum);
            fn multiply_encoded(term: Term, a: &[u8; POLY_BYTES], b: &Self::Operand, sum: &mut Self::Sum);
        }

        #[inline]
        fn multiply_uniform<X: Xof>(&self, term: Term, xof: &mut X, b: &Self::Operand, sum: &mut Self::Sum) {
            MlKemBackend::multiply_uniform(&$inner, term, xof, b, sum);
        }

        #[inline]
        fn normalise<'a>(&self, sum: &'a mut Self::Sum) -> &'a mut Poly {
            MlKemBackend::normalise(&$inner, sum)
        }
    };
    ($inner:expr; transforms) => {
        mlkem_from! { $inner;
            fn ntt(poly: &mut Poly);
            fn prepare(operand: &mut Self::Operand);
        }

        #[inline]
        fn inverse<'a>(&self, sum: &'a mut Self::Sum) -> &'a mut Poly {
            MlKemBackend::inverse(&$inner, sum)
        }
    };
    ($inner:expr; encodings) => {
        mlkem_from! { $inner;
            fn add_noise(eta: Eta, bytes: &[u8], poly: &mut Poly);
            fn noise(eta: Eta, bytes: &[u8], poly: &mut Poly);
            fn sample(poly: &mut Poly, filled: usize, block: &[u8]) -> usize;
            fn decode(bytes: &[u8; POLY_BYTES], poly: &mut Poly);
            fn encode(poly: &Poly, bytes: &mut [u8; POLY_BYTES]);
            fn add(poly: &mut Poly, other: &Poly);
            fn subtract(poly: &mut Poly, other: &Poly);
            fn compress(bits: Bits, poly: &Poly, bytes: &mut [u8]);
            fn compare(bits: Bits, poly: &Poly, bytes: &[u8]) -> u32;
            fn decompress(bits: Bits, bytes: &[u8], poly: &mut Poly);
            fn add_message(message: &[u8; SEED_BYTES], poly: &mut Poly);
            fn message(poly: &Poly, message: &mut [u8; SEED_BYTES]);
        }
    };
}

/// The backend of a core: a module with generated functions, or without one [`Soft`](kernels::Soft).
macro_rules! mlkem {
    ($core:ident) => {
        impl MlKemBackend for $core {
            type Operand = <Soft as MlKemBackend>::Operand;
            type Sum = <Soft as MlKemBackend>::Sum;

            mlkem_from! { Soft; encodings }
            mlkem_from! { Soft; products }
            mlkem_from! { Soft; transforms }
        }
    };
    ($core:ident, $functions:ident) => {
        impl MlKemBackend for $core {
            type Operand = <Soft as MlKemBackend>::Operand;
            type Sum = <Soft as MlKemBackend>::Sum;

            mlkem_from! { Soft; encodings }
            mlkem_from! { Soft; products }

            #[inline]
            fn ntt(&self, poly: &mut Poly) {
                // SAFETY: the function takes 256 coefficients, borrowed for the call.
                unsafe { $functions::kyber_ntt(poly.0.as_mut_ptr()) };
            }

            #[inline]
            fn prepare(&self, operand: &mut Poly) {
                self.ntt(operand);
            }

            #[inline]
            fn inverse<'a>(&self, sum: &'a mut Self::Sum) -> &'a mut Poly {
                let poly = self.normalise(sum);
                // SAFETY: as above.
                unsafe { $functions::kyber_invntt(poly.0.as_mut_ptr()) };
                poly
            }
        }
    };
}
