//! Functions that a reverse sweep would call several times for one value are called once.
//!
//! The adjoint of a statement may read `exp(-x)` in more than one term, and those of the statements around it, too. A
//! compiler calls it each time, because it may set `errno`. Two calls are equal here if they stand in one *row*: items
//! behind each other that change adjoints alone, so that memory of the primal stays as it is.

use super::builder::Builder;
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

impl Builder<'_> {
    /// Gives a name to each call of a function whose value is read again in its row.
    pub(super) fn call_once(&mut self) {
        let mut numbers = Numbers::default();
        for region in self.out.regions.ids() {
            let items = std::mem::take(&mut self.out.regions[region].items);
            let mut kept = Vec::with_capacity(items.len());
            let is_quiet = |item: &ItemId| is_quiet(&self.out.items[*item].kind);
            let rows = items.chunk_by(|a, b| is_quiet(a) && is_quiet(b));
            let rows: Vec<(&[ItemId], bool)> = rows.map(|row| (row, is_quiet(&row[0]))).collect();
            for (row, quiet) in rows {
                numbers.row += 1;
                let mut names = if quiet { repeated(&self.out, row, &mut numbers) } else { Names::default() };
                for &item in row {
                    if !names.is_empty() {
                        let front = self.name_calls(item, region, &mut numbers, &mut names);
                        kept.extend(front);
                    }
                    kept.push(item);
                }
            }
            self.out.regions[region].items = kept;
        }
    }

    /// Puts names in the place of calls in an item. Returns the definitions of new ones.
    fn name_calls(&mut self, item: ItemId, region: RegionId, numbers: &mut Numbers, names: &mut Names) -> Vec<ItemId> {
        let Item { span, statement, .. } = self.out.items[item];
        (self.span, self.statement, self.reversed) = (span, statement, self.origins[item.index()]);
        let mut front = Vec::new();
        let mut kind = self.out.items[item].kind.clone();
        rewrite::item_exprs(&mut kind, &mut |expr| self.name_call(expr, region, numbers, names, &mut front));
        if let ItemKind::Let { value } = kind
            && let Def::Is(mut expr) = self.out.values[value].def.clone()
        {
            self.name_call(&mut expr, region, numbers, names, &mut front);
            self.out.values[value].def = Def::Is(expr);
        }
        self.out.items[item].kind = kind;
        front
    }

    fn name_call(
        &mut self,
        expr: &mut Expr,
        region: RegionId,
        numbers: &mut Numbers,
        names: &mut Names,
        front: &mut Vec<ItemId>,
    ) {
        let number = is_call(expr).then(|| numbers.of(expr)).filter(|number| names.contains_key(number));
        if let Some(&Some(value)) = number.and_then(|number| names.get(&number)) {
            expr.kind = ExprKind::Value(value);
            return;
        }
        always(expr, &mut |part| self.name_call(part, region, numbers, names, front));
        if let Some(number) = number {
            let ty = expr.ty.clone();
            let var = self.variable("value", &ty, VarKind::Temporary);
            let value = self.define(var, Def::Is(expr.clone()), region);
            front.push(self.item(ItemKind::Let { value }));
            names.insert(number, Some(value));
            expr.kind = ExprKind::Value(value);
        }
    }
}

/// Calls by their numbers, with their names once they have one.
type Names = FxHashMap<u32, Option<ValueId>>;

/// The calls that stand in a row more than once.
fn repeated(proc: &Proc, row: &[ItemId], numbers: &mut Numbers) -> Names {
    let (mut seen, mut repeated) = (FxHashSet::default(), Names::default());
    for &item in row {
        let mut kind = proc.items[item].kind.clone();
        rewrite::item_exprs(&mut kind, &mut |expr| count(expr, numbers, &mut seen, &mut repeated));
        if let ItemKind::Let { value } = kind
            && let Def::Is(mut expr) = proc.values[value].def.clone()
        {
            count(&mut expr, numbers, &mut seen, &mut repeated);
            let number = numbers.of(&expr);
            numbers.values.insert(value, number);
        }
    }
    repeated
}

fn count(expr: &mut Expr, numbers: &mut Numbers, seen: &mut FxHashSet<u32>, repeated: &mut Names) {
    if is_call(expr) {
        let number = numbers.of(expr);
        if !seen.insert(number) {
            repeated.insert(number, None);
            return;
        }
    }
    always(expr, &mut |part| count(part, numbers, seen, repeated));
}

/// Calls `see` on the direct operands that are evaluated whenever the expression is.
fn always(expr: &mut Expr, see: &mut dyn FnMut(&mut Expr)) {
    match &mut expr.kind {
        ExprKind::Select(on, ..) | ExprKind::Binary(Binary::And | Binary::Or, on, _) => see(on),
        _ => rewrite::operands(expr, &mut |part| see(part)),
    }
}

/// Whether an item changes adjoints alone. What a sweep stores is an adjoint, or a pointer that is set again.
fn is_quiet(kind: &ItemKind) -> bool {
    matches!(
        kind,
        ItemKind::Store { to: Place { ty: Type::Float { .. }, .. }, .. }
            | ItemKind::Let { .. }
            | ItemKind::Declare { .. }
            | ItemKind::Sweep(SweepItem::Accumulate { .. } | SweepItem::Clear { .. })
    )
}

/// Whether an expression is the call of a function. That which multiplies by an adjoint reads what changes.
fn is_call(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Function(function, _) if *function != Function::share(function.bits))
}

/// Numbers of expressions: equal ones have equal values in a row.
#[derive(Default)]
struct Numbers {
    /// The row at hand, for what reads memory.
    row: u32,
    /// By expression, with numbers in the place of its operands.
    known: FxHashMap<(u32, Expr), u32>,
    values: FxHashMap<ValueId, u32>,
    next: u32,
}

impl Numbers {
    fn of(&mut self, expr: &Expr) -> u32 {
        if let ExprKind::Value(value) = expr.kind
            && let Some(&number) = self.values.get(&value)
        {
            return number;
        }
        let mut key = expr.clone();
        rewrite::operands(&mut key, &mut |part| part.kind = ExprKind::Int(self.of(part).into()));
        let row = if matches!(expr.kind, ExprKind::Load(_)) { self.row } else { 0 };
        let next = self.next + 1;
        let number = *self.known.entry((row, key)).or_insert(next);
        self.next = self.next.max(number);
        number
    }
}
