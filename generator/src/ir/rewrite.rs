//! Rewrites the values and places of a procedure; pruning and compact numbers.

pub use super::parts::parts_mut as operands;
use super::parts::{PartMut, parts_of_dim_mut as dim_exprs, parts_of_item_mut, parts_of_place_mut as place_exprs};
use super::*;
use rustc_hash::FxHashMap;

/// Calls `f` on every expression of an item, outermost ones only.
pub fn item_exprs<'a>(kind: &'a mut ItemKind, f: &mut dyn FnMut(&'a mut Expr)) {
    parts_of_item_mut(kind, &mut |part| match part {
        PartMut::Expr(expr) => f(expr),
        PartMut::Read(place) | PartMut::Written(place) => place_exprs(place, f),
        PartMut::Used(_) | PartMut::Defined(_) | PartMut::Var(_) | PartMut::Object(_) | PartMut::Region(_) => {}
    });
}

/// Replaces values that an expression reads by what `with` says. Replacements stay as they are.
pub fn replace(expr: &mut Expr, with: &mut dyn FnMut(ValueId) -> Option<Expr>) {
    if let ExprKind::Value(value) = expr.kind {
        if let Some(other) = with(value) {
            *expr = other;
        }
        return;
    }
    operands(expr, &mut |operand| replace(operand, with));
}

/// Replaces values that an expression reads by what `with` says, operands of replacements included.
pub fn substitute(expr: &mut Expr, with: &dyn Fn(ValueId) -> Option<Expr>) {
    if let ExprKind::Value(value) = expr.kind
        && let Some(mut other) = with(value)
    {
        substitute(&mut other, with);
        *expr = other;
        return;
    }
    operands(expr, &mut |operand| substitute(operand, with));
}

fn expr_values(expr: &mut Expr, f: &mut dyn FnMut(&mut ValueId)) {
    if let ExprKind::Value(value) = &mut expr.kind {
        f(value);
    }
    operands(expr, &mut |operand| expr_values(operand, f));
}

/// Calls `f` on every mention of a value: uses and definitions.
pub fn values(proc: &mut Proc, f: &mut dyn FnMut(&mut ValueId)) {
    for value in &mut proc.values {
        if let Def::Is(expr) = &mut value.def {
            expr_values(expr, f);
        }
    }
    for param in &mut proc.params {
        param.entry.iter_mut().for_each(&mut *f);
        param.shape.iter_mut().for_each(|dim| dim_exprs(dim, &mut |expr| expr_values(expr, f)));
    }
    for object in &mut proc.objects {
        object.shape.iter_mut().for_each(|dim| dim_exprs(dim, &mut |expr| expr_values(expr, f)));
    }
    proc.result.iter_mut().for_each(|result| expr_values(result, f));
    for item in &mut proc.items {
        item_exprs(&mut item.kind, &mut |expr| expr_values(expr, f));
        item_values(&mut item.kind, f);
    }
    for place in proc.orders.iter_mut().flat_map(order_places) {
        place_exprs(place, &mut |expr| expr_values(expr, f));
    }
}

fn order_places(order: &mut Order) -> impl Iterator<Item = &mut Place> {
    order.read.iter_mut().chain(&mut order.written).map(|touched| &mut touched.place)
}

/// Calls `f` on the values that an item names outside of expressions.
fn item_values(kind: &mut ItemKind, f: &mut dyn FnMut(&mut ValueId)) {
    parts_of_item_mut(kind, &mut |part| {
        if let PartMut::Used(value) | PartMut::Defined(value) = part {
            f(value);
        }
    });
}

/// Calls `f` on every place of a procedure, before those in its subscripts.
pub fn places(proc: &mut Proc, f: &mut dyn FnMut(&mut Place)) {
    for value in &mut proc.values {
        if let Def::Is(expr) = &mut value.def {
            expr_places(expr, f);
        }
    }
    for object in &mut proc.objects {
        object.shape.iter_mut().for_each(|dim| dim_exprs(dim, &mut |expr| expr_places(expr, f)));
    }
    proc.result.iter_mut().for_each(|result| expr_places(result, f));
    for item in &mut proc.items {
        item_places(&mut item.kind, f);
    }
}

/// Calls `f` on every place of an item.
pub fn item_places(kind: &mut ItemKind, f: &mut dyn FnMut(&mut Place)) {
    parts_of_item_mut(kind, &mut |part| {
        if let PartMut::Read(place) | PartMut::Written(place) = part {
            f(place);
        }
    });
    item_exprs(kind, &mut |expr| expr_places(expr, f));
}

/// Calls `f` on every place of an expression.
pub fn expr_places(expr: &mut Expr, f: &mut dyn FnMut(&mut Place)) {
    if let ExprKind::Load(place) | ExprKind::Address(place) = &mut expr.kind {
        f(place);
    }
    operands(expr, &mut |operand| expr_places(operand, f));
}

/// Drops joins, carried variables and definitions of temporaries and flags that nothing reads.
pub fn prune(proc: &mut Proc) {
    let used = used_values(proc);
    let used = |value: ValueId| used[value.index()];
    let (vars, values) = (&proc.vars, &proc.values);
    let made = |value: ValueId| {
        let var = values[value].var;
        matches!(vars[var].kind, VarKind::Temporary | VarKind::Flag)
    };
    for item in &mut proc.items {
        if let ItemKind::Branch { joins, .. } = &mut item.kind {
            joins.retain(|join| used(join.out));
        } else if let ItemKind::Loop { carried, .. } = &mut item.kind {
            carried.retain(|one| used(one.head) || used(one.out));
        } else if let ItemKind::Call { result: slot, .. } = &mut item.kind {
            *slot = slot.filter(|value| used(*value) || !made(*value));
        }
    }
    let dead: Vec<bool> = proc
        .items
        .iter()
        .map(|item| matches!(item.kind, ItemKind::Let { value } if made(value) && !used(value)))
        .collect();
    for region in &mut proc.regions {
        region.items.retain(|item| !dead[item.index()]);
    }
    drop_empty(proc);
}

/// Drops branches that do nothing: both arms empty and nothing joined.
fn drop_empty(proc: &mut Proc) {
    loop {
        let empty: Vec<bool> = proc
            .items
            .iter()
            .map(|item| {
                let ItemKind::Branch { then, otherwise, joins, .. } = &item.kind else { return false };
                let hollow = |region: &RegionId| proc.regions[*region].items.is_empty();
                joins.is_empty() && hollow(then) && hollow(otherwise)
            })
            .collect();
        let mut any = false;
        for region in &mut proc.regions {
            let before = region.items.len();
            region.items.retain(|item| !empty[item.index()]);
            any |= region.items.len() != before;
        }
        if !any {
            return;
        }
    }
}

/// Values that something with an effect reads, directly or through others.
fn used_values(proc: &mut Proc) -> Vec<bool> {
    let mut used = vec![false; proc.values.len()];
    let mut work = Vec::new();
    let mut sources: FxHashMap<ValueId, Vec<ValueId>> = FxHashMap::default();
    let mut roots = Vec::new();
    for item in &mut proc.items {
        if let ItemKind::Branch { joins, .. } = &mut item.kind {
            for join in joins {
                sources.insert(join.out, vec![join.then, join.otherwise]);
            }
        } else if let ItemKind::Loop { carried, .. } = &mut item.kind {
            for one in carried {
                sources.insert(one.head, vec![one.init, one.end]);
                sources.insert(one.out, vec![one.init, one.end, one.head]);
            }
        }
        item_exprs(&mut item.kind, &mut |expr| expr_values(expr, &mut |value| roots.push(*value)));
    }
    for (index, value) in proc.values.iter_mut().enumerate() {
        let Def::Is(expr) = &mut value.def else { continue };
        let mut reads = Vec::new();
        expr_values(expr, &mut |value| reads.push(*value));
        let kind = proc.vars[value.var].kind;
        if matches!(kind, VarKind::User | VarKind::Renamed) {
            roots.extend(&reads);
        }
        sources.insert(ValueId::new(index), reads);
    }
    let dims = proc.params.iter_mut().flat_map(|param| &mut param.shape);
    for dim in dims.chain(proc.objects.iter_mut().flat_map(|object| &mut object.shape)) {
        dim_exprs(dim, &mut |expr| expr_values(expr, &mut |value| roots.push(*value)));
    }
    proc.result.iter_mut().for_each(|result| expr_values(result, &mut |value| roots.push(*value)));
    roots.extend(proc.params.iter().filter_map(|param| param.entry));
    for root in roots {
        if !std::mem::replace(&mut used[root.index()], true) {
            work.push(root);
        }
    }
    while let Some(value) = work.pop() {
        for source in sources.get(&value).into_iter().flatten() {
            if !std::mem::replace(&mut used[source.index()], true) {
                work.push(*source);
            }
        }
    }
    used
}

/// Numbers regions, items, values and variables that are left without gaps, in the order of their old numbers.
pub fn compact(proc: &mut Proc) {
    let regions = reached_regions(proc);
    let mut items = vec![false; proc.items.len()];
    for (index, region) in proc.regions.iter().enumerate() {
        if regions[index] {
            region.items.iter().for_each(|item| items[item.index()] = true);
        }
    }
    let values = defined_values(proc, &items);
    // What reads a value without a definition has no use, so it was dropped.
    let left = |place: &mut Place| {
        let mut left = true;
        place_exprs(place, &mut |expr| expr_values(expr, &mut |value| left &= values[value.index()]));
        left
    };
    proc.orders.retain(|order| items[order.call.index()]);
    for order in &mut proc.orders {
        order.read.retain_mut(|touched| left(&mut touched.place));
        order.written.retain_mut(|touched| left(&mut touched.place));
        order.calls.retain(|call| items[call.index()]);
    }
    let (region_numbers, item_numbers, value_numbers) = (numbers(&regions), numbers(&items), numbers(&values));
    keep(&mut proc.regions, &regions);
    keep(&mut proc.items, &items);
    keep(&mut proc.values, &values);
    for region in &mut proc.regions {
        region.items.iter_mut().for_each(|item| item.0 = item_numbers[item.index()]);
        if let Some((outside, item)) = &mut region.parent {
            (outside.0, item.0) = (region_numbers[outside.index()], item_numbers[item.index()]);
        }
    }
    for object in &mut proc.objects {
        if let Life::Region(region) = &mut object.life {
            region.0 = region_numbers[region.index()];
        }
    }
    for item in &mut proc.items {
        parts_of_item_mut(&mut item.kind, &mut |part| {
            if let PartMut::Region(region) = part {
                region.0 = region_numbers[region.index()];
            }
        });
    }
    self::values(proc, &mut |value| value.0 = value_numbers[value.index()]);
    for call in proc.orders.iter_mut().flat_map(|order| std::iter::once(&mut order.call).chain(&mut order.calls)) {
        call.0 = item_numbers[call.index()];
    }
    for value in &mut proc.values {
        // The extents of a block that is not made any more name what was computed where it was.
        value.region.0 = if regions[value.region.index()] { region_numbers[value.region.index()] } else { 0 };
        match &mut value.def {
            Def::Join(item, _) | Def::Head(item, _) | Def::Out(item, _) => item.0 = item_numbers[item.index()],
            Def::Result(item) | Def::Popped(item) => item.0 = item_numbers[item.index()],
            Def::Entry(_) | Def::Undefined | Def::Is(_) => {}
        }
    }
    number_joins(proc);
    compact_vars(proc);
    proc.shrink();
}

fn reached_regions(proc: &Proc) -> Vec<bool> {
    let mut reached = vec![false; proc.regions.len()];
    let mut work = vec![RegionId(0)];
    while let Some(region) = work.pop() {
        reached[region.index()] = true;
        for item in &proc.regions[region].items {
            work.extend(proc.items[*item].kind.regions());
        }
    }
    reached
}

/// Values with a definition: those of items that are left, parameters, and undefined ones that something names.
fn defined_values(proc: &mut Proc, items: &[bool]) -> Vec<bool> {
    let mut defined = vec![false; proc.values.len()];
    let mut mentioned = vec![false; proc.values.len()];
    for (item, _) in proc.items.iter_mut().zip(items).filter(|(_, left)| **left) {
        item_values(&mut item.kind, &mut |value| defined[value.index()] = true);
        item_exprs(&mut item.kind, &mut |e| expr_values(e, &mut |value| mentioned[value.index()] = true));
    }
    for (value, _) in proc.values.iter_mut().zip(&defined).filter(|(_, defined)| **defined) {
        if let Def::Is(expr) = &mut value.def {
            expr_values(expr, &mut |value| mentioned[value.index()] = true);
        }
    }
    let dims = proc.params.iter_mut().flat_map(|param| &mut param.shape);
    for dim in dims.chain(proc.objects.iter_mut().flat_map(|object| &mut object.shape)) {
        dim_exprs(dim, &mut |expr| expr_values(expr, &mut |value| mentioned[value.index()] = true));
    }
    proc.result.iter_mut().for_each(|e| expr_values(e, &mut |value| mentioned[value.index()] = true));
    for param in &proc.params {
        param.entry.iter().for_each(|value| defined[value.index()] = true);
    }
    defined.iter().zip(&mentioned).map(|(defined, mentioned)| *defined || *mentioned).collect()
}

fn numbers(left: &[bool]) -> Vec<u32> {
    let mut next = 0;
    left.iter()
        .map(|left| {
            let number = next;
            next += u32::from(*left);
            number
        })
        .collect()
}

fn keep<T>(things: &mut Vec<T>, left: &[bool]) {
    let mut index = 0;
    things.retain(|_| {
        index += 1;
        left[index - 1]
    });
}

/// Positions of joins and carried variables in the definitions of their values.
fn number_joins(proc: &mut Proc) {
    for item in proc.items.ids() {
        let Proc { items, values, .. } = proc;
        let kind = &items[item].kind;
        if let ItemKind::Branch { joins, .. } = kind {
            for (at, join) in joins.iter().enumerate() {
                values[join.out].def = Def::Join(item, at as u32);
            }
        } else if let ItemKind::Loop { carried, .. } = kind {
            for (at, one) in carried.iter().enumerate() {
                values[one.head].def = Def::Head(item, at as u32);
                values[one.out].def = Def::Out(item, at as u32);
            }
        }
    }
}

fn compact_vars(proc: &mut Proc) {
    let mut left: Vec<bool> =
        proc.vars.iter().map(|var| matches!(var.kind, VarKind::User | VarKind::Renamed)).collect();
    proc.values.iter().for_each(|value| left[value.var.index()] = true);
    proc.params.iter().filter_map(|param| param.var).for_each(|var| left[var.index()] = true);
    let new = numbers(&left);
    keep(&mut proc.vars, &left);
    let rename = |var: &mut VarId| var.0 = new[var.index()];
    proc.values.iter_mut().for_each(|value| rename(&mut value.var));
    proc.params.iter_mut().filter_map(|param| param.var.as_mut()).for_each(rename);
    for item in &mut proc.items {
        parts_of_item_mut(&mut item.kind, &mut |part| {
            if let PartMut::Var(var) = part {
                rename(var);
            }
        });
    }
}
