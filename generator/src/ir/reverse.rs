//! Where the parts of a reverse sweep come from: for whoever reads the sweep without the plan.

use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

use super::{ItemId, ObjectId, ValueId, VarId};

/// A parameter of a reverse sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReverseParam {
    /// The user's argument at this position.
    Primal(u32),
    /// Its adjoint: the shadow of a pointer, the address of a scalar's adjoint.
    Adjoint(u32),
    /// The adjoint of the result.
    Seed,
}

/// Where the parts of a reverse sweep come from.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// By item: the item of the primal that it reverses.
    pub items: Vec<Option<ItemId>>,
    /// By object: what it stands for.
    pub objects: Vec<Origin>,
    /// What runs passes of loops again.
    pub copies: Copies,
}

/// What an object of a reverse sweep stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// An object of the primal, made again.
    Primal(ObjectId),
    /// The shadow of an object of the primal.
    Shadow(ObjectId),
    /// The adjoint of a variable.
    Variable(VarId),
    /// Nothing of the primal.
    #[default]
    Own,
}

/// The parts of a reverse sweep that run passes of loops again, with what they are in the primal.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    /// By item; `None` for what only the copy has, as pushes.
    pub items: BTreeMap<ItemId, Option<ItemId>>,
    /// By loop that runs again and value, with those that the copy reads from around it: one name of the sweep may stand
    /// for several values of the primal that are equal, for others in another loop.
    pub values: BTreeMap<ItemId, FxHashMap<ValueId, BTreeSet<ValueId>>>,
}
