//! Loops whose passes are counted by an index: how often they run is known without a counter on the tape.

use super::affine::{advanced, distance};
use super::exprs::{binary, cast, counter};
use crate::ir::walk;
use crate::ir::{
    Binary, Carried, Def, Expr, ExprKind, ItemId, ItemKind, Join, Language, Proc, RegionId, TestAt, Type, Unary,
    ValueId, zero,
};
use rustc_hash::FxHashMap;

/// An index: a carried integer that each pass changes by one constant and that the test compares with a bound which
/// no pass changes.
#[derive(Clone, Debug)]
pub struct Index {
    /// Position among the loop's carried variables.
    pub carried: u32,
    /// What a pass adds; not 0.
    pub step: i128,
    /// How the test compares index and bound, index first.
    pub test: Binary,
    /// The bound, in terms of values from outside of the loop.
    pub bound: Expr,
    /// The carried variable.
    pub values: Carried,
    /// The language of the procedure.
    pub language: Language,
}

impl Index {
    /// The value behind the loop: the bound for unit steps, or the value before if no pass runs.
    pub fn out(&self, proc: &Proc) -> Expr {
        let init = proc.value_expr(self.values.init);
        let last = match (self.test, self.step) {
            _ if self.bound.ty != init.ty => None,
            (Binary::NotEqual, _) => return self.bound.clone(),
            (Binary::Less, 1) | (Binary::Greater, -1) => Some(self.bound.clone()),
            (Binary::LessEqual, 1) => Some(self.bound.offset(1)),
            (Binary::GreaterEqual, -1) => Some(self.bound.offset(-1)),
            _ => None,
        };
        let Some(last) = last else {
            let step = Expr::constant(self.step, init.ty.clone());
            return advanced(self.language, init.clone(), &self.passes(init, self.bound.clone()), &step);
        };
        let runs = binary(self.test, init.clone(), self.bound.clone(), Type::int());
        let ty = init.ty.clone();
        Expr::select(runs, last, init, ty)
    }

    /// The number of passes from the index before the loop and its bound, in arithmetic that is exact for every index
    /// type.
    pub fn passes(&self, init: Expr, bound: Expr) -> Expr {
        let wide = counter(self.language);
        let runs = binary(self.test, init.clone(), bound.clone(), Type::int());
        let (far, near) = if self.step > 0 { (bound, init) } else { (init, bound) };
        if self.test == Binary::NotEqual {
            // The index may wrap around on its way.
            return cast(distance(self.language, &far, &near), &wide);
        }
        let distance = binary(Binary::Subtract, cast(far, &wide), cast(near, &wide), wide.clone());
        let inclusive = matches!(self.test, Binary::LessEqual | Binary::GreaterEqual);
        let distance = if inclusive { distance } else { distance.offset(-1) };
        let step = Expr::constant(self.step.abs(), wide.clone());
        let passes = binary(Binary::Divide, distance, step, wide.clone()).offset(1);
        let kind = ExprKind::Select(Box::new(runs), Box::new(passes), Box::new(zero(&wide)));
        Expr { kind, ty: wide }
    }

    /// What a carried integer is behind the loop, if each pass adds to it what no pass changes.
    pub fn out_of(&self, proc: &Proc, values: &Carried, body: RegionId) -> Option<Expr> {
        if !matches!(proc.values[values.end].def, Def::Is(_)) {
            return None;
        }
        let step = change(proc, &[], values, body)?;
        let init = proc.value_expr(values.init);
        if !init.ty.is_integer() || !step.ty.is_integer() || walk::loads(&step) {
            return None;
        }
        let first = proc.value_expr(self.values.init);
        Some(advanced(self.language, init, &self.passes(first, self.bound.clone()), &step))
    }
}

/// The indices of all loops that have one.
pub fn indices(proc: &Proc) -> FxHashMap<ItemId, Index> {
    let all = proc.items.iter().enumerate();
    all.filter_map(|(at, _)| index(proc, ItemId::new(at)).map(|found| (ItemId::new(at), found))).collect()
}

fn index(proc: &Proc, item: ItemId) -> Option<Index> {
    let ItemKind::Loop { test, at: TestAt::Before, body, carried } = &proc.items[item].kind else {
        return None;
    };
    let ExprKind::Binary(compare, left, right) = &test.kind else { return None };
    let (test, index, bound) = match (carried_by(carried, left), carried_by(carried, right)) {
        (Some(k), None) => (*compare, k, right),
        (None, Some(k)) => (mirrored(*compare)?, k, left),
        _ => return None,
    };
    if !invariant(proc, bound, *body) {
        return None;
    }
    let values = carried[index].clone();
    let step = step(proc, &values)?;
    let towards = match test {
        Binary::Less | Binary::LessEqual => step > 0,
        Binary::Greater | Binary::GreaterEqual => step < 0,
        Binary::NotEqual => step == 1 || step == -1,
        _ => false,
    };
    let carried = u32::try_from(index).ok()?;
    towards.then(|| Index { carried, step, test, bound: (**bound).clone(), values, language: proc.language })
}

fn carried_by(carried: &[Carried], expr: &Expr) -> Option<usize> {
    let ExprKind::Value(v) = expr.kind else { return None };
    carried.iter().position(|c| c.head == v)
}

/// What a pass adds to a carried integer, if it is a constant.
pub fn step(proc: &Proc, values: &Carried) -> Option<i128> {
    let Type::Int { bits, .. } = &proc.vars[values.var].ty else { return None };
    let Def::Is(end) = &proc.values[values.end].def else { return None };
    let change = match &end.kind {
        ExprKind::Binary(op @ (Binary::Add | Binary::Subtract), x, y) => {
            let (ExprKind::Value(v), ExprKind::Int(by)) = (&x.kind, &y.kind) else { return None };
            if *v != values.head {
                return None;
            }
            if *op == Binary::Add { *by } else { -*by }
        }
        _ => return None,
    };
    // An unsigned step of "-1" is a huge constant: take it for what it does.
    let half = 1i128 << (bits - 1);
    let change = if change >= half { change - 2 * half } else { change };
    (change != 0).then_some(change)
}

/// Whether all values of the expression come from outside of the region.
pub fn invariant(proc: &Proc, expr: &Expr, region: RegionId) -> bool {
    let mut all = true;
    walk::values(expr, &mut |v| all &= !inside(proc, v, region));
    all
}

/// Whether a value is defined in the region or in one inside it.
pub fn inside(proc: &Proc, value: ValueId, region: RegionId) -> bool {
    proc.is_within(proc.values[value].region, region)
}

/// What a pass adds to a carried integer or pointer (in elements), if no pass changes that.
pub fn change(proc: &Proc, all: &[Carried], values: &Carried, body: RegionId) -> Option<Expr> {
    let end = match &proc.values[values.end].def {
        Def::Is(end) => end,
        Def::Join(item, k) => advanced_unless_left(proc, all, values, (*item, *k))?,
        _ => return None,
    };
    let mut steps = Vec::new();
    steps_from(proc, values.head, end, body, &mut steps, 8)?;
    let mut steps = steps.into_iter();
    let first = steps.next()?;
    Some(steps.fold(first, |sum, step| {
        let ty = sum.ty.clone();
        let step = if step.ty == ty { step } else { Expr::cast(step, ty.clone()) };
        Expr::binary(Binary::Add, sum, step, ty)
    }))
}

/// The steps from a head to an expression, through definitions of the body: `p + 1 + 1`, `i + n - 2`.
fn steps_from(
    proc: &Proc,
    head: ValueId,
    expr: &Expr,
    body: RegionId,
    steps: &mut Vec<Expr>,
    depth: u32,
) -> Option<()> {
    let add = |step: &Expr, steps: &mut Vec<Expr>| {
        let fits = integral(step) && invariant(proc, step, body);
        fits.then(|| steps.push(step.clone()))
    };
    match &expr.kind {
        ExprKind::Value(v) if *v == head => Some(()),
        ExprKind::Value(v) if depth > 0 && inside(proc, *v, body) => match &proc.values[*v].def {
            Def::Is(next) => steps_from(proc, head, next, body, steps, depth - 1),
            _ => None,
        },
        ExprKind::Binary(Binary::Add, x, y) if invariant(proc, y, body) => {
            steps_from(proc, head, x, body, steps, depth)?;
            add(y, steps)
        }
        ExprKind::Binary(Binary::Add, x, y) => {
            steps_from(proc, head, y, body, steps, depth)?;
            add(x, steps)
        }
        ExprKind::Binary(Binary::Subtract, x, y) => {
            steps_from(proc, head, x, body, steps, depth)?;
            add(&Expr { kind: ExprKind::Unary(Unary::Negate, y.clone()), ty: y.ty.clone() }, steps)
        }
        ExprKind::Address(place) => {
            let (crate::ir::Base::At(from), [crate::ir::Step::Index(subscripts)]) = (&place.base, &place.path[..])
            else {
                return None;
            };
            let [subscript] = &subscripts[..] else { return None };
            if from.ty != expr.ty {
                return None;
            }
            steps_from(proc, head, from, body, steps, depth)?;
            add(&widened(&subscript.at), steps)
        }
        _ => None,
    }
}

/// The step of a loop that flags may leave stands behind tests of the flags. Every pass but the last takes it, so for
/// what a pass begins with, it is a step like others.
fn advanced_unless_left<'p>(
    proc: &'p Proc,
    all: &[Carried],
    values: &Carried,
    (mut item, mut k): (ItemId, u32),
) -> Option<&'p Expr> {
    let Def::Head(of, _) = proc.values[values.head].def else { return None };
    let ItemKind::Loop { test, at: TestAt::Before, .. } = &proc.items[of].kind else { return None };
    // What is 0 at the end of a pass that another one follows.
    let mut zeros: Vec<ValueId> = all.iter().filter(|c| requires_zero(test, c.head)).map(|c| c.end).collect();
    loop {
        let ItemKind::Branch { on, joins, .. } = &proc.items[item].kind else { return None };
        let then = takes_then(proc, on, joins, &zeros)?;
        let arm = |join: &Join| if then { join.then } else { join.otherwise };
        let more: Vec<ValueId> = joins.iter().filter(|join| zeros.contains(&join.out)).map(arm).collect();
        zeros.extend(more);
        match &proc.values[arm(joins.get(k as usize)?)].def {
            Def::Is(end) => return Some(end),
            Def::Join(inner, at) => (item, k) = (*inner, *at),
            _ => return None,
        }
    }
}

/// Which arm of a branch runs where these values are 0, if they tell.
fn takes_then(proc: &Proc, on: &Expr, joins: &[Join], zeros: &[ValueId]) -> Option<bool> {
    if only_zeros(on, zeros) {
        return Some(true);
    }
    let is_set = |value: ValueId| match &proc.values[value].def {
        Def::Is(Expr { kind: ExprKind::Int(n), .. }) => *n != 0,
        _ => false,
    };
    joins.iter().filter(|join| zeros.contains(&join.out)).find_map(|join| {
        match (is_set(join.then), is_set(join.otherwise)) {
            (true, false) => Some(false),
            (false, true) => Some(true),
            _ => None,
        }
    })
}

/// Whether a condition says that some of these values are 0, and nothing else.
fn only_zeros(on: &Expr, zeros: &[ValueId]) -> bool {
    match &on.kind {
        ExprKind::Binary(Binary::And, x, y) => only_zeros(x, zeros) && only_zeros(y, zeros),
        _ => zeros.iter().any(|zero| requires_zero(on, *zero)),
    }
}

/// Whether a test holds only if the value is 0.
pub fn requires_zero(test: &Expr, value: ValueId) -> bool {
    match &test.kind {
        ExprKind::Unary(Unary::Not, x) => matches!(x.kind, ExprKind::Value(v) if v == value),
        ExprKind::Binary(Binary::And, x, y) => requires_zero(x, value) || requires_zero(y, value),
        ExprKind::Binary(Binary::Equal, x, y) => {
            matches!(x.kind, ExprKind::Value(v) if v == value) && matches!(y.kind, ExprKind::Int(0))
        }
        _ => false,
    }
}

fn integral(expr: &Expr) -> bool {
    matches!(expr.ty, Type::Int { .. })
}

/// As `int64_t`: a pointer may go back.
fn widened(expr: &Expr) -> Expr {
    let ty = Type::signed(64);
    Expr::cast(expr.clone(), ty)
}

fn mirrored(compare: Binary) -> Option<Binary> {
    Some(match compare {
        Binary::Less => Binary::Greater,
        Binary::LessEqual => Binary::GreaterEqual,
        Binary::Greater => Binary::Less,
        Binary::GreaterEqual => Binary::LessEqual,
        Binary::NotEqual => Binary::NotEqual,
        _ => return None,
    })
}
