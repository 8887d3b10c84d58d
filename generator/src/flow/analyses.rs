//! All analyses of a program, and the questions that passes ask them.

use super::activity::Activity;
use super::effects::Effects;
use super::locs::{Loc, Root, Set};
use super::needs;
use super::points::Points;
use crate::ir::{Callee, Expr, ItemId, ItemKind, ObjectId, Place, ProcId, Program, RegionId, Type, ValueId};

/// All analyses of a program.
pub struct Flow<'a> {
    /// The program.
    pub program: &'a Program,
    /// Where pointers point.
    pub points: Points<'a>,
    /// What is read and written.
    pub effects: Effects,
    /// What has a derivative.
    pub activity: Activity,
    /// The procedures that heads name.
    pub heads: Vec<ProcId>,
}

impl<'a> Flow<'a> {
    /// Where a pointer may point.
    pub fn targets(&self, proc: ProcId, pointer: &Expr) -> Set {
        self.points.targets(proc, pointer)
    }

    /// The locations that a place may be.
    pub fn cells(&self, proc: ProcId, place: &Place) -> Set {
        self.points.cells(proc, place)
    }

    /// Whether two locations may be the same memory.
    pub fn may_alias(&self, proc: ProcId, a: Loc, b: Loc) -> bool {
        self.points.may_alias(proc, a, b)
    }

    /// Whether a place may be memory of one of these locations.
    pub fn may_be_in(&self, proc: ProcId, place: &Place, all: &Set) -> bool {
        let leaves = self.cells(proc, place).into_iter().flat_map(|cell| self.points.locs.leaves(cell));
        leaves.into_iter().any(|leaf| all.iter().any(|&other| self.may_alias(proc, leaf, other)))
    }

    /// What a pass of a region may read; region 0 is the whole procedure.
    pub fn reads(&self, proc: ProcId, region: RegionId) -> &Set {
        &self.effects.of_region(proc, region).reads
    }

    /// What a pass of a region may write.
    pub fn writes(&self, proc: ProcId, region: RegionId) -> &Set {
        &self.effects.of_region(proc, region).writes
    }

    /// Whether a derivative flows through a value.
    pub fn active_value(&self, proc: ProcId, value: ValueId) -> bool {
        self.activity.value(proc, value)
    }

    /// Whether a derivative flows through an expression.
    pub fn active_expr(&self, proc: ProcId, e: &Expr) -> bool {
        self.activity.expr(&self.points, proc, e)
    }

    /// Whether what lies at a place has an adjoint: a store takes and clears it, a load adds to it.
    pub fn active_place(&self, proc: ProcId, place: &Place) -> bool {
        self.activity.place(&self.points, proc, place)
    }

    /// Whether some target of a pointer, or something in it, has an adjoint, so that the pointer needs a shadow.
    pub fn active_pointer(&self, proc: ProcId, pointer: &Expr) -> bool {
        self.points.targets(proc, pointer).into_iter().any(|t| self.shadow_inside(proc, t))
    }

    /// Like [`Self::active_pointer`], in the procedure or in any of its callers.
    pub fn active_pointer_anywhere(&self, proc: ProcId, pointer: &Expr) -> bool {
        let mut open: Vec<(ProcId, Loc)> = self.targets(proc, pointer).into_iter().map(|t| (proc, t)).collect();
        let mut seen = std::collections::BTreeSet::new();
        while let Some((p, loc)) = open.pop() {
            if !seen.insert((p, loc)) {
                continue;
            }
            if self.shadow_inside(p, loc) {
                return true;
            }
            if self.points.locs.native(loc) != Some(p) {
                continue;
            }
            for (caller, proc) in self.program.procs.iter().enumerate() {
                let calls = proc.items.iter().enumerate().filter(
                    |(_, item)| matches!(&item.kind, ItemKind::Call { callee: Callee::Proc(g), .. } if *g == p),
                );
                let caller = ProcId::new(caller);
                let ups = calls.flat_map(|(at, _)| self.points.up(caller, ItemId::new(at), p, loc));
                open.extend(ups.map(|l| (caller, l)));
            }
        }
        false
    }

    /// Whether something in an object has an adjoint, so that it needs a shadow.
    pub fn active_object(&self, proc: ProcId, object: ObjectId) -> bool {
        self.points.locs.find(Root::Object(proc, object)).is_some_and(|top| self.shadow_inside(proc, top))
    }

    /// Whether the pointers in an object lead to memory that is at one address in both sweeps, and to nothing active
    /// but on the stable heap.
    pub fn plain_pointers(&self, proc: ProcId, object: ObjectId) -> bool {
        let Some(top) = self.points.locs.find(Root::Object(proc, object)) else { return false };
        let leaves = self.points.locs.leaves(top).into_iter();
        let pointers = leaves.filter(|leaf| matches!(self.points.locs.ty(*leaf), Type::Pointer(_)));
        let targets = pointers.flat_map(|leaf| self.points.contents(proc, leaf));
        targets.into_iter().all(|target| {
            let stable = self.points.grounds_of(target).into_iter().all(|ground| self.points.is_stable(ground));
            self.points.is_fixed(target) && (stable || !self.shadow_inside(proc, target))
        })
    }

    /// Whether something in a global has an adjoint.
    pub fn active_global(&self, proc: ProcId, global: crate::ir::GlobalId) -> bool {
        self.points.locs.find(Root::Global(global)).is_some_and(|top| self.shadow_inside(proc, top))
    }

    /// Whether a location, or what pointers in it lead to, has an adjoint.
    pub fn shadow_inside(&self, proc: ProcId, loc: Loc) -> bool {
        let (mut seen, mut stack) = (Set::new(), vec![loc]);
        while let Some(l) = stack.pop() {
            for leaf in self.points.locs.leaves(l) {
                if !seen.insert(leaf) {
                    continue;
                }
                if self.activity.shadow(leaf) {
                    return true;
                }
                if let Type::Pointer(_) = self.points.locs.ty(leaf) {
                    stack.extend(self.points.contents(proc, leaf));
                }
            }
        }
        false
    }

    /// Whether a parameter has an adjoint.
    pub fn active_param(&self, proc: ProcId, param: usize) -> bool {
        let q = &self.program.procs[proc].params[param];
        match q.ty {
            Type::Pointer(_) => {
                self.points.locs.find(Root::Formal(proc, param as u32)).is_some_and(|top| self.shadow_inside(proc, top))
            }
            Type::Struct(_) => q.object.is_some_and(|o| self.active_object(proc, o)),
            _ => q.entry.is_some_and(|v| self.activity.value(proc, v)),
        }
    }

    /// Whether a procedure's result is active.
    pub fn active_result(&self, proc: ProcId) -> bool {
        match self.program.procs[proc].result_object {
            Some(o) => self.active_object(proc, o),
            None => self.activity.result(proc),
        }
    }

    /// The expressions whose values the adjoint of an item reads.
    pub fn needs(&self, proc: ProcId, item: ItemId) -> Vec<Expr> {
        needs::of_item(self.program, &self.points, &self.activity, proc, item)
    }

    /// The expressions whose values the adjoint of a procedure's result reads.
    pub fn result_needs(&self, proc: ProcId) -> Vec<Expr> {
        needs::of_result(self.program, &self.points, &self.activity, proc)
    }
}
