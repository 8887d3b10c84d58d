//! Memory that lasts from call to call of a head: variables with static storage, and what its arguments lead to.

use std::collections::BTreeSet;

use super::super::locs::{Loc, Root};
use super::state::{Required, Verdict};
use crate::ir::{Callee, GlobalId, ItemId, ItemKind, ProcId, RegionId, Type};

impl Required<'_> {
    /// Passive memory that lasts, and that a head writes and reads as its last call left it: a flag with its table. The
    /// next call needs all from one moment: if the reverse sweep brings back a part of it, all comes back.
    pub(super) fn restored_in_part(&self) -> BTreeSet<Loc> {
        let points = &self.flow.points;
        let texts = self.texts();
        let lasts = |loc: &Loc| {
            let stays = match points.locs.root(*loc) {
                Root::Global(global) => !texts.contains(&global),
                Root::Formal(..) | Root::Cell(_) => true,
                Root::Object(..) | Root::Literal | Root::Unknown => false,
            };
            stays && !self.flow.activity.loc(*loc)
        };
        let of = |head: &ProcId| {
            let written = &self.flow.effects.of_region(*head, RegionId(0)).writes;
            let exposed = &self.sums[head.index()].exposed;
            written.iter().filter(|loc| exposed.contains_key(loc) && lasts(loc)).copied().collect::<Vec<_>>()
        };
        let lasting: BTreeSet<Loc> = self.flow.heads.iter().flat_map(of).collect();
        let is_lasting = |(p, item): &(ProcId, ItemId)| {
            let written = self.flow.effects.item(*p, *item).writes.iter();
            written.flat_map(|loc| points.grounds_of(*loc)).any(|loc| lasting.contains(&loc))
        };
        let Verdict { pushed, hulls, snapshots, .. } = &*self.verdict;
        let mut restored = pushed.iter().chain(hulls.keys()).chain(snapshots.keys());
        if !lasting.is_empty() && restored.any(is_lasting) { lasting } else { BTreeSet::new() }
    }

    /// Memory that the head at hand writes, and that a head whose forward sweep ran before may need in its reverse sweep as
    /// it left it: variables with static storage, and all of a type behind arguments, which may be those of the other head.
    pub(super) fn awaited(&self, written: &BTreeSet<Loc>) -> BTreeSet<Loc> {
        let locs = &self.flow.points.locs;
        let behind_argument = |loc: Loc| matches!(locs.root(loc), Root::Formal(..) | Root::Cell(_));
        let needed = || self.flow.heads.iter().flat_map(|head| self.sums[head.index()].required.keys().copied());
        let is_awaited = |loc: &&Loc| match locs.root(**loc) {
            Root::Global(_) => needed().any(|other| other == **loc),
            Root::Formal(..) | Root::Cell(_) => {
                needed().any(|other| behind_argument(other) && locs.ty(other) == locs.ty(**loc))
            }
            Root::Object(..) | Root::Literal | Root::Unknown => false,
        };
        written.iter().filter(is_awaited).copied().collect()
    }

    /// Variables that functions declare and that are texts: pointers, and what functions without source write. Such a
    /// variable that lasts from call to call is only reported; else the program is refused (see `crate::statics`).
    fn texts(&self) -> BTreeSet<GlobalId> {
        let program = self.flow.program;
        let by_others = program.procs.iter().enumerate().flat_map(|(p, proc)| {
            let outer = proc.items.ids().filter(|item| {
                matches!(proc.items[*item].kind, ItemKind::Call { callee: Callee::External { .. }, .. })
            });
            outer.flat_map(move |item| self.flow.effects.item(ProcId::new(p), item).writes.iter())
        });
        let by_others: BTreeSet<Root> = by_others.map(|loc| self.flow.points.locs.root(*loc)).collect();
        let is_text = |global: &GlobalId| {
            let is_pointer = matches!(program.globals[*global].elem, Type::Pointer(_));
            is_pointer || by_others.contains(&Root::Global(*global))
        };
        program.statics.iter().flat_map(|declared| &declared.globals).copied().filter(is_text).collect()
    }
}
