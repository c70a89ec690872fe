//! What is public though secrets went into it, by the names that [`declassify`](crate::keccak::KeccakBackend::declassify) is
//! called with. These are all places at which a scheme says so.

/// The seed of the matrix, half of G(d) in key generation. It is sent as part of the encapsulation key (FIPS 203 algorithm
/// 13, line 19), and rejection sampling takes a time that depends on it.
pub const RHO: &str = "rho";

/// The encapsulation key, made of the secret vector and its noise in key generation. It is what is published (FIPS 203
/// algorithm 16), and the modulus check of whoever encapsulates ends at the first coefficient that is wrong.
pub const EK: &str = "ek";

/// The encapsulation key inside an expanded decapsulation key (FIPS 203 algorithm 16, line 3), when that is checked: who keeps
/// the whole as a secret has this public part in it, with the seed from which the matrix is sampled again.
pub const EK_IN_DK: &str = "ek in dk";

/// The hash of the encapsulation key inside an expanded decapsulation key, when that is checked: whether it is right is what
/// the hash check tells (FIPS 203 section 7.3).
pub const HASH_IN_DK: &str = "hash in dk";
