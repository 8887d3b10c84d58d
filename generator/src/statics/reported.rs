//! Static variables that are only reported: a count of warnings, the text of a message, the time of the last line of
//! progress. What they keep from call to call decides what is printed and nothing else, so the sweeps may go on with
//! variables of their own.
//!
//! - **Lattice**: what may depend on the variable, as sets ordered by inclusion: values, objects, results of
//!   procedures, and procedures that run or not as the variable says.
//! - **Transfer**: an expression depends on it if an operand does, or the address of one. A branch or loop whose
//!   condition depends makes all depend that its regions define, write and call, and what it joins or carries.
//!   A function without source passes from its arguments to its result and to the memory that it writes.
//! - **Verdict**: reported, unless something that depends has a derivative, is a head's result, or is memory that
//!   somebody else sees: of the caller of a head, or at file scope.

use std::collections::BTreeSet;

use crate::flow::{Flow, Loc, Root, Set, walk};
use crate::ir::*;

/// Functions that write text to where their first argument points.
const WRITE: &[&str] = &["sprintf", "snprintf", "vsprintf", "vsnprintf", "strcpy", "strncpy", "strcat", "strncat"];

/// Whether a variable is only reported. `inside`: all variables with static storage that functions declare.
pub fn is_reported(flow: &Flow, heads: &[ProcId], inside: &BTreeSet<GlobalId>, global: GlobalId) -> bool {
    let is_kept = match &flow.program.globals[global].elem {
        Type::Int { .. } | Type::Float { .. } => true,
        Type::Pointer(to) => matches!(**to, Type::Opaque(_) | Type::Int { bits: 8, .. }),
        _ => false,
    };
    is_kept && Reach::new(flow, inside).follow(global, heads).is_some()
}

/// What depends on a variable.
struct Reach<'f> {
    flow: &'f Flow<'f>,
    inside: &'f BTreeSet<GlobalId>,
    memory: Set,
    values: BTreeSet<(ProcId, ValueId)>,
    results: BTreeSet<ProcId>,
    /// Procedures that run, or not, as the variable says.
    ruled: BTreeSet<ProcId>,
    grown: bool,
}

/// `None`: what depends on the variable is more than a report.
type Follows = Option<()>;

impl<'f> Reach<'f> {
    fn new(flow: &'f Flow<'f>, inside: &'f BTreeSet<GlobalId>) -> Self {
        let (memory, values, results, ruled) = Default::default();
        Reach { flow, inside, memory, values, results, ruled, grown: false }
    }

    fn follow(mut self, global: GlobalId, heads: &[ProcId]) -> Follows {
        let top = self.flow.points.locs.find(Root::Global(global))?;
        self.write([top].into())?;
        while std::mem::take(&mut self.grown) {
            for p in self.flow.program.procs.ids() {
                let ruled = self.ruled.contains(&p);
                self.region(p, RegionId(0), ruled)?;
                let result = self.flow.program.procs[p].result.as_ref();
                if result.is_some_and(|result| ruled || self.depends(p, result)) {
                    self.grown |= self.results.insert(p);
                }
            }
        }
        heads.iter().all(|head| !self.results.contains(head)).then_some(())
    }

    fn region(&mut self, p: ProcId, region: RegionId, ruled: bool) -> Follows {
        let items = &self.flow.program.procs[p].regions[region].items;
        items.iter().try_for_each(|id| self.item(p, *id, ruled))
    }

    fn item(&mut self, p: ProcId, id: ItemId, ruled: bool) -> Follows {
        let proc = &self.flow.program.procs[p];
        let item = &proc.items[id];
        let depends = ruled || walk::of_item(proc, item).into_iter().any(|e| self.depends(p, e));
        if let ItemKind::Let { value } = &item.kind
            && depends
        {
            self.value(p, *value)
        } else if let ItemKind::Store { to, .. } = &item.kind
            && depends
        {
            self.write(self.flow.cells(p, to))
        } else if let ItemKind::Alloc { .. } | ItemKind::Free { .. } = &item.kind
            && depends
        {
            None
        } else if let ItemKind::Branch { then, otherwise, joins, .. } = &item.kind {
            self.region(p, *then, depends)?;
            self.region(p, *otherwise, depends)?;
            let from = |join: &Join| [join.then, join.otherwise];
            joins.iter().try_for_each(|join| self.merged(p, depends, from(join), [join.out, join.out]))
        } else if let ItemKind::Loop { body, carried, .. } = &item.kind {
            self.region(p, *body, depends)?;
            carried.iter().try_for_each(|c| self.merged(p, depends, [c.init, c.end], [c.head, c.out]))
        } else if let ItemKind::Call { callee: Callee::Proc(g), args, result, into } = &item.kind {
            self.arguments(p, *g, args, ruled)?;
            if ruled {
                self.grown |= self.ruled.insert(*g);
            }
            if ruled || self.results.contains(g) {
                result.map_or(Some(()), |value| self.value(p, value))?;
            }
            let given = self.flow.program.procs[*g].result_object.map(|object| Root::Object(*g, object));
            let given = given.and_then(|root| self.flow.points.locs.find(root));
            match into {
                Some(into) if depends || given.is_some_and(|top| self.memory.contains(&top)) => {
                    self.write(self.flow.cells(p, into))
                }
                _ => Some(()),
            }
        } else if let ItemKind::Call { callee: Callee::External { function, .. }, args, result, .. } = &item.kind {
            // What is assigned to a volatile variable may be read again.
            let assigns = *function == External::Volatile && (depends || args.iter().any(|arg| self.depends(p, arg)));
            (!assigns).then_some(())?;
            let reads = |arg: &Expr| is_pointer(arg) && self.is_reached(&self.flow.targets(p, arg));
            if !depends && !args.iter().any(reads) {
                return Some(());
            }
            (*function != External::Resize).then_some(())?;
            result.map_or(Some(()), |value| self.value(p, value))?;
            let written = match WRITE.contains(&function.name()) {
                true => 1,
                false if function.writes() => args.len(),
                false => 0,
            };
            let pointers = args.iter().take(written).filter(|arg| is_pointer(arg));
            pointers.into_iter().try_for_each(|arg| {
                let mut targets = self.flow.targets(p, arg);
                targets.retain(|target| self.flow.points.locs.root(*target) != Root::Literal);
                self.write(targets)
            })
        } else {
            Some(())
        }
    }

    fn arguments(&mut self, p: ProcId, g: ProcId, args: &[Expr], ruled: bool) -> Follows {
        let params = &self.flow.program.procs[g].params;
        for (param, arg) in params.iter().zip(args) {
            if !(ruled || self.depends(p, arg)) {
                continue;
            }
            if let Some(entry) = param.entry {
                self.value(g, entry)?;
            }
            let object = param.object.and_then(|object| self.flow.points.locs.find(Root::Object(g, object)));
            self.write(object.into_iter().collect())?;
        }
        Some(())
    }

    fn merged(&mut self, p: ProcId, depends: bool, from: [ValueId; 2], to: [ValueId; 2]) -> Follows {
        if depends || from.iter().any(|value| self.values.contains(&(p, *value))) {
            return to.iter().try_for_each(|value| self.value(p, *value));
        }
        Some(())
    }

    /// A value depends on the variable.
    fn value(&mut self, p: ProcId, value: ValueId) -> Follows {
        self.grown |= self.values.insert((p, value));
        (!self.flow.active_value(p, value)).then_some(())
    }

    /// Memory depends on the variable.
    fn write(&mut self, cells: Set) -> Follows {
        let flow = self.flow;
        for ground in cells.into_iter().flat_map(|cell| flow.points.grounds_of(cell)) {
            let is_own = match flow.points.locs.root(ground) {
                Root::Object(..) => true,
                Root::Global(global) => self.inside.contains(&global),
                Root::Formal(..) | Root::Cell(_) | Root::Literal | Root::Unknown => false,
            };
            let top = flow.points.locs.root_top(ground);
            let is_active = |leaf: Loc| flow.activity.loc(leaf) || flow.activity.shadow(leaf);
            if !is_own || flow.points.locs.leaves(top).into_iter().any(is_active) {
                return None;
            }
            self.grown |= self.memory.insert(top);
        }
        Some(())
    }

    fn depends(&self, p: ProcId, e: &Expr) -> bool {
        let mut found = false;
        walk::expr(e, &mut |part| match &part.kind {
            ExprKind::Value(value) => found |= self.values.contains(&(p, *value)),
            ExprKind::Load(place) => found |= self.is_reached(&self.flow.cells(p, place)),
            _ => {}
        });
        found
    }

    fn is_reached(&self, cells: &Set) -> bool {
        let locs = &self.flow.points.locs;
        let grounds = cells.iter().flat_map(|cell| self.flow.points.grounds_of(*cell));
        let reached = |ground: Loc| locs.root(ground) == Root::Unknown || self.memory.contains(&locs.root_top(ground));
        grounds.into_iter().any(reached)
    }
}

/// A pointer to memory of the program; a stream is none.
fn is_pointer(arg: &Expr) -> bool {
    matches!(&arg.ty, Type::Pointer(to) if !matches!(**to, Type::Opaque(_)))
}
