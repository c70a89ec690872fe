//! The planner reaches the cost that counting says is the least.

use generator::plan::{CYCLE, MoveCost, Need, Problem, plan};
use kernels::params::chacha::{QUARTER_ROUNDS, STATE_WORDS};

const OUT: u64 = 1 << STATE_WORDS;

/// The planning problem of a ChaCha permutation of `2 * pairs` rounds with 14 registers.
fn permutation(pairs: usize, cost: MoveCost) -> Problem {
    let mut steps: Vec<Need> = Vec::new();
    let mut last = [None; STATE_WORDS];
    for words in QUARTER_ROUNDS.iter().cycle().take(8 * pairs) {
        let set = words.iter().fold(0, |s, v| s | 1 << v);
        let after = words.iter().filter_map(|&v| last[v]).collect();
        words.iter().for_each(|&v| last[v] = Some(steps.len()));
        steps.push(Need { reads: set, writes: set, temps: 0, after });
    }
    let store = |(v, after): (usize, &Option<usize>)| Need {
        reads: 1 << v | OUT,
        after: after.iter().copied().collect(),
        ..Need::default()
    };
    steps.extend(last.iter().enumerate().map(store));
    let inputs = (0..STATE_WORDS as u32).map(|v| (v, Some(STATE_WORDS as u32 + 1))).collect();
    Problem { registers: 14, steps, inputs, resident: OUT | OUT << 1, cost, ..Problem::default() }
}

/// Sixteen words come in; at each of the borders between rounds two words leave and two come back (performance of a paging problem
/// with 16 pages and 14 frames); the output pointer and one word more leave and come back once.
#[test]
fn as_few_moves_as_there_must_be() {
    for (pairs, load_batch) in [(4, 0), (6, 0), (10, 0), (4, 1), (6, 1), (10, 1)] {
        let cost = MoveCost { load: 1, load_batch, save: 1, save_fresh: 0 };
        let (_, found) = plan(&permutation(pairs as usize, cost)).unwrap();
        let borders = 2 * pairs - 1;
        // The words come back in pairs, the pointer by itself.
        let batches = load_batch * (borders + 1);
        assert_eq!(found, CYCLE * (16 + 4 * borders + 4 + batches), "{pairs} double rounds, {load_batch} a batch");
    }
}
