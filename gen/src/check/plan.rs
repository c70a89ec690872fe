//! A plan, replayed.

use super::error;
use crate::compile::CompileError;
use crate::plan::{Action, Problem, Set};

/// Replays a plan: registers suffice, nothing is lost, every step runs once, after those it waits for, with what it needs, and at the
/// end everything is where the problem wants it.
pub fn plan(problem: &Problem, actions: &[Action]) -> Result<(), CompileError> {
    let mut replay = Replay {
        problem,
        resident: problem.resident,
        saved: problem.saved,
        waiting: problem.inputs.iter().map(|(v, _)| 1 << v).fold(0, |s: Set, v| s | v)
            & !(problem.resident | problem.saved),
        done: vec![false; problem.steps.len()],
    };
    for (at, action) in actions.iter().enumerate() {
        if let Err(what) = replay.action(action) {
            return error("plan", format!("action {at}, {action:?}: {what}"));
        }
    }
    replay.end().or_else(|what| error("plan", what))
}

struct Replay<'a> {
    problem: &'a Problem,
    /// In registers.
    resident: Set,
    /// With a valid copy outside registers.
    saved: Set,
    /// Inputs that are only in memory.
    waiting: Set,
    done: Vec<bool>,
}

fn need(condition: bool, what: &str) -> Result<(), String> {
    if condition { Ok(()) } else { Err(what.to_owned()) }
}

impl Replay<'_> {
    fn has(set: Set, v: u32) -> bool {
        set >> v & 1 == 1
    }

    fn base(&self, input: u32) -> Option<u32> {
        self.problem.inputs.iter().find(|(v, _)| *v == input).and_then(|(_, base)| *base)
    }

    /// True if a step to come, an input to be fetched, or the end wants the variable.
    fn wanted(&self, v: u32) -> bool {
        let steps = self.problem.steps.iter().zip(&self.done).filter(|(_, done)| !**done).map(|(step, _)| step);
        let by_steps = steps.fold(0, |s, step| s | step.reads | step.writes);
        let waits = |&(input, base): &(u32, Option<u32>)| {
            base == Some(v) && Self::has(self.waiting, input) && Self::has(by_steps | self.problem.live_out, input)
        };
        Self::has(by_steps | self.problem.live_out, v) || self.problem.inputs.iter().any(waits)
    }

    /// A variable that nobody wants any more takes no register.
    fn bury(&mut self, v: u32) {
        if !self.wanted(v) {
            self.resident &= !(1 << v);
            self.saved &= !(1 << v);
        }
    }

    fn enter(&mut self, v: u32, temps: u32) -> Result<(), String> {
        self.resident |= 1 << v;
        self.fits(temps)
    }

    fn fits(&self, temps: u32) -> Result<(), String> {
        let used = self.resident.count_ones() + temps;
        need(used <= self.problem.registers, &format!("{used} registers, but there are {}", self.problem.registers))
    }

    fn action(&mut self, action: &Action) -> Result<(), String> {
        match *action {
            Action::Save(v) => {
                need(Self::has(self.resident, v), "it is in no register")?;
                self.resident &= !(1 << v);
                self.saved |= 1 << v;
                Ok(())
            }
            Action::Drop(v) => {
                need(Self::has(self.resident, v), "it is in no register")?;
                need(Self::has(self.saved, v), "there is no valid copy")?;
                self.resident &= !(1 << v);
                Ok(())
            }
            Action::Load(v) => {
                need(Self::has(self.saved, v), "there is no valid copy")?;
                need(!Self::has(self.resident, v), "it is in a register")?;
                self.enter(v, 0)
            }
            Action::Fetch(v) => self.fetch(v),
            Action::Run(step) => self.run(step),
        }
    }

    fn fetch(&mut self, v: u32) -> Result<(), String> {
        need(Self::has(self.waiting, v), "it is no input that waits in memory")?;
        self.waiting &= !(1 << v);
        if let Some(base) = self.base(v) {
            need(Self::has(self.resident, base), "its base is in no register")?;
            self.bury(base);
        }
        self.enter(v, 0)
    }

    fn run(&mut self, step: usize) -> Result<(), String> {
        let Some(wanted) = self.problem.steps.get(step) else { return Err("there is no such step".to_owned()) };
        need(!self.done[step], "it has run")?;
        need(wanted.after.iter().all(|&before| self.done[before]), "a step that comes before it has not run")?;
        let missing = wanted.reads & !self.resident;
        need(missing == 0, &format!("it reads variable {}, which is in no register", missing.trailing_zeros()))?;
        self.resident |= wanted.writes;
        self.waiting &= !wanted.writes;
        self.fits(wanted.temps)?;
        self.saved &= !wanted.writes;
        self.done[step] = true;
        let touched = wanted.reads | wanted.writes;
        (0..64).filter(|&v| Self::has(touched, v)).for_each(|v| self.bury(v));
        Ok(())
    }

    fn end(&self) -> Result<(), String> {
        if let Some(step) = self.done.iter().position(|done| !done) {
            return Err(format!("step {step} never runs"));
        }
        let lost = self.problem.live_out & !(self.resident | self.saved | self.waiting);
        need(lost == 0, &format!("variable {} is lost at the end", lost.trailing_zeros()))?;
        let Some(out) = self.problem.resident_out else { return Ok(()) };
        let wrong = self.resident ^ out;
        need(wrong == 0, &format!("variable {} is on the wrong side at the end", wrong.trailing_zeros()))?;
        let lost = self.problem.live_out & !(out | self.saved);
        need(lost == 0, &format!("variable {} has no valid copy at the end", lost.trailing_zeros()))
    }
}
