//! Writing a checkpoint of everything that is alive.

#![forbid(unsafe_code)]

use super::counts::{CONTENTS, HEAP, RANGES, SLOTS, SaveStats};
use crate::checkpoint::{CheckpointWriter, SectionKind};
use crate::error::{Error, Status, say};
use crate::heap::{Heap, ObjectMemory, is_of_a_heap};
use crate::map::registry::{Object, RangeKind, Saved, SavedObject, Serial, Slot, encode_slots};
use crate::objects::by_label::{Layout, POINTER};
use crate::objects::set::{LiveRange, Objects};
use crate::settings::settings;
use crate::sync::Arc;
use crate::tape::Type;

/// Check mode says of so many words where they are.
const REPORTED: u64 = 8;

impl Objects {
    /// Writes everything that is alive into a checkpoint: which objects there are, the pointers in them
    /// ([`set_pointers`](Objects::set_pointers)), their contents, and the state of stable heaps. Foreign memory is
    /// known to the checkpoint, but not saved. No other thread changes the maps meanwhile.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// // A list of one node, and a variable that points to it.
    /// let (objects, store) = (Objects::new(), MemoryStore::new());
    /// // SAFETY: every range below is memory, and heap ranges come from malloc.
    /// let mut memory = unsafe { ProcessMemory::new() };
    /// let mut head = [0_usize];
    /// objects.set_pointers("head", 8, &[0])?;
    /// objects.live_add(head.as_ptr().addr(), 8, RangeKind::Stack, "head")?;
    /// let node = memory.allocate(16)?;
    /// memory.view_mut(node, 16).fill(7);
    /// objects.live_add(node, 16, RangeKind::Heap, "node")?;
    /// head[0] = node;
    /// let mut checkpoint = CheckpointWriter::create(&store, "a")?;
    /// objects.save(&mut checkpoint, &memory, &[])?;
    /// checkpoint.commit()?;
    /// // The list shrinks, and comes back.
    /// objects.live_remove(node)?;
    /// memory.release(node);
    /// head[0] = 0;
    /// let mut checkpoint = CheckpointReader::open(&store, "a")?;
    /// let restoration = objects.restore(&mut checkpoint, &mut memory, &mut [])?;
    /// let node = std::hint::black_box(head)[0];
    /// assert_eq!((restoration.counts.kept, restoration.counts.allocated), (1, 1));
    /// assert_eq!(objects.live_find(node)?.bytes, 16);
    /// assert_eq!(memory.view(node, 16), [7; 16]);
    /// # memory.release(node);
    /// # Ok(())
    /// # }
    /// ```
    pub fn save(
        &self,
        checkpoint: &mut CheckpointWriter,
        memory: &dyn ObjectMemory,
        heaps: &[&Heap],
    ) -> Result<SaveStats, Error> {
        self.save_some(checkpoint, memory, heaps, &|_| true)
    }

    /// [`save`](Objects::save) with the contents of those objects only that `choose` chooses, and of stable heaps: the
    /// others are restored as objects, and what is in them is the program's task.
    pub fn save_some(
        &self,
        checkpoint: &mut CheckpointWriter,
        memory: &dyn ObjectMemory,
        heaps: &[&Heap],
        choose: &dyn Fn(&LiveRange) -> bool,
    ) -> Result<SaveStats, Error> {
        let extents: Vec<(u64, u64)> =
            heaps.iter().map(|heap| heap.ranges()[0]).map(|(base, end)| (base as u64, end as u64)).collect();
        let is_stable = |object: &Object| {
            object.kind == RangeKind::Heap && extents.iter().any(|(base, end)| (*base..*end).contains(&object.base))
        };
        // A heap that joined as a whole is a static range.
        let is_heap = |object: &Object| object.kind == RangeKind::Static && is_of_a_heap(object.base as usize);
        let has_contents = |object: &Object| {
            let own = object.kind != RangeKind::Foreign && !is_stable(object) && !is_heap(object);
            own && choose(&LiveRange::of(object))
        };
        let saved = self.registry().save(is_stable, has_contents);
        let slots = self.slots(&saved, memory)?;
        let snapshots: Vec<Vec<u8>> = heaps.iter().map(|heap| heap.snapshot()).collect();
        let own: u64 = saved.objects.iter().filter(|object| object.has_contents).map(|object| object.bytes).sum();
        let suspects = if settings()?.check { self.suspects_in(checkpoint.name(), &saved, &slots, memory)? } else { 0 };
        let bytes = |what: &[u8]| what.len() as u64;
        let (ranges, pointers) = (saved.encode(), encode_slots(&slots));
        let mut whole = |name: &str, kind, what: &[u8]| {
            checkpoint.write_parts(name, kind, Type::Bytes, bytes(what), |write| write(what))
        };
        whole(RANGES, SectionKind::Ranges, &ranges)?;
        whole(SLOTS, SectionKind::Slots, &pointers)?;
        for (i, snapshot) in snapshots.iter().enumerate() {
            whole(&format!("{HEAP} {i}"), SectionKind::Heap, snapshot)?;
        }
        checkpoint.write_parts(CONTENTS, SectionKind::Contents, Type::Bytes, own, |write| {
            let mut with_contents = saved.objects.iter().filter(|object| object.has_contents);
            with_contents.try_for_each(|object| write(memory.view(object.base as usize, object.bytes as usize)))
        })?;
        Ok(SaveStats {
            ranges: saved.objects.len() as u64,
            bytes: own + snapshots.iter().map(|snapshot| bytes(snapshot)).sum::<u64>(),
            pointers: slots.len() as u64,
            suspects,
        })
    }

    /// All pointer variables in the objects whose contents are kept, and where they point.
    fn slots(&self, saved: &Saved, memory: &dyn ObjectMemory) -> Result<Vec<Slot>, Error> {
        let layouts: Vec<Option<Arc<Layout>>> = {
            let by_label = self.by_label();
            saved.labels.iter().map(|label| by_label.layouts.get(label).cloned()).collect()
        };
        let mut slots = Vec::new();
        if layouts.iter().all(Option::is_none) {
            return Ok(slots);
        }
        let lane = self.lane()?;
        for object in saved.objects.iter().filter(|object| object.has_contents || object.is_stable) {
            let Some(layout) = &layouts[object.label as usize] else { continue };
            let contents = memory.view(object.base as usize, object.bytes as usize);
            let records = contents.chunks_exact(layout.record_bytes);
            if !records.remainder().is_empty() {
                return Err(self.uneven_layout(saved, object, layout));
            }
            for (i, record) in records.enumerate() {
                for offset in &layout.offsets {
                    let address = u64::from_le_bytes(record[*offset..offset + POINTER].try_into().expect("a pointer"));
                    let at = (i * layout.record_bytes + offset) as u64;
                    let target =
                        self.registry().find(lane, address).map_err(|error| self.in_slot(object, at, error))?;
                    if let Some(place) = target.filter(|place| self.registry().alive(place.serial).is_none()) {
                        return Err(self.in_slot(
                            object,
                            at,
                            dangling(&format!("the pointer {address:#x}"), place.serial),
                        ));
                    }
                    let target = target.map(|place| (place.serial, place.offset));
                    slots.push(Slot { serial: object.serial, offset: at, target });
                }
            }
        }
        Ok(slots)
    }

    #[cold]
    fn in_slot(&self, object: &SavedObject, at: u64, error: Error) -> Error {
        let Some(object) = self.registry().alive(object.serial) else { return error };
        let there = self.registry().describe_object(&object);
        error.with_line(&format!(
            "it is {at} bytes past the base of {there}, where the layout of its label has a pointer: \
             one that points nowhere is NULL when a checkpoint is written"
        ))
    }

    #[cold]
    fn uneven_layout(&self, saved: &Saved, object: &SavedObject, layout: &Layout) -> Error {
        Error::new(
            Status::Uneven,
            format!(
                "an object {:?} of {} bytes is no whole number of records of {} bytes, \
                 which the layout of its label has\n  \
                 give the size of one record, as sizeof does",
                saved.label(object),
                object.bytes,
                layout.record_bytes
            ),
        )
    }

    // ---- check mode ------------------------------------------------------------------------------------

    /// Reports words in the contents that are addresses of heap ranges and no pointers that are known.
    fn suspects_in(
        &self,
        checkpoint: &str,
        saved: &Saved,
        slots: &[Slot],
        memory: &dyn ObjectMemory,
    ) -> Result<u64, Error> {
        let (mut suspects, mut next) = (0, 0);
        for object in saved.objects.iter().filter(|object| object.has_contents) {
            let first = next;
            while next < slots.len() && slots[next].serial == object.serial {
                next += 1;
            }
            let known = |at: u64| slots[first..next].binary_search_by_key(&at, |slot| slot.offset).is_ok();
            let place = || self.registry().alive(object.serial).map(|object| self.registry().describe_object(&object));
            let contents = memory.view(object.base as usize, object.bytes as usize);
            self.scan(contents, suspects, known, |at, word, target| {
                format!(
                    "checkpoint {checkpoint:?}: {at} bytes past the base of {}, {word:#x} is an address in {target}; \
                     it is saved as a number and will be wrong where that lies elsewhere: \
                     name it in a layout (adtape_live_set_pointers)",
                    place().unwrap_or_default()
                )
            })
            .map(|found| suspects += found)?;
        }
        Ok(suspects)
    }

    /// Check mode: reports words in values that are written as a section which are addresses of heap ranges. Returns
    /// how many there are; 0 in other modes.
    pub(crate) fn suspects_in_values(&self, section: &str, values: &[u8]) -> Result<u64, Error> {
        if !settings()?.check {
            return Ok(0);
        }
        self.scan(
            values,
            0,
            |_| false,
            |at, word, target| {
                format!(
                    "section {section:?} of a checkpoint: {at} bytes past its beginning, \
                     {word:#x} is an address in {target}; it is saved as a number and will be wrong where that lies \
                     elsewhere: write it as a pointer (adtape_checkpoint_write_pointer)"
                )
            },
        )
    }

    fn scan(
        &self,
        contents: &[u8],
        before: u64,
        known: impl Fn(u64) -> bool,
        describe: impl Fn(u64, u64, String) -> String,
    ) -> Result<u64, Error> {
        let (lane, mut suspects) = (self.lane()?, 0);
        for (i, word) in contents.chunks_exact(POINTER).enumerate() {
            let (at, word) = ((i * POINTER) as u64, u64::from_le_bytes(word.try_into().expect("a word")));
            let target = self.registry().alive_at(lane, word);
            let Some(target) =
                target.filter(|target| matches!(target.kind, RangeKind::Heap | RangeKind::Allocatable) && !known(at))
            else {
                continue;
            };
            suspects += 1;
            if before + suspects <= REPORTED {
                let text = describe(at, word, self.registry().describe_object(&target));
                say(&format!("adtape: check: {text}"));
            }
        }
        Ok(suspects)
    }
}

#[cold]
pub(super) fn dangling(what: &str, serial: Serial) -> Error {
    Error::new(
        Status::NoRange,
        format!(
            "{what} points to where object {} was, which has ended\n  \
             what it points to could not be restored: set it to NULL, or push it, before the checkpoint is written",
            serial.0
        ),
    )
}
