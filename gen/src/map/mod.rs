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
    /// Four bytes at any address, the first of them the lowest bits.
    Bytes,
}

impl Element {
    /// Bytes of it.
    pub const fn bytes(self) -> u32 {
        if matches!(self, Element::Coefficient) { 2 } else { 4 }
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
    /// Numbers that are read are from the first to the second.
    pub read: (i32, i32),
    /// And those that are written.
    pub written: (i32, i32),
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
}

/// An operation on the values of a group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op {
    /// The element of an array that is so many bytes after the beginning of the group.
    Load(Value, usize, u32),
    /// An element of an array becomes this value.
    Store(usize, u32, Value),
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
    /// round(2^D/q · x) mod 2^D of any coefficient x, for D = `u32` bits from 1 to 11 and the modulus q.
    Compress(Value, Value, u32),
    /// Any coefficient modulo the modulus, from 0 on.
    Canonical(Value, Value),
    /// The first value, and the second so many bits higher.
    Join(Value, Value, Value, u32),
    /// A value without so many of its lowest bits.
    Drop(Value, Value, u32),
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
            Op::Store(_, _, a) | Op::Reduce(_, a) | Op::Remainder(_, a) | Op::Scale(_, a, ..) => vec![*a],
            Op::Compress(_, a, _) | Op::Canonical(_, a) | Op::Drop(_, a, _) => vec![*a],
            Op::Products(_, terms, plus) => terms.iter().flat_map(|(a, b)| [*a, *b]).chain(*plus).collect(),
            Op::Xor(_, a, b) | Op::Join(_, a, b, _) => vec![*a, *b],
            Op::Exchange(_, from, _) => from.to_vec(),
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
        self.arrays.push(Array { param, element, bytes: elements * element.bytes(), read: bounds, written: bounds });
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

    /// The bits of compressed coefficients; 0 if there are none.
    pub fn compressed_bits(&self) -> u32 {
        self.ops.iter().find_map(|op| if let Op::Compress(_, _, bits) = op { Some(*bits) } else { None }).unwrap_or(0)
    }

    fn fresh(&self) -> Value {
        let made = self.ops.iter().map(|op| match op {
            Op::Store(..) => 0,
            Op::Exchange(..) => 2,
            _ => 1,
        });
        Value(made.sum())
    }

    fn op(&mut self, make: impl FnOnce(Value) -> Op) -> Value {
        let value = self.fresh();
        self.ops.push(make(value));
        value
    }

    /// Element `index` of the group.
    pub fn load(&mut self, array: usize, index: u32) -> Value {
        let at = index * self.arrays[array].element.bytes();
        self.op(|value| Op::Load(value, array, at))
    }

    /// Element `index` of the group becomes `value`.
    pub fn store(&mut self, array: usize, index: u32, value: Value) {
        let at = index * self.arrays[array].element.bytes();
        self.ops.push(Op::Store(array, at, value));
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

    /// See [`Op::Join`].
    pub fn join(&mut self, low: Value, high: Value, bits: u32) -> Value {
        self.op(|value| Op::Join(value, low, high, bits))
    }

    /// See [`Op::Drop`].
    pub fn drop_bits(&mut self, from: Value, bits: u32) -> Value {
        self.op(|value| Op::Drop(value, from, bits))
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
