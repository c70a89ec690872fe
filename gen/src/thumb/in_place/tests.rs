//! Faults planted in what each pass makes: each is caught by a check that comes after it.

use super::order::{Item, Problem};
use super::*;
use crate::check::testing::{Fault, named};
use crate::kernels::keccak;
use std::num::NonZeroU32;

const TARGET: Target = Target::M4f;

fn shape() -> Shape {
    Shape::By(NonZeroU32::new(4).unwrap())
}

struct Sample {
    kernel: Kernel,
    in_place: InPlace,
    shape: Shape,
    shaped: Shaped,
}

impl Sample {
    fn new(shape: Shape) -> Sample {
        let kernel = keccak::f1600();
        let shaped = unroll::unroll(&kernel.body, shape).unwrap();
        Sample { in_place: kernel.in_place.unwrap(), kernel, shape, shaped }
    }

    fn unit(&self) -> Unit {
        Unit::new(&self.kernel, self.in_place, &self.shaped, self.shape == Shape::Looped).unwrap()
    }

    /// The problem of the repeated part, and an order for it.
    fn order(&self) -> (Problem, Vec<Item>) {
        let unit = self.unit();
        let word = |var: Var| unit.word(var);
        let problem = pieces::problem(&unit.parts[1], unit.around(self.in_place, TARGET, &word)).unwrap();
        let items = order::order(&problem).unwrap();
        (problem, items)
    }

    /// What the last check says to the code of `faulty` where it should compute what `right` does.
    fn finished(&self, right: &Unit, faulty: &Unit, fault: fn(&mut Vec<Placed>)) -> Option<&'static str> {
        let folded = right.folded(&self.kernel);
        let reference = Reference::new(&self.kernel, &folded, &self.shaped.inputs, &[], &right.table).unwrap();
        let (mut chunks, slots) = faulty.best(TARGET, &right.pieces(self.in_place, TARGET).unwrap()).unwrap();
        let is_loop = |chunk: &&mut Chunk| chunk.label.as_deref().is_some_and(|label| label.starts_with("loop"));
        fault(&mut chunks.iter_mut().find(is_loop).unwrap().code);
        let (_, function) = finish::finish(&self.kernel, TARGET, self.shape, chunks, slots, &mut |_, _| {}).unwrap();
        named(reference.finished(&Function { literals: right.table.clone(), ..function }))
    }
}

fn find<T>(all: &[T], what: impl Fn(&T) -> bool) -> usize {
    all.iter().position(what).unwrap()
}

fn loads(item: &Item) -> bool {
    matches!(item, Item::Load(_))
}

const IN_ORDER: [Fault<Vec<Item>>; 7] = [
    ("a computation dropped", |items| _ = items.remove(find(items, |i| matches!(i, Item::Run(..))))),
    ("a store dropped", |items| _ = items.remove(find(items, |i| matches!(i, Item::Store(..))))),
    ("a save dropped", |items| _ = items.remove(find(items, |i| matches!(i, Item::Save(_))))),
    ("a load dropped", |items| _ = items.remove(find(items, loads))),
    ("a value used before it is computed", |items| {
        let at = find(items, |i| matches!(i, Item::Run(..)));
        items[at..].rotate_left(1);
    }),
    ("a word loaded after another one took its place", |items| {
        let Item::Store(_, old) = items[find(items, |i| matches!(i, Item::Store(..)))] else { return };
        let again = find(items, |i| matches!(i, Item::Store(..))) + 1;
        items.insert(again, Item::Load(old));
    }),
    ("all words loaded at once", |items| items.sort_by_key(|item| !loads(item))),
];

#[test]
fn faults_in_order() {
    let (problem, items) = Sample::new(shape()).order();
    assert_eq!(named(check::order(&problem, &items)), None);
    assert_eq!(named(check::order(&Problem { registers: 9, ..problem.clone() }, &items)), Some("order"));
    for (name, fault) in IN_ORDER {
        let mut items = items.clone();
        fault(&mut items);
        assert_eq!(named(check::order(&problem, &items)), Some("order"), "{name}");
    }
}

const IN_ROTATIONS: [Fault<Unit>; 4] = [
    ("another rotation", |unit| {
        let mut insts = unit.rotated[1].insts.iter_mut().flatten();
        insts.find(|i| i.op == Row::EorReg && i.shift.amount != 0).unwrap().shift.amount ^= 1;
    }),
    ("a rotation that remains dropped", |unit| {
        let insts = unit.rotated[1].insts.iter_mut().find(|insts| insts.len() == 2);
        insts.unwrap().pop();
    }),
    ("operands exchanged", |unit| {
        let bic = unit.rotated[1].insts.iter_mut().flatten().find(|i| i.op == Row::BicReg).unwrap();
        (bic.n, bic.m) = (bic.m, bic.n);
    }),
    ("a constant not rotated", |unit| {
        let at = unit.table.iter().position(|word| word.count_ones() == 3).unwrap();
        unit.table[at] = unit.table[at].rotate_left(1);
    }),
];

#[test]
fn faults_in_rotations() {
    let sample = Sample::new(shape());
    let folds = |unit: &Unit| named(check::fold(&sample.shaped, &unit.folded(&sample.kernel), &unit.table));
    assert_eq!(folds(&sample.unit()), None);
    for (name, fault) in IN_ROTATIONS {
        let mut unit = sample.unit();
        fault(&mut unit);
        assert_eq!(folds(&unit), Some("fold"), "{name}");
    }
}

fn last_words(unit: &Unit) -> [usize; 2] {
    let renewed = &unit.blocks[1].renewed;
    [renewed[renewed.len() - 1].value, renewed[renewed.len() - 2].value]
}

const IN_HOMES: [Fault<Unit>; 2] = [
    ("words exchanged at the end", |unit| {
        let [a, b] = last_words(unit);
        let homes = &mut unit.homes[1].of;
        let (first, second) = (homes[&a], homes[&b]);
        homes.extend([(a, second), (b, first)]);
    }),
    ("two words in one place", |unit| {
        let [a, b] = [0, 1].map(|k| unit.blocks[1].renewed[k].value);
        let home = unit.homes[1].of[&a];
        unit.homes[1].of.insert(b, home);
    }),
];

const IN_REGISTERS: [Fault<Vec<Placed>>; 4] = [
    ("another register", |code| {
        let at = find(code, |p| p.inst.op == Row::EorReg && p.inst.m != p.inst.n);
        code[at].inst.m = code[at].inst.n;
    }),
    ("another slot", |code| {
        let at = find(code, |p| p.inst.op == Row::VmovRS);
        code[at].inst.n.0 ^= 1;
    }),
    ("a save dropped", |code| _ = code.remove(find(code, |p| p.inst.op == Row::VmovSR))),
    ("a store dropped", |code| _ = code.remove(find(code, |p| p.inst.op == Row::StrImm))),
];

#[test]
fn faults_in_homes_and_registers() {
    let sample = Sample::new(shape());
    let right = sample.unit();
    assert_eq!(sample.finished(&right, &right, |_| {}), None);
    for (name, fault) in IN_HOMES {
        let mut faulty = sample.unit();
        fault(&mut faulty);
        assert_eq!(sample.finished(&right, &faulty, |_| {}), Some("finish"), "{name}");
    }
    for (name, fault) in IN_REGISTERS {
        assert_eq!(sample.finished(&right, &right, fault), Some("finish"), "{name}");
    }
}

const IN_SUMS: [Fault<Sums>; 3] = [
    ("other words", |sums| sums.stride += 1),
    ("a word too few", |sums| sums.terms -= 1),
    ("a sum too few", |sums| sums.count -= 1),
];

const IN_FIELDS: [Fault<Unit>; 5] = [
    ("another mask", |unit| {
        unit.rotated[1].insts.iter_mut().flatten().find(|i| i.op == Row::AndImm).unwrap().imm <<= 1;
    }),
    ("another shift", |unit| {
        unit.rotated[1].insts.iter_mut().flatten().find(|i| i.op == Row::LsrImm).unwrap().shift.amount += 1;
    }),
    ("another byte", |unit| {
        unit.rotated[1].insts.iter_mut().flatten().find(|i| i.op == Row::LdrbImm).unwrap().imm = -1;
    }),
    ("a bit too many", |unit| unit.table[5] ^= 1 << 31),
    ("two bytes each time", |unit| unit.rows[1] = 2),
];

const IN_BYTES: [Fault<Vec<Placed>>; 2] = [
    ("another byte", |code| {
        let at = find(code, |p| p.inst.op == Row::LdrbImm);
        code[at].inst.imm = 1;
    }),
    ("another end", |code| {
        let at = find(code, |p| p.inst.op == Row::Adr);
        code[at].inst.imm = -1;
    }),
];

#[test]
fn faults_in_short_code() {
    let sample = Sample::new(Shape::Looped);
    let right = sample.unit();
    assert_eq!(sample.finished(&right, &right, |_| {}), None);
    for (name, fault) in IN_SUMS {
        let mut faulty = sample.unit();
        fault(faulty.sums.as_mut().unwrap());
        assert_eq!(sample.finished(&right, &faulty, |_| {}), Some("finish"), "{name}");
    }
    let folds = |unit: &Unit| named(check::fold(&sample.shaped, &unit.folded(&sample.kernel), &unit.table));
    assert_eq!(folds(&right), None);
    for (name, fault) in IN_FIELDS {
        let mut faulty = sample.unit();
        fault(&mut faulty);
        assert_eq!(folds(&faulty), Some("fold"), "{name}");
    }
    for (name, fault) in IN_BYTES {
        assert_eq!(sample.finished(&right, &right, fault), Some("finish"), "{name}");
    }
}

/// Constants of four repetitions, and what their fields say: the constant, its bits, and its bits in the byte.
fn check_fields(rows: [&[u32]; 4], expected: Option<&[(u32, u32, u32)]>) {
    let found = short::fields(&rows.map(<[u32]>::to_vec));
    let said = found
        .map(|fields| fields.iter().map(|f| (f.constant, f.bits, f.bits.rotate_right(f.rotl))).collect::<Vec<_>>());
    assert_eq!(said.as_deref(), expected, "{rows:x?}");
}

#[test]
fn constants_become_fields() {
    // One constant that is a byte already; one that is one when it is rotated.
    check_fields([&[0x81], &[0], &[1], &[3]], Some(&[(0, 0x83, 0x83)]));
    check_fields([&[0x8000_0001], &[0], &[0], &[0]], Some(&[(0, 0x8000_0001, 0x3)]));
    // Two constants, one at each end.
    check_fields([&[1, 0x100], &[0; 2], &[0; 2], &[0; 2]], Some(&[(0, 1, 1), (1, 0x100, 2)]));
    // Bits too far apart for a byte.
    check_fields([&[0x0001_0001], &[0], &[0], &[0]], Some(&[(0, 1, 1), (0, 0x1_0000, 2)]));
    // Nine bits.
    check_fields([&[0x1ff], &[0], &[0], &[0]], None);
}
