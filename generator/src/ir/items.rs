//! What a region is made of: statements of the source and items in order of execution. The vocabulary is that of
//! [`types`](super::types). Programs have these items only; what sweeps have besides is in
//! [`sweep_items`](super::sweep_items).

use super::{Expr, External, ItemId, ObjectId, Place, ProcId, RegionId, Span, StatementId, SweepItem, ValueId, VarId};

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
    /// A step of a procedure whose derivative is [given](super::Rule): what that derivative reads, as memory has it here,
    /// or where the reverse sweep calls it.
    Given {
        /// For a call: the arguments of the procedure.
        args: Vec<Expr>,
        /// What it reads, each a load; nothing for a call.
        needs: Vec<Expr>,
        /// It reads that only where one of these is active; always, if there are none.
        when: Vec<Expr>,
    },
    /// What only generated sweeps have.
    Sweep(SweepItem),
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
        /// Which.
        function: External,
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

impl ItemKind {
    /// Whether it is a call of [`External::Resize`].
    pub fn resizes(&self) -> bool {
        matches!(self, ItemKind::Call { callee: Callee::External { function: External::Resize, .. }, .. })
    }
}
