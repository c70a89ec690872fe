//! Products of polynomials of Kyber and ML-KEM in the transformed domain, and their sums (FIPS 203, algorithms 11 and 12).
//!
//! A polynomial that is multiplied by several others is prepared once: [`mulcache`] multiplies what algorithm 12 multiplies by gamma. Sums of
//! products stay in 32 bits until all are added up.

use super::kyber;
use crate::function::{Direction, Interface, Param, ParamType};
use crate::ir::Kernel;
use crate::map::{Element, Groups, Map, Value};
use kernels::params::mlkem as params;

const N: u32 = params::N as u32;
const Q: u32 = params::Q as u32;

/// Coefficients of the first factor are from 0 to this: 12 bits, as they are encoded.
pub const A: i32 = (1 << 12) - 1;
/// Those of the second from minus this to this.
pub const B: i32 = kyber::AFTER_NTT as i32;
/// Those of a cache.
pub const CACHE: i32 = Q as i32 / 2;
/// Coefficients of a product are from minus this to this: two products of the largest coefficients.
pub const PRODUCT: i32 = 2 * A * B;
/// So many products can be added up.
pub const TERMS: i32 = 4;
/// Coefficients of a sum.
pub const SUM: i32 = TERMS * PRODUCT;
/// What a reduction leaves.
pub const REDUCED: i32 = Q as i32 / 2;
/// What a reduction leaves that leaves no factor.
pub const PLAIN: i32 = 2 * Q as i32;

/// Coefficients of a group: two of the pairs that algorithm 11 multiplies, whose gammas differ in their sign.
const GROUP: u32 = 4;

const BOUNDS: &str = "Coefficients count modulo q = 3329. a: from 0 to 4095; b: from -5 q to 5 q; cache: what kyber_mulcache makes of b.";
const TERMS_NOTE: &str = "At most 4 products may be added up.";
const FACTOR: &str =
    "What comes out is -2^-32 times the sum, modulo q, from -q/2 to q/2; kyber_invntt_sum takes the factor out.";
const NO_FACTOR: &str = "What comes out is the sum modulo q, from -2 q to 2 q.";

fn halfwords(name: &'static str, n: u32, direction: Direction, doc: &'static str) -> Param {
    Param { name, ty: ParamType::Halfwords(n), direction, secret: true, doc }
}

fn sum(direction: Direction, doc: &'static str) -> Param {
    Param { name: "sum", ty: ParamType::SignedWords(N), direction, secret: true, doc }
}

fn factors() -> [Param; 3] {
    [
        halfwords("a", N, Direction::In, "256 coefficients of one factor"),
        halfwords("b", N, Direction::In, "256 coefficients of the other"),
        halfwords("cache", N / 2, Direction::In, "128 coefficients that belong to b"),
    ]
}

/// The gammas of the pairs whose number is even; each of the others is the negative of the one before (FIPS 203 algorithm 11).
fn gammas() -> Vec<Vec<u32>> {
    let gamma = |pair: u32| {
        let exponent = 2 * (pair.reverse_bits() >> (32 - 7)) + 1;
        (0..exponent).fold(1, |power, _| power * params::ZETA as u32 % Q)
    };
    (0..N / GROUP).map(|group| vec![gamma(2 * group)]).collect()
}

fn map() -> Map {
    Map::new(Groups::Fixed(N / GROUP), Q)
}

/// `kyber_mulcache`: what products with a polynomial have in common.
pub fn mulcache() -> Kernel {
    let interface = Interface {
        summary: "What the products with a polynomial of Kyber and ML-KEM have in common: its odd coefficients times gamma (FIPS 203, algorithm 12)",
        notes: &["Coefficients count modulo q = 3329. b: from -5 q to 5 q. cache: from -q/2 to q/2."],
        params: vec![
            halfwords("cache", N / 2, Direction::Out, "128 coefficients that belong to b"),
            halfwords("b", N, Direction::In, "256 coefficients, transformed"),
        ],
        returns: None,
    };
    let mut m = map();
    let cache = m.array(0, Element::Coefficient, GROUP / 2, around(CACHE));
    let b = m.array(1, Element::Coefficient, GROUP, around(B));
    m.factors = gammas();
    for pair in 0..GROUP / 2 {
        let odd = m.load(b, 2 * pair + 1);
        let turned = m.scale(odd, 0, pair == 1);
        m.store(cache, pair, turned);
    }
    Kernel::mapping("kyber_mulcache", "kyber", interface, m)
}

const fn around(most: i32) -> (i32, i32) {
    (-most, most)
}

/// Where a product's factors are.
struct Factors {
    a: usize,
    b: usize,
    cache: usize,
}

impl Factors {
    /// The three parameters after the sum.
    fn new(m: &mut Map) -> Factors {
        Factors {
            a: m.array(1, Element::Coefficient, GROUP, (0, A)),
            b: m.array(2, Element::Coefficient, GROUP, around(B)),
            cache: m.array(3, Element::Coefficient, GROUP / 2, around(CACHE)),
        }
    }

    /// The product of a pair of coefficients (FIPS 203 algorithm 12), added to the sum that is there, if any; `end` is what becomes of each
    /// coefficient.
    fn product(&self, m: &mut Map, pair: u32, sum: Option<usize>, end: impl Fn(&mut Map, u32, Value)) {
        let plus = [0, 1].map(|k| sum.map(|sum| m.load(sum, 2 * pair + k)));
        let [a0, a1] = [0, 1].map(|k| m.load(self.a, 2 * pair + k));
        let [b0, b1] = [0, 1].map(|k| m.load(self.b, 2 * pair + k));
        let turned = m.load(self.cache, pair);
        let even = m.products(&[(a0, b0), (a1, turned)], plus[0]);
        end(m, 2 * pair, even);
        let odd = m.products(&[(a0, b1), (a1, b0)], plus[1]);
        end(m, 2 * pair + 1, odd);
    }
}

fn product_interface(
    summary: &'static str,
    notes: &'static [&'static str],
    direction: Direction,
    doc: &'static str,
) -> Interface {
    let params = [sum(direction, doc)].into_iter().chain(factors()).collect();
    Interface { summary, notes, params, returns: None }
}

/// `kyber_basemul`: a product.
pub fn basemul() -> Kernel {
    let interface = product_interface(
        "A product of polynomials of Kyber and ML-KEM in the transformed domain (FIPS 203, algorithm 11), not reduced",
        &[BOUNDS],
        Direction::Out,
        "256 coefficients of the product",
    );
    let mut m = map();
    let sum = m.array(0, Element::Sum, GROUP, around(PRODUCT));
    let factors = Factors::new(&mut m);
    for pair in 0..GROUP / 2 {
        factors.product(&mut m, pair, None, |m, at, value| m.store(sum, at, value));
    }
    Kernel::mapping("kyber_basemul", "kyber", interface, m)
}

/// The sum to which the last product is added.
fn unfinished(m: &mut Map) -> usize {
    let sum = m.array(0, Element::Sum, GROUP, around(SUM));
    m.arrays[sum].read = around(SUM - PRODUCT);
    sum
}

/// `kyber_basemul_acc`: a product, added to others.
pub fn basemul_acc() -> Kernel {
    let interface = product_interface(
        "A product of polynomials of Kyber and ML-KEM in the transformed domain (FIPS 203, algorithm 11), added to a sum",
        &[BOUNDS, TERMS_NOTE],
        Direction::InOut,
        "256 coefficients of the sum",
    );
    let mut m = map();
    let sum = unfinished(&mut m);
    let factors = Factors::new(&mut m);
    for pair in 0..GROUP / 2 {
        factors.product(&mut m, pair, Some(sum), |m, at, value| m.store(sum, at, value));
    }
    Kernel::mapping("kyber_basemul_acc", "kyber", interface, m)
}

/// How a sum ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Times -2^-32.
    Reduced,
    /// As it is.
    Plain,
}

impl End {
    fn bound(self) -> i32 {
        if self == End::Reduced { REDUCED } else { PLAIN }
    }

    fn of(self, m: &mut Map, sum: Value) -> Value {
        if self == End::Reduced { m.reduce(sum) } else { m.remainder(sum) }
    }
}

fn end_of_product(name: &str, end: End, interface: Interface) -> Kernel {
    let mut m = map();
    let old = unfinished(&mut m);
    let factors = Factors::new(&mut m);
    let new = m.array(0, Element::Coefficient, GROUP, around(end.bound()));
    m.overlaps = true;
    for pair in 0..GROUP / 2 {
        factors.product(&mut m, pair, Some(old), |m, at, value| {
            let ended = end.of(m, value);
            m.store(new, at, ended);
        });
    }
    Kernel::mapping(name, "kyber", interface, m)
}

const ENDED: &str = "256 coefficients of the sum; after the call its first 512 bytes are 256 coefficients of 16 bits, and the others what they were";

/// `kyber_basemul_end`: the last product of a sum, which is reduced.
pub fn basemul_end() -> Kernel {
    let interface = product_interface(
        "A product of polynomials of Kyber and ML-KEM in the transformed domain (FIPS 203, algorithm 11), added to a sum, which is reduced",
        &[BOUNDS, TERMS_NOTE, FACTOR],
        Direction::InOut,
        ENDED,
    );
    end_of_product("kyber_basemul_end", End::Reduced, interface)
}

/// `kyber_basemul_end_plain`: the same without a factor left.
pub fn basemul_end_plain() -> Kernel {
    let interface = product_interface(
        "A product of polynomials of Kyber and ML-KEM in the transformed domain (FIPS 203, algorithm 11), added to a sum, which is then taken \
         modulo q",
        &[BOUNDS, TERMS_NOTE, NO_FACTOR],
        Direction::InOut,
        ENDED,
    );
    end_of_product("kyber_basemul_end_plain", End::Plain, interface)
}

fn end_of_sum(name: &str, end: End, summary: &'static str, notes: &'static [&'static str]) -> Kernel {
    let params = vec![
        halfwords("r", N, Direction::Out, "256 coefficients; may be at the beginning of the sum"),
        sum(Direction::In, "256 coefficients of the sum"),
    ];
    let mut m = map();
    let new = m.array(0, Element::Coefficient, GROUP, around(end.bound()));
    let old = m.array(1, Element::Sum, GROUP, around(SUM));
    m.overlaps = true;
    for pair in 0..GROUP / 2 {
        let ended = [0, 1].map(|k| m.load(old, 2 * pair + k)).map(|sum| end.of(&mut m, sum));
        (0..2).for_each(|k| m.store(new, 2 * pair + k, ended[k as usize]));
    }
    Kernel::mapping(name, "kyber", Interface { summary, notes, params, returns: None }, m)
}

const OVERLAP: &str = "r may be at the address of sum, or be apart from it.";

/// `kyber_reduce`: a sum of products, reduced.
pub fn reduce() -> Kernel {
    end_of_sum(
        "kyber_reduce",
        End::Reduced,
        "Reduces a sum of products of polynomials of Kyber and ML-KEM (Plantard; Huang and others, TCHES 2022/4)",
        &["Coefficients count modulo q = 3329. The sum is one of at most 4 products.", FACTOR, OVERLAP],
    )
}

/// `kyber_reduce_plain`: a sum of products modulo q.
pub fn reduce_plain() -> Kernel {
    end_of_sum(
        "kyber_reduce_plain",
        End::Plain,
        "Reduces a sum of products of polynomials of Kyber and ML-KEM, and leaves no factor",
        &["Coefficients count modulo q = 3329. The sum is one of at most 4 products.", NO_FACTOR, OVERLAP],
    )
}

/// -2^32 modulo q, from -q/2 to q/2: what a coefficient is multiplied by so that it comes out of a reduction as it was.
const UNREDUCED: i16 = centred(-(1 << 32));
/// 2^64 modulo q: what comes out of a reduction times -2^32.
const RESTORING: i16 = centred(1 << 64);

const fn centred(number: i128) -> i16 {
    let least = number.rem_euclid(Q as i128) as i16;
    if least > Q as i16 / 2 { least - Q as i16 } else { least }
}

/// Coefficients of a piece of a product.
pub const PIECE: u32 = params::PIECE as u32;

/// `kyber_basemul_piece`: a part of a product in 16 bits, without a cache.
pub fn basemul_piece() -> Kernel {
    let interface = Interface {
        summary: "Sixteen coefficients of a product of polynomials of Kyber and ML-KEM in the transformed domain (FIPS 203, algorithm 11), \
                  added to a reduced sum",
        notes: &[
            "Coefficients count modulo q = 3329. a: from 0 to 4095; b: from -5 q to 5 q.",
            "r before: from -q to q. After: sixteen of them with -2^-32 times the product added, modulo q, from -q/2 to q/2; the others \
             stay.",
            "kyber_invntt_sum or kyber_restore takes the factor out.",
        ],
        params: vec![
            halfwords("r", N, Direction::InOut, "256 coefficients of the sum"),
            halfwords("a", PIECE, Direction::In, "16 coefficients of one factor: those from 16 times `piece` on"),
            halfwords("b", N, Direction::In, "256 coefficients of the other"),
            Param {
                name: "piece",
                ty: ParamType::Value,
                direction: Direction::In,
                secret: false,
                doc: "which sixteen coefficients, from 0 to 15",
            },
        ],
        returns: None,
    };
    let mut m = Map::new(Groups::Piece { groups: PIECE / GROUP, param: 3 }, Q);
    let r = m.array(0, Element::Coefficient, GROUP, around(REDUCED));
    m.arrays[r].read = around(Q as i32);
    let a = m.array(1, Element::Coefficient, GROUP, (0, A));
    let b = m.array(2, Element::Coefficient, GROUP, around(B));
    [r, b].into_iter().for_each(|whole| m.arrays[whole].whole = true);
    m.factors = gammas();
    let unreduced = m.constant(UNREDUCED);
    for pair in 0..GROUP / 2 {
        let [[a0, a1], [b0, b1]] = [a, b].map(|array| [0, 1].map(|k| m.load(array, 2 * pair + k)));
        let old = [0, 1].map(|k| (m.load(r, 2 * pair + k), unreduced));
        let turned = m.scale(b1, 0, pair == 1);
        // One product after the other where that keeps few values alive.
        let first = m.products(&[(a1, turned)], None);
        let even = m.products(&[(a0, b0)], Some(first));
        for (k, product) in [Some(even), None].into_iter().enumerate() {
            let product = product.unwrap_or_else(|| m.products(&[(a0, b1), (a1, b0)], None));
            let sum = m.products(&[old[k]], Some(product));
            let reduced = m.reduce(sum);
            m.store(r, 2 * pair + k as u32, reduced);
        }
    }
    Kernel::mapping("kyber_basemul_piece", "kyber", interface, m)
}

/// `kyber_restore`: takes the factor of a reduction out.
pub fn restore() -> Kernel {
    let interface = Interface {
        summary: "Multiplies a polynomial of Kyber and ML-KEM by -2^32 modulo q, which undoes the factor of a reduction",
        notes: &["Coefficients count modulo q = 3329. Before: from -5 q to 5 q. After: from -q/2 to q/2."],
        params: vec![halfwords("r", N, Direction::InOut, "256 coefficients")],
        returns: None,
    };
    let mut m = map();
    let r = m.array(0, Element::Coefficient, GROUP, around(REDUCED));
    m.arrays[r].read = around(B);
    let factor = m.constant(RESTORING);
    for k in 0..GROUP {
        let old = m.load(r, k);
        let product = m.products(&[(old, factor)], None);
        let new = m.reduce(product);
        m.store(r, k, new);
    }
    Kernel::mapping("kyber_restore", "kyber", interface, m)
}
