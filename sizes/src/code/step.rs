//! What one instruction does to the stack pointer, to constants in registers and to the order of execution, whatever
//! the machine.

/// Number of a general register.
pub type Register = u8;

/// Registers that are followed.
pub const REGISTERS: usize = 16;

/// A set of general registers, bit n for register n.
pub type Set = u16;

/// What one instruction does. Its effect and a call see the registers as they were before; then `clobbers` become
/// unknown; then the effect takes place; a jump sees the registers as they are then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Bytes.
    pub length: u8,
    /// When it does anything at all; `None` if always. Conditional branches have one too.
    pub condition: Option<Condition>,
    /// True if conditions behind it are others than those before it.
    pub sets_flags: bool,
    /// Registers that it, or what it calls, writes.
    pub clobbers: Set,
    /// What is known of the registers that it writes.
    pub effect: Effect,
    /// What is executed next.
    pub flow: Flow,
}

/// A condition of the flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition(u8);

impl Condition {
    /// Condition number `number`; numbers that differ in bit 0 only are opposite.
    pub fn new(number: u8) -> Condition {
        Condition(number)
    }

    /// True if one of the two holds whenever the other does not.
    pub fn is_opposite(self, other: Condition) -> bool {
        self.0 ^ 1 == other.0
    }
}

/// What is known of the registers that an instruction writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing.
    None,
    /// A register gets a value.
    Set(Register, Formula),
    /// sp falls by `bytes`; the return address is stored this far above the new sp.
    Push {
        /// Bytes.
        bytes: u32,
        /// Where the link register is.
        link_at: Option<u32>,
    },
    /// The registers are loaded in ascending order from sp on, and sp rises by `bytes`.
    Pop {
        /// Bytes.
        bytes: u32,
        /// The registers.
        registers: Set,
    },
    /// A register, or with `None` one that is not followed, gets `bytes` at an address.
    Load {
        /// The register.
        to: Option<Register>,
        /// The address: in objects an offset in the section.
        address: u32,
        /// How many.
        bytes: u32,
    },
}

/// How a value is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Formula {
    /// A constant.
    Number(u32),
    /// An address in or near the code: in objects an offset in the section.
    Address(u32),
    /// Register plus constant. The result is an address of interest if the constant is the program counter's.
    Add(Register, u32, IsPc),
    /// The sum of two registers.
    Sum(Register, Register),
    /// The first register less the second.
    Difference(Register, Register),
    /// The low half of the register, and these upper 16 bits.
    High(Register, u16),
    /// The register times two to the power of this.
    Shifted(Register, u8),
    /// The register with this many low bits cleared.
    Aligned(Register, u8),
}

/// Whether a constant comes from the program counter.
pub type IsPc = bool;

/// What is executed next. Addresses are offsets in the section in objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// The next instruction.
    Next,
    /// That address; if the step has a condition, only when it holds.
    Jump(u32),
    /// That address or the next instruction, whatever the flags.
    Branch(u32),
    /// What is there, then the next instruction.
    Call(u32),
    /// What is at the address in the register, then the next instruction.
    CallRegister(Register),
    /// What serves the exception, then the next instruction if that returns.
    System,
    /// What is at the address in the register. `leaves` is false where the form is used within functions only.
    JumpRegister {
        /// The register.
        register: Register,
        /// True for the form that ends a function.
        leaves: bool,
    },
    /// One of the addresses in a table.
    JumpTable {
        /// Where the table is.
        base: Base,
        /// What its entries are.
        entry: Entry,
    },
    /// An address that nothing is known of, in the same function.
    JumpInside,
    /// The caller. `restores` is true if sp must be as it was at the entry.
    Return {
        /// Whether.
        restores: bool,
    },
    /// Nothing.
    Stop,
}

/// Where a table is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// At an address.
    Address(u32),
    /// At the address in a register.
    Register(Register),
}

/// What the entries of a table of jumps are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Entry {
    /// One byte: half the distance from this address.
    Byte(u32),
    /// Two bytes: half the distance from this address.
    Half(u32),
    /// Four bytes: an address.
    Word,
}

impl Entry {
    /// Bytes of an entry.
    pub fn bytes(self) -> u32 {
        match self {
            Entry::Byte(_) => 1,
            Entry::Half(_) => 2,
            Entry::Word => 4,
        }
    }
}

/// Reads instructions one after the other.
pub trait Decoder<'data> {
    /// Goes to the instruction that `code` begins with. `thumb` chooses the instruction set of a machine with two.
    fn start(&mut self, code: &'data [u8], address: u32, thumb: bool);

    /// The next instruction; `None` if there is none that can be read.
    fn next(&mut self) -> Option<Step>;

    /// Which registers have a part in calls.
    fn convention(&self) -> Convention;
}

/// Which registers have a part in calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Convention {
    /// The stack pointer.
    pub stack: Register,
    /// Where the return address is at the entry.
    pub link: Register,
    /// What a call may change.
    pub changed_by_calls: Set,
}
