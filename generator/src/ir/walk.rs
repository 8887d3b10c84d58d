//! Walks over expressions and places.

use super::{
    Base, Def, Expr, ExprKind, ItemId, ItemKind, Place, Popped, Proc, Pushed, Snapshot, SnapshotAt, Step, ValueId,
};
use crate::stack::deep;

/// Calls `see` on the direct operands of an expression.
pub fn parts<'a>(expr: &'a Expr, see: &mut dyn FnMut(&'a Expr)) {
    match &expr.kind {
        ExprKind::Load(place) | ExprKind::Address(place) => parts_of_place(place, see),
        ExprKind::Unary(_, x) | ExprKind::Cast(x) => see(x),
        ExprKind::Binary(_, x, y) => [x, y].into_iter().for_each(|x| see(x)),
        ExprKind::Select(c, x, y) => [c, x, y].into_iter().for_each(|x| see(x)),
        ExprKind::Function(_, args) => args.iter().for_each(see),
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Null | ExprKind::Verbatim(_) | ExprKind::Value(_) => {}
    }
}

/// Calls `see` on the outermost expressions in a place: its pointer, its subscripts, their bounds.
pub fn parts_of_place<'a>(place: &'a Place, see: &mut dyn FnMut(&'a Expr)) {
    if let Base::At(pointer) = &place.base {
        see(pointer);
    }
    for step in &place.path {
        if let Step::Index(subscripts) = step {
            for subscript in subscripts {
                see(&subscript.at);
                [&subscript.dim.lower, &subscript.dim.extent].into_iter().flatten().for_each(&mut *see);
            }
        }
    }
}

/// Calls `see` on every expression below and including `expr`, operands first.
pub fn expressions<'a>(expr: &'a Expr, see: &mut dyn FnMut(&'a Expr)) {
    parts(expr, &mut |part| deep(|| expressions(part, see)));
    see(expr);
}

/// Calls `see` on every expression in a place.
pub fn in_place<'a>(place: &'a Place, see: &mut dyn FnMut(&'a Expr)) {
    parts_of_place(place, &mut |part| expressions(part, see));
}

/// Calls `see` on every value that the expression reads.
pub fn values(expr: &Expr, see: &mut dyn FnMut(ValueId)) {
    expressions(expr, &mut |e| {
        if let ExprKind::Value(v) = e.kind {
            see(v);
        }
    });
}

/// Calls `see` on every value that the place reads.
pub fn values_of_place(place: &Place, see: &mut dyn FnMut(ValueId)) {
    in_place(place, &mut |e| {
        if let ExprKind::Value(v) = e.kind {
            see(v);
        }
    });
}

/// Whether the expression reads memory.
pub fn loads(expr: &Expr) -> bool {
    let mut found = false;
    expressions(expr, &mut |e| found |= matches!(e.kind, ExprKind::Load(_)));
    found
}

/// The expression with each value replaced where `map` has something for it.
pub fn replace(expr: &Expr, map: &mut dyn FnMut(ValueId) -> Option<Expr>) -> Expr {
    let kind = match &expr.kind {
        ExprKind::Value(v) => match map(*v) {
            Some(new) => return new,
            None => expr.kind.clone(),
        },
        ExprKind::Load(place) => ExprKind::Load(replace_in_place(place, map)),
        ExprKind::Address(place) => ExprKind::Address(replace_in_place(place, map)),
        ExprKind::Unary(op, x) => ExprKind::Unary(*op, Box::new(replace(x, map))),
        ExprKind::Cast(x) => ExprKind::Cast(Box::new(replace(x, map))),
        ExprKind::Binary(op, x, y) => ExprKind::Binary(*op, Box::new(replace(x, map)), Box::new(replace(y, map))),
        ExprKind::Select(c, x, y) => {
            ExprKind::Select(Box::new(replace(c, map)), Box::new(replace(x, map)), Box::new(replace(y, map)))
        }
        ExprKind::Function(f, args) => ExprKind::Function(*f, args.iter().map(|x| replace(x, map)).collect()),
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Null | ExprKind::Verbatim(_) => expr.kind.clone(),
    };
    Expr { kind, ty: expr.ty.clone() }
}

/// The place with each value replaced where `map` has something for it.
pub fn replace_in_place(place: &Place, map: &mut dyn FnMut(ValueId) -> Option<Expr>) -> Place {
    let mut new = place.clone();
    if let Base::At(pointer) = &place.base {
        new.base = Base::At(Box::new(replace(pointer, map)));
    }
    for step in &mut new.path {
        if let Step::Index(subscripts) = step {
            for subscript in subscripts {
                subscript.at = replace(&subscript.at, map);
                for bound in [&mut subscript.dim.lower, &mut subscript.dim.extent].into_iter().flatten() {
                    *bound = replace(bound, map);
                }
            }
        }
    }
    new
}

/// Calls `see` on every expression that an item evaluates, and on every place that it names as one (`Ok`, `Err`).
pub fn operands<'a>(proc: &'a Proc, item: ItemId, see: &mut dyn FnMut(Result<&'a Expr, &'a Place>)) {
    match &proc.items[item].kind {
        ItemKind::Let { value } => {
            if let Def::Is(expr) = &proc.values[*value].def {
                see(Ok(expr));
            }
        }
        ItemKind::Store { to, from } | ItemKind::Accumulate { to, from } => {
            see(Err(to));
            see(Ok(from));
        }
        ItemKind::Call { args, into, .. } => {
            args.iter().for_each(|arg| see(Ok(arg)));
            into.iter().for_each(|place| see(Err(place)));
        }
        ItemKind::Branch { on, .. } => see(Ok(on)),
        ItemKind::Loop { test, .. } => see(Ok(test)),
        ItemKind::Alloc { count, .. } => see(Ok(count)),
        ItemKind::Free { pointer } | ItemKind::Release { pointer, .. } => see(Ok(pointer)),
        ItemKind::Witness { value, .. } => see(Ok(value)),
        ItemKind::Shadowed { place, shadow } => {
            see(Err(place));
            see(Err(shadow));
        }
        ItemKind::Snapshot(Snapshot { at, memory, from, among, .. }) => {
            if let SnapshotAt::Head { passes, .. } = at {
                passes.iter().for_each(|passes| see(Ok(passes)));
            }
            for (place, count) in memory {
                see(Err(place));
                see(Ok(count));
            }
            from.iter().chain(among.iter().flatten()).for_each(|expr| see(Ok(expr)));
        }
        ItemKind::Push { what } => match what {
            Pushed::Value(expr) | Pushed::Count(expr) | Pushed::Bits { value: expr, .. } => see(Ok(expr)),
            Pushed::Elements { place, count } => {
                see(Err(place));
                see(Ok(count));
            }
            Pushed::Pointer { value, bases, base } => {
                see(Ok(value));
                bases.iter().for_each(|expr| see(Ok(expr)));
                see(Ok(base));
            }
        },
        ItemKind::Pop { what } => match what {
            Popped::Memory(place) => see(Err(place)),
            Popped::Elements { place, count } => {
                see(Err(place));
                see(Ok(count));
            }
            Popped::Pointer { bases, shadows, .. } => bases.iter().chain(shadows).for_each(|expr| see(Ok(expr))),
            Popped::Value(_) | Popped::Bits { .. } | Popped::Count(_) => {}
        },
        ItemKind::DeclareVar { .. }
        | ItemKind::Declare { .. }
        | ItemKind::Clear { .. }
        | ItemKind::Undo { .. }
        | ItemKind::Rehearsal { .. }
        | ItemKind::Comment { .. } => {}
    }
}

/// Calls `see` on every value that an item reads: in its expressions, as arm of a join, as what a loop carries.
pub fn values_of_item(proc: &Proc, item: ItemId, see: &mut dyn FnMut(ValueId)) {
    operands(proc, item, &mut |operand| match operand {
        Ok(expr) => values(expr, see),
        Err(place) => values_of_place(place, see),
    });
    match &proc.items[item].kind {
        ItemKind::Branch { joins, .. } => joins.iter().for_each(|join| {
            see(join.then);
            see(join.otherwise);
        }),
        ItemKind::Loop { carried, .. } => carried.iter().for_each(|c| {
            see(c.init);
            see(c.end);
        }),
        _ => {}
    }
}

/// Calls `see` on every value that the extents of what an item declares or allocates mention.
pub fn values_of_extents(proc: &Proc, item: ItemId, see: &mut dyn FnMut(ValueId)) {
    let (ItemKind::Declare { object } | ItemKind::Alloc { object, .. }) = proc.items[item].kind else { return };
    for dim in &proc.objects[object].shape {
        [&dim.lower, &dim.extent].into_iter().flatten().for_each(|bound| values(bound, see));
    }
}
