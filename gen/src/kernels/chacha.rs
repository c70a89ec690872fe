//! ChaCha: permutation, block function, and whole messages (RFC 8439; D. J. Bernstein, *ChaCha, a variant of Salsa20*).

use crate::function::{Direction, Interface, Param, ParamType, Returned};
use crate::ir::{Builder, Kernel, Step, Stream, Var};
use kernels::params::chacha::{BLOCK_BYTES, COUNTER_WORD, Counter, QUARTER_ROUNDS, ROTATIONS, Rounds, STATE_WORDS};

const STATE: ParamType = ParamType::Words(STATE_WORDS as u32);

/// RFC 8439, 2.1.
fn quarter_round(s: &mut Step<'_>, x: &[Var], [a, b, c, d]: [usize; 4]) {
    for (n, [p, q, r]) in ROTATIONS.into_iter().zip([[a, b, d], [c, d, b]].into_iter().cycle()) {
        s.add(x[p], x[q]);
        s.xor(x[r], x[p]);
        s.rotl(x[r], n);
    }
}

/// RFC 8439, 2.3, without the feed-forward.
fn rounds(b: &mut Builder<'_>, rounds: Rounds, x: &[Var]) {
    b.repeat(rounds.pairs(), |b| {
        for q in QUARTER_ROUNDS {
            b.step(format!("quarter round {}, {}, {}, {}", q[0], q[1], q[2], q[3]), |s| quarter_round(s, x, q));
        }
    });
}

fn in_and_out(summary: &'static str) -> Interface {
    let param = |name, direction, doc| Param { name, ty: STATE, direction, secret: true, doc };
    Interface {
        summary,
        notes: &["out and in may be the same array; otherwise they do not overlap."],
        params: vec![
            param("out", Direction::Out, "16 words of the result"),
            param("in", Direction::In, "16 words of state, word 0 first"),
        ],
        returns: None,
    }
}

/// `chacha{R}_permute`: the rounds alone.
pub fn permute(r: Rounds) -> Kernel {
    let interface = in_and_out("The ChaCha permutation without feed-forward (RFC 8439, section 2.3)");
    Kernel::new(format!("chacha{r}_permute"), "chacha", interface, |b| {
        let x = b.load("in", STATE_WORDS as u32, "x");
        rounds(b, r, &x);
        b.store("out", &x);
    })
}

/// `chacha{R}_block`: the block function.
pub fn block(r: Rounds) -> Kernel {
    let interface = in_and_out("The ChaCha block function: permutation and feed-forward (RFC 8439, section 2.3)");
    Kernel::new(format!("chacha{r}_block"), "chacha", interface, |b| {
        let x = b.load("in", STATE_WORDS as u32, "x");
        rounds(b, r, &x);
        for (k, &x) in (0..).zip(&x) {
            b.step(format!("out[{k}] = x{k} + in[{k}]"), |s| {
                let initial = s.word("in", k);
                s.add(x, initial);
                s.store("out", k, x);
            });
        }
    })
}

fn message(counter: Counter) -> Interface {
    const BUFFERS: &str =
        "out and in may be the same buffer; otherwise they do not overlap. Any length, any alignment.";
    let bytes = ParamType::Bytes { length: "len" };
    let param = |name, ty, direction, secret, doc| Param { name, ty, direction, secret, doc };
    let (summary, returns, notes): (_, _, &[&str]) = match counter {
        Counter::Ietf => (
            "XOR of a message with the ChaCha key stream, 32-bit block counter in word 12 (RFC 8439, section 2.4)",
            "0, or 1 if the block counter would pass 2^32 - 1: then nothing is written",
            &[
                "Block k of the message uses the block counter state[12] + k.",
                "state[12] is public: whether the counter would wrap decides what happens. The other words are secret.",
                BUFFERS,
            ],
        ),
        Counter::Djb => (
            "XOR of a message with the ChaCha key stream, 64-bit block counter in words 12 and 13 (Bernstein's original form)",
            "0",
            &["Block k of the message uses the block counter state[12] + 2^32 state[13] + k, modulo 2^64.", BUFFERS],
        ),
    };
    Interface {
        summary,
        notes,
        params: vec![
            param("out", bytes, Direction::Out, true, "the result, len bytes"),
            param("in", bytes, Direction::In, true, "the message, len bytes"),
            param("len", ParamType::Value, Direction::In, false, "bytes of the message, 0 allowed"),
            param("state", STATE, Direction::In, true, "16 words: constants, key, block counter, nonce; not changed"),
        ],
        returns: Some(Returned::Refusal(returns)),
    }
}

/// `chacha{R}_xor` and `chacha{R}_xor_djb`: a whole message.
pub fn xor(r: Rounds, counter: Counter) -> Kernel {
    let (suffix, counter_words) = match counter {
        Counter::Ietf => ("", 1),
        Counter::Djb => ("_djb", 2),
    };
    Kernel::new(format!("chacha{r}_xor{suffix}"), "chacha", message(counter), |b| {
        b.stream(Stream {
            block_bytes: BLOCK_BYTES as u32,
            counter_word: COUNTER_WORD as u32,
            counter_words,
            state_words: STATE_WORDS as u32,
        });
        let x = b.load("state", STATE_WORDS as u32, "x");
        rounds(b, r, &x);
        for (k, &x) in (0..).zip(&x) {
            b.step(format!("out[{k}] = in[{k}] ^ (x{k} + state[{k}])"), |s| {
                let initial = s.word("state", k);
                s.add(x, initial);
                let text = s.word("in", k);
                s.xor(x, text);
                s.store("out", k, x);
            });
        }
    })
}
