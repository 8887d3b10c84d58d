//! The objects born on one lane, by serial: read without a lock, changed under one.
//!
//! A *slot* holds one object; slots lie in chunks that never move. The *index* finds the slot of a serial: *buckets*,
//! each the head of a list of slots whose births hash to it. One more bucket is made, out of half of another one,
//! whenever there are twice as many objects as buckets; so nothing is ever copied, and nothing left behind.
//!
//! ```text
//!   birth --hash--> buckets: | 3 | - | 7 | …            links: 0 is none, else slot + 1 and a tag
//!                              |       `--------------------------.
//!                    slots:  | 0 | 1 | 2 | … | 6 | …   WORDS words and the next of the list each
//! ```
//!
//! What came last, or came back, is found without the index ([`Recent`]): its slot, and where it lies, so that most pops
//! need nothing else.
//!
//! The *tag* in the high bits of a link is a part of the hash: a search reads only the slots of a list with the right
//! tag, since each read is a miss of the cache.
//!
//! A reader copies what it needs, and again if a writer was there meanwhile ([`Seqlock`]).

#![forbid(unsafe_code)]

mod places;

use super::object::{DeadPlace, Ended, LifeState, Object, Serial, WORDS, birth_in, value};
use super::range::RangeRecord;
use super::recent::Recent;
use super::table::Table;
use crate::hash::mix;
use crate::map::ranges::Range;
use crate::sync::{AtomicU32, AtomicU64, Holdable, LockGuard, OnceLock, Ordering, Seqlock, Writing};

/// Slots of a chunk.
const CHUNK: usize = if cfg!(loom) { 4 } else { 128 };
/// Words of an object that say where it lies now.
const PLACE: usize = WORDS - 2;
/// Objects for each bucket.
const LOAD: usize = 2;
/// Bits of a link that are a slot plus 1; above them is its tag.
const SLOT_BITS: u32 = 28;
const SLOTS: u32 = (1 << SLOT_BITS) - 1;
/// The tag of free slots; others are below.
const FREE: u32 = (1 << (32 - SLOT_BITS)) - 1;

/// Lines of the cache begin where a chunk does, so that each object has its words 1 to 4 in one.
#[repr(C, align(64))]
struct Chunk {
    /// The first word of each object, whose it is: all that who asks by address reads, and who searches a list.
    first: [AtomicU64; CHUNK],
    /// Where it lies, and its adjoint: what a pop reads.
    place: [[AtomicU64; PLACE]; CHUNK],
    /// Where the forward sweep knew it.
    forward_base: [AtomicU64; CHUNK],
    /// The link to the next slot in the list of the same bucket, or of free slots; 0 at the end.
    next: [AtomicU32; CHUNK],
}

impl Chunk {
    fn new() -> Box<Chunk> {
        Box::new(Chunk {
            first: std::array::from_fn(|_| AtomicU64::new(0)),
            place: std::array::from_fn(|_| std::array::from_fn(|_| AtomicU64::new(0))),
            forward_base: std::array::from_fn(|_| AtomicU64::new(0)),
            next: std::array::from_fn(|_| AtomicU32::new(0)),
        })
    }
}

/// See the module.
pub(super) struct ObjectTable {
    lane: u16,
    chunks: Table<OnceLock<Box<Chunk>>>,
    heads: Table<AtomicU32>,
    recent: Recent,
    /// How many of the heads are in use.
    buckets: AtomicU32,
    lock: Seqlock<Writer>,
}

struct Writer {
    /// The link to the first of the free slots.
    free: u32,
    /// Slots from here on were never used.
    fresh: u32,
    len: usize,
    /// Of all births that were ever there.
    greatest: u64,
}

/// One slot.
struct Slot<'a> {
    first: &'a AtomicU64,
    place: &'a [AtomicU64; PLACE],
    forward_base: &'a AtomicU64,
    next: &'a AtomicU32,
}

impl Slot<'_> {
    #[inline(always)]
    fn store(&self, object: &Object) {
        let [first, place @ .., forward_base] = object.to_words();
        self.first.store(first, Ordering::Relaxed);
        for (word, value) in self.place.iter().zip(place) {
            word.store(value, Ordering::Relaxed);
        }
        self.forward_base.store(forward_base, Ordering::Relaxed);
    }

    #[inline(always)]
    fn first(&self) -> u64 {
        self.first.load(Ordering::Relaxed)
    }

    /// One of the words behind the first.
    #[inline(always)]
    fn word(&self, i: usize) -> u64 {
        self.place.get(i - 1).unwrap_or(self.forward_base).load(Ordering::Relaxed)
    }

    /// The words 1 to 4.
    #[inline(always)]
    fn place(&self) -> [u64; PLACE] {
        [self.word(1), self.word(2), self.word(3), self.word(4)]
    }

    #[inline(always)]
    fn load(&self) -> [u64; WORDS] {
        [self.first(), self.word(1), self.word(2), self.word(3), self.word(4), self.word(5)]
    }

    #[inline(always)]
    fn has(&self, birth: u64) -> bool {
        birth_in(self.first()) == birth
    }
}

impl ObjectTable {
    pub fn new(lane: u16) -> ObjectTable {
        let lock = Seqlock::new(Writer { free: 0, fresh: 0, len: 0, greatest: 0 });
        let (chunks, heads) = (Table::new(), Table::new());
        heads.get_or_make(0, || AtomicU32::new(0));
        let recent = Recent::new();
        ObjectTable { lane, chunks, heads, recent, buckets: AtomicU32::new(1), lock }
    }

    // ---- reading ---------------------------------------------------------------------------------------

    /// The object with this serial, and its slot.
    pub fn get(&self, serial: Serial) -> Option<(u32, Object)> {
        let found = self.lock.read(|| self.find(serial.birth()).map(|(id, slot)| (id, slot.load())));
        let (id, words) = found?;
        Some((id, Object::from_words(self.lane, words)?))
    }

    /// The first word of the object in a slot, as of now.
    #[inline(always)]
    pub fn first(&self, slot: u32) -> Option<u64> {
        self.slot(slot).map(|slot| slot.first())
    }

    /// The object in a slot, if there is one.
    #[inline(always)]
    pub fn at(&self, slot: u32) -> Option<Object> {
        let words = self.lock.read(|| self.slot(slot).map(|slot| slot.load()));
        Object::from_words(self.lane, words?)
    }

    #[inline(always)]
    fn slot(&self, slot: u32) -> Option<Slot<'_>> {
        let (chunk, i) = (slot as usize / CHUNK, slot as usize % CHUNK);
        let chunk = self.chunks.get(chunk)?.get()?;
        Some(Slot {
            first: &chunk.first[i],
            place: &chunk.place[i],
            forward_base: &chunk.forward_base[i],
            next: &chunk.next[i],
        })
    }

    #[inline(always)]
    fn load(&self, slot: u32) -> Option<Object> {
        Object::from_words(self.lane, self.slot(slot)?.load())
    }

    /// The hash of a birth, whose low bits are for the bucket. Births of the same time have heads in the same line of the
    /// cache.
    #[inline(always)]
    fn hash(birth: u64) -> u32 {
        (mix(birth >> 4) >> 32) as u32 ^ (birth as u32 & 15)
    }

    /// The high bits of the hash, as a number below [`FREE`].
    #[inline(always)]
    fn tag(birth: u64) -> u32 {
        ((u64::from(ObjectTable::hash(birth)) * u64::from(FREE)) >> 32) as u32
    }

    /// The link to a slot that has a birth with this tag, or is free.
    #[inline]
    fn link_to(slot: u32, tag: u32) -> u32 {
        tag << SLOT_BITS | (slot + 1)
    }

    /// The slot of a link.
    #[inline]
    fn slot_of(link: u32) -> Option<u32> {
        (link & SLOTS).checked_sub(1)
    }

    /// The bucket of a birth among so many.
    #[inline(always)]
    fn bucket(birth: u64, buckets: u32) -> u32 {
        let hash = ObjectTable::hash(birth);
        let whole = 1 << buckets.ilog2();
        match hash & (2 * whole - 1) {
            bucket if bucket < buckets => bucket,
            bucket => bucket - whole,
        }
    }

    /// The slot of a birth.
    #[inline(always)]
    fn find(&self, birth: u64) -> Option<(u32, Slot<'_>)> {
        match self.recent.slot(birth) {
            Some(id) => self.slot(id).map(|slot| (id, slot)),
            None => self.find_first(birth).or_else(|| self.find_in_lists(birth)),
        }
    }

    /// As [`find`](ObjectTable::find), of those that were born before any slot was free again: they have the slots in order.
    #[inline(always)]
    fn find_first(&self, birth: u64) -> Option<(u32, Slot<'_>)> {
        let id = u32::try_from(birth.wrapping_sub(1)).ok()?;
        self.slot(id).filter(|slot| slot.has(birth)).map(|slot| (id, slot))
    }

    /// As [`find`](ObjectTable::find). A reader may be led astray while a writer is there, but ends: at a free slot if
    /// nowhere else.
    #[inline(never)]
    fn find_in_lists(&self, birth: u64) -> Option<(u32, Slot<'_>)> {
        let bucket = ObjectTable::bucket(birth, self.buckets.load(Ordering::Relaxed));
        let mut link = self.heads.get(bucket as usize)?.load(Ordering::Relaxed);
        let tag = ObjectTable::tag(birth);
        loop {
            let id = ObjectTable::slot_of(link)?;
            let slot = self.slot(id)?;
            match link >> SLOT_BITS {
                FREE => return None,
                there if there == tag && slot.has(birth) => return Some((id, slot)),
                _ => link = slot.next.load(Ordering::Relaxed),
            }
        }
    }

    // ---- changing --------------------------------------------------------------------------------------

    /// What a fork holds.
    pub fn holdable(&self) -> &dyn Holdable {
        self.lock.holdable()
    }

    fn lock(&self) -> LockGuard<'_, Writing<Writer>> {
        self.lock.lock()
    }

    /// A slot for an object that is born, if its serial is above all that ever were here.
    #[inline]
    pub fn add(&self, object: &Object) -> Option<u32> {
        let mut writer = self.lock();
        let is_new = object.serial.birth() > writer.greatest;
        is_new.then(|| self.insert(&mut writer, object))
    }

    /// A slot for an object that comes, and, in the state [`LifeState::Coming`], the dead object that it was; or the object
    /// with this serial that is there.
    pub fn claim(&self, object: Object) -> Result<(u32, Option<Object>), Object> {
        let mut writer = self.lock();
        let birth = object.serial.birth();
        if birth <= writer.greatest
            && let Some((id, slot)) = self.find(birth)
        {
            let there = Object::from_words(self.lane, slot.load()).expect("an object in the slot");
            if there.state != LifeState::Dead {
                return Err(there);
            }
            self.lock.change(&mut writer, |_| self.store_in(&slot, &Object { state: LifeState::Coming, ..there }));
            return Ok((id, Some(there)));
        }
        Ok((self.insert(&mut writer, &object), None))
    }

    /// Lets the dead object with the serial of this one be alive, as this one, unless `place` returns None, which gets its
    /// value in the maps and where it lay, and returns whether it is touched where it lies now. What `place` got.
    #[inline(always)]
    pub fn revive(
        &self,
        object: &Object,
        place: impl FnOnce(u64, &DeadPlace) -> Option<bool>,
    ) -> Option<(u64, DeadPlace)> {
        let mut writer = self.lock();
        let (id, slot) = self.find(object.serial.birth())?;
        let value = value(object.serial, id);
        let was = Object::dead_place(value, [slot.first(), slot.word(1), slot.word(3), slot.word(4)])?;
        let touched = was.touched | place(value, &was)?;
        let object = Object { touched, reused: was.reused, ..*object };
        let change = self.lock.begin_change(&mut writer);
        slot.store(&object);
        self.recent.came(id, &object);
        drop(change);
        Some((value, was))
    }

    /// Puts an object whose serial is not there into a free slot.
    #[inline]
    fn insert(&self, writer: &mut Writing<Writer>, object: &Object) -> u32 {
        let id = ObjectTable::slot_of(writer.free).unwrap_or(writer.fresh);
        assert!(id < SLOTS, "adtape: more than {SLOTS} objects of one thread that are alive, or on the tape");
        let slot = self.slot(id).unwrap_or_else(|| self.new_slot(id));
        let buckets = self.buckets.load(Ordering::Relaxed);
        let more = writer.len + 1 > LOAD * buckets as usize;
        if more {
            self.heads.get_or_make(buckets as usize, || AtomicU32::new(0));
        }
        self.lock.change(writer, |writer| {
            match writer.free {
                0 => writer.fresh += 1,
                _ => writer.free = slot.next.load(Ordering::Relaxed),
            }
            writer.len += 1;
            let birth = object.serial.birth();
            writer.greatest = writer.greatest.max(birth);
            slot.store(object);
            self.recent.came(id, object);
            self.link(id, slot.next, birth, buckets);
            if more {
                self.split(buckets);
            }
        });
        id
    }

    /// A slot of a chunk that is not there yet.
    #[cold]
    fn new_slot(&self, id: u32) -> Slot<'_> {
        self.chunks.get_or_make(id as usize / CHUNK, OnceLock::new).get_or_init(Chunk::new);
        self.slot(id).expect("its chunk is there")
    }

    /// Changes the object in a slot, if there is one.
    pub fn update(&self, slot: u32, change: impl FnOnce(&mut Object)) {
        let mut writer = self.lock();
        let Some(mut object) = self.load(slot) else { return };
        let serial = object.serial;
        change(&mut object);
        debug_assert_eq!(object.serial, serial);
        let there = self.slot(slot).expect("its chunk is there");
        self.lock.change(&mut writer, |_| self.store_in(&there, &object));
    }

    /// Puts an object where it was, or its like; it is touched if that was noted there.
    pub fn put(&self, slot: u32, mut object: Object) {
        let mut writer = self.lock();
        let there = self.slot(slot).expect("its chunk is there");
        debug_assert!(there.has(object.serial.birth()));
        object.touched |= Object::is_touched(there.first());
        self.lock.change(&mut writer, |_| self.store_in(&there, &object));
    }

    /// The object in a slot is touched, if there is one.
    pub fn touch(&self, slot: u32) {
        let mut writer = self.lock();
        let Some(slot) = self.slot(slot).filter(|slot| !slot.has(0)) else { return };
        let _change = self.lock.begin_change(&mut writer);
        slot.first.store(Object::touched(slot.first()), Ordering::Relaxed);
    }

    /// The object of a range dies, if it is alive and `push` pushes its record. What it was is in `kept`, if that has to be
    /// known.
    #[inline(always)]
    pub fn end(
        &self,
        range: Range,
        kept: Option<&mut Object>,
        push: impl FnOnce(&RangeRecord) -> bool,
    ) -> Option<Ended> {
        let mut writer = self.lock();
        let slot = self.slot(range.value as u32)?;
        let (first, ended) = (slot.first(), Ended::of_words([slot.word(4), slot.word(5)]));
        let record = RangeRecord::of_words(self.lane, [first, slot.word(1), slot.word(3), slot.word(4)])?;
        if (record.base, record.bytes) != (range.base, range.bytes) || !push(&record) {
            return None;
        }
        if let Some(kept) = kept {
            *kept = Object::from_words(self.lane, slot.load())?;
        }
        self.make_dead(&mut writer, slot, false);
        Some(ended)
    }

    /// The object in a slot dies; it is reused if that has to be.
    pub fn die(&self, slot: u32, reused: bool) {
        let mut writer = self.lock();
        let slot = self.slot(slot).expect("its chunk is there");
        if !slot.has(0) {
            self.make_dead(&mut writer, slot, reused);
        }
    }

    #[inline(always)]
    fn make_dead(&self, writer: &mut Writing<Writer>, slot: Slot, reused: bool) {
        let [adjoint_base, flags] = Object::dead(slot.word(4), reused);
        let birth = birth_in(slot.first());
        let _change = self.lock.begin_change(writer);
        slot.place[1].store(adjoint_base, Ordering::Relaxed);
        slot.place[3].store(flags, Ordering::Relaxed);
        self.recent.died(birth);
    }

    /// Takes the object in a slot out if it is one to be taken; the slot is free.
    pub fn remove_if(&self, slot: u32, wanted: impl FnOnce(&Object) -> bool) -> Option<Object> {
        let mut writer = self.lock();
        let object = self.load(slot).filter(wanted)?;
        self.lock.change(&mut writer, |writer| {
            self.unlink(slot, object.serial.birth());
            let there = self.slot(slot).expect("its chunk is there");
            there.first.store(0, Ordering::Relaxed);
            self.recent.gone(object.serial.birth());
            there.next.store(writer.free, Ordering::Relaxed);
            writer.free = ObjectTable::link_to(slot, FREE);
            writer.len -= 1;
        });
        Some(object)
    }

    /// Calls `each` with every slot that holds an object, and nothing changes meanwhile.
    pub fn for_each(&self, mut each: impl FnMut(u32, Object)) {
        let writer = self.lock();
        for slot in 0..writer.fresh {
            if let Some(object) = self.load(slot) {
                each(slot, object);
            }
        }
    }

    /// Puts an object where it was, or its like.
    fn store_in(&self, slot: &Slot, object: &Object) {
        slot.store(object);
        self.recent.changed(object);
    }

    fn head(&self, bucket: u32) -> &AtomicU32 {
        self.heads.get(bucket as usize).expect("a bucket in use")
    }

    /// Puts a slot with a birth, and this link of its own, into its list, among so many.
    #[inline]
    fn link(&self, id: u32, next: &AtomicU32, birth: u64, buckets: u32) {
        let head = self.head(ObjectTable::bucket(birth, buckets));
        next.store(head.load(Ordering::Relaxed), Ordering::Relaxed);
        head.store(ObjectTable::link_to(id, ObjectTable::tag(birth)), Ordering::Relaxed);
    }

    fn unlink(&self, id: u32, birth: u64) {
        let mut link = self.head(ObjectTable::bucket(birth, self.buckets.load(Ordering::Relaxed)));
        let wanted = ObjectTable::link_to(id, ObjectTable::tag(birth));
        while link.load(Ordering::Relaxed) != wanted {
            link = self.next(link.load(Ordering::Relaxed));
        }
        link.store(self.next(wanted).load(Ordering::Relaxed), Ordering::Relaxed);
    }

    fn next(&self, link: u32) -> &AtomicU32 {
        let slot = ObjectTable::slot_of(link).and_then(|slot| self.slot(slot));
        slot.expect("a slot of a list").next
    }

    /// Makes bucket number `buckets`, out of the one that has its objects so far.
    fn split(&self, buckets: u32) {
        let old = buckets - (1 << buckets.ilog2());
        let mut link = self.head(old).load(Ordering::Relaxed);
        for bucket in [old, buckets] {
            self.head(bucket).store(0, Ordering::Relaxed);
        }
        while let Some(id) = ObjectTable::slot_of(link) {
            let slot = self.slot(id).expect("its chunk is there");
            link = slot.next.load(Ordering::Relaxed);
            self.link(id, slot.next, birth_in(slot.first()), buckets + 1);
        }
        self.buckets.store(buckets + 1, Ordering::Relaxed);
    }
}

#[cfg(all(test, not(loom)))]
mod tests;

#[cfg(all(test, loom))]
mod models;
