//! Backends made of others.

/// Methods of [`MlKemBackend`](crate::mlkem::MlKemBackend) that are those of another backend, an expression: its `encodings`, its
/// `packing` of coefficients into bytes, its `sampling`, `products` or `transforms`, or those that are listed. For backends that compute some things themselves, or look on.
///
/// Before `=>` stands `self`, which the expression may use. `products` demand that the types of operands and sums are the same.
#[macro_export]
macro_rules! mlkem_from {
    ($this:ident => $inner:expr; $(fn $name:ident($($arg:ident: $type:ty),*) $(-> $out:ty)?;)*) => {
        $(
            #[inline]
            fn $name(&$this, $($arg: $type),*) $(-> $out)? {
                $crate::mlkem::MlKemBackend::$name(&$inner, $($arg),*)
            }
        )*
    };
    ($this:ident => $inner:expr; products) => {
        $crate::mlkem_from! { $this => $inner;
            fn multiply(term: $crate::mlkem::Term, a: &$crate::mlkem::Poly, b: &Self::Operand, sum: &mut Self::Sum);
            fn encode_with_noise(sum: &mut Self::Sum, eta: $crate::params::mlkem::Eta, noise: &[u8], bytes: &mut [u8; { $crate::params::mlkem::POLY_BYTES }]);
            fn multiply_encoded(term: $crate::mlkem::Term, a: &[u8; { $crate::params::mlkem::POLY_BYTES }], b: &Self::Operand, sum: &mut Self::Sum);
        }

        #[inline]
        fn multiply_uniform<X: $crate::mlkem::Xof>(&$this, term: $crate::mlkem::Term, xof: &mut X, b: &Self::Operand, sum: &mut Self::Sum) {
            $crate::mlkem::MlKemBackend::multiply_uniform(&$inner, term, xof, b, sum);
        }

        #[inline]
        fn normalise<'a>(&$this, sum: &'a mut Self::Sum) -> &'a mut $crate::mlkem::Poly {
            $crate::mlkem::MlKemBackend::normalise(&$inner, sum)
        }
    };
    ($this:ident => $inner:expr; transforms) => {
        $crate::mlkem_from! { $this => $inner;
            fn ntt(poly: &mut $crate::mlkem::Poly);
            fn prepare(operand: &mut Self::Operand);
        }

        #[inline]
        fn inverse<'a>(&$this, sum: &'a mut Self::Sum) -> &'a mut $crate::mlkem::Poly {
            $crate::mlkem::MlKemBackend::inverse(&$inner, sum)
        }
    };
    ($this:ident => $inner:expr; sampling) => {
        $crate::mlkem_from! { $this => $inner;
            fn sample(poly: &mut $crate::mlkem::Poly, filled: usize, block: &[u8]) -> usize;
        }
    };
    ($this:ident => $inner:expr; packing) => {
        $crate::mlkem_from! { $this => $inner;
            fn encode(poly: &$crate::mlkem::Poly, bytes: &mut [u8; { $crate::params::mlkem::POLY_BYTES }]);
            fn compress(bits: $crate::params::mlkem::Bits, poly: &$crate::mlkem::Poly, bytes: &mut [u8]);
            fn compare(bits: $crate::params::mlkem::Bits, poly: &mut $crate::mlkem::Poly, bytes: &[u8]) -> u32;
        }
    };
    ($this:ident => $inner:expr; encodings) => {
        $crate::mlkem_from! { $this => $inner;
            fn add_noise(eta: $crate::params::mlkem::Eta, bytes: &[u8], poly: &mut $crate::mlkem::Poly);
            fn noise(eta: $crate::params::mlkem::Eta, bytes: &[u8], poly: &mut $crate::mlkem::Poly);
            fn decode(bytes: &[u8; { $crate::params::mlkem::POLY_BYTES }], poly: &mut $crate::mlkem::Poly);
            fn add(poly: &mut $crate::mlkem::Poly, other: &$crate::mlkem::Poly);
            fn subtract(poly: &mut $crate::mlkem::Poly, other: &$crate::mlkem::Poly);
            fn decompress(bits: $crate::params::mlkem::Bits, bytes: &[u8], poly: &mut $crate::mlkem::Poly);
            fn add_message(message: &[u8; { $crate::params::mlkem::SEED_BYTES }], poly: &mut $crate::mlkem::Poly);
            fn message(poly: &$crate::mlkem::Poly, message: &mut [u8; { $crate::params::mlkem::SEED_BYTES }]);
        }
    };
}
