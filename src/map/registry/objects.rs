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
//! What came last is found without the index: a table, *recent*, has the slot of a birth where the births that are a
//! multiple of its length away had theirs. It is never wrong, since the slot itself says whose it is.
//!
//! The *tag* in the high bits of a link is a part of the hash: a search reads only the slots of a list with the right
//! tag, since each read is a miss of the cache.
//!
//! A reader copies what it needs, and again if a writer was there meanwhile ([`Seqlock`]).

#![forbid(unsafe_code)]

use super::object::{LifeState, Object, Serial, WORDS, birth_in};
use super::table::Table;
use crate::hash::mix;
use crate::map::ranges::Range;
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

/// Births whose slots the table of recent ones has.
const RECENT: usize = if cfg!(loom) { 2 } else { 4096 };

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
    /// By the low bits of a birth: its other bits, as many as fit, above its slot.
    recent: Box<[AtomicU64; RECENT]>,
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

    #[inline(always)]
    fn load(&self) -> [u64; WORDS] {
        let word = |i: usize| self.words[i].load(Ordering::Relaxed);
        [word(0), word(1), word(2), word(3), word(4), word(5)]
    }

    #[inline(always)]
    fn has(&self, birth: u64) -> bool {
        birth_in(self.words[0].load(Ordering::Relaxed)) == birth
    }
}

impl ObjectTable {
    pub fn new(lane: u16) -> ObjectTable {
        let lock = Seqlock::new(Writer { free: 0, fresh: 0, len: 0, greatest: 0 });
        let (chunks, heads) = (Table::new(), Table::new());
        heads.get_or_make(0, || AtomicU32::new(0));
        let recent = Box::new(std::array::from_fn(|_| AtomicU64::new(0)));
        ObjectTable { lane, chunks, heads, recent, buckets: AtomicU32::new(1), lock }
    }

    // ---- reading ---------------------------------------------------------------------------------------

    /// The object with this serial, and its slot.
    pub fn get(&self, serial: Serial) -> Option<(u32, Object)> {
        let found = self.lock.read(|| self.find(serial.birth()).map(|(id, slot)| (id, slot.load())));
        let (id, words) = found?;
        Some((id, Object::from_words(self.lane, words)?))
    }

    /// Where the object with this birth lies, and its adjoint, if both are as long, the object is alive and no other one was
    /// where it is. None also if it changes just now.
    #[inline(always)]
    pub fn simple_place(&self, birth: u64) -> Option<(u64, u64)> {
        let before = self.lock.begin()?;
        let (_, slot) = self.find(birth)?;
        let word = |i: usize| slot.words[i].load(Ordering::Relaxed);
        let words = [word(1), word(3), word(4), word(5)];
        if self.lock.is_unchanged(before) { Object::simple_place(words) } else { None }
    }

    /// The birth of the object that a range of a map is; None also if it changes just now, or may not be touched and is.
    #[inline(always)]
    pub fn birth_of(&self, range: Range, untouched: bool) -> Option<u64> {
        let before = self.lock.begin()?;
        let Slot { words, .. } = self.slot(range.value as u32)?;
        let [first, base, bytes] = [&words[0], &words[1], &words[4]].map(|word| word.load(Ordering::Relaxed));
        let is_touched = Object::is_touched(words);
        let is_it = self.lock.is_unchanged(before) && Object::lies_at(range, base, bytes) && !(untouched && is_touched);
        Some(birth_in(first)).filter(|birth| is_it && *birth != 0)
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
        Some(Slot { words: &chunk.words[i], next: &chunk.next[i] })
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
        let recent = self.recent[birth as usize % RECENT].load(Ordering::Relaxed);
        let id = recent as u32 & SLOTS;
        if ObjectTable::recent(birth, id) == recent
            && let Some(slot) = self.slot(id)
            && slot.has(birth)
        {
            return Some((id, slot));
        }
        self.find_in_lists(birth)
    }

    /// What the table of recent ones has of a birth.
    #[inline(always)]
    fn recent(birth: u64, slot: u32) -> u64 {
        birth << SLOT_BITS | u64::from(slot)
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
            self.lock.change(&mut writer, |_| slot.store(&Object { state: LifeState::Coming, ..there }));
            return Ok((id, Some(there)));
        }
        Ok((self.insert(&mut writer, &object), None))
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
            self.recent[birth as usize % RECENT].store(ObjectTable::recent(birth, id), Ordering::Relaxed);
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
mod tests;

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
