//! Stacks, taken as they are needed: expressions and constructs that are nested deeply are followed by recursion.

/// What the steps from one call of [`deep`] to the next take at most.
const LEAST_BYTES: usize = 1 << 18;

/// What is taken at once.
const PART_BYTES: usize = 1 << 22;

/// Goes one step deeper, on a new stack if this one ends soon.
pub fn deep<R>(work: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(LEAST_BYTES, PART_BYTES, work)
}
