//! What C gets is what Rust gets, and what is refused.

use core::ffi::c_int;
use kernels::Soft;
use kernels::mlkem::{DecapsulationKey, ParameterSet};
use kernels::params::mlkem::Row;
use quadround_kem::operations::{self as c, KEY, NULL, OK, RANDOM};
use quadround_kem::*;
use std::cell::Cell;
use std::ptr::{null, null_mut};

thread_local! {
    /// What the next byte of `randombytes` is; `None` if there are none.
    static NEXT: Cell<Option<u8>> = const { Cell::new(None) };
}

/// Bytes that go up by one.
#[unsafe(no_mangle)]
extern "C" fn randombytes(out: *mut u8, length: usize) -> c_int {
    let Some(first) = NEXT.get() else { return -1 };
    // SAFETY: the caller owns so many bytes.
    let out = unsafe { std::slice::from_raw_parts_mut(out, length) };
    (first..).zip(out).for_each(|(value, byte)| *byte = value);
    NEXT.set(Some(first + length as u8));
    0
}

/// The functions of a parameter set.
struct Functions {
    keypair: unsafe extern "C" fn(*mut u8, *mut u8) -> c_int,
    keypair_derand: unsafe extern "C" fn(*mut u8, *mut u8, *const u8) -> c_int,
    enc: unsafe extern "C" fn(*mut u8, *mut u8, *const u8) -> c_int,
    enc_derand: unsafe extern "C" fn(*mut u8, *mut u8, *const u8, *const u8) -> c_int,
    dec: unsafe extern "C" fn(*mut u8, *const u8, *const u8) -> c_int,
}

/// Keys, a ciphertext and a shared key, as C has them.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Bytes {
    pk: Vec<u8>,
    sk: Vec<u8>,
    ct: Vec<u8>,
    ss: [u8; 32],
}

impl Bytes {
    fn new(row: &Row) -> Self {
        Bytes { pk: vec![0; row.ek_bytes()], sk: vec![0; row.dk_bytes()], ct: vec![0; row.ct_bytes()], ss: [0; 32] }
    }

    fn keypair(&mut self, functions: &Functions) -> c_int {
        // SAFETY: arrays of the sizes of the set, as in all calls below.
        unsafe { (functions.keypair)(self.pk.as_mut_ptr(), self.sk.as_mut_ptr()) }
    }

    fn enc(&mut self, functions: &Functions) -> c_int {
        // SAFETY: as above.
        unsafe { (functions.enc)(self.ct.as_mut_ptr(), self.ss.as_mut_ptr(), self.pk.as_ptr()) }
    }

    fn dec(&mut self, functions: &Functions) -> c_int {
        // SAFETY: as above.
        unsafe { (functions.dec)(self.ss.as_mut_ptr(), self.ct.as_ptr(), self.sk.as_ptr()) }
    }
}

fn check<P: ParameterSet>(functions: &Functions) {
    let coins: [u8; 96] = std::array::from_fn(|i| i as u8);
    let (seed, message) = coins.split_first_chunk::<64>().expect("96 bytes");
    let dk = DecapsulationKey::<P, Soft>::from_seed(seed);
    let (ct, ss) = dk.encapsulation_key().encapsulate_with_message(message.try_into().expect("32 bytes"));
    let pk = dk.encapsulation_key().as_bytes().to_vec();
    let expected = Bytes { pk, sk: dk.to_expanded().to_vec(), ct: ct.to_vec(), ss: ss.into() };

    let mut got = Bytes::new(&P::ROW);
    NEXT.set(Some(0));
    assert_eq!((got.keypair(functions), got.enc(functions)), (OK, OK));
    assert_eq!(got, expected, "{}", P::ROW.name);
    let mut derand = Bytes::new(&P::ROW);
    // SAFETY: as above.
    unsafe {
        let (pk, sk) = (derand.pk.as_mut_ptr(), derand.sk.as_mut_ptr());
        assert_eq!((functions.keypair_derand)(pk, sk, seed.as_ptr()), OK);
        let (ct, ss) = (derand.ct.as_mut_ptr(), derand.ss.as_mut_ptr());
        assert_eq!((functions.enc_derand)(ct, ss, pk, message.as_ptr()), OK);
    }
    assert_eq!(derand, expected, "{}", P::ROW.name);
    got.ss = [0; 32];
    assert_eq!(got.dec(functions), OK);
    assert_eq!(got, expected, "{}", P::ROW.name);
    // A wrong ciphertext gives another key, which is that of Rust.
    got.ct[5] ^= 1;
    assert_eq!(got.dec(functions), OK);
    let wrong = got.ct.as_slice().try_into().expect("the size of the set");
    assert_eq!(got.ss, *dk.decapsulate(wrong));
    assert_ne!(got.ss, expected.ss);
    refused(&P::ROW, functions, &expected);
}

/// Nothing is written then.
fn refused(row: &Row, functions: &Functions, good: &Bytes) {
    let same = |code: c_int, expected: c_int, got: &Bytes, before: &Bytes| {
        assert_eq!((code, got), (expected, before), "{}", row.name);
    };
    NEXT.set(None);
    let mut got = good.clone();
    same(got.keypair(functions), RANDOM, &got, good);
    same(got.enc(functions), RANDOM, &got, good);
    NEXT.set(Some(0));
    let mut wrong = good.clone();
    // The first coefficient becomes 4095.
    (wrong.pk[0], wrong.pk[1]) = (0xff, wrong.pk[1] | 0x0f);
    let mut got = wrong.clone();
    same(got.enc(functions), KEY, &got, &wrong);
    // Any byte of the public half of the secret key.
    let mut wrong = good.clone();
    wrong.sk[row.vector_bytes() + 7] ^= 1;
    let mut got = wrong.clone();
    same(got.dec(functions), KEY, &got, &wrong);
    let mut got = good.clone();
    let Bytes { pk, sk, ct, ss } = &mut got;
    let (pk, sk, ct, ss) = (pk.as_mut_ptr(), sk.as_mut_ptr(), ct.as_mut_ptr(), ss.as_mut_ptr());
    // SAFETY: as above, but for what is NULL.
    unsafe {
        assert_eq!([(functions.keypair)(null_mut(), sk), (functions.keypair)(pk, null_mut())], [NULL; 2]);
        let derand = functions.keypair_derand;
        assert_eq!([derand(null_mut(), sk, ss), derand(pk, null_mut(), ss), derand(pk, sk, null())], [NULL; 3]);
        let enc = functions.enc;
        assert_eq!([enc(null_mut(), ss, pk), enc(ct, null_mut(), pk), enc(ct, ss, null())], [NULL; 3]);
        let enc = functions.enc_derand;
        let coins = [0; 32].as_ptr();
        assert_eq!([enc(null_mut(), ss, pk, coins), enc(ct, null_mut(), pk, coins)], [NULL; 2]);
        assert_eq!([enc(ct, ss, null(), coins), enc(ct, ss, pk, null())], [NULL; 2]);
        let dec = functions.dec;
        assert_eq!([dec(null_mut(), ct, sk), dec(ss, null(), sk), dec(ss, ct, null())], [NULL; 3]);
    }
    assert_eq!(&got, good, "{}", row.name);
}

#[test]
fn what_c_gets_is_what_rust_gets() {
    check::<kernels::mlkem::MlKem512>(&Functions {
        keypair: quadround_mlkem512_keypair,
        keypair_derand: quadround_mlkem512_keypair_derand,
        enc: quadround_mlkem512_enc,
        enc_derand: quadround_mlkem512_enc_derand,
        dec: quadround_mlkem512_dec,
    });
    check::<kernels::mlkem::MlKem768>(&Functions {
        keypair: quadround_mlkem768_keypair,
        keypair_derand: quadround_mlkem768_keypair_derand,
        enc: quadround_mlkem768_enc,
        enc_derand: quadround_mlkem768_enc_derand,
        dec: quadround_mlkem768_dec,
    });
    check::<kernels::mlkem::MlKem1024>(&Functions {
        keypair: quadround_mlkem1024_keypair,
        keypair_derand: quadround_mlkem1024_keypair_derand,
        enc: quadround_mlkem1024_enc,
        enc_derand: quadround_mlkem1024_enc_derand,
        dec: quadround_mlkem1024_dec,
    });
    assert_eq!([c::OK, c::KEY, c::RANDOM, c::NULL], [0, 1, 2, 3], "as the header says");
}
