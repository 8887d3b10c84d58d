//! Loops whose passes commute, turned upwards, with what they add to one element summed beside it.

use rustc_hash::{FxHashMap, FxHashSet};

use super::access::Commuting;
use crate::ir::*;

/// A reverse sweep that is being rearranged.
pub(super) struct Rewriter<'a> {
    proc: &'a mut Proc,
    /// How often each value is used.
    uses: FxHashMap<ValueId, usize>,
    /// The items that define values.
    lets: FxHashMap<ValueId, ItemId>,
    /// By value that is gone: the one in its place.
    renamed: FxHashMap<ValueId, ValueId>,
    /// By loop: the items that come in front of it and behind it.
    around: FxHashMap<ItemId, [Vec<ItemId>; 2]>,
    /// Items that are no longer where they stood.
    moved: FxHashSet<ItemId>,
}

impl<'a> Rewriter<'a> {
    pub fn new(proc: &'a mut Proc) -> Rewriter<'a> {
        let (mut uses, mut lets) = (FxHashMap::default(), FxHashMap::default());
        for item in proc.regions.iter().flat_map(|region| &region.items) {
            let mut see = |value| *uses.entry(value).or_default() += 1;
            walk::values_of_item(proc, *item, &mut see);
            walk::values_of_extents(proc, *item, &mut see);
            if let ItemKind::Let { value } = proc.items[*item].kind {
                lets.insert(value, *item);
            }
        }
        let (renamed, around, moved) = (FxHashMap::default(), FxHashMap::default(), FxHashSet::default());
        Rewriter { proc, uses, lets, renamed, around, moved }
    }

    /// The sweep as it is.
    pub fn proc(&self) -> &Proc {
        self.proc
    }

    /// Puts items where they belong, and names values by those in their place.
    pub fn finish(self) {
        let Rewriter { proc, renamed, mut around, moved, .. } = self;
        if around.is_empty() && moved.is_empty() {
            return;
        }
        for region in proc.regions.iter_mut() {
            let items = std::mem::take(&mut region.items).into_iter().filter(|item| !moved.contains(item));
            region.items = items
                .flat_map(|item| {
                    let [before, behind] = around.remove(&item).unwrap_or_default();
                    before.into_iter().chain([item]).chain(behind)
                })
                .collect();
        }
        rewrite::values(proc, &mut |value| *value = renamed.get(value).copied().unwrap_or(*value));
    }

    /// Rearranges a loop of a region.
    pub fn rearrange(&mut self, region: RegionId, item: ItemId, found: &Commuting) {
        let entered = self.entered(item);
        self.turn(region, item);
        let mut sums: Vec<(Place, ObjectId)> = Vec::new();
        for &add in &found.sums {
            let ItemKind::Sweep(SweepItem::Accumulate { to, .. }) = &self.proc.items[add].kind else { continue };
            let place = to.clone();
            let known = sums.iter().find(|(other, _)| *other == place).map(|(_, sum)| *sum);
            let sum = known.unwrap_or_else(|| {
                let sum = self.summed(region, item, &place, add, entered.as_ref());
                sums.push((place, sum));
                sum
            });
            let ItemKind::Sweep(SweepItem::Accumulate { to, .. }) = &mut self.proc.items[add].kind else { continue };
            (to.base, to.path) = (Base::Object(sum), Vec::new());
        }
        if found.at_once && !(sums.is_empty() && found.scalars.is_empty()) {
            let all = sums.into_iter().map(|(_, sum)| sum).chain(found.scalars.iter().copied());
            self.proc.sums.insert(item, all.collect());
        }
    }

    /// A sum beside a loop, which is added to a place behind it; `like`: an item that adds there.
    fn summed(
        &mut self,
        region: RegionId,
        item: ItemId,
        place: &Place,
        like: ItemId,
        entered: Option<&Expr>,
    ) -> ObjectId {
        self.hoist(region, item, place);
        let (ty, life, span) = (place.ty.clone(), Life::Region(region), self.proc.items[like].span);
        let (name, elem) = ("total".into(), ty.clone());
        self.proc.objects.push(Object { name, elem, shape: Vec::new(), life, constant: false, span });
        let object = ObjectId::new(self.proc.objects.len() - 1);
        let total = Place { base: Base::Object(object), path: Vec::new(), ty };
        let begun = ItemKind::Store { to: total.clone(), from: zero(&total.ty) };
        let added = ItemKind::Sweep(SweepItem::Accumulate { to: place.clone(), from: Expr::load(total) });
        let declared = self.item(ItemKind::Declare { object }, like);
        let begun = self.item(begun, like);
        let added = self.item(added, like);
        let behind = entered.map_or(added, |entered| self.guarded(region, added, entered));
        let [before, after] = self.around.entry(item).or_default();
        before.extend([declared, begun]);
        after.push(behind);
        object
    }

    /// Defines what a place is made of in front of the loop that defined it: the same in all passes.
    fn hoist(&mut self, region: RegionId, item: ItemId, place: &Place) {
        let ItemKind::Loop { body, .. } = self.proc.items[item].kind else { return };
        let mut wanted = Vec::new();
        walk::values_of_place(place, &mut |value| self.inside(body, value, &mut wanted));
        for value in wanted {
            if let Some(&defined) = self.lets.get(&value) {
                self.put_before(item, defined);
                self.proc.values[value].region = region;
            }
        }
    }

    /// Puts an item in front of a loop, from where it stood.
    fn put_before(&mut self, item: ItemId, moved: ItemId) {
        self.moved.insert(moved);
        self.around.entry(item).or_default()[0].push(moved);
    }

    /// A value that a loop defines, behind those that it is made of.
    fn inside(&self, body: RegionId, value: ValueId, wanted: &mut Vec<ValueId>) {
        if self.proc.values[value].region != body || wanted.contains(&value) {
            return;
        }
        if let Def::Is(from) = &self.proc.values[value].def {
            walk::values(from, &mut |other| self.inside(body, other, wanted));
        }
        wanted.push(value);
    }

    /// Whether a loop has a pass; `None`: it surely has.
    fn entered(&self, item: ItemId) -> Option<Expr> {
        let ItemKind::Loop { test, carried, .. } = &self.proc.items[item].kind else { unreachable!("a loop") };
        let begins = |value: ValueId| {
            let each = carried.iter().find(|each| each.head == value)?;
            match &self.proc.values[each.init].def {
                Def::Is(from) if !walk::loads(from) => Some(from.clone()),
                _ => Some(self.proc.value_expr(each.init)),
            }
        };
        let entered = walk::replace(test, &mut { begins });
        let entered = match &entered.kind {
            ExprKind::Binary(Binary::Greater, from, bound) => below(bound, from),
            _ => entered,
        };
        let ExprKind::Binary(op, low, high) = &entered.kind else { return Some(entered) };
        let is_sure = match (op, &low.kind, &high.kind) {
            (Binary::Less, ExprKind::Int(low), ExprKind::Int(high)) => low < high,
            (Binary::LessEqual, ExprKind::Int(low), ExprKind::Int(high)) => low <= high,
            // Compilers warn of that.
            (Binary::LessEqual, ExprKind::Int(0), _) => matches!(high.ty, Type::Int { signed: false, .. }),
            _ => false,
        };
        (!is_sure).then_some(entered)
    }

    /// An item that runs if the loop has run.
    fn guarded(&mut self, region: RegionId, item: ItemId, entered: &Expr) -> ItemId {
        let branch = self.item(ItemKind::Sweep(SweepItem::Nothing), item);
        let mut arm = |items| {
            self.proc.regions.push(Region { items, parent: Some((region, branch)) });
            RegionId::new(self.proc.regions.len() - 1)
        };
        let (then, otherwise) = (arm(vec![item]), arm(Vec::new()));
        self.proc.items[branch].kind = ItemKind::Branch { on: entered.clone(), then, otherwise, joins: Vec::new() };
        branch
    }

    /// Turns a loop that counts down upwards: from the bound to where it began.
    fn turn(&mut self, region: RegionId, item: ItemId) -> Option<()> {
        let ItemKind::Loop { test, body, carried, .. } = &self.proc.items[item].kind else { return None };
        let ([each], ExprKind::Binary(op @ (Binary::Greater | Binary::NotEqual), left, bound)) =
            (&carried[..], &test.kind)
        else {
            return None;
        };
        let (op, each, body, bound) = (*op, each.clone(), *body, (**bound).clone());
        let head = Expr::value(each.head, left.ty.clone());
        let Def::Is(next) = &self.proc.values[each.end].def else { return None };
        let defined = *self.lets.get(&each.end)?;
        let is_down = **left == head && *next == head.offset(-1) && self.proc.values[each.end].region == body;
        // The test and the step read the head, nothing reads what the loop leaves.
        let alone = self.uses.get(&each.head) == Some(&2) && !self.uses.contains_key(&each.out);
        let at_top = self.proc.regions[body].items.contains(&defined);
        if !(is_down && alone && at_top) || walk::loads(&bound) {
            return None;
        }
        let span = self.proc.items[item].span;
        let first = self.value(each.var, bound, region, span);
        let end = self.value(each.var, head.offset(1), body, span);
        // Items that defined what is gone define what comes in its place.
        let (limit, free) = self.limit(region, each.init);
        let begin = free.unwrap_or_else(|| self.item(ItemKind::Sweep(SweepItem::Nothing), item));
        self.proc.items[begin].kind = ItemKind::Let { value: first };
        self.put_before(item, begin);
        self.proc.items[defined].kind = ItemKind::Let { value: end };
        let items = &mut self.proc.regions[body].items;
        items.retain(|other| *other != defined);
        items.push(defined);
        let test = match op {
            Binary::Greater => below(&head, &limit),
            _ => Expr::binary(op, head, limit, Type::int()),
        };
        let carried = vec![Carried { init: first, end, ..each.clone() }];
        self.proc.items[item].kind = ItemKind::Loop { test, at: TestAt::Before, body, carried };
        self.renamed.insert(each.end, each.head);
        self.proc.values[each.end].def = Def::Undefined;
        Some(())
    }

    /// Where a loop began, in its test: the expression, if the loop alone reads it, with the item that defined it.
    fn limit(&mut self, region: RegionId, init: ValueId) -> (Expr, Option<ItemId>) {
        let value = &self.proc.values[init];
        match (&value.def, self.lets.get(&init)) {
            (Def::Is(from), Some(&defined))
                if value.region == region && self.uses.get(&init) == Some(&1) && !walk::loads(from) =>
            {
                let from = from.clone();
                self.proc.values[init].def = Def::Undefined;
                (from, Some(defined))
            }
            _ => (self.proc.value_expr(init), None),
        }
    }

    fn value(&mut self, var: VarId, expr: Expr, region: RegionId, span: Span) -> ValueId {
        self.proc.values.push(Value { var, def: Def::Is(expr), region, span });
        ValueId::new(self.proc.values.len() - 1)
    }

    /// An item that comes from where another one comes from.
    fn item(&mut self, kind: ItemKind, like: ItemId) -> ItemId {
        let Item { span, statement, .. } = self.proc.items[like];
        self.proc.items.push(Item { kind, span, statement });
        ItemId::new(self.proc.items.len() - 1)
    }
}

/// `low < high`; `low <= n` where `high` is `n + 1`.
fn below(low: &Expr, high: &Expr) -> Expr {
    let before = high.offset(-1);
    let (op, high) = match (&high.kind, &before.kind) {
        (ExprKind::Binary(Binary::Add, ..), ExprKind::Value(_) | ExprKind::Int(_)) => (Binary::LessEqual, before),
        _ => (Binary::Less, high.clone()),
    };
    Expr::binary(op, low.clone(), high, Type::int())
}
