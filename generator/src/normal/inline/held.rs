//! Pointers that functions move in memory, held in variables instead.
//!
//! ```text
//!   s->cur = s->act + i;              cur = s->act + i;  s->cur = cur;
//!   s->cur[0] = w;            ──►     cur[0] = w;
//!   advance(&x);                      x = x + 1;
//! ```
//!
//! The reverse sweep cannot set the adjoint of a pointer that memory holds now and holds no more later; it has a way for
//! each value of a variable. A pointer at file scope, a member of a struct of the caller and a variable whose address is
//! taken may be such pointers. Calls of functions that reach them are written out; then each access is known, and
//! [`Apart`] makes values of them. What outlives the call is still stored, and nothing reads it there.
//!
//! - **Which**: a scalar of pointer type that the procedure stores something into. At file scope and behind arguments only
//!   in heads that nothing calls, because others share that memory.
//! - **Known**: each place that may be this memory is one place, written with the same names; no call reaches it, and its
//!   address goes nowhere.

use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

use super::apart::Apart;
use super::splice;
use crate::flow::{Flow, Head, Loc, Root, Set, locs, walk};
use crate::ir::rewrite;
use crate::ir::*;

/// Definitions that are followed.
const DEPTH: u32 = 64;

/// What a variable is called that holds what an argument leads to.
const POINTER: &str = "pointer";

/// The program with such pointers in variables; `None` if there is none.
pub fn held(program: &Program, heads: &[Head]) -> Option<Program> {
    let recursive = walk::recursive(program);
    let flow = Flow::analyse(program, heads).ok()?;
    let all = stored(&flow);
    let mut order = walk::callees_first(program);
    order.retain(|p| !recursive[p.index()] && !moved(&flow, *p, &all).is_empty());
    let mut written = program.clone();
    let mut touched = BTreeSet::new();
    for p in order {
        write_out(&mut written, heads, p, &recursive)?;
        let flow = Flow::analyse(&written, heads).ok()?;
        let found = known(&flow, p);
        if found.is_empty() {
            continue;
        }
        let mut proc = written.procs[p].clone();
        let made = found.iter().map(|pointer| pointer.hold(program, &mut proc)).collect();
        Apart::new(program, &proc, made)?.run(&mut proc);
        splice::tidy(&mut proc);
        written.procs[p] = proc;
        touched.insert(p);
    }
    if touched.is_empty() {
        return None;
    }
    splice::hollow_unreached(&mut written, heads);
    validate::program(&written).is_ok().then_some(written)
}

/// Writes out the calls of a procedure that reach such pointers; `None` if it grows too large.
fn write_out(program: &mut Program, heads: &[Head], p: ProcId, recursive: &[bool]) -> Option<()> {
    loop {
        let flow = Flow::analyse(program, heads).ok()?;
        let moved = moved(&flow, p, &stored(&flow));
        let reaches = |(item, callee): &(ItemId, ProcId)| {
            !recursive[callee.index()] && !reached(&flow, p, *item, &moved).is_empty()
        };
        let calls: Vec<_> = walk::calls(&program.procs[p]).into_iter().filter(reaches).collect();
        let mut proc = program.procs[p].clone();
        let mut changed = false;
        for (item, callee) in calls {
            changed |= splice::call(program, &mut proc, item, callee, false);
            if proc.items.len() > splice::LARGEST {
                return None;
            }
        }
        if !changed || !splice::name_functions(&mut proc) {
            return Some(());
        }
        program.procs[p] = proc;
    }
}

/// The memory of the whole program in which procedures store pointers that lead somewhere.
fn stored(flow: &Flow) -> Set {
    let mut stored = Set::new();
    for (q, other) in flow.program.procs.iter().enumerate() {
        let q = ProcId::new(q);
        for item in walk::items(other, RegionId(0)) {
            if let ItemKind::Store { to, from } = &other.items[item].kind
                && to.ty.leads_to_memory()
                && !flow.targets(q, from).is_empty()
            {
                stored.extend(flow.cells(q, to).into_iter().flat_map(|cell| flow.points.grounds_of(cell)));
            }
        }
    }
    stored
}

/// The pointers that a procedure stores in memory that it may hold in variables; `stored`: see [`stored`].
fn moved(flow: &Flow, p: ProcId, stored: &Set) -> Set {
    let is_outermost = flow.heads.contains(&p)
        && !flow.program.procs.iter().any(|other| walk::calls(other).iter().any(|(_, callee)| *callee == p));
    let (locs, proc) = (&flow.points.locs, &flow.program.procs[p]);
    let fits = |loc: &Loc| match locs.root(*loc) {
        Root::Object(owner, object) => owner == p && matches!(proc.objects[object].life, Life::Region(_)),
        Root::Global(_) | Root::Formal(..) | Root::Cell(_) => is_outermost,
        Root::Literal | Root::Unknown => false,
    };
    let is_single = |loc: &Loc| match locs.root(*loc) {
        Root::Object(..) | Root::Global(_) => !locs.is_many(*loc) && !locs.is_many(locs.root_top(*loc)),
        _ => locs.root_top(*loc) == *loc || !locs.is_many(*loc),
    };
    // Members of a local struct are taken apart with it.
    let whole = |loc: &Loc| !matches!(locs.root(*loc), Root::Object(..)) || locs.root_top(*loc) == *loc;
    let all = flow.writes(p, RegionId(0)).iter().copied();
    let is_stored = |loc: &Loc| flow.points.grounds_of(*loc).iter().any(|ground| stored.contains(ground));
    all.filter(|loc| locs.ty(*loc).leads_to_memory() && fits(loc) && is_single(loc) && whole(loc) && is_stored(loc))
        .collect()
}

/// Which of these pointers the callee of an item reads or writes, or gets the address of.
fn reached(flow: &Flow, p: ProcId, item: ItemId, pointers: &Set) -> Set {
    let ItemKind::Call { callee, args, into, .. } = &flow.program.procs[p].items[item].kind else { return Set::new() };
    let mut found: Set = match callee {
        Callee::Proc(g) => {
            let effect = flow.effects.of_region(*g, RegionId(0));
            let all = effect.reads.iter().chain(&effect.writes);
            all.flat_map(|loc| flow.points.up(p, item, *g, *loc)).collect()
        }
        Callee::External { .. } | Callee::Sweep(..) => flow.effects.item(p, item).writes.clone(),
    };
    let is_struct = |arg: &&Expr| matches!(arg.ty, Type::Struct(_) | Type::Pointer(_));
    for arg in args.iter().filter(is_struct) {
        found.extend(match &arg.kind {
            ExprKind::Load(place) if matches!(arg.ty, Type::Struct(_)) => flow.cells(p, place),
            _ => Set::new(),
        });
        if matches!(callee, Callee::External { .. }) {
            found.extend(flow.targets(p, arg));
        }
    }
    found.extend(into.iter().flat_map(|into| flow.cells(p, into)));
    let found: Set = found.into_iter().flat_map(|loc| flow.points.locs.leaves(loc)).collect();
    let meets = |pointer: &Loc| found.iter().any(|loc| flow.may_alias(p, *loc, *pointer));
    pointers.iter().copied().filter(meets).collect()
}

/// A pointer of which every access is known.
struct Pointer {
    /// Where it lies.
    place: Place,
    /// The places that are it, as the procedure writes them.
    names: FxHashSet<Place>,
    /// Whether it may be read before the procedure sets it.
    is_read_first: bool,
}

/// The pointers of a procedure of which every access is known.
fn known(flow: &Flow, p: ProcId) -> Vec<Pointer> {
    let proc = &flow.program.procs[p];
    let mut moved = moved(flow, p, &stored(flow));
    let mut places: BTreeMap<Loc, (Place, FxHashSet<Place>)> = BTreeMap::new();
    let mut see = |place: &Place| {
        let cells: Set = flow.cells(p, place).into_iter().flat_map(|cell| flow.points.locs.leaves(cell)).collect();
        let may_be = |loc: &Loc| cells.iter().any(|cell| flow.may_alias(p, *cell, *loc));
        for loc in moved.iter().copied().filter(may_be).collect::<Vec<_>>() {
            let one = canonical(flow, p, place, DEPTH)
                .filter(|one| cells == Set::from([loc]) && places.get(&loc).is_none_or(|(known, _)| known == one));
            match one {
                Some(one) => drop(places.entry(loc).or_insert((one, FxHashSet::default())).1.insert(place.clone())),
                None => drop(moved.remove(&loc)),
            }
        }
    };
    for e in walk::exprs(proc) {
        walk::loads(e).into_iter().for_each(&mut see);
    }
    walk::stores(proc).into_iter().for_each(&mut see);
    for item in walk::items(proc, RegionId(0)) {
        for lost in reached(flow, p, item, &moved) {
            moved.remove(&lost);
        }
    }
    let all = places.into_iter().filter(|(loc, _)| moved.contains(loc));
    all.map(|(_, (place, names))| {
        let mut first = First { proc, names: &names, is_read: false };
        let mut is_set = false;
        first.region(RegionId(0), &mut is_set);
        let is_read_first = first.is_read;
        Pointer { place, names, is_read_first }
    })
    .collect()
}

/// A place by an object, or by memory that the procedure is given and that does not move while it runs; its subscripts are
/// constants.
fn canonical(flow: &Flow, p: ProcId, place: &Place, depth: u32) -> Option<Place> {
    let depth = depth.checked_sub(1)?;
    let is_constant = |step: &Step| match step {
        Step::Field(_) => true,
        Step::Index(all) => all.iter().all(|each| matches!(each.at.kind, ExprKind::Int(_))),
    };
    if !place.path.iter().all(is_constant) {
        return None;
    }
    let Base::At(pointer) = &place.base else { return Some(place.clone()) };
    let pointer = origin(flow, p, pointer, depth)?;
    let ExprKind::Address(to) = &pointer.kind else {
        return Some(Place { base: Base::At(Box::new(pointer)), ..place.clone() });
    };
    let is_first = matches!(place.path.first(), Some(Step::Index(all)) if matches!(&all[..], [Subscript { at, .. }] if at.kind == ExprKind::Int(0)));
    let is_same = pointer.ty == Type::pointer(to.ty.clone());
    (is_first && is_same).then(|| {
        let path = to.path.iter().chain(&place.path[1..]).cloned().collect();
        Place { base: to.base.clone(), path, ty: place.ty.clone() }
    })
}

/// A pointer as an address of such a place, an argument, or what lies at such a place and is never written.
fn origin(flow: &Flow, p: ProcId, pointer: &Expr, depth: u32) -> Option<Expr> {
    let depth = depth.checked_sub(1)?;
    let proc = &flow.program.procs[p];
    match &pointer.kind {
        ExprKind::Value(value) => match &proc.values[*value].def {
            Def::Is(e) if e.ty == pointer.ty => origin(flow, p, e, depth),
            Def::Entry(_) => Some(pointer.clone()),
            _ => None,
        },
        ExprKind::Address(place) => Some(Expr::address(canonical(flow, p, place, depth)?)),
        ExprKind::Load(place) if !flow.may_be_in(p, place, flow.writes(p, RegionId(0))) => {
            Some(Expr::load(canonical(flow, p, place, depth)?))
        }
        _ => None,
    }
}

/// Looks for reads of a pointer in front of which it may not be set.
struct First<'a> {
    proc: &'a Proc,
    names: &'a FxHashSet<Place>,
    is_read: bool,
}

impl First<'_> {
    fn is(&self, place: &Place) -> bool {
        self.names.contains(place)
    }

    fn region(&mut self, region: RegionId, is_set: &mut bool) {
        for item in &self.proc.regions[region].items {
            let this = &self.proc.items[*item];
            let reads = walk::of_item(self.proc, this).into_iter().flat_map(walk::loads).any(|place| self.is(place));
            let tests_behind = matches!(this.kind, ItemKind::Loop { at: TestAt::After, .. });
            self.is_read |= reads && !*is_set && !tests_behind;
            if let ItemKind::Store { to, .. } = &this.kind {
                *is_set |= self.is(to);
            } else if let ItemKind::Branch { then, otherwise, .. } = &this.kind {
                let mut other = *is_set;
                self.region(*then, is_set);
                self.region(*otherwise, &mut other);
                *is_set &= other;
            } else if let ItemKind::Loop { body, .. } = &this.kind {
                let mut inside = *is_set;
                self.region(*body, &mut inside);
                self.is_read |= reads && !inside;
                *is_set |= tests_behind && inside;
            }
        }
        if region == RegionId(0) {
            let result = self.proc.result.iter().flat_map(walk::loads).any(|place| self.is(place));
            self.is_read |= result && !*is_set;
        }
    }
}

impl Pointer {
    /// Puts an object of the procedure in the place of the pointer. Returns the object, and the item that declares it.
    fn hold(&self, program: &Program, proc: &mut Proc) -> (ObjectId, ItemId) {
        let (span, life, at) = self.home(proc);
        let Life::Region(region) = life else { unreachable!("the life of a variable") };
        let name = splice::unique(proc, &self.name(program, proc));
        let elem = self.place.ty.clone();
        let object = proc.objects.add(Object { name, elem, shape: Vec::new(), life, constant: false, span });
        let held = Place { base: Base::Object(object), path: Vec::new(), ty: self.place.ty.clone() };
        let outlives = !matches!(self.place.base, Base::Object(_));
        self.replace(proc, &held);
        if outlives {
            self.store_behind(proc, &held);
        }
        let declared = splice::add(proc, ItemKind::Declare { object }, span);
        let mut first = vec![declared];
        if self.is_read_first && outlives {
            let from = Expr::load(self.place.clone());
            first.push(splice::add(proc, ItemKind::Store { to: held, from }, span));
        }
        proc.regions[region].items.splice(at..at, first);
        (object, declared)
    }

    /// Puts the variable in the place of all that reads or sets the pointer. Its address may stay: nothing uses it.
    fn replace(&self, proc: &mut Proc, held: &Place) {
        for value in &mut proc.values {
            if let Def::Is(e) = &mut value.def {
                self.loads(e, held);
            }
        }
        for item in &mut proc.items {
            if let ItemKind::Store { to, .. } = &mut item.kind
                && self.names.contains(to)
            {
                *to = held.clone();
            }
            rewrite::item_exprs(&mut item.kind, &mut |e| self.loads(e, held));
        }
        let extents =
            proc.objects.iter_mut().flat_map(|object| &mut object.shape).flat_map(|dim| dim.extent.as_deref_mut());
        extents.chain(&mut proc.result).for_each(|e| self.loads(e, held));
    }

    fn loads(&self, e: &mut Expr, held: &Place) {
        if let ExprKind::Load(place) = &mut e.kind
            && self.names.contains(place)
        {
            **place = held.clone();
            return;
        }
        rewrite::operands(e, &mut |operand| self.loads(operand, held));
    }

    /// What the variable is called: as the member, or the variable, that holds the pointer.
    fn name(&self, program: &Program, proc: &Proc) -> String {
        let (mut ty, mut name): (&Type, &str) = match &self.place.base {
            Base::Object(object) => (&proc.objects[*object].elem, &proc.objects[*object].name),
            Base::Global(global) => (&program.globals[*global].elem, &program.globals[*global].name),
            Base::At(pointer) => (locs::pointee(&pointer.ty), POINTER),
        };
        for step in &self.place.path {
            if let (Step::Field(field), &Type::Struct(id)) = (step, ty) {
                let field = &program.types.structs[id].fields[*field];
                (ty, name) = (&field.ty, &field.name);
            }
        }
        name.to_owned()
    }

    /// The life of the variable, and where its region declares it.
    fn home(&self, proc: &Proc) -> (Span, Life, usize) {
        let Base::Object(object) = self.place.base else { return (proc.span, Life::Region(RegionId::BODY), 0) };
        let Object { life, span, .. } = &proc.objects[object];
        let declares =
            |item: &ItemId| matches!(proc.items[*item].kind, ItemKind::Declare { object: this } if this == object);
        let at = match life {
            Life::Region(region) => proc.regions[*region].items.iter().position(declares),
            _ => None,
        };
        (*span, life.clone(), at.unwrap_or(0))
    }

    /// Stores the variable at the pointer's own place, too, wherever it changes.
    fn store_behind(&self, proc: &mut Proc, held: &Place) {
        for region in proc.regions.ids() {
            let mut items = Vec::new();
            for item in std::mem::take(&mut proc.regions[region].items) {
                items.push(item);
                let Item { kind, span, .. } = &proc.items[item];
                if matches!(kind, ItemKind::Store { to, .. } if to == held) {
                    let store = ItemKind::Store { to: self.place.clone(), from: Expr::load(held.clone()) };
                    items.push(splice::add(proc, store, *span));
                }
            }
            proc.regions[region].items = items;
        }
    }
}
