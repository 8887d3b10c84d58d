//! The objects born on one lane, by serial: read without a lock, changed under one.
//!
//! A *slot* holds one object; slots lie in chunks that never move. The *index* finds the slot of a serial: a table of
//! slot numbers, searched from the place that the serial hashes to onward. Each doubling makes a new table; the old
//! ones stay, half as large together, because a reader may still look at them.
//!
//! ```text
//!   serial --hash--> index:  | - | 7 | 2 | - | 5 | - | …      0 is empty, else slot + 1
//!                                  |
//!                    slots:  | 0 | 1 | … | 6 | …              WORDS words each
//! ```
//!
//! A reader copies what it needs and then looks whether a writer was there meanwhile (`version`, odd while one is); if
//! so, it reads again.

#![forbid(unsafe_code)]

use super::object::{Object, Serial};
use crate::sync::{AtomicU32, AtomicU64, AtomicUsize, Lock, LockGuard, OnceLock, Ordering, fence};
use std::sync::PoisonError;

/// Words of an object in a slot.
const WORDS: usize = 7;
/// Slots of a chunk, and chunks of a block of them.
const CHUNK: usize = if cfg!(loom) { 2 } else { 512 };
const BLOCK: usize = if cfg!(loom) { 2 } else { 1024 };
const BLOCKS: usize = if cfg!(loom) { 2 } else { 4096 };
/// Entries of the first table; each later one has twice as many.
const FIRST_TABLE: usize = if cfg!(loom) { 4 } else { 64 };
const TABLES: usize = if cfg!(loom) { 2 } else { 26 };
/// A reader that meets a writer this often waits for its lock instead.
const TRIES: usize = if cfg!(loom) { 2 } else { 64 };

type Chunk = Box<[AtomicU64]>;
type Block = Box<[OnceLock<Chunk>]>;

/// See the module.
pub(super) struct Objects {
    version: AtomicU64,
    blocks: Box<[OnceLock<Block>]>,
    tables: [OnceLock<Box<[AtomicU32]>>; TABLES],
    /// Which of the tables is in use.
    table: AtomicUsize,
    writer: Lock<Writer>,
}

#[derive(Default)]
struct Writer {
    free: Vec<u32>,
    /// Slots from here on were never used.
    fresh: u32,
    len: usize,
}

fn cells<T>(n: usize, make: impl Fn() -> T) -> Box<[T]> {
    (0..n).map(|_| make()).collect()
}

impl Objects {
    pub fn new() -> Objects {
        Objects {
            version: AtomicU64::new(0),
            blocks: cells(BLOCKS, OnceLock::new),
            tables: std::array::from_fn(|_| OnceLock::new()),
            table: AtomicUsize::new(0),
            writer: Lock::new(Writer::default()),
        }
    }

    // ---- reading ---------------------------------------------------------------------------------------

    /// The object with this serial, and its slot.
    pub fn get(&self, serial: Serial) -> Option<(u32, Object)> {
        self.read(|| {
            let slot = self.find(serial)?.1;
            Some((slot, self.load(slot)?))
        })
    }

    /// The object in a slot, if there is one.
    pub fn at(&self, slot: u32) -> Option<Object> {
        self.read(|| self.load(slot))
    }

    /// What `look` returns when no writer was there meanwhile.
    fn read<R>(&self, look: impl Fn() -> R) -> R {
        for _ in 0..TRIES {
            let before = self.version.load(Ordering::Acquire);
            if before & 1 == 0 {
                let found = look();
                fence(Ordering::Acquire);
                if self.version.load(Ordering::Relaxed) == before {
                    return found;
                }
            }
            std::hint::spin_loop();
        }
        let _writer = self.lock();
        look()
    }

    fn words(&self, slot: u32) -> Option<&[AtomicU64]> {
        let slot = slot as usize;
        let block = self.blocks.get(slot / CHUNK / BLOCK)?.get()?;
        let chunk = block[slot / CHUNK % BLOCK].get()?;
        Some(&chunk[slot % CHUNK * WORDS..][..WORDS])
    }

    fn load(&self, slot: u32) -> Option<Object> {
        let words = self.words(slot)?;
        Object::from_words(std::array::from_fn(|i| words[i].load(Ordering::Relaxed)))
    }

    /// Where the index has this serial, and its slot.
    fn find(&self, serial: Serial) -> Option<(usize, u32)> {
        let table = self.tables[self.table.load(Ordering::Relaxed)].get()?;
        let mut place = home(serial.0, table.len());
        for _ in 0..table.len() {
            let slot = table[place].load(Ordering::Relaxed).checked_sub(1)?;
            if self.words(slot)?[0].load(Ordering::Relaxed) == serial.0 {
                return Some((place, slot));
            }
            place = (place + 1) % table.len();
        }
        None
    }

    // ---- changing --------------------------------------------------------------------------------------

    fn lock(&self) -> LockGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a change that no reader sees half of.
    fn write<R>(&self, change: impl FnOnce(&mut Writer) -> R) -> R {
        let mut writer = self.lock();
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version + 1, Ordering::Relaxed);
        fence(Ordering::Release);
        let result = change(&mut writer);
        self.version.store(version + 2, Ordering::Release);
        result
    }

    /// Puts an object whose serial is not there into a free slot.
    pub fn insert(&self, object: Object) -> u32 {
        self.write(|writer| {
            let slot = writer.free.pop().unwrap_or_else(|| {
                writer.fresh += 1;
                writer.fresh - 1
            });
            self.make_chunk(slot as usize);
            writer.len += 1;
            self.store(slot, &object);
            if self.tables[self.table.load(Ordering::Relaxed)].get().is_none_or(|t| writer.len * 8 > t.len() * 7) {
                self.grow(writer);
            } else {
                self.enter(slot, object.serial);
            }
            slot
        })
    }

    /// Changes the object in a slot.
    pub fn update(&self, slot: u32, change: impl FnOnce(&mut Object)) {
        self.write(|_| {
            let mut object = self.load(slot).expect("an object in the slot");
            let serial = object.serial;
            change(&mut object);
            debug_assert_eq!(object.serial, serial);
            self.store(slot, &object);
        });
    }

    /// Takes the object with this serial out; its slot is free.
    pub fn remove(&self, serial: Serial) -> Option<Object> {
        self.write(|writer| {
            let (place, slot) = self.find(serial)?;
            let object = self.load(slot);
            self.vacate(place);
            self.words(slot)?[0].store(0, Ordering::Relaxed);
            writer.free.push(slot);
            writer.len -= 1;
            object
        })
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

    fn make_chunk(&self, slot: usize) {
        let block = self.blocks[slot / CHUNK / BLOCK].get_or_init(|| cells(BLOCK, OnceLock::new));
        block[slot / CHUNK % BLOCK].get_or_init(|| cells(CHUNK * WORDS, || AtomicU64::new(0)));
    }

    fn store(&self, slot: u32, object: &Object) {
        let words = self.words(slot).expect("the slot's chunk");
        for (word, value) in words.iter().zip(object.to_words()) {
            word.store(value, Ordering::Relaxed);
        }
    }

    /// Enters a slot into the table in use, which has room.
    fn enter(&self, slot: u32, serial: Serial) {
        let table = self.tables[self.table.load(Ordering::Relaxed)].get().expect("a table");
        let mut place = home(serial.0, table.len());
        while table[place].load(Ordering::Relaxed) != 0 {
            place = (place + 1) % table.len();
        }
        table[place].store(slot + 1, Ordering::Relaxed);
    }

    /// Goes on to a table of twice the size, or to the first, and enters every slot into it.
    fn grow(&self, writer: &Writer) {
        let old = self.table.load(Ordering::Relaxed);
        let next = if self.tables[old].get().is_some() { old + 1 } else { old };
        self.tables[next].get_or_init(|| cells(FIRST_TABLE << next, || AtomicU32::new(0)));
        self.table.store(next, Ordering::Relaxed);
        for slot in 0..writer.fresh {
            if let Some(object) = self.load(slot) {
                self.enter(slot, object.serial);
            }
        }
    }

    /// Empties a place of the table: what was pushed past it moves up, so that no search ends early.
    fn vacate(&self, place: usize) {
        let table = self.tables[self.table.load(Ordering::Relaxed)].get().expect("a table");
        let (mut hole, mut next) = (place, place);
        loop {
            next = (next + 1) % table.len();
            let entry = table[next].load(Ordering::Relaxed);
            let Some(slot) = entry.checked_sub(1) else { break };
            let serial = self.words(slot).expect("the slot's chunk")[0].load(Ordering::Relaxed);
            // It may move to the hole unless its home lies between the hole and where it is.
            let (from_home, from_hole) =
                (distance(home(serial, table.len()), next, table.len()), distance(hole, next, table.len()));
            if from_home >= from_hole {
                table[hole].store(entry, Ordering::Relaxed);
                hole = next;
            }
        }
        table[hole].store(0, Ordering::Relaxed);
    }
}

/// Where the search for a serial begins in a table of this length, a power of two.
fn home(serial: u64, len: usize) -> usize {
    (serial.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - len.trailing_zeros())) as usize
}

/// How far behind `from` the place `to` lies, around the end.
fn distance(from: usize, to: usize, len: usize) -> usize {
    to.wrapping_sub(from) & (len - 1)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::object::RangeKind;
    use super::*;
    use std::collections::BTreeMap;

    fn object(serial: u64, base: u64) -> Object {
        Object { serial: Serial(serial), ..Object::new(base, 8, RangeKind::Heap, 0) }
    }

    #[test]
    fn objects_are_found_by_serial_as_in_a_map() {
        for seed in 1..20_u64 {
            let mut state = seed;
            let mut random = move |n: u64| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state % n
            };
            let (objects, mut model) = (Objects::new(), BTreeMap::new());
            let range = [10, 100, 5000][seed as usize % 3];
            for step in 0..20_000 {
                let serial = 1 + random(range) + (random(2) << 48);
                match (random(3), model.contains_key(&serial)) {
                    (0, false) => {
                        model.insert(serial, (objects.insert(object(serial, step)), step));
                    }
                    (1, true) => {
                        model.remove(&serial);
                        assert_eq!(objects.remove(Serial(serial)).map(|o| o.serial.0), Some(serial), "seed {seed}");
                    }
                    (2, true) => {
                        let entry = model.get_mut(&serial).expect("it is there");
                        objects.update(entry.0, |object| object.base = step);
                        entry.1 = step;
                    }
                    _ => {}
                }
                let found = objects.get(Serial(serial)).map(|(slot, object)| (slot, object.base));
                assert_eq!(found, model.get(&serial).copied(), "seed {seed}, step {step}");
            }
            assert_eq!(objects.lock().len, model.len());
            let mut all = BTreeMap::new();
            objects.for_each(|slot, object| {
                all.insert(object.serial.0, (slot, object.base));
            });
            assert_eq!(all, model, "seed {seed}");
        }
    }

    /// A reader sees an object whole: base and adjoint base are always written together.
    #[test]
    fn reader_sees_no_half_written_object_while_others_come_and_go() {
        let objects = Objects::new();
        let slot = objects.insert(object(1, 0));
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for i in 0..20_000 {
                    objects.update(slot, |o| (o.base, o.adjoint_base) = (i, i));
                    objects.insert(object(2 + i, i));
                    if i % 3 == 0 {
                        objects.remove(Serial(2 + i / 2));
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

    /// While another object comes and the table grows, one that is there is found whole.
    #[test]
    fn reader_finds_an_object_whole_while_the_table_changes() {
        loom::model(|| {
            let objects = Arc::new(Objects::new());
            let object = |serial| Object { serial: Serial(serial), ..Object::new(10, 8, RangeKind::Heap, 0) };
            let slot = objects.insert(object(1));
            let other = objects.clone();
            let writer = loom::thread::spawn(move || {
                other.update(slot, |o| (o.base, o.adjoint_base) = (20, 10));
                other.remove(Serial(1));
            });
            if let Some((found, object)) = objects.get(Serial(1)) {
                assert_eq!(found, slot);
                assert!([(10, 0), (20, 10)].contains(&(object.base, object.adjoint_base)));
            }
            writer.join().unwrap();
            assert!(objects.get(Serial(1)).is_none());
        });
    }
}
