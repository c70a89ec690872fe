//! What a kernel computes: steps over 32-bit words, repetitions, and a message loop. No register, no instruction.

use crate::function::{Direction, Interface, Param, ParamType};
use crate::map::Map;
use crate::transform::Transform;
use std::fmt::Write as _;

/// A 32-bit variable of a kernel. Steps change variables in place, as the standards write their algorithms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub u16);

/// Where a word in memory is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The variable that holds the base address.
    pub base: Var,
    /// Bytes from there, a multiple of 4.
    pub offset: u32,
}

/// One operation. The first variable is the destination.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// `d = a + b` mod 2^32.
    Add(Var, Var, Var),
    /// `d = a ^ b`.
    Xor(Var, Var, Var),
    /// `d = a & !b`.
    AndNot(Var, Var, Var),
    /// `d = a <<< n`, n in 1..=31.
    Rotl(Var, Var, u32),
    /// `d = s`.
    Copy(Var, Var),
    /// `d` = constant `k` of the present repetition.
    Constant(Var, u32),
    /// `d = memory[place]`.
    Load(Var, Place),
    /// `memory[place] = s`.
    Store(Var, Place),
}

/// A part of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// Words that are in memory when the kernel begins; fetched where they are first wanted, in any order.
    Inputs(Vec<(Var, Place)>),
    /// Operations that stay together and in order; steps that share no variable may be exchanged.
    Step {
        /// What a reader of the assembly is told.
        title: String,
        /// The operations.
        ops: Vec<Op>,
    },
    /// `count` repetitions of the same steps over the same variables.
    Repeat {
        /// At least 1.
        count: u32,
        /// The constants of each repetition, as many for each; empty if there are none.
        constants: Vec<Vec<u32>>,
        /// What is repeated.
        body: Vec<Node>,
    },
}

/// How the message kernels advance from block to block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stream {
    /// Bytes of a block.
    pub block_bytes: u32,
    /// Word of the state that counts blocks.
    pub counter_word: u32,
    /// 1 or 2 words of counter. A 32-bit counter that would wrap is refused before anything is written.
    pub counter_words: u32,
    /// Words of the state.
    pub state_words: u32,
}

/// A kernel that works on an array in memory that is too large for registers. Its first parameter is the array; the body loads all of it,
/// computes every word anew in each repetition, and stores all of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InPlace {
    /// Words of the array.
    pub words: u32,
    /// Words that belong together and lie together.
    pub words_per_lane: u32,
    /// Lanes are a matrix with so many columns, row after row. A step that reads a lane of each column and computes a lane of each column can put
    /// the new ones where the old ones were, each into its column.
    pub columns: u32,
}

impl InPlace {
    /// The column of a word.
    pub const fn column(self, word: u32) -> u32 {
        word / self.words_per_lane % self.columns
    }
}

/// A kernel that takes numbers of some bits out of a stream of bytes, lowest bits first, and appends those that are small enough to an array
/// of halfwords. Its parameters are the array, how many numbers are in it, the bytes, and how many these are; it returns how many numbers are
/// in the array then. Everything is public.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rejection {
    /// Bits of a number, at most 16.
    pub bits: u32,
    /// Smaller numbers are taken.
    pub bound: u32,
    /// Elements of the array.
    pub most: u32,
    /// The call whose cycles are stated.
    pub call: &'static str,
}

/// A variable's declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declared {
    /// Name in listings.
    pub name: String,
    /// True if it may hold a secret.
    pub secret: bool,
}

/// A kernel: interface and body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// Such as `chacha20_permute`.
    pub name: String,
    /// Such as `chacha`.
    pub family: &'static str,
    /// For callers.
    pub interface: Interface,
    /// Every variable; the first ones are the parameters, in order.
    pub vars: Vec<Declared>,
    /// What is done: once, or once for each block of a message.
    pub body: Vec<Node>,
    /// Present if the body works on one block of a message. The parameters are then `out, in, len, state`.
    pub stream: Option<Stream>,
    /// Present if the kernel is a transform of the polynomial that is its only parameter; the body is then empty.
    pub transform: Option<Transform>,
    /// Present if the body works on an array that stays in memory.
    pub in_place: Option<InPlace>,
    /// Present if the kernel takes numbers out of a stream of bytes; the body is then empty.
    pub rejection: Option<Rejection>,
    /// Present if the kernel does the same with each group of elements of its arrays; the body is then empty.
    pub map: Option<Map>,
    /// The same with smaller groups, if there is such a form: what loops are made of.
    pub small_groups: Option<Map>,
}

impl Kernel {
    /// Starts a kernel with this interface; `body` describes it.
    pub fn new(name: String, family: &'static str, interface: Interface, body: impl FnOnce(&mut Builder)) -> Kernel {
        let vars = interface.params.iter().map(|p| Declared { name: p.name.to_owned(), secret: false }).collect();
        let mut b =
            Builder { interface: &interface, vars, nodes: Vec::new(), stream: None, transform: None, in_place: None };
        body(&mut b);
        let Builder { vars, nodes, stream, transform, in_place, .. } = b;
        let (rejection, map, small_groups) = (None, None, None);
        let body = nodes;
        Kernel { name, family, interface, vars, body, stream, transform, in_place, rejection, map, small_groups }
    }

    /// A kernel that takes numbers out of a stream of bytes.
    pub fn rejecting(name: &str, family: &'static str, interface: Interface, rejection: Rejection) -> Kernel {
        Kernel { rejection: Some(rejection), ..Kernel::new(name.to_owned(), family, interface, |_| {}) }
    }

    /// A kernel that does the same with each group of elements of its arrays.
    pub fn mapping(name: &str, family: &'static str, interface: Interface, map: Map) -> Kernel {
        Kernel { map: Some(map), ..Kernel::new(name.to_owned(), family, interface, |_| {}) }
    }

    /// The same kernel with a form of smaller groups.
    pub fn with_small_groups(self, map: Map) -> Kernel {
        Kernel { small_groups: Some(map), ..self }
    }

    /// True if the kernel is what its body says, on words that are loaded, computed with and stored.
    pub fn is_of_words(&self) -> bool {
        self.in_place.is_none() && self.transform.is_none() && self.map.is_none() && self.rejection.is_none()
    }

    /// The variable of parameter `index`.
    pub fn param(index: usize) -> Var {
        Var(index as u16)
    }

    /// The body as text, for `gen explain` and for tests.
    pub fn listing(&self) -> String {
        let mut text = String::new();
        if let Some(t) = &self.transform {
            let _ = writeln!(text, "{t:?}");
        }
        if let Some(rejection) = &self.rejection {
            let _ = writeln!(text, "{rejection:?}");
        }
        for map in self.map.iter().chain(&self.small_groups) {
            let _ = writeln!(text, "{:?}, {:?}", map.groups, map.arrays);
            map.ops.iter().for_each(|op| _ = writeln!(text, "  {op:?}"));
        }
        list(&self.vars, &self.body, 0, &mut text);
        text
    }
}

/// Collects the body of a kernel.
pub struct Builder<'a> {
    interface: &'a Interface,
    vars: Vec<Declared>,
    nodes: Vec<Node>,
    stream: Option<Stream>,
    transform: Option<Transform>,
    in_place: Option<InPlace>,
}

impl Builder<'_> {
    fn declare(&mut self, name: String, secret: bool) -> Var {
        self.vars.push(Declared { name, secret });
        Var((self.vars.len() - 1) as u16)
    }

    /// The base variable of a parameter. A name that the interface lacks is a fault of the kernel's author.
    fn param(&self, name: &str) -> (Var, &Param) {
        match self.interface.params.iter().position(|p| p.name == name) {
            Some(i) => (Kernel::param(i), &self.interface.params[i]),
            None => panic!("the interface has no parameter {name}"),
        }
    }

    /// The words of an input parameter (or of a message kernel's state), each fetched where it is first wanted.
    pub fn load(&mut self, param: &str, words: u32, prefix: &str) -> Vec<Var> {
        let (base, p) = self.param(param);
        let secret = p.secret;
        debug_assert!(p.direction != Direction::Out && p.ty == ParamType::Words(words));
        let vars: Vec<Var> = (0..words).map(|k| self.declare(format!("{prefix}{k}"), secret)).collect();
        let places = vars.iter().zip(0..).map(|(&v, k)| (v, Place { base, offset: 4 * k })).collect();
        self.nodes.push(Node::Inputs(places));
        vars
    }

    /// A step: `f` lists its operations.
    pub fn step(&mut self, title: impl Into<String>, f: impl FnOnce(&mut Step<'_>)) {
        let mut step = Step { vars: &mut self.vars, interface: self.interface, ops: Vec::new() };
        f(&mut step);
        let ops = step.ops;
        self.nodes.push(Node::Step { title: title.into(), ops });
    }

    /// Stores variables to consecutive words of an output parameter.
    pub fn store(&mut self, param: &str, words: &[Var]) {
        for (k, &w) in (0..).zip(words) {
            self.step(format!("{param}[{k}]"), |s| s.store(param, k, w));
        }
    }

    /// `count` repetitions of what `body` describes.
    pub fn repeat(&mut self, count: u32, body: impl FnOnce(&mut Self)) {
        self.repeated(count, Vec::new(), body);
    }

    /// One repetition for each row of constants.
    pub fn repeat_with(&mut self, constants: Vec<Vec<u32>>, body: impl FnOnce(&mut Self)) {
        self.repeated(constants.len() as u32, constants, body);
    }

    fn repeated(&mut self, count: u32, constants: Vec<Vec<u32>>, body: impl FnOnce(&mut Self)) {
        let outer = std::mem::take(&mut self.nodes);
        body(self);
        let body = std::mem::replace(&mut self.nodes, outer);
        self.nodes.push(Node::Repeat { count, constants, body });
    }

    /// Variables that steps will define.
    pub fn declared(&mut self, count: usize, prefix: &str) -> Vec<Var> {
        (0..count).map(|k| self.declare(format!("{prefix}{k}"), true)).collect()
    }

    /// Declares that the first parameter is an array that is worked on where it is.
    pub fn in_place(&mut self, in_place: InPlace) {
        self.in_place = Some(in_place);
    }

    /// Declares that the parameter becomes its transform.
    pub fn transform(&mut self, transform: Transform) {
        self.transform = Some(transform);
    }

    /// Declares that the body is one block of a message.
    pub fn stream(&mut self, stream: Stream) {
        self.stream = Some(stream);
    }
}

/// Collects the operations of a step.
pub struct Step<'a> {
    vars: &'a mut Vec<Declared>,
    interface: &'a Interface,
    ops: Vec<Op>,
}

impl Step<'_> {
    /// `a += b`.
    pub fn add(&mut self, a: Var, b: Var) {
        self.ops.push(Op::Add(a, a, b));
    }

    /// `a ^= b`.
    pub fn xor(&mut self, a: Var, b: Var) {
        self.ops.push(Op::Xor(a, a, b));
    }

    /// `a <<<= n`.
    pub fn rotl(&mut self, a: Var, n: u32) {
        self.ops.push(Op::Rotl(a, a, n));
    }

    fn fresh(&mut self, name: &str) -> Var {
        self.vars.push(Declared { name: name.to_owned(), secret: true });
        Var((self.vars.len() - 1) as u16)
    }

    /// A fresh variable with `a ^ b`.
    pub fn sum(&mut self, name: &str, a: Var, b: Var) -> Var {
        let d = self.fresh(name);
        self.ops.push(Op::Xor(d, a, b));
        d
    }

    /// A fresh variable with `a & !b`.
    pub fn and_not(&mut self, name: &str, a: Var, b: Var) -> Var {
        let d = self.fresh(name);
        self.ops.push(Op::AndNot(d, a, b));
        d
    }

    /// A fresh variable with `a <<< n`, n in 0..=31; `a` itself if n is 0.
    pub fn rotated(&mut self, name: &str, a: Var, n: u32) -> Var {
        if n == 0 {
            return a;
        }
        let d = self.fresh(name);
        self.ops.push(Op::Rotl(d, a, n));
        d
    }

    /// A fresh variable with constant `k` of the repetition.
    pub fn constant(&mut self, name: &str, k: u32) -> Var {
        let d = self.fresh(name);
        self.ops.push(Op::Constant(d, k));
        d
    }

    /// `d = s`.
    pub fn copy(&mut self, d: Var, s: Var) {
        self.ops.push(Op::Copy(d, s));
    }

    /// A fresh variable with word `k` of an input parameter.
    pub fn word(&mut self, param: &str, k: u32) -> Var {
        let (base, secret) = self.base(param);
        self.vars.push(Declared { name: format!("{param}{k}"), secret });
        let v = Var((self.vars.len() - 1) as u16);
        self.ops.push(Op::Load(v, Place { base, offset: 4 * k }));
        v
    }

    /// Word `k` of an output parameter becomes `s`.
    pub fn store(&mut self, param: &str, k: u32, s: Var) {
        let (base, _) = self.base(param);
        self.ops.push(Op::Store(s, Place { base, offset: 4 * k }));
    }

    fn base(&self, param: &str) -> (Var, bool) {
        match self.interface.params.iter().position(|p| p.name == param) {
            Some(i) => (Kernel::param(i), self.interface.params[i].secret),
            None => panic!("the interface has no parameter {param}"),
        }
    }
}

/// An operation in words.
pub fn op_text(vars: &[Declared], op: &Op) -> String {
    let n = |v: &Var| vars[v.0 as usize].name.as_str();
    let p = |p: &Place| format!("{}[{}]", n(&p.base), p.offset / 4);
    match op {
        Op::Add(d, a, b) => format!("{} = {} + {}", n(d), n(a), n(b)),
        Op::Xor(d, a, b) => format!("{} = {} ^ {}", n(d), n(a), n(b)),
        Op::AndNot(d, a, b) => format!("{} = {} & ~{}", n(d), n(a), n(b)),
        Op::Rotl(d, a, k) => format!("{} = {} <<< {k}", n(d), n(a)),
        Op::Copy(d, s) => format!("{} = {}", n(d), n(s)),
        Op::Constant(d, k) => format!("{} = constant {k}", n(d)),
        Op::Load(d, place) => format!("{} = {}", n(d), p(place)),
        Op::Store(s, place) => format!("{} = {}", p(place), n(s)),
    }
}

fn list(vars: &[Declared], nodes: &[Node], depth: usize, text: &mut String) {
    let pad = "  ".repeat(depth);
    for node in nodes {
        match node {
            Node::Inputs(places) => {
                for (v, place) in places {
                    let _ = writeln!(text, "{pad}{}", op_text(vars, &Op::Load(*v, *place)));
                }
            }
            Node::Step { title, ops } => {
                let _ = writeln!(text, "{pad}{title}:");
                for op in ops {
                    let _ = writeln!(text, "{pad}  {}", op_text(vars, op));
                }
            }
            Node::Repeat { count, body, .. } => {
                let _ = writeln!(text, "{pad}repeat {count}:");
                list(vars, body, depth + 1, text);
            }
        }
    }
}
