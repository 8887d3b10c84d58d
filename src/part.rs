//! How much of a long test runs.

#![forbid(unsafe_code)]

/// All of it with `TEST_ALL` in the environment, as in `make matrix`; a fifth without.
pub fn part(all: u64) -> u64 {
    if std::env::var_os("TEST_ALL").is_some() { all } else { all.div_ceil(5) }
}
