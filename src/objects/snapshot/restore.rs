//! Restoring a checkpoint of everything that was alive.

#![forbid(unsafe_code)]

use super::counts::{CONTENTS, HEAP, RANGES, Restoration, SLOTS};
use super::plan::{Missing, RestorationPlan, Source, Superfluous};
use crate::checkpoint::{CheckpointReader, SectionKind};
use crate::error::{Error, Status};
use crate::heap::{Heap, ObjectMemory};
use crate::map::registry::{Exchange, Object, RangeKind, Saved, Serial, decode_slots};
use crate::objects::by_label::Wanted;
use crate::objects::set::Objects;
use std::collections::HashSet;
use std::ffi::CStr;

/// Static memory may be read-only: it is compared in parts of this size, and written only where it differs.
const PART: usize = 4096;

impl Objects {
    /// Brings the state of a checkpoint of everything back, from which its section of the forward sweep can be run
    /// again: objects alive in both stay where they are, missing ones are allocated, superfluous ones released; then
    /// contents, then pointers. Objects that are born from here on get the serials that they got the first time, and
    /// the adjoints that they have. Example: [`save`](Objects::save). No other thread changes the maps meanwhile.
    ///
    /// On error nothing has changed, with three exceptions that the message tells: an [`Allocator`](super::Allocator)
    /// of an allocatable variable failed after others were released; the second of several stable heaps had no memory;
    /// a store could not read again what it had read before.
    pub fn restore(
        &self,
        checkpoint: &mut CheckpointReader,
        memory: &mut dyn ObjectMemory,
        heaps: &mut [&mut Heap],
    ) -> Result<Restoration, Error> {
        let extents: Vec<(usize, usize)> = heaps.iter().map(|heap| heap.ranges()[0]).collect();
        let is_stable = |base: u64| extents.iter().any(|(from, to)| (*from..*to).contains(&(base as usize)));
        let ranges = checkpoint.read_whole(RANGES, SectionKind::Ranges)?;
        let saved =
            Saved::decode(&ranges).ok_or_else(|| checkpoint.damaged("the list of live ranges makes no sense"))?;
        let slots = checkpoint.read_whole(SLOTS, SectionKind::Slots)?;
        let slots = decode_slots(&slots).ok_or_else(|| checkpoint.damaged("the list of pointers makes no sense"))?;
        if let Some(lost) = saved.objects.iter().find(|object| object.is_stable && !is_stable(object.base)) {
            return Err(no_heap(lost.base));
        }
        let mut plan = RestorationPlan::make(self, saved, slots, &is_stable)?;
        let snapshots = read_snapshots(checkpoint, heaps)?;
        check_contents(checkpoint, &plan)?;
        let mut places = Places::reserve(&plan, memory)?;
        let exchange = plan.exchange(&places.bases);
        let births = self.registry().births_by_lane();
        if let Err(error) = self.registry().exchange(&exchange) {
            places.give_back(&plan, memory);
            return Err(error);
        }
        for (i, (heap, snapshot)) in heaps.iter_mut().zip(&snapshots).enumerate() {
            if let Err(error) = heap.restore(snapshot) {
                let back = Exchange { out: exchange.into, into: exchange.out, births };
                self.registry().exchange(&back).expect("what was there before");
                places.give_back(&plan, memory);
                let changed = if i > 0 { "\n  other stable heaps were restored before it" } else { "" };
                return Err(error.with_line(&format!("stable heap {i} of the checkpoint{changed}")));
            }
        }
        let mut done = Restoration { counts: plan.counts, moved: std::mem::take(&mut plan.moved) };
        for (one, base) in plan.missing.iter().zip(&places.bases) {
            let then = &plan.saved.objects[one.index];
            let bounds = plan.saved.bounds_of(then.serial);
            if !bounds.is_empty() {
                self.registry().set_bounds_of(then.serial, then.kind, bounds);
            }
            if *base != then.base {
                done.moved.push((then.serial, then.base));
            }
        }
        done.moved.sort_unstable();
        done.moved.dedup();
        self.read_contents(checkpoint, &plan, memory).map_err(|error| error.with_line(AFTER_THE_COMMIT))?;
        done.counts.pointers = self.set_slots(&plan, memory);
        for one in plan.superfluous.iter().filter(|one| one.release && !places.released.contains(&one.object.serial)) {
            one.give_back(self, memory);
        }
        Ok(done)
    }

    /// The contents of all objects that have some.
    fn read_contents(
        &self,
        checkpoint: &mut CheckpointReader,
        plan: &RestorationPlan,
        memory: &mut dyn ObjectMemory,
    ) -> Result<(), Error> {
        let mut from = 0;
        let mut part = Vec::new();
        for then in plan.saved.objects.iter().filter(|object| object.has_contents) {
            let n = then.bytes;
            if let Some(object) = self.registry().alive(then.serial) {
                self.registry().overwritten(object.base, object.bytes);
                let there = memory.view_mut(object.base as usize, n as usize);
                match then.kind {
                    RangeKind::Static => {
                        for (i, there) in there.chunks_mut(PART).enumerate() {
                            part.resize(there.len(), 0);
                            checkpoint.read_part(from + (i * PART) as u64, &mut part)?;
                            if *there != part[..] {
                                there.copy_from_slice(&part);
                            }
                        }
                    }
                    _ => checkpoint.read_part(from, there)?,
                }
            }
            from += n;
        }
        checkpoint.end_parts();
        Ok(())
    }

    /// Sets all pointers in objects that are there, and returns how many.
    fn set_slots(&self, plan: &RestorationPlan, memory: &mut dyn ObjectMemory) -> u64 {
        let (mut set, mut last) = (0, None::<Object>);
        for slot in plan.slots.iter().filter(|slot| !plan.dead.contains(&slot.serial)) {
            let object = match last.filter(|object| object.serial == slot.serial) {
                Some(object) => object,
                None => self.registry().alive(slot.serial).expect("the plan has checked it"),
            };
            last = Some(object);
            let value = slot.target.map_or(0, |(serial, by)| {
                let target = self.registry().alive(serial).expect("the plan has checked it");
                target.base.wrapping_add_signed(by)
            });
            self.registry().settle(object.base + slot.offset);
            memory.view_mut((object.base + slot.offset) as usize, 8).copy_from_slice(&value.to_le_bytes());
            set += 1;
        }
        set
    }
}

const AFTER_THE_COMMIT: &str =
    "the contents could be read before, and cannot be now: the state is a mixture of the old one and the checkpoint's";

impl RestorationPlan {
    /// What changes in the registry, with missing objects at these bases.
    fn exchange(&self, bases: &[u64]) -> Exchange {
        let object = |(one, base): (&Missing, &u64)| {
            let then = self.saved.objects[one.index];
            let label = self.labels[then.label as usize];
            Object { serial: then.serial, home: then.home, ..Object::new(*base, then.bytes, then.kind, label) }
        };
        Exchange {
            out: self.superfluous.iter().map(|one| one.object).collect(),
            into: self.missing.iter().zip(bases).map(object).collect(),
            births: self.saved.births.clone(),
        }
    }
}

impl Superfluous {
    fn give_back(&self, addresses: &Objects, memory: &mut dyn ObjectMemory) {
        let label = addresses.registry().label(self.object.label);
        self.give_back_as(label, memory);
    }

    fn give_back_as(&self, label: &CStr, memory: &mut dyn ObjectMemory) {
        let Object { base, bytes, kind, .. } = self.object;
        match &self.allocator {
            Some(allocator) => {
                let wanted = Wanted { label, kind, bytes: bytes as usize, bounds: &self.bounds };
                (allocator.release)(&wanted, base as usize);
            }
            None => memory.release(base as usize),
        }
    }
}

/// Memory for the missing objects.
struct Places {
    /// The base of each missing object.
    bases: Vec<u64>,
    /// Which of them were allocated.
    new: Vec<usize>,
    /// Allocatables that had to go first.
    released: HashSet<Serial>,
}

impl Places {
    /// Allocates what is to be allocated, or nothing.
    fn reserve(plan: &RestorationPlan, memory: &mut dyn ObjectMemory) -> Result<Places, Error> {
        let mut places = Places { bases: vec![0; plan.missing.len()], new: Vec::new(), released: HashSet::new() };
        let kind = |one: &Missing| plan.saved.objects[one.index].kind;
        // An allocatable variable has one target at a time: it is released first, and so comes last.
        for allocatables in [false, true] {
            if allocatables {
                places.release_allocatables(plan, memory);
            }
            for (i, one) in plan.missing.iter().enumerate() {
                if (kind(one) == RangeKind::Allocatable) != allocatables {
                    continue;
                }
                places.bases[i] = match one.source {
                    Source::There(base) => base,
                    Source::New => match allocate(plan, one, memory) {
                        Ok(base) => {
                            places.new.push(i);
                            base
                        }
                        Err(error) => {
                            places.give_back(plan, memory);
                            return Err(match places.released.len() {
                                0 => error,
                                n => error
                                    .with_line(&format!("{n} allocatables were released before and are not restored")),
                            });
                        }
                    },
                };
            }
        }
        Ok(places)
    }

    fn release_allocatables(&mut self, plan: &RestorationPlan, memory: &mut dyn ObjectMemory) {
        let new = plan.missing.iter().filter(|one| one.source == Source::New);
        let labels: HashSet<u32> = new
            .map(|one| &plan.saved.objects[one.index])
            .filter(|then| then.kind == RangeKind::Allocatable)
            .map(|then| plan.labels[then.label as usize])
            .collect();
        for one in &plan.superfluous {
            if one.release && one.object.kind == RangeKind::Allocatable && labels.contains(&one.object.label) {
                let label = plan.labels.iter().position(|label| *label == one.object.label);
                let text = label.map_or(c"", |i| &plan.saved.labels[i]);
                one.give_back_as(text, memory);
                self.released.insert(one.object.serial);
            }
        }
    }

    /// Releases what was allocated.
    fn give_back(&mut self, plan: &RestorationPlan, memory: &mut dyn ObjectMemory) {
        for i in self.new.drain(..) {
            let (one, base) = (&plan.missing[i], self.bases[i] as usize);
            match &one.allocator {
                Some(allocator) => (allocator.release)(&plan.wanted(&plan.saved.objects[one.index]), base),
                None => memory.release(base),
            }
        }
    }
}

fn allocate(plan: &RestorationPlan, one: &Missing, memory: &mut dyn ObjectMemory) -> Result<u64, Error> {
    let then = &plan.saved.objects[one.index];
    let wanted = plan.wanted(then);
    let base = match &one.allocator {
        Some(allocator) => (allocator.allocate)(&wanted)?,
        None => memory.allocate(then.bytes.max(1) as usize)?,
    };
    if base != 0 || then.bytes == 0 {
        return Ok(base as u64);
    }
    Err(Error::new(
        Status::OutOfMemory,
        format!("the allocator of {:?} returned NULL for {} bytes", wanted.label, wanted.bytes),
    ))
}

fn read_snapshots(checkpoint: &mut CheckpointReader, heaps: &[&mut Heap]) -> Result<Vec<Vec<u8>>, Error> {
    let mut snapshots = Vec::new();
    for (i, heap) in heaps.iter().enumerate() {
        let snapshot = checkpoint.read_whole(&format!("{HEAP} {i}"), SectionKind::Heap)?;
        heap.check_snapshot(&snapshot)?;
        snapshots.push(snapshot);
    }
    Ok(snapshots)
}

/// The contents are whole, and as large as the objects say. The section is the next one afterwards.
fn check_contents(checkpoint: &mut CheckpointReader, plan: &RestorationPlan) -> Result<(), Error> {
    let bytes = checkpoint.begin_parts(CONTENTS, SectionKind::Contents)?;
    let with_contents = plan.saved.objects.iter().filter(|object| object.has_contents);
    let wanted = with_contents.map(|object| object.bytes).fold(0_u64, u64::saturating_add);
    if bytes != wanted {
        return Err(checkpoint.damaged("the contents are not as large as the ranges"));
    }
    checkpoint.verify_parts()
}

#[cold]
fn no_heap(base: u64) -> Error {
    Error::new(
        Status::HeapState,
        format!(
            "a block of the checkpoint lies at {base:#x} in a stable heap that is not there\n  \
             restore with the heaps that it was written with, in the process that wrote it"
        ),
    )
}
