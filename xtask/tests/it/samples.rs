//! The examples in docs/samples print the answer of RFC 8439, section 2.4.2.

use crate::root;
use kernels::mlkem::{DecapsulationKey, MlKem768};
use kernels::testing::nist::Drbg;
use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};
use std::path::Path;
use std::process::{Command, Stdio};

/// RFC 8439, section 2.4.2.
const CIPHERTEXT: &str = "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b357\
1639d624e65152ab8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab77937365af90bbf74a35be6b40b8eed\
f2785e42874d";

/// What a program prints, on either output; it has to succeed.
fn printed(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(output.status.success(), "{command:?}: {text}");
    text
}

fn in_qemu(machine: &str, elf: &Path) -> String {
    let mut command = Command::new("timeout");
    command.args(["60", "qemu-system-arm", "-M", machine, "-nographic"]);
    printed(command.args(["-semihosting-config", "enable=on,target=native", "-kernel"]).arg(elf))
}

/// The flags that README.md of the example gives, for each core's bundle and machine.
const CORES: [(&str, &str, &[&str]); 3] = [
    ("m3", "mps2-an385", &["-mcpu=cortex-m3"]),
    ("m4", "mps2-an386", &["-mcpu=cortex-m4", "-mfloat-abi=soft"]),
    ("m4f", "mps2-an386", &["-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]),
];

/// The flags that README.md gives for schemes: what nobody calls is left out, and the stack is not executable though the
/// generated objects do not say so.
const COLLECT: [&str; 2] = ["-Wl,--gc-sections", "-Wl,-z,noexecstack"];

/// What gcc is told for a core.
fn gcc(folder: &Path, flags: &[&str], how: &[&str], out: &str) -> Command {
    let mut gcc = Command::new("arm-none-eabi-gcc");
    gcc.current_dir(folder).args(["-mthumb", "-Wall", "-Wextra", "-Werror"]).args(flags).args(how);
    gcc.args(["-nostdlib", "-Wl,--fatal-warnings", "-T", "mps2.ld", "-o", out]);
    gcc
}

#[test]
#[ignore = "needs arm-none-eabi-gcc and qemu-system-arm"]
fn a_program_in_c_links_the_library_and_prints_the_answer() {
    for (core, machine, flags) in CORES {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let mut bundle = Command::new(env!("CARGO_BIN_EXE_xtask"));
        bundle.args(["bundle", "c", "--kernel", "chacha20_*", "--target", core, "--out"]).arg(folder);
        printed(&mut bundle);
        let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
        assert!(readme.contains(&format!("| `*_{core}` | `{}` | `{machine}` |", flags.join(" "))), "{core}: {readme}");
        for how in [&["-O2"][..], &["-O0", "-mapcs-frame"], &["-Os", "-flto"]] {
            let sources = ["chacha20.c", "start.c", "libquadround.a"];
            printed(gcc(folder, flags, how, "chacha20.elf").args(sources));
            let text = in_qemu(machine, &folder.join("chacha20.elf"));
            assert_eq!(text, format!("{CIPHERTEXT}\n"), "{core} {how:?}");
        }
    }
}

/// The first record of NIST's known-answer file: random bytes of key generation and encapsulation, and the shared key.
/// `kernels` checks the whole record against the published digest.
fn first_record() -> ([u8; 64], [u8; 32], String) {
    let seed = Drbg::new(&std::array::from_fn(|i| i as u8)).bytes();
    let mut drbg = Drbg::new(&seed);
    let (key_coins, coins) = (drbg.bytes(), drbg.bytes());
    let dk = DecapsulationKey::<MlKem768>::from_seed(&key_coins);
    let (_, key) = dk.encapsulation_key().encapsulate_with_message(&coins);
    (key_coins, coins, key.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Names of the functions of a program.
fn functions(elf: &Path) -> Vec<String> {
    let data = std::fs::read(elf).unwrap();
    let file = object::File::parse(&*data).unwrap();
    let functions = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text);
    functions.map(|symbol| symbol.name().unwrap().to_owned()).collect()
}

/// Bytes of a program in flash.
fn flash_bytes(elf: &Path) -> u64 {
    let data = std::fs::read(elf).unwrap();
    let file = object::File::parse(&*data).unwrap();
    file.segments().map(|segment| segment.file_range().1).sum()
}

/// One core will do: what differs between cores is in the functions, and in the flags above.
#[test]
#[ignore = "needs the target thumbv7em-none-eabihf, arm-none-eabi-gcc and qemu-system-arm"]
fn a_program_in_c_makes_and_opens_a_ciphertext() {
    let (core, machine, flags) = CORES[2];
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut bundle = Command::new(env!("CARGO_BIN_EXE_xtask"));
    // The profiles differ in what computes, not in how it is called.
    let profile = std::env::var_os("QUADROUND_FULL").map(|_| "--low-stack");
    bundle.args(["bundle", "c", "--scheme", "mlkem512,mlkem768"]).args(profile);
    printed(bundle.args(["--target", core, "--out"]).arg(folder));
    assert!(folder.join("mlkem768.c").is_file() && !folder.join("chacha20.c").exists());
    let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
    assert!(readme.contains(&COLLECT.join(" ")), "{readme}");
    let (key_coins, coins, key) = first_record();
    assert!(readme.contains(&format!("begins with `{}`", &key[..8])), "{key}");
    let source = std::fs::read_to_string(folder.join("mlkem768.c")).unwrap();
    for bytes in [&key_coins[..], &coins] {
        for row in bytes.chunks(16) {
            let row: Vec<String> = row.iter().map(|byte| format!("0x{byte:02x}")).collect();
            assert!(source.contains(&row.join(", ")), "{row:?}");
        }
    }
    let library = ["start.c", "libquadround_kem.a"];
    for how in ["-O2", "-O0"] {
        printed(gcc(folder, flags, &[how, COLLECT[0], COLLECT[1]], "mlkem768.elf").arg("mlkem768.c").args(library));
        assert_eq!(in_qemu(machine, &folder.join("mlkem768.elf")), format!("{key}\n"), "{how:?}");
    }
    let whole = folder.join("mlkem768.elf");
    // Who only decapsulates pays for that: not for other sets, other operations, or a generator of random bytes.
    let main = "#include \"quadround_kem.h\"\n\
        static uint8_t ss[QUADROUND_MLKEM512_BYTES], ct[QUADROUND_MLKEM512_CIPHERTEXTBYTES];\n\
        static uint8_t sk[QUADROUND_MLKEM512_SECRETKEYBYTES];\n\
        int main(void) { return quadround_mlkem512_dec(ss, ct, sk) == QUADROUND_KEM_KEY ? 0 : 1; }\n";
    std::fs::write(folder.join("dec.c"), main).unwrap();
    printed(gcc(folder, flags, &["-O2", COLLECT[0], COLLECT[1]], "dec.elf").arg("dec.c").args(library));
    // A key of zeroes has not the hash of its public half.
    assert_eq!(in_qemu(machine, &folder.join("dec.elf")), "");
    let dec = folder.join("dec.elf");
    let paid: Vec<String> =
        functions(&dec).into_iter().filter(|name| name.starts_with("quadround_") || name.contains("keygen")).collect();
    assert_eq!(paid, ["quadround_mlkem512_dec"]);
    assert!(flash_bytes(&dec) < flash_bytes(&whole), "{} {}", flash_bytes(&dec), flash_bytes(&whole));
}

/// A call that fails is told, and so is a fault of the processor.
#[test]
#[ignore = "needs arm-none-eabi-gcc and qemu-system-arm"]
fn the_example_in_c_can_fail() {
    let folder = tempfile::tempdir().unwrap();
    let source = root().join("docs/samples/c");
    for (body, expected) in [("return 7;", ""), ("return *(volatile int *)0xf0000000;", "fault\n")] {
        let main = folder.path().join("main.c");
        std::fs::write(&main, format!("int main(void) {{ {body} }}\n")).unwrap();
        let elf = folder.path().join("main.elf");
        let mut gcc = Command::new("arm-none-eabi-gcc");
        gcc.args(["-mthumb", "-mcpu=cortex-m3", "-O1", "-nostdlib", "-T"]).arg(source.join("mps2.ld"));
        printed(gcc.arg(&main).arg(source.join("start.c")).arg("-o").arg(&elf));
        let mut qemu = Command::new("timeout");
        qemu.args(["60", "qemu-system-arm", "-M", "mps2-an385", "-nographic"]);
        qemu.args(["-semihosting-config", "enable=on,target=native", "-kernel"]).arg(&elf).stdin(Stdio::null());
        let output = qemu.output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!((text.as_str(), output.status.code()), (expected, Some(1)), "{body}");
    }
}

#[test]
#[ignore = "needs the target thumbv7em-none-eabihf and qemu-system-arm"]
fn a_crate_outside_the_workspace_prints_the_answer() {
    // The workspace's own, so that the generator is compiled once.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let mut cargo = Command::new("cargo");
    cargo.args(["run", "--quiet", "--release", "--locked"]).current_dir(root().join("docs/samples/rust"));
    let text = printed(cargo.env("CARGO_TARGET_DIR", target));
    assert_eq!(text, format!("{CIPHERTEXT}\n"));
}

/// What is written for a core uses what it takes from elsewhere, whatever is linked: a user sees no warnings that are not his.
#[test]
#[ignore = "needs the target thumbv7em-none-eabihf"]
fn every_choice_of_kernels_builds_without_a_warning() {
    let mut choices = vec!["chacha8", "keccak"];
    if std::env::var_os("QUADROUND_FULL").is_some() {
        choices.extend(["", "kyber", "mlkem", "mlkem,kyber-90s", "chacha20,mlkem,size"]);
    }
    for features in choices {
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--quiet", "--package", "runtime-m4", "--lib", "--target", "thumbv7em-none-eabihf"]);
        cargo.args(["--release", "--no-default-features", "--features", features]).current_dir(root());
        // None on purpose. What is built already tells its warnings again.
        assert_eq!(printed(cargo.env("QUADROUND_CONFIG", "")), "", "{features}");
    }
}
