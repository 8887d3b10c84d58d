//! Static variables that the first call fills, and every later call finds as they were filled: tables, constants of the
//! machine.
//!
//! ```c
//! static int first = 1;
//! static double table[8];
//! if (first) {
//!     for (int i = 0; i < 8; i++) table[i] = 1.0 / (i + 1.0);
//!     first = 0;
//! }
//! ```
//!
//! Sweeps with variables of their own fill them with the same contents, so they may go on with these. For that the
//! branch must be the only one that writes the variables, with what depends on nothing but them, and everything that
//! reads them must stand behind it. Either it runs once, because it ends its own condition; or it may run again,
//! because it reads none of them.

use std::collections::BTreeSet;

use crate::flow::{Flow, Loc, Root, Set, walk};
use crate::ir::*;

/// Whether a procedure fills static variables in its first call, or leaves them to functions that it calls. `initial`:
/// what integers and reals among them begin with; `free`: others that it may write, too, because nothing is computed from
/// what they hold when a call begins.
pub fn fills_once(
    flow: &Flow,
    p: ProcId,
    group: &BTreeSet<GlobalId>,
    initial: &dyn Fn(GlobalId) -> Option<f64>,
    free: &dyn Fn(&GlobalId) -> bool,
) -> bool {
    let given = BTreeSet::new();
    let once = Once { flow, p, proc: &flow.program.procs[p], group, initial, free, given };
    if !once.names() {
        return true;
    }
    let touches: Vec<ItemId> = once.items(RegionId(0)).filter(|id| once.touches(*id)).collect();
    let Some(&guard) = touches.first() else { return !once.result_reads() };
    once.is_guard(guard) && once.stands_before(guard, &touches)
}

/// Variables that a branch of a procedure fills.
pub struct Once<'f> {
    pub flow: &'f Flow<'f>,
    pub p: ProcId,
    pub proc: &'f Proc,
    pub group: &'f BTreeSet<GlobalId>,
    pub initial: &'f dyn Fn(GlobalId) -> Option<f64>,
    pub free: &'f dyn Fn(&GlobalId) -> bool,
    /// Values from outside of the branch on which its contents may depend.
    pub given: BTreeSet<ValueId>,
}

impl Once<'_> {
    fn items(&self, region: RegionId) -> impl Iterator<Item = ItemId> {
        walk::items(self.proc, region).into_iter()
    }

    fn kind(&self, id: ItemId) -> &ItemKind {
        &self.proc.items[id].kind
    }

    /// Whether the procedure names one of the variables: it is the function that declares them, or a variant of it.
    fn names(&self) -> bool {
        let named = |place: &Place| matches!(place.base, Base::Global(global) if self.group.contains(&global));
        let mut found = false;
        let mut see = |e: &Expr| match &e.kind {
            ExprKind::Load(place) | ExprKind::Address(place) => found |= named(place),
            _ => {}
        };
        self.proc.result.iter().for_each(|result| walk::expr(result, &mut see));
        for id in self.items(RegionId(0)) {
            crate::ir::walk::operands(self.proc, id, &mut |operand| match operand {
                Ok(e) => walk::expr(e, &mut see),
                Err(place) => {
                    walk::inside(place, &mut see);
                    see(&Expr { kind: ExprKind::Address(Box::new(place.clone())), ty: place.ty.clone() });
                }
            });
        }
        found
    }

    fn in_group(&self, cells: &Set) -> bool {
        let locs = &self.flow.points.locs;
        cells.iter().any(|cell| matches!(locs.root(*cell), Root::Global(global) if self.group.contains(&global)))
    }

    /// What an item reads itself: of a branch or loop, its condition.
    fn reads(&self, id: ItemId) -> Set {
        if let ItemKind::Branch { on: condition, .. } | ItemKind::Loop { test: condition, .. } = self.kind(id) {
            self.loads(condition)
        } else {
            self.flow.effects.item(self.p, id).reads.clone()
        }
    }

    fn loads(&self, e: &Expr) -> Set {
        walk::loads(e).into_iter().flat_map(|place| self.flow.cells(self.p, place)).collect()
    }

    fn writes(&self, id: ItemId) -> Set {
        let is_plain = self.kind(id).regions().is_empty();
        if is_plain { self.flow.effects.item(self.p, id).writes.clone() } else { Set::new() }
    }

    fn touches(&self, id: ItemId) -> bool {
        self.in_group(&self.reads(id)) || self.in_group(&self.writes(id))
    }

    fn result_reads(&self) -> bool {
        self.proc.result.as_ref().is_some_and(|result| self.in_group(&self.loads(result)))
    }

    /// Whether a branch fills the variables: as they begin it takes an arm that fills them.
    fn is_guard(&self, id: ItemId) -> bool {
        let ItemKind::Branch { on, then, otherwise, joins } = self.kind(id) else { return false };
        let Some(taken) = self.number(on, self.initial) else { return false };
        let (fills, other) = if taken != 0.0 { (*then, *otherwise) } else { (*otherwise, *then) };
        let runs_again = || self.group.iter().all(|global| self.is_fresh(fills, *global));
        self.proc.regions[other].items.is_empty()
            && joins.iter().all(|join| !self.is_used(join.out))
            && (self.ends(id, on, taken != 0.0, fills) || runs_again())
            && self.is_closed(fills)
    }

    /// Whether an arm reads nothing that a variable had before: it reads none of it, or gives it a number first.
    fn is_fresh(&self, arm: RegionId, global: GlobalId) -> bool {
        let is = |cell: &Loc| self.flow.points.locs.root(*cell) == Root::Global(global);
        let reads = |id: &ItemId| self.flow.effects.item(self.p, *id).reads.iter().any(is);
        let sets = |id: &ItemId| matches!(self.kind(*id), ItemKind::Store { to, .. } if to.base == Base::Global(global) && to.path.is_empty());
        let top = &self.proc.regions[arm].items;
        match top.iter().position(reads) {
            Some(first) => top[..first].iter().any(sets),
            None => true,
        }
    }

    /// A variable that an item gives a constant, and which.
    fn constant(&self, id: ItemId) -> Option<(GlobalId, f64)> {
        let ItemKind::Store { to: Place { base: Base::Global(global), path, .. }, from } = self.kind(id) else {
            return None;
        };
        path.is_empty().then_some((*global, self.number(from, &|_| None)?))
    }

    /// The item behind the branch that closes it, whether its arm ran or not: `if (first) { … } first = 0;`.
    fn closing(&self, guard: ItemId) -> Option<ItemId> {
        let region = self.proc.regions.iter().find(|region| region.items.contains(&guard))?;
        let at = region.items.iter().position(|id| *id == guard)?;
        let touches = |id: &ItemId| {
            let inner = self.kind(*id).regions().into_iter().flat_map(|region| self.items(region));
            inner.chain([*id]).any(|id| self.touches(id))
        };
        let next = region.items[at + 1..].iter().copied().find(touches)?;
        let in_group = |(global, _): (GlobalId, f64)| self.group.contains(&global);
        self.constant(next).is_some_and(in_group).then_some(next)
    }

    /// Whether the arm, behind all else, or what closes the branch gives one variable of the condition a constant with
    /// which the arm is not taken.
    fn ends(&self, guard: ItemId, on: &Expr, taken: bool, arm: RegionId) -> bool {
        let top = &self.proc.regions[arm].items;
        let ends = |flag: GlobalId, value: f64| {
            let after = self.number(on, &|global| if global == flag { Some(value) } else { None });
            after.is_some_and(|after| (after != 0.0) != taken)
        };
        let stores = |global: GlobalId| {
            let is = |id: &ItemId| {
                let locs = &self.flow.points.locs;
                self.writes(*id).iter().any(|cell| locs.root(*cell) == Root::Global(global))
            };
            self.items(arm).filter(is).count()
        };
        let closed = self.closing(guard).and_then(|id| self.constant(id));
        closed.is_some_and(|(flag, value)| ends(flag, value))
            || top
                .iter()
                .filter_map(|id| self.constant(*id))
                .any(|(flag, value)| stores(flag) == 1 && ends(flag, value))
    }

    /// What the only store into a variable gives it, if that stands in an arm and always runs there.
    pub fn only_store(&self, arm: RegionId, global: GlobalId) -> Option<&Expr> {
        let locs = &self.flow.points.locs;
        let writes = |id: &ItemId| self.writes(*id).iter().any(|cell| locs.root(*cell) == Root::Global(global));
        let all: Vec<ItemId> = self.items(RegionId(0)).filter(writes).collect();
        let [only] = all[..] else { return None };
        let ItemKind::Store { to, from } = self.kind(only) else { return None };
        (to.path.is_empty() && self.proc.regions[arm].items.contains(&only)).then_some(from)
    }

    /// Whether an arm ends a test for which it was taken: it gives the variable of the test a constant.
    pub fn ends_test(&self, test: &Expr, taken: bool, arm: RegionId) -> bool {
        let given = |global| self.only_store(arm, global).and_then(|from| self.number(from, &|_| None));
        self.number(test, &given).is_some_and(|after| (after != 0.0) != taken)
    }

    /// Whether what the arm of a branch leaves depends on nothing but the variables that it gives and what is given, and
    /// whatever reads that stands behind the branch.
    pub fn is_kept_behind(&self, branch: ItemId, arm: RegionId) -> bool {
        let ItemKind::Branch { joins, then, .. } = self.kind(branch) else { return false };
        let is_same = |join: &Join| {
            let [computed, kept] = if arm == *then { [join.then, join.otherwise] } else { [join.otherwise, join.then] };
            self.is_same(arm, computed, kept)
        };
        let touches: Vec<ItemId> = self.items(RegionId(0)).filter(|id| self.touches(*id)).collect();
        touches.first() == Some(&branch)
            && joins.iter().all(|join| !self.is_used(join.out) || is_same(join))
            && self.is_closed(arm)
            && self.stands_before(branch, &touches)
    }

    /// Whether a value that an arm ends with is that of the other arm: one of the variables, read behind all that the arm
    /// writes, or what the arm gave it.
    fn is_same(&self, arm: RegionId, computed: ValueId, kept: ValueId) -> bool {
        let Def::Is(kept) = &self.proc.values[kept].def else { return false };
        let ExprKind::Load(place) = &kept.kind else { return false };
        let Some(global) = place.base.global() else { return false };
        let top = &self.proc.regions[arm].items;
        let read = |id: &ItemId| matches!(self.kind(*id), ItemKind::Let { value } if *value == computed);
        let writes = |id: &ItemId| self.in_group(&self.flow.effects.item(self.p, *id).writes);
        let is_read_last = || {
            let at = top.iter().position(read);
            at.is_some_and(|at| !top[at..].iter().any(writes))
                && self.proc.values[computed].def == Def::Is(kept.clone())
        };
        let is_given = || {
            let given = self.only_store(arm, global);
            given.is_some_and(|given| given.ty == kept.ty && self.proc.values[computed].def == Def::Is(given.clone()))
        };
        place.path.is_empty() && self.group.contains(&global) && (is_read_last() || is_given())
    }

    /// Whether an arm reads and writes nothing but the variables and memory of its own, and gives them what depends on
    /// nothing else.
    fn is_closed(&self, arm: RegionId) -> bool {
        let items: Vec<ItemId> = self.items(arm).collect();
        let made: BTreeSet<ObjectId> = items.iter().filter_map(|id| self.made(*id)).collect();
        let locs = &self.flow.points.locs;
        let written = |global: GlobalId| {
            let is = |cell: &Loc| locs.root(*cell) == Root::Global(global);
            (0..self.flow.program.procs.len()).any(|p| self.flow.writes(ProcId::new(p), RegionId(0)).iter().any(is))
        };
        let own = |root: Root| match root {
            Root::Global(global) => self.group.contains(&global),
            Root::Object(q, object) => q == self.p && made.contains(&object),
            _ => false,
        };
        // Nobody else names what functions declare inside.
        let is_inside =
            |global: GlobalId| self.flow.program.statics.iter().any(|declared| declared.globals.contains(&global));
        let handed_out = |root: Root| locs.find(root).is_some_and(|loc| self.flow.points.is_handed_out(loc));
        let is_constant = |global: GlobalId| {
            let is_known = is_inside(global) || self.flow.program.closed.contains(&global);
            self.flow.program.globals[global].constant || is_known && !handed_out(Root::Global(global))
        };
        let may_read = |root: Root| match root {
            Root::Literal => true,
            Root::Global(global) => own(root) || (is_constant(global) && !written(global)),
            _ => own(root),
        };
        let may_write =
            |root: Root| own(root) || matches!(root, Root::Global(global) if is_inside(global) && (self.free)(&global));
        let known = self.known_values(&items);
        let is_known = |e: &Expr| {
            let mut all = true;
            let is_known = |value| known.contains(&value) || self.given.contains(&value) || self.is_constant(value);
            crate::ir::walk::values(e, &mut |value| all &= is_known(value));
            all
        };
        items.iter().all(|id| {
            let item = &self.proc.items[*id];
            let expressions =
                matches!(item.kind, ItemKind::Let { .. }) || walk::of_item(self.proc, item).into_iter().all(is_known);
            expressions
                && self.reads(*id).iter().all(|cell| may_read(locs.root(*cell)))
                && self.writes(*id).iter().all(|cell| may_write(locs.root(*cell)))
                && self.is_repeatable(*id)
        })
    }

    /// Whether an item does the same whenever it runs. Printing is none of the model's business.
    fn is_repeatable(&self, id: ItemId) -> bool {
        let kind = self.kind(id);
        let is_heap = matches!(kind, ItemKind::Alloc { .. } | ItemKind::Free { .. });
        !is_heap && self.calls_repeatable(kind, &mut BTreeSet::new())
    }

    /// Whether a call does the same whenever it is made, and all calls that it makes.
    fn calls_repeatable(&self, kind: &ItemKind, seen: &mut BTreeSet<ProcId>) -> bool {
        if let ItemKind::Call { callee: Callee::External { function, unknown, .. }, result, .. } = kind {
            if let External::Passive { same: true, .. } = function {
                return true;
            }
            let changes = matches!(function, External::Resize | External::Volatile) || function.name() == "srand";
            !unknown && result.is_none() && !function.writes() && !changes
        } else if let ItemKind::Call { callee: Callee::Proc(callee), .. } = kind
            && seen.insert(*callee)
        {
            let items = &self.flow.program.procs[*callee].items;
            items.iter().all(|item| self.calls_repeatable(&item.kind, seen))
        } else {
            true
        }
    }

    fn made(&self, id: ItemId) -> Option<ObjectId> {
        let ItemKind::Declare { object } = self.kind(id) else { return None };
        Some(*object)
    }

    /// The values of items that depend on nothing from outside of them: the largest such set.
    fn known_values(&self, items: &[ItemId]) -> BTreeSet<ValueId> {
        let mut known: BTreeSet<ValueId> = BTreeSet::new();
        let mut from: Vec<(ValueId, Vec<ValueId>)> = Vec::new();
        for id in items {
            let mut read = Vec::new();
            crate::ir::walk::values_of_item(self.proc, *id, &mut |value| read.push(value));
            let kind = self.kind(*id);
            if let Some(value) = kind.assigned() {
                from.push((value, read));
            } else if let ItemKind::Branch { on, joins, .. } = kind {
                let mut condition = Vec::new();
                crate::ir::walk::values(on, &mut |value| condition.push(value));
                let values = |join: &Join| [&condition[..], &[join.then, join.otherwise]].concat();
                from.extend(joins.iter().map(|join| (join.out, values(join))));
            } else if let ItemKind::Loop { carried, .. } = kind {
                from.extend(carried.iter().flat_map(|c| [c.head, c.out].map(|to| (to, vec![c.init, c.end]))));
            }
        }
        known.extend(from.iter().map(|(value, _)| *value));
        let is_given = |value: &ValueId| self.given.contains(value) || self.is_constant(*value);
        let mut shrunk = true;
        while std::mem::take(&mut shrunk) {
            for (value, read) in &from {
                if known.contains(value) && !read.iter().all(|value| known.contains(value) || is_given(value)) {
                    shrunk = known.remove(value);
                }
            }
        }
        known
    }

    fn is_constant(&self, value: ValueId) -> bool {
        match &self.proc.values[value].def {
            Def::Is(e) => {
                let mut all = walk::loads(e).is_empty();
                crate::ir::walk::values(e, &mut |value| all &= self.is_constant(value));
                all
            }
            Def::Undefined => true,
            _ => false,
        }
    }

    fn is_used(&self, value: ValueId) -> bool {
        let mut used = false;
        for id in self.items(RegionId(0)) {
            crate::ir::walk::values_of_item(self.proc, id, &mut |other| used |= other == value);
        }
        let result = self.proc.result.iter();
        result.for_each(|result| crate::ir::walk::values(result, &mut |other| used |= other == value));
        used
    }

    /// Whether every other item that touches the variables, and the result, stands where the branch has run before: in
    /// the branch, or behind it in its region, where nothing writes them.
    fn stands_before(&self, guard: ItemId, touches: &[ItemId]) -> bool {
        let holds = |region: &Region| region.items.contains(&guard);
        let Some(region) = self.proc.regions.iter().position(holds) else { return false };
        let around: BTreeSet<ItemId> = self.items(RegionId::new(region)).collect();
        let ItemKind::Branch { then, otherwise, .. } = self.kind(guard) else { return false };
        let inside: BTreeSet<ItemId> = self.items(*then).chain(self.items(*otherwise)).collect();
        let closing = self.closing(guard);
        let behind = |id: &ItemId| Some(*id) == closing || around.contains(id) && !self.in_group(&self.writes(*id));
        touches.iter().all(|id| *id == guard || inside.contains(id) || behind(id))
            && (region == 0 || !self.result_reads())
    }

    /// The number that an expression of variables with known values has.
    pub fn number(&self, e: &Expr, known: &dyn Fn(GlobalId) -> Option<f64>) -> Option<f64> {
        let truth = |holds: bool| Some(f64::from(u8::from(holds)));
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Float(_) => e.literal(),
            ExprKind::Null => Some(0.0),
            ExprKind::Load(place) if place.path.is_empty() => place.base.global().and_then(known),
            ExprKind::Value(value) => match &self.proc.values[*value].def {
                Def::Is(e) => self.number(e, known),
                _ => None,
            },
            ExprKind::Cast(inner) => self.number(inner, known),
            ExprKind::Unary(Unary::Not, inner) => truth(self.number(inner, known)? == 0.0),
            ExprKind::Unary(Unary::Negate, inner) => Some(-self.number(inner, known)?),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.number(left, known)?, self.number(right, known)?);
                match op {
                    Binary::Equal => truth(left == right),
                    Binary::NotEqual => truth(left != right),
                    Binary::Less => truth(left < right),
                    Binary::LessEqual => truth(left <= right),
                    Binary::Greater => truth(left > right),
                    Binary::GreaterEqual => truth(left >= right),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
