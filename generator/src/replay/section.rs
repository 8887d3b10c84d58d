//! Parts of memory, and the states that they are in: see [`super::memory`].

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

use super::contract::Cells;
use super::terms::{P, T, Version};
use crate::ir::ItemId;

/// Part of memory.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Section {
    /// The place, if the part has one name; what a call writes has none.
    pub place: Option<P>,
    /// The locations that it may be.
    pub cells: Arc<BTreeSet<u32>>,
}

/// How a state comes from another.
#[derive(Clone, Debug)]
pub(super) enum State {
    Entry,
    Stored { before: Version, place: P, value: T },
    Havoc { before: Version, writes: Arc<Vec<Section>> },
}

/// A store that is being reversed, and memory in front of that: what is damaged, what is back.
pub(super) struct Written {
    pub store: ItemId,
    pub(super) damage: Vec<Section>,
    pub(super) back: FxHashSet<P>,
    pub(super) certain: FxHashSet<P>,
}

/// The locations that a place may be; these and all that may be the same memory.
pub(super) type OwnAndAliases = (Arc<BTreeSet<u32>>, Arc<BTreeSet<u32>>);

/// Adds locations to those that are known.
pub(super) fn add_cells(to: &mut OwnAndAliases, more: &Cells) {
    for (known, more) in [(&mut to.0, &more.own), (&mut to.1, &more.aliases)] {
        if known.is_empty() {
            *known = Arc::clone(more);
        } else if !more.is_subset(known) {
            Arc::make_mut(known).extend(more.iter().copied());
        }
    }
}

/// Which passes of a loop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Passes {
    /// All of them.
    All,
    /// Those behind the one at hand.
    Later,
}

/// What a run of states writes.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// The state in front of it.
    pub(super) before: Version,
    pub(super) by_root: FxHashMap<T, Writes>,
    /// Locations that calls and loops may write.
    pub(super) cells: BTreeSet<u32>,
}

/// What a run writes from one root on.
#[derive(Clone, Debug, Default)]
pub(super) struct Writes {
    /// Locations that its places may be.
    pub(super) cells: BTreeSet<u32>,
    /// Places whose subscripts are numbers, by which of their steps are members: two of these are one or disjoint.
    pub(super) fixed: FxHashMap<Vec<bool>, FxHashSet<P>>,
    /// All other places.
    pub(super) others: Vec<P>,
}

/// The runs of all states.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// How many states lie in front of each.
    pub(super) depths: Vec<u32>,
    /// By the last state, longer ones first.
    pub(super) ends: FxHashMap<Version, Vec<Arc<Run>>>,
}
