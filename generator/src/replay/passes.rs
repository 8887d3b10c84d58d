//! A pass of a loop of the forward sweep, whichever it is, and how many passes there are.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::eval::long;
use super::section::{Section, State};
use super::state::{Form, Replay, Res, Side, open};
use super::terms::{T, Term, Version};
use crate::ir::*;

impl Replay<'_> {
    pub(super) fn forward_loop(&mut self, item: ItemId) -> Res<()> {
        let f = self.f;
        let ItemKind::Loop { body, carried, .. } = &f.items[item].kind else { return Ok(()) };
        let before = self.at;
        let inits: Vec<T> = carried.iter().map(|c| self.forward_value(c.init)).collect();
        let coarse = self.coarse(*body);
        (0..carried.len()).for_each(|k| {
            self.found_steps.remove(&(item, k as u32));
        });
        let draft = std::mem::replace(&mut self.is_draft, true);
        let first = self.forward_passes(item, before, Arc::new(coarse), &inits);
        self.is_draft = draft;
        first?;
        self.steps_by_terms(item, carried);
        let mut closed = self.closed(item, *body)?;
        if !draft {
            self.forward_passes(item, before, Arc::new(closed.clone()), &inits)?;
            closed = self.closed(item, *body)?;
        }
        self.at = before;
        let form = self.loops[&item].clone();
        if self.terms.constant(form.passes) == Some(0) {
            self.effects.insert(item, Vec::new());
            for (c, init) in carried.iter().zip(inits) {
                self.values[c.out.index()] = Some(init);
            }
            return Ok(());
        }
        self.effects.insert(item, closed.clone());
        self.havoc(closed);
        for (k, c) in carried.iter().enumerate() {
            let out = match form.steps[k].filter(|_| form.always[k]) {
                Some(step) => self.stepped(inits[k], form.passes, step)?,
                None => self.terms.make(Term::Out(item, k as u32)),
            };
            let ty = &f.vars[c.var].ty;
            if ty.is_integer() && (form.steps[k].is_none() || form.exact[k] || !form.always[k]) {
                self.terms.is_exactly(out, ty);
            }
            self.values[c.out.index()] = Some(out);
        }
        Ok(())
    }

    /// Steps that a pass has turned out to add, whichever way it took.
    fn steps_by_terms(&mut self, item: ItemId, carried: &[Carried]) {
        let form = self.loops[&item].clone();
        for (k, c) in carried.iter().enumerate() {
            let ty = &self.f.vars[c.var].ty;
            if !steps_evenly(ty) || form.steps[k].is_some() {
                continue;
            }
            let (head, end) = (form.heads[k], self.forward_value(c.end));
            let mut step = self.even_step(item, head, end, ty);
            let always = step.is_some();
            if let (None, Some(test)) = (step, form.test) {
                // What a pass adds that another follows: the flags that would have ended the loop are not set.
                let known = self.known.len();
                // What one flag tells may decide what another one is.
                for _ in 0..2 {
                    self.goes_on(item, carried, test);
                }
                let end = self.resolve(end);
                self.forget(known);
                step = self.even_step(item, head, end, ty);
            }
            if let Some(step) = step {
                self.found_steps.insert((item, k as u32), (step, always));
            }
        }
    }

    fn even_step(&mut self, item: ItemId, head: T, end: T, ty: &Type) -> Option<T> {
        let step = if ty.is_integer() { self.terms.sum(end, head, -1) } else { self.difference(end, head) }?;
        let is_pass = |term: &Term| *term == Term::Pass(item);
        (!self.varies(step, item) && !self.terms.mentions(step, &is_pass)).then_some(step)
    }

    /// Takes it that the flags in a test, which are 0 for the loop to go on, are 0 at the end of a pass.
    fn goes_on(&mut self, item: ItemId, carried: &[Carried], test: T) {
        let test = self.truth(test);
        match *self.terms.get(test) {
            Term::Binary(Binary::And, a, b, _) => {
                self.goes_on(item, carried, a);
                self.goes_on(item, carried, b);
            }
            Term::Binary(Binary::Equal, a, b, _) => {
                if let Some(k) = self.flag(&self.loops[&item], a, b) {
                    let end = self.forward_value(carried[k].end);
                    self.assume_zero(end);
                }
            }
            _ => {}
        }
    }

    /// Which carried variable is compared with 0.
    pub(super) fn flag(&self, form: &Form, a: T, b: T) -> Option<usize> {
        let (flag, zero) = if self.terms.constant(a).is_some() { (b, a) } else { (a, b) };
        let found = form.heads.iter().position(|head| *head == flag);
        found.filter(|_| self.terms.constant(zero) == Some(0))
    }

    fn assume_zero(&mut self, t: T) {
        if self.terms.constant(t).is_some() {
            return;
        }
        let zero = self.terms.number(0);
        self.assume(t, zero);
        let Term::Choose(c, x, y) = *self.terms.get(t) else { return };
        let is_set = |t: T| self.terms.constant(t).is_some_and(|n| n != 0);
        let chosen = match (is_set(x), is_set(y)) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            _ => {
                let c = self.resolve(c);
                self.terms.constant(c).map(|c| c != 0)
            }
        };
        if let Some(chosen) = chosen {
            self.assume_truth(c, chosen);
            self.assume_zero(if chosen { x } else { y });
        }
    }

    /// What a loop writes at most, by location.
    fn coarse(&self, body: RegionId) -> Vec<Section> {
        let mut cells = BTreeSet::new();
        for item in self.items_inside(body) {
            let kind = &self.f.items[item].kind;
            if let ItemKind::Store { to, .. } = kind {
                cells.extend(self.given.places.get(to).iter().flat_map(|known| known.aliases.iter().copied()));
            } else if matches!(kind, ItemKind::Call { .. }) {
                cells.extend(self.given.calls.get(&item).iter().flat_map(|effect| effect.writes.iter().copied()));
            }
        }
        if cells.is_empty() { Vec::new() } else { vec![Section { place: None, cells: Arc::new(cells) }] }
    }

    pub(super) fn items_inside(&self, region: RegionId) -> Vec<ItemId> {
        let mut all = Vec::new();
        let mut regions = vec![region];
        while let Some(region) = regions.pop() {
            for &item in &self.f.regions[region].items {
                all.push(item);
                regions.extend(self.f.items[item].kind.regions());
            }
        }
        all
    }

    /// Any pass of a loop.
    fn forward_passes(&mut self, item: ItemId, before: Version, writes: Arc<Vec<Section>>, inits: &[T]) -> Res<()> {
        let f = self.f;
        let ItemKind::Loop { test, at, body, carried } = &f.items[item].kind else { return Ok(()) };
        self.at = before;
        let start = if writes.is_empty() { before } else { self.state(State::Havoc { before, writes }) };
        self.at = start;
        let pass = self.terms.make(Term::Pass(item));
        let passes = self.terms.make(Term::Passes(item));
        let mut form = Form {
            passes,
            inside: passes,
            steps_beyond: None,
            goes_by: None,
            steps: Vec::new(),
            always: Vec::new(),
            exact: Vec::new(),
            heads: Vec::new(),
            first_state: start,
            test: None,
        };
        for (k, c) in carried.iter().enumerate() {
            let step = match step_of(f, *body, c.head, c.end) {
                Some(terms) => self.sum_of(Side::Forward, &terms, &f.vars[c.var].ty)?,
                None => None,
            };
            let found = self.found_steps.get(&(item, k as u32)).copied().filter(|_| step.is_none());
            form.always.push(found.is_none_or(|(_, always)| always));
            let step = step.or(found.map(|(step, _)| step));
            let ty = &f.vars[c.var].ty;
            let step = step.filter(|_| steps_evenly(ty));
            let head = match step {
                Some(step) => self.stepped(inits[k], pass, step)?,
                None => self.terms.make(Term::Head(item, k as u32)),
            };
            let exact = ty.is_integer()
                && (step.is_none()
                    || self.terms.is_exact(inits[k], ty)
                        && (matches!(ty, Type::Int { signed: true, .. })
                            || step.is_some_and(|step| self.terms.constant(step) == Some(1))));
            if exact {
                self.terms.is_exactly(head, ty);
                self.count_by(ty, inits[k], step, pass);
            }
            form.steps.push(step);
            form.exact.push(exact);
            form.heads.push(head);
            self.values[c.head.index()] = Some(head);
        }
        self.loops.insert(item, form.clone());
        if *at == TestAt::Before {
            let test = self.condition(Side::Forward, test)?;
            form.test = Some(test);
            self.counts_down(test, carried, &form, pass);
            let first = self.first_test(item, test, carried);
            let never = self.terms.constant(first) == Some(0);
            if let Some((passes, inside, distance)) = self.passes_of(if never { first } else { test }, pass, item) {
                form.passes = passes;
                form.inside = inside;
                let one = self.terms.number(1);
                form.steps_beyond = self.terms.sum(distance, one, -1);
            } else if let Some((inside, step)) = self.whole_steps(test, pass, item) {
                (form.inside, form.goes_by) = (inside, Some(step));
            }
        }
        self.loops.insert(item, form);
        self.running.push(item);
        let ran = self.forward_region(*body);
        self.running.pop();
        ran
    }

    /// A signed variable that moves in each pass does not overflow: so passes are counted by an unsigned number as wide,
    /// and by a signed one if it moves away from 0, or by more than 1.
    fn count_by(&mut self, ty: &Type, init: T, step: Option<T>, pass: T) {
        let step = step.and_then(|step| self.terms.constant(step)).filter(|step| *step != 0);
        let (Type::Int { bits, signed: true, .. }, Some(step)) = (ty, step) else { return };
        self.terms.is_exactly(pass, &Type::unsigned(*bits));
        let is_away = self.terms.constant(init).is_some_and(|init| (init >= 0) == (step > 0));
        if is_away || step.abs() > 1 {
            self.terms.is_exactly(pass, ty);
        }
    }

    /// So are those of a loop that goes on while an unsigned variable, from which it takes 1 each time, is not 0.
    fn counts_down(&mut self, test: T, carried: &[Carried], form: &Form, pass: T) {
        let (test, zero) = (self.truth(test), self.terms.number(0));
        for (k, c) in carried.iter().enumerate() {
            let ty = &self.f.vars[c.var].ty;
            let step = form.steps[k].and_then(|step| self.terms.constant(step));
            if matches!(ty, Type::Int { signed: false, .. })
                && step == Some(-1)
                && (test == self.not_zero(form.heads[k], ty)
                    || test == self.binary(Binary::Less, zero, form.heads[k], ty, &long()))
            {
                self.terms.is_exactly(pass, ty);
            }
        }
    }

    /// The state in which a pass begins, if it is not that in front of the loop.
    pub(super) fn own_start(&self, item: ItemId) -> Version {
        let form = &self.loops[&item];
        if form.first_state == self.before[item.index()] { Version(u32::MAX) } else { form.first_state }
    }

    /// `from + times * step`.
    pub(super) fn stepped(&mut self, from: T, times: T, step: T) -> Res<T> {
        let Some(by) = self.terms.product(times, step) else { return open("large steps") };
        self.moved(from, by)
    }

    /// An integer or a pointer, moved.
    fn moved(&mut self, from: T, by: T) -> Res<T> {
        match self.terms.get(from) {
            Term::Address(_) | Term::Shadow(_) | Term::Null => self.advanced(from, by),
            _ if self.is_pointer_term(from) => self.advanced(from, by),
            _ => match self.terms.sum(from, by, 1) {
                Some(sum) => Ok(sum),
                None => open("large numbers"),
            },
        }
    }

    fn is_pointer_term(&self, t: T) -> bool {
        match self.terms.get(t) {
            Term::Entry(k) => matches!(self.f.params[*k as usize].ty, Type::Pointer(_)),
            Term::Address(_) | Term::Shadow(_) | Term::Null => true,
            Term::Head(item, k) | Term::Out(item, k) => {
                if let ItemKind::Loop { carried, .. } = &self.f.items[*item].kind {
                    matches!(self.f.vars[carried[*k as usize].var].ty, Type::Pointer(_))
                } else {
                    false
                }
            }
            Term::Choose(_, x, y) => self.is_pointer_term(*x) || self.is_pointer_term(*y),
            Term::Result(item) => {
                if let ItemKind::Call { result: Some(value), .. } = &self.f.items[*item].kind {
                    matches!(*self.f.type_of(*value), Type::Pointer(_))
                } else {
                    false
                }
            }
            Term::Load(_, place) => self.pointer_places.contains(place),
            _ => false,
        }
    }

    /// The sum of so many times each integer term, as what is added to a variable; `None` if one is no integer.
    pub(super) fn sum_of(&mut self, side: Side, terms: &[(i128, &Expr)], to: &Type) -> Res<Option<T>> {
        let mut sum = self.terms.number(0);
        for (times, expr) in terms {
            let Type::Int { .. } = expr.ty else { return Ok(None) };
            let t = if to.is_integer() { self.eval(side, expr)? } else { self.integer(side, expr)? };
            let Some(more) = self.terms.sum(sum, t, *times) else { return Ok(None) };
            sum = more;
        }
        Ok(Some(sum))
    }
}

/// Whether a variable of this type may change by the same number in each pass: of elements, if it is a pointer.
fn steps_evenly(ty: &Type) -> bool {
    ty.is_integer() || matches!(ty, Type::Pointer(_))
}

/// What each pass adds to a carried variable: terms that no pass changes, each with how often it is added. A pointer is
/// moved by scalars.
pub(super) fn step_of(proc: &Proc, body: RegionId, head: ValueId, end: ValueId) -> Option<Vec<(i128, &Expr)>> {
    let mut terms = Vec::new();
    let mut at = end;
    for _ in 0..32 {
        if at == head {
            return Some(terms);
        }
        if !proc.is_within(proc.values[at].region, body) {
            return None;
        }
        let Def::Is(expr) = &proc.values[at].def else { return None };
        at = base_of(proc, body, expr, &mut terms)?;
    }
    None
}

fn base_of<'a>(proc: &Proc, body: RegionId, expr: &'a Expr, terms: &mut Vec<(i128, &'a Expr)>) -> Option<ValueId> {
    match &expr.kind {
        ExprKind::Value(value) => Some(*value),
        ExprKind::Binary(op @ (Binary::Add | Binary::Subtract), x, y) if x.ty == expr.ty && y.ty == expr.ty => {
            if is_invariant(proc, body, y) {
                terms.push((if *op == Binary::Subtract { -1 } else { 1 }, y));
                return base_of(proc, body, x, terms);
            }
            if *op == Binary::Add && is_invariant(proc, body, x) {
                terms.push((1, x));
                return base_of(proc, body, y, terms);
            }
            None
        }
        ExprKind::Address(place) => match (&place.base, &place.path[..]) {
            (Base::At(pointer), [Step::Index(subscripts)])
                if subscripts.len() == 1 && is_invariant(proc, body, &subscripts[0].at) =>
            {
                terms.push((scalars_in(&place.ty)?, &subscripts[0].at));
                base_of(proc, body, pointer, terms)
            }
            _ => None,
        },
        _ => None,
    }
}

/// How many elements a row has, and those in it; `None` if the extents are values.
fn scalars_in(ty: &Type) -> Option<i128> {
    match ty {
        Type::Array(row) => scalars_in(&row.elem)?.checked_mul(i128::from(row.extent?)),
        _ => Some(1),
    }
}

fn is_invariant(proc: &Proc, body: RegionId, expr: &Expr) -> bool {
    let inside = |value: &ValueId| proc.is_within(proc.values[*value].region, body);
    match &expr.kind {
        ExprKind::Int(_) => true,
        ExprKind::Value(value) => !inside(value),
        ExprKind::Unary(_, x) | ExprKind::Cast(x) => is_invariant(proc, body, x),
        ExprKind::Binary(_, x, y) => is_invariant(proc, body, x) && is_invariant(proc, body, y),
        _ => false,
    }
}
