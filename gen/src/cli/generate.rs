//! Generation on two threads, with a bar on a terminal and results in a fixed order.

use crate::cli::select::Job;
use crate::cli::{Failure, Source};
use crate::function::Function;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Threads that generate.
const THREADS: usize = 2;

/// Every job's function, in the order of the jobs.
///
/// # Errors
/// That of the first job, in their order, that failed. Jobs are begun in order, so every job before a failed one has been
/// done, and the answer is the same each time.
pub fn all(source: &dyn Source, jobs: &[Job]) -> Result<Vec<Function>, Failure> {
    // Draws on standard error, and only if that is a terminal.
    let bar = ProgressBar::new(jobs.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let work = || {
        let mut done = Vec::new();
        while !failed.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(index) else { break };
            bar.set_message(format!("{} {} {}", job.kernel, job.target, job.shape));
            let result = source.generate(job);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            bar.inc(1);
            done.push((index, result));
        }
        done
    };
    let mut results: Vec<(usize, Result<Function, Failure>)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    bar.finish_and_clear();
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
