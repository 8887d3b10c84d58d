//! Static replay: proves, before anything is written, that the reverse sweep of a procedure reads what its forward
//! sweep computed. It reads the two sweeps as they will be printed, and nothing of how they were found.
//!
//! | word | meaning |
//! |---|---|
//! | term | what a value is, in terms of what the procedure, or a pass of a loop, begins with |
//! | state | memory at a point of the forward sweep |
//! | damage | the parts of memory in which the reverse sweep differs from the state at hand |
//! | group | the items of the reverse sweep that come from one item of the forward sweep |
//! | contract | what a loop, branch or call may write, and leaves damaged: all that is known about it outside |
//!
//! The forward sweep runs on terms. Then the reverse sweep runs on terms, group by group, last item first. **Obligations**:
//!
//! 1. Each group changes the adjoints as the derivative of its item demands, with the operands of the forward sweep.
//! 2. When a pass has been reversed, what its loop carries is what it was when the pass began.
//! 3. What is popped mirrors what was pushed, kind by kind, through loops, branches and calls.
//! 4. Nothing is read that the reverse sweep lost: memory that was overwritten and not restored, values without a name.
//! 5. A loop runs as often as forward, each branch takes the arm that ran, each live item is reversed once.
//! 6. An adjoint lies at the shadow of the primal's place: shadow of its base, and the same subscripts.
//!
//! Loops and calls by induction: any pass, with what all later passes leave as damage; a call by its effects.
//! Which values are active, and which locations two pointers may share, is [`Given`], by the analyses.

mod adjoint;
mod again;
mod calls;
mod choices;
mod contracts;
mod deferred;
mod demands;
mod elements;
mod equal;
mod eval;
mod forward;
mod left;
mod lives;
mod loops;
mod lost;
mod memory;
mod modelled;
mod origins;
mod passes;
mod rerun;
mod reverse;
mod rows;
mod runs;
mod saved;
mod sections;
mod snapshots;
mod structs;
mod taped;
mod terms;
mod trips;

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::ir::*;
pub use contracts::{Argument, Behind, Contract, Extent, Found, Part};
use memory::{OwnAndAliases, Section, State};
use terms::{P, T, Term, Terms, Version};

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

/// What a call does to memory: locations, and all that may be the same memory.
#[derive(Clone, Debug, Default)]
pub struct Effect {
    /// Locations that it may write.
    pub writes: Arc<BTreeSet<u32>>,
    /// What it may write.
    pub may: Extent,
    /// What it may read as it finds it.
    pub reads: Extent,
    /// What it may put on the tape as it finds it, only to put it back.
    pub saves: Extent,
    /// What its reverse reads as the call left it.
    pub needs: Extent,
    /// What its reverse does not restore.
    pub leaves: Extent,
    /// See [`Contract::restores`].
    pub restores: Vec<Behind>,
    /// See [`Contract::fills`].
    pub fills: Vec<Behind>,
}

/// What replay takes as given: where the parts of the sweeps come from, and the answers of analyses.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Where the parts of the reverse sweep come from. Checked, not believed.
    pub origins: Origins,
    /// The parameters of the reverse sweep.
    pub params: Vec<ReverseParam>,
    /// The parameters of the reverse sweeps that it calls.
    pub called: Arc<BTreeMap<ProcId, Vec<ReverseParam>>>,
    /// Shadows of globals.
    pub global_shadows: BTreeMap<GlobalId, GlobalId>,
    /// By value of the primal: whether a derivative flows through it.
    pub active: Vec<bool>,
    /// By place that the primal names.
    pub places: FxHashMap<Place, Cells>,
    /// By call of the primal.
    pub calls: FxHashMap<ItemId, Effect>,
    /// Loops whose passes the reverse sweep runs again.
    pub again: BTreeSet<ItemId>,
    /// What the forward sweep leaves out.
    pub left_out: BTreeSet<ItemId>,
    /// Whether pointers in memory find adjoints by their offsets.
    pub by_offset: bool,
    /// Whether another procedure calls it, or it itself: what only callers want to know is then searched for.
    pub is_called: bool,
}

/// What replay says about a procedure.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Nobody has asked yet.
    Unjudged,
    /// All obligations are proved.
    Proved,
    /// Something in it is not modelled: nothing is claimed about the procedure.
    Open {
        /// What.
        construct: String,
        /// Where.
        span: Span,
    },
    /// An obligation is not proved.
    Refused {
        /// Which.
        what: String,
        /// Where.
        span: Span,
        /// The item that was being reversed.
        item: Option<ItemId>,
    },
}

/// Proves that the reverse sweep of a procedure reads what the forward sweep computed. The contract holds if it is
/// proved.
pub fn prove(program: &Program, forward: &Proc, reverse: &Proc, given: &Given) -> (Verdict, Contract) {
    let unfolded;
    let nothing = BTreeMap::new();
    let (forward, passes) = if given.again.is_empty() {
        (forward, &nothing)
    } else {
        match again::unfold(forward, reverse, given) {
            Ok(whole) => unfolded = whole,
            Err((what, item)) => {
                let span = item.map_or(forward.span, |item| forward.items[item.index()].span);
                return (Verdict::Refused { what: what.into(), span, item }, Contract::default());
            }
        }
        (&unfolded.forward, &unfolded.passes)
    };
    let mut replay = Replay::new(program, forward, reverse, given, passes);
    let ran = replay.forward().and_then(|()| replay.reverse());
    let verdict = match ran {
        Ok(()) if replay.is_cut => Verdict::Open { construct: "many stores in a row".into(), span: forward.span },
        Ok(()) => match replay.doubted.take() {
            Some((construct, span)) => Verdict::Open { construct, span },
            None => Verdict::Proved,
        },
        Err(Stop::Open(construct)) => Verdict::Open { construct, span: replay.span },
        Err(Stop::Refused(_)) if replay.is_cut => {
            Verdict::Open { construct: "many stores in a row".into(), span: forward.span }
        }
        Err(Stop::Refused(what)) => Verdict::Refused { what, span: replay.span, item: replay.item },
    };
    let contract = if verdict == Verdict::Proved { replay.contract() } else { Contract::default() };
    (verdict, contract)
}

/// What a procedure does to memory that has no sweeps, and runs as it is; `None`: nobody knows.
pub fn effects(program: &Program, proc: &Proc, given: &Given) -> Option<Contract> {
    let nothing = BTreeMap::new();
    let mut replay = Replay::new(program, proc, proc, given, &nothing);
    replay.forward().ok()?;
    let contract = replay.contract();
    let is_known = !replay.is_cut && replay.doubted.is_none();
    is_known.then(|| Contract { leaves: contract.writes.clone(), ..contract })
}

/// Which sweep an expression belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Forward,
    Reverse,
}

/// Why a replay ends early.
#[derive(Clone, Debug)]
enum Stop {
    Open(String),
    Refused(String),
}

type Res<R> = Result<R, Stop>;

/// What is open where two places may or may not be the same.
const SECTIONS: &str = "sections that the proofs cannot tell apart";

fn open<R>(construct: &str) -> Res<R> {
    Err(Stop::Open(construct.to_owned()))
}

/// What lies on the tape.
#[derive(Clone, Debug)]
enum Taped {
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
struct Form {
    /// How often it runs, as known outside, and inside, where it runs at least once.
    passes: T,
    inside: T,
    /// Not negative in a pass: how far the index is from its end.
    steps_beyond: Option<T>,
    /// Positive in a loop that ends: what its index goes by, where that is no number.
    goes_by: Option<T>,
    /// What a pass adds to each carried variable.
    steps: Vec<Option<T>>,
    /// Whether the last pass adds it, too.
    always: Vec<bool>,
    exact: Vec<bool>,
    heads: Vec<T>,
    /// Memory when a pass begins.
    first_state: Version,
    /// The test in front of a pass, if it stands there.
    test: Option<T>,
}

/// The replay of one procedure.
struct Replay<'a> {
    program: &'a Program,
    f: &'a Proc,
    r: &'a Proc,
    given: &'a Given,
    terms: Terms,
    states: Vec<State>,
    runs_of_states: runs::Runs,
    /// The state at hand: in the reverse sweep what memory equals but for the damage.
    at: Version,
    span: Span,
    /// The item that is being reversed.
    item: Option<ItemId>,
    /// Loops whose passes the reverse sweep runs again, and what they push in the forward sweep.
    passes: &'a BTreeMap<ItemId, again::Pass>,
    outer: FxHashSet<ItemId>,
    /// Region and position of each item of the forward sweep.
    positions: Vec<Option<(RegionId, usize)>>,
    // The forward sweep.
    values: Vec<Option<T>>,
    before: Vec<Version>,
    behind: Vec<Version>,
    starts: FxHashMap<RegionId, Version>,
    ends: FxHashMap<RegionId, Version>,
    last: Version,
    result: Option<T>,
    conditions: FxHashMap<ItemId, T>,
    passed: FxHashMap<ItemId, Vec<Option<T>>>,
    stored: FxHashMap<ItemId, P>,
    taped: FxHashMap<ItemId, Taped>,
    loops: BTreeMap<ItemId, Form>,
    found_steps: FxHashMap<(ItemId, u32), (T, bool)>,
    writes: FxHashMap<RegionId, Arc<Vec<Section>>>,
    /// What a loop or a branch writes in all.
    effects: FxHashMap<ItemId, Vec<Section>>,
    writing: Vec<Vec<Section>>,
    is_draft: bool,
    /// Loops of which a pass is being run forwards.
    running: Vec<ItemId>,
    /// Whether a load did not go back as far as it could.
    is_cut: bool,
    pointer_places: FxHashSet<P>,
    /// The types of what was loaded.
    loaded_types: FxHashMap<T, Type>,
    /// The object that a location is in.
    homes: FxHashMap<u32, ObjectId>,
    cells_of: FxHashMap<P, OwnAndAliases>,
    cells_by_way: FxHashMap<(T, Vec<u32>), OwnAndAliases>,
    cells_by_root: FxHashMap<T, OwnAndAliases>,
    cells_of_object: FxHashMap<ObjectId, OwnAndAliases>,
    apart: FxHashMap<(P, P), bool>,
    // The reverse sweep.
    names: Vec<Option<T>>,
    damage: Vec<Section>,
    /// What it reads as the forward sweep left it, and places that were restored before they were read.
    needs: contracts::Reads,
    back: FxHashSet<P>,
    /// Objects that the reverse sweep makes again, without contents.
    made: FxHashSet<P>,
    /// Damage that is there for certain, not only in some passes or calls.
    certain: FxHashSet<P>,
    /// What could not be told, and where first.
    doubted: Option<(String, Span)>,
    /// The store that is being reversed, as long as what it wrote is there.
    written: Option<memory::Written>,
    /// Stores whose old contents a pop restores.
    undone: FxHashSet<ItemId>,
    variables: FxHashSet<VarId>,
    shadowed: FxHashSet<ObjectId>,
    /// Objects that the forward sweep reads, or whose address it takes: nothing is added to the adjoints of others.
    read: BTreeSet<ObjectId>,
    adjoints: adjoint::Adjoints,
    /// Passive values that are active behind a branch or in a loop.
    handed_on: FxHashSet<ValueId>,
    /// Elements that a loop overwrites one by one and that came back at once: loop, first, number.
    runs: Vec<(ItemId, P, T)>,
    /// Those of the loop at hand: loop and first element.
    run: Vec<(ItemId, P)>,
    /// What the pass that runs again surely overwrites, the loops that run in it, and how many arms are around.
    lost_in_pass: Vec<P>,
    rerunning: Vec<ItemId>,
    arms: usize,
    /// Truths in the arm at hand, numbers of passes in the loop at hand: what a term is, or that it is not 0.
    known: Vec<(T, Option<T>)>,
    resolved: FxHashMap<T, T>,
    /// What local shadows of pointers were set to.
    shadow_pointers: FxHashMap<P, T>,
    /// What the procedure reads before it writes there, while that is searched for.
    exposed: Option<contracts::Exposed>,
    /// Pushes whose contents go back to memory, and nowhere else.
    saving: FxHashSet<ItemId>,
    /// What items of a pass that runs again save without having found it.
    garbled: FxHashMap<ItemId, Vec<Section>>,
    /// Loops of the pass that has run again, and what each of their passes has filled: it is back if they had any.
    filled: Vec<(ItemId, P)>,
    /// Branches whose bit was popped in front of them.
    told: FxHashSet<ItemId>,
    lost: u32,
}

impl<'a> Replay<'a> {
    fn new(
        program: &'a Program,
        f: &'a Proc,
        r: &'a Proc,
        given: &'a Given,
        passes: &'a BTreeMap<ItemId, again::Pass>,
    ) -> Self {
        let popped = r.items.iter().zip(&given.origins.items).filter_map(|(item, origin)| match &item.kind {
            ItemKind::Pop { what: Popped::Memory(_) } => *origin,
            _ => None,
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
                memory::add_cells(cells_of_object.entry(object).or_default(), cells);
            }
        }
        Replay {
            program,
            f,
            r,
            given,
            terms: Terms::default(),
            states: Vec::new(),
            runs_of_states: runs::Runs::default(),
            at: Version(0),
            span: f.span,
            item: None,
            passes,
            outer: passes.values().flat_map(|pass| pass.outer.iter().copied()).collect(),
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
            needs: contracts::Reads::default(),
            back: FxHashSet::default(),
            made: FxHashSet::default(),
            certain: FxHashSet::default(),
            doubted: None,
            written: None,
            undone,
            variables: variables.collect(),
            shadowed: shadowed.collect(),
            read: adjoint::objects_read(f),
            adjoints: adjoint::Adjoints::default(),
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
            lost: 0,
        }
    }

    fn refuted(&self, what: &str) -> Stop {
        Stop::Refused(what.to_owned())
    }

    // ---- messages ------------------------------------------------------------------------------------------------

    fn show_place(&self, place: P) -> String {
        let spot = self.terms.get_spot(place);
        let root = match self.terms.get(spot.root) {
            Term::Object(object) => self.f.objects[object.index()].name.clone(),
            Term::Global(global) => self.program.globals[global.index()].name.clone(),
            Term::Entry(k) => self.f.params[*k as usize].name.clone(),
            _ => "what a pointer points to".to_owned(),
        };
        if spot.steps.is_empty() { format!("'{root}'") } else { format!("an element of '{root}'") }
    }

    fn fresh(&mut self) -> T {
        self.lost += 1;
        self.terms.make(Term::Lost(self.lost))
    }
}
