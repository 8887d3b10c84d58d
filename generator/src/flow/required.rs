//! Required: what the adjoints still need when memory is overwritten (TBR paper, section 5), element by element.
//!
//! - **Lattice**: [`Secs`], unions of symbolic intervals of each location; `req` at a point is what the adjoint of
//!   everything before it reads in memory. What is in `req` at a point *will be there* when the reverse sweep comes
//!   back to this point: every store that may hit it puts the old contents on the tape first.
//! - **Transfer**, forward through the items of a region:
//!   `x[k] = e`: `req += Req(I)` (the loads in its needs); old contents are stored if `[k, k+1)` may meet `req`; then
//!   `req -= [k, k+1)`. Even the statement's own needs are killed: its old contents are back before its adjoint runs.
//!   Branch: both arms from the same `req`, union. End of life of an object: its contents are kept if it is in `req`.
//! - **Closure**: a loop is summarised from an empty `req`, each section is closed over the index (from its first to
//!   its last value for may-sets; exactly tiled for must-sets), and
//!   `InReq(body) = InReq ∪ Req(body)`, `OutReq = (InReq \ Kill(body)) ∪ Req(body)`: the closed form of the paper.
//! - **Calls**: bottom up each procedure gives `Req`, `Kill`, what it reads, writes and exposes at its exit, with
//!   parameters at entry as the only atoms; top down it gets the union of what its callers require. Procedures that
//!   call themselves are taken as reading, writing and requiring all of what they touch, and killing nothing.
//!
//! **Demands** are loads that the planner wants to repeat in the reverse sweep instead of storing their value: they
//! join `req` behind their item. They only add to `req`, so running the analysis again with more of them is monotone.

mod again;
mod calls;
mod items;
mod lasting;
mod loops;
mod objects;
mod pointers;
mod snapshots;
mod sure;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::RangeBounds;
use std::sync::Arc;

use super::locate::Locator;
use super::locs::{Loc, Set};
use super::poly::{Facts, Poly};
use super::sections::{Piece, Secs};
use super::{Flow, walk};
use crate::ir::{Expr, ExprKind, ItemId, ItemKind, ObjectId, Place, Proc, ProcId, RegionId, ValueId};
use crate::refuse::Refusal;
pub use again::Hull;
pub use snapshots::Snapshots;

/// What a procedure, or a pass of a region, does to memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sum {
    /// Its adjoint needs these contents, as they are at its exit. May-set.
    pub required: Secs,
    /// It surely overwrites these. Must-set.
    pub killed: Secs,
    /// It may read these.
    pub read: Secs,
    /// It may write these.
    pub written: Secs,
    /// It may read these before it writes them itself.
    pub exposed: Secs,
}

/// What the analysis decides.
#[derive(Clone, Debug, Default)]
struct Verdict {
    pushed: BTreeSet<(ProcId, ItemId)>,
    kept: BTreeSet<(ProcId, ObjectId)>,
    /// What is stored in front of each pass of a loop that is run again.
    hulls: BTreeMap<(ProcId, ItemId), Vec<Hull>>,
    /// What is kept of loops that are run again from snapshots.
    snapshots: BTreeMap<(ProcId, ItemId), Snapshots>,
    /// Loops that cannot be run again after all.
    unfit: BTreeMap<(ProcId, ItemId), String>,
    /// What callers require at the entry of procedures.
    entry: BTreeMap<ProcId, Secs>,
    refusals: Vec<Refusal>,
}

/// What the transfer functions carry through a region.
#[derive(Default)]
struct State {
    /// What the adjoint of everything before needs.
    req: Secs,
    /// What happened since the region began; `required` is not used.
    sum: Sum,
    /// Collects decisions; `None` while only a summary is made.
    verdict: Option<Verdict>,
}

/// The result of the analysis.
pub struct Required<'f> {
    flow: &'f Flow<'f>,
    locator: Locator<'f>,
    order: Vec<ProcId>,
    needs: Arc<Vec<Vec<Vec<Expr>>>>,
    demands: BTreeMap<(ProcId, ItemId), Vec<Expr>>,
    /// Loops whose passes the reverse sweep runs again, one at a time.
    again: BTreeSet<(ProcId, ItemId)>,
    /// How many snapshots are kept of those of them that run again from snapshots.
    checkpoints: BTreeMap<(ProcId, ItemId), u32>,
    /// Why others that were to be run again are not.
    once: BTreeMap<(ProcId, ItemId), String>,
    /// What comes back to the state in front of a head's call, because a part of it does.
    lasting: BTreeSet<Loc>,
    sums: Arc<Vec<Sum>>,
    entry: Arc<Vec<Secs>>,
    verdict: Arc<Verdict>,
    /// The region of each item, and its position there.
    positions: Arc<Vec<Positions>>,
    /// What each item accesses by itself; does not change.
    accesses: RefCell<HashMap<(ProcId, ItemId), Arc<Access>>>,
    /// A pass of each region, from nothing.
    passes: RefCell<HashMap<(ProcId, RegionId), Arc<State>>>,
    /// What the items of each region write.
    writers: RefCell<HashMap<(ProcId, RegionId), Arc<Writers>>>,
    /// Items that were visited, and writers that were compared with loads.
    steps: Cell<u64>,
}

/// For each item of a procedure, its region and where it stands there.
type Positions = Vec<Option<(RegionId, usize)>>;

/// Stores before which old contents are kept, objects whose contents are kept where their life ends,
/// what is stored in front of the passes of loops that are run again, and what snapshots of loops have.
pub type Decisions = (Vec<ItemId>, Vec<ObjectId>, Vec<(ItemId, Vec<Hull>)>, Vec<(ItemId, Snapshots)>);

/// What an item accesses by itself, without the regions in it.
struct Access {
    /// What its adjoint needs.
    needs: Secs,
    /// What its expressions read, each.
    reads: Vec<Secs>,
}

/// By location: the positions of the items of a region that may write it, with what they write.
type Writers = BTreeMap<Loc, Vec<(usize, Piece)>>;

impl<'f> Required<'f> {
    /// Runs the analysis without demands, and no loop again.
    pub fn new(flow: &'f Flow<'f>) -> Self {
        Self::with_again(flow, BTreeSet::new(), BTreeMap::new())
    }

    /// Runs the analysis without demands. `again`: the loops to run again, those among them that can be. `checkpoints`:
    /// the loops to run again from snapshots, and how many these are.
    pub fn with_again(
        flow: &'f Flow<'f>,
        mut again: BTreeSet<(ProcId, ItemId)>,
        checkpoints: BTreeMap<(ProcId, ItemId), u32>,
    ) -> Self {
        again.extend(checkpoints.keys());
        let program = flow.program;
        let needs = (0..program.procs.len())
            .map(|p| {
                let items = program.procs[p].items.len();
                (0..items).map(|k| flow.needs(ProcId::new(p), ItemId::new(k))).collect()
            })
            .collect();
        let mut required = Required {
            flow,
            locator: Locator::new(program, &flow.points, &flow.effects),
            order: walk::callees_first(program),
            needs: Arc::new(needs),
            demands: BTreeMap::new(),
            again,
            checkpoints,
            once: BTreeMap::new(),
            lasting: BTreeSet::new(),
            sums: Arc::default(),
            entry: Arc::default(),
            verdict: Arc::default(),
            positions: Arc::new(program.procs.iter().map(Proc::positions).collect()),
            accesses: RefCell::default(),
            passes: RefCell::default(),
            writers: RefCell::default(),
            steps: Cell::new(0),
        };
        let again = std::mem::take(&mut required.again);
        for (p, item) in again {
            match required.runs_once(p, item) {
                Some(why) => required.once.insert((p, item), why).map_or((), drop),
                None => drop(required.again.insert((p, item))),
            }
        }
        required.run();
        required
    }

    /// The same results, for another thread to ask questions of.
    pub fn fork(&self) -> Required<'f> {
        Required {
            flow: self.flow,
            locator: Locator::new(self.flow.program, &self.flow.points, &self.flow.effects),
            order: Vec::new(),
            needs: self.needs.clone(),
            demands: BTreeMap::new(),
            again: self.again.clone(),
            checkpoints: self.checkpoints.clone(),
            once: self.once.clone(),
            lasting: self.lasting.clone(),
            sums: self.sums.clone(),
            entry: self.entry.clone(),
            verdict: self.verdict.clone(),
            positions: self.positions.clone(),
            accesses: self.accesses.clone(),
            passes: self.passes.clone(),
            writers: self.writers.clone(),
            steps: Cell::new(0),
        }
    }

    /// Wants the loads of `expr`, evaluated at `item`, to be there when the reverse sweep comes back to the end of the
    /// item's region. [`Self::steady`] or [`Self::across`] must have said yes, or `item` stores there. Takes effect with
    /// [`Self::run`].
    /// Returns whether it is new.
    pub fn demand(&mut self, proc: ProcId, item: ItemId, expr: &Expr) -> bool {
        let demands = self.demands.entry((proc, item)).or_default();
        let new = !walk::loads(expr).is_empty() && !demands.contains(expr);
        if new {
            demands.push(expr.clone());
        }
        new
    }

    /// Runs the analysis with all demands. A loop that cannot be run again, given what is required in front of it, is
    /// not, and everything is analysed once more.
    pub fn run(&mut self) {
        loop {
            self.run_once();
            if self.verdict.unfit.is_empty() {
                let known = self.lasting.len();
                self.lasting.extend(self.restored_in_part());
                if self.lasting.len() == known {
                    return;
                }
                continue;
            }
            let unfit = self.verdict.unfit.clone();
            self.again.retain(|item| !unfit.contains_key(item));
            self.once.extend(unfit);
        }
    }

    fn run_once(&mut self) {
        let n = self.flow.program.procs.len();
        self.passes.borrow_mut().clear();
        self.writers.borrow_mut().clear();
        self.sums = Arc::new(vec![Sum::default(); n]);
        let mut entry = vec![Secs::new(); n];
        for p in self.order.clone() {
            let mut state = State::default();
            self.region(p, RegionId(0), &mut state);
            Arc::make_mut(&mut self.sums)[p.index()] = Sum { required: state.req, ..state.sum };
        }
        let mut verdict = Verdict::default();
        for p in self.order.clone().into_iter().rev() {
            let mut req = verdict.entry.remove(&p).unwrap_or_default();
            if self.flow.heads.contains(&p) {
                let written = &self.flow.effects.of_region(p, RegionId(0)).writes;
                req.extend(written.intersection(&self.lasting).map(|&l| (l, vec![Piece::whole()])));
            }
            if self.locator.recursive(p) {
                let writes = &self.flow.effects.of_region(p, RegionId(0)).writes;
                req = writes.iter().map(|&l| (l, vec![Piece::whole()])).collect();
            }
            entry[p.index()] = req.clone();
            let mut state = State { req, sum: Sum::default(), verdict: Some(verdict) };
            self.region(p, RegionId(0), &mut state);
            verdict = state.verdict.unwrap_or_default();
        }
        self.entry = Arc::new(entry);
        self.verdict = Arc::new(verdict);
    }

    /// Whether a store (or a call that writes a struct result) overwrites what the adjoint of something before reads.
    pub fn push_old(&self, proc: ProcId, item: ItemId) -> bool {
        self.verdict.pushed.contains(&(proc, item))
    }

    /// Whether the contents of an object are required when its life ends.
    pub fn keep(&self, proc: ProcId, object: ObjectId) -> bool {
        self.verdict.kept.contains(&(proc, object))
    }

    /// All that was decided for a procedure: stores before which old contents are kept, objects whose contents are.
    pub fn decisions(&self, proc: ProcId) -> Decisions {
        let items = (proc, ItemId(0))..=(proc, ItemId(u32::MAX));
        let objects = (proc, ObjectId(0))..=(proc, ObjectId(u32::MAX));
        let pushed = self.verdict.pushed.range(items.clone()).map(|(_, item)| *item).collect();
        let kept = self.verdict.kept.range(objects).map(|(_, object)| *object).collect();
        let hulls = self.verdict.hulls.range(items.clone()).map(|((_, item), hulls)| (*item, hulls.clone())).collect();
        let snapshots = self.verdict.snapshots.range(items).map(|((_, item), of)| (*item, of.clone())).collect();
        (pushed, kept, hulls, snapshots)
    }

    /// What is stored in front of each pass of a loop, if its passes are run again.
    pub fn hulls(&self, proc: ProcId, item: ItemId) -> Option<&[Hull]> {
        self.verdict.hulls.get(&(proc, item)).map(|hulls| &hulls[..])
    }

    /// What snapshots of a loop have, if it runs again from snapshots.
    pub fn snapshots(&self, proc: ProcId, item: ItemId) -> Option<&Snapshots> {
        self.verdict.snapshots.get(&(proc, item))
    }

    /// Runs no loop again but from snapshots. Takes effect with [`Self::run`]. Returns whether there was one.
    pub fn forbid_all(&mut self) -> bool {
        let (kept, again) = std::mem::take(&mut self.again)
            .into_iter()
            .partition::<BTreeSet<_>, _>(|it| self.checkpoints.contains_key(it));
        self.again = kept;
        let any = !again.is_empty();
        self.once.extend(again.into_iter().map(|each| (each, "the reverse sweep would be refused".into())));
        any
    }

    /// Takes a loop from those that are run again. Takes effect with [`Self::run`]. Returns whether it was one.
    pub fn forbid(&mut self, proc: ProcId, item: ItemId) -> bool {
        let was = self.again.remove(&(proc, item));
        if was {
            self.once.insert((proc, item), "the reverse sweep has no names for all that a pass reads".into());
        }
        was
    }

    /// Why a loop that was to be run again is not.
    pub fn once(&self, proc: ProcId, item: ItemId) -> Option<&str> {
        self.once.get(&(proc, item)).map(|why| &why[..])
    }

    /// What cannot be kept: functions without source that overwrite what is required.
    pub fn refusals(&self) -> &[Refusal] {
        &self.verdict.refusals
    }

    /// What a procedure does to memory.
    pub fn sum(&self, proc: ProcId) -> &Sum {
        &self.sums[proc.index()]
    }

    /// What the callers of a procedure require at its entry.
    pub fn entry(&self, proc: ProcId) -> &Secs {
        &self.entry[proc.index()]
    }

    /// Whether every load of `expr`, evaluated at `item`, still yields the same at the end of the item's region. With
    /// [`Self::demand`] it does again when the reverse sweep enters the region.
    pub fn steady(&self, proc: ProcId, item: ItemId, expr: &Expr) -> bool {
        let Some((region, from)) = self.positions[proc.index()][item.index()] else { return false };
        self.untouched(proc, region, from.., expr)
    }

    /// Whether every load of `expr`, evaluated just before `item`, yields the same behind it.
    pub fn across(&self, proc: ProcId, item: ItemId, expr: &Expr) -> bool {
        let Some((region, at)) = self.positions[proc.index()][item.index()] else { return false };
        self.untouched(proc, region, at..at + 1, expr)
    }

    /// Whether the passes of a loop overwrite one element after the other by a store, nothing else writes there, and no
    /// pass reads what may be an element that it or a pass before it has overwritten.
    pub fn one_by_one(&self, proc: ProcId, item: ItemId, store: ItemId) -> bool {
        let all = &self.flow.program.procs[proc.index()];
        let ItemKind::Loop { body, .. } = &all.items[item.index()].kind else { return false };
        let ItemKind::Store { to, .. } = &all.items[store.index()].kind else { return false };
        let Some(index) = self.locator.index(proc, item).filter(|index| index.up && index.dense() && index.sole) else {
            return false;
        };
        let facts = self.locator.facts(proc, *body);
        let Some((loc, at)) = self.locator.locate(proc, to, &facts) else { return false };
        let moves = at.sub(&self.locator.atom(proc, index.head));
        if !moves.is_some_and(|rest| self.locator.invariant(proc, *body, &rest)) {
            return false;
        }
        // Behind the store, the element itself has its new contents.
        let mut nearest: i128 = 0;
        let mut behind = |inner: ItemId| {
            let inner_item = &all.items[inner.index()];
            let alone = match &inner_item.kind {
                ItemKind::Store { to, .. } => inner == store || !self.flow.may_be_in(proc, to, &Set::from([loc])),
                kind => matches!(
                    kind,
                    ItemKind::Let { .. }
                        | ItemKind::DeclareVar { .. }
                        | ItemKind::Branch { .. }
                        | ItemKind::Loop { .. }
                ),
            };
            let loads = walk::of_item(all, inner_item).into_iter().flat_map(walk::loads);
            let ahead = loads.into_iter().all(|place| self.ahead(proc, place, &facts, loc, &at, nearest));
            nearest |= i128::from(inner == store);
            alone && ahead
        };
        walk::items(all, *body).into_iter().all(&mut behind)
    }

    /// Whether a load is of other memory than a location, or of an element of it that is at least so far behind this
    /// one.
    fn ahead(&self, proc: ProcId, place: &Place, facts: &Facts, loc: Loc, at: &Poly, nearest: i128) -> bool {
        if !self.flow.may_be_in(proc, place, &Set::from([loc])) {
            return true;
        }
        let behind = |(other, element): (Loc, Poly)| {
            other == loc && element.sub(at).and_then(|d| d.as_constant()).is_some_and(|d| d >= nearest)
        };
        self.locator.locate(proc, place, facts).is_some_and(behind)
    }

    /// Whether the loads of `expr` are of memory that the procedure never writes: then a demand costs nothing here.
    pub fn never_written(&self, proc: ProcId, expr: &Expr) -> bool {
        let writes = self.flow.writes(proc, RegionId(0));
        !walk::loads(expr).into_iter().any(|place| self.flow.may_be_in(proc, place, writes))
    }

    /// Whether the items of a region at these positions leave what `expr` loads as it is.
    fn untouched(&self, p: ProcId, region: RegionId, at: impl RangeBounds<usize>, expr: &Expr) -> bool {
        let facts = self.locator.facts(p, region);
        let mut loads = Secs::new();
        self.loads(p, expr, &facts, &mut loads);
        if loads.is_empty() {
            return true;
        }
        let writers = self.writers(p, region);
        writers.iter().all(|(&written, pieces)| {
            self.step();
            let elsewhere = |load: &Loc| *load != written && self.flow.points.may_alias(p, written, *load);
            if !loads.contains_key(&written) && !loads.keys().any(elsewhere) {
                return true;
            }
            pieces.iter().filter(|(position, _)| at.contains(position)).all(|(_, piece)| {
                self.step();
                !self.hit(p, &loads, written, piece, &facts)
            })
        })
    }

    fn writers(&self, p: ProcId, region: RegionId) -> Arc<Writers> {
        if let Some(known) = self.writers.borrow().get(&(p, region)) {
            return known.clone();
        }
        let mut writers = Writers::new();
        for (position, &id) in self.flow.program.procs[p.index()].regions[region.index()].items.iter().enumerate() {
            let mut state = State::default();
            self.item(p, region, id, &mut state);
            for (loc, pieces) in state.sum.written {
                writers.entry(loc).or_default().extend(pieces.into_iter().map(|piece| (position, piece)));
            }
        }
        let writers = Arc::new(writers);
        self.writers.borrow_mut().insert((p, region), writers.clone());
        writers
    }

    fn step(&self) {
        self.steps.set(self.steps.get() + 1);
    }

    /// How many items were visited, and writers compared with loads.
    pub fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// Whether a location is one piece of memory while a procedure runs.
    pub fn single(&self, proc: ProcId, loc: Loc) -> bool {
        self.locator.single(proc, loc)
    }

    /// A set as text.
    pub fn show(&self, set: &Secs) -> String {
        let program = self.flow.program;
        let name = |p: ProcId, v: ValueId| {
            let proc = &program.procs[p.index()];
            let e = Expr { kind: ExprKind::Value(v), ty: proc.vars[proc.values[v.index()].var.index()].ty.clone() };
            crate::ir::print::expr(program, proc, &e)
        };
        let mut out = Vec::new();
        for (&loc, pieces) in set {
            let pieces: Vec<String> =
                pieces
                    .iter()
                    .map(|q| {
                        if q.is_whole() { "[]".into() } else { format!("[{}, {})", q.lo.show(&name), q.hi.show(&name)) }
                    })
                    .collect();
            out.push(format!("{}{}", self.flow.points.locs.name(program, loc), pieces.join("")));
        }
        out.join(" ")
    }
}

#[cfg(test)]
mod interpreter;
#[cfg(test)]
mod tests;
