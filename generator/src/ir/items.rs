//! What a region is made of: statements of the source and items in order of execution. The vocabulary is that of
//! [`types`](super::types).

use super::{Expr, ItemId, ObjectId, Place, ProcId, RegionId, Span, StatementId, ValueId, VarId};

/// A sequence of items.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// The branch or loop that it belongs to, and the region of that; `None` for a body.
    pub parent: Option<(RegionId, ItemId)>,
    /// In order of execution.
    pub items: Vec<ItemId>,
}

/// A statement of the source: what the forward sweep copies as text if the plan leaves it alone.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Its text, with the comment right before it.
    pub span: Span,
    /// The compound statement, branch or loop around it.
    pub parent: Option<StatementId>,
    /// Whether its text can be copied: no jump out of it, no renamed variable, no half macro.
    pub copyable: bool,
}

/// An item of a region.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it does.
    pub kind: ItemKind,
    /// The source it comes from.
    pub span: Span,
    /// The innermost source statement that it comes from.
    pub statement: Option<StatementId>,
}

/// What an item does.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemKind {
    /// Defines a value by its expression ([`Def::Is`](super::Def::Is)).
    Let {
        /// The value.
        value: ValueId,
    },
    /// Writes one scalar (number or pointer) to memory. Copies of structs and `memcpy` are lowered to such stores.
    Store {
        /// Where.
        to: Place,
        /// What.
        from: Expr,
    },
    /// Calls a procedure. Never inside an expression.
    Call {
        /// Which.
        callee: Callee,
        /// Scalars and pointers by value; a struct by value is `ExprKind::Load` of a place of struct type (only here).
        args: Vec<Expr>,
        /// The result, if it is scalar and used.
        result: Option<ValueId>,
        /// Where a struct result goes.
        into: Option<Place>,
    },
    /// Runs one of two regions.
    Branch {
        /// Integer or pointer; not 0: the first.
        on: Expr,
        /// If `on` is not 0.
        then: RegionId,
        /// If `on` is 0. May have no items.
        otherwise: RegionId,
        /// Variables whose value depends on the arm.
        joins: Vec<Join>,
    },
    /// Runs its body as long as the test holds.
    Loop {
        /// Before each pass in terms of heads, or after each pass in terms of ends and values of the body.
        test: Expr,
        /// Where the test stands.
        at: TestAt,
        /// The body.
        body: RegionId,
        /// Variables that it changes.
        carried: Vec<Carried>,
    },
    /// The declaration of a variable: where C declares it. Means nothing to analyses.
    DeclareVar {
        /// Which.
        var: VarId,
    },
    /// The declaration of an object with a region's life: its contents are undefined from here on.
    Declare {
        /// Which.
        object: ObjectId,
    },
    /// `malloc` or `calloc`: makes a block. A `Let` behind it takes the address. The block may be NULL in C; the
    /// program's own test of that is a comparison with NULL.
    Alloc {
        /// The object that stands for the block.
        object: ObjectId,
        /// Number of elements.
        count: Expr,
        /// `calloc`: all zero.
        zeroed: bool,
    },
    /// `free`. `free(NULL)` does nothing.
    Free {
        /// The pointer.
        pointer: Expr,
    },
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
    /// Sets every byte of an object to 0: only in generated sweeps.
    Clear {
        /// Which.
        object: ObjectId,
    },
    /// `to += from`: only in generated sweeps.
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
    Snapshot(Snapshot),
    /// A comment of the output.
    Comment {
        /// Text without delimiters.
        text: String,
    },
}

/// What a reverse sweep undoes on the stable heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undone {
    /// An `ItemKind::Alloc` of an object whose life is `Life::Stable`.
    Alloc,
    /// An `ItemKind::Release`: the block comes back, with its contents if they were saved.
    Release,
    /// A call of [`REALLOC`]: the block has its old address and size again, and so has its adjoint.
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

/// When a loop tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestAt {
    /// `while`, `for`.
    Before,
    /// `do`.
    After,
}

/// A variable whose value depends on the arm of a branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    /// The variable.
    pub var: VarId,
    /// Its value at the end of the first arm (may be defined outside of it).
    pub then: ValueId,
    /// Its value at the end of the second arm.
    pub otherwise: ValueId,
    /// Its value behind the branch.
    pub out: ValueId,
}

/// A variable that a loop changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Carried {
    /// The variable.
    pub var: VarId,
    /// Its value before the loop.
    pub init: ValueId,
    /// Its value when a pass begins: `init` in the first, the `end` of the pass before in the others.
    pub head: ValueId,
    /// Its value when a pass ends.
    pub end: ValueId,
    /// Its value behind the loop.
    pub out: ValueId,
}

/// What is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A procedure of the program, of the role that the caller needs.
    Proc(ProcId),
    /// A function without source that computes nothing active: prints, aborts, reads the clock.
    External {
        /// Its name.
        name: String,
        /// Whether it comes back.
        returns: bool,
        /// Whether it may write any variable with static storage that the program writes: nothing else is known of it.
        unknown: bool,
    },
    /// A generated sweep of a procedure.
    Sweep(ProcId, Role),
}

/// What a procedure is in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Role {
    /// As the user wrote it.
    #[default]
    Primal,
    /// The forward sweep: the primal with pushes.
    Forward,
    /// The reverse sweep.
    Reverse,
    /// The tangent.
    Tangent,
}

/// The function without source that gives a block another size. It returns a pointer to the block of its first argument,
/// which is no other block for the analyses, and not NULL.
pub const REALLOC: &str = "realloc";

/// What stands for the name of a function where the program reads a volatile variable, its argument, or assigns its
/// second argument to it.
pub const VOLATILE: &str = "volatile";

/// What a program says of a pointer, behind its name, before it stops because no source names the function there.
pub const UNNAMED: &str = "is none of the functions that the sources name there";

impl ItemKind {
    /// Whether it is a call of [`REALLOC`].
    pub fn resizes(&self) -> bool {
        matches!(self, ItemKind::Call { callee: Callee::External { name, .. }, .. } if name == REALLOC)
    }
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
        /// Which base: an integer expression. Always 0 with one base.
        base: Expr,
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
