//! Shapes and memories of kernels, by features and by `quadround.toml`.

use crate::choose::{Chosen, choose};
use crate::config::{Choice, Features, Source, wishes};
use crate::text;
use generator::cli::{Generator, Job, KernelInfo, Source as _};
use generator::emit::Placement;
use generator::function::{Clobbers, Function, Interface};
use generator::target::{Abi, Shape, Target};

const SPEED: Features = Features { speed: true, size: false };
const SIZE: Features = Features { speed: false, size: true };
const BOTH: Features = Features { speed: true, size: true };
const NEITHER: Features = Features { speed: false, size: false };

/// Bytes and cycles of the shapes that the stand-in for the generator knows: more bytes are not always faster.
const COSTS: [(Shape, usize, u64); 4] = [
    (Shape::Looped, 400, 100),
    (Shape::By(std::num::NonZeroU32::new(2).expect("not zero")), 600, 80),
    (Shape::By(std::num::NonZeroU32::new(5).expect("not zero")), 900, 80),
    (Shape::Unrolled, 2000, 60),
];

fn stand_in(jobs: &[Job]) -> Result<Vec<Function>, String> {
    jobs.iter()
        .map(|job| {
            let (_, bytes, cycles) = COSTS.iter().find(|(shape, ..)| *shape == job.shape).ok_or("no such shape")?;
            Ok(function(job, *bytes, *cycles))
        })
        .collect()
}

fn function(Job { kernel, target, abi, shape }: &Job, bytes: usize, cycles: u64) -> Function {
    let interface = Interface { summary: "", notes: &[], params: Vec::new(), returns: None };
    Function {
        symbol: format!("qr_{kernel}_{shape}_{target}"),
        kernel: kernel.clone(),
        family: "chacha",
        target: *target,
        abi: *abi,
        shape: *shape,
        interface,
        lines: Vec::new(),
        literals: Vec::new(),
        code: vec![0; bytes],
        rodata: Vec::new(),
        stack_bytes: 0,
        clobbers: Clobbers::default(),
        residue: "",
        instructions: 0,
        cycles,
        cycles_of: "",
        verified_cases: 0,
    }
}

/// The kernels with 20 rounds, and all.
fn kernels() -> (Vec<KernelInfo>, Vec<KernelInfo>) {
    let catalogue = Generator.kernels();
    (catalogue.iter().filter(|kernel| kernel.name.starts_with("chacha20_")).cloned().collect(), catalogue)
}

fn chosen(features: Features, text: Option<&str>, cores: &[Target]) -> Result<Vec<Chosen>, String> {
    let (enabled, catalogue) = kernels();
    let source = text.map(|text| Source { path: "my/quadround.toml", text });
    choose(&wishes(source, features, &enabled, &catalogue)?, cores, stand_in)
}

/// The symbols without prefix, those in RAM marked; or what is said instead.
fn check(features: Features, text: Option<&str>, expected: &str) {
    let said = match chosen(features, text, &[Target::M4f]) {
        Ok(chosen) => {
            let words = chosen.iter().map(|Chosen { function, placement }| {
                let name = function.symbol.trim_start_matches("qr_chacha20_").trim_end_matches("_m4f");
                format!("{name}{}", if *placement == Placement::Ram { "@ram" } else { "" })
            });
            words.collect::<Vec<_>>().join(" ")
        }
        Err(message) => message,
    };
    let fits = if expected.contains(' ') && !expected.contains("permute_") {
        said.contains(expected)
    } else {
        said == expected
    };
    assert!(fits, "{text:?}: {said}, expected {expected}");
}

#[test]
fn features_choose_an_end() {
    let fast = "permute_unrolled block_unrolled xor_unrolled xor_djb_unrolled";
    let small = "permute_looped block_looped xor_looped xor_djb_looped";
    check(NEITHER, None, fast);
    check(SPEED, None, fast);
    check(SIZE, None, small);
    check(BOTH, None, "the features `speed` and `size` of runtime-m4 exclude each other; enable only one of them");
    check(BOTH, Some("shape = \"size\""), small);
    check(SIZE, Some("shape = \"speed\""), fast);
}

/// Without a feature each kernel has the shape that serves schemes best: what goes through groups of elements is looped.
#[test]
fn what_is_between_the_ends_depends_on_the_kernel() {
    let shapes = |features, text| {
        let source = Source { path: "my/quadround.toml", text };
        let wishes = wishes(Some(source), features, &kernels().1, &kernels().1).expect("wishes");
        let of = |name: &str| wishes.iter().find(|wish| wish.kernel.name == name).expect("a kernel").choice;
        ["kyber_ntt", "keccak_f1600", "kyber_basemul", "kyber_sample"].map(of)
    };
    let by_4 = Shape::By(std::num::NonZeroU32::new(4).expect("not zero"));
    let [unrolled, looped, by_4] = [Shape::Unrolled, Shape::Looped, by_4].map(Choice::Shape);
    assert_eq!(shapes(NEITHER, ""), [unrolled, by_4, looped, looped]);
    assert_eq!(shapes(SIZE, "shape = \"balanced\""), [unrolled, by_4, looped, looped]);
    assert_eq!(shapes(SPEED, ""), [unrolled, by_4, unrolled, unrolled]);
    assert_eq!(shapes(SPEED, "[kernel.kyber_basemul]\nshape = \"balanced\""), [unrolled, by_4, looped, unrolled]);
    assert_eq!(shapes(SIZE, ""), [looped; 4]);
}

#[test]
fn the_file_chooses_for_each_kernel() {
    let text = "placement = \"ram\"\n[kernel.\"chacha20_xor\"]\nshape = 5\nplacement = \"flash\"\n\
                [kernel.chacha20_block]\nshape = \"looped\"\n[kernel.chacha20_permute]\nshape = 10\n";
    check(NEITHER, Some(text), "permute_unrolled@ram block_looped@ram xor_unroll5 xor_djb_unrolled@ram");
    let by = |budget: u32| format!("shape = \"size\"\n[kernel.chacha20_xor]\nrom_bytes_max = {budget}\n");
    for (budget, shape) in [(400, "looped"), (599, "looped"), (600, "unroll2"), (1999, "unroll2"), (2000, "unrolled")] {
        let expected = format!("permute_looped block_looped xor_{shape} xor_djb_looped");
        check(NEITHER, Some(&by(budget)), &expected);
    }
    let none = "my/quadround.toml: [kernel.\"chacha20_xor\"]: rom_bytes_max = 399 is too little: the smallest shape for m4f has 400 bytes";
    check(NEITHER, Some(&by(399)), none);
}

#[test]
fn what_cannot_be_is_named() {
    for (text, expected) in [
        (
            "[kernel.chacha20_xro]\nshape = 2",
            "my/quadround.toml: [kernel.\"chacha20_xro\"]: there is no such kernel; did you mean \"chacha20_xor\"?",
        ),
        ("[kernel.chacha8_xor]\nshape = 2", "this kernel is not linked; enable the feature `chacha8`"),
        (
            "[kernel.chacha20_xor]\nshape = 3",
            "shape: 3 does not divide the 10 repetitions of chacha20_xor; use one of 1, 2, 5, 10",
        ),
        ("[kernel.chacha20_xor]\nshape = 2\nrom_bytes_max = 1", "`shape` and `rom_bytes_max` exclude each other"),
        (
            "[kernel.chacha20_xor]\nshape = \"fast\"",
            "expected \"speed\", \"unrolled\", \"balanced\", \"size\", \"looped\" or an unroll factor",
        ),
        (
            "[kernel.chacha20_xor]\nshap = 2",
            "unknown field `shap`, expected one of `shape`, `rom_bytes_max`, `placement`",
        ),
        ("shapes = \"size\"", "unknown field `shapes`, expected one of `shape`, `placement`, `kernel`"),
        ("shape = \"size", "my/quadround.toml: TOML parse error at line 1"),
    ] {
        check(NEITHER, Some(text), expected);
    }
}

#[test]
fn the_library_is_told_which_function_a_core_takes() {
    let text = "[kernel.chacha20_xor]\nshape = 2\nplacement = \"ram\"";
    let chosen = chosen(NEITHER, Some(text), &[Target::M4, Target::M4f]).expect("functions");
    let line = |core: &str| {
        format!(
            "    20 => qr_chacha20_permute_unrolled_{core}, qr_chacha20_block_unrolled_{core}, \
             qr_chacha20_xor_unroll2_{core}, qr_chacha20_xor_djb_unrolled_{core};\n"
        )
    };
    let soft = |core: &str| format!("keccak! {{ {core} }}\nmlkem! {{ {core} }}\n");
    let of = |core: &str, line: &str| format!("chacha! {{ {core}\n{line}}}\n{}", soft(core));
    let expected = of("CortexM4", &line("m4")) + &of("CortexM4F", &line("m4f"));
    assert_eq!(text::backends(&[Target::M4, Target::M4f], &chosen), expected);
    assert_eq!(text::backends(&[], &[]), ["CortexM3", "CortexM4", "CortexM4F"].map(|core| of(core, "")).concat());
    let job = Job { kernel: "keccak_f1600".into(), target: Target::M3, abi: Abi::Aapcs, shape: Shape::Looped };
    let keccak = Function { family: "keccak", ..function(&job, 2, 1) };
    let expected = "chacha! { CortexM3\n}\n#[allow(unused_imports)]\nmod m3 {\n    pub use crate::functions::{qr_keccak_f1600_looped_m3 as keccak_f1600};\n}\n\
                    keccak! { CortexM3, m3 }\nmlkem! { CortexM3 }\n";
    let chosen_keccak = [Chosen { function: keccak, placement: Placement::Flash }];
    assert_eq!(text::backends(&[Target::M3], &chosen_keccak), expected);
    for (kernel, expected) in
        [("kyber_ntt", "mlkem! { CortexM4, m4 }\n"), ("kyber_encode", "mlkem! { CortexM4, m4, dsp }\n")]
    {
        let job = Job { kernel: kernel.into(), target: Target::M4, abi: Abi::Aapcs, shape: Shape::Looped };
        let function = Function { family: "kyber", ..function(&job, 2, 1) };
        let text = text::backends(&[Target::M4], &[Chosen { function, placement: Placement::Flash }]);
        assert!(text.ends_with(expected), "{text}");
    }
    let all: Vec<&Chosen> = chosen.iter().collect();
    assert_eq!(text::placement(&all), "flash, but 2 of 8 in RAM");
    assert_eq!(text::placement(&all[..2]), "flash");
    assert_eq!(text::placement(&all[2..3]), "RAM");
}

#[test]
fn a_slow_build_and_a_file_that_is_not_found_are_told_with_what_to_do() {
    let after = |seconds| text::advice(std::time::Duration::from_secs(seconds));
    assert_eq!(after(29), None);
    let advice = after(300).expect("advice");
    assert!(advice.contains("took 300 s") && advice.contains("[profile.dev.build-override]"), "{advice}");
    assert!(text::lost("x.toml").contains("no x.toml was looked for: set QUADROUND_CONFIG"));
    // Cargo takes a warning from one line.
    assert!(!advice.contains('\n') && !text::lost("x.toml").contains('\n'));
}
