//! Stacks, taken as they are needed: what is nested deeply is followed by recursion.
//!
//! A thread begins with a stack of address space that nobody touches, which costs nothing. Where the process may not have
//! so much of it (`ulimit -v`), it begins with a small part of what there is, and takes more where it comes to the end.

use std::cell::Cell;

/// What the steps from one call of [`deep`] to the next take at most.
const LEAST_BYTES: usize = 1 << 19;

/// What is taken at once.
const PART_BYTES: usize = 1 << 24;

thread_local! {
    /// Whether a stack is being taken.
    static TAKING: Cell<bool> = const { Cell::new(false) };
}

/// Goes one step deeper, on a new stack if this one ends soon.
pub fn deep<R>(work: impl FnOnce() -> R) -> R {
    if stacker::remaining_stack().is_none_or(|left| left >= LEAST_BYTES) {
        return work();
    }
    TAKING.set(true);
    stacker::grow(PART_BYTES, || {
        TAKING.set(false);
        work()
    })
}

/// Whether the thread panics because no stack can be had.
pub fn is_short() -> bool {
    TAKING.get()
}

/// How much address space the process may have, if there is a limit.
pub fn limit() -> Option<usize> {
    of_limits(&std::fs::read_to_string("/proc/self/limits").ok()?)
}

/// The limit of the address space in the kernel's table of limits.
fn of_limits(table: &str) -> Option<usize> {
    let line = table.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// A stack to begin with: `most`, but only a part of what the process may have.
pub fn bytes(most: usize, part: usize) -> usize {
    limit().map_or(most, |limit| most.min((limit / part).max(4 * LEAST_BYTES)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_is_read_from_the_table() {
        let table = "Limit                     Soft Limit           Hard Limit           Units     \n\
                     Max cpu time              unlimited            unlimited            seconds   \n\
                     Max address space         SOFT                 unlimited            bytes     \n";
        assert_eq!(of_limits(&table.replace("SOFT", "1048576000")), Some(1_048_576_000));
        assert_eq!(of_limits(&table.replace("SOFT", "unlimited")), None);
        assert_eq!(of_limits(""), None);
    }

    #[test]
    fn recursion_goes_on_behind_the_end_of_a_small_stack() {
        fn sum(n: u64) -> u64 {
            let here = std::hint::black_box([n; 64]);
            if n == 0 { 0 } else { here[63] + deep(|| sum(n - 1)) }
        }
        let small = std::thread::Builder::new().stack_size(4 * LEAST_BYTES);
        let found = small.spawn(|| sum(100_000)).expect("a thread").join().expect("no overflow");
        assert_eq!(found, 100_000 * 100_001 / 2);
        assert!(!is_short());
    }
}
