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
//! The *tag* in the high bits of a link is a part of the hash: a search reads only the slots of a list with the right
//! tag, since each read is a miss of the cache.
//!
//! A reader copies what it needs, and again if a writer was there meanwhile ([`Seqlock`]).

#![forbid(unsafe_code)]

use super::object::{LifeState, Object, Serial, WORDS, birth_in};
use super::table::Table;
use crate::hash::mix;
use crate::sync::{AtomicU32, AtomicU64, LockGuard, OnceLock, Ordering, Seqlock, Writing};

/// Slots of a chunk.
const CHUNK: usize = if cfg!(loom) { 4 } else { 128 };
/// Objects for each bucket.
const LOAD: usize = 2;
/// Bits of a link that are a slot plus 1; above them is its tag.
const SLOT_BITS: u32 = 28;
const SLOTS: u32 = (1 << SLOT_BITS) - 1;
/// The tag of free slots; others are below.
const FREE: u32 = (1 << (32 - SLOT_BITS)) - 1;

struct Chunk {
    words: [[AtomicU64; WORDS]; CHUNK],
    /// The link to the next slot in the list of the same bucket, or of free slots; 0 at the end.
    next: [AtomicU32; CHUNK],
}

impl Chunk {
    fn new() -> Box<Chunk> {
        Box::new(Chunk {
            words: std::array::from_fn(|_| std::array::from_fn(|_| AtomicU64::new(0))),
            next: std::array::from_fn(|_| AtomicU32::new(0)),
        })
    }
}

/// See the module.
pub(super) struct ObjectTable {
    lane: u16,
    chunks: Table<OnceLock<Box<Chunk>>>,
    heads: Table<AtomicU32>,
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
    words: &'a [AtomicU64; WORDS],
    next: &'a AtomicU32,
}

impl Slot<'_> {
    #[inline]
    fn store(&self, object: &Object) {
        for (word, value) in self.words.iter().zip(object.to_words()) {
            word.store(value, Ordering::Relaxed);
        }
    }
}

impl ObjectTable {
    pub fn new(lane: u16) -> ObjectTable {
        let lock = Seqlock::new(Writer { free: 0, fresh: 0, len: 0, greatest: 0 });
        let (chunks, heads) = (Table::new(), Table::new());
        heads.get_or_make(0, || AtomicU32::new(0));
        ObjectTable { lane, chunks, heads, buckets: AtomicU32::new(1), lock }
    }

    // ---- reading ---------------------------------------------------------------------------------------

    /// The object with this serial, and its slot.
    pub fn get(&self, serial: Serial) -> Option<(u32, Object)> {
        self.lock.read(|| {
            let slot = self.find(serial.birth())?;
            Some((slot, self.load(slot)?))
        })
    }

    /// The object in a slot, if there is one.
    pub fn at(&self, slot: u32) -> Option<Object> {
        self.lock.read(|| self.load(slot))
    }

    #[inline]
    fn slot(&self, slot: u32) -> Option<Slot<'_>> {
        let (chunk, i) = (slot as usize / CHUNK, slot as usize % CHUNK);
        let chunk = self.chunks.get(chunk)?.get()?;
        Some(Slot { words: &chunk.words[i], next: &chunk.next[i] })
    }

    fn load(&self, slot: u32) -> Option<Object> {
        let slot = self.slot(slot)?;
        Object::from_words(self.lane, std::array::from_fn(|i| slot.words[i].load(Ordering::Relaxed)))
    }

    /// The hash of a birth. Births of the same time have heads in the same line of the cache.
    #[inline]
    fn hash(birth: u64) -> u32 {
        (mix(birth >> 4) >> 32) as u32 ^ (birth as u32 & 15)
    }

    /// Another hash, below [`FREE`].
    #[inline]
    fn tag(birth: u64) -> u32 {
        (mix(birth) >> 32) as u32 % FREE
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
    #[inline]
    fn bucket(birth: u64, buckets: u32) -> u32 {
        let hash = ObjectTable::hash(birth);
        let whole = 1 << buckets.ilog2();
        match hash & (2 * whole - 1) {
            bucket if bucket < buckets => bucket,
            bucket => bucket - whole,
        }
    }

    /// The slot of a birth. A reader may be led astray while a writer is there, but ends: at a free slot if nowhere
    /// else.
    #[inline]
    fn find(&self, birth: u64) -> Option<u32> {
        let bucket = ObjectTable::bucket(birth, self.buckets.load(Ordering::Relaxed));
        let mut link = self.heads.get(bucket as usize)?.load(Ordering::Relaxed);
        let tag = ObjectTable::tag(birth);
        loop {
            let id = ObjectTable::slot_of(link)?;
            let slot = self.slot(id)?;
            match link >> SLOT_BITS {
                FREE => return None,
                there if there == tag && birth_in(slot.words[0].load(Ordering::Relaxed)) == birth => return Some(id),
                _ => link = slot.next.load(Ordering::Relaxed),
            }
        }
    }

    // ---- changing --------------------------------------------------------------------------------------

    fn lock(&self) -> LockGuard<'_, Writing<Writer>> {
        self.lock.lock()
    }

    /// A slot for an object that comes, and, in the state [`LifeState::Coming`], the dead object that it was; or the object
    /// with this serial that is there.
    pub fn claim(&self, object: Object) -> Result<(u32, Option<Object>), Object> {
        let mut writer = self.lock();
        let birth = object.serial.birth();
        if birth <= writer.greatest
            && let Some(slot) = self.find(birth)
        {
            let there = self.load(slot).expect("an object in the slot");
            if there.state != LifeState::Dead {
                return Err(there);
            }
            self.lock.change(&mut writer, |_| self.store(slot, &Object { state: LifeState::Coming, ..there }));
            return Ok((slot, Some(there)));
        }
        Ok((self.insert(&mut writer, &object), None))
    }

    /// Puts an object whose serial is not there into a free slot.
    #[inline]
    fn insert(&self, writer: &mut Writing<Writer>, object: &Object) -> u32 {
        let id = ObjectTable::slot_of(writer.free).unwrap_or(writer.fresh);
        assert!(id < SLOTS, "adtape: more than {SLOTS} objects of one thread that are alive, or on the tape");
        self.chunks.get_or_make(id as usize / CHUNK, OnceLock::new).get_or_init(Chunk::new);
        let slot = self.slot(id).expect("its chunk is there");
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
            self.link(id, slot.next, birth, buckets);
            if more {
                self.split(buckets);
            }
        });
        id
    }

    /// Changes the object in a slot, if there is one.
    pub fn update(&self, slot: u32, change: impl FnOnce(&mut Object)) {
        let mut writer = self.lock();
        let Some(mut object) = self.load(slot) else { return };
        let serial = object.serial;
        change(&mut object);
        debug_assert_eq!(object.serial, serial);
        self.lock.change(&mut writer, |_| self.store(slot, &object));
    }

    /// Puts an object where it was, or its like; it is touched if that was noted there.
    pub fn put(&self, slot: u32, mut object: Object) {
        let mut writer = self.lock();
        let there = self.slot(slot).expect("its chunk is there");
        debug_assert_eq!(birth_in(there.words[0].load(Ordering::Relaxed)), object.serial.birth());
        object.touched |= Object::is_touched(there.words);
        self.lock.change(&mut writer, |_| there.store(&object));
    }

    /// The object in a slot dies; it is reused if that has to be.
    pub fn die(&self, slot: u32, reused: bool) {
        let mut writer = self.lock();
        let words = self.slot(slot).expect("its chunk is there").words;
        if birth_in(words[0].load(Ordering::Relaxed)) != 0 {
            self.lock.change(&mut writer, |_| Object::die(words, reused));
        }
    }

    /// Takes the object in a slot out if it is one to be taken; the slot is free.
    pub fn remove_if(&self, slot: u32, wanted: impl FnOnce(&Object) -> bool) -> Option<Object> {
        let mut writer = self.lock();
        let object = self.load(slot).filter(wanted)?;
        self.lock.change(&mut writer, |writer| {
            self.unlink(slot, object.serial.birth());
            let there = self.slot(slot).expect("its chunk is there");
            there.words[0].store(0, Ordering::Relaxed);
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

    fn store(&self, slot: u32, object: &Object) {
        self.slot(slot).expect("its chunk is there").store(object);
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
            self.link(id, slot.next, birth_in(slot.words[0].load(Ordering::Relaxed)), buckets + 1);
        }
        self.buckets.store(buckets + 1, Ordering::Relaxed);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::object::RangeKind;
    use super::*;
    use std::collections::BTreeMap;

    fn object(serial: Serial, base: u64) -> Object {
        Object { serial, ..Object::new(base, 8, RangeKind::Heap, 0) }
    }

    /// Adds an object that is not there.
    fn add(objects: &ObjectTable, serial: Serial, base: u64) -> u32 {
        let (slot, was) = objects.claim(object(serial, base)).unwrap();
        assert_eq!(was, None);
        objects.update(slot, |object| object.state = LifeState::Alive);
        slot
    }

    #[test]
    fn objects_are_found_by_serial_as_in_a_map() {
        for seed in 1..20_u64 {
            let mut random = fastrand::Rng::with_seed(seed);
            let (objects, mut model) = (ObjectTable::new(3), BTreeMap::new());
            let (range, spread) = ([10, 100, 5000][seed as usize % 3], [1, 1 << 20, 1 << 33][seed as usize / 3 % 3]);
            for step in 0..20_000 {
                let serial = Serial::new(3, (1 + random.u64(..range)) * spread);
                match (random.u64(..3), model.contains_key(&serial)) {
                    (0, false) => {
                        model.insert(serial, (add(&objects, serial, step), step));
                    }
                    (0, true) => assert_eq!(objects.claim(object(serial, step)).unwrap_err().serial, serial),
                    (1, true) => {
                        let (slot, _) = model.remove(&serial).expect("it is there");
                        assert_eq!(objects.remove_if(slot, |_| false), None);
                        assert_eq!(objects.remove_if(slot, |_| true).map(|o| o.serial), Some(serial), "seed {seed}");
                        assert_eq!(objects.remove_if(slot, |_| true), None);
                        objects.update(slot, |_| panic!("nothing is there"));
                    }
                    (2, true) => {
                        let entry = model.get_mut(&serial).expect("it is there");
                        objects.update(entry.0, |object| object.base = step);
                        entry.1 = step;
                    }
                    _ => {}
                }
                let found = objects.get(serial).map(|(slot, object)| (slot, object.base));
                assert_eq!(found, model.get(&serial).copied(), "seed {seed}, step {step}");
            }
            assert_eq!(objects.lock().len, model.len());
            let mut all = BTreeMap::new();
            objects.for_each(|slot, object| {
                all.insert(object.serial, (slot, object.base));
            });
            assert_eq!(all, model, "seed {seed}");
        }
    }

    #[test]
    fn dead_object_that_comes_back_keeps_its_slot_and_comes_once() {
        let objects = ObjectTable::new(0);
        let slot = add(&objects, Serial(1), 100);
        objects.update(slot, |object| object.state = LifeState::Dead);
        let dead = objects.at(slot).unwrap();
        assert_eq!(objects.claim(object(Serial(1), 200)), Ok((slot, Some(dead))));
        assert_eq!(objects.remove_if(slot, |object| object.state == LifeState::Dead), None, "it is coming");
        assert_eq!(objects.claim(object(Serial(1), 300)).unwrap_err().state, LifeState::Coming);
    }

    #[test]
    fn index_has_few_objects_a_bucket_whatever_the_births() {
        for step in [1, 3, 64, 1000, 1 << 16, 1 << 20] {
            let objects = ObjectTable::new(0);
            (1..=20_000).for_each(|i| _ = add(&objects, Serial(step * i), i));
            let length = |bucket| {
                let list = std::iter::successors(Some(objects.head(bucket)), |link| {
                    Some(link.load(Ordering::Relaxed)).filter(|link| *link > 0).map(|link| objects.next(link))
                });
                list.count() - 1
            };
            let lengths: Vec<usize> = (0..objects.buckets.load(Ordering::Relaxed)).map(length).collect();
            assert_eq!(lengths.iter().sum::<usize>(), 20_000, "steps of {step}");
            let probes: usize = lengths.iter().map(|length| length * (length + 1) / 2).sum();
            assert!(probes < 3 * 20_000, "{probes} probes for births in steps of {step}");
        }
    }

    /// A reader sees an object whole: base and adjoint base are always written together.
    #[test]
    fn reader_sees_no_half_written_object_while_others_come_and_go() {
        let objects = ObjectTable::new(0);
        let slot = add(&objects, Serial(1), 0);
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut slots = vec![];
                for i in 0..20_000 {
                    objects.update(slot, |o| (o.base, o.adjoint_base) = (i, i));
                    slots.push(add(&objects, Serial(2 + i), i));
                    if i % 3 == 0 {
                        objects.remove_if(slots[i as usize / 2], |_| true);
                    }
                }
                done.store(true, std::sync::atomic::Ordering::Release);
            });
            while !done.load(std::sync::atomic::Ordering::Acquire) {
                let (found, object) = objects.get(Serial(1)).expect("it stays");
                assert_eq!((found, object.base), (slot, object.adjoint_base));
            }
        });
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::super::object::RangeKind;
    use super::*;
    use crate::sync::Arc;

    fn object(serial: u64) -> Object {
        Object { serial: Serial(serial), ..Object::new(10, 8, RangeKind::Heap, 0) }
    }

    /// Every interleaving with so many changes of thread that no thread asked for.
    fn model(body: impl Fn() + Send + Sync + 'static) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(2);
        builder.check(body);
    }

    /// While an object changes and goes, it is found whole or not at all.
    #[test]
    fn reader_finds_an_object_whole_while_it_changes_and_goes() {
        model(|| {
            let objects = Arc::new(ObjectTable::new(0));
            let (slot, _) = objects.claim(object(1)).unwrap();
            let other = objects.clone();
            let writer = loom::thread::spawn(move || {
                other.update(slot, |o| (o.base, o.adjoint_base) = (20, 10));
                other.remove_if(slot, |_| true);
            });
            if let Some((found, object)) = objects.get(Serial(1)) {
                assert_eq!(found, slot);
                assert!([(10, 0), (20, 10)].contains(&(object.base, object.adjoint_base)));
            }
            writer.join().unwrap();
            assert!(objects.get(Serial(1)).is_none());
        });
    }

    /// An object that is there throughout is found while others come and their coming splits a bucket.
    #[test]
    fn reader_finds_an_object_while_its_bucket_is_split() {
        model(|| {
            let objects = Arc::new(ObjectTable::new(0));
            let slots = [1, 2].map(|serial| objects.claim(object(serial)).unwrap().0);
            let other = objects.clone();
            let writer = loom::thread::spawn(move || {
                other.claim(object(3)).unwrap();
                other.remove_if(slots[0], |_| true);
            });
            assert_eq!(objects.get(Serial(2)).map(|(slot, _)| slot), Some(slots[1]));
            writer.join().unwrap();
            assert!(objects.get(Serial(1)).is_none() && objects.get(Serial(3)).is_some());
        });
    }
}
