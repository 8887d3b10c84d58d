//! Points-to analysis: where each pointer may point, and which locations may be the same memory.
//!
//! - **Lattice**: a set of [`Loc`] for each pointer value (SSA: flow-sensitive for scalars), one set for each pointer
//!   cell in memory (flow-insensitive, whole program), ordered by inclusion.
//! - **Transfer**: subset constraints. `p = q` gives `pts(p) ⊇ pts(q)`, `p = *q` gives `pts(p) ⊇ mem(c)` for each
//!   cell `c` that `q` points to, `*p = q` gives `mem(c) ⊇ pts(q)`; arithmetic stays in its object.
//! - **Procedures** are analysed once: formals have pointees of their own ([`Root::Formal`], [`Root::Cell`]). A call
//!   *binds* each of them to the caller's locations; what the callee stores in pointer cells goes up through the
//!   binding.
//! - **Aliases** of pointees come from the calls: two may be the same memory only if some call binds them to
//!   locations that overlap. The arguments of a head, and what their pointers reach, are taken as distinct unless the
//!   program takes them for one object (`one`), or [`super::Options::may_alias`] is set.
//! - **Closure**: rounds over all procedures until no set grows; recursion needs nothing of its own. Where a pointee of
//!   type `void` got its type on the way, once more from empty sets.
//!
//! Where a name is not native (an object of a caller that was left in a global), locations are compared by their
//! *ground*: the objects that they are in the end, through every chain of calls.

mod entry;
mod offset;
mod one;
mod rounds;
mod state;
mod unread;

pub use state::{Binding, Points};

use std::collections::BTreeMap;

use super::Options;
use super::locs::{self, Loc, Locs, Root, Set};
use crate::flow::points::state::One;
use crate::ir::{
    Base, Expr, ExprKind, FieldId, GlobalId, ItemId, ItemKind, Life, ObjectId, Place, Proc, ProcId, Program, Step, Type,
};

impl<'a> Points<'a> {
    /// Analyses a program of which the procedures `heads` are called from outside.
    pub fn analyse(program: &'a Program, heads: &[ProcId], options: &Options) -> Self {
        let mut points = Points {
            program,
            locs: Locs::default(),
            values: program.procs.iter().map(|p| vec![Set::new(); p.values.len()]).collect(),
            cells: BTreeMap::new(),
            cells_of: BTreeMap::new(),
            bindings: BTreeMap::new(),
            pairs: vec![Default::default(); program.procs.len()],
            grounds: BTreeMap::new(),
            heads: heads.to_vec(),
            has_stable: program.procs.iter().flat_map(|p| &p.objects).any(|object| object.life == Life::Stable),
            set_first: Set::new(),
            unread: Set::new(),
            one: One::default(),
            options: options.clone(),
            grown: false,
            typed: false,
        };
        points.make_roots();
        points.set_first = entry::set_first(&points);
        points.close();
        // What was read of a pointee before it had its type led anywhere. Sets only grow, so they begin anew.
        while std::mem::take(&mut points.typed) {
            points.values.iter_mut().flatten().for_each(Set::clear);
            points.pairs.iter_mut().for_each(|pairs| pairs.clear());
            points.cells.clear();
            points.cells_of.clear();
            points.bindings.clear();
            points.grounds.clear();
            points.one = One::default();
            points.close();
        }
        points.unread = unread::unread(&points);
        points
    }

    /// Rounds until no set grows.
    fn close(&mut self) {
        self.grown = true;
        while std::mem::take(&mut self.grown) {
            for p in 0..self.program.procs.len() {
                self.procedure(ProcId::new(p));
            }
            self.pair_arguments();
            self.ground();
            self.grown |= !self.grown && self.relate();
        }
    }

    /// Gives a pointee of type `void` the type that the program reads it as.
    fn retype(&mut self, loc: Loc, ty: &Type) {
        let new = self.locs.retype(&self.program.types, loc, ty);
        self.grown |= new;
        self.typed |= new;
    }

    fn make_roots(&mut self) {
        let types = &self.program.types;
        self.locs.top(types, Root::Unknown, &Type::Void, true);
        self.locs.top(types, Root::Literal, &Type::char(), true);
        for (g, object) in self.program.globals.iter().enumerate() {
            self.locs.top(types, Root::Global(GlobalId::new(g)), &object.elem, !object.shape.is_empty());
        }
        for (p, proc) in self.program.procs.iter().enumerate() {
            for (o, object) in proc.objects.iter().enumerate() {
                let many = !object.shape.is_empty() || object.life.is_block();
                self.locs.top(types, Root::Object(ProcId::new(p), ObjectId::new(o)), &object.elem, many);
            }
            for (k, param) in proc.params.iter().enumerate() {
                if let Type::Pointer(_) = param.ty {
                    self.locs.top(types, Root::Formal(ProcId::new(p), k as u32), locs::pointee(&param.ty), true);
                }
            }
        }
    }

    /// What an expression of pointer type may point to; empty if it is NULL or undefined.
    pub fn targets(&self, proc: ProcId, e: &Expr) -> Set {
        let unknown = || Set::from([self.locs.find(Root::Unknown).expect("made first")]);
        match &e.kind {
            ExprKind::Value(v) => self.values[proc.index()][v.index()].clone(),
            ExprKind::Load(place) => {
                let mut out = Set::new();
                for cell in self.cells(proc, place) {
                    out.extend(self.contents(proc, cell));
                }
                out
            }
            ExprKind::Address(place) => self.cells(proc, place),
            ExprKind::Cast(inner) if matches!(inner.ty, Type::Pointer(_)) => self.targets(proc, inner),
            ExprKind::Cast(inner) if matches!(inner.kind, ExprKind::Int(0)) => Set::new(),
            ExprKind::Select(_, a, b) => &self.targets(proc, a) | &self.targets(proc, b),
            ExprKind::Null | ExprKind::Int(0) => Set::new(),
            ExprKind::Verbatim(_) => Set::from([self.locs.find(Root::Literal).expect("made first")]),
            _ => unknown(),
        }
    }

    /// The locations that a place may be.
    pub fn cells(&self, proc: ProcId, place: &Place) -> Set {
        let bases = match &place.base {
            Base::Object(o) => Set::from([self.locs.find(Root::Object(proc, *o)).expect("made first")]),
            Base::Global(g) => Set::from([self.locs.find(Root::Global(*g)).expect("made first")]),
            Base::At(pointer) => self.targets(proc, pointer),
        };
        let fields: Vec<FieldId> =
            place.path.iter().filter_map(|s| if let Step::Field(f) = s { Some(*f) } else { None }).collect();
        bases.into_iter().map(|loc| self.part(loc, &fields)).collect()
    }

    /// What `path` leads to from `loc`; a path that the type does not have leads anywhere.
    fn part(&self, loc: Loc, path: &[FieldId]) -> Loc {
        self.locs.follow(loc, path).unwrap_or_else(|| self.locs.find(Root::Unknown).expect("made first"))
    }

    /// What a pointer cell may contain.
    pub fn contents(&self, proc: ProcId, cell: Loc) -> Set {
        let mut out = Set::new();
        if self.locs.root(cell) == Root::Unknown {
            out.insert(cell);
        }
        if let Some(outside) = self.locs.find(Root::Cell(cell)) {
            out.insert(outside);
        }
        for same in self.aliases(proc, cell) {
            out.extend(self.cells.get(&same).into_iter().flatten());
        }
        out
    }

    /// The locations that may be the same memory as `loc`, itself among them.
    pub fn aliases(&self, proc: ProcId, loc: Loc) -> Set {
        let mut out = Set::from([loc]);
        out.extend(self.same_by(&self.pairs[proc.index()], loc));
        out.extend(self.same_by(&self.one.pairs, loc));
        out
    }

    /// Whether two locations may overlap in memory when a procedure runs. Exact subscripts are not its business: a
    /// location overlaps with itself.
    pub fn may_alias(&self, proc: ProcId, a: Loc, b: Loc) -> bool {
        let anything = |l| self.locs.root(l) == Root::Unknown;
        if self.locs.overlap(a, b) || anything(a) || anything(b) {
            return true;
        }
        let apart = self.locs.root(a).is_memory() && self.locs.root(b).is_memory();
        if apart || self.locs.root_top(a) == self.locs.root_top(b) {
            return false;
        }
        let native = |l| self.locs.native(l) == Some(proc);
        if native(a) && native(b) {
            return self.aliases(proc, a).iter().any(|&c| self.locs.overlap(c, b))
                || self.aliases(proc, b).iter().any(|&c| self.locs.overlap(a, c));
        }
        let (a, b) = (self.grounds_of(a), self.grounds_of(b));
        a.iter().any(|&x| b.iter().any(|&y| self.ground_overlap(x, y)))
    }

    /// The objects that a location is in the end, through every chain of calls.
    pub fn grounds_of(&self, loc: Loc) -> Set {
        let (top, path) = (self.locs.root_top(loc), self.locs.path(loc));
        match self.grounds.get(&top) {
            Some(grounds) => grounds.iter().map(|&g| self.part(g, &path)).collect(),
            None => Set::from([loc]),
        }
    }

    fn ground_overlap(&self, a: Loc, b: Loc) -> bool {
        let anything = |l| self.locs.root(l) == Root::Unknown;
        self.locs.overlap(a, b)
            || anything(a)
            || anything(b)
            || self.initial(a, b)
            || self.initial(b, a)
            || self.is_one(a, b)
    }

    /// Whether `a` is what a global pointer points to at the start, and `b` a global that it might be initialised with. In
    /// Fortran it is allocatable, so no variable is what it leads to.
    fn initial(&self, a: Loc, b: Loc) -> bool {
        if self.program.fortran.is_some() {
            return false;
        }
        let Root::Cell(cell) = self.locs.root(a) else { return false };
        matches!(self.locs.root(cell), Root::Global(_))
            && matches!(self.locs.root(b), Root::Global(_))
            && locs::compatible(self.locs.ty(a), self.locs.ty(b))
    }

    /// Whether a pointer leads to blocks of the stable heap only, in every chain of calls, or is NULL.
    pub fn on_heap(&self, proc: ProcId, pointer: &Expr) -> bool {
        let grounds = self.targets(proc, pointer).into_iter().flat_map(|target| self.grounds_of(target));
        grounds.into_iter().all(|ground| self.is_stable(ground))
    }

    /// Whether a pointer may lead to a block of the stable heap, and to other memory.
    pub fn half_on_heap(&self, proc: ProcId, pointer: &Expr) -> bool {
        let grounds = self.targets(proc, pointer).into_iter().flat_map(|target| self.grounds_of(target));
        !self.on_heap(proc, pointer) && grounds.into_iter().any(|ground| self.is_stable(ground))
    }

    /// Whether a location is at one address in both sweeps: a block of the stable heap, memory of the caller of a head,
    /// a variable at file scope; not a variable of a procedure.
    pub fn is_fixed(&self, loc: Loc) -> bool {
        self.grounds_of(loc).into_iter().all(|ground| match self.locs.root(ground) {
            Root::Object(..) => self.is_stable(ground),
            Root::Formal(..) | Root::Cell(_) | Root::Global(_) | Root::Literal => true,
            Root::Unknown => false,
        })
    }

    /// Whether a location is a pointer with static storage that each head sets before anything reads it.
    pub fn is_set_first(&self, loc: Loc) -> bool {
        self.set_first.contains(&loc)
    }

    /// Whether the program sets a pointer outside of its procedures' own memory, and nowhere reads it.
    pub fn is_unread(&self, cell: Loc) -> bool {
        self.unread.contains(&cell)
    }

    /// Whether the program keeps its blocks on the stable heap.
    pub fn has_stable(&self) -> bool {
        self.has_stable
    }

    /// Whether a location is on the stable heap.
    pub fn is_stable(&self, loc: Loc) -> bool {
        let Root::Object(p, o) = self.locs.root(loc) else { return false };
        self.program.procs[p].objects[o].life == Life::Stable
    }

    /// What a call makes of the callee's locations.
    pub fn binding(&self, proc: ProcId, call: ItemId) -> &Binding {
        static NONE: Binding = Binding::new();
        self.bindings.get(&(proc, call)).unwrap_or(&NONE)
    }

    /// The caller's locations of a location of the callee. What has one meaning in the whole program stays.
    pub fn up(&self, proc: ProcId, call: ItemId, callee: ProcId, loc: Loc) -> Set {
        if self.locs.native(loc) != Some(callee) {
            return Set::from([loc]);
        }
        let path = self.locs.path(loc);
        let bound = self.binding(proc, call).get(&self.locs.root_top(loc));
        bound.into_iter().flatten().map(|&l| self.part(l, &path)).collect()
    }

    /// The caller's locations from which the contents of `loc` come when the call begins: like [`Self::up`], and for
    /// a struct parameter the argument that is copied.
    pub fn source(&self, proc: ProcId, call: ItemId, callee: ProcId, loc: Loc) -> Set {
        if let Root::Object(p, o) = self.locs.root(loc)
            && p == callee
            && let Life::Param(k) = self.program.procs[p].objects[o].life
        {
            let ItemKind::Call { args, .. } = &self.program.procs[proc].items[call].kind else {
                return Set::new();
            };
            let Some(Expr { kind: ExprKind::Load(place), .. }) = args.get(k as usize) else { return Set::new() };
            let path = self.locs.path(loc);
            return self.cells(proc, place).into_iter().map(|l| self.part(l, &path)).collect();
        }
        self.up(proc, call, callee, loc)
    }

    /// Whether a pointer to a root may lie in memory that a later call of `p` finds again, so that the root may then
    /// mean what it meant in the call before.
    pub fn kept(&self, p: ProcId, loc: Loc) -> bool {
        let top = self.locs.root_top(loc);
        let own = |cell: Loc| match self.locs.root(cell) {
            Root::Object(q, o) => q == p && !matches!(self.program.procs[q].objects[o].life, Life::Heap | Life::Stable),
            _ => false,
        };
        let read = |cell: &Loc| !own(*cell) && !self.is_unread(*cell);
        self.cells.iter().any(|(cell, set)| read(cell) && set.iter().any(|&t| self.locs.root_top(t) == top))
    }

    /// The objects to which pointers in memory lead, through every chain of calls.
    pub fn stored(&self) -> Set {
        let targets: Set = self.cells.values().flatten().copied().collect();
        let grounds = targets.into_iter().flat_map(|target| self.grounds_of(target));
        grounds.map(|ground| self.locs.root_top(ground)).collect()
    }

    /// Whether a pointer to a root may lie in memory, or be the result of a procedure.
    pub fn is_handed_out(&self, loc: Loc) -> bool {
        let top = self.locs.root_top(loc);
        let leads = |target: Loc| self.grounds_of(target).into_iter().any(|ground| self.locs.root_top(ground) == top);
        let returned = |(p, proc): (usize, &Proc)| match &proc.result {
            Some(e) if matches!(e.ty, Type::Pointer(_)) => self.targets(ProcId::new(p), e).into_iter().any(leads),
            _ => false,
        };
        self.stored().contains(&top) || self.program.procs.iter().enumerate().any(returned)
    }

    /// Whether the address of an object of a procedure may outlive the call that made it, or be met again in another.
    pub fn escapes(&self, loc: Loc) -> bool {
        let top = self.locs.root_top(loc);
        let stored = self.cells.values().any(|set| set.iter().any(|&t| self.locs.root_top(t) == top));
        let Root::Object(p, _) = self.locs.root(loc) else { return true };
        let returned = match &self.program.procs[p].result {
            Some(e) if matches!(e.ty, Type::Pointer(_)) => {
                self.targets(p, e).iter().any(|&t| self.locs.root_top(t) == top)
            }
            _ => false,
        };
        stored || returned
    }
}
