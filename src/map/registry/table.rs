//! Tables that grow and never move, read without a lock: a *segment* is as long as all before it.

#![forbid(unsafe_code)]

use crate::sync::OnceLock;

/// Entries of the first segment.
const FIRST: usize = if cfg!(loom) { 2 } else { 16 };
const SEGMENTS: usize = if cfg!(loom) { 3 } else { 28 };

/// See the module.
pub(super) struct Table<T>([OnceLock<Box<[T]>>; SEGMENTS]);

impl<T> Table<T> {
    pub fn new() -> Table<T> {
        Table(std::array::from_fn(|_| OnceLock::new()))
    }

    /// Segment, place in it, length of it.
    fn place(i: usize) -> (usize, usize, usize) {
        match (i / FIRST).checked_ilog2() {
            None => (0, i, FIRST),
            Some(log) => (log as usize + 1, i - (FIRST << log), FIRST << log),
        }
    }

    #[inline]
    pub fn get(&self, i: usize) -> Option<&T> {
        let (segment, place, _) = Table::<T>::place(i);
        self.0.get(segment)?.get()?.get(place)
    }

    /// The entry, which is made with all others of its segment if there is none yet.
    pub fn get_or_make(&self, i: usize, make: impl Fn() -> T) -> &T {
        let (segment, place, length) = Table::<T>::place(i);
        &self.0[segment].get_or_init(|| (0..length).map(|_| make()).collect())[place]
    }
}
