//! A store in memory.
//!
//! An entry is a list of *buffers*, filled one after the other. The buffers of an entry that is removed or replaced go
//! to a *pool*, warm, and the next entry takes them from there; so writing the same state again and again costs one
//! copy, and no page is touched for the first time twice.
//!
//! ```text
//!   entry  |== buffer 0 ==|======== buffer 1 ========|=== buffer 2 ···|      all full but the last
//!   pool   |··············|··········|
//!   held = bytes of all buffers: entries, writers, pool <= limit
//! ```

#![forbid(unsafe_code)]

use super::{EntryReader, EntryWriter, Store, check_name, not_found};
use crate::error::{Error, Status, bytes};
use crate::sync::{Arc, Mutex};
use std::collections::BTreeMap;
use std::sync::Weak;

/// Buffers are multiples of this.
const UNIT: usize = 4096;
/// An entry that grows in small pieces gets buffers of this share of what it has, so that little is left unused.
const SHARE: usize = 8;
/// And no larger ones than this.
const LARGEST: usize = 64 << 20;

/// A store in memory, for one process. Its buffers are used again: see [`trim`](MemoryStore::trim).
#[derive(Clone)]
pub struct MemoryStore {
    shared: Arc<Shared>,
}

struct Shared {
    limit: u64,
    state: Mutex<Buffers>,
}

#[derive(Default)]
struct Buffers {
    entries: BTreeMap<String, Arc<Content>>,
    /// Empty buffers; the smallest first.
    pool: Vec<Vec<u8>>,
    /// Capacity of all buffers of the store, wherever they are now.
    held: u64,
}

/// The buffers of an entry, and where each begins in it. Dropped, they go to the pool.
struct Content {
    buffers: Vec<Vec<u8>>,
    starts: Vec<u64>,
    len: u64,
    /// The store does not live because of what is in it.
    shared: Weak<Shared>,
}

impl Drop for Content {
    fn drop(&mut self) {
        let Some(shared) = self.shared.upgrade() else { return };
        let mut state = shared.state.lock();
        for mut buffer in self.buffers.drain(..) {
            buffer.clear();
            state.put(buffer);
        }
    }
}

impl Buffers {
    fn put(&mut self, buffer: Vec<u8>) {
        let at = self.pool.partition_point(|other| other.capacity() < buffer.capacity());
        self.pool.insert(at, buffer);
    }

    /// A buffer for at least `least` bytes, better for `wanted`.
    fn take(&mut self, least: usize, wanted: usize, limit: u64) -> Result<Vec<u8>, Error> {
        let wanted = wanted.next_multiple_of(UNIT);
        let at = self.pool.partition_point(|buffer| buffer.capacity() < wanted);
        // Not one that is far too large: another entry may have use for it.
        if self.pool.get(at).is_some_and(|buffer| buffer.capacity() / 4 <= wanted) {
            return Ok(self.pool.remove(at));
        }
        for size in [wanted, least] {
            let size = size.next_multiple_of(UNIT);
            while self.held + size as u64 > limit {
                let Some(idle) = self.pool.pop() else { break };
                self.held -= idle.capacity() as u64;
            }
            if self.held + size as u64 > limit {
                continue;
            }
            let mut buffer = Vec::new();
            if buffer.try_reserve_exact(size).is_ok() {
                self.held += buffer.capacity() as u64;
                return Ok(buffer);
            }
        }
        let (status, problem) = if self.held + least as u64 > limit {
            (Status::MemoryLimit, format!("its limit is {}", bytes(limit)))
        } else {
            (Status::OutOfMemory, "the system refuses them".to_owned())
        };
        Err(Error::new(
            status,
            format!(
                "a store of checkpoints needs {} more and has {}: {problem}\n  \
                 raise the limit, keep fewer checkpoints, or give the store files to go on in",
                bytes(least as u64),
                bytes(self.held)
            ),
        ))
    }
}

impl MemoryStore {
    /// A store without a limit.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let store = MemoryStore::new();
    /// let mut writer = store.create("greeting")?;
    /// writer.write(b"hello")?;
    /// writer.commit()?;
    /// let mut bytes = [0; 5];
    /// store.open("greeting")?.read_at(0, &mut bytes)?;
    /// assert_eq!(&bytes, b"hello");
    /// # Ok(())
    /// # }
    /// ```
    #[expect(clippy::new_without_default, reason = "a store is made where it is given to somebody")]
    pub fn new() -> MemoryStore {
        MemoryStore::with_limit(u64::MAX)
    }

    /// A store whose buffers have `limit_bytes` together at most, the idle ones included.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let store = MemoryStore::with_limit(1 << 20);
    /// let full = store.create("large")?.write(&[0; 2 << 20]).unwrap_err();
    /// assert_eq!(full.status(), Status::MemoryLimit);
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_limit(limit_bytes: u64) -> MemoryStore {
        MemoryStore { shared: Arc::new(Shared { limit: limit_bytes, state: Mutex::default() }) }
    }

    /// Bytes of all buffers, idle ones included.
    pub fn held_bytes(&self) -> u64 {
        self.shared.state.lock().held
    }

    /// Gives idle buffers back to the system.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let store = MemoryStore::new();
    /// store.create("abandoned")?.write(&[0; 1 << 20])?;
    /// assert!(store.held_bytes() >= 1 << 20);
    /// store.trim();
    /// assert_eq!(store.held_bytes(), 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn trim(&self) {
        let mut state = self.shared.state.lock();
        let idle: u64 = state.pool.drain(..).map(|buffer| buffer.capacity() as u64).sum();
        state.held -= idle;
    }

    pub(super) fn writer(&self, name: &str) -> Result<MemoryWriter, Error> {
        check_name(name)?;
        let shared = Arc::downgrade(&self.shared);
        let content = Content { buffers: Vec::new(), starts: Vec::new(), len: 0, shared };
        Ok(MemoryWriter { name: name.to_owned(), content, shared: self.shared.clone() })
    }
}

impl Store for MemoryStore {
    fn create(&self, name: &str) -> Result<Box<dyn EntryWriter>, Error> {
        Ok(Box::new(self.writer(name)?))
    }

    fn open(&self, name: &str) -> Result<Box<dyn EntryReader>, Error> {
        let content = self.shared.state.lock().entries.get(name).cloned();
        let content = content.ok_or_else(|| not_found(name, "memory"))?;
        Ok(Box::new(MemoryReader { content, last: 0 }))
    }

    fn remove(&self, name: &str) -> Result<(), Error> {
        // Dropped after the lock is: its buffers go to the pool.
        let removed = self.shared.state.lock().entries.remove(name);
        removed.map(drop).ok_or_else(|| not_found(name, "memory"))
    }

    fn names(&self) -> Result<Vec<String>, Error> {
        Ok(self.shared.state.lock().entries.keys().cloned().collect())
    }

    fn trim(&self) {
        MemoryStore::trim(self);
    }
}

pub(super) struct MemoryWriter {
    name: String,
    content: Content,
    shared: Arc<Shared>,
}

impl MemoryWriter {
    /// What was written, in pieces.
    pub fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        self.content.buffers.iter().map(Vec::as_slice)
    }

    /// Takes a buffer for what does not fit: `more` bytes. On error nothing has changed.
    #[cold]
    fn grow(&mut self, more: usize) -> Result<(), Error> {
        let content = &mut self.content;
        let full = content.buffers.last().map_or(0, |last| last.capacity() - last.len()) as u64;
        let wanted = more.max((content.len as usize / SHARE).min(LARGEST));
        let buffer = self.shared.state.lock().take(more, wanted, self.shared.limit)?;
        content.buffers.push(buffer);
        content.starts.push(content.len + full);
        Ok(())
    }
}

impl EntryWriter for MemoryWriter {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let last = self.content.buffers.len().wrapping_sub(1);
        let room = self.content.buffers.last().map_or(0, |last| last.capacity() - last.len());
        if bytes.len() <= room {
            if let Some(buffer) = self.content.buffers.last_mut() {
                buffer.extend_from_slice(bytes);
            }
        } else {
            let (fits, rest) = bytes.split_at(room);
            self.grow(rest.len())?;
            if let Some(buffer) = self.content.buffers.get_mut(last) {
                buffer.extend_from_slice(fits);
            }
            self.content.buffers.last_mut().expect("just added").extend_from_slice(rest);
        }
        self.content.len += bytes.len() as u64;
        Ok(())
    }

    fn commit(self: Box<Self>) -> Result<(), Error> {
        // Dropped after the lock is: its buffers go to the pool.
        let replaced = self.shared.state.lock().entries.insert(self.name, Arc::new(self.content));
        drop(replaced);
        Ok(())
    }
}

struct MemoryReader {
    content: Arc<Content>,
    /// The buffer of the last read: the next one is there or in the one behind, mostly.
    last: usize,
}

impl EntryReader for MemoryReader {
    fn bytes(&self) -> u64 {
        self.content.len
    }

    fn read_at(&mut self, offset: u64, mut bytes: &mut [u8]) -> Result<(), Error> {
        let content = &*self.content;
        if offset.checked_add(bytes.len() as u64).is_none_or(|end| end > content.len) {
            return Err(beyond_the_end(offset, bytes.len(), content.len));
        }
        let begins = |i: usize| content.starts.get(i).is_some_and(|start| *start <= offset);
        if !begins(self.last) || begins(self.last + 1) {
            self.last = content.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        }
        let mut at = offset;
        while !bytes.is_empty() {
            let buffer = &content.buffers[self.last];
            let rest = &buffer[(at - content.starts[self.last]) as usize..];
            let n = rest.len().min(bytes.len());
            let (now, later) = bytes.split_at_mut(n);
            now.copy_from_slice(&rest[..n]);
            (bytes, at) = (later, at + n as u64);
            if !bytes.is_empty() {
                self.last += 1;
            }
        }
        Ok(())
    }

    /// Memory is as it was written.
    fn verify(&mut self, offset: u64, bytes: u64) -> Result<(), Error> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.content.len => Ok(()),
            _ => Err(beyond_the_end(offset, bytes as usize, self.content.len)),
        }
    }

    fn place(&self) -> String {
        "memory".to_owned()
    }
}

#[cold]
pub(crate) fn beyond_the_end(offset: u64, asked: usize, len: u64) -> Error {
    Error::new(
        Status::Damaged,
        format!("{asked} bytes at offset {offset} are asked for, and there are {len} bytes: the rest is missing"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(store: &MemoryStore, name: &str, pieces: &[usize]) -> Vec<u8> {
        let mut writer = store.create(name).unwrap();
        let mut all = Vec::new();
        for (i, n) in pieces.iter().enumerate() {
            let piece: Vec<u8> = (0..*n).map(|k| (i + k * 7) as u8).collect();
            writer.write(&piece).unwrap();
            all.extend(piece);
        }
        writer.commit().unwrap();
        all
    }

    #[test]
    fn entries_written_in_pieces_are_read_in_other_pieces() {
        let store = MemoryStore::new();
        let pieces: Vec<usize> = (0..300).map(|i| (i * i * 37) % 9001).collect();
        let all = fill(&store, "a", &pieces);
        let mut reader = store.open("a").unwrap();
        assert_eq!(reader.bytes(), all.len() as u64);
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..2000 {
            let from = random.usize(..=all.len());
            let n = random.usize(..(all.len() + 1 - from).min(20_000));
            let mut found = vec![0; n];
            reader.read_at(from as u64, &mut found).unwrap();
            assert!(found == all[from..from + n], "{from} {n}");
        }
        let end = all.len() as u64;
        assert_eq!(reader.read_at(end - 1, &mut [0; 2]).unwrap_err().status(), Status::Damaged);
        assert_eq!(reader.read_at(u64::MAX, &mut [0; 2]).unwrap_err().status(), Status::Damaged);
    }

    #[test]
    fn buffers_of_a_removed_entry_serve_the_next_one() {
        let store = MemoryStore::new();
        let pieces = [40, 1 << 20, 40, 3 << 20, 17, 5, 80_000];
        fill(&store, "a", &pieces);
        let held = store.held_bytes();
        assert!(held < (pieces.iter().sum::<usize>() as f64 * 1.2) as u64, "{held}");
        for _ in 0..5 {
            store.remove("a").unwrap();
            fill(&store, "a", &pieces);
            assert_eq!(store.held_bytes(), held);
        }
        // Replacing takes a second set once, and no third.
        fill(&store, "a", &pieces);
        fill(&store, "a", &pieces);
        assert_eq!(store.held_bytes(), 2 * held);
    }

    #[test]
    fn reader_lives_on_when_its_entry_is_replaced_and_the_names_are_sorted() {
        let store = MemoryStore::new();
        let old = fill(&store, "b", &[1000]);
        let mut reader = store.open("b").unwrap();
        fill(&store, "b", &[2000]);
        fill(&store, "a", &[0]);
        store.remove("b").unwrap();
        let mut found = vec![0; 1000];
        reader.read_at(0, &mut found).unwrap();
        assert!(found == old);
        assert_eq!(store.names().unwrap(), ["a"]);
        assert_eq!(store.open("b").err().unwrap().status(), Status::NotFound);
        assert_eq!(store.remove("b").unwrap_err().status(), Status::NotFound);
        assert_eq!(store.create("a b").err().unwrap().status(), Status::BadArgument);
    }

    #[test]
    fn store_that_is_dropped_takes_its_entries_along() {
        let store = MemoryStore::new();
        fill(&store, "a", &[100_000]);
        let shared = Arc::downgrade(&store.shared);
        let mut reader = store.open("a").unwrap();
        let mut writer = store.create("b").unwrap();
        writer.write(&[1; 100]).unwrap();
        drop(store);
        reader.read_at(99_999, &mut [0]).unwrap();
        writer.commit().unwrap();
        assert!(shared.upgrade().is_none(), "nothing keeps the store alive");
        reader.read_at(0, &mut [0]).unwrap();
    }

    #[test]
    fn limit_counts_all_buffers_and_a_refused_write_changes_nothing() {
        let store = MemoryStore::with_limit(1 << 20);
        fill(&store, "a", &[600_000]);
        let mut writer = store.writer("b").unwrap();
        writer.write(&[1; 100]).unwrap();
        let refused = writer.write(&[2; 600_000]).unwrap_err();
        assert_eq!(refused.status(), Status::MemoryLimit, "{refused}");
        assert_eq!(writer.pieces().map(<[u8]>::len).sum::<usize>(), 100);
        store.remove("a").unwrap();
        writer.write(&[2; 600_000]).unwrap();
        assert!(store.held_bytes() <= 1 << 20);
    }
}
