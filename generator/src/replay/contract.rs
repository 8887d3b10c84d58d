//! What a contract is made of: see [`super::contracts`].

use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::terms::P;
use crate::flow::poly::Poly;
use crate::ir::{GlobalId, Type};

/// Which locations a place of the primal may be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells {
    /// Whether a derivative flows through what lies there.
    pub active: bool,
    /// By their number in the analysis.
    pub own: Arc<BTreeSet<u32>>,
    /// These and all that may be the same memory.
    pub aliases: Arc<BTreeSet<u32>>,
}

/// The contract of a procedure: what its sweeps do to memory that is not its own. `None`: nobody knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contract {
    /// What the reverse sweep reads as the forward sweep left it.
    pub needs: Option<Extent>,
    /// What the reverse sweep does not restore.
    pub leaves: Option<Extent>,
    /// What the reverse sweep surely restores.
    pub restores: Vec<Behind>,
    /// What the forward sweep may write.
    pub writes: Option<Extent>,
    /// What the forward sweep surely writes, each time it is called.
    pub fills: Vec<Behind>,
    /// What the forward sweep reads before it writes there itself.
    pub exposed: Option<Extent>,
    /// What the forward sweep only saves before it writes there itself: it goes on the tape and back.
    pub saved: Option<Extent>,
}

/// Parts of memory behind arguments or with static storage, and locations for all that has no place there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extent {
    /// Places behind pointer arguments, or with static storage.
    pub places: Vec<Behind>,
    /// Everything else.
    pub cells: Arc<BTreeSet<u32>>,
}

impl Extent {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.cells.is_empty()
    }
}

/// A place behind a pointer argument, or behind a pointer in memory there; or in a variable with static storage.
#[derive(Clone, Debug, PartialEq)]
pub struct Behind {
    /// The pointer, or the variable.
    pub from: Argument,
    /// Integers in memory that the steps mention: their numbers follow those of the arguments.
    pub numbers: Vec<Argument>,
    /// The way from where the pointer points to, or into the variable.
    pub steps: Vec<Part>,
    /// The locations that it may be.
    pub cells: Cells,
}

/// What a procedure finds wherever it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The argument at a position.
    Argument(u32),
    /// A variable with static storage.
    Global(GlobalId),
}

/// An argument or a variable, or what lies in memory behind it when the procedure is called.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Which.
    pub root: Found,
    /// What is loaded from there, one pointer after the other: the way, the locations, the type.
    pub loads: Vec<(Vec<Part>, Cells, Type)>,
}

/// A step of a place. A value with the number of an argument stands for that argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A member.
    Field(u32),
    /// An element.
    At(Poly),
    /// Elements from the first to the one before the second.
    Range(Poly, Poly),
    /// All elements, and all that is in them.
    All,
}

/// What is read.
#[derive(Default)]
pub(super) struct Reads {
    pub(super) places: Vec<P>,
    pub(super) known: FxHashSet<P>,
    /// Locations of what has no place.
    pub cells: BTreeSet<u32>,
}

/// What the procedure finds when it is called, and does not only overwrite.
#[derive(Default)]
pub(super) struct Exposed {
    /// It is read.
    pub read: Reads,
    /// It is saved, and nothing else.
    pub saved: Reads,
}

impl Exposed {
    pub fn count(&self) -> [usize; 2] {
        [self.read.count(), self.saved.count()]
    }
}

impl Reads {
    pub fn add(&mut self, place: P) {
        if self.known.insert(place) {
            self.places.push(place);
        }
    }

    pub fn count(&self) -> usize {
        self.places.len()
    }
}
