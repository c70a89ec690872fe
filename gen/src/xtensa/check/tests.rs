//! Faults planted in real intermediate results: each is caught by the check of the pass that could have made it.

use super::*;
use crate::check::testing::{Fault, named};
use crate::compile::V;
use crate::function::Function;
use crate::ir::{Kernel, Var};
use crate::kernels::chacha;
use crate::target::{Abi, Shape, Target};
use crate::unroll::unroll;
use crate::xtensa::assign::{Placed, Placement, Refer, Slots, mac};
use crate::xtensa::finish::{Chunk, FIRST_PARAM, FREE_MAC, Goal, finish_chunks};
use crate::xtensa::lower::{Unit, compile};
use crate::xtensa::{dense, fold as folding, stream, wide};
use isa::xtensa::{Core, Inst, Op as Row, Reg, decode, encode, sr};
use kernels::params::chacha::{Counter, Rounds};

fn kernel() -> Kernel {
    chacha::permute(Rounds::R8)
}

fn unit(shape: Shape) -> Unit {
    let kernel = kernel();
    let shaped = unroll(&kernel.body, shape).unwrap();
    let params = [Kernel::param(0), Kernel::param(1)];
    let segments = folding::fold(&shaped.segments);
    let reference = Reference::new(&kernel, &segments, &shaped.inputs, &[]).unwrap();
    Unit::new(kernel.vars.len() as u16, segments, shaped.inputs, params.into(), &[], reference).unwrap()
}

fn start(unit: &Unit) -> Placement {
    let reg = (0..2).filter_map(|p| Some((unit.number(Var(p))?, Reg(p as u8 + FIRST_PARAM)))).collect();
    Placement { reg, ..Placement::default() }
}

fn placed(unit: &Unit) -> (Vec<Chunk>, Slots) {
    let (chunks, _, slots) = unit.place(start(unit), Slots::new(FREE_MAC, 0), None, 0, &mut |_, _| {}).unwrap();
    (chunks, slots)
}

fn find(code: &[Placed], what: impl Fn(&Inst) -> bool) -> usize {
    code.iter().position(|p| what(&p.inst)).unwrap()
}

fn special(row: Row, t: u8, register: i64) -> Inst {
    Inst { t: Reg(t), imm: register, ..Inst::new(row) }
}

const IN_ASSIGNMENT: [Fault<Vec<Placed>>; 9] = [
    ("another register", |code| {
        let at = find(code, |i| i.op == Row::Xor);
        code[at].inst.t = code[at].inst.s;
    }),
    ("SAR not set", |code| {
        let last = code.iter().rposition(|p| p.inst.op == Row::Ssai).unwrap();
        code.remove(last);
    }),
    ("SAR never set", |code| code.retain(|p| p.inst.op != Row::Ssai)),
    ("SAR wrong", |code| {
        let at = find(code, |i| i.op == Row::Ssai);
        code[at].inst.imm ^= 1;
    }),
    ("an exchange dropped", |code| {
        code.remove(find(code, |i| i.op == Row::Xsr));
    }),
    ("an exchange with another place", |code| {
        let at = find(code, |i| i.op == Row::Xsr);
        code[at].inst.imm = mac(2);
    }),
    ("a save dropped", |code| {
        code.remove(find(code, |i| i.op == Row::Wsr));
    }),
    ("an exchange of another register", |code| {
        let at = find(code, |i| i.op == Row::Xsr);
        code[at].inst.t.0 ^= 2;
    }),
    ("a word of the frame read before it is written", |code| {
        code.insert(0, Inst { t: Reg(4), s: Reg::SP, ..Inst::new(Row::L32i) }.into());
    }),
];

#[test]
fn faults_in_assignment() {
    let unit = unit(Shape::Unrolled);
    let (chunks, slots) = placed(&unit);
    let (before, after) = (start(&unit), Placement::default());
    let ends = Ends { before: &before, after: &after };
    let check = |chunks: &[Chunk]| unit.reference.assigned(&unit.numbering, ends, &slots, chunks);
    assert_eq!(named(check(&chunks)), None);
    for (name, fault) in IN_ASSIGNMENT {
        let mut chunks = chunks.clone();
        fault(&mut chunks[0].code);
        assert_eq!(named(check(&chunks)), Some("assign"), "{name}");
    }
}

/// If there are no MAC registers to be had, words are exchanged through the frame.
#[test]
fn without_mac_registers() {
    for shape in [Shape::Unrolled, Shape::Looped] {
        let unit = unit(shape);
        let (before, slots) = (start(&unit), Slots::new(0, 0));
        let (chunks, after, slots) = unit.place(before.clone(), slots, None, 0, &mut |_, _| {}).unwrap();
        let ends = Ends { before: &before, after: &after };
        assert_eq!(named(unit.check(ends, &slots, &chunks)), None);
        assert!(chunks.iter().flat_map(|c| &c.code).all(|p| p.inst.effects().writes.mac == 0), "{shape}");
    }
}

const IN_LOOPS: [Fault<Vec<Chunk>>; 6] = [
    ("one time less", |c| find_in(c, |i| matches!(i.op, Row::Movi | Row::MoviN)).inst.imm -= 1),
    ("one time more", |c| find_in(c, |i| matches!(i.op, Row::Movi | Row::MoviN)).inst.imm += 1),
    ("LCOUNT clobbered", |c| c[1].code.insert(9, special(Row::Wsr, 2, sr::LCOUNT as i64).into())),
    ("LEND somewhere else", |c| find_in(c, |i| i.op == Row::Addmi).refer = None),
    ("no ISYNC", |c| c[0].code.retain(|p| p.inst.op != Row::Isync)),
    ("LBEG not set", |c| {
        c[0].code.retain(|p| !(p.inst.op == Row::Wsr && p.inst.imm == sr::LBEG as i64));
    }),
];

fn find_in(chunks: &mut [Chunk], what: impl Fn(&Inst) -> bool) -> &mut Placed {
    chunks.iter_mut().flat_map(|c| &mut c.code).find(|p| what(&p.inst)).unwrap()
}

#[test]
fn faults_in_loops() {
    let unit = unit(Shape::Looped);
    let (chunks, slots) = placed(&unit);
    let (before, after) = (start(&unit), Placement::default());
    let ends = Ends { before: &before, after: &after };
    let check = |chunks: &[Chunk]| unit.reference.assigned(&unit.numbering, ends, &slots, chunks);
    assert_eq!(named(check(&chunks)), None);
    for (name, fault) in IN_LOOPS {
        let mut chunks = chunks.clone();
        fault(&mut chunks);
        assert_eq!(named(check(&chunks)), Some("assign"), "{name}");
    }
}

#[test]
fn faults_in_order() {
    let code = placed(&unit(Shape::Unrolled)).0.remove(0).code;
    assert_eq!(named(scheduled(&code, &code)), None);
    let depends = |i: &usize| {
        let (first, second) = (code[*i].inst.effects(), code[i + 1].inst.effects());
        first.writes.meets(&second.reads)
    };
    let pairs: Vec<usize> = (0..code.len() - 1).filter(depends).step_by(7).collect();
    let shifts = pairs.iter().filter(|&&at| code[at].inst.op == Row::Ssai).count();
    assert!(pairs.len() > 20 && shifts > 0, "{} {shifts}", pairs.len());
    for at in pairs {
        let mut other = code.clone();
        other.swap(at, at + 1);
        assert_eq!(named(scheduled(&code, &other)), Some("schedule"), "{at}: {}", code[at].inst);
    }
}

#[test]
fn faults_in_the_order_of_a_loops_setup() {
    let code = placed(&unit(Shape::Looped)).0.remove(0).code;
    assert_eq!(named(scheduled(&code, &code)), None);
    let at = find(&code, |i| i.op == Row::Isync);
    let mut other = code.clone();
    let isync = other.remove(at);
    other.insert(at - 1, isync);
    assert_eq!(named(scheduled(&code, &other)), Some("schedule"));
}

#[test]
fn rotation_in_folded_code() {
    let shaped = unroll(&kernel().body, Shape::Looped).unwrap();
    let good = folding::fold(&shaped.segments);
    assert_eq!(named(fold(&shaped, &good)), None);
    let faults: [fn(&mut Inst<V>); 2] = [|i| i.imm ^= 1, |i| *i = Inst::new(Row::Nop)];
    for fault in faults {
        let mut bad = good.clone();
        let insts = bad.iter_mut().flat_map(|s| &mut s.groups).flat_map(|g| &mut g.insts);
        fault(insts.filter(|i| i.op == Row::Ssai).last().unwrap());
        assert_eq!(named(fold(&shaped, &bad)), Some("fold"));
    }
}

/// Changes the machine code: the instructions keep their lengths.
fn edit(function: &mut Function, change: impl FnOnce(&mut Vec<Inst>)) {
    let (mut insts, mut at) = (Vec::new(), 0);
    while at < function.code.len() {
        let (inst, length) = decode(&function.code[at..]).unwrap();
        insts.push(inst);
        at += length as usize;
    }
    change(&mut insts);
    function.code = insts.iter().flat_map(|i| encode(i).unwrap().bytes()).collect();
}

fn drop(insts: &mut [Inst], what: impl Fn(&Inst) -> bool) {
    let found = insts.iter_mut().find(|i| what(i)).unwrap();
    *found = Inst::new(if encode(found).unwrap().len == 2 { Row::NopN } else { Row::Nop });
}

const RETURN: i64 = sr::M0 as i64 + 3;

/// What a fault is, in which calling conventions, and whether message kernels have it too.
type InTheEnd = (&'static str, &'static [Abi], bool, fn(&mut Vec<Inst>));

const IN_THE_END: [InTheEnd; 7] = [
    ("the return address not saved", &[Abi::Windowed, Abi::Call0], true, |c| {
        drop(c, |i| i.op == Row::Wsr && i.imm == RETURN);
    }),
    ("the return address not restored", &[Abi::Windowed, Abi::Call0], true, |c| {
        drop(c, |i| i.op == Row::Rsr && i.imm == RETURN);
    }),
    ("a12 not restored", &[Abi::Call0], true, |c| {
        drop(c, |i| matches!(i.op, Row::L32i | Row::L32iN) && i.s == Reg::SP && i.t == Reg(12));
    }),
    ("sp not restored", &[Abi::Call0], true, |c| {
        drop(c, |i| matches!(i.op, Row::Addi | Row::AddiN) && i.s == Reg::SP && i.imm > 0);
    }),
    ("what window exceptions save is overwritten", &[Abi::Windowed], false, |c| {
        c.insert(1, Inst { t: Reg(2), s: Reg::SP, imm: 16, ..Inst::new(Row::S32i) });
    }),
    ("below sp", &[Abi::Windowed], true, |c| {
        c.insert(0, Inst { t: Reg(2), s: Reg::SP, imm: 0, ..Inst::new(Row::S32i) });
    }),
    ("LCOUNT left", &[Abi::Windowed, Abi::Call0], true, |c| {
        c.insert(c.len() - 1, special(Row::Wsr, 1, sr::LCOUNT as i64));
    }),
];

/// The first word of the state's copy is at sp; the buffer is the only memory that a7 is the base of.
const IN_MESSAGES: [InTheEnd; 3] = [
    ("a word of the state not copied", &[], true, |c| {
        drop(c, |i| matches!(i.op, Row::S32i | Row::S32iN) && i.s == Reg::SP && i.imm == 0);
    }),
    ("a word of the buffer not set", &[], true, |c| {
        drop(c, |i| matches!(i.op, Row::S32i | Row::S32iN) && i.s == Reg(7));
    }),
    ("a jump into an instruction", &[], true, |c| {
        c.iter_mut().find(|i| i.op == Row::J).unwrap().imm += 1;
    }),
];

#[test]
fn faults_in_finished_functions() {
    for (kernel, shape) in [
        (kernel(), Shape::Unrolled),
        (chacha::block(Rounds::R8), Shape::Looped),
        (chacha::xor(Rounds::R8, Counter::Ietf), Shape::Looped),
    ] {
        let shaped = unroll(&kernel.body, shape).unwrap();
        let segments = folding::fold(&shaped.segments);
        for abi in [Abi::Windowed, Abi::Call0] {
            let function = compile(&kernel, Target::Esp32, abi, shape, &mut |_, _| {}).unwrap();
            let reference = match &kernel.stream {
                Some(stream) => stream::reference(&kernel, stream, segments.clone(), &shaped.inputs).unwrap(),
                None => Reference::new(&kernel, &segments, &shaped.inputs, &[]).unwrap(),
            };
            assert_eq!(named(reference.finished(&function)), None);
            let message = kernel.stream.is_some();
            let fits = |fault: &&InTheEnd| fault.1.contains(&abi) && (fault.2 || !message);
            let more = IN_MESSAGES.iter().filter(|_| message);
            for (name, _, _, fault) in IN_THE_END.iter().filter(fits).chain(more) {
                let mut function = function.clone();
                edit(&mut function, fault);
                assert_eq!(named(reference.finished(&function)), Some("finish"), "{shape} {abi}: {name}");
            }
        }
    }
}

fn goal(kernel: &Kernel) -> Goal<'_> {
    Goal { kernel, target: Target::Esp32, core: Core::Lx6, abi: Abi::Call0, shape: Shape::Unrolled }
}

fn loads(words: &[u32]) -> Vec<Placed> {
    let load = |&word: &u32| Placed {
        inst: Inst { t: Reg(2), ..Inst::new(Row::L32r) },
        title: String::new(),
        refer: Some(Refer::Literal(word)),
    };
    words.iter().map(load).collect()
}

fn chunk(code: Vec<Placed>) -> Chunk {
    Chunk { label: None, code, count: 1 }
}

#[test]
fn literals_are_found_where_they_stand() {
    let kernel = kernel();
    let mut code = loads(&[7, 0x8000_0000, 7, 9]);
    code.insert(1, Inst::new(Row::NopN).into());
    let (_, function) = finish_chunks(&goal(&kernel), vec![chunk(code)], 0, &mut |_, _| {}).unwrap();
    assert_eq!(function.literals, [7, 0x8000_0000, 9]);
    let mut loaded = Vec::new();
    let mut at = 0;
    while at < function.code.len() {
        let (inst, length) = decode(&function.code[at..]).unwrap();
        // The literals end where the function begins.
        let address = inst.literal(0x1000 + at as u32);
        loaded.extend(address.map(|a| function.literals[(a as usize - (0x1000 - 12)) / 4]));
        at += length as usize;
    }
    assert_eq!(loaded, [7, 0x8000_0000, 7, 9]);
}

#[test]
fn a_literal_out_of_reach_is_an_error() {
    const REACH: usize = 1 << 18;
    let kernel = kernel();
    let compile = |nops: usize| {
        let nop: Placed = Inst::new(Row::Nop).into();
        let mut chunks: Vec<Chunk> = (0..nops.div_ceil(500)).map(|_| chunk(vec![nop.clone(); 500])).collect();
        chunks.push(chunk(loads(&[1])));
        finish_chunks(&goal(&kernel), chunks, 0, &mut |_, _| {}).map(|_| ())
    };
    assert_eq!(named(compile(1000)), None);
    assert_eq!(named(compile(REACH / 3 + 500)), Some("layout"));
}

#[test]
fn short_and_long_forms_are_the_same_instruction() {
    let of = |row, r, s, t, imm| Inst { r: Reg(r), s: Reg(s), t: Reg(t), imm, ..Inst::new(row) };
    let cases = [
        (of(Row::Add, 3, 4, 5, 0), "add.n a3, a4, a5"),
        (of(Row::L32i, 0, 4, 5, 60), "l32i.n a5, a4, 60"),
        (of(Row::L32i, 0, 4, 5, 64), "l32i a5, a4, 64"),
        (of(Row::S32i, 0, 1, 0, 0), "s32i.n a0, a1, 0"),
        (of(Row::Addi, 0, 4, 5, 15), "addi.n a5, a4, 15"),
        (of(Row::Addi, 0, 4, 5, -1), "addi.n a5, a4, -1"),
        (of(Row::Addi, 0, 4, 5, 16), "addi a5, a4, 16"),
        (of(Row::Addi, 0, 4, 5, 0), "addi a5, a4, 0"),
        (of(Row::Movi, 0, 0, 5, 95), "movi.n a5, 95"),
        (of(Row::Movi, 0, 0, 5, -33), "movi a5, -33"),
        (of(Row::Or, 5, 4, 4, 0), "mov.n a5, a4"),
        (of(Row::Or, 5, 4, 3, 0), "or a5, a4, a3"),
        (of(Row::Retw, 0, 0, 0, 0), "retw.n"),
    ];
    for (long, expected) in cases {
        let short = dense(long);
        assert_eq!(short.to_string(), expected);
        assert_eq!(wide(short), (short != long).then_some(long), "{expected}");
    }
}
