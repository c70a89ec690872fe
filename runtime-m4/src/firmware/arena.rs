//! The memory that measured calls work on: the same for all of them, since small boards have no more.

use super::linked::Buffers;
use super::operations::Memory;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};

/// One of the two.
union Contents {
    buffers: core::mem::ManuallyDrop<Buffers>,
    memory: core::mem::ManuallyDrop<Memory>,
}

/// The memory and whether it is in use.
struct Arena {
    contents: UnsafeCell<Contents>,
    taken: AtomicBool,
}

// SAFETY: the contents are reached through `Arena::with` only, which lets in one at a time.
unsafe impl Sync for Arena {}

static ARENA: Arena = Arena {
    contents: UnsafeCell::new(Contents { memory: core::mem::ManuallyDrop::new(Memory::ZERO) }),
    taken: AtomicBool::new(false),
};

impl Arena {
    fn with(&self, work: impl FnOnce(*mut Contents)) {
        assert!(!self.taken.swap(true, Ordering::Relaxed), "the arena is in use");
        work(self.contents.get());
        self.taken.store(false, Ordering::Relaxed);
    }
}

/// Lends the buffers of kernels: random words.
pub fn with_buffers(work: impl FnOnce(&mut Buffers)) {
    ARENA.with(|contents| {
        // SAFETY: nobody else is let in, and any words are buffers.
        let buffers = unsafe { &mut *(&raw mut (*contents).buffers).cast::<Buffers>() };
        buffers.fill();
        work(buffers);
    });
}

/// Lends what schemes work on; what is there does not count.
pub fn with_memory(work: impl FnOnce(&mut Memory)) {
    ARENA.with(|contents| {
        // SAFETY: nobody else is let in, and any bytes are a memory.
        work(unsafe { &mut *(&raw mut (*contents).memory).cast::<Memory>() });
    });
}
