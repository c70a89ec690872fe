//! The planner for machines with modes reaches the costs that an exhaustive search found.

use generator::lockstep::{Costs, Lockstep, plan};
use generator::plan::{MoveCost, Need, Problem};
use kernels::params::chacha::{QUARTER_ROUNDS, STATE_WORDS};

const ALL: u64 = (1 << STATE_WORDS) - 1;

/// The permutation of ChaCha with 15 registers: a quarter round is additions and xors, and four rotations, each with a mode. At first
/// `absent` is in no register.
fn permutation(rounds: usize, absent: u32, exchange: u32) -> Lockstep {
    let mut steps: Vec<Need> = Vec::new();
    let mut modes = Vec::new();
    let mut last = [None; STATE_WORDS];
    let mut step = |words: &[usize], mode: Option<u8>| {
        let set = words.iter().fold(0, |s, v| s | 1 << v);
        let after = words.iter().filter_map(|&v| last[v]).collect();
        words.iter().for_each(|&v| last[v] = Some(steps.len()));
        steps.push(Need { reads: set, writes: set, temps: 0, after });
        modes.push(mode);
    };
    for &[a, b, c, d] in QUARTER_ROUNDS.iter().cycle().take(4 * rounds) {
        for (x, y, z, mode) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
            step(&[x, y, z], None);
            step(&[z], Some(mode));
        }
    }
    let (resident, saved) = (ALL & !(1 << absent), 1 << absent);
    let cost = MoveCost::default();
    let problem = Problem { registers: 15, steps, resident, saved, live_out: ALL, cost, ..Problem::default() };
    Lockstep { problem, modes, costs: Costs { mode: 1, load: 1, save: 1, exchange }, may_leave: ALL, pinned: 0 }
}

/// The least cost over all choices of who is absent at first, with and without cheap exchanges.
#[test]
fn as_cheap_as_can_be() {
    for (rounds, exchange, least) in
        [(2, 1, 11), (3, 1, 16), (4, 1, 21), (6, 1, 32), (2, 2, 14), (4, 2, 26), (6, 2, 40)]
    {
        let cost = |absent| plan(&permutation(rounds, absent, exchange)).unwrap().1;
        let found = (0..STATE_WORDS as u32).map(cost).min().unwrap();
        assert_eq!(found, least, "{rounds} rounds, an exchange costs {exchange}");
    }
}
