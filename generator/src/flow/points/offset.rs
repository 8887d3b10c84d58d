//! Where a pointer lies in the object that it pointed to first, as far as the source says: whether it leads below.
//!
//! A variable of a loop has an offset in the first pass and a *direction*: that of what a pass adds to it. One that falls
//! from there leads below, and so does a minus in front of one that rises.

use std::cell::{Cell, RefCell};

use super::state::Points;
use crate::flow::locs::Loc;
use crate::ir::{Base, Binary, Def, Expr, ExprKind, Proc, ProcId, Step, Type, Unary, ValueId};

/// Where a pointer lies in the object that it pointed to first.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Offset {
    /// So many elements behind.
    Is(i128),
    /// So many elements behind in the first pass of a loop, and more of them in later ones.
    Rising(i128),
    /// As many elements behind as an integer argument of the procedure says, and so many more.
    Argument(u32, i128),
    /// None in the first pass of a loop, some in later ones: the index of the loop times what is not known.
    First,
    /// Below, by some number of elements.
    Below,
    /// Anywhere.
    Any,
}

/// So many expressions are read for one offset; what takes more may be anywhere.
pub(super) const BUDGET: u32 = 64;

/// One offset that is read.
pub(super) struct Reading {
    /// How many expressions may still be read for the offset, and for the steps of loops.
    left: Cell<u32>,
    left_for_steps: Cell<u32>,
    /// Variables of loops whose steps are read: each counts from its own value.
    steps: RefCell<Vec<ValueId>>,
}

impl Reading {
    pub(super) fn new() -> Reading {
        let budget = || Cell::new(BUDGET);
        Reading { left: budget(), left_for_steps: budget(), steps: RefCell::new(Vec::new()) }
    }

    /// Whether one more expression may be read.
    fn goes_on(&self) -> bool {
        let left = if self.steps.borrow().is_empty() { &self.left } else { &self.left_for_steps };
        let rest = left.get().checked_sub(1);
        left.set(rest.unwrap_or(0));
        rest.is_some()
    }

    /// Joins what two arms give: an offset may lead below in one of them, a step has to do so in both.
    fn join(&self, a: Offset, b: Offset) -> Offset {
        if self.steps.borrow().is_empty() { a.or(b) } else { a.and(b) }
    }
}

impl Offset {
    pub(super) fn plus(self, other: Offset) -> Offset {
        let is_none_above = |offset| matches!(offset, Offset::Below | Offset::Is(..=0));
        match (self, other) {
            (Offset::Is(a), Offset::Is(b)) => a.checked_add(b).map_or(Offset::Any, Offset::Is),
            (Offset::Rising(a), Offset::Rising(b) | Offset::Is(b)) | (Offset::Is(a), Offset::Rising(b)) => {
                a.checked_add(b).map_or(Offset::Any, Offset::Rising)
            }
            (Offset::Rising(a), other) | (other, Offset::Rising(a)) => Offset::Is(a).plus(other),
            (Offset::Argument(k, a), Offset::Is(b)) | (Offset::Is(b), Offset::Argument(k, a)) => {
                a.checked_add(b).map_or(Offset::Any, |sum| Offset::Argument(k, sum))
            }
            (Offset::First, Offset::First | Offset::Is(0..)) | (Offset::Is(0..), Offset::First) => Offset::First,
            (Offset::First, other @ Offset::Argument(..)) | (other @ Offset::Argument(..), Offset::First) => other,
            (a, b) if is_none_above(a) && is_none_above(b) => Offset::Below,
            _ => Offset::Any,
        }
    }

    fn minus(self, other: Offset) -> Offset {
        match (self, other) {
            (Offset::Is(a), Offset::Is(b)) => a.checked_sub(b).map_or(Offset::Any, Offset::Is),
            (Offset::Argument(k, a), Offset::Is(b) | Offset::Rising(b)) => {
                a.checked_sub(b).map_or(Offset::Any, |rest| Offset::Argument(k, rest))
            }
            (Offset::Rising(a), Offset::Is(b)) => a.checked_sub(b).map_or(Offset::Any, Offset::Rising),
            // Which one rises faster is not known.
            (Offset::Rising(a), Offset::Rising(b)) => a.checked_sub(b).map_or(Offset::Any, Offset::Is),
            (Offset::Rising(a), Offset::Any | Offset::Argument(..)) => Offset::Is(a).minus(other),
            (Offset::Is(..=0) | Offset::Below, Offset::Is(0..) | Offset::Rising(0..)) => Offset::Below,
            (Offset::Is(..=0) | Offset::Below, Offset::First | Offset::Any | Offset::Argument(..)) => Offset::Below,
            // The first pass counts: a loop that ends in time stays behind.
            (Offset::Is(a), Offset::Rising(b)) => a.checked_sub(b).map_or(Offset::Any, Offset::Is),
            _ => Offset::Any,
        }
    }

    fn negated(self) -> Offset {
        match self {
            Offset::Is(at) => at.checked_neg().map_or(Offset::Any, Offset::Is),
            // A subscript with a minus in front is meant to lead back.
            Offset::Rising(0..) | Offset::First | Offset::Any | Offset::Argument(..) => Offset::Below,
            Offset::Rising(_) | Offset::Below => Offset::Any,
        }
    }

    fn times(self, other: Offset) -> Offset {
        match (self, other) {
            (Offset::Is(a), Offset::Is(b)) => a.checked_mul(b).map_or(Offset::Any, Offset::Is),
            (Offset::Is(1), other) | (other, Offset::Is(1)) => other,
            (Offset::Rising(a @ 0..), Offset::Rising(b @ 0..) | Offset::Is(b @ 1..))
            | (Offset::Is(a @ 1..), Offset::Rising(b @ 0..)) => a.checked_mul(b).map_or(Offset::Any, Offset::Rising),
            // A subscript with a minus in front is meant to lead back.
            (Offset::Is(..0), Offset::Rising(0..) | Offset::First | Offset::Any | Offset::Argument(..)) => {
                Offset::Below
            }
            (Offset::Rising(0..) | Offset::First | Offset::Any | Offset::Argument(..), Offset::Is(..0)) => {
                Offset::Below
            }
            (Offset::Is(0) | Offset::Rising(0) | Offset::First, _) => Offset::First,
            (_, Offset::Is(0) | Offset::Rising(0) | Offset::First) => Offset::First,
            (Offset::Below, Offset::Is(1..)) | (Offset::Is(1..), Offset::Below) => Offset::Below,
            _ => Offset::Any,
        }
    }

    /// Joins the offsets that a value may have: the one that leads below wins.
    fn or(self, other: Offset) -> Offset {
        match (self, other) {
            (a, b) if a == b => a,
            (Offset::Below | Offset::Is(..0) | Offset::Rising(..0), _) => self,
            (_, Offset::Below | Offset::Is(..0) | Offset::Rising(..0)) => other,
            (Offset::Is(0) | Offset::Rising(0), _) => self,
            (_, Offset::Is(0) | Offset::Rising(0)) => other,
            _ => Offset::Any,
        }
    }

    /// Joins two steps: the direction that both have.
    fn and(self, other: Offset) -> Offset {
        let falls = |offset| matches!(offset, Offset::Below | Offset::Is(..=0));
        let rises = |offset| matches!(offset, Offset::Rising(0..) | Offset::Is(0..));
        match (self, other) {
            (a, b) if a == b => a,
            (a, b) if falls(a) && falls(b) => Offset::Below,
            (a, b) if rises(a) && rises(b) => Offset::Rising(0),
            _ => Offset::Any,
        }
    }

    /// A variable of a loop, by its offset in the first pass and what a pass adds.
    fn moved(self, step: Offset) -> Offset {
        match (self, step) {
            (first, Offset::Is(0)) => first,
            (Offset::Is(..=0) | Offset::First | Offset::Below, Offset::Is(..0) | Offset::Below) => Offset::Below,
            // A loop that begins behind and ends in time stays behind.
            (first, Offset::Is(..0) | Offset::Below) => first,
            (Offset::Is(first), Offset::Is(_) | Offset::Rising(_)) => Offset::Rising(first),
            // Where only run time knows the direction, the variable rises.
            (Offset::Is(first), Offset::Argument(..) | Offset::First | Offset::Any) => Offset::Rising(first),
            (first, _) => first,
        }
    }
}

impl Points<'_> {
    /// Where a place lies in the object that its pointer pointed to first.
    pub(super) fn offset_of_access(&self, p: ProcId, pointer: &Expr, path: &[Step]) -> Offset {
        let reading = Reading::new();
        let first = match path.first() {
            Some(Step::Index(subscripts)) => {
                subscripts.first().map_or(Offset::Is(0), |s| self.number(p, &s.at, &reading))
            }
            Some(Step::Field(_)) | None => Offset::Is(0),
        };
        self.offset(p, pointer, &reading).plus(first)
    }

    /// Where a pointer lies.
    pub(super) fn offset(&self, p: ProcId, pointer: &Expr, reading: &Reading) -> Offset {
        if !reading.goes_on() {
            return Offset::Any;
        }
        match &pointer.kind {
            ExprKind::Cast(inner) if matches!(inner.ty, Type::Pointer(_)) => self.offset(p, inner, reading),
            ExprKind::Select(_, a, b) => reading.join(self.offset(p, a, reading), self.offset(p, b, reading)),
            ExprKind::Address(place) => match (&place.base, &place.path[..]) {
                (Base::At(base), [Step::Index(subscripts)]) if subscripts.len() == 1 => {
                    self.offset(p, base, reading).plus(self.number(p, &subscripts[0].at, reading))
                }
                _ => Offset::Any,
            },
            // What the program itself has put there may lie anywhere.
            ExprKind::Load(place) => {
                let is_kept = |cell: &Loc| self.aliases(p, *cell).iter().all(|same| !self.cells.contains_key(same));
                if self.cells(p, place).iter().all(is_kept) { Offset::Is(0) } else { Offset::Any }
            }
            ExprKind::Value(v) => self.of_value(p, *v, reading, &|of| self.offset(p, of, reading)),
            _ => Offset::Any,
        }
    }

    /// How far a number leads.
    pub(super) fn number(&self, p: ProcId, e: &Expr, reading: &Reading) -> Offset {
        if !reading.goes_on() {
            return Offset::Any;
        }
        let number = |e: &Expr| self.number(p, e, reading);
        match &e.kind {
            ExprKind::Int(at) => Offset::Is(*at),
            ExprKind::Cast(inner) => number(inner),
            ExprKind::Select(_, a, b) => reading.join(number(a), number(b)),
            ExprKind::Unary(Unary::Negate, inner) => number(inner).negated(),
            ExprKind::Binary(Binary::Multiply, a, b) => number(a).times(number(b)),
            ExprKind::Binary(Binary::Add, a, b) => number(a).plus(number(b)),
            ExprKind::Binary(Binary::Subtract, a, b) => number(a).minus(number(b)),
            ExprKind::Value(v) => self.of_value(p, *v, reading, &number),
            _ => Offset::Any,
        }
    }

    fn of_value(&self, p: ProcId, v: ValueId, reading: &Reading, of: &dyn Fn(&Expr) -> Offset) -> Offset {
        if reading.steps.borrow().contains(&v) {
            return Offset::Is(0);
        }
        let proc: &Proc = &self.program.procs[p];
        let value = |v: ValueId| {
            let ty = proc.type_of(v).clone();
            of(&Expr::value(v, ty))
        };
        let known = &proc.values[v];
        match &known.def {
            Def::Entry(_) if matches!(proc.vars[known.var].ty, Type::Pointer(_)) => Offset::Is(0),
            Def::Entry(k) => Offset::Argument(*k, 0),
            Def::Is(e) => of(e),
            def @ Def::Join(..) => {
                proc.merged(def).map_or(Offset::Any, |[then, other]| reading.join(value(then), value(other)))
            }
            def @ Def::Head(..) => proc.merged(def).map_or(Offset::Any, |[init, end]| {
                let first = value(init);
                reading.steps.borrow_mut().push(v);
                let step = value(end);
                reading.steps.borrow_mut().pop();
                first.moved(step)
            }),
            // Behind the loop, what a pass leaves.
            def @ Def::Out(..) => proc.merged(def).map_or(Offset::Any, |[_, end]| value(end)),
            Def::Result(_) | Def::Undefined | Def::Popped(_) => Offset::Any,
        }
    }
}
