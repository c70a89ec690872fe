//! The simulator machine of `qemu-system-xtensa`: its memory, an ELF file for it, what it writes.

use super::super::Op;
use super::Assembly;
use std::io;
use std::path::Path;
use std::process::Command;

/// Where the machine begins to execute, whatever the file says.
const RESET: u32 = 0xfe00_0000;
/// The file in which results arrive.
const RESULTS: &str = "results";
/// SIMCALL's numbers, in a2.
const EXIT: u32 = 1;
const WRITE: u32 = 4;
const OPEN: u32 = 5;
/// Write only, create, truncate, as Linux numbers them.
const FLAGS: u32 = 0x241;
const MODE: u32 = 0o644;

/// Bytes at an address.
pub struct Segment {
    /// The first byte's address; RAM is from 0 to 0x07ffffff.
    pub address: u32,
    /// What stands there.
    pub bytes: Vec<u8>,
}

/// What the machine runs.
pub struct Image {
    /// Where execution begins, with PS as after reset: no window exceptions, no interrupts.
    pub start: u32,
    /// Memory that is not 0.
    pub segments: Vec<Segment>,
}

impl Image {
    /// An ELF file with a program header for each segment, and one for the way from the reset vector.
    fn elf(&self) -> Vec<u8> {
        let mut reset = Assembly::new(RESET);
        reset.constant(0, self.start);
        reset.op(Op::Jx, 0, 0, 0, 0);
        let reset = Segment { address: RESET, bytes: reset.finish() };
        let segments: Vec<&Segment> = [&reset].into_iter().chain(&self.segments).collect();
        const HEADER: u32 = 52;
        const PROGRAM_HEADER: u32 = 32;
        const XTENSA: u16 = 94;
        let mut file = vec![0x7f, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let halves = |file: &mut Vec<u8>, values: &[u16]| file.extend(values.iter().flat_map(|x| x.to_le_bytes()));
        let words = |file: &mut Vec<u8>, values: &[u32]| file.extend(values.iter().flat_map(|x| x.to_le_bytes()));
        // Executable, version 1, entry, program headers, no section headers, flags.
        halves(&mut file, &[2, XTENSA]);
        words(&mut file, &[1, RESET, HEADER, 0, 0]);
        halves(&mut file, &[HEADER as u16, PROGRAM_HEADER as u16, segments.len() as u16, 40, 0, 0]);
        let mut offset = HEADER + PROGRAM_HEADER * segments.len() as u32;
        for segment in &segments {
            let (address, size) = (segment.address, segment.bytes.len() as u32);
            // Loaded; readable, writable, executable.
            words(&mut file, &[1, offset, address, address, size, size, 7, 4]);
            offset += size;
        }
        segments.iter().for_each(|segment| file.extend_from_slice(&segment.bytes));
        file
    }
}

/// Appends code that writes `length` bytes from `address` to the file of results. Changes a0 and a2 to a5.
pub fn write_results(code: &mut Assembly, address: u32, length: u32) {
    let opened = code.label();
    // The name stands in the code; CALL0 over it leaves its address in a0.
    code.to(super::inst(Op::Call0, 0, 0, 0, 0), opened);
    code.data(RESULTS.as_bytes());
    code.data(&[0]);
    code.align();
    code.place(opened);
    code.constant(2, OPEN);
    code.op(Op::MovN, 0, 0, 3, 0);
    code.constant(4, FLAGS);
    code.constant(5, MODE);
    code.op(Op::Simcall, 0, 0, 0, 0);
    code.op(Op::MovN, 0, 2, 3, 0);
    code.constant(2, WRITE);
    code.constant(4, address);
    code.constant(5, length);
    code.op(Op::Simcall, 0, 0, 0, 0);
}

/// Appends code that ends the machine with a status of 0 to 255, of which [`run`] takes only 0 as success.
pub fn exit(code: &mut Assembly, status: u32) {
    code.constant(2, EXIT);
    code.constant(3, status);
    code.op(Op::Simcall, 0, 0, 0, 0);
}

/// Runs an image on QEMU's model of the core `cpu`, in `folder`, which is empty, and returns what it wrote to its file.
///
/// # Errors
/// If QEMU is not there, fails, does not end within a minute, or writes nothing.
pub fn run(image: &Image, cpu: &str, folder: &Path) -> io::Result<Vec<u8>> {
    std::fs::write(folder.join("image.elf"), image.elf())?;

    let output = Command::new("timeout")
        .args(["60", "qemu-system-xtensa", "-M", "sim", "-cpu", cpu, "-nographic", "-monitor", "none"])
        .args(["-serial", "null", "-semihosting", "-kernel", "image.elf"])
        .current_dir(folder)
        .output()?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(io::Error::other(format!(
            "qemu-system-xtensa ({}): {text}; if it is missing, run `cargo xtask setup`",
            output.status
        )));
    }
    std::fs::read(folder.join(RESULTS))
}
