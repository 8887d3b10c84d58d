//! What each value is in terms of others: the moves of the token game, prepared once for a procedure.

use super::control::{self, Index};
use super::decisions;
use crate::ir::walk;
use crate::ir::{Binary, Def, Expr, ExprKind, ItemId, ItemKind, Life, Proc, RegionId, Type, ValueId, zero};
use rustc_hash::{FxHashMap, FxHashSet};

/// A definition that can be evaluated again.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The expression.
    pub expr: Expr,
    /// The item at which the program evaluates it: loads in it are loads there.
    pub item: ItemId,
    /// Operations, weighted: see [`cost`].
    pub cost: u32,
    /// Whether it reads memory.
    pub loads: bool,
    /// Whether it may be solved for an operand: assignments of integers and pointers.
    pub invertible: bool,
}

/// All definitions of a procedure, and who uses whom.
pub struct Definitions {
    definitions: Vec<Option<Definition>>,
    users: Vec<Vec<ValueId>>,
    by_region: FxHashMap<RegionId, Vec<ValueId>>,
    /// Values that the extents of local objects are computed from.
    sizes: FxHashSet<ValueId>,
    /// Loops whose passes are counted by an index.
    pub indices: FxHashMap<ItemId, Index>,
}

impl Definitions {
    /// The definitions of a procedure.
    pub fn new(proc: &Proc) -> Self {
        let indices = control::indices(proc);
        let mut lets = FxHashMap::default();
        for (at, item) in proc.items.iter().enumerate() {
            if let ItemKind::Let { value } = item.kind {
                lets.insert(value, ItemId::new(at));
            }
        }
        let mut all = Definitions {
            definitions: vec![None; proc.values.len()],
            users: vec![Vec::new(); proc.values.len()],
            by_region: FxHashMap::default(),
            sizes: FxHashSet::default(),
            indices,
        };
        for value in proc.values.ids() {
            all.by_region.entry(proc.values[value].region).or_default().push(value);
            let known = all.definition(proc, value, &lets);
            let Some((expr, item, invertible)) = known.filter(|known| !decisions::may_differ(proc, &known.0)) else {
                continue;
            };
            let mut operands = Vec::new();
            walk::values(&expr, &mut |v| operands.push(v));
            for operand in operands {
                if !all.users[operand.index()].contains(&value) {
                    all.users[operand.index()].push(value);
                }
            }
            all.definitions[value.index()] =
                Some(Definition { cost: cost(&expr), loads: walk::loads(&expr), expr, item, invertible });
        }
        all.find_sizes(proc);
        all
    }

    /// Finds the values that the extents of local objects are computed from, up to those that memory gives.
    fn find_sizes(&mut self, proc: &Proc) {
        let mut open = Vec::new();
        let local = proc.objects.iter().filter(|object| matches!(object.life, Life::Region(_)));
        for extent in local.flat_map(|object| &object.shape).filter_map(|dim| dim.extent.as_deref()) {
            walk::values(extent, &mut |value| open.push(value));
        }
        while let Some(value) = open.pop() {
            if self.sizes.insert(value)
                && let Some(known) = &self.definitions[value.index()]
            {
                walk::values(&known.expr, &mut |operand| open.push(operand));
            }
        }
    }

    /// Whether the extent of a local object is computed from a value. A reverse sweep makes these objects before it has
    /// the contents of others.
    pub fn is_size(&self, value: ValueId) -> bool {
        self.sizes.contains(&value)
    }

    fn definition(
        &self,
        proc: &Proc,
        value: ValueId,
        lets: &FxHashMap<ValueId, ItemId>,
    ) -> Option<(Expr, ItemId, bool)> {
        let integral = !matches!(proc.type_of(value), Type::Float { .. });
        match &proc.values[value].def {
            // The reverse sweep does not make the block again.
            Def::Is(expr) if names_stable(proc, expr) => None,
            Def::Is(expr) => Some((expr.clone(), *lets.get(&value)?, integral)),
            // Nobody may depend on it, so any constant will do.
            Def::Undefined => Some((zero(proc.type_of(value)), ItemId(0), false)),
            Def::Join(item, k) => Some((join(proc, *item, *k, lets)?, *item, integral)),
            Def::Head(item, k) => Some((implied(proc, *item, *k)?, *item, false)),
            Def::Out(item, k) => {
                let index = self.indices.get(item)?;
                let ItemKind::Loop { body, carried, .. } = &proc.items[*item].kind else { return None };
                let out = if index.carried == *k {
                    index.out(proc)
                } else {
                    index.out_of(proc, &carried[*k as usize], *body)?
                };
                Some((out, *item, false))
            }
            Def::Entry(_) | Def::Result(_) | Def::Popped(_) => None,
        }
    }

    /// The definition of a value, if it can be evaluated again.
    pub fn get(&self, value: ValueId) -> Option<&Definition> {
        self.definitions[value.index()].as_ref()
    }

    /// The values whose definitions read this one.
    pub fn users(&self, value: ValueId) -> &[ValueId] {
        &self.users[value.index()]
    }

    /// The values that are defined in a region, in order.
    pub fn of_region(&self, region: RegionId) -> &[ValueId] {
        self.by_region.get(&region).map_or(&[], |values| values)
    }
}

/// Whether an expression is the address of a new block of the stable heap.
fn names_stable(proc: &Proc, expr: &Expr) -> bool {
    let ExprKind::Address(place) = &expr.kind else { return false };
    place.base.object().is_some_and(|object| proc.objects[object].life == Life::Stable)
}

/// A join as a choice between what its arms assign, if each arm computes that from values of outside.
fn join(proc: &Proc, item: ItemId, k: u32, lets: &FxHashMap<ValueId, ItemId>) -> Option<Expr> {
    let ItemKind::Branch { on, then, otherwise, joins } = &proc.items[item].kind else { return None };
    let join = &joins[k as usize];
    let first = inlined(proc, join.then, *then, lets)?;
    let second = inlined(proc, join.otherwise, *otherwise, lets)?;
    let ty = first.ty.clone();
    Some(Expr::select(on.clone(), first, second, ty))
}

/// A value of an arm in terms of values outside of it. No loads: the arm may write what it has read.
fn inlined(proc: &Proc, value: ValueId, arm: RegionId, lets: &FxHashMap<ValueId, ItemId>) -> Option<Expr> {
    let this = &proc.values[value];
    if this.region != arm {
        return Some(proc.value_expr(value));
    }
    let Def::Is(expr) = &this.def else { return None };
    if walk::loads(expr) || names_stable(proc, expr) || cost(expr) > 8 || !lets.contains_key(&value) {
        return None;
    }
    let mut whole = true;
    let new = walk::replace(expr, &mut |v| match inlined(proc, v, arm, lets) {
        Some(e) => Some(e),
        None => {
            whole = false;
            None
        }
    });
    whole.then_some(new)
}

/// A flag that the test of a loop requires to be 0 is 0 whenever a pass begins.
fn implied(proc: &Proc, item: ItemId, k: u32) -> Option<Expr> {
    let ItemKind::Loop { test, at: crate::ir::TestAt::Before, carried, .. } = &proc.items[item].kind else {
        return None;
    };
    let head = carried[k as usize].head;
    control::requires_zero(test, head).then(|| zero(proc.type_of(head)))
}

/// Operations of an expression: 1 each, 4 a division, 20 a function, 1 a load.
pub fn cost(expr: &Expr) -> u32 {
    let mut sum = 0;
    walk::expressions(expr, &mut |e| {
        sum += match &e.kind {
            ExprKind::Binary(Binary::Divide | Binary::Remainder, ..) => 4,
            ExprKind::Function(..) => 20,
            ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Load(_) | ExprKind::Select(..) => 1,
            _ => 0,
        };
    });
    sum
}
