//! Pointers in the state of a loop that runs again from snapshots: those that it hands on, and those in structs.

use std::collections::BTreeSet;

use super::super::locs::Loc;
use super::super::poly::Poly;
use super::super::sections::Secs;
use super::again::number;
use super::objects::is_outside;
use super::state::Required;
use crate::flow::locs;
use crate::flow::required::state::Hull;
use crate::ir::{Dim, Expr, ExprKind, ItemId, ProcId, Step, Subscript, Type, ValueId};

impl Required<'_> {
    /// How a pointer is kept that a pass hands to the next one: the values from outside of the loop of which it is one;
    /// none if it means the same in both sweeps. `None` for a number, and for a pointer that cannot be kept.
    pub(super) fn kept_pointer(&self, p: ProcId, item: ItemId, head: ValueId) -> Option<Vec<ValueId>> {
        let proc = &self.flow.program.procs[p];
        let ty = proc.type_of(head);
        if !matches!(ty, Type::Pointer(_)) {
            return None;
        }
        let pointer = Expr::value(head, ty.clone());
        let (flow, points) = (self.flow, &self.flow.points);
        let mut targets = flow.targets(p, &pointer).into_iter().peekable();
        let is_stable = |target: Loc| points.grounds_of(target).into_iter().all(|ground| points.is_stable(ground));
        if targets.peek().is_some()
            && targets.all(|target| is_stable(target) || points.is_fixed(target) && !flow.active_pointer(p, &pointer))
        {
            return Some(Vec::new());
        }
        let origins = proc.copy_of(head).values;
        let known = !origins.is_empty() && origins.iter().all(|origin| is_outside(proc, *origin, item));
        (known && self.differ((p, item), &origins)).then(|| origins.into_iter().collect())
    }

    /// Whether pointers are equal only if they are one: what is behind the end of an array may begin another one.
    fn differ(&self, (p, item): (ProcId, ItemId), pointers: &BTreeSet<ValueId>) -> bool {
        let facts = self.locator.facts_of_item(p, item);
        let proc = &self.flow.program.procs[p];
        let base = |value: &ValueId| {
            let ty = proc.type_of(*value).clone();
            self.locator.bases(p, &Expr::value(*value, ty), &facts)
        };
        let others = pointers.iter().filter(|pointer| !self.locator.is_null(p, **pointer));
        let Some(bases) = others.map(base).collect::<Option<Vec<_>>>() else { return false };
        let bases: Vec<(Loc, Poly)> = bases.into_iter().flatten().collect();
        let is_inside = |(loc, at): &(Loc, Poly)| {
            let last = self.locator.elements(p, *loc).and_then(|all| all.sub(at)).and_then(|left| left.plus(-1));
            *at == Poly::default() || facts.nonneg(last)
        };
        bases.iter().all(is_inside) || bases.iter().all(|(loc, _)| *loc == bases[0].0)
    }

    /// Parts of a snapshot without pointers that mean another thing in the other sweep, those to variables of procedures:
    /// of a struct that has such, the members that passes write.
    pub(super) fn without_pointers(
        &self,
        p: ProcId,
        top: Loc,
        hulls: Vec<Hull>,
        written: &Secs,
    ) -> Result<Vec<Hull>, String> {
        let (points, program) = (&self.flow.points, self.flow.program);
        let stays = |leaf: &Loc| {
            !matches!(points.locs.ty(*leaf), Type::Pointer(_))
                || points.contents(p, *leaf).into_iter().all(|target| points.is_fixed(target))
        };
        let leaves = points.locs.leaves(top);
        if leaves.iter().all(stays) {
            return Ok(hulls);
        }
        let why = || {
            let name = points.locs.name(program, top);
            format!("'{}' has pointers to variables of functions", name.rsplit('.').next().unwrap_or(&name))
        };
        let mut members = Vec::new();
        for hull in hulls {
            if !matches!(hull.first.ty, Type::Struct(_)) || hull.count.kind != ExprKind::Int(1) {
                return Err(why());
            }
            for leaf in leaves.iter().filter(|leaf| written.contains_key(leaf)) {
                members.push(self.member_of(top, *leaf, &hull).filter(|_| stays(leaf)).ok_or_else(why)?);
            }
        }
        Ok(members)
    }

    /// A member of one struct.
    fn member_of(&self, top: Loc, leaf: Loc, Hull { first, .. }: &Hull) -> Option<Hull> {
        let (locs, types) = (&self.flow.points.locs, &self.flow.program.types);
        let (mut place, mut at, mut count) = (first.clone(), top, 1);
        for field in locs.path(leaf) {
            let Type::Struct(id) = locs.ty(at) else { return None };
            let mut ty = &types.structs[*id].fields[field].ty;
            // Structs in arrays are not one.
            if count != 1 {
                return None;
            }
            place.path.push(Step::Field(field));
            let mut subscripts = Vec::new();
            while let Type::Array(row) = ty {
                let extent = i128::from(row.extent?);
                count *= extent;
                let dim = Dim::of(number(extent));
                subscripts.push(Subscript { at: number(0), dim });
                ty = &row.elem;
            }
            if !subscripts.is_empty() {
                place.path.push(Step::Index(subscripts));
            }
            at = locs.child(at, field)?;
        }
        place.ty = locs::element(locs.ty(leaf)).clone();
        Some(Hull { first: place, count: number(count) })
    }
}
