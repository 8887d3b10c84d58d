//! The replay of one procedure: all that it knows, in both sweeps.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::contract::{Exposed, Reads};
use super::given::Given;
use super::merge::Pass;
use super::section::{self, OwnAndAliases, Runs, Section, State, Written};
use super::sums::{self, Adjoints};
use super::terms::{P, T, Term, Terms, Version};
use crate::ir::*;

/// Which sweep an expression belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Forward,
    Reverse,
}

/// Why a replay ends early.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    Open(String),
    Refused(String),
}

pub(super) type Res<R> = Result<R, Stop>;

/// What is open where two places may or may not be the same.
pub(super) const SECTIONS: &str = "sections that the proofs cannot tell apart";

pub(super) fn open<R>(construct: &str) -> Res<R> {
    Err(Stop::Open(construct.to_owned()))
}

/// What lies on the tape.
#[derive(Clone, Debug)]
pub(super) enum Taped {
    Value(T, Type),
    Bits(T, u8),
    Count(T),
    /// Place, count, the state that holds them, their type.
    Elements(P, T, Version, Type),
    /// The pointer, its bases.
    Pointer(T, Vec<T>),
}

/// A loop of the forward sweep.
#[derive(Clone, Debug)]
pub(super) struct Form {
    /// How often it runs, as known outside, and inside, where it runs at least once.
    pub(super) passes: T,
    pub(super) inside: T,
    /// Not negative in a pass: how far the index is from its end.
    pub(super) steps_beyond: Option<T>,
    /// Positive in a loop that ends: what its index goes by, where that is no number.
    pub(super) goes_by: Option<T>,
    /// What a pass adds to each carried variable.
    pub(super) steps: Vec<Option<T>>,
    /// Whether the last pass adds it, too.
    pub(super) always: Vec<bool>,
    pub(super) exact: Vec<bool>,
    pub(super) heads: Vec<T>,
    /// Memory when a pass begins.
    pub(super) first_state: Version,
    /// The test in front of a pass, if it stands there.
    pub(super) test: Option<T>,
}

/// The replay of one procedure.
pub(super) struct Replay<'a> {
    pub(super) program: &'a Program,
    pub(super) f: &'a Proc,
    pub(super) r: &'a Proc,
    pub(super) given: &'a Given,
    pub(super) terms: Terms,
    pub(super) states: Vec<State>,
    pub(super) runs_of_states: Runs,
    /// The state at hand: in the reverse sweep what memory equals but for the damage.
    pub(super) at: Version,
    pub(super) span: Span,
    /// The item that is being reversed.
    pub(super) item: Option<ItemId>,
    /// Loops whose passes the reverse sweep runs again.
    pub(super) passes: &'a BTreeMap<ItemId, Pass>,
    /// By item of the forward sweep: whether it leaves something on the tape for its own reversal.
    pub(super) on_tape: Vec<bool>,
    /// Region and position of each item of the forward sweep.
    pub(super) positions: Vec<Option<(RegionId, usize)>>,
    // The forward sweep.
    pub(super) values: Vec<Option<T>>,
    pub(super) before: Vec<Version>,
    pub(super) behind: Vec<Version>,
    pub(super) starts: FxHashMap<RegionId, Version>,
    pub(super) ends: FxHashMap<RegionId, Version>,
    pub(super) last: Version,
    pub(super) result: Option<T>,
    pub(super) conditions: FxHashMap<ItemId, T>,
    pub(super) passed: FxHashMap<ItemId, Vec<Option<T>>>,
    pub(super) stored: FxHashMap<ItemId, P>,
    pub(super) taped: FxHashMap<ItemId, Taped>,
    pub(super) loops: BTreeMap<ItemId, Form>,
    pub(super) found_steps: FxHashMap<(ItemId, u32), (T, bool)>,
    pub(super) writes: FxHashMap<RegionId, Arc<Vec<Section>>>,
    /// What a loop or a branch writes in all.
    pub(super) effects: FxHashMap<ItemId, Vec<Section>>,
    pub(super) writing: Vec<Vec<Section>>,
    pub(super) is_draft: bool,
    /// Loops of which a pass is being run forwards.
    pub(super) running: Vec<ItemId>,
    /// Whether a load did not go back as far as it could.
    pub(super) is_cut: bool,
    pub(super) pointer_places: FxHashSet<P>,
    /// The types of what was loaded.
    pub(super) loaded_types: FxHashMap<T, Type>,
    /// The object that a location is in.
    pub(super) homes: FxHashMap<u32, ObjectId>,
    pub(super) cells_of: FxHashMap<P, OwnAndAliases>,
    pub(super) cells_by_way: FxHashMap<(T, Vec<u32>), OwnAndAliases>,
    pub(super) cells_by_root: FxHashMap<T, OwnAndAliases>,
    pub(super) cells_of_object: FxHashMap<ObjectId, OwnAndAliases>,
    pub(super) apart: FxHashMap<(P, P), bool>,
    // The reverse sweep.
    pub(super) names: Vec<Option<T>>,
    pub(super) damage: Vec<Section>,
    /// What it reads as the forward sweep left it, and places that were restored before they were read.
    pub(super) needs: Reads,
    pub(super) back: FxHashSet<P>,
    /// Objects that the reverse sweep makes again, without contents.
    pub(super) made: FxHashSet<P>,
    /// Damage that is there for certain, not only in some passes or calls.
    pub(super) certain: FxHashSet<P>,
    /// What could not be told, and where first.
    pub(super) doubted: Option<(String, Span)>,
    /// The store that is being reversed, as long as what it wrote is there.
    pub(super) written: Option<Written>,
    /// Stores whose old contents a pop restores.
    pub(super) undone: FxHashSet<ItemId>,
    pub(super) variables: FxHashSet<VarId>,
    pub(super) shadowed: FxHashSet<ObjectId>,
    /// Objects that the forward sweep reads, or whose address it takes: nothing is added to the adjoints of others.
    pub(super) read: BTreeSet<ObjectId>,
    pub(super) adjoints: Adjoints,
    /// Passive values that are active behind a branch or in a loop.
    pub(super) handed_on: FxHashSet<ValueId>,
    /// Elements that a loop overwrites one by one and that came back at once: loop, first, number.
    pub(super) runs: Vec<(ItemId, P, T)>,
    /// Those of the loop at hand: loop and first element.
    pub(super) run: Vec<(ItemId, P)>,
    /// What the pass that runs again surely overwrites, the loops that run in it, and how many arms are around.
    pub(super) lost_in_pass: Vec<P>,
    pub(super) rerunning: Vec<ItemId>,
    pub(super) arms: usize,
    /// Truths in the arm at hand, numbers of passes in the loop at hand: what a term is, or that it is not 0.
    pub(super) known: Vec<(T, Option<T>)>,
    pub(super) resolved: FxHashMap<T, T>,
    /// What local shadows of pointers were set to.
    pub(super) shadow_pointers: FxHashMap<P, T>,
    /// What the procedure reads before it writes there, while that is searched for.
    pub(super) exposed: Option<Exposed>,
    /// Pushes whose contents go back to memory, and nowhere else.
    pub(super) saving: FxHashSet<ItemId>,
    /// What items of a pass that runs again save without having found it.
    pub(super) garbled: FxHashMap<ItemId, Vec<Section>>,
    /// Loops of the pass that has run again, and what each of their passes has filled: it is back if they had any.
    pub(super) filled: Vec<(ItemId, P)>,
    /// Branches whose bit was popped in front of them.
    pub(super) told: FxHashSet<ItemId>,
    /// Steps whose given derivative was called.
    pub(super) performed: FxHashSet<ItemId>,
    pub(super) lost: u32,
}

impl<'a> Replay<'a> {
    pub(super) fn new(
        program: &'a Program,
        f: &'a Proc,
        r: &'a Proc,
        given: &'a Given,
        passes: &'a BTreeMap<ItemId, Pass>,
    ) -> Self {
        let popped = r.items.iter().zip(&given.origins.items).filter_map(|(item, origin)| {
            let ItemKind::Sweep(SweepItem::Pop { what: Popped::Memory(_) }) = &item.kind else { return None };
            *origin
        });
        let undone = popped.collect();
        let variables = given.origins.objects.iter().filter_map(|role| match role {
            Origin::Variable(var) => Some(*var),
            _ => None,
        });
        let shadowed = given.origins.objects.iter().filter_map(|role| match role {
            Origin::Shadow(object) => Some(*object),
            _ => None,
        });
        let homes = given.places.iter().flat_map(|(place, cells)| match place.base {
            Base::Object(object) => cells.own.iter().map(|cell| (*cell, object)).collect(),
            _ => Vec::new(),
        });
        let mut cells_of_object: FxHashMap<ObjectId, OwnAndAliases> = FxHashMap::default();
        for (place, cells) in &given.places {
            if let Base::Object(object) = place.base {
                section::add_cells(cells_of_object.entry(object).or_default(), cells);
            }
        }
        let outer: FxHashSet<ItemId> = passes.values().flat_map(|pass| pass.outer.iter().copied()).collect();
        let pushes = |item: ItemId| {
            let kind = &f.items[item].kind;
            if let ItemKind::Sweep(SweepItem::Push { .. }) = kind {
                !outer.contains(&item)
            } else if let ItemKind::Call { callee: Callee::Sweep(..), .. } = kind {
                true
            } else if matches!(kind, ItemKind::Loop { .. }) {
                passes.get(&item).is_some_and(|pass| !pass.outer.is_empty())
            } else {
                false
            }
        };
        // What passes push that run again is gone when the loop is reversed.
        let on_tape = f.holding(pushes, |item| passes.contains_key(&item));
        Replay {
            program,
            f,
            r,
            given,
            terms: Terms::default(),
            states: Vec::new(),
            runs_of_states: Runs::default(),
            at: Version(0),
            span: f.span,
            item: None,
            passes,
            on_tape,
            positions: f.positions(),
            values: vec![None; f.values.len()],
            before: vec![Version(0); f.items.len()],
            behind: vec![Version(0); f.items.len()],
            starts: FxHashMap::default(),
            ends: FxHashMap::default(),
            last: Version(0),
            result: None,
            conditions: FxHashMap::default(),
            passed: FxHashMap::default(),
            stored: FxHashMap::default(),
            taped: FxHashMap::default(),
            loops: BTreeMap::new(),
            found_steps: FxHashMap::default(),
            writes: FxHashMap::default(),
            effects: FxHashMap::default(),
            writing: Vec::new(),
            is_draft: false,
            running: Vec::new(),
            is_cut: false,
            pointer_places: FxHashSet::default(),
            loaded_types: FxHashMap::default(),
            homes: homes.collect(),
            cells_of: FxHashMap::default(),
            cells_by_way: FxHashMap::default(),
            cells_by_root: FxHashMap::default(),
            cells_of_object,
            apart: FxHashMap::default(),
            names: vec![None; r.values.len()],
            damage: Vec::new(),
            needs: Reads::default(),
            back: FxHashSet::default(),
            made: FxHashSet::default(),
            certain: FxHashSet::default(),
            doubted: None,
            written: None,
            undone,
            variables: variables.collect(),
            shadowed: shadowed.collect(),
            read: sums::objects_read(f),
            adjoints: Adjoints::default(),
            handed_on: FxHashSet::default(),
            runs: Vec::new(),
            run: Vec::new(),
            lost_in_pass: Vec::new(),
            rerunning: Vec::new(),
            arms: 0,
            known: Vec::new(),
            resolved: FxHashMap::default(),
            shadow_pointers: FxHashMap::default(),
            exposed: None,
            saving: FxHashSet::default(),
            garbled: FxHashMap::default(),
            filled: Vec::new(),
            told: FxHashSet::default(),
            performed: FxHashSet::default(),
            lost: 0,
        }
    }

    pub(super) fn refuted(&self, what: &str) -> Stop {
        Stop::Refused(what.to_owned())
    }

    // ---- messages ------------------------------------------------------------------------------------------------

    pub(super) fn show_place(&self, place: P) -> String {
        let spot = self.terms.get_spot(place);
        let root = match self.terms.get(spot.root) {
            Term::Object(object) => self.f.objects[*object].name.clone(),
            Term::Global(global) => self.program.globals[*global].name.clone(),
            Term::Entry(k) => self.f.params[*k as usize].name.clone(),
            _ => "what a pointer points to".to_owned(),
        };
        if spot.steps.is_empty() { format!("'{root}'") } else { format!("an element of '{root}'") }
    }

    pub(super) fn fresh(&mut self) -> T {
        self.lost += 1;
        self.terms.make(Term::Lost(self.lost))
    }
}
