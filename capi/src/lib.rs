//! Key-encapsulation mechanisms for C: `libquadround_kem.a`, with the functions that the headers of `cargo xtask bundle c`
//! declare.
//!
//! For each parameter set there are the three operations of the NIST process, with random bytes from a function
//! `randombytes` that the user has to supply, and those that are given theirs. Each function is in a section of its own, so
//! that a linker that collects garbage leaves out what nobody calls.

#![cfg_attr(target_os = "none", no_std)]

pub mod operations;

use core::ffi::c_int;

/// The functions of a parameter set.
macro_rules! functions {
    ($($feature:literal $set:ident: $keypair:ident $keypair_derand:ident $enc:ident $enc_derand:ident $dec:ident;)*) => {$(
        /// [`operations::keypair`].
        ///
        /// # Safety
        /// As there.
        #[cfg(feature = $feature)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $keypair(pk: *mut u8, sk: *mut u8) -> c_int {
            // SAFETY: who calls sees to it.
            unsafe { operations::keypair::<kernels::mlkem::$set>(pk, sk) }
        }

        /// [`operations::keypair_derand`].
        ///
        /// # Safety
        /// As there.
        #[cfg(feature = $feature)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $keypair_derand(pk: *mut u8, sk: *mut u8, coins: *const u8) -> c_int {
            // SAFETY: who calls sees to it.
            unsafe { operations::keypair_derand::<kernels::mlkem::$set>(pk, sk, coins) }
        }

        /// [`operations::enc`].
        ///
        /// # Safety
        /// As there.
        #[cfg(feature = $feature)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $enc(ct: *mut u8, ss: *mut u8, pk: *const u8) -> c_int {
            // SAFETY: who calls sees to it.
            unsafe { operations::enc::<kernels::mlkem::$set>(ct, ss, pk) }
        }

        /// [`operations::enc_derand`].
        ///
        /// # Safety
        /// As there.
        #[cfg(feature = $feature)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $enc_derand(ct: *mut u8, ss: *mut u8, pk: *const u8, coins: *const u8) -> c_int {
            // SAFETY: who calls sees to it.
            unsafe { operations::enc_derand::<kernels::mlkem::$set>(ct, ss, pk, coins) }
        }

        /// [`operations::dec`].
        ///
        /// # Safety
        /// As there.
        #[cfg(feature = $feature)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $dec(ss: *mut u8, ct: *const u8, sk: *const u8) -> c_int {
            // SAFETY: who calls sees to it.
            unsafe { operations::dec::<kernels::mlkem::$set>(ss, ct, sk) }
        }
    )*};
}

functions! {
    "mlkem512" MlKem512: quadround_mlkem512_keypair quadround_mlkem512_keypair_derand
        quadround_mlkem512_enc quadround_mlkem512_enc_derand quadround_mlkem512_dec;
    "mlkem768" MlKem768: quadround_mlkem768_keypair quadround_mlkem768_keypair_derand
        quadround_mlkem768_enc quadround_mlkem768_enc_derand quadround_mlkem768_dec;
    "mlkem1024" MlKem1024: quadround_mlkem1024_keypair quadround_mlkem1024_keypair_derand
        quadround_mlkem1024_enc quadround_mlkem1024_enc_derand quadround_mlkem1024_dec;
    "kyber512" Kyber512: quadround_kyber512_keypair quadround_kyber512_keypair_derand
        quadround_kyber512_enc quadround_kyber512_enc_derand quadround_kyber512_dec;
    "kyber768" Kyber768: quadround_kyber768_keypair quadround_kyber768_keypair_derand
        quadround_kyber768_enc quadround_kyber768_enc_derand quadround_kyber768_dec;
    "kyber1024" Kyber1024: quadround_kyber1024_keypair quadround_kyber1024_keypair_derand
        quadround_kyber1024_enc quadround_kyber1024_enc_derand quadround_kyber1024_dec;
    "kyber512_90s" Kyber512_90s: quadround_kyber512_90s_keypair quadround_kyber512_90s_keypair_derand
        quadround_kyber512_90s_enc quadround_kyber512_90s_enc_derand quadround_kyber512_90s_dec;
    "kyber768_90s" Kyber768_90s: quadround_kyber768_90s_keypair quadround_kyber768_90s_keypair_derand
        quadround_kyber768_90s_enc quadround_kyber768_90s_enc_derand quadround_kyber768_90s_dec;
    "kyber1024_90s" Kyber1024_90s: quadround_kyber1024_90s_keypair quadround_kyber1024_90s_keypair_derand
        quadround_kyber1024_90s_enc quadround_kyber1024_90s_enc_derand quadround_kyber1024_90s_dec;
}

/// Nothing here panics. Checks that the compiler could not prove superfluous would end here.
#[cfg(target_os = "none")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
