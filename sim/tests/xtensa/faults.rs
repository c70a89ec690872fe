//! Planted faults: each must be caught, named, and placed at the right instruction; the same code without it must pass.

use super::{args, call, framed};
use sim::xtensa::Abi::{self, Call0, Windowed};
use sim::{Arg, Buffer, Rule};

/// Rules and instructions that a report names.
type Found<'a> = &'a [(Rule, &'a str)];

/// What the call of a function reports: rules with the instruction.
fn check_whole(source: &str, abi: Abi, expected: Found) {
    let report = call(source, abi, &args()).unwrap_or_else(|error| panic!("{source}: {error}"));
    let found: Vec<(Rule, &str)> = report.violations.iter().map(|v| (v.rule, v.site.text.as_str())).collect();
    let text: Vec<String> = report.violations.iter().map(ToString::to_string).collect();
    assert_eq!(found, expected, "{source}: {text:?}");
}

/// The same for a body that is given a frame.
fn check(body: &str, abi: Abi, expected: Found) {
    check_whole(&framed(body, abi), abi, expected);
}

/// For both ABIs.
fn check_both(body: &str, expected: Found) {
    check(body, Windowed, expected);
    check(body, Call0, expected);
}

#[test]
fn registers_that_are_not_restored() {
    check("movi a12, 1", Call0, &[(Rule::NotRestored, "ret.n")]);
    check("movi a15, 1", Call0, &[(Rule::NotRestored, "ret.n")]);
    check("movi a11, 1", Call0, &[]);
    check("movi a12, 1; movi a15, 1", Windowed, &[]);
    let saved = "addi a1, a1, -16; s32i a12, a1, 0; movi a12, 1; l32i a12, a1, 0; addi a1, a1, 16";
    check(saved, Call0, &[]);
    check("wfr f1, a12; movi a12, 1; rfr a12, f1", Call0, &[]);
    check("wsr a12, m1; movi a12, 1; rsr a12, m1", Call0, &[]);
    check("xsr a12, m0; xsr a12, m0", Call0, &[]);
    check("xsr a12, m0", Call0, &[(Rule::NotRestored, "ret.n")]);
    check("addi a1, a1, -16", Call0, &[(Rule::NotRestored, "ret.n")]);
    check("movi a5, 1; wur a5, threadptr", Call0, &[(Rule::NotRestored, "ret.n")]);
}

#[test]
fn windows() {
    // Before ENTRY the registers are the caller's, and a0 to a7 stay so.
    check_whole("movi a4, 1; entry a1, 32; retw.n", Windowed, &[(Rule::NotRestored, "retw.n")]);
    check_whole("movi a15, 1; entry a1, 32; retw.n", Windowed, &[]);
    let overlap = "rotw -1; movi a2, 1; rotw 1";
    check(overlap, Windowed, &[(Rule::NotRestored, "retw.n")]);
}

#[test]
fn loops() {
    check_both("loop a4, end; nop; nop; end:", &[]);
    let left = "loop a4, end; nop; bnez a4, out; end:; nop; out:";
    check(left, Windowed, &[(Rule::LoopLeft, "retw.n")]);
    check(left, Call0, &[(Rule::LoopLeft, "ret.n")]);
    check(&format!("{left}; movi a5, 0; wsr a5, lcount; isync"), Windowed, &[]);
    check("movi a5, 3; wsr a5, lcount", Windowed, &[(Rule::LoopLeft, "retw.n")]);
}

#[test]
fn stack() {
    check("s32i a4, a1, 0; l32i a5, a1, 0", Windowed, &[]);
    check("s32i a4, a1, 12; l32i a5, a1, 12", Windowed, &[]);
    check("l32i a5, a1, 8", Windowed, &[(Rule::UninitialisedStack, "l32i a5, a1, 8")]);
    // The 16 bytes under sp, and under the caller's: registers of windows are saved there.
    let below = "addi a5, a1, -16; s32i a4, a5, 12";
    check(below, Windowed, &[(Rule::SaveArea, "s32i a4, a5, 12")]);
    check(below, Call0, &[]);
    check("s32i a4, a1, 16", Windowed, &[(Rule::SaveArea, "s32i a4, a1, 16")]);
    check("s32i a4, a1, 28", Windowed, &[(Rule::SaveArea, "s32i a4, a1, 28")]);
    check("s8i a4, a1, 31", Windowed, &[(Rule::SaveArea, "s8i a4, a1, 31")]);
    let far_below = "addi a5, a1, -32; s32i a4, a5, 0; l32i a6, a5, 0";
    check_both(far_below, &[(Rule::BelowStack, "l32i a6, a5, 0")]);
    // The handler may save a4 to a7 of the calling frame at its top once it has called.
    let source = |offset: u32| {
        format!(
            "entry a1, 48; s32i a4, a1, {offset}; call8 leaf; l32i a5, a1, {offset}; retw.n; .align; leaf:; entry a1, 32; retw.n"
        )
    };
    check_whole(&source(0), Windowed, &[]);
    check_whole(&source(12), Windowed, &[]);
    check_whole(&source(16), Windowed, &[(Rule::UninitialisedStack, "l32i a5, a1, 16")]);
    check_whole("entry a1, 40; retw.n", Windowed, &[(Rule::StackAlign, "entry a1, 40")]);
    check("addi a1, a1, -8; addi a1, a1, 8", Call0, &[(Rule::StackAlign, "addi a1, a1, -8")]);
    let report = call(&framed("s32i a4, a1, 0", Windowed), Windowed, &args()).unwrap();
    assert_eq!(report.stack_bytes, 32);
}

#[test]
fn registers_without_content() {
    let cases: &[(&str, &str)] = &[
        ("add a5, a4, a9", "add a5, a4, a9"),
        ("src a5, a4, a4", "src a5, a4, a4"),
        ("sll a5, a4", "sll a5, a4"),
        ("mula.aa.ll a4, a4", "mula.aa.ll a4, a4"),
        ("mul.ad.ll a4, m2", "mul.ad.ll a4, m2"),
        ("add.s f0, f1, f1", "add.s f0, f1, f1"),
        ("movt a4, a4, b3", "movt a4, a4, b3"),
        ("rsr a8, sar; add a5, a8, a8", "add a5, a8, a8"),
        ("xsr a4, m0; add a5, a4, a4", "add a5, a4, a4"),
        ("s32c1i a4, a2, 0", "s32c1i a4, a2, 0"),
        ("mov.n a8, a9; addi a5, a8, 1", "addi a5, a8, 1"),
    ];
    for (body, site) in cases {
        check_both(body, &[(Rule::UndefinedRegister, site)]);
    }
    let fine = [
        "ssai 3; src a5, a4, a4",
        "mul.aa.ll a4, a4; mula.aa.ll a4, a4; rsr a5, acclo; add a5, a5, a5",
        "wsr a4, m2; mul.ad.ll a4, m2",
        "wfr f1, a4; add.s f0, f1, f1",
        "xsr a4, m0; mov.n a5, a9; rsr a4, m0; add a4, a4, a4",
        "rsr a5, sar; wsr a5, sar",
        "movi a5, 0; wsr a5, br; movt a4, a4, b3",
        "wsr a4, scompare1; s32c1i a4, a2, 0",
        "rsr a5, ps; rsr a6, ccount; add a5, a5, a6",
    ];
    fine.into_iter().for_each(|body| check_both(body, &[]));
    // What a callee leaves in registers that are no results is nothing.
    let source = |register: u32| {
        format!(
            "entry a1, 32; movi a10, 1; call8 leaf; addi a5, a{register}, 1; retw.n; .align; leaf:; entry a1, 32; \
                 mov.n a3, a2; mov.n a6, a2; mov.n a7, a2; retw.n"
        )
    };
    check_whole(&source(10), Windowed, &[]);
    check_whole(&source(11), Windowed, &[]);
    check_whole(&source(14), Windowed, &[(Rule::UndefinedRegister, "addi a5, a14, 1")]);
    check_whole(&source(8), Windowed, &[(Rule::UndefinedRegister, "addi a5, a8, 1")]);
}

#[test]
fn secrets() {
    let load = "l32i a5, a3, 0";
    let secret: &[(&str, Rule, &str)] = &[
        ("beqz a5, end; end:", Rule::SecretBranch, "beqz a5, . + 3"),
        ("extui a5, a5, 0, 2; loop a5, end; nop; end:", Rule::SecretBranch, "loop a5, . + 6"),
        ("extui a5, a5, 0, 2; loopgtz a5, end; nop; end:", Rule::SecretBranch, "loopgtz a5, . + 6"),
        ("wsr a5, lcount; movi a6, 0; wsr a6, lcount", Rule::SecretBranch, "wsr a5, lcount"),
        ("movi a6, 3; and a5, a5, a6; add a5, a5, a2; l8ui a6, a5, 0", Rule::SecretAddress, "l8ui a6, a5, 0"),
        ("movi a6, 3; and a5, a5, a6; add a5, a5, a2; s8i a4, a5, 0", Rule::SecretAddress, "s8i a4, a5, 0"),
        ("quou a6, a4, a5", Rule::SecretTime, "quou a6, a4, a5"),
        ("xor a6, a5, a5; bnez a6, end; end:", Rule::SecretBranch, "bnez a6, . + 3"),
        ("movi a6, 0; movnez a6, a4, a5; beqz a6, end; end:", Rule::SecretBranch, "beqz a6, . + 3"),
        ("ssl a5; sll a6, a4; beqz a6, end; end:", Rule::SecretBranch, "beqz a6, . + 3"),
        ("wsr a5, m0; rsr a6, m0; beqz a6, end; end:", Rule::SecretBranch, "beqz a6, . + 3"),
        ("xsr a5, m0; rsr a6, m0; beqz a6, end; end:", Rule::SecretBranch, "beqz a6, . + 3"),
        ("mul.aa.ll a5, a4; rsr a6, acclo; beqz a6, end; end:", Rule::SecretBranch, "beqz a6, . + 3"),
        ("wfr f0, a5; rfr a6, f0; beqz a6, end; end:", Rule::SecretBranch, "beqz a6, . + 3"),
        ("s32i a5, a2, 4; l32i a6, a2, 4; beqz a6, end; end:", Rule::SecretBranch, "beqz a6, . + 3"),
        ("ldinc m0, a3; rsr a6, m0; beqz a6, end; end:", Rule::SecretBranch, "beqz a6, . + 3"),
        ("wsr a5, br; bt b0, end; end:", Rule::SecretBranch, "bt b0, . + 3"),
    ];
    for (body, rule, site) in secret {
        check_both(&format!("{load}; {body}"), &[(*rule, site)]);
    }
    let public = [
        "ssl a5; sll a6, a4; ssai 3; src a6, a4, a4; beqz a6, end; end:",
        "mull a6, a5, a5; movnez a6, a4, a5; s32i a6, a2, 0",
        "xsr a5, m0; movi a5, 0; xsr a5, m0; movi a5, 0; beqz a5, end; end:",
        "s32i a5, a2, 4; l32i a6, a2, 8; beqz a6, end; end:",
    ];
    public.into_iter().for_each(|body| check_both(&format!("{load}; {body}"), &[]));
}

#[test]
fn secrets_that_stay() {
    let residue = |body: &str, abi: Abi| {
        let report = call(&framed(body, abi), abi, &args()).unwrap();
        assert_eq!(report.violations, [], "{body}");
        (report.residue.registers.join(" "), report.residue.stack_bytes)
    };
    let load = "l32i a5, a3, 0";
    for abi in [Windowed, Call0] {
        assert_eq!(residue("nop", abi), (String::new(), 0));
        assert_eq!(residue(&format!("{load}; movi a5, 0"), abi), (String::new(), 0));
        assert_eq!(residue(load, abi), ("a5".into(), 0));
        let all =
            format!("{load}; mov.n a9, a5; wsr a5, m2; wfr f3, a5; ssl a5; mul.aa.ll a5, a5; wsr a5, br; movi a5, 0");
        let bools: Vec<String> = (0..16).map(|i| format!("b{i}")).collect();
        assert_eq!(residue(&all, abi), (format!("a9 f3 {} m2 SAR ACC", bools.join(" ")), 0));
    }
    assert_eq!(residue(&format!("{load}; s32i a5, a1, 4; movi a5, 0"), Windowed), (String::new(), 4));
    assert_eq!(residue(&format!("{load}; s32i a5, a1, 4; movi a5, 0; s32i a5, a1, 4"), Windowed), (String::new(), 0));
    // A register of a callee, beyond those that the function can name.
    let callee =
        "entry a1, 32; mov.n a10, a3; call8 leaf; retw.n; .align; leaf:; entry a1, 32; l32i a15, a2, 0; retw.n";
    let report = call(callee, Windowed, &args()).unwrap();
    assert_eq!((report.violations.len(), report.residue.registers), (0, vec!["ar[23]".to_owned()]));
}

/// Through the stack, where a handler has saved them.
#[test]
fn secrets_that_handlers_save() {
    let deep = "mov.n a10, a4; call8 deep; {}; retw.n; .align; deep:; entry a1, 32; beqz a2, end; addi a10, a2, -1; \
                call8 deep; end:; retw.n";
    let run = |depth: u32, before: &str, after: &str| {
        let source = format!("entry a1, 64; {before}; {}", deep.replace("{}", after));
        let report = call(&source, Windowed, &[args()[0].clone(), args()[1].clone(), depth.into()]).unwrap();
        let found: Vec<(Rule, String)> = report.violations.iter().map(|v| (v.rule, v.site.text.clone())).collect();
        (found, report.residue)
    };
    for depth in [0, 20] {
        let (found, residue) = run(depth, "l32i a5, a3, 0", "beqz a5, out; out:; movi a5, 0");
        assert_eq!(found, [(Rule::SecretBranch, "beqz a5, . + 3".to_owned())], "depth {depth}");
        // What was saved stays in memory, and once more where the eighth frame behind it was, which has the same registers.
        assert_eq!((residue.stack_bytes, residue.registers.len()), (if depth == 0 { 0 } else { 8 }, 0));
        assert_eq!(run(depth, "movi a6, 1", "beqz a6, out; out:").0, []);
    }
}

/// The error's text has all of these words.
fn refuses(source: &str, abi: Abi, args: &[Arg], words: &[&str]) {
    let error = call(source, abi, args).unwrap_err().to_string();
    for word in words {
        assert!(error.contains(word), "`{word}` is not in: {error}");
    }
}

#[test]
fn errors() {
    let both: &[(&str, &[&str])] = &[
        ("l32i a5, a2, 16", &["l32i a5, a2, 16", "0 bytes past the end of argument 0", "a2 is 0x31000000"]),
        ("s32i a5, a2, 1020", &["store of 4 bytes at 0x310003fc", "a2 is 0x31000000"]),
        ("addi a4, a4, 6; lsx f0, a2, a4", &["reaches beyond", "a2 is 0x31000000, a4 is 0x0000000d"]),
        ("add a5, a5, a2", &["too few arguments", "a5 is read by `add a5, a5, a2`", "3 were given"]),
        ("quou a5, a4, a4; movi a6, 0; quou a5, a4, a6", &["quou a5, a4, a6", "division by zero"]),
        ("self:; j self", &["endless loop", "j . + 0"]),
        ("ill", &["illegal instruction"]),
        ("syscall", &["system call"]),
        ("simcall", &["only firmware"]),
        ("waiti 0", &["only firmware"]),
        ("break 1, 2", &["breakpoint 1, 2"]),
        ("movi a5, 0; jx a5", &["0x00000000 is no place for code", "jx a5"]),
    ];
    for (body, words) in both {
        for abi in [Windowed, Call0] {
            refuses(&framed(body, abi), abi, &args(), words);
        }
    }
    let constants = [Arg::from(Buffer::new([0; 16]).read_only())];
    refuses(&framed("s32i a2, a2, 0", Windowed), Windowed, &constants, &["store of 4 bytes", "read-only"]);
    // A return by the other convention.
    refuses("ret.n", Windowed, &args(), &["no place for code", "ret.n"]);
    refuses("entry a1, 32; retw.n", Call0, &args(), &["entry a1, 32", "illegal"]);
    refuses("nop; start:; entry a1, 32; retw.n", Windowed, &args(), &["no multiple of 4"]);
}
