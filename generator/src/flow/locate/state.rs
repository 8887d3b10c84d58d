//! What the search for locations knows.

use crate::flow::locs::Loc;
use crate::flow::poly::{Facts, Poly};
use crate::flow::{Effects, Points, walk};
use crate::ir::{Callee, Dim, Expr, ItemId, ItemKind, Place, ProcId, Program, RegionId, Type, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeSet;

/// Reads expressions as polynomials and places as elements of locations.
pub struct Locator<'a> {
    pub(super) program: &'a Program,
    pub(super) points: &'a Points<'a>,
    pub(super) effects: &'a Effects,
    pub(super) recursive: Vec<bool>,
    pub(super) facts: RefCell<FxHashMap<(ProcId, RegionId), Facts>>,
    pub(super) indexes: RefCell<FxHashMap<(ProcId, ItemId), Option<Index>>>,
    pub(super) singles: RefCell<FxHashMap<(ProcId, Loc), bool>>,
    pub(super) uses: OnceCell<Uses>,
    pub(super) polys: RefCell<FxHashMap<(ProcId, ValueId), Option<Poly>>>,
    /// Values that are read otherwise elsewhere: the last reading of each.
    pub(super) readings: RefCell<FxHashMap<(ProcId, ValueId), Reading>>,
    /// Whether a proof from facts was used since it was cleared: such a result holds only where the facts do.
    pub(super) proved: Cell<bool>,
    /// Loops that are being read: their heads are atoms meanwhile.
    pub(super) open: Open,
    pub(super) facts_meanwhile: Answers<(ProcId, RegionId), Facts>,
    pub(super) indexes_meanwhile: Answers<(ProcId, ItemId), Option<Index>>,
    /// A loop whose first pass is meant: pointers that it hands on are those in front of it.
    pub(super) first: Cell<Option<(ProcId, ItemId)>>,
}

/// What a value was found to be, with the facts that were known and the loops that were being read.
pub(super) struct Reading {
    pub(super) facts: Facts,
    pub(super) open: Vec<(ProcId, ItemId)>,
    pub(super) result: Option<Poly>,
    pub(super) proved: bool,
}

/// Where a place begins: a location, an element of it, and the dimensions that are left.
pub(super) type Start<'a> = (Loc, Poly, Option<&'a [Dim]>);

/// The variable that counts a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    /// Its value when a pass begins.
    pub head: ValueId,
    /// Least value that a pass may have.
    pub lo: Poly,
    /// Greater by one than the greatest.
    pub hi: Poly,
    /// Whether it grows.
    pub up: bool,
    /// By how much it grows or falls each time; positive.
    pub step: Poly,
    /// Whether the loop ends only by its index: nothing else is in the test.
    pub sole: bool,
}

impl Index {
    /// Whether each of `lo..hi` has a pass, if the loop is not left early.
    pub fn dense(&self) -> bool {
        self.step == Poly::constant(1)
    }

    /// The value of the last pass, if the bounds give it exactly; only for a growing index.
    pub fn last(&self) -> Option<Poly> {
        if self.dense() {
            return self.hi.plus(-1);
        }
        self.hi.sub(&self.lo)?.divide(&self.step)?;
        self.hi.sub(&self.step)
    }
}

/// A loop of a procedure.
pub(super) type Of = (ProcId, ItemId);

/// The loops that are being read, and which were asked for.
#[derive(Default)]
pub(super) struct Open {
    pub(super) loops: RefCell<Vec<Of>>,
    pub(super) asked: RefCell<Asked>,
    /// Computations so far: what tests of growth count.
    pub(super) steps: Cell<u64>,
}

/// What a computation depends on: loops that were found to be open, and others.
#[derive(Clone, Default)]
pub(super) struct Asked {
    pub(super) open: FxHashSet<Of>,
    pub(super) others: FxHashSet<Of>,
}

/// By question, each answer with its dependencies, and whether it took a proof from facts.
pub(super) struct Answers<K, T>(pub(super) RefCell<FxHashMap<K, Vec<Answer<T>>>>);

pub(super) type Answer<T> = (Asked, bool, T);

impl<K, T> Default for Answers<K, T> {
    fn default() -> Self {
        Answers(RefCell::default())
    }
}

impl<K, T> Answers<K, T> {
    /// Forgets all: something is known now that was not when they were found.
    pub(super) fn clear(&self) {
        self.0.borrow_mut().clear();
    }
}

/// Where a program reads pointers from memory, and what it passes to its procedures.
pub(super) struct Uses {
    /// By cell: the loads that may be of it.
    pub(super) loads: FxHashMap<Loc, Vec<(ProcId, Place)>>,
    /// Pointers among the arguments, with what they may point to.
    pub(super) passed: Vec<(ProcId, Expr, BTreeSet<Loc>)>,
}

impl Uses {
    pub(super) fn new(program: &Program, points: &Points) -> Self {
        let mut uses = Uses { loads: FxHashMap::default(), passed: Vec::new() };
        for (q, proc) in program.procs.iter().enumerate() {
            let q = ProcId::new(q);
            let items = walk::items(proc, RegionId(0)).into_iter().map(|id| &proc.items[id]);
            let read = items.clone().flat_map(|item| walk::of_item(proc, item)).chain(&proc.result);
            for place in read.flat_map(walk::loads).filter(|place| !place.ty.is_number()) {
                for cell in points.cells(q, place) {
                    uses.loads.entry(cell).or_default().push((q, place.clone()));
                }
            }
            for item in items {
                let ItemKind::Call { callee: Callee::Proc(_), args, .. } = &item.kind else { continue };
                let pointers = args.iter().filter(|arg| matches!(arg.ty, Type::Pointer(_)));
                uses.passed.extend(pointers.map(|arg| (q, arg.clone(), points.targets(q, arg))));
            }
        }
        uses
    }
}
