//! The command line over a stand-in for the generator: what is asked for, what is said, what is written, which code comes back.

#[path = "common/sample.rs"]
mod sample;

use generator::cli::{Failure, Job, KernelInfo, Source, run};
use generator::function::{Function, symbol};
use generator::target::{Abi, Shape, Target};
use sample::sample;
use std::num::NonZeroU32;
use std::path::Path;

/// Two kernels in the catalogue, two more on request, of which one is best unrolled in part, and one that always fails its verification.
struct Stand;

impl Source for Stand {
    fn kernels(&self) -> Vec<KernelInfo> {
        [("alpha20", 10), ("alpha8", 4), ("broken", 4)].map(|(name, repeats)| info(name, repeats)).into()
    }

    fn named(&self, name: &str) -> Option<Result<KernelInfo, String>> {
        match name {
            "alpha6" => Some(Ok(info(name, 3))),
            "alpha48" => Some(Ok(KernelInfo { fast: by(4), ..info(name, 24) })),
            "alpha7" | "alpha0" => Some(Err(format!("{name}: rounds are even and at least 2"))),
            _ => self.kernels().into_iter().find(|kernel| kernel.name == name).map(Ok),
        }
    }

    fn on_request(&self) -> String {
        "alpha6 on request".into()
    }

    fn generate(&self, job: &Job) -> Result<Function, Failure> {
        let Job { kernel, target, abi, shape } = job;
        if kernel == "broken" {
            return Err(Failure::Check(format!("qr_broken_{shape}_{target}: case 3 differs")));
        }
        let function = sample(kernel, *target, *abi);
        Ok(Function { symbol: symbol(kernel, *shape, *target, *abi), shape: *shape, ..function })
    }

    fn explain(&self, job: &Job, text: &mut String) -> Result<(), Failure> {
        let abi = if job.abi == Abi::Call0 { " call0" } else { "" };
        *text += &format!("{} {} {}{abi}\n", job.kernel, job.target, job.shape);
        self.generate(job).map(|_| ())
    }
}

fn info(name: &str, repeats: u32) -> KernelInfo {
    KernelInfo {
        name: name.into(),
        family: "alpha".into(),
        summary: format!("{name} of tests"),
        repeats,
        fast: Shape::Unrolled,
        balanced: Shape::Unrolled,
        targets: &Target::ALL,
    }
}

fn by(n: u32) -> Shape {
    Shape::By(NonZeroU32::new(n).expect("not zero"))
}

/// Exit code, standard output, standard error.
fn gen_in(dir: &Path, words: &str) -> (u8, String, String) {
    let out = dir.join("out").display().to_string();
    let words = words.replace("OUT", &out);
    let words = std::iter::once("gen").chain(words.split_whitespace());
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let code = run(words, &Stand, &mut stdout, &mut stderr);
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (code, text(stdout), text(stderr))
}

fn check_error(words: &str, code: u8, said: &[&str]) {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("file"), "mine").expect("written");
    let words = words.replace("FILE", &dir.path().join("file").display().to_string());
    let (got, stdout, stderr) = gen_in(dir.path(), &words);
    assert_eq!((got, stdout.as_str()), (code, ""), "{words}: {stderr}");
    for part in said {
        assert!(stderr.contains(part), "{words}: {stderr:?} does not say {part:?}");
    }
    assert_eq!(stderr.matches("error:").count(), 1, "{words}: {stderr}");
    assert!(!dir.path().join("out").exists(), "{words}: something was written");
}

#[test]
fn bad_requests_are_refused_with_one_message() {
    for (words, said) in [
        (
            "--kernel alhpa20 --out OUT",
            ["unknown kernel \"alhpa20\"", "did you mean \"alpha20\"?", "gen list"].as_slice(),
        ),
        ("--kernel xyz --out OUT", &["unknown kernel \"xyz\": `gen list`"]),
        ("--kernel beta* --out OUT", &["no kernel matches \"beta*\"", "gen list"]),
        ("--kernel a[ --out OUT", &["--kernel a[: not a pattern"]),
        ("--kernel alpha7 --out OUT", &["alpha7: rounds are even"]),
        ("--kernel alpha0 --out OUT", &["alpha0: rounds are even"]),
        (
            "--target m5 --out OUT",
            &["unknown target \"m5\": did you mean \"m3\"? there", "m3, m4, m4f, esp32, esp32s3"],
        ),
        ("--target esp32s2 --out OUT", &["did you mean \"esp32s3\"?"]),
        (
            "--target m3,m4 --abi call0 --out OUT",
            &["--abi call0: functions are not called so on m3, m4;", "esp32, esp32s3 with"],
        ),
        ("--target esp32 --abi aapcs --out OUT", &["aapcs", "windowed, call0"]),
        ("explain alpha8 --abi windowed", &["--abi windowed: functions are not called so on m4;"]),
        ("--target m3,xtensa --out OUT", &["unknown target \"xtensa\": there are m3, m4, m4f, esp32, esp32s3"]),
        (
            "--unroll=3 --kernel alpha20 --out OUT",
            &["--unroll=3 does not divide the 10 repetitions of alpha20", "1, 2, 5, 10"],
        ),
        (
            "--unroll=5 --kernel alpha* --out OUT",
            &["--unroll=5 does not divide the 4 repetitions of alpha8", "--kernel"],
        ),
        ("--unroll=0 --kernel alpha8 --out OUT", &["--unroll=0 does not divide"]),
        ("--unroll=two --out OUT", &["two", "--unroll"]),
        ("--unrol --out OUT", &["--unrol", "--unroll"]),
        ("--format xml --out OUT", &["xml", "table, json"]),
        ("--kernel alpha8 --out FILE", &["file: it exists and is not a directory"]),
        ("--kernel alpha8 --out FILE/below", &["below: it exists and is not a directory"]),
        ("explain alpha9", &["unknown kernel \"alpha9\": did you mean \"alpha8\"?"]),
        ("explain alpha8 --target m9", &["unknown target \"m9\""]),
        ("explain alpha8 --unroll=3", &["does not divide the 4 repetitions"]),
        ("explain", &["KERNEL"]),
    ] {
        check_error(words, 2, said);
    }
}

#[test]
fn a_function_that_fails_its_verification_stops_everything() {
    check_error("--out OUT", 1, &["qr_broken_unrolled_m3: case 3 differs; nothing was written"]);
    check_error("--kernel broken,alpha8 --looped --target m4f --out OUT", 1, &["qr_broken_looped_m4f"]);
}

#[test]
fn foreign_files_stop_everything() {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::create_dir(dir.path().join("out")).expect("made");
    std::fs::write(dir.path().join("out/mine.txt"), "mine").expect("written");
    // Refused before the work: otherwise the broken kernel would be reported.
    let (code, _, stderr) = gen_in(dir.path(), "--out OUT");
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("mine.txt"), "{stderr}");
    assert_eq!(std::fs::read_dir(dir.path().join("out")).expect("there").count(), 1);
}

/// The functions that are made, in order.
fn check_made(words: &str, expected: &str) {
    let dir = tempfile::tempdir().expect("a directory");
    let (code, stdout, stderr) = gen_in(dir.path(), &format!("{words} --format json --out OUT"));
    assert_eq!((code, stderr.as_str()), (0, ""), "{words}");
    let entries: Vec<serde_json::Value> = serde_json::from_str(&stdout).expect("JSON");
    let made: Vec<&str> = entries.iter().map(|entry| entry["symbol"].as_str().expect("a name")).collect();
    let expected: Vec<String> = expected.split_whitespace().map(|name| format!("qr_{name}")).collect();
    assert_eq!(made, expected, "{words}");
    let manifest = std::fs::read_to_string(dir.path().join("out/quadround.json")).expect("a manifest");
    assert_eq!(manifest, stdout, "{words}");
    for file in entries.iter().flat_map(|entry| entry["files"].as_array().expect("files")) {
        assert!(dir.path().join("out").join(file.as_str().expect("a name")).is_file(), "{words}: {file}");
    }
}

#[test]
fn what_is_asked_for_is_made_in_a_fixed_order() {
    let both =
        "alpha8_unrolled_m3 alpha8_looped_m3 alpha8_unrolled_m4 alpha8_looped_m4 alpha8_unrolled_m4f alpha8_looped_m4f";
    check_made("--kernel alpha8 --unroll=4 --looped --target m4f,m3,m4", both);
    let all = format!("{both} alpha8_unrolled_esp32 alpha8_looped_esp32 alpha8_unrolled_esp32s3 alpha8_looped_esp32s3");
    check_made("--kernel alpha8", &all);
    check_made("--kernel alpha8 --unroll --looped", &all);
    check_made("--kernel alpha8 --abi windowed", &all);
    let some = "alpha8_looped_m4 alpha8_looped_esp32_call0 alpha8_looped_esp32s3_call0";
    check_made("--kernel alpha8 --looped --target esp32s3,m4,esp32 --abi call0", some);
    check_made("--kernel alpha? --unroll --target m4", "alpha8_unrolled_m4");
    check_made("--kernel alpha8 --kernel alpha20 --looped --target m4", "alpha20_looped_m4 alpha8_looped_m4");
    check_made("--kernel alpha6,alpha8,alpha6 --unroll --target m4", "alpha8_unrolled_m4 alpha6_unrolled_m4");
    check_made("--kernel alpha* --unroll=2 --target m3", "alpha20_unroll2_m3 alpha8_unroll2_m3");
    check_made("--kernel alpha48,alpha8 --unroll --target m3", "alpha8_unrolled_m3 alpha48_unroll4_m3");
    check_made("--kernel alpha48 --unroll=24 --target m3", "alpha48_unrolled_m3");
    check_made("--kernel alpha8 --unroll=1 --looped --target m3", "alpha8_looped_m3");
    check_made("--kernel alpha8,alpha* --unroll --target m3 --target m3", "alpha20_unrolled_m3 alpha8_unrolled_m3");
}

#[test]
fn the_table_is_aligned_and_totalled() {
    let dir = tempfile::tempdir().expect("a directory");
    let (code, stdout, stderr) = gen_in(dir.path(), "--kernel alpha* --unroll --target m4f --out OUT");
    assert_eq!((code, stderr.as_str()), (0, ""));
    let expected = "\
symbol                   target  shape     instructions  code  rodata  stack  cycles  per       cases
qr_alpha20_unrolled_m4f  m4f     unrolled            12    24      20      8      20  one call   1000
qr_alpha8_unrolled_m4f   m4f     unrolled            12    24      20      8      20  one call   1000
TOTAL of 2                                                 48      40

";
    let (table, notes) = stdout.split_at(expected.len());
    assert_eq!(table, expected);
    assert!(notes.contains(&format!("14 files in {}", dir.path().join("out").display())), "{notes}");
    let (_, stdout, _) = gen_in(dir.path(), "--kernel alpha8 --unroll --target m4,esp32 --out OUT");
    let expected = "\
symbol                    target  abi       shape     instructions  code  rodata  stack  cycles  per       cases
qr_alpha8_unrolled_m4     m4                unrolled            12    24      20      8      20  one call   1000
qr_alpha8_unrolled_esp32  esp32   windowed  unrolled            12    51      20     48      20  one call   1000
TOTAL of 2                                                            75      40
";
    assert_eq!(stdout[..expected.len()], *expected);
}

#[test]
fn list_and_explain_write_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let (code, stdout, _) = gen_in(dir.path(), "list");
    assert_eq!(code, 0);
    let end = "\n\nFor m3, m4, m4f; for esp32, esp32s3 with register windows or, by --abi call0, without.\nalpha6 on request\n";
    assert!(stdout.ends_with(end), "{stdout}");
    for line in ["kernel   family  repetitions  computes", "alpha20  alpha            10  alpha20 of tests"] {
        assert!(stdout.lines().any(|printed| printed == line), "{stdout}");
    }
    for (words, expected) in [
        ("explain alpha8", "alpha8 m4 unrolled\n"),
        ("explain alpha6 --target m4f --looped", "alpha6 m4f looped\n"),
        ("explain alpha8 --target m3 --unroll=2 --looped", "alpha8 m3 unroll2\nalpha8 m3 looped\n"),
        ("explain alpha8 --target esp32 --abi call0", "alpha8 esp32 unrolled call0\n"),
    ] {
        assert_eq!(gen_in(dir.path(), words), (0, expected.to_string(), String::new()), "{words}");
    }
    let (code, stdout, stderr) = gen_in(dir.path(), "explain broken --unroll --looped");
    assert_eq!((code, stdout.as_str()), (1, "broken m4 unrolled\n"), "the passes up to the failure: {stderr}");
    for words in ["--help", "--version", "help explain"] {
        assert_eq!(gen_in(dir.path(), words).0, 0, "{words}");
    }
    assert_eq!(std::fs::read_dir(dir.path()).expect("there").count(), 0);
}

/// The program itself: exit code 2, one message, nothing on standard output.
fn check_program(words: &str, said: &str) {
    let dir = tempfile::tempdir().expect("a directory");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gen"));
    let output = command.args(words.split_whitespace()).current_dir(dir.path()).output().expect("gen runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{words}: {stderr}");
    assert!(stderr.contains(said) && stderr.matches("error:").count() == 1, "{words}: {stderr:?}");
    assert_eq!(std::fs::read_dir(dir.path()).expect("there").count(), 0, "{words}: something was written");
}

#[test]
fn the_program_refuses_what_no_kernel_is() {
    let rounds = "the number of rounds must be even and from 2 to 100";
    check_program("--kernel chacha7_permute", rounds);
    check_program("--kernel chacha0_xor", rounds);
    check_program("--kernel chacha102_block", rounds);
    check_program("--kernel chacha99999999999_xor_djb", rounds);
    check_program("--kernel chacha20_permut", "did you mean \"chacha20_permute\"?");
    check_program("--kernel chacha08_permute", "did you mean \"chacha8_permute\"?");
    check_program("--kernel chacha_permute", "unknown kernel");
    check_program("--kernel salsa*", "no kernel matches");
    check_program("--kernel kyber_encode --target m3", "takes the DSP extension");
    check_program("--kernel kyber_enc* --target m3", "none of these kernels is made for these targets");
    check_program("--kernel chacha20_xor --target m4fp", "did you mean \"m4f\"?");
    check_program("--kernel chacha20_xor --unroll=3", "use one of 1, 2, 5, 10");
    check_program("explain chacha6_permute --unroll=2", "use one of 1, 3");
}

#[test]
fn a_program_gets_its_functions_without_a_command_line() {
    let job = |kernel: &str, target| Job { kernel: kernel.into(), target, abi: Abi::Aapcs, shape: Shape::Unrolled };
    let jobs = [job("chacha2_permute", Target::M4f), job("chacha2_permute", Target::M3)];
    let functions = generator::generate(&jobs).expect("functions");
    let made: Vec<(&str, bool)> = functions.iter().map(|f| (f.symbol.as_str(), f.verified_cases > 1000)).collect();
    assert_eq!(made, [("qr_chacha2_permute_unrolled_m4f", true), ("qr_chacha2_permute_unrolled_m3", true)]);
    let error = generator::generate(&[job("chacha3_permute", Target::M3)]).expect_err("refused").to_string();
    assert!(error.contains("chacha3_permute: the number of rounds must be even"), "{error}");
}
