//! Memory inside a range that goes, or moves, while the range stays: pointer variables in it that wait.

#![forbid(unsafe_code)]

use super::Registry;

impl Registry {
    /// Whether any pointer variable waits.
    pub fn anyone_waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Memory at `from`, a base and a number of bytes, is gone, or is `to` with its contents. Variables in what is gone
    /// wait no more; those that moved along wait where they are now.
    pub fn memory_moved(&self, from: (u64, u64), to: Option<(u64, u64)>) {
        let (base, bytes) = from;
        let (there, room) = to.unwrap_or((base, 0));
        let kept = bytes.min(room);
        match there == base {
            true => self.waiting.forget_inside(base + kept, bytes - kept),
            false => self.waiting.shift(base, bytes, kept, there),
        }
    }
}
