//! Where the cycles go: to which function, and while which other one runs.

use crate::program::Program;
use isa::thumb::State;
use std::collections::HashMap;

/// What a function has cost, without what it calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionCost {
    /// While which function that was: its number among those that were asked for, in the order in which they were first entered. 0
    /// if all was counted.
    pub within: usize,
    /// Its symbol; empty for code that none is for.
    pub name: String,
    /// Cycles.
    pub cycles: u64,
    /// Instructions.
    pub instructions: u64,
    /// How often it was entered at its first instruction.
    pub calls: u64,
}

/// Cycles and instructions of all runs that begin at an address, and how many there were.
#[derive(Clone, Copy, Default)]
struct Cost {
    cycles: u64,
    instructions: u64,
    runs: u64,
}

/// The account.
#[derive(Clone)]
pub(crate) struct Costs {
    /// The functions while which is counted, by address; `None` if always is.
    within: Option<Vec<u32>>,
    /// Those that were entered, the first one first, and which of them runs now.
    entered: Vec<u32>,
    current: usize,
    /// Where the outermost of them returns to, and the stack pointer it began with.
    inside: Option<(u32, u32)>,
    /// Cycles when the last run ended.
    settled: u64,
    /// By what runs meanwhile, and by the first address.
    by_start: HashMap<(usize, u32), Cost>,
}

impl Costs {
    /// Counts always, or only while a function runs whose symbol contains `within`.
    ///
    /// # Errors
    /// If there is no such symbol.
    pub(crate) fn new(program: &Program, within: Option<&str>) -> Result<Costs, String> {
        let named = |text: &str| {
            let named = program.symbols.iter().filter(|(_, name)| name.contains(text));
            let addresses: Vec<u32> = named.map(|(address, _)| *address).collect();
            if addresses.is_empty() { Err(format!("no function's symbol contains {text:?}")) } else { Ok(addresses) }
        };
        Ok(Costs {
            within: within.map(named).transpose()?,
            entered: Vec::new(),
            current: 0,
            inside: None,
            settled: 0,
            by_start: HashMap::new(),
        })
    }

    /// A run of `length` instructions from `start` on has ended when it was `now`; the state is that after it.
    pub(crate) fn charge(&mut self, start: u32, length: u32, now: u64, state: &State) {
        let cycles = now.saturating_sub(self.settled);
        self.settled = now;
        if length == 0 && cycles == 0 {
            return;
        }
        if self.within.is_none() || self.inside.is_some() {
            let cost = self.by_start.entry((self.current, start)).or_default();
            cost.cycles += cycles;
            cost.instructions += u64::from(length);
            cost.runs += 1;
        }
        let Some(within) = &self.within else { return };
        let here = (state.r[15], state.r[13]);
        match self.inside {
            None if within.contains(&here.0) => {
                self.inside = Some((state.r[14] & !1, here.1));
                self.current = self.entered.iter().position(|address| *address == here.0).unwrap_or(self.entered.len());
                if self.current == self.entered.len() {
                    self.entered.push(here.0);
                }
            }
            Some(outside) if outside == here => self.inside = None,
            _ => {}
        }
    }

    /// The functions, by what ran meanwhile, the most expensive first.
    pub(crate) fn functions(&self, program: &Program) -> Vec<FunctionCost> {
        let mut functions: HashMap<(usize, String), FunctionCost> = HashMap::new();
        for ((within, start), cost) in &self.by_start {
            let (name, offset) = program.locate(*start).unwrap_or(("", *start));
            let none = || FunctionCost { within: *within, name: name.to_owned(), cycles: 0, instructions: 0, calls: 0 };
            let function = functions.entry((*within, name.to_owned())).or_insert_with(none);
            function.cycles += cost.cycles;
            function.instructions += cost.instructions;
            function.calls += if offset == 0 { cost.runs } else { 0 };
        }
        let mut functions: Vec<FunctionCost> = functions.into_values().collect();
        functions
            .sort_by(|a, b| a.within.cmp(&b.within).then(b.cycles.cmp(&a.cycles)).then_with(|| a.name.cmp(&b.name)));
        functions
    }
}
