//! Where in a location a place lies, as a polynomial, and what is known about the values in it.
//!
//! - [`Locator::poly`] reads an integer expression through the definitions of its values. Signed arithmetic is exact,
//!   because its overflow is undefined. Unsigned arithmetic and conversions are exact if no wrap is proved; otherwise
//!   the result is an opaque term: some number, the same one for the same operands. For 64 bits only a wrap below zero
//!   has to be excluded: sums and products that address memory do not pass 2^64 upwards (constants up to 2^16 only, so
//!   that no random number generator is taken for an address).
//! - [`Locator::locate`] flattens subscripts by extents, and follows pointers to the location and offset that they are
//!   sure to have. A pointer with one possible target and an offset that nobody knows has an offset all the same: the
//!   pointer value itself is the atom.
//! - [`Locator::index`] recognises the variable that counts a loop, and [`Locator::facts`] collects what conditions
//!   around a region say. A flag in a condition says nothing.

mod conditions;
mod integers;
mod loops;
mod meanwhile;
mod several;
mod single;
mod state;

use std::cell::{Cell, OnceCell, RefCell};

pub use state::{Index, Locator};

use integers::LARGE;

use super::locs::{Loc, Root};
use super::poly::{Facts, Poly};
use super::sections::Piece;
use super::{Effects, Points, walk};
use crate::flow::locate::state::{Answers, Open, Start};
use crate::ir::{
    Base, Def, Dim, Expr, ExprKind, FieldId, ItemId, ItemKind, Life, ObjectId, Place, ProcId, Program, RegionId, Step,
    Subscript, Type, ValueId,
};

/// Number of elements of a type: 1, or the product of the extents of an array.
pub fn count(ty: &Type) -> Option<i128> {
    match ty {
        Type::Array(row) => Some(i128::from(row.extent?).checked_mul(count(&row.elem)?)?).filter(|c| *c < LARGE),
        _ => Some(1),
    }
}

impl<'a> Locator<'a> {
    /// For a program whose pointers and effects are known.
    pub fn new(program: &'a Program, points: &'a Points<'a>, effects: &'a Effects) -> Self {
        Locator {
            program,
            points,
            effects,
            recursive: walk::recursive(program),
            facts: RefCell::default(),
            indexes: RefCell::default(),
            singles: RefCell::default(),
            uses: OnceCell::new(),
            polys: RefCell::default(),
            readings: RefCell::default(),
            proved: Cell::new(false),
            open: Open::default(),
            facts_meanwhile: Answers::default(),
            indexes_meanwhile: Answers::default(),
            first: Cell::new(None),
        }
    }

    /// Answers a question about the first pass of a loop.
    pub fn in_first_pass<R>(&self, p: ProcId, item: ItemId, ask: impl FnOnce() -> R) -> R {
        let around = self.first.replace(Some((p, item)));
        self.forget_meanwhile();
        let answer = ask();
        self.first.set(around);
        self.forget_meanwhile();
        answer
    }

    /// How many facts and loops were read: what tests of growth count.
    pub fn steps(&self) -> u64 {
        self.open.steps()
    }

    /// Whether a procedure can call itself.
    pub fn recursive(&self, p: ProcId) -> bool {
        self.recursive[p.index()]
    }

    // ---- places ----

    /// The location and the element that a place is sure to be.
    pub fn locate(&self, p: ProcId, place: &Place, facts: &Facts) -> Option<(Loc, Poly)> {
        let proc = &self.program.procs[p];
        let top = |root| self.points.locs.find(root);
        let start: Start = match &place.base {
            Base::Object(o) => (top(Root::Object(p, *o))?, Poly::default(), Some(&proc.objects[*o].shape)),
            Base::Global(g) => (top(Root::Global(*g))?, Poly::default(), Some(&self.program.globals[*g].shape)),
            Base::At(pointer) => {
                let (loc, at) = self.base(p, pointer, facts)?;
                (loc, at, None)
            }
        };
        self.along(p, place, start, facts)
    }

    /// Where the path of a place leads to.
    fn along(&self, p: ProcId, place: &Place, start: Start, facts: &Facts) -> Option<(Loc, Poly)> {
        let (mut loc, mut at, mut shape) = start;
        for (k, step) in place.path.iter().enumerate() {
            match step {
                Step::Index(subscripts) => {
                    let mut flat = Poly::default();
                    for (d, s) in subscripts.iter().enumerate() {
                        if d > 0 {
                            flat = flat.mul(&self.extent(p, &s.dim, facts)?)?;
                        }
                        flat = flat.add(&self.poly(p, &s.at, facts)?)?;
                    }
                    if let Some(dims) = shape.take() {
                        for dim in &dims[subscripts.len().min(dims.len())..] {
                            flat = flat.mul(&self.extent(p, dim, facts)?)?;
                        }
                    } else if k + 1 == place.path.len() {
                        flat = flat.scale(count(&place.ty)?)?;
                    }
                    at = at.add(&flat)?;
                }
                Step::Field(f) => {
                    at = at.scale(self.field_count(loc, *f)?)?;
                    loc = self.points.locs.child(loc, *f)?;
                    shape = None;
                }
            }
        }
        self.single(p, loc).then_some((loc, at))
    }

    /// A place that is the first element of a location, which comes from the caller, or has static storage.
    pub fn place_of(&self, p: ProcId, loc: Loc) -> Option<Place> {
        let (proc, locs) = (&self.program.procs[p], &self.points.locs);
        let base = match locs.root(loc) {
            Root::Formal(q, k) if q == p => {
                let param = &proc.params[k as usize];
                Base::At(Box::new(Expr::value(param.entry?, param.ty.clone())))
            }
            Root::Object(q, o) if q == p && matches!(proc.objects[o].life, Life::Param(_)) => Base::Object(o),
            Root::Global(g) => Base::Global(g),
            Root::Cell(cell) => {
                let place = self.place_of(p, cell)?;
                Base::At(Box::new(Expr::load(place)))
            }
            _ => return None,
        };
        let path = locs.path(loc);
        let mut at = locs.root_top(loc);
        // A `void *` leads to it as what it was converted to.
        let base = match base {
            Base::At(pointer) if pointer.ty.target() != Some(locs.ty(at)) => {
                let ty = Type::pointer(locs.ty(at).clone());
                Base::At(Box::new(Expr { kind: ExprKind::Cast(pointer), ty }))
            }
            base => base,
        };
        let is_array = |at: Loc| locs.is_many(at) && !matches!(base, Base::At(_));
        if is_array(at) {
            return None;
        }
        for field in &path {
            at = locs.child(at, *field)?;
            if locs.is_many(at) {
                return None;
            }
        }
        let zero = Expr::int(0);
        let first = Step::Index(vec![Subscript { at: zero, dim: Dim::default() }]);
        let first = matches!(base, Base::At(_)).then_some(first);
        let path = first.into_iter().chain(path.into_iter().map(Step::Field)).collect();
        Some(Place { base, path, ty: locs.ty(loc).clone() })
    }

    fn extent(&self, p: ProcId, dim: &Dim, facts: &Facts) -> Option<Poly> {
        self.poly(p, dim.extent.as_deref()?, facts)
    }

    /// Number of elements of a member in each struct.
    pub fn field_count(&self, loc: Loc, field: FieldId) -> Option<i128> {
        let Type::Struct(s) = self.points.locs.ty(loc) else { return None };
        count(&self.program.types.structs[*s].fields.get(field.index())?.ty)
    }

    /// The location that a pointer is sure to point into, and the element: in elements of the location.
    pub fn base(&self, p: ProcId, e: &Expr, facts: &Facts) -> Option<(Loc, Poly)> {
        match &e.kind {
            ExprKind::Address(place) => self.locate(p, place, facts),
            ExprKind::Cast(a) if matches!(a.ty, Type::Pointer(_)) => self.base(p, a, facts),
            ExprKind::Load(place) => {
                let cells = self.points.cells(p, place);
                let cell = *cells.iter().next().filter(|_| cells.len() == 1)?;
                let outside = self.points.locs.find(Root::Cell(cell))?;
                self.single(p, outside).then_some((outside, Poly::default()))
            }
            ExprKind::Value(v) => self.pointer(p, *v, facts),
            _ => None,
        }
    }

    fn pointer(&self, p: ProcId, v: ValueId, facts: &Facts) -> Option<(Loc, Poly)> {
        let proc = &self.program.procs[p];
        let known = match &proc.values[v].def {
            Def::Entry(k) => Some((self.points.locs.find(Root::Formal(p, *k))?, Poly::default())),
            Def::Is(e) => self.base(p, e, facts),
            Def::Head(item, k) if self.first.get() == Some((p, *item)) => self.in_front(p, *item, *k),
            Def::Head(item, k) => self.marching(p, v, *item, *k),
            _ => None,
        };
        let known = known.filter(|(loc, _)| self.single(p, *loc));
        known.or_else(|| {
            let e = Expr::value(v, self.type_of(p, v).clone());
            let targets = self.points.targets(p, &e);
            let t = *targets.iter().next().filter(|_| targets.len() == 1)?;
            self.single(p, t).then(|| (t, Poly::value(p, v, false)))
        })
    }

    /// A pointer that moves by the same distance in each pass.
    fn marching(&self, p: ProcId, v: ValueId, item: ItemId, k: u32) -> Option<(Loc, Poly)> {
        if self.open.contains((p, item)) {
            return None;
        }
        let index = self.index(p, item).filter(Index::dense)?;
        let ItemKind::Loop { carried, body, .. } = &self.program.procs[p].items[item].kind else {
            return None;
        };
        let c = &carried[k as usize];
        let value = |v| Expr::value(v, self.type_of(p, v).clone());
        let end = self.open.during((p, item), || self.base(p, &value(c.end), &self.facts(p, *body)));
        let (to, end) = end?;
        let step = end.sub(&Poly::value(p, v, false))?;
        let (from, init) = self.base(p, &value(c.init), &self.facts_of_item(p, item))?;
        if from != to || !self.invariant(p, *body, &step) {
            return None;
        }
        Some((from, init.add(&step.mul(&self.passes_before(p, &index)?)?)?))
    }

    /// A pointer that a loop hands on, in front of the loop.
    fn in_front(&self, p: ProcId, item: ItemId, k: u32) -> Option<(Loc, Poly)> {
        let ItemKind::Loop { carried, .. } = &self.program.procs[p].items[item].kind else {
            return None;
        };
        let init = carried[k as usize].init;
        let init = Expr::value(init, self.type_of(p, init).clone());
        self.base(p, &init, &self.facts_of_item(p, item))
    }

    /// The elements that a place may be, for each scalar location: those that are sure, otherwise all.
    pub fn pieces(&self, p: ProcId, place: &Place, facts: &Facts) -> Vec<(Loc, Piece)> {
        let one = self.locate(p, place, facts).map(|one| vec![one]);
        if let Some(all) = one.or_else(|| self.one_of(p, place, facts))
            && all.iter().all(|(loc, _)| !matches!(self.points.locs.ty(*loc), Type::Struct(_)))
            && let Some(pieces) = all.into_iter().map(|(loc, at)| Some((loc, Piece::one(at)?))).collect()
        {
            return pieces;
        }
        let cells = self.points.cells(p, place);
        cells.into_iter().flat_map(|c| self.points.locs.leaves(c)).map(|l| (l, Piece::whole())).collect()
    }

    /// Number of elements of a scalar location of an object.
    pub fn elements(&self, p: ProcId, loc: Loc) -> Option<Poly> {
        let facts = Facts::default();
        let mut total = match self.points.locs.root(loc) {
            Root::Object(q, o) if q == p => self.object_elements(p, o)?,
            Root::Global(g) => {
                let mut total = Poly::constant(1);
                for dim in &self.program.globals[g].shape {
                    total = total.mul(&self.extent(p, dim, &facts)?)?;
                }
                total
            }
            _ => return None,
        };
        let mut at = self.points.locs.root_top(loc);
        for field in self.points.locs.path(loc) {
            total = total.scale(self.field_count(at, field)?)?;
            at = self.points.locs.child(at, field)?;
        }
        Some(total)
    }

    fn object_elements(&self, p: ProcId, o: ObjectId) -> Option<Poly> {
        let proc = &self.program.procs[p];
        let object = &proc.objects[o];
        if !object.life.is_block() {
            let mut total = Poly::constant(1);
            for dim in &object.shape {
                total = total.mul(&self.extent(p, dim, &Facts::default())?)?;
            }
            return Some(total);
        }
        if self.program.procs.iter().flat_map(|proc| &proc.items).any(|item| item.kind.resizes()) {
            return None;
        }
        let mut counts = walk::items(proc, RegionId(0)).into_iter().filter_map(|id| proc.items[id].kind.count_of(o));
        let found = counts.next()?;
        if counts.next().is_some() { None } else { self.poly(p, found, &Facts::default()) }
    }
}
