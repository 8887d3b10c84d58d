//! Objects of a procedure that a snapshot has as a whole, and the blocks among them.

use std::collections::BTreeSet;

use super::super::locs::{Loc, Root};
use super::super::walk;
use super::again::{long, number, product};
use super::state::Required;
use crate::flow::required::state::Hull;
use crate::ir::{
    Base, Dim, Expr, ExprKind, ItemId, ItemKind, Life, ObjectId, Place, Proc, ProcId, Step, Subscript, Type, ValueId,
};

impl Required<'_> {
    /// An object of the procedure, all of it.
    pub(super) fn whole_object(&self, p: ProcId, item: ItemId, o: ObjectId) -> Result<Vec<Hull>, String> {
        let proc = &self.flow.program.procs[p];
        let object = &proc.objects[o];
        let block = if object.life.is_block() {
            let alloc =
                self.only_alloc(p, o).ok_or_else(|| format!("there may be several blocks '{}'", object.name))?;
            let ItemKind::Alloc { count, .. } = &proc.items[alloc].kind else { unreachable!("found as one") };
            if self.is_resized(p, Root::Object(p, o)) {
                return Err(format!("'realloc' gives '{}' another size", object.name));
            }
            Some(count)
        } else {
            None
        };
        self.base_of(p, item, o)
            .and_then(|base| whole(base, &object.elem, &object.shape, block, &|value| is_outside(proc, value, item)))
            .ok_or_else(|| format!("the extents of '{}' are not known in front of the loop", object.name))
    }

    /// Where an object of the procedure is made, if it is one block.
    fn only_alloc(&self, p: ProcId, o: ObjectId) -> Option<ItemId> {
        let proc = &self.flow.program.procs[p];
        let makes = |id: &&ItemId| matches!(proc.items[**id].kind, ItemKind::Alloc { object, .. } if object == o);
        let mut all = proc.regions.iter().flat_map(|region| &region.items).filter(makes);
        let alloc = all.next().filter(|_| all.next().is_none())?;
        let single = self.flow.points.locs.find(Root::Object(p, o)).is_some_and(|top| self.single(p, top));
        (single || self.runs_once_a_head(p, *alloc)).then_some(*alloc)
    }

    /// What names an object in front of a loop: of the stable heap, a pointer, since the block comes back at its address.
    pub(super) fn base_of(&self, p: ProcId, item: ItemId, o: ObjectId) -> Option<Base> {
        let proc = &self.flow.program.procs[p];
        if proc.objects[o].life != Life::Stable {
            return Some(Base::Object(o));
        }
        let pointer =
            address_behind(proc, self.only_alloc(p, o)?).filter(|_| !self.is_resized(p, Root::Object(p, o)))?;
        let fits = matches!(pointer.kind, ExprKind::Value(value) if is_outside(proc, value, item));
        fits.then(|| Base::At(Box::new(pointer)))
    }

    /// Whether a procedure, or one that it calls, may give a block another size: then it has another address.
    pub(super) fn is_resized(&self, p: ProcId, root: Root) -> bool {
        let points = &self.flow.points;
        let Some(top) = points.locs.find(root) else { return false };
        let blocks = points.grounds_of(top);
        let (mut open, mut seen) = (vec![p], BTreeSet::new());
        while let Some(q) = open.pop() {
            if !seen.insert(q) {
                continue;
            }
            let proc = &self.flow.program.procs[q];
            open.extend(walk::calls(proc).into_iter().map(|(_, callee)| callee));
            let resized = proc.items.iter().filter(|item| item.kind.resizes()).any(|item| {
                let ItemKind::Call { args, .. } = &item.kind else { return false };
                let targets = args.iter().flat_map(|arg| points.targets(q, arg));
                let grounds: BTreeSet<Loc> = targets.flat_map(|target| points.grounds_of(target)).collect();
                grounds
                    .iter()
                    .any(|ground| blocks.iter().any(|block| points.locs.root(*block) == points.locs.root(*ground)))
            });
            if resized {
                return true;
            }
        }
        false
    }
}

/// The pointer that takes the address of a block on the stable heap, right behind its `Alloc`.
fn address_behind(proc: &Proc, alloc: ItemId) -> Option<Expr> {
    let (region, at) = proc.positions()[alloc.index()]?;
    let next = proc.regions[region].items.get(at + 1)?;
    let ItemKind::Let { value } = proc.items[*next].kind else { return None };
    let ty = proc.type_of(value).clone();
    Some(Expr::value(value, ty))
}

/// All elements of an object, if its extents are numbers or values that fit. `block`: how many elements a block has.
pub(super) fn whole(
    base: Base,
    elem: &Type,
    shape: &[Dim],
    block: Option<&Expr>,
    fits: &dyn Fn(ValueId) -> bool,
) -> Option<Vec<Hull>> {
    let mut extents: Option<Expr> = None;
    let mut subscripts = Vec::new();
    for dim in shape {
        if dim.extent.is_none() && block.is_none() {
            return None;
        }
        if let Some(extent) = dim.extent.as_deref().map(widened) {
            extents = Some(match extents {
                None => extent,
                Some(extents) => product(extents, extent),
            });
        }
        subscripts.push(Subscript { at: number(0), dim: dim.clone() });
    }
    if block.is_some() && shape.is_empty() {
        subscripts.push(Subscript { at: number(0), dim: Dim::default() });
    }
    let path = if subscripts.is_empty() { Vec::new() } else { vec![Step::Index(subscripts)] };
    let extents = extents.unwrap_or_else(|| number(1));
    let count = block.map_or(extents.clone(), widened);
    let mut all = true;
    for expr in [&count, &extents] {
        all &= walk::loads(expr).is_empty();
        crate::ir::walk::values(expr, &mut |value| all &= fits(value));
    }
    all.then(|| vec![Hull { first: Place { base, path, ty: elem.clone() }, count }])
}

fn widened(expr: &Expr) -> Expr {
    match expr.kind {
        ExprKind::Int(n) => number(n),
        _ if expr.ty == long() => expr.clone(),
        _ => Expr::cast(expr.clone(), long()),
    }
}

/// Whether a value is there in front of a loop.
pub(super) fn is_outside(proc: &Proc, value: ValueId, item: ItemId) -> bool {
    let ItemKind::Loop { body, .. } = proc.items[item].kind else { return false };
    let around = proc.regions[body].parent.map(|(region, _)| region);
    let home = proc.values[value].region;
    around.is_some_and(|region| proc.is_within(region, home))
}
