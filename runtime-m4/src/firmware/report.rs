//! Text and JSON, from the first line to the last.

use super::board::{BOARD, cpuid};
use super::console::{Console, flush};
use super::{counter, semihosting};
use crate::vectors::{Hex, Line, Take};
use core::fmt::{self, Display, Write};
use core::sync::atomic::{AtomicBool, Ordering};

/// Results of one program, at most.
const VALUES_MAX: usize = 512;

/// What a program does between the marks.
pub enum Body {
    /// It finds numbers.
    Numbers(fn(&mut Report)),
    /// It computes lines, the same each time.
    Lines(fn(Take<'_>)),
}

/// The numbers. A program tells them twice: first they are found and printed as text, then printed as JSON.
pub struct Report {
    values: [u32; VALUES_MAX],
    told: usize,
    is_known: bool,
    /// There is a cycle counter.
    pub counts: bool,
}

impl Report {
    /// Numbers that belong to `name`, one for each of `what`. `find` finds them, if they are not known yet.
    pub fn numbers(&mut self, name: &'static str, what: &[&'static str], find: impl FnOnce(&mut [u32])) {
        let values = &mut self.values[self.told..][..what.len()];
        self.told += what.len();
        if self.is_known {
            for (what, value) in what.iter().zip(values) {
                say(format_args!("{{\"name\":{name:?},\"what\":{what:?},\"value\":{value}}}\n"));
            }
            return;
        }
        find(values);
        for (what, value) in what.iter().zip(values) {
            say(format_args!("{name} {what}:\n{value}\n"));
        }
    }
}

/// Prints. The console cannot fail.
fn say(text: fmt::Arguments<'_>) {
    let _ = Console.write_fmt(text);
}

/// Runs a program and ends.
pub fn start(program: &'static str, body: Body) -> ! {
    let ready = BOARD.set_up();
    let counts = counter::start();
    begin();
    head(program, counts);
    if let Err(register) = ready {
        fail(format_args!("the register at {register:#010x} does not become ready: is this board a {}?", BOARD.name));
    }
    if !BOARD.is_this() {
        fail(format_args!("this core is no {}: the firmware is for another board", BOARD.core));
    }
    say(format_args!("==========================\n"));
    IN_BODY.store(true, Ordering::Relaxed);
    let mut report = Report { values: [0; VALUES_MAX], told: 0, is_known: false, counts };
    match body {
        Body::Numbers(run) => run(&mut report),
        Body::Lines(run) => run(&mut |line| say(format_args!("{line}\n"))),
    }
    IN_BODY.store(false, Ordering::Relaxed);
    say(format_args!("#\n"));
    json_head(program, counts);
    (report.told, report.is_known) = (0, true);
    match body {
        Body::Numbers(run) => run(&mut report),
        Body::Lines(run) => run(&mut |Line { name, what, bytes }| {
            say(format_args!("{{\"name\":{name:?},\"what\":{what:?},\"hex\":\"{}\"}}\n", Hex(bytes)));
        }),
    }
    say(format_args!("{{\"result\":\"ok\"}}\n"));
    end(true)
}

/// The first line is printed.
static STARTED: AtomicBool = AtomicBool::new(false);
/// The text is between the marks.
static IN_BODY: AtomicBool = AtomicBool::new(false);
/// Something has gone wrong already.
static FAILED: AtomicBool = AtomicBool::new(false);

fn begin() {
    STARTED.store(true, Ordering::Relaxed);
    say(format_args!("start\n"));
}

/// Says what went wrong, and ends.
pub fn fail(why: fmt::Arguments<'_>) -> ! {
    // If saying so goes wrong too, only the end is left.
    if !FAILED.swap(true, Ordering::Relaxed) {
        if !STARTED.load(Ordering::Relaxed) {
            begin();
        }
        say(format_args!("ERROR: {why}\n"));
        if IN_BODY.load(Ordering::Relaxed) {
            say(format_args!("#\n"));
        }
        say(format_args!("{{\"result\":\"failed\",\"error\":\"{}\"}}\n", Escaped(&why)));
    }
    end(false)
}

fn end(success: bool) -> ! {
    say(format_args!("end\n"));
    flush();
    if BOARD.semihosting {
        semihosting::exit(success);
    }
    loop {
        // SAFETY: nothing is left to do but to wait.
        unsafe { core::arch::asm!("wfi", options(nomem, nostack, preserves_flags)) };
    }
}

/// The head's fields.
fn fields(program: &'static str, counts: bool, field: &mut dyn FnMut(&'static str, &dyn Display)) {
    field("program", &program);
    field("board", &BOARD.name);
    field("chip", &BOARD.chip);
    field("core", &BOARD.core);
    field("cpuid", &format_args!("{:#010x}", cpuid()));
    field("clock", &format_args!("{} Hz", BOARD.clock_hz));
    field("wait states", &BOARD.wait_states);
    field("compiler", &BOARD.compiler);
    field("flags", &BOARD.flags);
    field("version", &concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")));
    field("kernels in", &BOARD.placement);
    field("cycle counter", if counts { &"DWT CYCCNT" } else { &"none: this machine counts no cycles" });
}

fn head(program: &'static str, counts: bool) {
    fields(program, counts, &mut |name, value| say(format_args!("{name}: {value}\n")));
}

fn json_head(program: &'static str, counts: bool) {
    let mut separator = '{';
    fields(program, counts, &mut |name, value| {
        say(format_args!("{separator}{name:?}:\"{}\"", Escaped(value)));
        separator = ',';
    });
    say(format_args!("}}\n"));
}

/// Text inside a JSON string.
struct Escaped<'a>(&'a dyn Display);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Escape<'a, 'b>(&'a mut fmt::Formatter<'b>);
        impl Write for Escape<'_, '_> {
            fn write_char(&mut self, c: char) -> fmt::Result {
                match c {
                    '"' | '\\' => write!(self.0, "\\{c}"),
                    c if c < ' ' => write!(self.0, "\\u{:04x}", c as u32),
                    c => self.0.write_char(c),
                }
            }
            fn write_str(&mut self, text: &str) -> fmt::Result {
                text.chars().try_for_each(|c| self.write_char(c))
            }
        }
        write!(Escape(f), "{}", self.0)
    }
}
