//! ML-KEM (FIPS 203), and Kyber as submitted to round 3 of the NIST process with its 90s variants ("CRYSTALS-Kyber,
//! Algorithm Specifications And Supporting Documentation", version 3.02).

/// Coefficients of a polynomial (FIPS 203 section 2.4).
pub const N: usize = 256;

/// The modulus (FIPS 203 section 2.4).
pub const Q: i16 = 3329;

/// A primitive 256-th root of unity modulo q (FIPS 203 section 4.3).
pub const ZETA: i16 = 17;

/// The powers of zeta in the order in which the number-theoretic transform takes them: entry i is zeta^BitRev7(i) mod q
/// (FIPS 203 algorithms 9 and 10, appendix A).
pub const ZETAS: [i16; N / 2] = {
    let mut table = [1; N / 2];
    let mut i = 0;
    while i < table.len() {
        let mut power = (i as u8).reverse_bits() >> 1;
        while power > 0 {
            table[i] = (table[i] as i32 * ZETA as i32 % Q as i32) as i16;
            power -= 1;
        }
        i += 1;
    }
    table
};

/// Bytes of a seed, a message, a hash and a shared key (FIPS 203 section 3.3).
pub const SEED_BYTES: usize = 32;

/// Coefficients of a piece, where a polynomial is sampled or decoded a piece at a time: 24 bytes of 12 bits a coefficient, whole
/// words and whole groups of coefficients.
pub const PIECE: usize = 16;

/// Bytes of a polynomial with 12 bits a coefficient (FIPS 203 algorithm 5).
pub const POLY_BYTES: usize = N * 12 / 8;

/// The parameter eta of the centred binomial distribution: coefficients from -eta to eta (FIPS 203 section 4.2.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Eta {
    /// From -2 to 2.
    Two,
    /// From -3 to 3.
    Three,
}

impl Eta {
    /// The largest coefficient.
    pub const fn get(self) -> usize {
        match self {
            Eta::Two => 2,
            Eta::Three => 3,
        }
    }

    /// Random bytes for a polynomial: 128 or 192.
    pub const fn bytes(self) -> usize {
        64 * self.get()
    }
}

/// Bits to which a coefficient of a ciphertext is compressed (FIPS 203 section 4.2.1, d_u and d_v).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bits {
    /// 4 bits.
    D4,
    /// 5 bits.
    D5,
    /// 10 bits.
    D10,
    /// 11 bits.
    D11,
}

impl Bits {
    /// All of them.
    pub const ALL: [Bits; 4] = [Bits::D4, Bits::D5, Bits::D10, Bits::D11];

    /// The number.
    pub const fn get(self) -> usize {
        match self {
            Bits::D4 => 4,
            Bits::D5 => 5,
            Bits::D10 => 10,
            Bits::D11 => 11,
        }
    }

    /// Bytes of a compressed polynomial: 128, 160, 320 or 352.
    pub const fn bytes(self) -> usize {
        N / 8 * self.get()
    }
}

/// Bytes of a compressed polynomial, at most.
pub const COMPRESSED_BYTES_MAX: usize = Bits::D11.bytes();

/// How the public-key encryption becomes a key-encapsulation mechanism.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Transform {
    /// FIPS 203 section 7: k enters the seed of key generation; the message is used as it is, and neither it nor the
    /// ciphertext is hashed into the shared key.
    Standard,
    /// Kyber round 3, algorithms 7 to 9: the message is hashed first, the shared key is a hash of the pre-key and the
    /// hashed ciphertext.
    Round3,
}

/// The hash functions and what expands seeds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Primitives {
    /// SHA3-256, SHA3-512, SHAKE128 and SHAKE256 (FIPS 203 section 4.1).
    Keccak,
    /// SHA-256, SHA-512 and AES-256 in counter mode: the 90s variants (Kyber round 3, section 1.4).
    Nineties,
}

/// A parameter set (FIPS 203 section 8, table 2; Kyber round 3, table 1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// Polynomials of a vector.
    pub k: usize,
    /// Of the secret, and of the noise of the key.
    pub eta1: Eta,
    /// Of the noise of a ciphertext.
    pub eta2: Eta,
    /// Of the first part of a ciphertext.
    pub du: Bits,
    /// Of its second part.
    pub dv: Bits,
    /// The variant of the Fujisaki-Okamoto transform.
    pub transform: Transform,
    /// The symmetric primitives.
    pub primitives: Primitives,
}

impl Row {
    /// Bytes of a vector with 12 bits a coefficient, and so of the secret of a decapsulation key.
    pub const fn vector_bytes(&self) -> usize {
        self.k * POLY_BYTES
    }

    /// Bytes of an encapsulation key: a vector, then the seed of the matrix (FIPS 203 algorithm 13).
    pub const fn ek_bytes(&self) -> usize {
        self.vector_bytes() + SEED_BYTES
    }

    /// Bytes of an expanded decapsulation key: a vector, the encapsulation key, its hash and the rejection seed (FIPS 203
    /// algorithm 16).
    pub const fn dk_bytes(&self) -> usize {
        self.vector_bytes() + self.ek_bytes() + 2 * SEED_BYTES
    }

    /// Bytes of the first part of a ciphertext: a compressed vector.
    pub const fn u_bytes(&self) -> usize {
        self.k * self.du.bytes()
    }

    /// Bytes of a ciphertext: a compressed vector and a compressed polynomial (FIPS 203 algorithm 14).
    pub const fn ct_bytes(&self) -> usize {
        self.u_bytes() + self.dv.bytes()
    }

    /// The set of another name on the transform of round 3.
    const fn round3(self, name: &'static str, primitives: Primitives) -> Row {
        Row { name, transform: Transform::Round3, primitives, ..self }
    }
}

/// ML-KEM-512.
pub const ML_KEM_512: Row = Row {
    name: "ML-KEM-512",
    k: 2,
    eta1: Eta::Three,
    eta2: Eta::Two,
    du: Bits::D10,
    dv: Bits::D4,
    transform: Transform::Standard,
    primitives: Primitives::Keccak,
};
/// ML-KEM-768.
pub const ML_KEM_768: Row = Row { name: "ML-KEM-768", k: 3, eta1: Eta::Two, ..ML_KEM_512 };
/// ML-KEM-1024.
pub const ML_KEM_1024: Row =
    Row { name: "ML-KEM-1024", k: 4, eta1: Eta::Two, du: Bits::D11, dv: Bits::D5, ..ML_KEM_512 };
/// Kyber512, round 3.
pub const KYBER_512: Row = ML_KEM_512.round3("Kyber512", Primitives::Keccak);
/// Kyber768, round 3.
pub const KYBER_768: Row = ML_KEM_768.round3("Kyber768", Primitives::Keccak);
/// Kyber1024, round 3.
pub const KYBER_1024: Row = ML_KEM_1024.round3("Kyber1024", Primitives::Keccak);
/// Kyber512-90s, round 3.
pub const KYBER_512_90S: Row = ML_KEM_512.round3("Kyber512-90s", Primitives::Nineties);
/// Kyber768-90s, round 3.
pub const KYBER_768_90S: Row = ML_KEM_768.round3("Kyber768-90s", Primitives::Nineties);
/// Kyber1024-90s, round 3.
pub const KYBER_1024_90S: Row = ML_KEM_1024.round3("Kyber1024-90s", Primitives::Nineties);
