//! Memory inside a range that goes, or moves, while the range stays: pointer variables in it that wait.

#![forbid(unsafe_code)]

use super::Registry;
use super::waiting::Extent;

impl Registry {
    /// Whether any pointer variable waits.
    pub fn anyone_waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Memory at `from` is gone, or is `to` with its contents. Variables in what is gone wait no more; those that moved
    /// along wait where they are now.
    pub fn memory_moved(&self, from: Extent, to: Option<Extent>) {
        if self.anyone_waits() {
            self.memory_moves(|moved| moved(from, to));
        }
    }

    /// The same where `operation` moves the memory: it tells the function that it gets. No variable is set meanwhile,
    /// by no thread, so that what one waited for does not come into the memory that was left. It may not call the
    /// registry.
    pub fn memory_moves<R>(&self, operation: impl FnOnce(&mut dyn FnMut(Extent, Option<Extent>)) -> R) -> R {
        self.waiting.hold(operation)
    }
}
