//! Kernels that do the same with each group of elements of their arrays, such as products and reductions of polynomials.
//!
//! A [`Map`] says what is done with one group, in operations on single elements. How many elements a register holds, what multiplies
//! them, and how many groups the body of a loop does, is the backend's affair. [`bounds`] follows how large values get.

pub mod bounds;

/// The most groups that the body of a loop does, a power of two.
pub const GROUPS: u32 = 8;

/// A value: the result of an operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Value(pub u16);

/// What an array consists of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Element {
    /// A signed number of 16 bits.
    Coefficient,
    /// A signed number of 32 bits, at a multiple of 4.
    Sum,
    /// 32 bits that are no number, at a multiple of 4.
    Bits,
    /// A byte at any address. One, two or four of them are taken at once, the first of them as the lowest bits.
    Bytes,
}

impl Element {
    /// Bytes of it.
    pub const fn bytes(self) -> u32 {
        match self {
            Element::Bytes => 1,
            Element::Coefficient => 2,
            Element::Sum | Element::Bits => 4,
        }
    }
}

/// How a map goes through the array of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Array {
    /// The number of the parameter. Two arrays may have the same one.
    pub param: usize,
    /// What it consists of.
    pub element: Element,
    /// Bytes of a group.
    pub bytes: u32,
    /// True if the parameter is where the first piece of it begins, and false if it is where the piece begins that is worked on.
    pub whole: bool,
    /// Numbers that are read are from the first to the second.
    pub read: (i32, i32),
    /// And those that are written.
    pub written: (i32, i32),
}

/// What is read or written of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The number of the array.
    pub array: usize,
    /// Bytes after the beginning of the group.
    pub at: u32,
    /// How many bytes.
    pub bytes: u32,
}

/// The bounds of numbers that have none of their own.
pub const ANY: (i32, i32) = (i32::MIN, i32::MAX);

/// How many groups there are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Groups {
    /// So many.
    Fixed(u32),
    /// As many as a parameter says, which may be none.
    Given {
        /// The parameter.
        param: usize,
        /// What it is in the call whose cycles are stated.
        usual: u32,
    },
    /// So many of all that the factors are for. Which ones, a parameter says: it counts such pieces, and arrays that are
    /// [whole](Array::whole) and the factors begin with the first.
    Piece {
        /// The groups of a piece.
        groups: u32,
        /// The parameter.
        param: usize,
    },
}

/// What becomes of coefficients.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// Noise of the centred binomial distribution is added (FIPS 203 algorithm 8): made of random bits, 2 eta for each coefficient, the lowest for the
    /// first. Those above count for nothing. There are 8 coefficients for eta = 2, and 4 for eta = 3.
    Noise(Value, u32),
    /// The number is added where a bit is 1, the lowest for the first coefficient.
    Bits(Value, i16),
    /// Other coefficients are subtracted.
    Minus(Vec<Value>),
}

impl Change {
    /// The values that it reads.
    fn sources(&self) -> Vec<Value> {
        match self {
            Change::Noise(bits, _) | Change::Bits(bits, _) => vec![*bits],
            Change::Minus(others) => others.clone(),
        }
    }
}

/// An operation on the values of a group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op {
    /// What is in this place.
    Load(Value, Place),
    /// What is in this place becomes this value.
    Store(Place, Value),
    /// A coefficient that is the same for all groups.
    Constant(Value, i16),
    /// The sum of products of coefficients and, perhaps, another sum.
    Products(Value, Vec<(Value, Value)>, Option<Value>),
    /// A sum times -2^-32 modulo the modulus: a coefficient.
    Reduce(Value, Value),
    /// A sum modulo the modulus: a coefficient.
    Remainder(Value, Value),
    /// A coefficient times factor number `usize` of the group, or times its negative if the last is true: a coefficient.
    Scale(Value, Value, usize, bool),
    /// round(2^D/q · x) mod 2^D of any coefficient x, for D = `u32` bits from 1 to 11 and the modulus q: the lowest bits. Those above count for nothing.
    Compress(Value, Value, u32),
    /// Any coefficient modulo the modulus, from 0 on.
    Canonical(Value, Value),
    /// The first value, whose bits from `at` on, `count` of them, have become the lowest of the second. The first is used up.
    Insert {
        /// The result.
        to: Value,
        /// The first value.
        into: Value,
        /// The second.
        from: Value,
        /// The lowest bit.
        at: u32,
        /// How many.
        count: u32,
    },
    /// A value without so many of its lowest bits.
    Drop(Value, Value, u32),
    /// A number: the bits of a value from the first number on, as many as the second says.
    Bits(Value, Value, u32, u32),
    /// round(q/2^D · y) for a number y of D = `u32` bits, from 1 to 11, and the modulus q: a coefficient.
    Decompress(Value, Value, u32),
    /// Coefficients with something added or subtracted, each with what belongs to it. No sum leaves 16 bits.
    Change {
        /// The results.
        to: Vec<Value>,
        /// The coefficients from before, as many.
        from: Vec<Value>,
        /// What.
        by: Change,
    },
    /// Exclusive or.
    Xor(Value, Value, Value),
    /// Two values become two others, and are used up: `1 << n` bits of the second, beginning at every multiple of `2 << n`, have changed places with the
    /// `1 << n` bits of the first that are `1 << n` higher.
    Exchange([Value; 2], [Value; 2], u32),
}

impl Op {
    /// The values that it reads.
    pub fn sources(&self) -> Vec<Value> {
        match self {
            Op::Load(..) | Op::Constant(..) => Vec::new(),
            Op::Store(_, a) | Op::Reduce(_, a) | Op::Remainder(_, a) | Op::Scale(_, a, ..) => vec![*a],
            Op::Compress(_, a, _) | Op::Canonical(_, a) | Op::Drop(_, a, _) => vec![*a],
            Op::Products(_, terms, plus) => terms.iter().flat_map(|(a, b)| [*a, *b]).chain(*plus).collect(),
            Op::Xor(_, a, b) => vec![*a, *b],
            Op::Insert { into, from, .. } => vec![*into, *from],
            Op::Bits(_, a, ..) | Op::Decompress(_, a, _) => vec![*a],
            Op::Exchange(_, from, _) => from.to_vec(),
            Op::Change { from, by, .. } => from.iter().copied().chain(by.sources()).collect(),
        }
    }
}

/// What is done with each group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Map {
    /// How many groups there are.
    pub groups: Groups,
    /// The arrays.
    pub arrays: Vec<Array>,
    /// True if an array that is written may begin where one begins that is read, and has smaller groups: what is read of a group must then be
    /// read before the group is written.
    pub overlaps: bool,
    /// The prime modulo which coefficients count.
    pub modulus: u32,
    /// The factors of each group.
    pub factors: Vec<Vec<u32>>,
    /// In order.
    pub ops: Vec<Op>,
    /// The call whose cycles are stated.
    pub call: &'static str,
}

impl Map {
    /// A map that does nothing yet.
    pub fn new(groups: Groups, modulus: u32) -> Map {
        Map {
            groups,
            arrays: Vec::new(),
            overlaps: false,
            modulus,
            factors: Vec::new(),
            ops: Vec::new(),
            call: "one call",
        }
    }

    /// An array, `elements` of it in a group. Numbers in it are within these bounds before and after.
    pub fn array(&mut self, param: usize, element: Element, elements: u32, bounds: (i32, i32)) -> usize {
        self.arrays.push(Array {
            param,
            element,
            bytes: elements * element.bytes(),
            whole: false,
            read: bounds,
            written: bounds,
        });
        self.arrays.len() - 1
    }

    /// True if coefficients are multiplied by negatives of factors.
    pub fn negates(&self) -> bool {
        self.ops.iter().any(|op| matches!(op, Op::Scale(.., true)))
    }

    /// True if only the DSP extension has what it takes: a product with 48 bits.
    pub fn wants_dsp(&self) -> bool {
        self.ops.iter().any(|op| matches!(op, Op::Compress(..) | Op::Canonical(..)))
    }

    /// True if no coefficient is computed with.
    pub fn is_of_bits(&self) -> bool {
        let moves =
            |op: &Op| matches!(op, Op::Load(..) | Op::Store(..) | Op::Bits(..) | Op::Drop(..) | Op::Insert { .. });
        self.ops.iter().all(moves)
    }

    /// The bits of compressed coefficients; 0 if there are none.
    pub fn compressed_bits(&self) -> u32 {
        self.ops.iter().find_map(|op| if let Op::Compress(_, _, bits) = op { Some(*bits) } else { None }).unwrap_or(0)
    }

    fn fresh(&self) -> Value {
        let made = self.ops.iter().map(|op| match op {
            Op::Store(..) => 0,
            Op::Exchange(to, ..) => to.len(),
            Op::Change { to, .. } => to.len(),
            _ => 1,
        });
        Value(made.sum::<usize>() as u16)
    }

    fn op(&mut self, make: impl FnOnce(Value) -> Op) -> Value {
        let value = self.fresh();
        self.ops.push(make(value));
        value
    }

    /// Element `index` of the group.
    pub fn load(&mut self, array: usize, index: u32) -> Value {
        let place = self.place(array, index);
        self.op(|value| Op::Load(value, place))
    }

    /// `bytes` bytes of an array of bytes, from byte `at` of the group on: 1, 2 or 4.
    pub fn load_bytes(&mut self, array: usize, at: u32, bytes: u32) -> Value {
        self.op(|value| Op::Load(value, Place { array, at, bytes }))
    }

    /// Element `index` of the group becomes `value`.
    pub fn store(&mut self, array: usize, index: u32, value: Value) {
        let place = self.place(array, index);
        self.ops.push(Op::Store(place, value));
    }

    /// `bytes` bytes of an array of bytes, from byte `at` of the group on, become the lowest bits of `value`: 1, 2 or 4.
    pub fn store_bytes(&mut self, array: usize, at: u32, bytes: u32, value: Value) {
        self.ops.push(Op::Store(Place { array, at, bytes }, value));
    }

    fn place(&self, array: usize, index: u32) -> Place {
        let bytes = self.arrays[array].element.bytes();
        Place { array, at: index * bytes, bytes }
    }

    /// A coefficient that is the same for all groups.
    pub fn constant(&mut self, number: i16) -> Value {
        self.op(|value| Op::Constant(value, number))
    }

    /// A sum of products, and perhaps another sum.
    pub fn products(&mut self, terms: &[(Value, Value)], plus: Option<Value>) -> Value {
        self.op(|value| Op::Products(value, terms.to_vec(), plus))
    }

    /// A sum times -2^-32 modulo the modulus.
    pub fn reduce(&mut self, sum: Value) -> Value {
        self.op(|value| Op::Reduce(value, sum))
    }

    /// A sum modulo the modulus.
    pub fn remainder(&mut self, sum: Value) -> Value {
        self.op(|value| Op::Remainder(value, sum))
    }

    /// A coefficient times a factor of the group, or its negative.
    pub fn scale(&mut self, coefficient: Value, factor: usize, negated: bool) -> Value {
        self.op(|value| Op::Scale(value, coefficient, factor, negated))
    }

    /// See [`Op::Compress`].
    pub fn compress(&mut self, coefficient: Value, bits: u32) -> Value {
        self.op(|value| Op::Compress(value, coefficient, bits))
    }

    /// See [`Op::Canonical`].
    pub fn canonical(&mut self, coefficient: Value) -> Value {
        self.op(|value| Op::Canonical(value, coefficient))
    }

    /// See [`Op::Insert`].
    pub fn insert(&mut self, into: Value, from: Value, at: u32, count: u32) -> Value {
        self.op(|to| Op::Insert { to, into, from, at, count })
    }

    /// See [`Op::Drop`].
    pub fn drop_bits(&mut self, from: Value, bits: u32) -> Value {
        self.op(|value| Op::Drop(value, from, bits))
    }

    /// See [`Op::Bits`].
    pub fn bits(&mut self, from: Value, at: u32, count: u32) -> Value {
        self.op(|value| Op::Bits(value, from, at, count))
    }

    /// See [`Op::Decompress`].
    pub fn decompress(&mut self, number: Value, bits: u32) -> Value {
        self.op(|value| Op::Decompress(value, number, bits))
    }

    /// See [`Op::Change`].
    pub fn change(&mut self, from: Vec<Value>, by: Change) -> Vec<Value> {
        let Value(first) = self.fresh();
        let to: Vec<Value> = (first..).map(Value).take(from.len()).collect();
        self.ops.push(Op::Change { to: to.clone(), from, by });
        to
    }

    /// Exclusive or.
    pub fn xor(&mut self, a: Value, b: Value) -> Value {
        self.op(|value| Op::Xor(value, a, b))
    }

    /// See [`Op::Exchange`].
    pub fn exchange(&mut self, from: [Value; 2], n: u32) -> [Value; 2] {
        let Value(first) = self.fresh();
        let to = [Value(first), Value(first + 1)];
        self.ops.push(Op::Exchange(to, from, n));
        to
    }
}
