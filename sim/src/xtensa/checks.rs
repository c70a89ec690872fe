//! The slow paths of the machine: what the checks find, and how faults are told.

use super::effects::{BRANCH, COPY, EXCHANGE, Effects, LOAD, STORE};
use super::machine::Machine;
use super::marks::Marks;
use super::set::{self, Set};
use crate::error::{Access, Rule, SimError, Site, Violation, unaligned};
use crate::memory::{COPIED, SECRET, UNDEFINED};
use isa::xtensa::{Class, Fault, Inst, register_name};

/// Registers of arguments, from a2 on.
pub(super) const ARGUMENT_REGISTERS: u32 = 6;

impl Machine {
    pub(crate) fn site(&self, number: u32) -> Site {
        match self.slots.all.get(number as usize) {
            Some(slot) => self.program.site(slot.address, slot.inst.to_string()),
            // The code has changed since.
            None => self.program.site(self.state.pc, "?".into()),
        }
    }

    /// The instruction at an address, if it was executed.
    pub(crate) fn site_at(&self, address: u32) -> Site {
        let known = self.slots.number(address).map(|number| self.site(number));
        known.unwrap_or_else(|| self.program.site(address, "?".into()))
    }

    /// Records a violation, once for each instruction and rule.
    pub(crate) fn report(&mut self, number: u32, rule: Rule, detail: String) {
        let site = self.site(number);
        if self.violations.is_new(site.address, rule) {
            self.violations.push(Violation { rule, site, detail });
        }
    }

    /// Looks closer at an instruction that touches something secret or undefined. Returns registers that have no content after
    /// it because they are copies of such.
    #[cold]
    pub(crate) fn check(&mut self, number: u32) -> Result<Set, SimError> {
        let Effects { uses, sensitive, data, marks, .. } = self.slot(number).effects;
        let exposed = sensitive & self.secret.seen;
        if exposed != 0 {
            let rule = match marks {
                _ if marks & (LOAD | STORE) != 0 => Rule::SecretAddress,
                _ if marks & BRANCH != 0 || marks & (COPY | EXCHANGE) != 0 => Rule::SecretBranch,
                _ => Rule::SecretTime,
            };
            self.report(number, rule, first_name(exposed));
        }
        let used = uses & self.undefined.seen;
        match marks {
            _ if used == 0 || marks & EXCHANGE != 0 => return Ok(0),
            _ if marks & COPY != 0 => return Ok(data),
            _ => self.undefined.seen &= !used,
        }
        if let Some(register) = self.missing_argument(used) {
            let (site, given) = (self.site(number).into(), self.given);
            return Err(SimError::TooFewArguments { register, site, given });
        }
        self.report(number, Rule::UndefinedRegister, first_name(used));
        Ok(0)
    }

    /// The name of the first of these registers if it would hold an argument.
    fn missing_argument(&self, used: Set) -> Option<String> {
        let first = used.trailing_zeros();
        let place = (4 * self.window + first).wrapping_sub(self.arguments) & 63;
        (first < 16 && place < ARGUMENT_REGISTERS && place as usize >= self.given).then(|| first_name(used))
    }

    fn bits(&self, set: Set) -> u8 {
        let secret = if set & self.secret.seen != 0 { SECRET } else { 0 };
        secret | if set & self.undefined.seen != 0 { COPIED } else { 0 }
    }

    /// Marks memory that has received secret content, or the content of registers that have none.
    #[cold]
    pub(crate) fn mark_stored(&mut self, number: u32) {
        let Effects { stored, bytes, .. } = self.slot(number).effects;
        self.memory.set_shadow(self.memory.log.first, bytes.into(), self.bits(stored));
    }

    /// What a load from marked memory gives: the registers that are secret after it, and those that have no content.
    #[cold]
    pub(crate) fn mark_loaded(&mut self, number: u32, tainted: Set, kept: Set) -> (Set, Set) {
        let Effects { loaded, bytes, .. } = self.slot(number).effects;
        let address = self.memory.log.first;
        let bits = self.memory.shadow(address, bytes.into()) | self.memory.log.loaded;
        if bits & UNDEFINED != 0 {
            let rule = if address < self.sp { Rule::BelowStack } else { Rule::UninitialisedStack };
            let place = i64::from(address) - i64::from(self.sp);
            self.report(number, rule, format!("{bytes} bytes at {address:#010x}, sp {place:+}"));
        }
        let gives = |bit: u8| if bits & bit != 0 { loaded } else { 0 };
        (tainted | gives(SECRET), kept | gives(COPIED))
    }

    /// What an exchange of a register with a special one leaves secret, and without content.
    #[cold]
    pub(crate) fn exchanged(&self, number: u32) -> (Set, Set) {
        let data = self.slot(number).effects.data;
        let core = data & set::file(Class::Core);
        let swapped = |mut marks: Marks| {
            marks.exchange(core, data & !core);
            marks.seen & data
        };
        (swapped(self.secret), swapped(self.undefined))
    }

    /// Tells a fault with the register that is to blame.
    #[cold]
    pub(crate) fn refused(&self, number: u32, fault: Fault) -> SimError {
        let site = Box::new(self.site(number));
        let inst = self.slot(number).inst;
        let what = match fault {
            Fault::Bus { address, size, write, why } => {
                let access = Access { address, size: size.into(), write, why };
                return self.memory.refused(site, access, self.address_registers(&inst));
            }
            Fault::Unaligned { address } => return unaligned(site, address, self.address_registers(&inst)),
            Fault::Illegal => "illegal instruction, or not allowed in this state of the windows".into(),
            Fault::NotModelled => "what it does is not modelled".into(),
            Fault::DivideByZero => "division by zero".into(),
            Fault::Syscall => "system call: there are no exceptions".into(),
            Fault::Break(first, second) => format!("breakpoint {first}, {second}"),
            Fault::CoprocessorDisabled(which) => format!("coprocessor {which} is not enabled"),
            Fault::Alloca | Fault::WindowOverflow(_) | Fault::WindowUnderflow(_) => "no handler of windows".into(),
        };
        SimError::Instruction { site, what }
    }

    /// The registers that form the address of a load or store with their values, which a fault has left as they were.
    fn address_registers(&self, inst: &Inst) -> String {
        let sensitive = Effects::of(inst).sensitive;
        let registers = (0..16).map(isa::xtensa::Reg).filter(|&reg| sensitive & set::register(Class::Core, reg) != 0);
        let named =
            registers.map(|reg| format!("{} is {:#010x}", register_name(Class::Core, reg), self.state.a(reg.0)));
        let named: Vec<String> = named.collect();
        if named.is_empty() { "no register".into() } else { named.join(", ") }
    }
}

/// The first member of a set, as instructions write it.
fn first_name(set: Set) -> String {
    set::names(set).next().unwrap_or_default()
}
