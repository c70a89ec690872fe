//! The slow paths of the machine: what the checks find, and how faults are told.

use crate::cycles::thumb::Flow;
use crate::error::{Access, Rule, SimError, Site, Violation, unaligned};
use crate::memory::{COPIED, SECRET, UNDEFINED};
use crate::thumb::effects::{self, BRANCH, COPY, Effects, IN_BLOCK, LOAD, MANY, STORE, Set};
use crate::thumb::machine::Machine;
use crate::thumb::timeline::Detour;
use isa::thumb::{Fault, Inst, Reg};

impl Machine {
    pub(crate) fn site(&self, number: u32) -> Site {
        let slot = self.slot(number);
        self.program.site(slot.address, slot.inst.to_string())
    }

    /// The instruction at an address, if it was executed.
    pub(crate) fn site_at(&self, address: u32) -> Site {
        let text = self.number_at(address).map_or("?".into(), |number| self.slot(number).inst.to_string());
        self.program.site(address, text)
    }

    /// Records a violation, once for each instruction and rule.
    pub(crate) fn report(&mut self, number: u32, rule: Rule, detail: String) {
        if self.violations.is_new(self.slot(number).address, rule) {
            let violation = Violation { rule, site: self.site(number), detail };
            self.violations.push(violation);
        }
    }

    /// Looks closer at an instruction that touches something secret or undefined, or is in an IT block. Returns registers
    /// that are secret after it because its condition is, and those that have no content because they are copies of such.
    #[cold]
    pub(crate) fn check(&mut self, number: u32, flow: Flow) -> Result<(Set, Set), SimError> {
        let slot = *self.slot(number);
        let Effects { uses, sensitive, data, marks, .. } = slot.effects;
        let secret_condition = slot.it != 0 && effects::condition(slot.inst.cond) & self.secret != 0;
        if secret_condition && marks & (LOAD | STORE | BRANCH) != 0 {
            let rule = if marks & BRANCH != 0 { Rule::SecretBranch } else { Rule::SecretAddress };
            self.report(number, rule, format!("whether it is executed depends on one ({})", slot.inst.cond.suffix()));
        }
        // Whether or not it was executed, what it may have written depends on the condition.
        let tainted = if secret_condition { data } else { 0 };
        self.secret |= tainted;
        if flow == Flow::Skipped && slot.it != 0 {
            self.timeline.detour(self.length - 1, Detour::Skipped);
            return Ok((tainted, 0));
        }
        let exposed = sensitive & self.secret & !IN_BLOCK;
        if exposed != 0 {
            let rule = match marks {
                _ if marks & (LOAD | STORE) != 0 => Rule::SecretAddress,
                _ if marks & BRANCH != 0 => Rule::SecretBranch,
                _ => Rule::SecretTime,
            };
            self.report(number, rule, effects::first_name(exposed));
        }
        let used = uses & self.undefined;
        if used == 0 {
            return Ok((tainted, 0));
        }
        if marks & COPY != 0 {
            return Ok((tainted, data));
        }
        self.undefined &= !used;
        let register = used.trailing_zeros();
        if register < 4 {
            let (site, given) = (self.site(number).into(), self.given);
            return Err(SimError::TooFewArguments { register: format!("r{register}"), site, given });
        }
        self.report(number, Rule::UndefinedRegister, effects::first_name(used));
        Ok((tainted, 0))
    }

    /// What is secret after an instruction that reads something secret.
    #[inline]
    pub(crate) fn spread(&self, number: u32) -> Set {
        let effects = &self.slot(number).effects;
        if effects.marks & COPY == 0 { effects.data } else { self.spread_by_copy(number) }
    }

    /// Of two registers that are moved at once each keeps what it has.
    #[cold]
    fn spread_by_copy(&self, number: u32) -> Set {
        let slot = self.slot(number);
        let Some(moves) = Effects::two_moves(&slot.inst) else { return slot.effects.data };
        moves.iter().filter(|(from, _)| from & self.secret != 0).fold(0, |all, (_, to)| all | to)
    }

    /// Marks memory that has received secret content, or the content of registers that have none.
    #[cold]
    pub(crate) fn mark_stored(&mut self, number: u32) {
        let slot = *self.slot(number);
        let Effects { reads, bytes, marks, .. } = slot.effects;
        let first = self.memory.log.first;
        if marks & MANY == 0 {
            self.mark_word(first, reads, bytes);
            return;
        }
        for (index, set) in (0..).zip(Effects::order(&slot.inst)) {
            self.mark_word(first + 4 * index, set, 4);
        }
    }

    /// Marks up to 4 bytes that have received the content of a register.
    fn mark_word(&mut self, address: u32, set: Set, bytes: u8) {
        let copied = if set & self.undefined != 0 { COPIED } else { 0 };
        let secret = if set & self.secret != 0 { SECRET } else { 0 };
        match self.mixed.bytes(set).filter(|_| secret != 0 && set.is_power_of_two()) {
            None => self.memory.set_shadow(address, bytes.into(), secret | copied),
            Some(mixed) => {
                for at in 0..u32::from(bytes) {
                    let secret = if mixed >> at & 1 != 0 { SECRET } else { 0 };
                    self.memory.set_shadow(address + at, 1, secret | copied);
                }
            }
        }
    }

    /// What a load from marked memory gives: the registers that are secret after it, and those that have no content.
    #[cold]
    pub(crate) fn mark_loaded(&mut self, number: u32, tainted: Set, kept: Set) -> (Set, Set) {
        let slot = *self.slot(number);
        let effects = slot.effects;
        let first = self.memory.log.first;
        let (mut secret, mut undefined) = (tainted, kept);
        let single = [effects.data];
        let many = if effects.marks & MANY != 0 { Effects::order(&slot.inst) } else { Vec::new() };
        let (registers, bytes) = if many.is_empty() { (&single[..], effects.bytes) } else { (&many[..], 4) };
        for (index, set) in registers.iter().enumerate() {
            let address = first + 4 * index as u32;
            let bits = self.memory.shadow(address, u32::from(bytes));
            if bits & SECRET != 0 {
                secret |= *set;
                if bytes == 4 && set.is_power_of_two() && set & tainted == 0 {
                    let each = (0..4).map(|at| u8::from(self.memory.shadow(address + at, 1) & SECRET != 0) << at);
                    self.mixed.loaded(*set, each.sum());
                }
            }
            undefined |= if bits & COPIED != 0 { *set } else { 0 };
            if bits & UNDEFINED != 0 {
                let below = address < self.sp;
                let rule = if below { Rule::BelowStack } else { Rule::UninitialisedStack };
                let place = i64::from(address) - i64::from(self.sp);
                self.report(number, rule, format!("{bytes} bytes at {address:#010x}, sp {place:+}"));
            }
        }
        // Of several words one is the address; a single one is, or leads to it (TBB).
        let jumps = many.is_empty() && self.memory.log.loaded & SECRET != 0 || secret & effects::core(15) != 0;
        if effects.marks & BRANCH != 0 && jumps {
            self.report(number, Rule::SecretBranch, "the loaded address".into());
        }
        (secret & effects.data, undefined & effects.data)
    }

    /// Tells a fault with the register that is to blame.
    #[cold]
    pub(crate) fn refused(&self, number: u32, fault: Fault) -> SimError {
        let site = Box::new(self.site(number));
        let inst = &self.slot(number).inst;
        match fault {
            Fault::Bus { address, size, write, why } => {
                let access = Access { address, size, write, why };
                self.memory.refused(site, access, self.base_register(inst))
            }
            Fault::Unaligned { address } => unaligned(site, address, self.base_register(inst)),
            Fault::Undefined => SimError::Instruction { site, what: "undefined instruction".into() },
            Fault::NoCoprocessor => SimError::Instruction { site, what: "no such coprocessor".into() },
            Fault::ArmState { target } => {
                let what = format!("jump to {target:#010x}, whose bit 0 is clear: there is only Thumb state");
                SimError::Instruction { site, what }
            }
        }
    }

    /// The base register of a load or store with its value, which a fault has left as it was.
    fn base_register(&self, inst: &Inst) -> String {
        let value = |register: Reg| self.state.r[usize::from(register.0 & 15)];
        let Some(memory) = inst.effects().memory else { return "no register".into() };
        let base = isa::thumb::register_name(isa::thumb::Class::Core, memory.base);
        let text = format!("{base} is {:#010x}", value(memory.base));
        let index = self.slot_index_register(inst, memory.base);
        match index {
            Some(register) => format!("{text}, r{} is {:#010x}", register.0, value(register)),
            None => text,
        }
    }

    fn slot_index_register(&self, inst: &Inst, base: Reg) -> Option<Reg> {
        let address = Effects::of(inst, self.core).sensitive & 0x7fff & !effects::core(base.0);
        (address != 0 && address.is_power_of_two()).then(|| Reg(address.trailing_zeros() as u8))
    }
}
