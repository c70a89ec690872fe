//! A case: a few instructions, the data between them, and a state.

use isa::thumb::{Extension, Inst, Op, State, encode};

use crate::host::{After, Memory, Placed, Semantics, run};
use crate::image::{Image, Record};

/// What stands in a case's code.
#[derive(Clone, Debug)]
pub enum Piece {
    Inst(Inst),
    Data(Vec<u8>),
}

/// A case that is placed in an image.
pub struct Case {
    placed: Vec<Placed>,
    end: u32,
    state: State,
}

impl Case {
    /// Encodes the pieces at the image's next place and adds them, with the state that `state` makes for that place.
    pub fn add(image: &mut Image, pieces: &[Piece], state: impl FnOnce(u32) -> State) -> Case {
        let start = image.next_start();
        let (mut code, mut placed, mut block) = (Vec::new(), Vec::new(), 0u32);
        for piece in pieces {
            match piece {
                Piece::Data(bytes) => code.extend_from_slice(bytes),
                Piece::Inst(inst) => {
                    let encoding = encode(inst, block > 0).unwrap_or_else(|error| panic!("{inst:?}: {error}"));
                    placed.push((start + code.len() as u32, *inst, encoding.len));
                    code.extend(encoding.bytes());
                    block = if inst.op == Op::It { 4 - inst.imm2.trailing_zeros() } else { block.saturating_sub(1) };
                }
            }
        }
        let state = state(start);
        image.add(&code, &state);
        Case { placed, end: start + code.len() as u32, state }
    }

    /// What our semantics make of it.
    pub fn run(&self, image: &Image, scratch: &[u8], execute: Semantics) -> After {
        let memory = Memory { image: &image.bytes, scratch: scratch.to_vec() };
        run(&self.placed, self.end, &self.state, memory, execute)
    }

    /// The rows in it.
    pub fn ops(&self) -> impl Iterator<Item = Op> + '_ {
        self.placed.iter().map(|(_, inst, _)| inst.op)
    }

    /// The code and the state before it, for messages.
    pub fn text(&self) -> String {
        let code: Vec<String> =
            self.placed.iter().map(|(at, inst, _)| format!("{at:#x}: {}", inst.text(None))).collect();
        let state = &self.state;
        let flags = [state.n, state.z, state.c, state.v, state.q];
        let mut text = format!("{}\n  before: r {:x?} nzcvq {flags:?} ge {:#x}", code.join(" | "), state.r, state.ge);
        if self.ops().any(|op| op.row().extension == Extension::Fp) {
            text += &format!("\n  s {:x?} fpscr {:#x}", state.s, state.fpscr);
        }
        text
    }
}

/// Cases of one image, their scratch memory, and what each left behind on the other machine.
pub struct Batch {
    pub cases: Vec<Case>,
    pub image: Image,
    pub scratch: Vec<u8>,
    pub records: Vec<Record>,
}
