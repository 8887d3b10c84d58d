//! What the adjoint of an item has to do, from the item itself: its derivative with the operands of the forward sweep.

use std::collections::BTreeMap;

use super::state::{Replay, Res, Side, open};
use super::sums::{Linear, Product};
use super::terms::{P, Spot, T, Term};
use crate::ir::functions::Partial;
use crate::ir::*;

impl Replay<'_> {
    /// What the adjoint of an item has to do to the adjoints that are there.
    pub(super) fn demanded(&mut self, item: ItemId) -> Res<BTreeMap<P, Linear>> {
        let f = self.f;
        let at = std::mem::replace(&mut self.at, self.before[item.index()]);
        let kind = &f.items[item].kind;
        let demanded = if let ItemKind::Let { value } = kind
            && self.is_active_value(*value)
        {
            match (&f.values[*value].def, self.variable(*value)) {
                (Def::Is(expr), Some(to)) => self.assignment(to, expr)?,
                _ => BTreeMap::new(),
            }
        } else if let ItemKind::Store { to, from } = kind
            && matches!(to.ty, Type::Float { .. })
        {
            let place = self.stored[&item];
            let active = self.given.places.get(to).is_some_and(|known| known.active);
            if active && self.has_shadow(place) {
                let to = self.shadow_place(place);
                self.assignment(to, from)?
            } else {
                BTreeMap::new()
            }
        } else if let ItemKind::Call { callee, args, result, into } = kind {
            self.demanded_by_call(item, callee, args, *result, into)?
        } else {
            BTreeMap::new()
        };
        self.at = at;
        Ok(demanded)
    }

    fn demanded_by_call(
        &mut self,
        item: ItemId,
        callee: &Callee,
        args: &[Expr],
        result: Option<ValueId>,
        into: &Option<Place>,
    ) -> Res<BTreeMap<P, Linear>> {
        let mut demanded = BTreeMap::new();
        if let Some(result) = result
            && self.is_active_value(result)
            && let Some(to) = self.variable(result)
        {
            demanded.insert(to, Linear::new());
        }
        if let Some(into) = into {
            self.demanded_by_struct(into, &mut demanded)?;
        }
        let Callee::Sweep(id, _) = callee else { return Ok(demanded) };
        let Some(params) = self.given.called.get(id).cloned() else { return open("a call of an unknown sweep") };
        for param in params {
            let ReverseParam::Adjoint(k) = param else { continue };
            let arg = &args[k as usize];
            if matches!(arg.ty, Type::Float { .. }) {
                let returned = self.terms.make(Term::Returned(item, k));
                let seed = Linear::from([((returned, Vec::new()), 1)]);
                self.spread(arg, &seed, &mut demanded)?;
            }
        }
        Ok(demanded)
    }

    fn is_active_value(&self, value: ValueId) -> bool {
        self.given.active.get(value.index()).copied().unwrap_or(false)
    }

    /// The place of the adjoint that a passive value of a variable ends, if it may hold something: a branch or a loop
    /// makes an active value of it.
    pub(super) fn ended_by(&mut self, item: ItemId) -> Option<P> {
        let (ItemKind::Let { value } | ItemKind::Call { result: Some(value), .. }) = self.f.items[item].kind else {
            return None;
        };
        if self.handed_on.contains(&value) { self.variable(value) } else { None }
    }

    /// Notes the passive values of which a branch or a loop makes active ones.
    pub(super) fn note_handed_on(&mut self) {
        let f = self.f;
        let made = f.values.ids();
        let mut todo: Vec<ValueId> = made.filter(|value| self.is_active_value(*value)).collect();
        while let Some(value) = todo.pop() {
            for from in f.merged(&f.values[value].def).into_iter().flatten() {
                if !self.is_active_value(from) && self.handed_on.insert(from) {
                    todo.push(from);
                }
            }
        }
    }

    /// The place of a variable's adjoint, if the sweep has it.
    pub(super) fn variable(&mut self, value: ValueId) -> Option<P> {
        let var = self.f.values[value].var;
        self.variables.contains(&var).then(|| {
            let root = self.terms.make(Term::Variable(var));
            self.terms.spot(Spot { root, steps: Vec::new() })
        })
    }

    pub(super) fn is_active(&self, expr: &Expr) -> bool {
        if !matches!(expr.ty, Type::Float { .. }) {
            return false;
        }
        match &expr.kind {
            ExprKind::Value(v) => self.is_active_value(*v),
            ExprKind::Load(place) => self.given.places.get(place).is_some_and(|known| known.active),
            ExprKind::Unary(_, x) | ExprKind::Cast(x) => self.is_active(x),
            ExprKind::Binary(_, x, y) | ExprKind::Select(_, x, y) => self.is_active(x) || self.is_active(y),
            ExprKind::Function(function, args) => {
                args.iter().enumerate().any(|(k, x)| !function.partial_is_zero(k) && self.is_active(x))
            }
            _ => false,
        }
    }

    /// The adjoint of an assignment: what `to` holds goes to the leaves of `expr`.
    pub(super) fn assignment(&mut self, to: P, expr: &Expr) -> Res<BTreeMap<P, Linear>> {
        let to = self.resolve_place(to);
        let seed = self.found(to)?;
        let seed = self.linear(seed)?;
        let mut demanded = BTreeMap::from([(to, Linear::new())]);
        self.spread(expr, &seed, &mut demanded)?;
        Ok(demanded)
    }

    /// Adds the expression's share of a seed to the adjoints of its active leaves.
    pub(super) fn spread(&mut self, expr: &Expr, seed: &Linear, demanded: &mut BTreeMap<P, Linear>) -> Res<()> {
        if !self.is_active(expr) {
            return Ok(());
        }
        match &expr.kind {
            ExprKind::Value(v) => match self.variable(*v) {
                Some(leaf) => self.demand(leaf, seed, demanded),
                None => Ok(()),
            },
            ExprKind::Load(place) => {
                let primal = self.place(Side::Forward, place)?;
                if !self.has_shadow(primal) {
                    return Ok(());
                }
                let leaf = self.shadow_place(primal);
                self.demand(leaf, seed, demanded)
            }
            ExprKind::Unary(Unary::Negate, x) => self.spread(x, &scaled(seed, -1), demanded),
            ExprKind::Cast(x) => self.spread(x, seed, demanded),
            ExprKind::Binary(Binary::Add, x, y) => {
                self.spread(x, seed, demanded)?;
                self.spread(y, seed, demanded)
            }
            ExprKind::Binary(Binary::Subtract, x, y) => {
                self.spread(x, seed, demanded)?;
                self.spread(y, &scaled(seed, -1), demanded)
            }
            ExprKind::Binary(Binary::Multiply, x, y) => {
                for (this, other) in [(x, y), (y, x)] {
                    if self.is_active(this) {
                        let factor = self.eval(Side::Forward, other)?;
                        let share = self.times(seed, factor, false);
                        self.spread(this, &share, demanded)?;
                    }
                }
                Ok(())
            }
            ExprKind::Binary(Binary::Divide, x, y) => {
                let divisor = self.eval(Side::Forward, y)?;
                let share = self.times(seed, divisor, true);
                self.spread(x, &share, demanded)?;
                let quotient = self.eval(Side::Forward, expr)?;
                let share = scaled(&self.times(&share, quotient, false), -1);
                self.spread(y, &share, demanded)
            }
            ExprKind::Function(function, args) => {
                for (k, arg) in args.iter().enumerate() {
                    if !self.is_active(arg) {
                        continue;
                    }
                    match function.partial(k, args, expr) {
                        Partial::Zero => {}
                        Partial::One => self.spread(arg, seed, demanded)?,
                        Partial::Is(partial) | Partial::Steep(partial) => {
                            let factor = self.eval(Side::Forward, &partial)?;
                            let share = self.times(seed, factor, false);
                            self.spread(arg, &share, demanded)?;
                        }
                        Partial::Refused(_) => return open("a function without a derivative"),
                    }
                }
                Ok(())
            }
            _ => open("an operation without a derivative"),
        }
    }

    /// Whether the sweep has a shadow of what a place lies in.
    pub(super) fn has_shadow(&self, place: P) -> bool {
        match self.terms.get(self.terms.get_spot(place).root) {
            Term::Object(object) => self.shadowed.contains(object),
            Term::Global(global) => self.given.global_shadows.contains_key(global),
            _ => true,
        }
    }

    fn demand(&mut self, leaf: P, share: &Linear, demanded: &mut BTreeMap<P, Linear>) -> Res<()> {
        let leaf = self.resolve_place(leaf);
        let found = self.found(leaf)?;
        let found = self.linear(found)?;
        let sum = demanded.entry(leaf).or_insert(found);
        for (product, count) in share {
            *sum.entry(product.clone()).or_default() += count;
        }
        sum.retain(|_, count| *count != 0);
        Ok(())
    }

    fn times(&self, sum: &Linear, factor: T, divides: bool) -> Linear {
        let mut more = Vec::new();
        let flips = self.factors(factor, divides, &mut more);
        let product = |((atom, factors), count): (&Product, &i64)| {
            let mut factors = factors.clone();
            factors.extend(&more);
            factors.sort();
            ((*atom, factors), if flips { -count } else { *count })
        };
        sum.iter().map(product).collect()
    }
}

fn scaled(sum: &Linear, by: i64) -> Linear {
    sum.iter().map(|(product, count)| (product.clone(), count * by)).collect()
}
