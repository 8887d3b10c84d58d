//! What a schedule says: actions, where they store what, and what they cost in all.

#![forbid(unsafe_code)]

/// Where a snapshot is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(i32)]
pub enum Level {
    /// In memory.
    Memory = 0,
    /// On disk.
    Disk = 1,
}

/// Level and slot of a snapshot or of a stored tape. No two that are stored at once share a place; slots count from 0
/// on each level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Memory or disk.
    pub level: Level,
    /// From 0.
    pub slot: u64,
}

impl Place {
    pub(super) fn memory(slot: u64) -> Place {
        Place { level: Level::Memory, slot }
    }

    pub(super) fn disk(slot: u64) -> Place {
        Place { level: Level::Disk, slot }
    }
}

/// The kind of an [`Action`], for C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum ActionKind {
    /// Every step is reversed.
    Done = 0,
    /// Run steps, recording nothing.
    Advance = 1,
    /// Store the present state.
    Save = 2,
    /// Bring a state back.
    Load = 3,
    /// Forget a state.
    Drop = 4,
    /// Run a step with recording, then its adjoint.
    Turn = 5,
    /// Run a step with recording and keep its tape.
    Record = 6,
    /// Run the adjoint of a step from its tape.
    Reverse = 7,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Run steps `from` to `to - 1`, recording nothing: state `from` is present before, state `to` after.
    Advance {
        /// The first step.
        from: u64,
        /// The step after the last.
        to: u64,
    },
    /// Store state `step`, which is present.
    Save {
        /// The state's step.
        step: u64,
        /// Free until now.
        place: Place,
    },
    /// Bring state `step` back; it stays stored.
    Load {
        /// The state's step.
        step: u64,
        /// Where it was saved.
        place: Place,
    },
    /// Forget what is stored about `step`.
    Drop {
        /// The state's step.
        step: u64,
        /// Free from now on.
        place: Place,
    },
    /// Run `step` with recording, then its adjoint. State `step` is present before; no state after.
    Turn {
        /// The step.
        step: u64,
        /// Whether this is the first of all: the last step of the loop, after which the adjoint begins.
        first: bool,
    },
    /// Run `step` with recording and keep its tape. State `step + 1` is present after.
    Record {
        /// The step.
        step: u64,
        /// Free until now: the tape takes the place of a snapshot.
        place: Place,
    },
    /// Run the adjoint of `step` from its tape, which is used up.
    Reverse {
        /// The step.
        step: u64,
        /// Where it was recorded; free from now on.
        place: Place,
        /// Whether this is the first of all: the loop ended early, right after the step was recorded.
        first: bool,
    },
}

/// What a whole schedule costs. A count that is too large, or would take too long to find, is
/// `u64::MAX`, in C and Fortran -1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Prediction {
    /// Steps of the loop, each of which is turned once.
    pub steps: u64,
    /// Forward steps besides those that the turns run themselves.
    pub extra_steps: u64,
    /// Snapshots written to memory.
    pub memory_saves: u64,
    /// Snapshots read from memory.
    pub memory_loads: u64,
    /// Snapshots written to disk.
    pub disk_saves: u64,
    /// Snapshots read from disk.
    pub disk_loads: u64,
}

impl Prediction {
    /// How many times the forward run is repeated: 1.9 stands for 1.9 forward runs besides the recorded one.
    pub fn extra_runs(&self) -> f64 {
        if self.steps == 0 { 0.0 } else { self.extra_steps as f64 / self.steps as f64 }
    }

    pub(super) fn add(&mut self, times: u64, other: &Prediction) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(times.saturating_mul(more));
        add(&mut self.extra_steps, other.extra_steps);
        add(&mut self.memory_saves, other.memory_saves);
        add(&mut self.memory_loads, other.memory_loads);
        add(&mut self.disk_saves, other.disk_saves);
        add(&mut self.disk_loads, other.disk_loads);
    }
}
