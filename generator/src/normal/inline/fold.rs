//! Branches that are decided: the address of an object is not NULL, and a flag may be a constant then.

use super::target::resolved;
use crate::ir::rewrite;
use crate::ir::*;

/// Definitions that are followed.
const DEPTH: u32 = 64;

/// Writes the arm of each decided branch in its place. Returns whether there was one.
pub fn branches(proc: &mut Proc) -> bool {
    let mut any = false;
    loop {
        let found = proc.regions.ids().find_map(|region| {
            let items = &proc.regions[region].items;
            items.iter().enumerate().find_map(|(at, item)| {
                let ItemKind::Branch { on, .. } = &proc.items[*item].kind else { return None };
                let mut on = on.clone();
                as_stored(proc, &items[..at], &mut on);
                Some((region, at, *item, known(proc, &on, DEPTH)? != 0))
            })
        });
        let Some((region, at, item, taken)) = found else { return any };
        take(proc, region, at, item, taken);
        any = true;
    }
}

/// Writes one arm of each of these branches in its place.
pub fn decide(proc: &mut Proc, branches: &[(ItemId, bool)]) {
    for (branch, on) in branches {
        let Some((region, at)) = proc.positions()[branch.index()] else { continue };
        take(proc, region, at, *branch, *on);
    }
    if !branches.is_empty() {
        super::splice::tidy(proc);
    }
}

/// Puts what items before stored last in the place of pointers that an expression reads from memory.
fn as_stored(proc: &Proc, before: &[ItemId], e: &mut Expr) {
    if let (ExprKind::Load(place), Type::Pointer(_)) = (&e.kind, &e.ty)
        && let Some(stored) = stored(proc, before, place)
    {
        *e = stored;
        return;
    }
    rewrite::operands(e, &mut |operand| as_stored(proc, before, operand));
}

/// The pointer that a place of an object holds behind these items.
fn stored(proc: &Proc, before: &[ItemId], place: &Place) -> Option<Expr> {
    // A variable at file scope is its own name.
    let resolved = |place: &Place| match place.base {
        Base::Global(_) => Some(place.clone()),
        _ => resolved(proc, place, DEPTH),
    };
    let place = resolved(place)?;
    for item in before.iter().rev() {
        let kind = &proc.items[*item].kind;
        if let ItemKind::Store { to, from } = kind
            && matches!(to.ty, Type::Pointer(_))
        {
            let to = resolved(to)?;
            if to.base == place.base && to.path == place.path {
                return is_name(from).then(|| from.clone());
            }
            let fields = |path: &[Step]| path.iter().all(|step| matches!(step, Step::Field(_)));
            let behind = |place: &Place| matches!(place.path.first(), Some(Step::Index(_)));
            let rest = |place: &Place| place.path[usize::from(behind(place))..].to_vec();
            // Different members of one struct, or of different ones.
            let apart = to.base != place.base || (fields(&rest(&to)) && fields(&rest(&place)));
            apart.then_some(())?;
        } else if !matches!(kind, ItemKind::Store { .. } | ItemKind::Let { .. } | ItemKind::DeclareVar { .. })
            && kind.begun().is_none()
        {
            return None;
        }
    }
    None
}

/// Whether an expression means the same wherever it stands.
fn is_name(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Value(_) | ExprKind::Null | ExprKind::Address(_) | ExprKind::Verbatim(_))
}

/// Writes an arm of a branch in its place.
fn take(proc: &mut Proc, region: RegionId, at: usize, item: ItemId, taken: bool) {
    let Item { kind, span, .. } = proc.items[item].clone();
    let ItemKind::Branch { then, otherwise, joins, .. } = kind else { return };
    let (arm, other) = if taken { (then, otherwise) } else { (otherwise, then) };
    let mut items = std::mem::take(&mut proc.regions[arm].items);
    proc.regions[other].items.clear();
    for value in proc.values.iter_mut().filter(|value| value.region == arm) {
        value.region = region;
    }
    for inner in proc.regions.iter_mut() {
        if let Some((outer, _)) = &mut inner.parent
            && *outer == arm
        {
            *outer = region;
        }
    }
    for object in proc.objects.iter_mut().filter(|object| object.life == Life::Region(arm)) {
        object.life = Life::Region(region);
    }
    for join in joins {
        let from = if taken { join.then } else { join.otherwise };
        let ty = proc.vars[join.var].ty.clone();
        proc.values[join.out].def = Def::Is(Expr::value(from, ty));
        items.push(super::splice::add(proc, ItemKind::Let { value: join.out }, span));
    }
    proc.regions[region].items.splice(at..=at, items);
}

/// The value of an integer expression, if it is known.
fn known(proc: &Proc, e: &Expr, depth: u32) -> Option<i128> {
    let depth = depth.checked_sub(1)?;
    let inner = |e: &Expr| known(proc, e, depth);
    match &e.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Value(value) => match &proc.values[*value].def {
            Def::Is(e) => inner(e),
            Def::Join(..) => {
                let [one, other] = proc.merged(&proc.values[*value].def)?;
                let of = |value| inner(&Expr::value(value, e.ty.clone()));
                of(one).filter(|value| of(other) == Some(*value))
            }
            _ => None,
        },
        ExprKind::Cast(x) if matches!((&x.ty, &e.ty), (Type::Int { .. }, Type::Int { .. })) => {
            inner(x).filter(|value| (0..=1).contains(value))
        }
        ExprKind::Unary(Unary::Not, x) => Some(i128::from(inner(x)? == 0)),
        ExprKind::Binary(Binary::And, x, y) => both(inner(x), inner(y), 0),
        ExprKind::Binary(Binary::Or, x, y) => both(inner(x), inner(y), 1),
        ExprKind::Binary(op @ (Binary::Equal | Binary::NotEqual), x, y) => {
            let equal = match (&x.ty, &y.ty) {
                (Type::Pointer(_), Type::Pointer(_)) => {
                    let null = [x, y].map(|e| is_null(proc, e, depth));
                    match (null, &x.kind, &y.kind) {
                        ([Some(true), Some(other)] | [Some(other), Some(true)], ..) => other,
                        // The names of functions.
                        (_, ExprKind::Verbatim(x), ExprKind::Verbatim(y)) => x == y,
                        _ => return None,
                    }
                }
                (Type::Int { .. }, Type::Int { .. }) => inner(x)? == inner(y)?,
                _ => return None,
            };
            Some(i128::from(equal == (*op == Binary::Equal)))
        }
        _ => None,
    }
}

/// `&&` with `decides` 0, `||` with 1.
fn both(x: Option<i128>, y: Option<i128>, decides: i128) -> Option<i128> {
    let truth = |value: i128| i128::from(value != 0);
    let (x, y) = (x.map(truth), y.map(truth));
    if x == Some(decides) || y == Some(decides) {
        return Some(decides);
    }
    (x.is_some() && y.is_some()).then_some(1 - decides)
}

/// Whether a pointer is NULL, if that is known.
fn is_null(proc: &Proc, e: &Expr, depth: u32) -> Option<bool> {
    let depth = depth.checked_sub(1)?;
    match &e.kind {
        ExprKind::Null => Some(true),
        ExprKind::Cast(x) => is_null(proc, x, depth),
        ExprKind::Address(place) if place.base.object().is_some() => Some(false),
        ExprKind::Verbatim(_) => Some(false),
        ExprKind::Value(value) => match &proc.values[*value].def {
            Def::Is(e) => is_null(proc, e, depth),
            _ => None,
        },
        _ => None,
    }
}
