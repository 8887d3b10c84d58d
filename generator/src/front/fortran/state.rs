//! What the reader of a program and the lowering of one procedure know.

use super::make::{add, multiply};
use super::stretches::Storage;
use super::texts::Texts;
use crate::front::jumps::{Jumps, Target};
use crate::ir::build::Builder;
use crate::ir::*;
use crate::refuse::Refusal;
use adtape_fortran::scope::program::{self as scope, ScopeId, SymbolId};
use adtape_fortran::tree::expression::{Expr as Written, Ident, Reference};
use adtape_fortran::tree::unit::Unit;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// The calls that operators stand for, by the place of the operator in the tree.
pub type Operators = FxHashMap<usize, Reference>;

/// Reads a program.
pub struct Reader<'t> {
    pub names: &'t scope::Program<'t>,
    pub operators: &'t Operators,
    pub texts: Texts,
    pub refusals: Vec<Refusal>,
    pub types: Types,
    pub globals: IdVec<GlobalId, Object>,
    pub global_numbers: FxHashMap<SymbolId, GlobalId>,
    pub procs: Vec<Option<Proc>>,
    /// The procedures that are reached, by their handles.
    pub reached: Vec<Procedure<'t>>,
    /// The handle of a procedure by its scope and how calls use it.
    pub numbers: FxHashMap<(ScopeId, Pattern), ProcId>,
    /// The procedures that calls anywhere pass to each dummy procedure.
    pub possible: FxHashMap<SymbolId, BTreeSet<ScopeId>>,
    /// Names of subroutines without a derivative, maybe with `*` for any letters.
    pub left_out: Vec<String>,
    /// Procedures that make memory for what calls them.
    pub makers: Makers,
    /// Procedures that sweeps call as they are.
    pub passive: FxHashMap<ScopeId, Passive>,
    /// What procedures do with what is no argument of theirs.
    pub outside: FxHashMap<ScopeId, Outside>,
    /// What each procedure alone does with that, without what it calls.
    pub alone: FxHashMap<ScopeId, Outside>,
    pub modules: FxHashMap<ScopeId, usize>,
    /// The derived types that are read.
    pub derived: FxHashMap<SymbolId, StructId>,
    pub fortran: Fortran,
    /// Variables that share memory.
    pub storage: Storage,
    /// Names of variables with static storage, modules and procedures.
    pub static_names: FxHashSet<String>,
    /// Variables of procedures that keep their values.
    pub statics: Vec<Static>,
}

/// What the reader knows of procedures that make memory.
#[derive(Default)]
pub struct Makers {
    /// The procedures whose calls are written out.
    pub procedures: FxHashSet<ScopeId>,
    /// Variables of modules that procedures allocate or free.
    pub moving: FxHashSet<SymbolId>,
    /// Procedures that allocate these, or call one that does: sweeps call copies, which allocate derivatives, too.
    pub allocating: FxHashSet<ScopeId>,
    /// Variables with SAVE, and the first procedure that they are read in.
    pub saved: FxHashMap<SymbolId, ProcId>,
    /// Variables of modules that calls allocate and leave allocated.
    pub lasting: FxHashSet<SymbolId>,
    /// The procedures that the user names: variables of modules that are allocated in their calls live there.
    pub heads: FxHashSet<ScopeId>,
}

/// What is known of calls that are written out.
#[derive(Default)]
pub struct WrittenOut {
    /// The procedures around the one at hand, whose variables it may name.
    pub around: Vec<ScopeId>,
    /// Allocatable dummies, and what of the caller they are.
    pub slots: FxHashMap<SymbolId, Slot>,
    /// Dummies that stand for variables of the caller.
    pub dummies: FxHashSet<SymbolId>,
    /// Dummies that the call leaves out.
    pub absent: FxHashSet<SymbolId>,
    /// The number that the procedure at hand returns with.
    pub alternate: Option<VarId>,
    /// The number that the last one returned with.
    pub chosen: Option<VarId>,
    /// Allocatable variables that were allocated, and are not any more.
    pub freed: FxHashSet<SymbolId>,
}

/// A procedure that sweeps call as it is.
pub struct Passive {
    /// Its dummies in order.
    pub dummies: Vec<SymbolId>,
    /// Those that it writes: texts.
    pub written: FxHashSet<SymbolId>,
    /// Whether it may stop the program.
    pub stops: bool,
    /// Whether a function may read what it writes.
    pub heard: bool,
    /// Whether its result depends on the arguments alone.
    pub same: bool,
}

/// What a dummy procedure stands for.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Bound {
    /// A procedure with source.
    Procedure(ScopeId),
    /// One that every compiler has.
    Intrinsic(Box<str>),
}

/// How calls use a procedure: one copy of it for each way.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct Pattern {
    /// The positions of the optional dummies that they leave out.
    pub absent: Vec<usize>,
    /// The procedures that they pass, and those that the procedures around it got.
    pub bound: BTreeMap<SymbolId, Bound>,
}

/// What a procedure and its callees do with what is no argument.
#[derive(Default)]
pub struct Outside {
    /// What they name.
    pub named: FxHashSet<SymbolId>,
    /// What they write.
    pub written: FxHashSet<SymbolId>,
    /// The dummies that the procedure writes.
    pub dummies: FxHashSet<SymbolId>,
}

/// A procedure with a body.
pub struct Procedure<'t> {
    pub scope: ScopeId,
    pub unit: &'t Unit,
    /// How its dummies are passed.
    pub dummies: Vec<Passed>,
    /// What calls it first.
    pub caller: Option<ProcId>,
    /// What the dummy procedures that it knows stand for.
    pub bound: BTreeMap<SymbolId, Bound>,
    /// Scalars that are passed to dummies that are written, so they are memory.
    pub addressed: FxHashSet<SymbolId>,
    /// Variables that it names.
    pub named: FxHashSet<SymbolId>,
    /// Scalars with SAVE whose values of the call before it may read.
    pub kept: FxHashSet<SymbolId>,
    /// What it calls.
    pub calls: Vec<ProcId>,
    /// The procedures that are written out in it.
    pub written_out: Vec<ScopeId>,
    /// Variables that are passed to those, and the dummies that they go to.
    pub stands_for: Vec<(SymbolId, SymbolId)>,
}

impl<'t> Procedure<'t> {
    /// Its statements, and those of the procedures that are written out in it.
    pub fn bodies(&self, names: &scope::Program<'t>) -> Vec<(ScopeId, &'t Unit)> {
        let others = self.written_out.iter().filter_map(|scope| match names.scope(*scope).kind {
            scope::ScopeKind::Unit(unit) => Some((*scope, unit)),
            _ => None,
        });
        std::iter::once((self.scope, self.unit)).chain(others).collect()
    }

    /// Adds the variables that stand for those of these that are dummies of what is written out.
    pub fn with_actuals(&self, mut symbols: FxHashSet<SymbolId>) -> FxHashSet<SymbolId> {
        loop {
            let more =
                self.stands_for.iter().filter(|(actual, dummy)| symbols.contains(dummy) && !symbols.contains(actual));
            let more: Vec<SymbolId> = more.map(|(actual, _)| *actual).collect();
            if more.is_empty() {
                return symbols;
            }
            symbols.extend(more);
        }
    }

    /// Whether this is a dummy that the calls leave out.
    pub fn lacks(&self, id: SymbolId) -> bool {
        self.dummies.iter().any(|dummy| dummy.symbol == id && dummy.from == From::Nothing)
    }
}

/// A dummy argument.
#[derive(Clone, Copy, Debug)]
pub struct Passed {
    pub symbol: SymbolId,
    pub kind: DummyKind,
    pub from: From,
}

/// What a dummy argument stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum From {
    /// An argument of the list.
    List,
    /// Nothing: it is optional, and the calls leave it out.
    Nothing,
    /// A procedure, which is known.
    Procedure,
    /// The array that a function returns.
    Result,
    /// A variable of the procedure around this one.
    Host,
}

/// What a reference with parentheses, or CALL, calls.
pub enum Called<'t> {
    /// A procedure with source.
    Procedure(ScopeId),
    /// One that every compiler has.
    Intrinsic(Box<str>),
    /// A statement function: its dummies and its value, and the scope of both.
    Statement(Vec<&'t Ident>, &'t Written, ScopeId),
    /// A further entry of a procedure.
    Entry,
    /// Nothing: a variable or a constant.
    Nothing,
    /// A procedure whose source is missing, and its module if it has one.
    Unknown(Option<Box<str>>),
}

/// What a name stands for.
#[derive(Clone)]
pub enum Memory {
    /// A scalar that has no address.
    Var(VarId),
    /// A scalar in memory.
    Scalar(Place),
    /// An array.
    Array(Array),
    /// A value under a name: a dummy of a statement function, what ASSOCIATE names.
    Value(Expr),
}

/// What a statement allocates.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Slot {
    /// A variable of the procedure.
    Variable(SymbolId),
    /// A component of one, and the components on the way to it.
    Component(ObjectId, Vec<FieldId>),
}

/// An array.
#[derive(Clone)]
pub struct Array {
    /// What it begins in.
    pub base: Base,
    /// The way to it from there.
    pub path: Vec<Step>,
    /// Its dimensions, the first of Fortran first.
    pub dims: Vec<Dim>,
    /// Their lower bounds.
    pub lowers: Vec<Expr>,
    /// The type of an element.
    pub elem: Type,
    /// For a part of a row of elements: how many stand in front of it, and how many the row has.
    pub within: Option<(i128, i128)>,
    /// Whether an assignment to the whole of it may allocate it anew.
    pub deferred: bool,
    /// For a section under a name of its own: the array that it is of, and where it lies there, dimension by dimension.
    pub view: Option<Box<(Array, Vec<Viewed>)>>,
    /// Whether its elements follow each other in memory.
    pub is_row: bool,
}

/// Where a section lies in a dimension of its array, from 0.
#[derive(Clone)]
pub enum Viewed {
    /// At one place.
    At(Expr),
    /// From an element on.
    Range {
        /// The element.
        first: Expr,
        /// How far the next one is.
        stride: Expr,
    },
}

impl Array {
    /// One that begins with what it lies in.
    pub fn new(base: Base, dims: Vec<Dim>, lowers: Vec<Expr>, elem: Type) -> Array {
        let (path, within, view) = (Vec::new(), None, None);
        Array { base, path, dims, lowers, elem, within, deferred: false, view, is_row: true }
    }

    /// The extents of its dimensions.
    pub fn extents(&self) -> Vec<Expr> {
        self.dims.iter().filter_map(|dim| dim.extent.as_deref().cloned()).collect()
    }

    /// The element with these subscripts from 0.
    pub fn element(&self, subscripts: Vec<Expr>) -> Place {
        if let Some(view) = &self.view {
            let (of, view) = &**view;
            let mut own = subscripts.into_iter();
            let inner = view.iter().map(|viewed| match viewed {
                Viewed::At(at) => at.clone(),
                Viewed::Range { first, stride } => {
                    let at = own.next().expect("a subscript for each range");
                    add(first.clone(), multiply(at, stride.clone()))
                }
            });
            return of.element(inner.collect());
        }
        if let Some((offset, count)) = self.within {
            return part_of_row(&self.base, &self.elem, self.in_row(subscripts).offset(offset), count);
        }
        let dims = self.dims.iter().cloned();
        let mut path: Vec<Subscript> =
            subscripts.into_iter().zip(dims).map(|(at, dim)| Subscript { at, dim }).collect();
        path.reverse();
        let path = self.path.iter().cloned().chain([Step::Index(path)]).collect();
        Place { base: self.base.clone(), path, ty: self.elem.clone() }
    }

    /// One subscript for all.
    fn in_row(&self, subscripts: Vec<Expr>) -> Expr {
        let (mut at, mut stride) = (Expr::int(0), Expr::int(1));
        for (subscript, dim) in subscripts.into_iter().zip(&self.dims) {
            at = add(multiply(subscript, stride.clone()), at);
            stride = dim.extent.clone().map_or(stride.clone(), |extent| multiply(stride, *extent));
        }
        at
    }

    /// Its first element.
    pub fn first(&self) -> Place {
        self.element(vec![Expr::int(0); self.dims.len()])
    }
}

/// An element of a row.
pub fn part_of_row(base: &Base, elem: &Type, at: Expr, count: i128) -> Place {
    let dim = Dim::of(Expr::int(count));
    Place { base: base.clone(), path: vec![Step::Index(vec![Subscript { at, dim }])], ty: elem.clone() }
}

/// A refusal was noted.
#[derive(Debug)]
pub struct Refused;
/// What lowering gives.
pub type Result<T> = std::result::Result<T, Refused>;

/// Lowers a procedure.
pub struct Lower<'r, 't> {
    pub reader: &'r mut Reader<'t>,
    pub names: &'t scope::Program<'t>,
    pub id: ProcId,
    /// The procedure's scope.
    pub own: ScopeId,
    /// The scope of the statement at hand.
    pub scope: ScopeId,
    pub b: Builder,
    pub memory: FxHashMap<SymbolId, Memory>,
    pub facts: FortranProc,
    /// Constructs that are open, innermost last.
    pub open: Vec<Construct>,
    /// Ways out of the statements at hand.
    pub jumps: Jumps,
    /// Labels that the procedure jumps to.
    pub jumped: FxHashSet<u64>,
    /// RETURN.
    pub returned: Target,
    /// Calls whose scalar result is known already, by their address in the tree: they run once for all elements.
    pub hoisted: FxHashMap<usize, Expr>,
    /// Array constructors in expressions, by their address in the tree: their items are in memory.
    pub constructed: FxHashMap<usize, Array>,
    /// Allocatable components of variables of this procedure that it has allocated.
    pub components: FxHashMap<Slot, Memory>,
    /// Variables that have, or had, such components.
    pub beside: BTreeSet<ObjectId>,
    /// Objects of this procedure that EQUIVALENCE makes, by their stretch.
    pub shared: FxHashMap<usize, ObjectId>,
    /// Variables with SAVE that are taken as local ones.
    pub automatic: Vec<SymbolId>,
    /// What is written out at hand.
    pub out: WrittenOut,
    /// Scalars that are loaded at entry and stored at the end.
    pub written_back: Vec<(VarId, Place)>,
}

/// A construct that EXIT or CYCLE may name.
pub struct Construct {
    /// Its name.
    pub name: Option<Box<str>>,
    /// Where EXIT goes.
    pub exit: Target,
    /// Where CYCLE goes, for a loop.
    pub cycle: Option<Target>,
}

/// Where a reference leads.
pub enum Spot {
    /// To a variable without an address.
    Var(VarId),
    /// To memory.
    Place(Place),
}
