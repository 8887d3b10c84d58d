//! What a restoration has to do: what is alive compared with what was, by serial (Alg. 4, lines 1 to 6).

#![forbid(unsafe_code)]

use super::counts::RestoreStats;
use crate::error::{Error, Status};
use crate::map::registry::{Object, RangeKind, Registry, Saved, SavedObject, Serial, Slot};
use crate::objects::by_label::{Allocator, Wanted};
use crate::objects::set::Objects;
use crate::sync::Arc;
use std::collections::{HashMap, HashSet};

/// Where a missing object gets its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// At this address, where it is memory already: of a superfluous object, of a variable, of a stable heap.
    There(u64),
    /// To be allocated.
    New,
}

/// A missing object.
pub(super) struct Missing {
    /// Which of the saved ones.
    pub index: usize,
    pub source: Source,
    pub allocator: Option<Arc<Allocator>>,
}

/// A superfluous object.
pub(super) struct Superfluous {
    pub object: Object,
    /// Its memory is released: it came from an allocator and nobody takes it over.
    pub release: bool,
    pub allocator: Option<Arc<Allocator>>,
    pub bounds: Vec<(i64, i64)>,
}

/// See the module.
pub(super) struct RestorationPlan {
    pub saved: Saved,
    pub slots: Vec<Slot>,
    /// Numbers of the labels of the copy in the registry.
    pub labels: Vec<u32>,
    pub missing: Vec<Missing>,
    pub superfluous: Vec<Superfluous>,
    /// Variables of the stack that have no place.
    pub dead: HashSet<Serial>,
    /// Objects that stay, and lie elsewhere than they did: with where they lay.
    pub moved: Vec<(Serial, u64)>,
    pub counts: RestoreStats,
}

impl RestorationPlan {
    /// What a restoration to this state has to do. Changes nothing.
    pub fn make(
        addresses: &Objects,
        saved: Saved,
        slots: Vec<Slot>,
        is_stable: &dyn Fn(u64) -> bool,
    ) -> Result<RestorationPlan, Error> {
        let registry = addresses.registry();
        let labels = saved.labels.iter().map(|label| registry.number_of(label)).collect();
        let mut plan = RestorationPlan {
            saved,
            slots,
            labels,
            missing: Vec::new(),
            superfluous: Vec::new(),
            dead: HashSet::new(),
            moved: Vec::new(),
            counts: RestoreStats::default(),
        };
        let alive = registry.list_by_serial();
        plan.compare(addresses, &alive);
        plan.bind_variables(registry, &alive)?;
        plan.find_memory(addresses, is_stable)?;
        plan.check_adjoints(addresses, &alive)?;
        plan.check_slots()?;
        Ok(plan)
    }

    /// Lines 1, 3 and 5: both, only then, only now.
    fn compare(&mut self, addresses: &Objects, alive: &[Object]) {
        let mut now = alive.iter().peekable();
        let superfluous = |object: &Object| Superfluous {
            object: *object,
            release: false,
            allocator: addresses.allocator(addresses.registry().label(object.label)),
            bounds: addresses.registry().bounds(object.serial),
        };
        for (index, then) in self.saved.objects.iter().enumerate() {
            while let Some(object) = now.next_if(|object| object.serial < then.serial) {
                self.superfluous.push(superfluous(object));
            }
            match now.next_if(|object| object.serial == then.serial) {
                Some(object) if self.is_same(then, object) => {
                    self.counts.kept += 1;
                    if object.base != then.base {
                        self.moved.push((then.serial, then.base));
                    }
                }
                other => {
                    // Of another set of objects, or of a section that was not run again as it was.
                    self.superfluous.extend(other.map(superfluous));
                    self.missing.push(Missing { index, source: Source::New, allocator: None });
                }
            }
        }
        self.superfluous.extend(now.map(superfluous));
        self.counts.ended = self.superfluous.len() as u64;
    }

    fn is_same(&self, then: &SavedObject, now: &Object) -> bool {
        let label = self.labels[then.label as usize];
        (then.bytes, then.kind, label) == (now.bytes, now.kind, now.label)
    }

    /// Missing variables: those of the stack take the place of one with the same label in the same frame, or are dead;
    /// others are where they were, in another process where one of their label is.
    fn bind_variables(&mut self, registry: &Registry, alive: &[Object]) -> Result<(), Error> {
        let same_set = self.saved.set == registry.number();
        let mut missing = std::mem::take(&mut self.missing);
        let mut unbound = HashSet::new();
        for one in &mut missing {
            let then = self.saved.objects[one.index];
            let named = !self.saved.label(&then).is_empty();
            match then.kind {
                RangeKind::Stack => match self.in_its_frame(alive, &then).filter(|_| named) {
                    Some(object) => self.bind(one, &then, object.base),
                    None => drop(unbound.insert(then.serial)),
                },
                RangeKind::Static | RangeKind::Foreign if same_set => one.source = Source::There(then.base),
                RangeKind::Static | RangeKind::Foreign => {
                    let like = |s: &&Superfluous| self.is_same(&then, &s.object) && named;
                    let mut found = self.superfluous.iter().filter(like).map(|s| s.object.base);
                    let base = found.next().filter(|_| found.next().is_none());
                    let base = base.ok_or_else(|| self.not_there(&then))?;
                    self.bind(one, &then, base);
                }
                RangeKind::Heap | RangeKind::Allocatable => {}
            }
        }
        self.counts.dead = unbound.len() as u64;
        missing.retain(|one| !unbound.contains(&self.saved.objects[one.index].serial));
        (self.missing, self.dead) = (missing, unbound);
        Ok(())
    }

    fn bind(&mut self, one: &mut Missing, then: &SavedObject, base: u64) {
        one.source = Source::There(base);
        self.counts.bound += 1;
        if base != then.base {
            self.moved.push((then.serial, then.base));
        }
    }

    /// The variable of the stack that has the label of `then` and as many older ones of that label below it, if it is
    /// superfluous. This tells the frames of a recursion apart.
    fn in_its_frame(&self, alive: &[Object], then: &SavedObject) -> Option<Object> {
        let of_label = |object: &&SavedObject| {
            (object.kind, object.label, object.home) == (then.kind, then.label, then.home)
                && object.serial < then.serial
        };
        let depth = self.saved.objects.iter().filter(of_label).count();
        let label = self.labels[then.label as usize];
        let mut now = alive
            .iter()
            .filter(|object| (object.kind, object.label, object.home) == (RangeKind::Stack, label, then.home));
        let there = now.nth(depth).filter(|there| there.bytes == then.bytes)?;
        self.superfluous.iter().any(|s| s.object.serial == there.serial).then_some(*there)
    }

    /// Lines 4 and 6: memory of objects that go is taken over where label and size agree; the rest is allocated, and
    /// released.
    fn find_memory(&mut self, addresses: &Objects, is_stable: &dyn Fn(u64) -> bool) -> Result<(), Error> {
        let mut free: HashMap<(RangeKind, u32, u64), Vec<usize>> = HashMap::new();
        for (i, one) in self.superfluous.iter_mut().enumerate() {
            one.release = match one.object.kind {
                // A block of a stable heap is its heap's to release.
                RangeKind::Heap => !is_stable(one.object.base),
                RangeKind::Allocatable => one.allocator.is_some(),
                _ => false,
            };
            if one.release {
                free.entry((one.object.kind, one.object.label, one.object.bytes)).or_default().push(i);
            }
        }
        let mut missing = std::mem::take(&mut self.missing);
        for one in &mut missing {
            let then = self.saved.objects[one.index];
            if then.is_stable {
                one.source = Source::There(then.base);
                continue;
            }
            if !matches!(then.kind, RangeKind::Heap | RangeKind::Allocatable) {
                continue;
            }
            self.counts.allocated += 1;
            let label = self.labels[then.label as usize];
            let bounds = self.saved.bounds_of(then.serial);
            let candidates = free.get_mut(&(then.kind, label, then.bytes));
            let place = candidates.and_then(|candidates| {
                let at = candidates.iter().rposition(|i| self.superfluous[*i].bounds == bounds)?;
                Some(candidates.swap_remove(at))
            });
            if let Some(i) = place {
                self.superfluous[i].release = false;
                one.source = Source::There(self.superfluous[i].object.base);
                self.counts.reused += 1;
                continue;
            }
            one.allocator = addresses.allocator(self.saved.label(&then));
            if then.kind == RangeKind::Allocatable && one.allocator.is_none() {
                return Err(self.no_allocator(&then));
            }
        }
        self.missing = missing;
        Ok(())
    }

    pub fn wanted(&self, then: &SavedObject) -> Wanted<'_> {
        let bounds = self.saved.bounds_of(then.serial);
        Wanted { label: self.saved.label(then), kind: then.kind, bytes: then.bytes as usize, bounds }
    }

    // ---- what can be wrong -----------------------------------------------------------------------------

    /// Adjoints lie apart from all that the restoration writes or releases.
    fn check_adjoints(&self, addresses: &Objects, alive: &[Object]) -> Result<(), Error> {
        let (registry, lane) = (addresses.registry(), addresses.lane()?);
        for object in alive.iter().filter(|object| object.adjoint_base != 0) {
            let Some(there) = registry.alive_at(lane, object.adjoint_base) else { continue };
            let goes = |there: &Object| matches!(there.kind, RangeKind::Heap | RangeKind::Allocatable);
            let overwritten = self.saved.find(there.serial).map_or_else(|| goes(&there), |then| then.has_contents);
            if overwritten {
                return Err(Error::new(
                    Status::Overlap,
                    format!(
                        "the adjoint of {} lies in {}, which the restoration would overwrite or release\n  \
                         keep adjoints in memory of their own while checkpoints are restored",
                        registry.describe_object(object),
                        registry.describe_object(&there)
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Every pointer lies in an object, and points to one that is there afterwards.
    fn check_slots(&self) -> Result<(), Error> {
        for slot in &self.slots {
            let Some(object) = self.saved.find(slot.serial) else { return Err(no_object(slot.serial)) };
            if slot.offset.checked_add(8).is_none_or(|end| end > object.bytes) {
                return Err(no_object(slot.serial));
            }
            let Some((target, _)) = slot.target else { continue };
            let Some(target) = self.saved.find(target) else { return Err(no_object(target)) };
            if self.dead.contains(&target.serial) && !self.dead.contains(&slot.serial) {
                return Err(self.points_to_dead(object, slot.offset, target));
            }
        }
        Ok(())
    }

    fn describe(&self, then: &SavedObject) -> String {
        let label = self.saved.label(then).to_string_lossy();
        let (kind, bytes, serial) = (then.kind.name(), crate::error::bytes(then.bytes), then.serial.0);
        format!("`{label}`, {kind} range of {bytes} (object {serial})")
    }

    #[cold]
    fn points_to_dead(&self, slot: &SavedObject, at: u64, target: &SavedObject) -> Error {
        Error::new(
            Status::NoRange,
            format!(
                "a pointer of the checkpoint points to a variable of the stack that is not there\n  \
                 pointer: {at} bytes past the base of {}\n  \
                 target:  {}\n  \
                 restore the checkpoint in the frame where it was written, \
                 with the variable registered under the same label and size",
                self.describe(slot),
                self.describe(target)
            ),
        )
    }

    #[cold]
    fn not_there(&self, then: &SavedObject) -> Error {
        Error::new(
            Status::NoRange,
            format!(
                "the checkpoint is of another run and has {}, of which this run has none, or several\n  \
                 register it (adtape_live_add) with the same label and size, which no other has, \
                 before the checkpoint is restored",
                self.describe(then)
            ),
        )
    }

    #[cold]
    fn no_allocator(&self, then: &SavedObject) -> Error {
        Error::new(
            Status::BadArgument,
            format!(
                "{} is missing, and nobody has said how it is allocated\n  \
                 give its label an allocator (adtape_live_set_allocator)",
                self.describe(then)
            ),
        )
    }
}

#[cold]
fn no_object(serial: Serial) -> Error {
    Error::new(
        Status::Damaged,
        format!("the checkpoint has a pointer in or to object {}, which it does not have", serial.0),
    )
}
