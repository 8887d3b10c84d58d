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
mod conditions;
mod fresh;
mod items;
mod lasting;
mod loops;
mod objects;
mod pointers;
mod snapshots;
mod state;
mod steady;
mod sure;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::sync::Arc;

use super::locate::Locator;
use super::locs::Loc;
use super::sections::{Piece, Secs};
use super::{Flow, walk};
use crate::flow::required::state::{State, Verdict};
use crate::ir::{Expr, ItemId, ObjectId, Proc, ProcId, RegionId, ValueId};
use crate::parallel;
use crate::refuse::Refusal;
pub use state::{Decisions, Hull, Required, Snapshots, Sum};

impl<'f> Required<'f> {
    /// Runs the analysis without demands, and no loop again.
    pub fn new(flow: &'f Flow<'f>) -> Self {
        Self::with_again(flow, BTreeSet::new(), BTreeMap::new(), false)
    }

    /// Runs the analysis without demands. `again`: the loops to run again, those among them that can be. `checkpoints`:
    /// the loops to run again from snapshots, and how many these are. `split`: whether other forward sweeps may run between
    /// the two of a head.
    pub fn with_again(
        flow: &'f Flow<'f>,
        mut again: BTreeSet<(ProcId, ItemId)>,
        checkpoints: BTreeMap<(ProcId, ItemId), u32>,
        split: bool,
    ) -> Self {
        again.extend(checkpoints.keys());
        let program = flow.program;
        let needs = (program.procs.by_id())
            .map(|(p, proc)| proc.items.ids().map(|item| flow.needs(p, item)).collect())
            .collect();
        let mut required = Required {
            flow,
            locator: Locator::new(program, &flow.points, &flow.effects),
            waves: Arc::new(walk::waves(program)),
            needs: Arc::new(needs),
            demands: Arc::default(),
            stored: BTreeSet::new(),
            again,
            checkpoints,
            once: BTreeMap::new(),
            whole: BTreeSet::new(),
            lasting: BTreeSet::new(),
            unread: BTreeSet::new(),
            split,
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

    /// The same results, for another thread to ask questions of, or to go on with.
    pub fn fork(&self) -> Required<'f> {
        Required {
            flow: self.flow,
            locator: Locator::new(self.flow.program, &self.flow.points, &self.flow.effects),
            waves: self.waves.clone(),
            needs: self.needs.clone(),
            demands: self.demands.clone(),
            stored: self.stored.clone(),
            again: self.again.clone(),
            checkpoints: self.checkpoints.clone(),
            once: self.once.clone(),
            whole: self.whole.clone(),
            lasting: self.lasting.clone(),
            unread: self.unread.clone(),
            split: self.split,
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
        let demands = Arc::make_mut(&mut self.demands).entry((proc, item)).or_default();
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
        let waves = self.waves.clone();
        for wave in &*waves {
            let sums = self.of_wave(wave, |own, p| {
                let mut state = State::default();
                own.region(p, RegionId(0), &mut state);
                own.undefined_at_entry(p, &mut state.sum);
                Sum { required: state.req, ..state.sum }
            });
            let all = Arc::make_mut(&mut self.sums);
            wave.iter().zip(sums).for_each(|(p, sum)| all[p.index()] = sum);
        }
        let (mut entry, mut verdict) = (vec![Secs::new(); n], Verdict::default());
        for wave in waves.iter().rev() {
            for p in wave {
                entry[p.index()] = self.required_at_entry(*p, verdict.entry.remove(p).unwrap_or_default());
            }
            let verdicts = self.of_wave(wave, |own, p| {
                let (req, verdict) = (entry[p.index()].clone(), Some(Verdict::default()));
                let mut state = State { req, sum: Sum::default(), verdict };
                own.region(p, RegionId(0), &mut state);
                state.verdict.unwrap_or_default()
            });
            verdicts.into_iter().for_each(|own| verdict.join(own));
        }
        self.entry = Arc::new(entry);
        self.verdict = Arc::new(verdict);
    }

    /// What is required at the entry of a procedure: what its callers require, and what a caller that is not known may.
    fn required_at_entry(&self, p: ProcId, mut callers: Secs) -> Secs {
        let writes = || &self.flow.effects.of_region(p, RegionId(0)).writes;
        if self.locator.recursive(p) || self.whole.contains(&p) {
            return writes().iter().map(|&l| (l, vec![Piece::whole()])).collect();
        }
        if self.flow.heads.contains(&p) {
            let awaited = if self.split { self.awaited(writes()) } else { BTreeSet::new() };
            let lasting = writes().intersection(&self.lasting);
            callers.extend(lasting.chain(&awaited).map(|&l| (l, vec![Piece::whole()])));
        }
        callers
    }

    /// What `work` gives for procedures that do not call each other, in their order.
    fn of_wave<R: Send>(&mut self, wave: &[ProcId], work: impl Fn(&Self, ProcId) -> R + Sync) -> Vec<R> {
        let items = wave.iter().map(|p| self.flow.program.procs[*p].items.len());
        let mut forks: Vec<Self> = (1..parallel::threads_for(items)).map(|_| self.fork()).collect();
        let mut tools: Vec<&mut Self> = iter::once(&mut *self).chain(&mut forks).collect();
        let found = parallel::each(wave, &mut tools, |own, p| work(own, *p));
        for fork in forks {
            self.accesses.get_mut().extend(fork.accesses.into_inner());
            self.passes.get_mut().extend(fork.passes.into_inner());
            self.writers.get_mut().extend(fork.writers.into_inner());
            self.steps.set(self.steps.get() + fork.steps.get());
        }
        found
    }

    /// Whether a store (or a call that writes a struct result) overwrites what the adjoint of something before reads.
    pub fn push_old(&self, proc: ProcId, item: ItemId) -> bool {
        self.verdict.pushed.contains(&(proc, item))
    }

    /// Whether the contents of an object are required when its life ends.
    pub fn keep(&self, proc: ProcId, object: ObjectId) -> bool {
        self.verdict.kept.contains(&(proc, object)) && !self.unread.contains(&(proc, object))
    }

    /// Takes it that nobody needs the contents of objects where their life ends; whether that is new.
    pub fn drop_contents(&mut self, proc: ProcId, objects: &BTreeSet<ObjectId>) -> bool {
        let kept = objects.iter().filter(|object| self.keep(proc, **object)).map(|object| (proc, *object));
        let kept: Vec<_> = kept.collect();
        self.unread.extend(kept.iter().copied());
        !kept.is_empty()
    }

    /// Takes that back for a procedure.
    pub fn want_contents(&mut self, proc: ProcId) {
        self.unread.retain(|(p, _)| *p != proc);
    }

    /// All that was decided for a procedure: stores before which old contents are kept, objects whose contents are.
    pub fn decisions(&self, proc: ProcId) -> Decisions {
        let items = (proc, ItemId(0))..=(proc, ItemId(u32::MAX));
        let objects = (proc, ObjectId(0))..=(proc, ObjectId(u32::MAX));
        let pushed = self.verdict.pushed.range(items.clone()).map(|(_, item)| *item).collect();
        let kept = self.verdict.kept.range(objects).filter(|kept| !self.unread.contains(kept));
        let kept = kept.map(|(_, object)| *object).collect();
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

    /// Has a procedure, and those it calls, keep all memory that they overwrite and that outlives the call. Takes effect
    /// with [`Self::run`]. Returns whether the procedure did not before.
    pub fn keep_all(&mut self, proc: ProcId) -> bool {
        let new = self.whole.insert(proc);
        if new {
            let program = self.flow.program;
            for (_, callee) in walk::calls(&program.procs[proc]) {
                self.keep_all(callee);
            }
        }
        new
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
            let proc = &program.procs[p];
            let e = Expr::value(v, proc.type_of(v).clone());
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
