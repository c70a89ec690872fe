//! `cargo xtask setup` on machines made of stand-ins: a PATH with nothing but scripts.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// Puts down what it was asked for, and makes the program of a package it knows.
const APT_GET: &str = "#!/bin/sh
echo \"apt-get $*\" >> \"$LOG\"
for package; do :; done
case $package in
    qemu-system-arm | clang-22 | chromium) : > \"$FOLDER/$package\" ;;
    binutils-arm-none-eabi) : > \"$FOLDER/arm-none-eabi-as\" ;;
    lld-22) : > \"$FOLDER/ld.lld-22\" ;;
    binutils-xtensa-lx106) : > \"$FOLDER/xtensa-lx106-elf-as\" ;;
    qemu-system-misc) : > \"$FOLDER/qemu-system-xtensa\" ;;
    gcc-arm-none-eabi) : > \"$FOLDER/arm-none-eabi-gcc\" ;;
    llvm-22) [ -n \"$BROKEN\" ] || : > \"$FOLDER/llvm-mc-22\" ;;
esac
";

/// Has those targets whose libraries are there.
const RUSTC: &str = "#!/bin/sh\necho \"$FOLDER/$4\"\n";

/// Puts down what it was asked for, and brings the libraries.
const RUSTUP: &str = "#!/bin/sh
echo \"rustup $*\" >> \"$LOG\"
shift 2
for target; do /bin/mkdir \"$FOLDER/$target\"; done
";

const TARGETS: [&str; 3] = ["thumbv7m-none-eabi", "thumbv7em-none-eabi", "thumbv7em-none-eabihf"];

fn script(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn setup(folder: &Path, user: u32, broken: &str) -> Output {
    script(folder, "id", &format!("#!/bin/sh\necho {user}\n"));
    script(folder, "rustc", RUSTC);
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg("setup").env_remove("RUSTC").env("PATH", folder).env("FOLDER", folder).env("LOG", folder.join("log"));
    command.env("BROKEN", broken).output().unwrap()
}

fn log(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("log")).unwrap_or_default()
}

#[test]
fn root_gets_each_missing_package_in_a_call_of_its_own_and_what_rustup_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    script(folder, "apt-get", APT_GET);
    script(folder, "rustup", RUSTUP);
    script(folder, "clang-22", "");
    std::fs::create_dir(folder.join(TARGETS[1])).unwrap();
    let output = setup(folder, 0, "");
    assert!(output.status.success(), "{output:?}");
    let install = |package: &str| format!("apt-get install -q -y --no-install-recommends {package}\n");
    let packages = [
        "qemu-system-arm",
        "binutils-arm-none-eabi",
        "llvm-22",
        "lld-22",
        "chromium",
        "gcc-arm-none-eabi",
        "binutils-xtensa-lx106",
        "qemu-system-misc",
    ];
    let installs = packages.map(install).concat();
    let added = format!("rustup target add {} {}\n", TARGETS[0], TARGETS[2]);
    let expected = format!("apt-get update -q\n{installs}{added}");
    assert_eq!(log(folder), expected);
    // The second time there is nothing to do.
    assert!(setup(folder, 0, "").status.success());
    assert_eq!(log(folder), expected);
}

#[test]
fn who_cannot_install_is_told_what_to_install() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // Root without apt-get, then apt-get without root.
    for user in [0, 1000] {
        let output = setup(folder, user, "");
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains("\n  apt-get install -y --no-install-recommends llvm-22\n"), "{errors}");
        script(folder, "apt-get", APT_GET);
    }
    assert_eq!(log(folder), "");
}

#[test]
fn a_package_without_its_program_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    script(folder.path(), "apt-get", APT_GET);
    let output = setup(folder.path(), 0, "yes");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(errors.contains("llvm-22 is installed, but llvm-mc-22 is not in PATH"), "{errors}");
}
