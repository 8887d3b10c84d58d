//! Loops that languages have statements for: those that step a variable, and those that count down.

use super::index::Index;
use crate::ir::*;
use crate::plan::control;
use rustc_hash::FxHashMap;

/// The parts of a `for`.
#[derive(Clone, Debug)]
pub(in crate::emit) struct Head {
    /// The variable that it steps.
    pub(in crate::emit) var: VarId,
    /// The last item of the body.
    pub(in crate::emit) step: ItemId,
    /// The item right in front of the loop, if it gives the variable its first value.
    pub(in crate::emit) init: Option<ItemId>,
    /// Whether nothing but the loop and `init` mentions the variable.
    pub(in crate::emit) own: bool,
}

/// By value: a loop that counts down in its test, `for (int i = n; i-- > 0;)`.
#[derive(Clone, Debug)]
pub(in crate::emit) struct Down {
    /// Position of the counter among the carried variables.
    pub(in crate::emit) carried: usize,
    /// The counter when a pass begins: one more than what the body reads.
    pub(in crate::emit) head: ValueId,
    /// What the body reads.
    pub(in crate::emit) here: ValueId,
    /// The item that defines it.
    pub(in crate::emit) item: ItemId,
    /// The item that defines the first value, if nothing else reads that.
    pub(in crate::emit) init: Option<ItemId>,
    /// What is tested in front of each pass: more than, or other than, the bound.
    pub(in crate::emit) test: Binary,
    /// The bound.
    pub(in crate::emit) bound: i128,
}

/// The loops of a procedure that are printed as `for`.
pub(in crate::emit) fn heads(proc: &Proc) -> FxHashMap<ItemId, Head> {
    let mentions = Mentions::new(proc);
    let mut found = FxHashMap::default();
    for region in &proc.regions {
        for (at, &item) in region.items.iter().enumerate() {
            if let Some(head) = head(proc, &mentions, item, region.items[..at].last().copied()) {
                found.insert(item, head);
            }
        }
    }
    found
}

fn head(proc: &Proc, mentions: &Mentions, item: ItemId, before: Option<ItemId>) -> Option<Head> {
    let ItemKind::Loop { test, at: TestAt::Before, body, carried } = &proc.items[item].kind else {
        return None;
    };
    let step = *proc.regions[*body].items.last()?;
    let ItemKind::Let { value } = proc.items[step].kind else { return None };
    let each = carried.iter().find(|each| each.end == value)?;
    let Def::Is(next) = &proc.values[value].def else { return None };
    let mut outside = !walk::loads(next);
    walk::values(next, &mut |other| outside &= other == each.head || !control::inside(proc, other, *body));
    // A test that does not read the variable belongs to a loop of another kind.
    let mut tested = false;
    walk::values(test, &mut |other| tested |= other == each.head);
    // The other carried variables get their values at the end of the body: behind the step.
    let others = carried.iter().filter(|other| other.end != value);
    let settled = |other: &Carried| {
        let end = &proc.values[other.end];
        end.var == other.var && other.end != each.head
    };
    if !outside || !tested || !others.into_iter().all(settled) {
        return None;
    }
    let user = proc.vars[each.var].kind == VarKind::User;
    let gives = |item: &ItemId| matches!(proc.items[*item].kind, ItemKind::Let { value } if value == each.init);
    let init = before.filter(gives).filter(|_| proc.values[each.init].var == each.var);
    let init = init.filter(|_| !is_announced(proc, *body, each.init));
    let own = user && init.is_some_and(|init| alone(proc, mentions, each.var, item, init));
    Some(Head { var: each.var, step, init, own })
}

/// Whether the handle of a loop's snapshots is made, in front of the loop, with a value.
fn is_announced(proc: &Proc, body: RegionId, value: ValueId) -> bool {
    let mut named = false;
    for item in &proc.regions[body].items {
        let ItemKind::Sweep(SweepItem::Snapshot(snapshot)) = &proc.items[*item].kind else { continue };
        let SnapshotAt::Head { passes, .. } = &snapshot.at else { continue };
        passes
            .iter()
            .chain(snapshot.among.iter().flatten())
            .for_each(|e| walk::values(e, &mut |other| named |= other == value));
    }
    named
}

/// The loops of a reverse sweep that count down.
pub(in crate::emit) fn downs(proc: &Proc) -> FxHashMap<ItemId, Down> {
    let mut reads: FxHashMap<ValueId, usize> = FxHashMap::default();
    let mut lets = FxHashMap::default();
    for item in proc.regions.iter().flat_map(|region| &region.items) {
        walk::values_of_item(proc, *item, &mut |value| *reads.entry(value).or_default() += 1);
        walk::values_of_extents(proc, *item, &mut |value| *reads.entry(value).or_default() += 1);
        if let ItemKind::Let { value } = proc.items[*item].kind {
            lets.insert(value, *item);
        }
    }
    let count = |value: ValueId| reads.get(&value).copied().unwrap_or(0);
    let mut found = FxHashMap::default();
    for &item in proc.regions.iter().flat_map(|region| &region.items) {
        let ItemKind::Loop { test, at: TestAt::Before, body, carried } = &proc.items[item].kind else {
            continue;
        };
        let ExprKind::Binary(op @ (Binary::Greater | Binary::NotEqual), left, bound) = &test.kind else { continue };
        let ExprKind::Int(bound @ 0..) = bound.kind else { continue };
        let Some(at) = carried.iter().position(|each| left.kind == ExprKind::Value(each.head)) else { continue };
        let each = &carried[at];
        let one_less = |value: ValueId| match &proc.values[value].def {
            Def::Is(Expr { kind: ExprKind::Binary(Binary::Subtract, x, y), .. }) => {
                x.kind == ExprKind::Value(each.head) && y.kind == ExprKind::Int(1)
            }
            _ => false,
        };
        let Some(&defined) = lets.get(&each.end) else { continue };
        let in_body = proc.values[each.end].region == *body;
        // The test and the definition read the head, nothing reads what is left behind the loop.
        if !in_body || !one_less(each.end) || count(each.head) != 2 || count(each.out) != 0 {
            continue;
        }
        let init = lets.get(&each.init).copied().filter(|_| count(each.init) == 1);
        let plain = |item: &ItemId| {
            let ItemKind::Let { value } = proc.items[*item].kind else { return false };
            matches!(&proc.values[value].def, Def::Is(from) if !walk::loads(from))
        };
        let init = init
            .filter(plain)
            .filter(|_| proc.values[each.init].region == proc.regions[*body].parent.map_or(*body, |parent| parent.0));
        found
            .insert(item, Down { carried: at, head: each.head, here: each.end, item: defined, init, test: *op, bound });
    }
    found
}

/// By value: what loops begin with that is a number, which nothing else reads, with the item that defines it.
pub(in crate::emit) fn begins(
    proc: &Proc,
    index: &Index,
    downs: &FxHashMap<ItemId, Down>,
) -> FxHashMap<ValueId, ItemId> {
    let mut found = FxHashMap::default();
    let items = proc.regions.iter().flat_map(|region| &region.items);
    for &item in items.filter(|item| !downs.contains_key(item)) {
        let ItemKind::Loop { carried, .. } = &proc.items[item].kind else { continue };
        for each in carried {
            let number = matches!(&proc.values[each.init].def, Def::Is(Expr { kind: ExprKind::Int(_), .. }));
            if number && index.readers.get(&each.init) == Some(&1) {
                found.extend(index.lets.get(&each.init).map(|item| (each.init, *item)));
            }
        }
    }
    found
}

/// The items that mention each variable, with their regions; a parameter and what the result reads have none of their
/// own in addition.
#[derive(Default)]
struct Mentions {
    of: FxHashMap<VarId, Vec<(RegionId, Option<ItemId>)>>,
}

impl Mentions {
    fn new(proc: &Proc) -> Mentions {
        let mut mentions = Mentions::default();
        let var = |value: ValueId| proc.values[value].var;
        for (at, region) in proc.regions.iter().enumerate() {
            for &item in &region.items {
                let mut see = |var| mentions.see(var, RegionId::new(at), Some(item));
                walk::values_of_item(proc, item, &mut |value| see(var(value)));
                let kind = &proc.items[item].kind;
                if let ItemKind::Let { value } | ItemKind::Call { result: Some(value), .. } = kind {
                    see(var(*value))
                } else if let ItemKind::Branch { joins, .. } = kind {
                    joins.iter().for_each(|join| see(join.var))
                } else if let ItemKind::Loop { carried, .. } = kind {
                    carried.iter().for_each(|each| see(each.var))
                } else {
                    walk::values_of_extents(proc, item, &mut |value| see(var(value)))
                }
            }
        }
        proc.params.iter().filter_map(|param| param.var).for_each(|var| mentions.see(var, RegionId(0), None));
        if let Some(result) = &proc.result {
            walk::values(result, &mut |value| mentions.see(var(value), RegionId(0), None));
        }
        mentions
    }

    fn see(&mut self, var: VarId, region: RegionId, item: Option<ItemId>) {
        let all = self.of.entry(var).or_default();
        if all.last() != Some(&(region, item)) {
            all.push((region, item));
        }
    }
}

/// Whether only a loop and the definition in front of it mention a variable.
fn alone(proc: &Proc, mentions: &Mentions, var: VarId, item: ItemId, init: ItemId) -> bool {
    let of = |value: ValueId| proc.values[value].var == var;
    let ItemKind::Loop { body, carried, .. } = &proc.items[item].kind else { return false };
    let here = |(region, other): &(RegionId, Option<ItemId>)| match other {
        Some(other) => [item, init].contains(other) || proc.is_within(*region, *body),
        None => false,
    };
    let mut alone = mentions.of.get(&var).into_iter().flatten().all(here);
    // Values of the loop's own variables, as other variables begin with or end behind it.
    for each in carried.iter().filter(|each| each.var != var) {
        alone &= !of(each.init);
    }
    let mut first_reads_itself = false;
    walk::values_of_item(proc, init, &mut |value| first_reads_itself |= of(value));
    alone && !first_reads_itself
}
