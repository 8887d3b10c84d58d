//! Expressions and places as terms, of either sweep.

use super::modelled::STABLE;
use super::state::{Replay, Res, Side, open};
use super::terms::{P, Spot, T, Term, Way, unnamed};
use crate::ir::*;
use crate::stack::deep;

/// `long`, in which subscripts are added up.
pub(super) fn long() -> Type {
    Type::signed(64)
}

impl Replay<'_> {
    pub(super) fn eval(&mut self, side: Side, e: &Expr) -> Res<T> {
        deep(|| self.eval_here(side, e))
    }

    fn eval_here(&mut self, side: Side, e: &Expr) -> Res<T> {
        Ok(match &e.kind {
            ExprKind::Int(n) if matches!(e.ty, Type::Float { .. }) => self.terms.make(Term::Float(n.to_string())),
            ExprKind::Int(n) => {
                let number = self.terms.number(*n);
                self.terms.convert(number, &e.ty, &e.ty)
            }
            ExprKind::Float(text) => self.terms.make(Term::Float(text.clone())),
            ExprKind::Null => self.terms.make(Term::Null),
            ExprKind::Verbatim(text) => self.terms.make(Term::Text(text.clone())),
            ExprKind::Value(value) => self.value(side, *value)?,
            ExprKind::Load(place) => self.load(side, place)?,
            ExprKind::Address(place) => {
                let place = self.place(side, place)?;
                self.address(place)
            }
            ExprKind::Unary(Unary::Adjoint, _) => return open(STABLE),
            ExprKind::Unary(op, x) => {
                let t = self.eval(side, x)?;
                if *op == Unary::Not { self.not(t, &x.ty) } else { self.unary(*op, t, &e.ty) }
            }
            ExprKind::Binary(op, x, y) => {
                let (a, b) = if matches!(op, Binary::And | Binary::Or) {
                    (self.condition(side, x)?, self.condition(side, y)?)
                } else {
                    (self.eval(side, x)?, self.eval(side, y)?)
                };
                let ty = if e.ty.is_integer() && matches!(op, Binary::Add | Binary::Subtract | Binary::Multiply) {
                    &e.ty
                } else {
                    &x.ty
                };
                self.binary(*op, a, b, ty, &e.ty)
            }
            ExprKind::Function(function, args) => {
                let args = args.iter().map(|arg| self.eval(side, arg)).collect::<Res<Vec<_>>>()?;
                let new = self.terms.make(Term::Function(*function, args));
                self.terms.is_exactly(new, &e.ty);
                new
            }
            ExprKind::Cast(x) => {
                let t = self.eval(side, x)?;
                self.cast(t, &x.ty, &e.ty)
            }
            ExprKind::Select(c, x, y) => {
                let c = self.condition(side, c)?;
                let (x, y) = (self.eval(side, x)?, self.eval(side, y)?);
                let new = self.choose(c, x, y);
                if self.terms.is_exact(x, &e.ty) && self.terms.is_exact(y, &e.ty) {
                    self.terms.is_exactly(new, &e.ty);
                }
                new
            }
        })
    }

    fn value(&mut self, side: Side, value: ValueId) -> Res<T> {
        let known = match side {
            Side::Forward => self.values[value.index()],
            Side::Reverse => self.names[value.index()],
        };
        match known {
            Some(known) => Ok(known),
            None if side == Side::Forward => Ok(self.undefined(value)),
            None => Err(self.refuted("a value is read before it is defined")),
        }
    }

    fn cast(&mut self, t: T, from: &Type, to: &Type) -> T {
        match (from, to) {
            (Type::Int { .. }, Type::Int { .. }) => {
                let new = self.terms.convert(t, from, to);
                if matches!(self.terms.get(new), Term::Cast(..)) {
                    self.terms.is_exactly(new, to);
                }
                new
            }
            (Type::Pointer(a), Type::Pointer(b)) if same_unit(a, b) => t,
            _ if unnamed(from) == unnamed(to) => t,
            _ => {
                let new = self.terms.make(Term::Cast(t, unnamed(from), unnamed(to)));
                self.terms.is_exactly(new, to);
                new
            }
        }
    }

    fn unary(&mut self, op: Unary, t: T, ty: &Type) -> T {
        if ty.is_integer() && op == Unary::Negate {
            let zero = self.terms.number(0);
            if let Some(new) = self.terms.arithmetic(Binary::Subtract, zero, t, ty) {
                return new;
            }
        }
        if let (Unary::Complement, Term::Unary(Unary::Complement, x, _)) = (op, self.terms.get(t)) {
            return *x;
        }
        let new = self.terms.make(Term::Unary(op, t, unnamed(ty)));
        self.terms.is_exactly(new, ty);
        new
    }

    fn not(&mut self, t: T, ty: &Type) -> T {
        let zero = self.terms.number(0);
        self.binary(Binary::Equal, t, zero, ty, &long())
    }

    /// What decides whether something runs.
    pub(super) fn condition(&mut self, side: Side, e: &Expr) -> Res<T> {
        let t = self.eval(side, e)?;
        Ok(self.not_zero(t, &e.ty))
    }

    pub(super) fn not_zero(&mut self, t: T, ty: &Type) -> T {
        let t = self.compared(t, ty);
        self.truth(t)
    }

    /// What a test compares is the number itself: where a term is not exact, only its lowest bits count.
    fn compared(&mut self, t: T, ty: &Type) -> T {
        if !matches!(ty, Type::Int { bits: 2..64, .. }) || self.is_itself(t, ty) {
            return t;
        }
        self.terms.convert(t, ty, &long())
    }

    fn is_itself(&self, t: T, ty: &Type) -> bool {
        match *self.terms.get(t) {
            Term::Choose(_, x, y) if !self.terms.is_exact(t, ty) => self.is_itself(x, ty) && self.is_itself(y, ty),
            _ => self.is_truth(t) || self.terms.is_exact(t, ty),
        }
    }

    pub(super) fn binary(&mut self, op: Binary, a: T, b: T, ty: &Type, result: &Type) -> T {
        let folded = match op {
            Binary::Greater => return self.binary(Binary::Less, b, a, ty, result),
            Binary::GreaterEqual => return self.binary(Binary::LessEqual, b, a, ty, result),
            Binary::Equal | Binary::NotEqual if !matches!(ty, Type::Float { .. }) => {
                let (a, b) = (self.compared(a, ty), self.compared(b, ty));
                self.equality(op, a, b)
            }
            _ => self.folded(op, a, b, ty),
        };
        folded.unwrap_or_else(|| {
            let new = self.terms.make(Term::Binary(op, a, b, unnamed(ty)));
            self.terms.is_exactly(new, result);
            new
        })
    }

    /// What an operation comes to, if that is something simpler.
    pub(super) fn folded(&mut self, op: Binary, a: T, b: T, ty: &Type) -> Option<T> {
        match op {
            Binary::Add | Binary::Subtract | Binary::Multiply if ty.is_integer() => self.terms.arithmetic(op, a, b, ty),
            Binary::Equal | Binary::NotEqual if !matches!(ty, Type::Float { .. }) => self.equality(op, a, b),
            Binary::Less | Binary::LessEqual => self.order(op, a, b, ty),
            Binary::And | Binary::Or => self.both(op, a, b),
            Binary::PointerDifference => self.difference(a, b),
            Binary::BitXor => self.terms.xor(a, b),
            Binary::Divide if ty.is_integer() => match (self.terms.constant(a), self.terms.constant(b)) {
                (_, Some(1)) => Some(a),
                (Some(n), Some(by)) if n >= 0 && by > 0 => Some(self.terms.number(n / by)),
                _ => None,
            },
            Binary::Remainder if ty.is_integer() => match (self.terms.constant(a), self.terms.constant(b)) {
                (Some(n), Some(by)) if n >= 0 && by > 0 => Some(self.terms.number(n % by)),
                (_, Some(by)) if matches!(ty, Type::Int { signed: false, .. }) && (1..1 << 30).contains(&by) => {
                    Some(self.small(op, a, b, ty))
                }
                _ => None,
            },
            Binary::BitAnd
                if [a, b].iter().any(|t| self.terms.constant(*t).is_some_and(|n| (0..1 << 30).contains(&n))) =>
            {
                Some(self.small(op, a, b, ty))
            }
            _ => None,
        }
    }

    /// An operation whose result is small and not negative, so it is the number itself at every width.
    fn small(&mut self, op: Binary, a: T, b: T, ty: &Type) -> T {
        let new = self.terms.make(Term::Binary(op, a, b, unnamed(ty)));
        for (bits, signed) in [(32, true), (32, false), (64, true), (64, false)] {
            self.terms.is_exactly(new, &Type::Int { bits, signed, kind: IntKind::Exact });
        }
        new
    }

    /// Which of two integers is less, if both are constants, or exact and a constant apart.
    pub(super) fn order(&mut self, op: Binary, a: T, b: T, ty: &Type) -> Option<T> {
        let Type::Int { bits, signed, .. } = ty else { return None };
        // Numbers near the modulus may stand for negative ones.
        let number = |n: i128| if *signed { n } else { n.rem_euclid(1 << bits) };
        let (low, high) = match (self.terms.constant(a), self.terms.constant(b)) {
            (Some(a), Some(b)) => (number(a), number(b)),
            _ if self.terms.is_exact(a, ty) && self.terms.is_exact(b, ty) => {
                let distance = self.terms.sum(b, a, -1)?;
                (0, self.terms.constant(distance)?)
            }
            _ => return None,
        };
        let holds = if op == Binary::Less { low < high } else { low <= high };
        Some(self.terms.number(i128::from(holds)))
    }

    /// `&&` or `||` of which one side is a constant.
    pub(super) fn both(&mut self, op: Binary, a: T, b: T) -> Option<T> {
        [(a, b), (b, a)].into_iter().find_map(|(side, other)| {
            let holds = self.terms.constant(side)? != 0;
            if holds == (op == Binary::Or) {
                return Some(self.terms.number(i128::from(holds)));
            }
            self.is_truth(other).then_some(other)
        })
    }

    pub(super) fn equality(&mut self, op: Binary, a: T, b: T) -> Option<T> {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        let yes = i128::from(op == Binary::Equal);
        if a == b {
            return Some(self.terms.number(yes));
        }
        if let (Some(x), Some(y)) = (self.terms.constant(a), self.terms.constant(b)) {
            return Some(self.terms.number(if x == y { yes } else { 1 - yes }));
        }
        for (chosen, other) in [(a, b), (b, a)] {
            let Some(number) = self.terms.constant(other) else { continue };
            if let Term::Choose(c, x, y) = *self.terms.get(chosen)
                && let (Some(x), Some(y)) = (self.terms.constant(x), self.terms.constant(y))
            {
                let [x, y] = [x, y].map(|arm| if arm == number { yes } else { 1 - yes });
                let [x, y] = [x, y].map(|arm| self.terms.number(arm));
                return Some(self.choose(c, x, y));
            }
            // A truth that is compared with 0.
            if number == 0 && op == Binary::NotEqual && self.is_truth(chosen) {
                return Some(chosen);
            }
        }
        Some(self.terms.make(Term::Binary(op, a, b, long())))
    }

    /// Elements from one pointer to another.
    pub(super) fn difference(&mut self, a: T, b: T) -> Option<T> {
        let (x, y) = (self.spot_of_pointer(a)?, self.spot_of_pointer(b)?);
        let ([Way::At(i)], [Way::At(j)]) = (&x.steps[..], &y.steps[..]) else { return None };
        if x.root == y.root { self.terms.sum(*i, *j, -1) } else { None }
    }

    pub(super) fn spot_of_pointer(&mut self, t: T) -> Option<Spot> {
        match self.terms.get(t) {
            Term::Address(place) => Some(self.terms.get_spot(*place).clone()),
            Term::Null => None,
            _ => {
                let zero = self.terms.number(0);
                Some(Spot { root: t, steps: vec![Way::At(zero)] })
            }
        }
    }

    // ---- places --------------------------------------------------------------------------------------------------

    /// Whether a root is memory itself, not a pointer to it.
    fn is_object(&self, root: T) -> bool {
        match self.terms.get(root) {
            Term::Object(_) | Term::Global(_) | Term::Variable(_) | Term::Own(_) => true,
            Term::Shadow(of) => self.is_object(*of),
            _ => false,
        }
    }

    pub(super) fn address(&mut self, place: P) -> T {
        let spot = self.terms.get_spot(place);
        if let [Way::At(at)] = spot.steps[..]
            && self.terms.constant(at) == Some(0)
            && !self.is_object(spot.root)
        {
            return spot.root;
        }
        self.terms.make(Term::Address(place))
    }

    /// A pointer, some elements on.
    pub(super) fn advanced(&mut self, pointer: T, by: T) -> Res<T> {
        let Some(mut spot) = self.spot_of_pointer(pointer) else { return open("arithmetic of a null pointer") };
        self.advance(&mut spot, by)?;
        let place = self.terms.spot(spot);
        Ok(self.address(place))
    }

    pub(super) fn advance(&mut self, spot: &mut Spot, by: T) -> Res<()> {
        match spot.steps.last_mut() {
            Some(Way::At(at)) => match self.terms.sum(*at, by, 1) {
                Some(sum) => *at = sum,
                None => return open("large subscripts"),
            },
            _ if self.terms.constant(by) == Some(0) => {}
            _ => spot.steps.push(Way::At(by)),
        }
        Ok(())
    }

    pub(super) fn object(&mut self, side: Side, object: ObjectId) -> T {
        let term = match side {
            Side::Forward => Term::Object(object),
            Side::Reverse => match self.given.origins.objects[object.index()] {
                Origin::Primal(of) => Term::Object(of),
                Origin::Shadow(of) => {
                    let of = self.terms.make(Term::Object(of));
                    Term::Shadow(of)
                }
                Origin::Variable(var) => Term::Variable(var),
                Origin::Own => Term::Own(object),
            },
        };
        self.terms.make(term)
    }

    fn global(&mut self, global: GlobalId) -> T {
        match self.given.global_shadows.iter().find(|(_, shadow)| **shadow == global) {
            Some((of, _)) => {
                let of = self.terms.make(Term::Global(*of));
                self.terms.make(Term::Shadow(of))
            }
            None => self.terms.make(Term::Global(global)),
        }
    }

    pub(super) fn place(&mut self, side: Side, place: &Place) -> Res<P> {
        let mut steps = place.path.iter();
        let mut spot = match &place.base {
            Base::Object(object) => Spot { root: self.object(side, *object), steps: Vec::new() },
            Base::Global(global) => Spot { root: self.global(*global), steps: Vec::new() },
            Base::At(pointer) => {
                let pointer = self.eval(side, pointer)?;
                let Some(mut spot) = self.spot_of_pointer(pointer) else {
                    return open("access through a null pointer");
                };
                if let Some(Step::Index(subscripts)) = steps.next() {
                    let by = self.flat(side, place, subscripts)?;
                    self.advance(&mut spot, by)?;
                }
                spot
            }
        };
        for step in steps {
            match step {
                Step::Field(field) => spot.steps.push(Way::Field(field.0)),
                Step::Index(subscripts) => {
                    let at = self.flat(side, place, subscripts)?;
                    spot.steps.push(Way::At(at));
                }
            }
        }
        let new = self.terms.spot(spot);
        if side == Side::Forward
            && let Some(known) = self.given.places.get(place)
        {
            self.note_cells(new, known);
        }
        Ok(new)
    }

    /// Subscripts as one number of scalars.
    fn flat(&mut self, side: Side, place: &Place, subscripts: &[Subscript]) -> Res<T> {
        let mut at = self.terms.number(0);
        for (k, subscript) in subscripts.iter().enumerate() {
            let this = self.integer(side, &subscript.at)?;
            if k > 0 {
                let Some(extent) = &subscript.dim.extent else { return open("an array whose extents are not known") };
                let extent = self.integer(side, extent)?;
                let Some(rows) = self.terms.product(at, extent) else { return open("large subscripts") };
                at = rows;
            }
            let Some(sum) = self.terms.sum(at, this, 1) else { return open("large subscripts") };
            at = sum;
        }
        let mut ty = &place.ty;
        while let Type::Array(row) = ty {
            let Some(extent) = row.extent else { return open("a row of an array whose extents are values") };
            let extent = self.terms.number(i128::from(extent));
            let Some(product) = self.terms.product(at, extent) else { return open("large subscripts") };
            (at, ty) = (product, &row.elem);
        }
        Ok(at)
    }

    /// An integer expression as a long.
    pub(super) fn integer(&mut self, side: Side, e: &Expr) -> Res<T> {
        let t = self.eval(side, e)?;
        Ok(self.terms.convert(t, &e.ty, &long()))
    }

    // ---- shadows -------------------------------------------------------------------------------------------------

    /// The shadow of a pointer.
    pub(super) fn shadow(&mut self, t: T) -> T {
        match *self.terms.get(t) {
            Term::Null => t,
            Term::Address(place) => {
                let place = self.shadow_place(place);
                self.terms.make(Term::Address(place))
            }
            Term::Choose(c, x, y) => {
                let (x, y) = (self.shadow(x), self.shadow(y));
                self.choose(c, x, y)
            }
            _ => self.terms.make(Term::Shadow(t)),
        }
    }

    pub(super) fn shadow_place(&mut self, place: P) -> P {
        let Spot { root, steps } = self.terms.get_spot(place).clone();
        let root = if self.is_object(root) { self.terms.make(Term::Shadow(root)) } else { self.shadow(root) };
        self.terms.spot(Spot { root, steps })
    }

    /// Whether memory at this root belongs to adjoints.
    pub(super) fn is_shadow(&self, root: T) -> bool {
        match self.terms.get(root) {
            Term::Shadow(_) | Term::Variable(_) | Term::Own(_) | Term::Seed => true,
            Term::Address(place) => self.is_shadow(self.terms.get_spot(*place).root),
            Term::Choose(_, x, y) => self.is_shadow(*x) || self.is_shadow(*y),
            _ => false,
        }
    }

    /// The primal place of a shadow.
    pub(super) fn unshadowed(&mut self, place: P) -> Option<P> {
        let Spot { root, steps } = self.terms.get_spot(place).clone();
        let root = self.unshadowed_root(root)?;
        Some(self.terms.spot(Spot { root, steps }))
    }

    fn unshadowed_root(&mut self, root: T) -> Option<T> {
        match *self.terms.get(root) {
            Term::Shadow(of) => Some(of),
            Term::Address(place) => {
                let place = self.unshadowed(place)?;
                Some(self.terms.make(Term::Address(place)))
            }
            Term::Choose(c, x, y) => {
                let (x, y) = (self.unshadowed_root(x)?, self.unshadowed_root(y)?);
                Some(self.choose(c, x, y))
            }
            _ => None,
        }
    }
}

/// Whether subscripts count the same elements behind both types of pointers.
fn same_unit(a: &Type, b: &Type) -> bool {
    let element = |ty: &Type| match ty.innermost() {
        Type::Int { bits, .. } => Type::unsigned(*bits),
        other => other.clone(),
    };
    let (a, b) = (element(a), element(b));
    a == b || a == Type::Void || b == Type::Void
}
