//! Pointer variables that wait or follow, and what happens to them when memory inside a range goes, or moves, while the
//! range stays.

#![forbid(unsafe_code)]

use super::Registry;
use super::waiting::{Extent, Wait};

impl Registry {
    /// A pointer variable is about to be set: it waits no more, and nobody else sets it.
    pub fn settle(&self, variable: u64) {
        self.waiting.forget(variable);
    }

    /// A pointer variable waits, and `clear` sets it to NULL. Who calls this looks once more for the target, which may
    /// have come meanwhile.
    pub fn wait(&self, variable: u64, wait: Wait, clear: impl FnOnce()) {
        self.waiting.add(variable, wait, clear);
    }

    /// As [`follow`](Registry::follow), of up to three variables that followed something lately, 0 for none. Whether they
    /// are such; else some of them may follow.
    #[inline(always)]
    pub fn follow_again(&self, variables: [u64; 3], wait: impl Fn(usize) -> Wait) -> bool {
        self.waiting.follow_again(variables, wait)
    }

    /// Pointer variables are about to be set to places in an object that is reused, and follow.
    pub fn follow(&self, variables: impl IntoIterator<Item = (u64, Wait)>) {
        self.waiting.follow(variables);
    }

    /// Whether one of these pointer variables may wait or follow; 0 stands for none.
    #[inline(always)]
    pub fn any_may_wait(&self, variables: [u64; 3]) -> bool {
        self.waiting.may_have(variables)
    }

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

    /// [`memory_moved`](Registry::memory_moved) where `operation` moves the memory, and calls the function that it gets
    /// with where it was and is. No thread sets a variable meanwhile, so that nothing is written to memory that was
    /// left. The operation may not call the registry.
    pub fn memory_moves<R>(&self, operation: impl FnOnce(&mut dyn FnMut(Extent, Option<Extent>)) -> R) -> R {
        self.waiting.hold(operation)
    }
}
