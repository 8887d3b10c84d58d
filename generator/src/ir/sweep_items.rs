//! Items that only generated sweeps have: records on the tape, adjoints, the stable heap, `--check`, snapshots. No source
//! is lowered to one, and no analysis of a program meets one.

use super::{Expr, ObjectId, Place, ValueId};

/// What an item of a sweep does that no item of a program does.
#[derive(Clone, Debug, PartialEq)]
pub enum SweepItem {
    /// `free` of a block on the stable heap: only in a forward sweep.
    Release {
        /// The pointer.
        pointer: Expr,
        /// Whether the contents go to the tape.
        contents: bool,
    },
    /// Undoes what a forward sweep did on the stable heap: only in a reverse sweep.
    Undo {
        /// What.
        what: Undone,
    },
    /// Sets every byte of an object to 0.
    Clear {
        /// Which.
        object: ObjectId,
    },
    /// `to += from`.
    Accumulate {
        /// An adjoint.
        to: Place,
        /// What is added.
        from: Expr,
    },
    /// Puts something on the tape: in a forward sweep, and where a reverse sweep runs a pass again.
    Push {
        /// What.
        what: Pushed,
    },
    /// Takes it from the tape again: only in a reverse sweep.
    Pop {
        /// What; values are defined by [`Def::Popped`](super::Def::Popped).
        what: Popped,
    },
    /// `--check`: notes the value, or compares it bit for bit with what was noted last.
    Witness {
        /// Whether it is noted: in a forward sweep, and where the reverse sweep runs a pass again.
        notes: bool,
        /// Number of the operand, for messages; equal in both sweeps.
        site: u32,
        /// The operand.
        value: Expr,
    },
    /// `--check`: notes where the adjoint of a place lies; only in a reverse sweep.
    Shadowed {
        /// The place.
        place: Place,
        /// Its adjoint.
        shadow: Place,
    },
    /// `--check` of a pass that is run again: its operands must be those that it had in the forward sweep.
    Rehearsal {
        /// What is done.
        step: Rehearsal,
    },
    /// A loop that runs again from snapshots: where one may be kept or brought back.
    Snapshot(Box<Snapshot>),
    /// Does nothing: the place of an item that is yet to come, or what is left of one.
    Nothing,
}

/// What a reverse sweep undoes on the stable heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undone {
    /// An `ItemKind::Alloc` of an object whose life is `Life::Stable`.
    Alloc,
    /// An `SweepItem::Release`: the block comes back, with its contents if they were saved.
    Release,
    /// A call of [`External::Resize`](super::External::Resize): the block has its old address and size again, and so has
    /// its adjoint.
    Resize,
}

/// What `--check` does around a pass that is run again. In the forward sweep the pass runs with its pushes, too, so that
/// functions that it calls note their operands; pushes and notes are then discarded, and a hash of the notes stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rehearsal {
    /// Forward sweep, in front of the pass.
    Begin,
    /// Forward sweep, behind it.
    End,
    /// Reverse sweep, in front of the pass that runs again.
    Again,
    /// Reverse sweep, behind it: compares the hashes. The number is that of the loop, for messages.
    Compare(u32),
}

/// What a snapshot of a loop has, and what is done with it. It has what passes change and need: memory, and what the loop
/// carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Where it stands.
    pub at: SnapshotAt,
    /// Memory: elements from a place on, and how many.
    pub memory: Vec<(Place, Expr)>,
    /// What the loop carries, as it is in front of the snapshot; nothing in [`SnapshotAt::First`].
    pub from: Vec<Expr>,
    /// For each variable that the loop carries the pointers of which it is one: it is kept as its number among these, which
    /// both sweeps can name. None for a number, and for a pointer that means the same in both sweeps.
    pub among: Vec<Vec<Expr>>,
    /// The same as `from` behind it, in a reverse sweep: as it was, or as it comes back.
    pub to: Vec<ValueId>,
    /// In a reverse sweep: not 0 if a pass is to be run without a tape, 0 if the next pass is the one to reverse.
    pub more: Option<ValueId>,
}

/// Where a snapshot stands.
#[derive(Clone, Debug, PartialEq)]
pub enum SnapshotAt {
    /// First in a pass of the loop in the forward sweep: kept if the schedule says so.
    Head {
        /// How many are kept at once.
        most: u32,
        /// How many passes there are, in terms of values from outside of the loop; `None`: not known in front of it.
        passes: Option<Expr>,
    },
    /// First in a reversed pass: brought back.
    First,
    /// Last in a pass that runs again without a tape: kept if the schedule says so.
    Next,
}

/// What goes on the tape.
#[derive(Clone, Debug, PartialEq)]
pub enum Pushed {
    /// A number, at its own width.
    Value(Expr),
    /// A few bits: an integer below 2 to the power of `bits`.
    Bits {
        /// The integer.
        value: Expr,
        /// 1 to 62.
        bits: u8,
    },
    /// A count of passes: never negative, one byte when small.
    Count(Expr),
    /// `count` elements from `place` on, all leaves of the element.
    Elements {
        /// The first.
        place: Place,
        /// How many.
        count: Expr,
    },
    /// A pointer, as offset in elements from one of several bases that both sweeps can name, and the number of the base.
    Pointer {
        /// The pointer.
        value: Expr,
        /// The bases, each an address; NULL behind them if the pointer may be NULL.
        bases: Vec<Expr>,
        /// Which base: an integer expression. Always 0 with one base. Boxed: no other item is as large.
        base: Box<Expr>,
    },
}

/// What comes from the tape: the mirror image of [`Pushed`].
#[derive(Clone, Debug, PartialEq)]
pub enum Popped {
    /// A number into a value.
    Value(ValueId),
    /// A number into memory.
    Memory(Place),
    /// Bits into a value.
    Bits {
        /// The value.
        value: ValueId,
        /// 1 to 62.
        bits: u8,
    },
    /// A count into a value.
    Count(ValueId),
    /// Elements into memory.
    Elements {
        /// The first.
        place: Place,
        /// How many.
        count: Expr,
    },
    /// A pointer, and its shadow if there is one.
    Pointer {
        /// The pointer.
        value: ValueId,
        /// The pointer's shadow.
        shadow: Option<ValueId>,
        /// The bases, as they were pushed.
        bases: Vec<Expr>,
        /// Their shadows.
        shadows: Vec<Expr>,
    },
}
