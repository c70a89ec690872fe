//! What each bin does.

use super::counter;
use super::harness::{Call, quadround_nothing};
use super::linked::{Buffers, LINKED, Linked, Native};
use super::operations::{self, Message};
use super::report::{Body, Report};
use super::systick::interrupted_every;
use crate::vectors;
use core::sync::atomic::{AtomicU32, Ordering};
use kernels::chacha::{ChaChaBackend, CounterExhausted, State};
use kernels::cipher::inout::InOutBuf;
use kernels::params::chacha::{Counter, Rounds};
use kernels::testing;

/// How often each call is measured.
const RUNS: u32 = 10;

/// Cycles between two interrupts in the self-test: as few as leave time beside the handler, which takes up to half of them where flash
/// is slow.
const INTERRUPT_CYCLES: u32 = 100;

/// The published vectors, and everything against portable code, undisturbed and interrupted.
pub const SELFTEST: Body = Body::Numbers(|report| {
    for_each_backend(report, |report, name, check| {
        check();
        report.number(name, "passed", 1);
        let interrupts = interrupted_every(INTERRUPT_CYCLES, check);
        report.number(name, "interrupts while it passed again", interrupts);
        assert!(interrupts > 0, "SysTick does not interrupt");
    });
});

/// Every backend whose kernels this board runs, with its checks.
fn for_each_backend(report: &mut Report, mut take: impl FnMut(&mut Report, &'static str, fn())) {
    #[cfg(quadround = "m3")]
    take(report, "CortexM3", || testing::chacha::all(&crate::CortexM3));
    #[cfg(quadround = "m4")]
    take(report, "CortexM4", || testing::chacha::all(&crate::CortexM4));
    #[cfg(quadround = "m4")]
    if super::board::BOARD.core == super::board::Core::M4f {
        take(report, "CortexM4F", || testing::chacha::all(&crate::CortexM4F));
    }
}

/// Inputs and outputs.
pub const TESTVECTORS: Body = Body::Lines(|take| vectors::each(&Native::default(), take));

/// Cycles of everything.
pub const SPEED: Body = Body::Numbers(|report| {
    if !report.counts {
        return;
    }
    // SAFETY: it takes nothing.
    let nothing = unsafe { Call::new(quadround_nothing as *const () as usize, [0; 4]) };
    measure(report, "empty call", &nothing);
    let mut buffers = Buffers::new();
    for linked in LINKED {
        measure(report, linked.symbol, &linked.benchmark(&mut buffers));
        report.number(linked.symbol, "manifest cycles", linked.cycles);
    }
    let mut message = Message::new();
    for operation in operations::all::<Native>() {
        measure(report, operation.name, &operation.call(&mut message));
    }
});

fn measure(report: &mut Report, name: &'static str, call: &Call) {
    let (mut sum, mut min, mut max) = (0, u32::MAX, 0);
    for _ in 0..RUNS {
        let cycles = call.timed();
        sum += u64::from(cycles);
        (min, max) = (min.min(cycles), max.max(cycles));
    }
    report.number(name, "cycles", (sum / u64::from(RUNS)) as u32);
    report.number(name, "cycles, least", min);
    report.number(name, "cycles, most", max);
}

/// Stack of everything, by what is no longer as it was painted.
pub const STACK: Body = Body::Numbers(|report| {
    let mut buffers = Buffers::new();
    for linked in LINKED {
        report.number(linked.symbol, "stack bytes", linked.benchmark(&mut buffers).painted());
        report.number(linked.symbol, "manifest stack bytes", linked.stack_bytes);
    }
    let mut message = Message::new();
    for operation in operations::all::<Native>() {
        report.number(operation.name, "stack bytes", operation.call(&mut message).painted());
    }
});

/// What the kernels take in memory.
pub const SIZE: Body = Body::Numbers(|report| {
    for linked in LINKED {
        report.number(linked.symbol, "code bytes", linked.code_bytes);
        report.number(linked.symbol, "constants bytes", linked.rodata_bytes);
        report.number(linked.symbol, "RAM bytes", if linked.in_ram { linked.code_bytes } else { 0 });
    }
    let sum = |bytes: fn(&Linked) -> u32| LINKED.iter().map(bytes).sum();
    report.number("total", "code bytes", sum(|linked| linked.code_bytes));
    report.number("total", "constants bytes", sum(|linked| linked.rodata_bytes));
});

/// Which share of a cipher operation its kernels take.
pub const HASHING: Body = Body::Numbers(|report| {
    if !report.counts {
        return;
    }
    let mut message = Message::new();
    for operation in operations::all::<Counting>() {
        INSIDE.store(0, Ordering::Relaxed);
        let cycles = operation.call(&mut message).timed();
        let inside = INSIDE.load(Ordering::Relaxed);
        report.number(operation.name, "cycles", cycles);
        report.number(operation.name, "cycles inside ChaCha", inside);
        report.number(operation.name, "percent inside ChaCha", inside * 100 / cycles);
    }
});

/// Cycles inside the backend.
static INSIDE: AtomicU32 = AtomicU32::new(0);

/// The board's backend, with its cycles counted.
#[derive(Clone, Copy, Default)]
struct Counting;

fn counted<T>(work: impl FnOnce(Native) -> T) -> T {
    let before = counter::now();
    let result = work(Native::default());
    INSIDE.fetch_add(counter::now().wrapping_sub(before), Ordering::Relaxed);
    result
}

impl ChaChaBackend for Counting {
    fn permute(&self, rounds: Rounds, out: &mut State, input: &State) {
        counted(|native| native.permute(rounds, out, input));
    }

    fn block(&self, rounds: Rounds, out: &mut State, input: &State) {
        counted(|native| native.block(rounds, out, input));
    }

    fn xor(
        &self,
        rounds: Rounds,
        counter: Counter,
        state: &State,
        data: InOutBuf<'_, '_, u8>,
    ) -> Result<(), CounterExhausted> {
        counted(|native| native.xor(rounds, counter, state, data))
    }
}
