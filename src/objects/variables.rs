//! The program's pointer variables: the one place that writes them.

use crate::vm::word_at;

/// Who sets the pointer variables of a call. Addresses of variables are numbers; 0 stands for none.
#[derive(Clone, Copy)]
pub(crate) struct Writer {
    /// The library does.
    writes: bool,
}

impl Writer {
    /// The caller sets them itself, by what a call returns. In the Rust API, where they are numbers only.
    pub const CALLER: Writer = Writer { writes: false };

    /// The library sets them: at once, or when what they wait for comes.
    ///
    /// # Safety
    /// Each variable that is passed with this writer is a pointer in memory that may be written to: in the call, and
    /// while it waits. It waits until it is set, another value is popped into it, or the range that it lies in ends.
    pub const unsafe fn library() -> Writer {
        Writer { writes: true }
    }

    /// Whether variables are set here.
    pub fn is_library(self) -> bool {
        self.writes
    }

    /// Sets a variable.
    pub fn set(self, variable: usize, value: usize) {
        if self.writes && variable != 0 {
            // SAFETY: by the contract of `library`. In packed data a pointer need not be aligned.
            unsafe { (variable as *mut usize).write_unaligned(value) };
        }
    }

    /// Whether a variable is there still, with this value. A caller finds out itself.
    pub fn holds(self, variable: usize, value: u64) -> bool {
        !self.writes || word_at(variable) == Some(value)
    }
}
