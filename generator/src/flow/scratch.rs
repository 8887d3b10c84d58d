//! Variables with static storage of one source that hand nothing over a function without source: `static double t;
//! #define SQUARE(a) (t = (a), t * t)`.
//!
//! Such a function, an error handler, can write a variable of another file through its address only, or by calling a
//! function of that file. Nothing takes the address of these variables, and no function writes them but those that the
//! heads reach. Each read of one yields what the same procedure has assigned, and no function without source was called
//! since: no number of the program depends on what such a function does to it. That it does not run the model is taken
//! as given: the model would write its arguments, too.

use std::collections::BTreeSet;

use super::walk;
use crate::ir::*;

/// The variables.
pub fn find(program: &Program) -> BTreeSet<GlobalId> {
    let is_number = |global: &GlobalId| {
        let object = &program.globals[*global];
        object.shape.is_empty() && object.elem.is_number()
    };
    let mut found: BTreeSet<GlobalId> = program.closed.iter().copied().filter(is_number).collect();
    if found.is_empty() {
        return found;
    }
    let meets = meets_unknown(program);
    for proc in &program.procs {
        let mut reader = Reader { proc, meets: &meets, found: &mut found };
        let mut fresh = BTreeSet::new();
        reader.region(RegionId(0), &mut fresh);
        proc.result.iter().for_each(|result| reader.read(result, &fresh));
        let shapes = proc.objects.iter().map(|o| &o.shape).chain(proc.params.iter().map(|param| &param.shape));
        let extents = shapes.flatten().flat_map(|dim| &dim.extent);
        extents.for_each(|extent| reader.read(extent, &BTreeSet::new()));
    }
    found
}

/// Whether a procedure may call a function without source that may write any variable.
fn meets_unknown(program: &Program) -> Vec<bool> {
    let is_unknown =
        |item: &Item| matches!(item.kind, ItemKind::Call { callee: Callee::External { unknown: true, .. }, .. });
    let mut meets: Vec<bool> = program.procs.iter().map(|proc| proc.items.iter().any(is_unknown)).collect();
    let mut grown = true;
    while std::mem::take(&mut grown) {
        for (p, proc) in program.procs.iter().enumerate() {
            if !meets[p] && walk::calls(proc).iter().any(|(_, callee)| meets[callee.index()]) {
                (meets[p], grown) = (true, true);
            }
        }
    }
    meets
}

struct Reader<'r> {
    proc: &'r Proc,
    meets: &'r [bool],
    /// What is left of the variables.
    found: &'r mut BTreeSet<GlobalId>,
}

impl Reader<'_> {
    /// Follows the items of a region. `fresh`: what was assigned, and no function without source was called since.
    fn region(&mut self, region: RegionId, fresh: &mut BTreeSet<GlobalId>) {
        let proc = self.proc;
        for id in &proc.regions[region].items {
            let item = &proc.items[*id];
            let is_late = matches!(item.kind, ItemKind::Loop { at: TestAt::After, .. });
            if let ItemKind::Loop { body, .. } = item.kind
                && walk::items(proc, body).iter().any(|inside| self.is_unknown(*inside))
            {
                fresh.clear();
            }
            walk::of_item(proc, item).into_iter().filter(|_| !is_late).for_each(|e| self.read(e, fresh));
            if let ItemKind::Store { to: Place { base: Base::Global(global), .. }, .. } = &item.kind {
                fresh.insert(*global);
            } else if let ItemKind::Call { .. } = &item.kind
                && self.is_unknown(*id)
            {
                fresh.clear();
            } else if let ItemKind::Branch { then, otherwise, .. } = &item.kind {
                let mut other = fresh.clone();
                self.region(*then, fresh);
                self.region(*otherwise, &mut other);
                fresh.retain(|global| other.contains(global));
            } else if let ItemKind::Loop { test, at, body, .. } = &item.kind {
                let mut inside = fresh.clone();
                self.region(*body, &mut inside);
                if *at == TestAt::After {
                    self.read(test, &inside);
                    *fresh = inside;
                }
            }
        }
    }

    fn is_unknown(&self, item: ItemId) -> bool {
        let kind = &self.proc.items[item].kind;
        if let ItemKind::Call { callee: Callee::External { unknown, .. }, .. } = kind {
            *unknown
        } else if let ItemKind::Call { callee: Callee::Proc(callee), .. } = kind {
            self.meets[callee.index()]
        } else {
            false
        }
    }

    /// Takes those away that an expression reads and that are not fresh, or whose address it takes.
    fn read(&mut self, e: &Expr, fresh: &BTreeSet<GlobalId>) {
        walk::expr(e, &mut |part| {
            let read = match &part.kind {
                ExprKind::Load(place) => place.base.global().filter(|global| !fresh.contains(global)),
                ExprKind::Address(place) => place.base.global(),
                _ => None,
            };
            if let Some(global) = read {
                self.found.remove(&global);
            }
        });
    }
}
