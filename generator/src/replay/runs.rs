//! Runs of states, which a load passes over at once if nothing in them writes where it reads.
//!
//! ```text
//!   entry ── s ── s ── ... ── s ── s ── ... ── s ── s        every 64th state ends a run, every 1024th a long one
//!             └── a run: 64 ──┘└── a run ──────┘
//! ```

use super::section::{Run, Section, State, Writes};
use super::state::Replay;
use super::terms::{P, Version, Way};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many states are in a run.
const LENGTHS: [u32; 2] = [1024, 64];

impl Replay<'_> {
    /// Notes the newest state, and the runs that it ends.
    pub(super) fn note_state(&mut self) {
        let at = Version(u32::try_from(self.states.len() - 1).expect("fewer than 2^32 states"));
        let depth = match self.states[at.0 as usize] {
            State::Entry => 0,
            State::Stored { before, .. } | State::Havoc { before, .. } => {
                self.runs_of_states.depths[before.0 as usize] + 1
            }
        };
        self.runs_of_states.depths.push(depth);
        for length in LENGTHS.into_iter().filter(|length| depth > 0 && depth.is_multiple_of(*length)) {
            let run = Arc::new(self.run_to(at, length));
            self.runs_of_states.ends.entry(at).or_default().push(run);
        }
    }

    /// The last states up to one.
    fn run_to(&self, end: Version, length: u32) -> Run {
        let mut run = Run { before: end, by_root: FxHashMap::default(), cells: BTreeSet::new() };
        for _ in 0..length {
            match &self.states[run.before.0 as usize] {
                State::Entry => break,
                State::Stored { before, place, .. } => {
                    self.add_to_run(&mut run, *place, self.aliases(*place).iter());
                    run.before = *before;
                }
                State::Havoc { before, writes } => {
                    for Section { place, cells } in writes.iter() {
                        match place {
                            Some(place) => self.add_to_run(&mut run, *place, cells.iter()),
                            None => run.cells.extend(cells.iter().copied()),
                        }
                    }
                    run.before = *before;
                }
            }
        }
        run
    }

    fn add_to_run<'a>(&self, run: &mut Run, place: P, cells: impl Iterator<Item = &'a u32>) {
        let writes = run.by_root.entry(self.terms.get_spot(place).root).or_default();
        writes.cells.extend(cells.copied());
        match self.members_if_fixed(place) {
            Some(members) => {
                writes.fixed.entry(members).or_default().insert(place);
            }
            None if writes.others.contains(&place) => {}
            None => writes.others.push(place),
        }
    }

    /// Which steps of a place are members, if all others are elements whose subscripts are numbers.
    fn members_if_fixed(&self, place: P) -> Option<Vec<bool>> {
        let member = |step: &Way| match step {
            Way::Field(_) => Some(true),
            Way::At(at) => self.terms.constant(*at).map(|_| false),
            Way::Range(..) | Way::All => None,
        };
        self.terms.get_spot(place).steps.iter().map(member).collect()
    }

    /// The state in front of the longest run that ends here and writes nothing where a place may be.
    pub(super) fn in_front_of_run(&mut self, at: Version, place: P) -> Option<Version> {
        let runs = self.runs_of_states.ends.get(&at)?.clone();
        runs.iter().find(|run| self.misses(run, place)).map(|run| run.before)
    }

    fn misses(&mut self, run: &Run, place: P) -> bool {
        let Some((own, _)) = self.cells(place) else { return false };
        if !own.is_disjoint(&run.cells) {
            return false;
        }
        let (root, members) = (self.terms.get_spot(place).root, self.members_if_fixed(place));
        run.by_root.iter().all(|(other, writes)| {
            if *other != root {
                return writes.cells.is_disjoint(&own) && !writes.cells.is_empty()
                    || self.all_apart(writes, None, place);
            }
            self.all_apart(writes, members.as_ref(), place)
        })
    }

    /// Whether a place is none of those that a run writes. `members`: of a place with fixed subscripts.
    fn all_apart(&mut self, writes: &Writes, members: Option<&Vec<bool>>, place: P) -> bool {
        let fixed = writes.fixed.iter().all(|(shape, places)| match members {
            Some(members) if members == shape => !places.contains(&place),
            _ => places.iter().all(|other| self.disjoint(place, *other)),
        });
        fixed && writes.others.iter().all(|other| self.disjoint(place, *other))
    }
}
