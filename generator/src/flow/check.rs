//! Accesses that the analyses do not understand: refused, so that every other module may rely on what points-to says.

mod aliased;
mod null;
mod unions;

pub use aliased::calls;

use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::locs::{self, Loc, Root};
use super::{Points, walk};
use crate::ir::{Base, Callee, Expr, ExprKind, ItemId, ItemKind, Place, ProcId, Program, RegionId, Span, Step, Type};
use crate::refuse::{Class, Refusal};

/// Refuses what reaches memory in a way that points-to does not follow.
pub fn accesses(program: &Program, points: &Points, refusals: &mut Vec<Refusal>) {
    let (subscripted, said, sources) = (BTreeSet::new(), BTreeSet::new(), OnceCell::new());
    let mut check = Check { program, points, refusals, sources, subscripted, said };
    for p in walk::callees_first(program) {
        check.procedure(p);
    }
    for (a, b, span) in points.odd() {
        let [a, b] = [a, b].map(|loc| points.locs.c_name(program, loc));
        let what = format!("'{a}' and '{b}' are taken for one object here, and are memory of two types");
        check.refuse(span, what, "compare pointers to one type");
    }
}

struct Check<'a> {
    program: &'a Program,
    points: &'a Points<'a>,
    refusals: &'a mut Vec<Refusal>,
    /// Of pointers in memory, as soon as one without target is met.
    sources: OnceCell<null::Sources<'a>>,
    /// Pointees that are accessed behind their first element.
    subscripted: BTreeSet<Loc>,
    said: BTreeSet<(u32, u32, String)>,
}

impl Check<'_> {
    fn refuse(&mut self, span: Span, what: String, help: &str) {
        if self.said.insert((span.source, span.start, what.clone())) {
            self.refusals.push(Refusal { class: Class::Pointer, span, what, help: help.into() });
        }
    }

    fn procedure(&mut self, p: ProcId) {
        let proc = &self.program.procs[p];
        for id in walk::items(proc, RegionId(0)) {
            let item = &proc.items[id];
            for e in walk::of_item(proc, item) {
                self.expr(p, e, item.span);
                self.reads_unions(p, e, item.span);
            }
            self.writes_unions(p, item);
            for to in item.kind.written() {
                self.access(p, to, item.span, true);
            }
            if let ItemKind::Call { callee: Callee::Proc(g), .. } = &item.kind {
                self.call(p, id, *g, item.span);
            }
        }
        if let Some(e) = &proc.result {
            self.expr(p, e, proc.span);
            self.reads_unions(p, e, proc.span);
        }
    }

    fn expr(&mut self, p: ProcId, e: &Expr, span: Span) {
        let mut places = Vec::new();
        walk::expr(e, &mut |x| match &x.kind {
            ExprKind::Load(place) => places.push((place, true)),
            ExprKind::Address(place) => places.push((place, false)),
            _ => {}
        });
        for (place, load) in places {
            if load {
                self.access(p, place, span, false);
            }
            self.arithmetic(p, place, span);
        }
    }

    fn access(&mut self, p: ProcId, place: &Place, span: Span, store: bool) {
        let cells = self.points.cells(p, place);
        let null = |pointer: &Expr| {
            let sources = self.sources.get_or_init(|| null::Sources::of(self.program, self.points));
            null::is_null(self.program, self.points, sources, p, pointer)
        };
        if cells.is_empty() && !matches!(&place.base, Base::At(pointer) if null(pointer)) {
            self.refuse(
                span,
                "this pointer has no target that is known".into(),
                "let it point to an argument, a variable or a block",
            );
        }
        for cell in cells {
            match self.points.locs.root(cell) {
                Root::Unknown => self.refuse(
                    span,
                    "what this pointer points to is not known: it was made by a cast or by a function without source"
                        .into(),
                    "let it point to an argument, a variable or a block of the type that is accessed",
                ),
                Root::Literal if store => {
                    self.refuse(span, "this writes to a string constant".into(), "write to an array")
                }
                _ if !locs::compatible(self.points.locs.ty(cell), &place.ty) => {
                    let what = format!(
                        "'{}' is accessed as another type than its own",
                        self.points.locs.name(self.program, cell)
                    );
                    self.refuse(span, what, "access memory under one type");
                }
                _ => {}
            }
        }
        self.arithmetic(p, place, span);
    }

    /// A pointer to a member that is no array must not be moved: the neighbour is another location.
    fn arithmetic(&mut self, p: ProcId, place: &Place, span: Span) {
        let Base::At(pointer) = &place.base else { return };
        let Some(Step::Index(subscripts)) = place.path.first() else { return };
        if subscripts.iter().all(|s| s.at.kind == ExprKind::Int(0)) {
            return;
        }
        for t in self.points.targets(p, pointer) {
            self.subscript(t, span);
        }
    }

    fn subscript(&mut self, t: Loc, span: Span) {
        let locs = &self.points.locs;
        // A whole variable is an array of one: C has no other element of it.
        let whole = locs.root_top(t) == t && matches!(locs.root(t), Root::Object(..) | Root::Global(_));
        if !locs.is_many(t) && !whole {
            let what =
                format!("a subscript leads out of '{}', which is no array", self.points.locs.name(self.program, t));
            self.refuse(span, what, "make the neighbours one array");
        } else if self.points.locs.root_top(t) == t && self.points.locs.native(t).is_some() {
            self.subscripted.insert(t);
        }
    }

    fn call(&mut self, p: ProcId, id: ItemId, g: ProcId, span: Span) {
        for (&top, bound) in self.points.binding(p, id) {
            for &l in bound {
                if self.subscripted.contains(&top) {
                    self.subscript(l, span);
                }
                if self.points.locs.root(l) == Root::Unknown {
                    continue;
                }
                let (want, have) = (self.points.locs.ty(top), self.points.locs.ty(l));
                if !locs::compatible(want, have) && !matches!(want, Type::Void | Type::Opaque(_)) {
                    let what = format!(
                        "'{}' takes '{}' as another type than its own",
                        self.program.procs[g].name,
                        self.points.locs.name(self.program, l)
                    );
                    self.refuse(span, what, "access memory under one type");
                }
            }
        }
    }
}
