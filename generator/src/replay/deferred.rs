//! What the forward sweep leaves out: it runs again in the reverse sweep, or only the caller wants it.
//!
//! The sweeps are proved as if it ran. Then memory differs, from the end of the forward sweep on, in all that the missing
//! items write: that is damage with which the reverse sweep begins. What the forward sweep has left must neither read that
//! nor a value that is missing; else nothing is proved, and the forward sweep may run as a whole.

use rustc_hash::FxHashSet;

use super::rerun::loads_of;
use super::state::{Replay, Res, Side, open};
use crate::ir::*;

impl Replay<'_> {
    /// Begins the reverse sweep with the damage of what the forward sweep leaves out.
    pub(super) fn begin_without(&mut self) -> Res<()> {
        let (f, given) = (self.f, self.given);
        if given.left_out.is_empty() {
            return Ok(());
        }
        let mut lost: FxHashSet<ValueId> = FxHashSet::default();
        for &item in &given.left_out {
            self.span = f.items[item].span;
            if self.has_tape(item) {
                return open("something that pushes is left out of the forward sweep");
            }
            let kind = &f.items[item].kind;
            if let ItemKind::Let { value } = kind {
                lost.insert(*value);
            } else if matches!(kind, ItemKind::Store { .. }) {
                let section = self.section(self.stored[&item]);
                self.add_damage(vec![section]);
            } else if !kind.regions().is_empty() {
                if let ItemKind::Loop { carried, .. } = kind {
                    lost.extend(carried.iter().map(|c| c.out));
                } else if let ItemKind::Branch { joins, .. } = kind {
                    lost.extend(joins.iter().map(|join| join.out));
                }
                let writes = self.effects.get(&item).cloned().unwrap_or_default();
                self.add_damage(writes);
            } else if !matches!(
                kind,
                ItemKind::DeclareVar { .. } | ItemKind::Declare { .. } | ItemKind::Sweep(SweepItem::Nothing)
            ) {
                return open("something that acts is left out of the forward sweep");
            }
        }
        self.reads_nothing_of(&mut lost, RegionId(0))?;
        if let Some(result) = self.f.result.as_ref().filter(|_| given.is_called) {
            let mut is_lost = false;
            walk::values(result, &mut |value| is_lost |= lost.contains(&value));
            if is_lost {
                return open("a result is left out of the forward sweep");
            }
        }
        if let Some((_, span)) = self.doubted.take() {
            self.span = span;
            return open("what the forward sweep leaves out may be read");
        }
        (self.at, self.span) = (self.last, self.f.span);
        Ok(())
    }

    /// What items of a region hand on of what is lost is lost, too; nothing else may read it.
    fn reads_nothing_of(&mut self, lost: &mut FxHashSet<ValueId>, region: RegionId) -> Res<()> {
        let f = self.f;
        for &item in &f.regions[region].items {
            if self.given.left_out.contains(&item) {
                continue;
            }
            let this = &f.items[item];
            (self.at, self.span) = (self.before[item.index()], this.span);
            let mut is_lost = false;
            let mut see = |value| is_lost |= lost.contains(&value);
            walk::values_of_operands(f, item, &mut see);
            walk::values_of_extents(f, item, &mut see);
            if is_lost {
                return open("a value is read that the forward sweep leaves out");
            }
            self.read_by(item, &this.kind)?;
            if let ItemKind::Branch { then, otherwise, joins, .. } = &this.kind {
                self.reads_nothing_of(lost, *then)?;
                self.reads_nothing_of(lost, *otherwise)?;
                let handed = joins.iter().filter(|join| lost.contains(&join.then) || lost.contains(&join.otherwise));
                lost.extend(handed.map(|join| join.out).collect::<Vec<_>>());
            } else if let ItemKind::Loop { body, test, at, carried } = &this.kind {
                let handed = carried.iter().filter(|c| lost.contains(&c.init) || lost.contains(&c.end));
                lost.extend(handed.flat_map(|c| [c.head, c.out]).collect::<Vec<_>>());
                self.at = if *at == TestAt::Before { self.starts[body] } else { self.ends[body] };
                let mut loads = Vec::new();
                loads_of(test, true, &mut loads);
                for (place, _) in loads {
                    let place = self.place(Side::Forward, place)?;
                    self.intact(place)?;
                }
                self.reads_nothing_of(lost, *body)?;
            }
        }
        Ok(())
    }
}
