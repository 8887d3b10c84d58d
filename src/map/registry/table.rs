//! Tables that grow and never move, read without a lock: a *segment* is twice as long as the one before it.

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
    #[inline(always)]
    fn place(i: usize) -> (usize, usize, usize) {
        // Counted from FIRST on, segments begin at powers of two.
        let log = (i + FIRST).ilog2();
        ((log - FIRST.ilog2()) as usize, i + FIRST - (1 << log), 1 << log)
    }

    #[inline(always)]
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
