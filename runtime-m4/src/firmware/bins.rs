//! What each bin does.

use super::arena::{with_buffers, with_memory};
use super::counting::Counting;
use super::harness::{Call, free_stack, quadround_nothing};
use super::linked::{LINKED, Linked, Native};
use super::operations::{self, Memory, Scheme};
use super::report::{Body, Report};
pub use super::secrets::SECRETS;
use super::systick::interrupted_every;
use crate::vectors;
use kernels::chacha::ChaChaBackend;
use kernels::mlkem::{Compact, LowStack, MlKemBackend};
use kernels::testing;

/// How often each call is measured.
const RUNS: u32 = 10;

/// Operations of a scheme, at most, and what is said of each, at most.
const OPERATIONS_MAX: usize = 3;
const LABELS_MAX: usize = 3 * OPERATIONS_MAX;

/// What is said of the cycles of a kernel.
const CYCLES: [&str; 3] = ["cycles", "cycles, least", "cycles, most"];

/// Cycles between two interrupts in the self-test: as few as leave time beside the handler, which takes up to half of them where flash
/// is slow.
const INTERRUPT_CYCLES: u32 = 100;

/// The published vectors, and everything against portable code, undisturbed and interrupted.
pub const SELFTEST: Body = Body::Numbers(|report| {
    for_each_backend(report, |report, name, check| {
        report.numbers(name, &["passed"], |values| {
            check();
            values[0] = 1;
        });
        report.numbers(name, &["interrupts while it passed again"], |values| {
            values[0] = interrupted_every(INTERRUPT_CYCLES, check);
            assert!(values[0] > 0, "SysTick does not interrupt");
        });
    });
});

/// Every backend whose kernels this board runs, with its checks.
fn for_each_backend(report: &mut Report, mut take: impl FnMut(&mut Report, &'static str, fn())) {
    #[cfg(quadround = "m3")]
    take(report, "CortexM3", || checks(&crate::CortexM3));
    #[cfg(quadround = "m4")]
    take(report, "CortexM4", || checks(&crate::CortexM4));
    #[cfg(quadround = "m4")]
    if super::board::BOARD.core == super::board::Core::M4f {
        take(report, "CortexM4F", || checks(&crate::CortexM4F));
    }
}

/// The checks of what is linked.
fn checks<B: ChaChaBackend + Compact + Clone>(backend: &B) {
    testing::chacha::all(backend);
    if cfg!(feature = "keccak") {
        testing::keccak::published(backend);
    }
    if cfg!(feature = "mlkem") {
        testing::mlkem::brief(backend);
        testing::mlkem::brief(&LowStack(backend.clone()));
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
    report.numbers("empty call", &CYCLES, |values| measure(&nothing, values));
    with_buffers(|buffers| {
        for linked in LINKED {
            let call = linked.benchmark(buffers);
            report.numbers(linked.symbol, &CYCLES, |values| measure(&call, values));
            report.numbers(linked.symbol, &["manifest cycles"], |values| values[0] = linked.cycles);
        }
    });
    for_each_scheme::<Native>(report, &mut |report, scheme, memory| {
        let labels = labels(scheme, |operation| operation.labels.cycles);
        report.numbers(scheme.name, &labels[..3 * scheme.operations.len()], |values| {
            let mut tallies = [Tally::NONE; OPERATIONS_MAX];
            for run in 0..RUNS {
                (scheme.draw)(memory, run);
                for (operation, tally) in scheme.operations.iter().zip(&mut tallies) {
                    tally.add(operation.call(memory).timed());
                }
                (scheme.check)(memory);
            }
            tallies.iter().zip(values.chunks_exact_mut(3)).for_each(|(tally, out)| tally.write(out));
        });
    });
});

/// Cycles of several runs.
#[derive(Clone, Copy)]
struct Tally {
    sum: u64,
    least: u32,
    most: u32,
}

impl Tally {
    const NONE: Tally = Tally { sum: 0, least: u32::MAX, most: 0 };

    fn add(&mut self, cycles: u32) {
        self.sum += u64::from(cycles);
        (self.least, self.most) = (self.least.min(cycles), self.most.max(cycles));
    }

    /// The mean of [`RUNS`], the fewest, the most.
    fn write(&self, out: &mut [u32]) {
        let mean = (self.sum / u64::from(RUNS)) as u32;
        out.iter_mut().zip([mean, self.least, self.most]).for_each(|(out, value)| *out = value);
    }
}

fn measure(call: &Call, values: &mut [u32]) {
    let mut tally = Tally::NONE;
    (0..RUNS).for_each(|_| tally.add(call.timed()));
    tally.write(values);
}

/// Every scheme for which there is enough memory.
fn for_each_scheme<B: ChaChaBackend + MlKemBackend + Default>(
    report: &mut Report,
    work: &mut dyn FnMut(&mut Report, &Scheme, &mut Memory),
) {
    with_memory(|memory| {
        operations::each::<B>(&mut |scheme| match scheme.stack_bytes.checked_sub(free_stack()) {
            None | Some(0) => work(report, scheme, memory),
            Some(missing) => report.numbers(scheme.name, &["not measured: bytes of RAM missing"], |values| {
                values[0] = missing as u32;
            }),
        });
    });
}

/// Three labels for each operation.
fn labels(scheme: &Scheme, of: impl Fn(&operations::Operation) -> [&'static str; 3]) -> [&'static str; LABELS_MAX] {
    let mut labels = [""; LABELS_MAX];
    labels.as_chunks_mut().0.iter_mut().zip(scheme.operations).for_each(|(three, one)| *three = of(one));
    labels
}

/// Stack of everything, by what is no longer as it was painted.
pub const STACK: Body = Body::Numbers(|report| {
    with_buffers(|buffers| {
        for linked in LINKED {
            let call = linked.benchmark(buffers);
            report.numbers(linked.symbol, &["stack bytes", "manifest stack bytes"], |values| {
                values.copy_from_slice(&[call.painted(), linked.stack_bytes]);
            });
        }
    });
    for_each_scheme::<Native>(report, &mut |report, scheme, memory| {
        (scheme.draw)(memory, 0);
        for operation in scheme.operations {
            report.numbers(scheme.name, &[operation.labels.stack], |values| {
                values[0] = operation.call(memory).painted();
            });
        }
    });
});

/// What the kernels take in memory.
pub const SIZE: Body = Body::Numbers(|report| {
    let what = ["code bytes", "constants bytes", "RAM bytes"];
    let in_ram = |linked: &Linked| if linked.in_ram { linked.code_bytes } else { 0 };
    for linked in LINKED {
        report.numbers(linked.symbol, &what, |values| {
            values.copy_from_slice(&[linked.code_bytes, linked.rodata_bytes, in_ram(linked)]);
        });
    }
    let sum = |bytes: fn(&Linked) -> u32| LINKED.iter().map(bytes).sum();
    report.numbers("total", &what[..2], |values| {
        values.copy_from_slice(&[sum(|linked| linked.code_bytes), sum(|linked| linked.rodata_bytes)]);
    });
});

/// Which share of an operation its kernels take.
pub const HASHING: Body = Body::Numbers(|report| {
    if !report.counts {
        return;
    }
    for_each_scheme::<Counting>(report, &mut |report, scheme, memory| {
        if !scheme.has_kernels {
            return;
        }
        let labels = labels(scheme, |operation| operation.labels.inside);
        report.numbers(scheme.name, &labels[..3 * scheme.operations.len()], |values| {
            (scheme.draw)(memory, 0);
            for (operation, values) in scheme.operations.iter().zip(values.chunks_exact_mut(3)) {
                Counting::take();
                let cycles = operation.call(memory).timed();
                let inside = Counting::take();
                values.copy_from_slice(&[cycles, inside, inside * 100 / cycles]);
            }
        });
    });
});
