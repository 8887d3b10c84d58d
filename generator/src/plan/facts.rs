//! What the planner asks the analyses, and what they answer.

use std::collections::BTreeSet;

use crate::flow::required::{Hull, Required, Snapshots};
use crate::flow::{Flow, Loc, Root};
use crate::ir::natural::Reached;
use crate::ir::*;

/// The analyses, with what memory keeps.
pub struct Analysed<'f> {
    /// Points-to, effects, activity.
    pub flow: &'f Flow<'f>,
    /// What is stored before it is overwritten, given what the plan reads again.
    pub required: Required<'f>,
}

/// Answers about a whole program. Every answer errs on the safe side: "active" and "store" when in doubt,
/// "steady" only when proved.
impl Analysed<'_> {
    /// Whether a derivative flows through the value.
    pub fn active_value(&self, proc: ProcId, value: ValueId) -> bool {
        self.flow.active_value(proc, value)
    }

    /// Whether a derivative flows through what lies at the place.
    pub fn active_place(&self, proc: ProcId, place: &Place) -> bool {
        self.flow.active_place(proc, place)
    }

    /// Whether some target of the pointer is active, so that the pointer needs a shadow.
    pub fn active_pointer(&self, proc: ProcId, pointer: &Expr) -> bool {
        self.flow.active_pointer(proc, pointer)
    }

    /// The same, in the procedure or in any of its callers.
    pub fn active_pointer_anywhere(&self, proc: ProcId, pointer: &Expr) -> bool {
        self.flow.active_pointer_anywhere(proc, pointer)
    }

    /// Whether anything inside the object is active, so that it needs a shadow.
    pub fn active_object(&self, proc: ProcId, object: ObjectId) -> bool {
        self.flow.active_object(proc, object)
    }

    /// Whether the parameter (a pointer, a scalar or a struct) has an adjoint.
    pub fn active_param(&self, proc: ProcId, param: usize) -> bool {
        self.flow.active_param(proc, param)
    }

    /// Whether the procedure reaches what a pointer parameter points to, and what the pointer's adjoint points to, in
    /// no other way.
    pub fn apart(&self, proc: ProcId, param: usize) -> bool {
        let points = &self.flow.points;
        let params = &self.flow.program.procs[proc].params;
        // The adjoint of a struct that is passed by value is passed where it lies: in an array, maybe.
        if params.iter().enumerate().any(|(k, p)| matches!(p.ty, Type::Struct(_)) && self.active_param(proc, k)) {
            return false;
        }
        let Some(own) = points.locs.find(Root::Formal(proc, param as u32)) else { return false };
        let effect = self.flow.effects.of_region(proc, RegionId(0));
        let mut others = effect.reads.iter().chain(&effect.writes).filter(|other| points.locs.root_top(**other) != own);
        let leaves = points.locs.leaves(own);
        others.all(|other| leaves.iter().all(|leaf| !points.may_alias(proc, *leaf, *other)))
    }

    /// Whether the procedure writes what a pointer parameter points to, which is memory of the program itself that
    /// nothing else in the procedure reaches.
    pub fn filled_apart(&self, proc: ProcId, param: usize) -> bool {
        let points = &self.flow.points;
        let Some(own) = points.locs.find(Root::Formal(proc, param as u32)) else { return false };
        let written = &self.flow.effects.of_region(proc, RegionId(0)).writes;
        let inside = |ground: Loc| matches!(points.locs.root(ground), Root::Object(..));
        written.iter().any(|to| points.locs.root_top(*to) == own)
            && points.grounds_of(own).into_iter().all(inside)
            && self.apart(proc, param)
    }

    /// Whether the procedure's result is active.
    pub fn active_result(&self, proc: ProcId) -> bool {
        self.flow.active_result(proc)
    }

    /// Whether the store overwrites what the adjoint of something before it reads.
    pub fn push_old(&self, proc: ProcId, store: ItemId) -> bool {
        self.required.push_old(proc, store)
    }

    /// Whether the contents of a local object or a heap block are read by the adjoint of something before the end
    /// of its life.
    pub fn keep(&self, proc: ProcId, object: ObjectId) -> bool {
        self.required.keep(proc, object)
    }

    /// What is stored in front of each pass of a loop, if the reverse sweep runs its passes again.
    pub fn hulls(&self, proc: ProcId, item: ItemId) -> Option<&[Hull]> {
        self.required.hulls(proc, item)
    }

    /// What snapshots of a loop have, if the reverse sweep runs its passes again from snapshots.
    pub fn snapshots(&self, proc: ProcId, item: ItemId) -> Option<&Snapshots> {
        self.required.snapshots(proc, item)
    }

    /// Why a loop that was to be run again is not.
    pub fn once(&self, proc: ProcId, item: ItemId) -> Option<&str> {
        self.required.once(proc, item)
    }

    /// Whether a bit on the tape says which arm of a branch ran, as its condition reads what nothing else needs.
    pub fn stored(&self, proc: ProcId, branch: ItemId) -> bool {
        self.required.is_stored(proc, branch)
    }

    /// Whether every load of the expression, evaluated at the item, still yields that at the end of the item's region,
    /// and again when the reverse sweep enters this region.
    /// Reading an integer or a pointer again is worth that its memory is kept. A real is stored as cheaply as the
    /// memory that it came from, unless nothing writes that anyway.
    pub fn steady(&self, proc: ProcId, item: ItemId, expr: &Expr) -> bool {
        let free = !matches!(expr.ty, Type::Float { .. }) || self.required.never_written(proc, expr);
        free && self.required.steady(proc, item, expr)
    }

    /// Whether every load of the expression, evaluated at the item, yields that from the beginning of the item's region to
    /// its end, in both sweeps.
    pub fn still(&self, proc: ProcId, item: ItemId, expr: &Expr) -> bool {
        self.required.still(proc, item, expr)
    }

    /// Whether every load of the expression, evaluated just before the item (a branch or a loop), still yields that
    /// behind it, and again when the reverse sweep comes back to it.
    pub fn across(&self, proc: ProcId, item: ItemId, expr: &Expr) -> bool {
        self.required.across(proc, item, expr)
    }

    /// Whether the passes of a loop overwrite one element after the other by this store, and no pass reads what may be
    /// an element that it or a pass before it has overwritten.
    pub fn one_by_one(&self, proc: ProcId, item: ItemId, store: ItemId) -> bool {
        self.required.one_by_one(proc, item, store)
    }

    /// Whether every comparison by order, and every difference, of two pointers in the expression comes out alike in
    /// both sweeps: both point into one object. Objects may lie in another order in the reverse sweep.
    pub fn ordered(&self, proc: ProcId, expr: &Expr) -> bool {
        let roots = |pointer: &Expr| -> BTreeSet<Root> {
            let targets = self.flow.targets(proc, pointer).into_iter();
            targets.map(|loc| self.flow.points.locs.root(loc)).collect()
        };
        let mut ordered = true;
        crate::ir::walk::expressions(expr, &mut |e| {
            let ExprKind::Binary(op, x, y) = &e.kind else { return };
            if matches!(x.ty, Type::Pointer(_)) && !matches!(op, Binary::Equal | Binary::NotEqual) {
                let (a, b) = (roots(x), roots(y));
                ordered &= a.len() == 1 && a == b;
            }
        });
        ordered
    }

    /// Bases from which a pointer is an offset, each an address that both sweeps can name (a parameter, an object);
    /// `None` if they are not known.
    pub fn bases(&self, proc: ProcId, pointer: &Expr) -> Option<Vec<Expr>> {
        let mut bases = Vec::new();
        for target in self.flow.targets(proc, pointer) {
            // Several nodes of a list are no offsets of each other, and their adjoints lie elsewhere.
            if !self.required.single(proc, target) {
                return None;
            }
            let root = base(self.flow, proc, self.flow.points.locs.root(target));
            let same = root.clone().filter(|root| root.ty == pointer.ty);
            let row = || first_row(root.as_ref()?, &pointer.ty);
            let number = || as_number(root.clone()?, &pointer.ty);
            let named = same.or_else(row).or_else(number).or_else(|| member(self.flow, proc, target, &pointer.ty));
            // A member of an array of structs is some bytes behind the first of them.
            let around = || root.filter(|_| self.flow.points.locs.root_top(target) != target && is_plain(&pointer.ty));
            bases.push(named.or_else(around)?);
        }
        bases.dedup();
        Some(bases)
    }

    /// Whether the procedure, and those that it calls, leave the memory that `expr` loads as it is.
    pub fn never_written(&self, proc: ProcId, expr: &Expr) -> bool {
        self.required.never_written(proc, expr)
    }

    /// The heap objects that a pointer may point to the start of.
    pub fn blocks(&self, proc: ProcId, pointer: &Expr) -> Vec<ObjectId> {
        let objects =
            self.flow.targets(proc, pointer).into_iter().filter_map(|loc| match self.flow.points.locs.root(loc) {
                Root::Object(owner, object) if owner == proc => Some(object),
                _ => None,
            });
        objects.collect()
    }

    /// Whether the program keeps its blocks on the stable heap.
    pub fn stable(&self) -> bool {
        self.flow.points.has_stable()
    }

    /// Whether a pointer leads nowhere: it is NULL whenever it has a value.
    pub fn nowhere(&self, proc: ProcId, pointer: &Expr) -> bool {
        self.flow.targets(proc, pointer).is_empty()
    }

    /// Whether a pointer leads to blocks of the stable heap only.
    pub fn on_heap(&self, proc: ProcId, pointer: &Expr) -> bool {
        self.stable() && self.flow.points.on_heap(proc, pointer)
    }

    /// Whether a pointer may lead to a block of the stable heap, and to other memory.
    pub fn half_on_heap(&self, proc: ProcId, pointer: &Expr) -> bool {
        self.flow.points.half_on_heap(proc, pointer)
    }

    /// Whether all that a pointer may lead to is at the same address in both sweeps.
    pub fn fixed(&self, proc: ProcId, pointer: &Expr) -> bool {
        self.flow.targets(proc, pointer).into_iter().all(|target| self.flow.points.is_fixed(target))
    }

    /// Whether the pointers in an object mean the same in both sweeps, and their adjoints need none of the object.
    pub fn plain_pointers(&self, proc: ProcId, object: ObjectId) -> bool {
        self.stable() && self.flow.plain_pointers(proc, object)
    }

    /// The first number of the array in memory of the caller, or at file scope, that a pointer to numbers is sure to lead
    /// into: the adjoint lies as far behind the array's adjoint. `None` if it may lead elsewhere.
    pub fn only_base(&self, proc: ProcId, pointer: &Expr) -> Option<Expr> {
        only_base(self.flow, proc, &self.flow.targets(proc, pointer)).filter(|base| base.ty == pointer.ty)
    }

    /// Whether the pointers in an object mean the same in both sweeps, and each has an [`Analysed::only_base`] if derivatives
    /// flow where it leads.
    pub fn offsets_only(&self, proc: ProcId, object: ObjectId) -> bool {
        let points = &self.flow.points;
        let Some(top) = points.locs.find(Root::Object(proc, object)) else { return false };
        let leaves = points.locs.leaves(top).into_iter();
        leaves.filter(|leaf| matches!(points.locs.ty(*leaf), Type::Pointer(_))).all(|leaf| {
            let targets = points.contents(proc, leaf);
            let passive = || targets.iter().all(|target| !self.flow.shadow_inside(proc, *target));
            let base = || only_base(self.flow, proc, &targets).filter(|base| base.ty == *points.locs.ty(leaf));
            targets.iter().all(|target| points.is_fixed(*target)) && (passive() || base().is_some())
        })
    }

    /// The objects of the procedure that a place may be in; `None` if it may be elsewhere.
    pub fn inside(&self, proc: ProcId, place: &Place) -> Option<Vec<ObjectId>> {
        let cells = self.flow.cells(proc, place).into_iter();
        cells
            .map(|cell| match self.flow.points.locs.root(cell) {
                Root::Object(owner, object) if owner == proc => Some(object),
                _ => None,
            })
            .collect()
    }

    /// Whether the procedure, or one that it calls, may write the object.
    pub fn written(&self, proc: ProcId, object: ObjectId) -> bool {
        let root = Root::Object(proc, object);
        self.flow.writes(proc, RegionId(0)).iter().any(|loc| self.flow.points.locs.root(*loc) == root)
    }

    /// Whether a pointer in the object may be written other than by a store that names the object.
    pub fn sets_pointers(&self, proc: ProcId, object: ObjectId) -> bool {
        let this = &self.flow.program.procs[proc];
        let other = |item: &ItemId| {
            let kind = &this.items[*item].kind;
            let stores = matches!(kind, ItemKind::Store { to, .. } if to.base != Base::Object(object));
            stores || matches!(kind, ItemKind::Call { .. })
        };
        this.items.ids().filter(other).any(|item| self.writes_pointers(proc, item, object))
    }

    /// Whether an item may write a pointer in the object.
    pub fn writes_pointers(&self, proc: ProcId, item: ItemId, object: ObjectId) -> bool {
        let locs = &self.flow.points.locs;
        let pointer =
            |loc: &Loc| locs.root(*loc) == Root::Object(proc, object) && matches!(locs.ty(*loc), Type::Pointer(_));
        self.flow.effects.item(proc, item).writes.iter().any(pointer)
    }

    /// Whether a store gives a pointer at file scope the one value that it has while a head runs.
    pub fn hands_on(&self, proc: ProcId, store: ItemId) -> bool {
        self.flow.hands_on(proc, store)
    }

    /// Whether no procedure reads a pointer at this place.
    pub fn never_read(&self, proc: ProcId, place: &Place) -> bool {
        self.flow.cells(proc, place).into_iter().all(|cell| self.flow.points.is_unread(cell))
    }

    /// Whether the item may read or write anything of the object.
    pub fn touches(&self, proc: ProcId, item: ItemId, object: ObjectId) -> bool {
        let effect = self.flow.effects.item(proc, item);
        let of = |loc: &Loc| self.flow.points.locs.root(*loc) == Root::Object(proc, object);
        effect.reads.iter().chain(&effect.writes).any(of)
    }

    /// Whether every access to a heap object of the procedure happens while its region runs, and none in a callee that
    /// keeps the pointer.
    pub fn confined(&self, proc: ProcId, object: ObjectId, region: RegionId) -> bool {
        self.flow.confined(proc, object, region)
    }
}

/// The first element of a member of a local struct.
fn member(flow: &Flow, proc: ProcId, target: Loc, ty: &Type) -> Option<Expr> {
    let locs = &flow.points.locs;
    let Root::Object(owner, object) = locs.root(target) else { return None };
    let this = &flow.program.procs[proc].objects.get(object.index()).filter(|_| owner == proc)?;
    if this.life.is_block() || !this.shape.is_empty() {
        return None;
    }
    let (mut at, mut path) = (&this.elem, Vec::new());
    for field in locs.path(target) {
        let Type::Struct(id) = at else { return None };
        at = &flow.program.types.structs[*id].fields[field].ty;
        path.push(Step::Field(field));
        if let Type::Array(row) = at {
            let dim = Dim::from(row.extent.map(|n| Expr::int(n.into())));
            path.push(Step::Index(vec![Subscript { at: Expr::int(0), dim }]));
            at = &row.elem;
            // Elements of an array of structs are no neighbours in one of their members, and rows are no elements.
            if matches!(at, Type::Struct(_) | Type::Array(_)) {
                return None;
            }
        }
    }
    let place = Place { base: Base::Object(object), path, ty: at.clone() };
    (Type::pointer(at.clone()) == *ty).then(|| Expr { kind: ExprKind::Address(Box::new(place)), ty: ty.clone() })
}

/// Whether a pointer leads to numbers or structs, so that the bytes between two such pointers mean the same of adjoints.
fn is_plain(ty: &Type) -> bool {
    matches!(ty, Type::Pointer(to) if to.is_number() || matches!(**to, Type::Struct(_)))
}

/// Whether a variable with static storage is declared inside of another function.
fn is_inside_another(program: &Program, proc: &Proc, global: GlobalId) -> bool {
    let declares = |declared: &&Static| declared.globals.contains(&global);
    let mut declared = program.statics.iter().filter(declares).peekable();
    declared.peek().is_some() && declared.all(|declared| declared.function != proc.name)
}

/// The first element of a root that has a name.
fn base(flow: &Flow, proc: ProcId, root: Root) -> Option<Expr> {
    let this = &flow.program.procs[proc];
    let address = |place: Place| Expr::address(place);
    match root {
        Root::Formal(owner, k) if owner == proc => {
            let entry = this.params[k as usize].entry?;
            Some(this.value_expr(entry))
        }
        Root::Object(owner, object) if owner == proc && this.objects[object].life != Life::Stable => {
            Some(address(this.objects[object].first(object)))
        }
        // What another function declares inside has no name here.
        Root::Global(global) if !is_inside_another(flow.program, this, global) => {
            let this = &flow.program.globals[global];
            Some(address(Place { base: Base::Global(global), ..this.first(ObjectId(0)) }))
        }
        _ => None,
    }
}

/// The first number of the one array that all these locations are, if it is memory of the caller or at file scope.
fn only_base(flow: &Flow, proc: ProcId, targets: &crate::flow::Set) -> Option<Expr> {
    let points = &flow.points;
    let first = *targets.first()?;
    let is_one = targets.len() == 1 && points.locs.root_top(first) == first && points.is_fixed(first);
    let base = base(flow, proc, points.locs.root(first)).filter(|_| is_one)?;
    let base = first_number(base);
    matches!(&base.ty, Type::Pointer(to) if to.is_number()).then_some(base)
}

/// The first row of an array, as a pointer to rows has it, by the first element.
fn first_row(first: &Expr, ty: &Type) -> Option<Expr> {
    let ExprKind::Address(place) = &first.kind else { return None };
    let [Step::Index(subscripts)] = &place.path[..] else { return None };
    let Reached { elem, dims, .. } = Reached::behind(ty)?;
    let left = subscripts.len().checked_sub(dims.len() - 1).filter(|left| *left > 0)?;
    let is_of_this = elem == place.ty && subscripts[left..].iter().map(|at| &at.dim).eq(&dims[1..]);
    let path = vec![Step::Index(subscripts[..left].to_vec())];
    let place = Place { base: place.base.clone(), path, ty: ty.target()?.clone() };
    (is_of_this && all_known(&dims[1..])).then(|| Expr { kind: ExprKind::Address(Box::new(place)), ty: ty.clone() })
}

/// A pointer to rows of numbers as a pointer to numbers, whatever the extents of the rows are.
fn as_number(pointer: Expr, ty: &Type) -> Option<Expr> {
    let Reached { elem, .. } = Reached::behind(&pointer.ty).filter(|reached| reached.dims.len() > 1)?;
    (is_plain(ty) && Type::pointer(elem) == *ty).then(|| Expr::cast(pointer, ty.clone()))
}

fn all_known(dims: &[Dim]) -> bool {
    dims.iter().all(|dim| dim.extent.is_some())
}

/// A pointer to rows of numbers as a pointer to the first number.
fn first_number(pointer: Expr) -> Expr {
    let Some(Reached { elem, dims, .. }) = Reached::behind(&pointer.ty) else { return pointer };
    if dims.len() == 1 || !all_known(&dims[1..]) {
        return pointer;
    }
    let zero = Expr::int(0);
    let path = dims.into_iter().map(|dim| Subscript { at: zero.clone(), dim }).collect();
    let place = Place { base: Base::At(Box::new(pointer)), path: vec![Step::Index(path)], ty: elem.clone() };
    Expr { kind: ExprKind::Address(Box::new(place)), ty: Type::pointer(elem) }
}
