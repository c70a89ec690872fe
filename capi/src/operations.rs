//! The operations, generic over the parameter set.
//!
//! Results are 0, or one of the constants, and then nothing has been written.

use core::ffi::c_int;
use kernels::cipher::Array;
use kernels::cipher::array::ArraySize;
use kernels::mlkem::ParameterSet;
use kernels::mlkem::raw::{self, Bytes32, Parts};
use kernels::params::mlkem::SEED_BYTES;
use runtime_m4::Native;
use zeroize::Zeroizing;

/// It is done.
pub const OK: c_int = 0;
/// The key is refused: see [`KeyError`](kernels::mlkem::KeyError).
pub const KEY: c_int = 1;
/// `randombytes` has failed.
pub const RANDOM: c_int = 2;
/// A pointer is NULL.
pub const NULL: c_int = 3;

/// Bytes that a key pair is made of: d and z of FIPS 203 algorithm 16.
pub type Coins = [u8; 2 * SEED_BYTES];

/// The best backend that there is for the target.
#[cfg(not(feature = "low-stack"))]
fn backend() -> Native {
    Native::default()
}

/// The best backend that there is for the target, with as little stack as will do.
#[cfg(feature = "low-stack")]
fn backend() -> kernels::mlkem::LowStack<Native> {
    kernels::mlkem::LowStack::default()
}

unsafe extern "C" {
    /// The user's: fills `out` with `length` random bytes, and returns 0; anything else if it cannot.
    fn randombytes(out: *mut u8, length: usize) -> c_int;
}

/// Random bytes. False if there are none.
fn random(out: &mut [u8]) -> bool {
    // SAFETY: the bytes are borrowed for the call.
    unsafe { randombytes(out.as_mut_ptr(), out.len()) == 0 }
}

/// The bytes at a pointer from C.
///
/// # Safety
/// It is NULL, or there are so many bytes, which nobody writes to as long as they are borrowed.
unsafe fn read<'a, N: ArraySize>(pointer: *const u8) -> Option<&'a Array<u8, N>> {
    // SAFETY: an array of bytes has the layout of its bytes; who calls sees to the rest.
    unsafe { pointer.cast::<Array<u8, N>>().as_ref() }
}

/// The same for bytes that are written to.
///
/// # Safety
/// It is NULL, or there are so many bytes, which nobody else reads or writes as long as they are borrowed.
unsafe fn write<'a, N: ArraySize>(pointer: *mut u8) -> Option<&'a mut Array<u8, N>> {
    // SAFETY: as in `read`.
    unsafe { pointer.cast::<Array<u8, N>>().as_mut() }
}

/// Key generation: the public key, and the secret key in the expanded form of FIPS 203 algorithm 16.
///
/// # Safety
/// `pk` and `sk` are NULL or point to memory of the sizes of the set, and do not overlap.
pub unsafe fn keypair<P: ParameterSet>(pk: *mut u8, sk: *mut u8) -> c_int {
    let mut coins = Zeroizing::new([0; size_of::<Coins>()]);
    if pk.is_null() || sk.is_null() {
        return NULL;
    }
    if !random(&mut *coins) {
        return RANDOM;
    }
    // SAFETY: who calls sees to the first two, and the third is ours.
    unsafe { keypair_derand::<P>(pk, sk, coins.as_ptr()) }
}

/// Key generation from 64 random bytes, d and z of FIPS 203 algorithm 16.
///
/// # Safety
/// As [`keypair`]; `coins` is NULL or points to 64 bytes, which do not overlap the others.
pub unsafe fn keypair_derand<P: ParameterSet>(pk: *mut u8, sk: *mut u8, coins: *const u8) -> c_int {
    // SAFETY: who calls sees to it.
    let (ek, dk, coins) = unsafe { (write::<P::EkSize>(pk), write::<P::DkSize>(sk), coins.cast::<Coins>().as_ref()) };
    let (Some(ek), Some(dk), Some(coins)) = (ek, dk, coins) else { return NULL };
    let (secret, rest) = dk.split_at_mut(P::ROW.vector_bytes());
    let (public, rest) = rest.split_at_mut(P::ROW.ek_bytes());
    let (Ok(secret), ([d, z], []), ([hash, rejection], [])) =
        (secret.try_into(), coins.as_chunks::<SEED_BYTES>(), rest.as_chunks_mut::<SEED_BYTES>())
    else {
        unreachable!("the sizes of the parts add up")
    };
    raw::generate::<P, _>(&backend(), d, secret, ek);
    public.copy_from_slice(ek);
    raw::hash::<P, _>(&backend(), ek, hash);
    *rejection = *z;
    OK
}

/// Encapsulation.
///
/// # Safety
/// All are NULL or point to memory of the sizes of the set, and `ct` and `ss` overlap nothing.
pub unsafe fn enc<P: ParameterSet>(ct: *mut u8, ss: *mut u8, pk: *const u8) -> c_int {
    let mut message = Zeroizing::new([0; SEED_BYTES]);
    if ct.is_null() || ss.is_null() || pk.is_null() {
        return NULL;
    }
    if !random(&mut *message) {
        return RANDOM;
    }
    // SAFETY: who calls sees to the first three, and the fourth is ours.
    unsafe { enc_derand::<P>(ct, ss, pk, message.as_ptr()) }
}

/// Encapsulation with 32 random bytes, m of FIPS 203 algorithm 17.
///
/// # Safety
/// As [`enc`]; `coins` is NULL or points to 32 bytes.
pub unsafe fn enc_derand<P: ParameterSet>(ct: *mut u8, ss: *mut u8, pk: *const u8, coins: *const u8) -> c_int {
    // SAFETY: who calls sees to it.
    let (ct, ss, ek, m) = unsafe {
        (write::<P::CtSize>(ct), ss.cast::<Bytes32>().as_mut(), read::<P::EkSize>(pk), coins.cast::<Bytes32>().as_ref())
    };
    let (Some(ct), Some(ss), Some(ek), Some(m)) = (ct, ss, ek, m) else { return NULL };
    if raw::check::<P>(ek).is_err() {
        return KEY;
    }
    let mut hash = [0; 32];
    raw::hash::<P, _>(&backend(), ek, &mut hash);
    raw::encapsulate::<P, _>(&backend(), ek, &hash, m, ct, ss);
    OK
}

/// Decapsulation. A wrong ciphertext gives another key, and 0 all the same (FIPS 203 algorithm 18).
///
/// # Safety
/// All are NULL or point to memory of the sizes of the set, and `ss` overlaps nothing.
pub unsafe fn dec<P: ParameterSet>(ss: *mut u8, ct: *const u8, sk: *const u8) -> c_int {
    // SAFETY: who calls sees to it.
    let (ss, ct, dk) = unsafe { (ss.cast::<Bytes32>().as_mut(), read::<P::CtSize>(ct), read::<P::DkSize>(sk)) };
    let (Some(ss), Some(ct), Some(dk)) = (ss, ct, dk) else { return NULL };
    let parts = Parts::<P>::new(dk);
    if parts.check(&backend()).is_err() {
        return KEY;
    }
    raw::decapsulate::<P, _>(&backend(), parts, ct, ss);
    OK
}
