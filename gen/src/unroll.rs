//! From a kernel's nodes to segments: straight code, and loops over straight code.

use crate::ir::{Node, Op, Place, Var};
use crate::target::Shape;
use thiserror::Error;

/// Operations that stay together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// What a reader of the assembly is told.
    pub title: String,
    /// In order.
    pub ops: Vec<Op>,
}

/// A part of a kernel in its shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// How often it is executed: 1 for straight code.
    pub count: u32,
    /// What it does.
    pub steps: Vec<Step>,
    /// The constants of each execution, as [`Op::Constant`] numbers them.
    pub constants: Vec<Vec<u32>>,
}

/// A kernel in its shape: inputs that may be fetched at leisure, then segments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shaped {
    /// Words in memory when the kernel begins.
    pub inputs: Vec<(Var, Place)>,
    /// In order. No two loops touch: there is straight code, perhaps empty, before, between and after them.
    pub segments: Vec<Segment>,
}

/// The asked unrolling does not fit the kernel.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("unroll factor {factor} does not divide the {count} repetitions; use a divisor of {count}")]
pub struct UnrollError {
    /// Asked for.
    pub factor: u32,
    /// There are this many repetitions.
    pub count: u32,
}

/// Unrolls the outer repetitions as `shape` says; repetitions inside repetitions are unrolled fully.
pub fn unroll(body: &[Node], shape: Shape) -> Result<Shaped, UnrollError> {
    let mut shaped = Shaped { inputs: Vec::new(), segments: vec![Segment::straight()] };
    for node in body {
        match node {
            Node::Repeat { count, constants, body } => {
                let per_iteration = match shape {
                    Shape::Unrolled => *count,
                    Shape::By(n) => n.get(),
                    Shape::Looped => 1,
                };
                if !count.is_multiple_of(per_iteration) {
                    return Err(UnrollError { factor: per_iteration, count: *count });
                }
                let mut steps = Vec::new();
                for repetition in 0..per_iteration {
                    let from = steps.len();
                    flatten(body, &mut steps, &mut shaped.inputs);
                    let before = repetition * constants.first().map_or(0, |row| row.len() as u32);
                    renumber(&mut steps[from..], before);
                }
                let constants: Vec<Vec<u32>> = constants.chunks(per_iteration as usize).map(<[_]>::concat).collect();
                if count / per_iteration == 1 {
                    last(&mut shaped.segments).append(steps, constants);
                } else {
                    shaped.segments.push(Segment { count: count / per_iteration, steps, constants });
                    shaped.segments.push(Segment::straight());
                }
            }
            other => flatten(std::slice::from_ref(other), &mut last(&mut shaped.segments).steps, &mut shaped.inputs),
        }
    }
    Ok(shaped)
}

impl Segment {
    /// Straight code that does nothing yet.
    fn straight() -> Segment {
        Segment { count: 1, steps: Vec::new(), constants: Vec::new() }
    }

    /// Goes on with steps that have constants of their own.
    fn append(&mut self, mut steps: Vec<Step>, constants: Vec<Vec<u32>>) {
        let mut row: Vec<u32> = self.constants.concat();
        renumber(&mut steps, row.len() as u32);
        row.extend(constants.into_iter().flatten());
        self.constants = if row.is_empty() { Vec::new() } else { vec![row] };
        self.steps.extend(steps);
    }
}

/// Moves the numbers of constants up.
fn renumber(steps: &mut [Step], by: u32) {
    for op in steps.iter_mut().flat_map(|step| &mut step.ops) {
        if let Op::Constant(_, k) = op {
            *k += by;
        }
    }
}

fn last(segments: &mut [Segment]) -> &mut Segment {
    let n = segments.len();
    &mut segments[n - 1]
}

fn flatten(nodes: &[Node], steps: &mut Vec<Step>, inputs: &mut Vec<(Var, Place)>) {
    for node in nodes {
        match node {
            Node::Inputs(places) => inputs.extend(places),
            Node::Step { title, ops } => steps.push(Step { title: title.clone(), ops: ops.clone() }),
            Node::Repeat { count, body, .. } => (0..*count).for_each(|_| flatten(body, steps, inputs)),
        }
    }
}
