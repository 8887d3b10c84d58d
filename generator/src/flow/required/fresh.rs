//! First stores into blocks of the stable heap: what they overwrite has no value, so nobody needs it.
//!
//! The blocks that one place of the source makes are one location here, so the contents of the others may be required.

use super::Required;
use crate::flow::locs::Loc;
use crate::flow::poly::Facts;
use crate::flow::sections::Piece;
use crate::ir::*;

impl Required<'_> {
    /// Whether a store into these pieces is the first one to each element that it reaches, in a block that was made in the
    /// same pass of the region around both: nothing in between may write to blocks of that place, and the passes of a loop
    /// around the store write different elements.
    pub(super) fn is_first(&self, p: ProcId, id: ItemId, to: &Place, facts: &Facts, pieces: &[(Loc, Piece)]) -> bool {
        self.first_into_block(p, id, to, facts, pieces) == Some(true)
    }

    fn first_into_block(
        &self,
        p: ProcId,
        id: ItemId,
        to: &Place,
        facts: &Facts,
        pieces: &[(Loc, Piece)],
    ) -> Option<bool> {
        let proc = &self.flow.program.procs[p];
        let (object, value) = block(proc, to)?;
        let positions = &self.positions[p.index()];
        let makes = |item: &ItemId| {
            let kind = &proc.items[*item].kind;
            matches!(kind, ItemKind::Alloc { object: this, zeroed: false, .. } if *this == object)
        };
        let (home, made) = positions[proc.items.ids().find(makes)?.index()]?;
        let is_named = |item: &ItemId| matches!(proc.items[*item].kind, ItemKind::Let { value: this } if this == value);
        if !proc.regions[home].items.get(made + 1..)?.iter().any(is_named) {
            return None;
        }
        let writes = |region: RegionId, other: &dyn Fn(usize) -> bool| {
            let writers = self.writers(p, region);
            let at = pieces.iter().flat_map(|(loc, _)| writers.get(loc).into_iter().flatten());
            at.map(|(position, _)| *position).any(other)
        };
        let (mut region, mut at) = positions[id.index()]?;
        let mut around = Vec::new();
        while region != home {
            if writes(region, &|position| position != at) {
                return None;
            }
            let (_, item) = proc.regions[region].parent?;
            around.extend(matches!(proc.items[item].kind, ItemKind::Loop { .. }).then_some(item));
            (region, at) = positions[item.index()]?;
        }
        let is_between = |position: usize| made < position && position < at;
        let is_once = match around[..] {
            [] => true,
            [around] => self.comes_back_nowhere(p, around, to, facts),
            _ => false,
        };
        Some(is_once && made < at && !writes(home, &is_between))
    }

    /// Whether each pass of a loop has another subscript: a variable that each pass changes by a constant.
    fn comes_back_nowhere(&self, p: ProcId, around: ItemId, place: &Place, facts: &Facts) -> bool {
        let ItemKind::Loop { carried, .. } = &self.flow.program.procs[p].items[around].kind else { return false };
        let Some(Step::Index(subscripts)) = place.path.first() else { return false };
        let [Subscript { at, .. }] = &subscripts[..] else { return false };
        let is_wide = |ty: &Type| matches!(ty, Type::Int { bits: 32.., .. });
        let at = match &at.kind {
            ExprKind::Cast(inner) if is_wide(&at.ty) => inner,
            _ => at,
        };
        let Some(index) = carried.iter().find(|index| at.kind == ExprKind::Value(index.head)) else { return false };
        let step = self.locator.value(p, index.end, facts).sub(&self.locator.atom(p, index.head));
        is_wide(&at.ty) && step.and_then(|step| step.as_constant()).is_some_and(|step| step != 0)
    }
}

/// The block that a place lies in, and the value that names it: `p`, of `p = malloc(…)`.
fn block(proc: &Proc, place: &Place) -> Option<(ObjectId, ValueId)> {
    let ExprKind::Value(value) = uncast(place.base.pointer()?).kind else { return None };
    let Def::Is(address) = &proc.values[value].def else { return None };
    let ExprKind::Address(whole) = &uncast(address).kind else { return None };
    let object = whole.base.object().filter(|object| proc.objects[*object].life == Life::Stable)?;
    let is_first = |step: &Step| matches!(step, Step::Index(all) if all.iter().all(|s| s.at.kind == ExprKind::Int(0)));
    whole.path.iter().all(is_first).then_some((object, value))
}

fn uncast(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast(inner) => uncast(inner),
        _ => expr,
    }
}
