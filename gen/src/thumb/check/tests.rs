//! Faults planted in real intermediate results: each is caught by the check of the pass that could have made it.

use super::*;
use crate::check::testing::{Fault, named};
use crate::function::{self, Function, Line};
use crate::ir::{Kernel, Var};
use crate::kernels::chacha;
use crate::plan::{self as planner, Action, MoveCost, Problem};
use crate::problem;
use crate::target::{Shape, Target};
use crate::thumb::assign::{Placed, Placement, Slots};
use crate::thumb::finish::{Chunk, pair_moves};
use crate::thumb::fold as folding;
use crate::thumb::lower::{Unit, compile};
use crate::thumb::problem::REGISTERS;
use crate::unroll::unroll;
use isa::thumb::{Inst, Op as Row, Reg, ShiftKind};
use kernels::params::chacha::Rounds;

fn kernel() -> Kernel {
    chacha::permute(Rounds::R8)
}

fn unit(target: Target, shape: Shape) -> Unit {
    let kernel = kernel();
    let shaped = unroll(&kernel.body, shape).unwrap();
    let params = [Kernel::param(0), Kernel::param(1)];
    Unit::new(&kernel, target, folding::fold(&shaped.segments), shaped.inputs, params.into(), &[]).unwrap()
}

fn start(unit: &Unit) -> Placement {
    let reg = (0..2).filter_map(|p| Some((unit.number(Var(p))?, Reg(p as u8)))).collect();
    Placement { reg, ..Placement::default() }
}

fn placed(unit: &Unit, target: Target) -> (Vec<Chunk>, Slots) {
    let slots = Slots::new(if target.has_fpu() { 0xffff } else { 0 }, 0);
    unit.place(start(unit), slots, None, 0, &mut |_, _| {}).unwrap()
}

fn find(code: &[Placed], what: impl Fn(&Inst) -> bool) -> usize {
    code.iter().position(|p| what(&p.inst)).unwrap()
}

fn moves_out(i: &Inst) -> bool {
    i.op == Row::VmovSR || i.op == Row::StrImm && i.n == Reg::SP
}

fn rotates(i: &Inst) -> bool {
    i.shift.kind == ShiftKind::Ror && i.op == Row::EorReg
}

const IN_ASSIGNMENT: [Fault<Vec<Placed>>; 5] = [
    ("another register", |code| {
        let at = find(code, |i| i.op == Row::EorReg);
        code[at].inst.m = code[at].inst.n;
    }),
    ("a save dropped", |code| {
        code.remove(find(code, moves_out));
    }),
    ("a load from another slot", |code| {
        let at = find(code, |i| i.op == Row::VmovRS || i.op == Row::LdrImm && i.n == Reg::SP);
        let inst = &mut code[at].inst;
        if inst.op == Row::VmovRS { inst.n.0 ^= 1 } else { inst.imm ^= 4 }
    }),
    ("another rotation", |code| {
        let at = find(code, rotates);
        code[at].inst.shift.amount ^= 1;
    }),
    ("a word of the frame read before it is written", |code| {
        code.insert(0, Inst { d: Reg(2), n: Reg::SP, ..Inst::new(Row::LdrImm) }.into());
    }),
];

#[test]
fn faults_in_assignment() {
    for target in Target::ALL {
        let unit = unit(target, Shape::Unrolled);
        let (chunks, slots) = placed(&unit, target);
        let (before, after) = (start(&unit), Placement::default());
        let ends = Ends { before: &before, after: &after };
        let check = |chunks: &[Chunk]| unit.reference.assigned(&unit.numbering, ends, &slots, chunks);
        assert_eq!(named(check(&chunks)), None);
        for (name, fault) in IN_ASSIGNMENT {
            let mut chunks = chunks.clone();
            fault(&mut chunks[0].code);
            assert_eq!(named(check(&chunks)), Some("assign"), "{target}: {name}");
        }
    }
}

#[test]
fn loop_counter() {
    let unit = unit(Target::M3, Shape::Looped);
    let (mut chunks, slots) = placed(&unit, Target::M3);
    let (before, after) = (start(&unit), Placement::default());
    let at = find(&chunks[0].code, |i| i.op == Row::MovImm);
    for (by, expected) in [(0, None), (1, Some("assign")), (-2, Some("assign"))] {
        chunks[0].code[at].inst.imm += by;
        let ends = Ends { before: &before, after: &after };
        assert_eq!(named(unit.reference.assigned(&unit.numbering, ends, &slots, &chunks)), expected, "{by}");
    }
}

#[test]
fn faults_in_order() {
    let code = pair_moves(placed(&unit(Target::M3, Shape::Unrolled), Target::M3).0.remove(0).code, 0);
    assert_eq!(named(scheduled(&code, &code, true)), None);
    let depends = |i: &usize| {
        let (first, second) = (code[*i].inst.effects(), code[i + 1].inst.effects());
        first.core_writes & second.core_reads != 0
    };
    let pairs: Vec<usize> = (0..code.len() - 1).filter(depends).step_by(20).collect();
    assert!(pairs.len() > 5);
    for at in pairs {
        let mut other = code.clone();
        other.swap(at, at + 1);
        assert_eq!(named(scheduled(&code, &other, true)), Some("schedule"), "{at}");
    }
}

#[test]
fn rotation_in_folded_code() {
    let shaped = unroll(&kernel().body, Shape::Looped).unwrap();
    let good = folding::fold(&shaped.segments);
    assert_eq!(named(fold(&shaped, &good, &[])), None);
    let mut bad = good;
    let insts = bad.iter_mut().flat_map(|s| &mut s.groups).flat_map(|g| &mut g.insts);
    let rotated = insts.filter(|i| i.shift.kind == ShiftKind::Ror).last().unwrap();
    rotated.shift.amount ^= 1;
    assert_eq!(named(fold(&shaped, &bad, &[])), Some("fold"));
}

#[test]
fn faults_in_plans() {
    let unit = unit(Target::M3, Shape::Unrolled);
    let cost = MoveCost { load: 1, load_batch: 1, save: 1, save_fresh: 1 };
    let whole = problem::problem(&unit.segments[0].groups, &unit.inputs, &unit.numbering, REGISTERS, cost);
    let problem = Problem { resident: start(&unit).reg.keys().fold(0, |s, v| s | 1 << v), ..whole };
    let (actions, _) = planner::plan(&problem).unwrap();
    assert_eq!(named(plan(&problem, &actions)), None);
    let first = |what: fn(&Action) -> bool| actions.iter().position(what).unwrap();
    let load = first(|a| matches!(a, Action::Load(_)));
    let kinds = [
        first(|a| matches!(a, Action::Save(_))),
        load,
        first(|a| matches!(a, Action::Fetch(_))),
        first(|a| matches!(a, Action::Run(_))),
    ];
    for at in kinds {
        let mut fewer = actions.clone();
        fewer.remove(at);
        assert_eq!(named(plan(&problem, &fewer)), Some("plan"), "without {:?}", actions[at]);
    }
    let run = load + actions[load..].iter().position(|a| matches!(a, Action::Run(_))).unwrap();
    let mut other = actions.clone();
    other.swap(load, run);
    assert_eq!(named(plan(&problem, &other)), Some("plan"), "exchanged");
}

fn insts(function: &mut Function) -> impl Iterator<Item = &mut Inst> {
    function.lines.iter_mut().filter_map(|line| match line {
        Line::Inst { inst: function::Inst::Thumb(inst), .. } => Some(inst),
        _ => None,
    })
}

fn insert(function: &mut Function, inst: Inst) {
    function.lines.insert(0, Line::Inst { inst: inst.into(), target: None, remark: String::new() });
}

const IN_THE_END: [Fault<Function>; 4] = [
    ("r4 neither saved nor restored", |f| {
        insts(f).filter(|i| matches!(i.op, Row::Push | Row::Pop)).for_each(|i| i.list &= !(1 << 4));
    }),
    ("s16 overwritten", |f| insert(f, Inst { d: Reg(16), n: Reg(0), ..Inst::new(Row::VmovSR) })),
    ("sp moved", |f| insert(f, Inst { d: Reg::SP, n: Reg::SP, imm: 8, ..Inst::new(Row::SubImm) })),
    ("a word of the frame read before it is written", |f| {
        let store = insts(f).find(|i| matches!(i.op, Row::StrImm | Row::StrdImm) && i.n == Reg::SP).unwrap();
        *store = Inst::new(Row::Nop);
    }),
];

#[test]
fn faults_in_finished_functions() {
    for shape in [Shape::Unrolled, Shape::Looped] {
        for kernel in [kernel(), chacha::block(Rounds::R8)] {
            let function = compile(&kernel, Target::M3, shape, &mut |_, _| {}).unwrap();
            let shaped = unroll(&kernel.body, shape).unwrap();
            let segments = folding::fold(&shaped.segments);
            let reference = Reference::new(&kernel, &segments, &shaped.inputs, &[], &[]).unwrap();
            assert_eq!(named(reference.finished(&function)), None);
            for (name, fault) in IN_THE_END {
                let mut function = function.clone();
                fault(&mut function);
                assert_eq!(named(reference.finished(&function)), Some("finish"), "{shape}: {name}");
            }
        }
    }
}
