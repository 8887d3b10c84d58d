//! The memory of blocks on their way, which the process's tapes account for: they say how, because stores know nothing of
//! tapes.

#![forbid(unsafe_code)]

use crate::sync::First;

/// How such memory is paid for.
pub(crate) struct Account {
    /// Takes bytes; false if there are none left.
    pub charge: fn(usize) -> bool,
    pub refund: fn(usize),
    /// The most that all tapes and blocks on their way may have.
    pub limit: fn() -> u64,
    /// Whether tapes go to a disk that nobody has named.
    pub spills_unasked: fn() -> bool,
    /// Whether the system has so much memory.
    pub has_memory: fn(usize) -> bool,
}

static ACCOUNT: First<Account> = First::new();

/// Sets the account, once.
pub(crate) fn set_account(account: Account) {
    ACCOUNT.get_or_make(|| account);
}

/// All blocks on their way together have at most this share of the limit, and no more than is of use.
const SHARE: u64 = 8;
const MOST: u64 = 32 << 20;
/// Bytes of a block: a huge page where there is enough memory.
const LARGEST_BLOCK: usize = 2 << 20;
const SMALLEST_BLOCK: usize = 4 << 10;

pub(super) fn limit() -> u64 {
    ACCOUNT.get().map_or(u64::MAX, |account| (account.limit)())
}

/// Bytes that all blocks on their way may have.
pub(super) fn room() -> usize {
    (limit() / SHARE).min(MOST) as usize
}

/// Bytes of a block, a power of two: eight may be on their way.
pub(super) fn block() -> usize {
    let eighth = room() / 8;
    ((eighth + 1).next_power_of_two() / 2).clamp(SMALLEST_BLOCK, LARGEST_BLOCK)
}

/// Whether the system has memory for a thread: its stack, and what it allocates. The C library ends a process one of whose
/// threads finds none for itself.
pub(super) fn has_memory_for_a_thread() -> bool {
    const THREAD: usize = 16 << 20;
    ACCOUNT.get().is_none_or(|account| (account.has_memory)(THREAD))
}

pub(super) fn spills_unasked() -> bool {
    ACCOUNT.get().is_some_and(|account| (account.spills_unasked)())
}

/// Takes bytes; how many of them are to be given back one day: none where there is no account yet. None if they are refused.
pub(super) fn charge(bytes: usize) -> Option<usize> {
    match ACCOUNT.get() {
        Some(account) => (account.charge)(bytes).then_some(bytes),
        None => Some(0),
    }
}

pub(super) fn refund(bytes: usize) {
    if let Some(account) = ACCOUNT.get() {
        (account.refund)(bytes);
    }
}
