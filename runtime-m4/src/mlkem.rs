//! The polynomials of ML-KEM and Kyber on generated functions.

/// The backend of a core: a module with generated functions, which has more of them for a core with the DSP extension, or without one
/// [`Soft`](kernels::Soft).
macro_rules! mlkem {
    ($core:ident) => {
        impl MlKemBackend for $core {
            type Operand = <Soft as MlKemBackend>::Operand;
            type Sum = <Soft as MlKemBackend>::Sum;
            type Bytes = <Soft as MlKemBackend>::Bytes;

            mlkem_from! { self => Soft; encodings }
            mlkem_from! { self => Soft; packing }
            mlkem_from! { self => Soft; sampling }
            mlkem_from! { self => Soft; products }
            mlkem_from! { self => Soft; transforms }
        }

        impl Compact for $core {
            #[inline]
            fn sample_piece(&self, piece: &mut [i16; 2 * PIECE], filled: usize, bytes: &[u8; PIECE_BYTES]) -> usize {
                Soft.sample_piece(piece, filled, bytes)
            }

            #[inline]
            fn add_piece(&self, a: &[i16; PIECE], number: usize, b: &Poly, sum: &mut Poly) {
                Soft.add_piece(a, number, b, sum);
            }

            #[inline]
            fn normalise_compact(&self, sum: &mut Poly) {
                Soft.normalise_compact(sum);
            }

            #[inline]
            fn inverse_compact(&self, sum: &mut Poly) {
                Soft.inverse_compact(sum);
            }
        }
    };
    ($core:ident, $functions:ident) => {
        mlkem! { $core, $functions, {
            mlkem_from! { self => Soft; packing }
            mlkem_from! { self => Soft; fn message(poly: &Poly, message: &mut [u8; SEED_BYTES]); }
        } }
    };
    ($core:ident, $functions:ident, dsp) => {
        impl $core {
            /// What compresses to so many bits.
            #[inline]
            fn compression(bits: Bits) -> unsafe extern "C" fn(bytes: *mut u8, poly: *const i16) {
                match bits {
                    Bits::D4 => $functions::kyber_compress4,
                    Bits::D5 => $functions::kyber_compress5,
                    Bits::D10 => $functions::kyber_compress10,
                    Bits::D11 => $functions::kyber_compress11,
                }
            }
        }

        mlkem! { $core, $functions, {
            #[inline]
            fn encode(&self, poly: &Poly, bytes: &mut [u8; POLY_BYTES]) {
                // SAFETY: the function writes 384 bytes and reads 256 coefficients, borrowed for the call.
                unsafe { $functions::kyber_encode(bytes.as_mut_ptr(), poly.0.as_ptr()) };
            }

            #[inline]
            fn message(&self, poly: &Poly, message: &mut [u8; SEED_BYTES]) {
                // SAFETY: the function writes 32 bytes and reads 256 coefficients, borrowed for the call.
                unsafe { $functions::kyber_message(message.as_mut_ptr(), poly.0.as_ptr()) };
            }

            #[inline]
            fn compress(&self, bits: Bits, poly: &Poly, bytes: &mut [u8]) {
                let bytes = &mut bytes[..bits.bytes()];
                // SAFETY: the function writes as many bytes as were just taken, and reads 256 coefficients, borrowed for the call.
                unsafe { Self::compression(bits)(bytes.as_mut_ptr(), poly.0.as_ptr()) };
            }

            fn compare(&self, bits: Bits, poly: &mut Poly, bytes: &[u8]) -> u32 {
                let address = poly.0.as_mut_ptr();
                // SAFETY: the function reads 256 coefficients and writes `Bits::bytes` bytes, fewer than these are, which may
                // be at the same address. Borrowed for the call.
                unsafe { Self::compression(bits)(address.cast(), address) };
                // SAFETY: so many bytes have just been written; the polynomial is borrowed as long as this is.
                let found = unsafe { core::slice::from_raw_parts(address.cast::<u8>(), bits.bytes()) };
                found.iter().zip(&bytes[..bits.bytes()]).fold(0, |all, (a, b)| all | u32::from(a ^ b))
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
            type Bytes = <Soft as MlKemBackend>::Bytes;

            $($packing)*

            #[inline]
            fn add_noise(&self, eta: Eta, bytes: &[u8], poly: &mut Poly) {
                let function = match eta {
                    Eta::Two => $functions::kyber_add_noise2,
                    Eta::Three => $functions::kyber_add_noise3,
                };
                let bytes = &bytes[..eta.bytes()];
                // SAFETY: the function takes 256 coefficients and reads as many bytes as were just taken, borrowed for the call.
                unsafe { function(poly.0.as_mut_ptr(), bytes.as_ptr()) };
            }

            #[inline]
            fn decode(&self, bytes: &[u8; POLY_BYTES], poly: &mut Poly) {
                // SAFETY: the function writes 256 coefficients and reads 384 bytes, borrowed for the call.
                unsafe { $functions::kyber_decode(poly.0.as_mut_ptr(), bytes.as_ptr()) };
            }

            #[inline]
            fn decompress(&self, bits: Bits, bytes: &[u8], poly: &mut Poly) {
                let function = match bits {
                    Bits::D4 => $functions::kyber_decompress4,
                    Bits::D5 => $functions::kyber_decompress5,
                    Bits::D10 => $functions::kyber_decompress10,
                    Bits::D11 => $functions::kyber_decompress11,
                };
                let bytes = &bytes[..bits.bytes()];
                // SAFETY: the function writes 256 coefficients and reads as many bytes as were just taken, borrowed for the call.
                unsafe { function(poly.0.as_mut_ptr(), bytes.as_ptr()) };
            }

            #[inline]
            fn add_message(&self, message: &[u8; SEED_BYTES], poly: &mut Poly) {
                // SAFETY: the function takes 256 coefficients and reads 32 bytes, borrowed for the call.
                unsafe { $functions::kyber_add_message(poly.0.as_mut_ptr(), message.as_ptr()) };
            }

            #[inline]
            fn subtract(&self, poly: &mut Poly, other: &Poly) {
                // SAFETY: the function takes 256 coefficients of each, borrowed for the call.
                unsafe { $functions::kyber_subtract(poly.0.as_mut_ptr(), other.0.as_ptr()) };
            }

            #[inline]
            fn sample(&self, poly: &mut Poly, filled: usize, block: &[u8]) -> usize {
                let (filled, length) = (filled as u32, block.len() as u32);
                // SAFETY: the function reads so many bytes, and writes at most 256 coefficients, borrowed for the call.
                unsafe { $functions::kyber_sample(poly.0.as_mut_ptr(), filled, block.as_ptr(), length) as usize }
            }

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

        impl Compact for $core {
            #[inline]
            fn sample_piece(&self, piece: &mut [i16; 2 * PIECE], filled: usize, bytes: &[u8; PIECE_BYTES]) -> usize {
                let (filled, length) = (filled.min(PIECE) as u32, bytes.len() as u32);
                // SAFETY: the function reads so many bytes, in which there are `PIECE` coefficients, and appends no more than
                // those to the first `filled`: there is room for them. Borrowed for the call.
                unsafe { $functions::kyber_sample(piece.as_mut_ptr(), filled, bytes.as_ptr(), length) as usize }
            }

            #[inline]
            fn add_piece(&self, a: &[i16; PIECE], number: usize, b: &Poly, sum: &mut Poly) {
                let number = number.min(N / PIECE - 1) as u32;
                // SAFETY: the function takes 256 coefficients of the sum and of `b`, and 16 of `a`, borrowed for the call; the
                // number is one of the pieces of 256.
                unsafe { $functions::kyber_basemul_piece(sum.0.as_mut_ptr(), a.as_ptr(), b.0.as_ptr(), number) };
            }

            #[inline]
            fn normalise_compact(&self, sum: &mut Poly) {
                // SAFETY: the function takes 256 coefficients, borrowed for the call.
                unsafe { $functions::kyber_restore(sum.0.as_mut_ptr()) };
            }

            #[inline]
            fn inverse_compact(&self, sum: &mut Poly) {
                // SAFETY: the function takes 256 coefficients, borrowed for the call.
                unsafe { $functions::kyber_invntt_sum(sum.0.as_mut_ptr()) };
            }
        }
    };
}
