//! Vectors: when they are there, by the stages at which the manual says they are used and defined (ESP32-S3 Technical
//! Reference Manual, tables 1.7-1 and 1.7-2), worked out by hand; and what is secret of them.

use super::assemble::code;
use super::{args, framed, program};
use sim::Rule;
use sim::cycles::xtensa::{Core, Costs, Event, Pipeline, Timing};
use sim::xtensa::{Abi, Machine};

/// A rule, straight code, and the cycles of waiting in it.
const RULES: &[(&str, &str, u64)] = &[
    ("load, next", "ee.vld.128.ip q0, a2, 16; ee.xorq q1, q0, q2", 1),
    ("load, next but one", "ee.vld.128.ip q0, a2, 16; nop; ee.xorq q1, q0, q2", 0),
    ("the moved base is there at once", "ee.vld.128.ip q0, a2, 16; ee.vld.128.ip q1, a2, 16; addi a2, a2, 1", 0),
    ("load, stored", "ee.vld.128.ip q0, a2, 16; ee.vst.128.ip q0, a3, 16", 1),
    ("load, an address out of it", "ee.vld.128.ip q0, a2, 16; ee.ldxq.32 q1, q0, a3, 0, 0", 1),
    ("broadcast, next", "ee.vldbc.16 q0, a2; ee.vmul.s16 q1, q0, q2", 1),
    ("the half that is kept", "ee.vld.l.64.ip q0, a2, 8; ee.vld.h.64.ip q0, a2, 8", 1),
    ("a0..a15 are used at E", "l32i a3, a2, 0; ee.movi.32.q q0, a3, 1", 1),
    ("an address loaded", "l32i a2, a3, 0; ee.vld.128.ip q0, a2, 16", 1),
    ("sums follow each other", "ee.vadds.s16 q0, q1, q2; ee.vsubs.s16 q3, q0, q1; ee.vmax.s8 q4, q3, q0", 0),
    ("moves to registers", "ee.movi.32.a q0, a3, 1; add a4, a3, a3", 0),
    ("zip, shift", "ee.vzip.16 q0, q1; ssai 3; ee.vsr.32 q2, q1", 0),
    ("multiplication, next", "ee.vmul.s16 q0, q1, q2; ee.vadds.s16 q3, q0, q1", 1),
    ("multiplications that do not wait", "ee.vmul.s16 q0, q1, q2; ee.vmul.u8 q3, q1, q2; ee.vadds.s16 q4, q0, q0", 0),
    ("complex multiplication, next", "ee.cmul.s16 q0, q1, q2, 0; ee.cmul.s16 q0, q1, q2, 1", 1),
    ("a sum beside a load: the sum", "ee.vadds.s16.ld.incp q0, a2, q1, q2, q3; ee.andq q4, q1, q1", 0),
    ("a sum beside a load: what is loaded", "ee.vadds.s16.ld.incp q0, a2, q1, q2, q3; ee.andq q4, q0, q0", 1),
    ("a product beside a load: the product", "ee.vmul.s16.ld.incp q0, a2, q1, q2, q3; ee.andq q4, q1, q1", 1),
    ("a product beside a store: the product", "ee.vmul.s16.st.incp q0, a2, q1, q2, q3; ee.andq q4, q1, q1", 1),
    ("a sum beside a store: what is stored", "ee.vld.128.ip q0, a3, 0; ee.vadds.s8.st.incp q0, a2, q1, q2, q3", 1),
    (
        "a complex product beside a store: it is stored late",
        "ee.vld.128.ip q0, a3, 0; ee.cmul.s16.st.incp q0, a2, q1, q2, q3, 0",
        0,
    ),
    ("unless it is a factor", "ee.vld.128.ip q0, a3, 0; ee.cmul.s16.st.incp q0, a2, q1, q0, q3, 0", 1),
    ("unaligned data: what is extracted", "ee.src.q.ld.ip q0, a2, 16, q1, q2; ee.orq q3, q1, q1", 0),
    ("unaligned data: what is loaded", "ee.src.q.ld.ip q0, a2, 16, q1, q2; ee.orq q3, q0, q0", 1),
    ("SAR_BYTE is there at once", "ee.ld.128.usar.ip q0, a2, 16; ee.src.q q1, q2, q3", 0),
    (
        "sums of products follow each other",
        "ee.vmulas.s16.accx q0, q1; ee.vmulas.s16.accx q2, q3; ee.vmulas.s8.accx q0, q1",
        0,
    ),
    ("factors are used at E", "ee.vld.128.ip q0, a2, 16; ee.vmulas.s16.qacc q0, q1", 1),
    ("accumulators that are loaded", "ee.ldqa.s16.128.ip a2, 16; ee.vmulas.s16.qacc q0, q1", 0),
    ("accumulators that are cleared", "ee.zero.qacc; ee.vmulas.s16.qacc q0, q1", 0),
    ("accumulators that are stored", "ee.vmulas.s16.qacc q0, q1; ee.st.qacc_l.l.128.ip a2, 16", 1),
    ("what .qup moves", "ee.vmulas.s16.accx.ld.ip.qup q0, a2, 16, q1, q2, q3, q4; ee.orq q5, q3, q3", 0),
    ("what a sum of products loads", "ee.vmulas.s16.accx.ld.ip q0, a2, 16, q1, q2; ee.orq q5, q0, q0", 1),
    ("SRCMB takes two", "ee.vmulas.s16.qacc q0, q1; ee.srcmb.s16.qacc q2, a3, 0; ee.orq q3, q2, q2", 1),
    ("SRS takes two", "ee.srs.accx a3, a4, 0; add a5, a3, a3", 1),
    ("an accumulator as a user register", "ee.vmulas.s16.accx q0, q1; rur a3, accx_0", 1),
    ("floating-point registers", "ee.ldf.64.ip f1, f0, a2, 8; add.s f2, f1, f0", 0),
    ("FFT, late", "ee.vld.128.ip q0, a3, 0; ee.fft.ams.s16.st.incp q0, q1, a2, a4, q2, q3, q4, 0", 0),
    ("FFT, next", "ee.fft.cmul.s16.ld.xp q0, a2, a3, q1, q2, q3, 0; ee.orq q4, q1, q1", 1),
];

fn wrong(costs: &Costs) -> Vec<&'static str> {
    let waits = |source: &str| {
        let (mut pipeline, mut address, code) = (Pipeline::with(costs), 0, code(source));
        for (inst, length) in &code {
            // Data that lie across the bus for all but vectors.
            let event = Event { data: 15, ..Event::at(address) };
            let event = if inst.op.row().mnemonic.starts_with("ee.") { event } else { Event::at(address) };
            pipeline.step(&Timing::with(inst, *length, costs), &event);
            address += length;
        }
        pipeline.cycles() - code.len() as u64
    };
    RULES.iter().filter(|(_, source, expected)| waits(source) != *expected).map(|rule| rule.0).collect()
}

#[test]
fn rules() {
    assert_eq!(wrong(&Costs::of(Core::Lx7)), [""; 0]);
}

#[test]
fn planted_faults_are_found() {
    let right = Costs::of(Core::Lx7);
    let all = [
        Costs { vector: right.vector - 1, ..right },
        Costs { vector: right.vector + 1, ..right },
        Costs { vector_read_out: right.vector_read_out - 1, ..right },
        Costs { vector_read_out: right.vector_read_out + 1, ..right },
    ];
    assert!(all.iter().all(|costs| !wrong(costs).is_empty()));
}

/// What a call reports: a2 is the address of 16 bytes, a3 that of 16 secret ones, a4 is 7.
fn violations(body: &str, core: Core) -> Result<Vec<(Rule, String)>, String> {
    let source = framed(body, Abi::Call0);
    let call = Machine::new(program(&source), core, Abi::Call0).and_then(|mut machine| machine.call(&args()));
    let report = call.map_err(|error| error.to_string())?;
    Ok(report.violations.into_iter().map(|violation| (violation.rule, violation.site.text)).collect())
}

#[test]
fn secrets() {
    const BRANCH: &str = "beqz a6, end; end:";
    let branches = [
        "ee.vld.128.ip q0, a3, 0; ee.movi.32.a q0, a6, 0",
        "l32i a5, a3, 0; ee.zero.q q0; ee.movi.32.q q0, a5, 3; ee.movi.32.a q0, a6, 0",
        "ee.vld.128.ip q0, a3, 0; ee.vst.128.ip q0, a2, 0; l32i a6, a2, 12",
        "ee.zero.q q0; ee.vld.h.64.ip q0, a3, 0; ee.movi.32.a q0, a6, 0",
        "ee.zero.q q0; ee.vadds.s8.ld.incp q1, a3, q2, q0, q0; ee.movi.32.a q1, a6, 0",
        "ee.vld.128.ip q0, a3, 0; ee.zero.q q1; ee.vadds.s8.st.incp q0, a2, q2, q1, q1; addi a2, a2, -16; l32i a6, a2, 0",
        "ee.zero.qacc; ee.ld.qacc_h.l.128.ip a3, 0; rur a6, qacc_h_0",
        "ee.vld.128.ip q0, a3, 0; ee.zero.accx; ee.vmulas.s16.accx q0, q0; ee.srs.accx a6, a4, 0",
        "ee.vld.128.ip q0, a3, 0; ee.ld.128.usar.ip q1, a2, 0; ee.src.q q2, q1, q0; ee.movi.32.a q2, a6, 0",
    ];
    for body in branches {
        let expected = Ok(vec![(Rule::SecretBranch, "beqz a6, . + 3".to_owned())]);
        assert_eq!(violations(&format!("{body}; {BRANCH}"), Core::Lx7), expected, "{body}");
    }
    let zero = "ee.zero.q q2; ee.vld.128.ip q0, a3, 0; ee.andq q0, q0, q2";
    let addresses = [
        (format!("{zero}; ee.ldxq.32 q2, q0, a2, 0, 0"), "ee.ldxq.32 q2, q0, a2, 0, 0"),
        (format!("{zero}; ee.stxq.32 q2, q0, a2, 0, 0"), "ee.stxq.32 q2, q0, a2, 0, 0"),
        (format!("{zero}; ee.movi.32.a q0, a5, 0; ee.vld.128.xp q1, a2, a5"), "ee.vld.128.xp q1, a2, a5"),
    ];
    for (body, site) in addresses {
        assert_eq!(violations(&body, Core::Lx7), Ok(vec![(Rule::SecretAddress, site.to_owned())]), "{body}");
    }
    // What is loaded is secret, not the base that is moved.
    let bases = "ssai 3; ee.zero.qacc; ee.ld.qacc_h.l.128.ip a3, 0; ee.vld.128.ip q0, a3, 0; ee.vmul.s16 q1, q0, q0";
    assert_eq!(violations(bases, Core::Lx7), Ok(vec![]));
}

#[test]
fn the_other_core_has_none() {
    for body in ["ee.zero.q q0", "rur a5, accx_0"] {
        let error = violations(body, Core::Lx6).unwrap_err();
        assert!(error.contains("needs Vector, which Lx6 does not have"), "{error}");
        assert_eq!(violations(&body.replace("rur", "ee.zero.accx; rur"), Core::Lx7), Ok(vec![]));
    }
}
