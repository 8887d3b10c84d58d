//! The system calls, each behind a function that says what it does and what failed.

use super::HUGE_PAGE;
use crate::error::{Error, Status, bytes, note_failure, say};
use std::io;
use std::time::Duration;

/// Reserves `size` bytes (a multiple of the page size) without memory behind them, aligned to a huge page.
/// `None` when the system refuses.
pub(super) fn reserve(size: usize) -> Option<usize> {
    let padded = size.checked_add(HUGE_PAGE)?;
    // SAFETY: a new private anonymous mapping at an address of the kernel's choice touches nothing that exists.
    let start = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            padded,
            libc::PROT_NONE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if start == libc::MAP_FAILED {
        return None;
    }
    let start = start as usize;
    let base = start.next_multiple_of(HUGE_PAGE);
    release(start, base - start);
    release(base + size, start + padded - (base + size));
    Some(base)
}

/// Unmaps `size` bytes at `start`.
pub(super) fn release(start: usize, size: usize) {
    if size > 0 {
        // SAFETY: callers pass parts of mappings that they made and no longer use.
        unsafe { libc::munmap(start as *mut _, size) };
    }
}

/// What is left to the program when memory or address space runs out: enough to say so with file and line.
const HEADROOM: usize = 2 << 20;

/// Whether the process could have [`HEADROOM`] more.
pub(super) fn leave_headroom() -> Result<(), io::Error> {
    could_have(HEADROOM)
}

/// Whether the process could have so much memory, and [`HEADROOM`] beside it.
pub(crate) fn has_memory(bytes: usize) -> bool {
    could_have(bytes + HEADROOM).is_ok()
}

fn could_have(bytes: usize) -> Result<(), io::Error> {
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new private anonymous mapping at an address of the kernel's choice touches nothing that exists.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, kind, -1, 0) };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    release(start as usize, bytes);
    Ok(())
}

/// The word at an address that was the program's once; None where no memory is now.
pub(crate) fn word_at(address: usize) -> Option<u64> {
    let mut word = 0_u64;
    let here = libc::iovec { iov_base: (&raw mut word).cast(), iov_len: size_of::<u64>() };
    let there = libc::iovec { iov_base: address as *mut _, iov_len: size_of::<u64>() };
    // SAFETY: writes to `word` only; the kernel checks the other address.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &here, 1, &there, 1, 0) };
    match read {
        8 => Some(word),
        0..8 => None,
        _ if io::Error::last_os_error().raw_os_error() == Some(libc::EFAULT) => None,
        // SAFETY: where the call is forbidden, nobody says whether the variable is there still; the program wrote to it
        // last, or to its block or frame.
        _ => Some(unsafe { (address as *const u64).read_unaligned() }),
    }
}

/// Makes `size` bytes at `start` readable and writable.
pub(super) fn commit(start: usize, size: usize) -> Result<(), io::Error> {
    // SAFETY: the range lies in a span of the caller's.
    match unsafe { libc::mprotect(start as *mut _, size, libc::PROT_READ | libc::PROT_WRITE) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Makes memory accessible where the kernel refused to move pages to, which may have left a hole in the reservation.
pub(super) fn commit_anew(start: usize, size: usize) -> Result<(), io::Error> {
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: replaces no mapping; the range lies in a span of the caller's.
    let mapped = unsafe { libc::mmap(start as *mut _, size, libc::PROT_READ | libc::PROT_WRITE, kind, -1, 0) };
    if mapped as usize == start {
        return Ok(());
    }
    if mapped != libc::MAP_FAILED {
        // A kernel before 4.17 takes the address as advice.
        release(mapped as usize, size);
    }
    commit(start, size)
}

/// Makes `size` bytes at `start` inaccessible; they keep their memory.
pub(super) fn close(start: usize, size: usize) {
    // SAFETY: the range lies in a zone of the caller's, which nobody uses until it is opened again.
    unsafe { libc::mprotect(start as *mut _, size, libc::PROT_NONE) };
}

/// Gives back the memory behind `size` bytes at `start` and makes them inaccessible.
pub(super) fn decommit(start: usize, size: usize) {
    // SAFETY: the range lies in a span of the caller's and holds nothing that is needed.
    unsafe {
        libc::madvise(start as *mut _, size, libc::MADV_DONTNEED);
        libc::mprotect(start as *mut _, size, libc::PROT_NONE);
    }
}

/// Gives back the memory behind `size` bytes at `start`, which stay accessible and read as zero.
pub(super) fn discard(start: usize, size: usize) {
    // SAFETY: the range lies in a span of the caller's and holds nothing that is needed.
    unsafe { libc::madvise(start as *mut _, size, libc::MADV_DONTNEED) };
}

/// Lets the kernel take the memory behind `size` bytes at `start` when it is short.
pub(super) fn make_reclaimable(start: usize, size: usize) {
    // SAFETY: the range lies in a span of the caller's and holds nothing that is needed.
    unsafe { libc::madvise(start as *mut _, size, libc::MADV_FREE) };
}

/// Asks for huge pages; a kernel without them ignores it.
pub(super) fn advise_huge(start: usize, size: usize) {
    // SAFETY: advice only; the range lies in a span of the caller's.
    unsafe { libc::madvise(start as *mut _, size, libc::MADV_HUGEPAGE) };
}

/// Asks for small pages where huge ones were asked for.
pub(super) fn advise_small(start: usize, size: usize) {
    // SAFETY: advice only; the range lies in a span of the caller's.
    unsafe { libc::madvise(start as *mut _, size, libc::MADV_NOHUGEPAGE) };
}

/// Writes a zero to the byte at `start`, of memory that is committed and was not touched yet, and says how much of the
/// thread's time the kernel takes for it.
pub(super) fn touch(start: usize) -> Duration {
    let before = thread_time();
    // SAFETY: the caller's memory, which reads as zero.
    unsafe { (start as *mut u8).write_volatile(0) };
    thread_time().saturating_sub(before)
}

fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: fills the struct that it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Moves the pages of one mapping to `to`, a reserved place. `false` when the system refuses.
pub(super) fn move_pages(from: usize, size: usize, to: usize) -> bool {
    // SAFETY: both ranges lie in spans of the caller's, which do not overlap; what was mapped at `to` is an
    // inaccessible reservation.
    let moved = unsafe {
        libc::mremap(from as *mut _, size, size, libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED, to as *mut libc::c_void)
    };
    moved != libc::MAP_FAILED
}

/// Moves the memory of one mapping to `to`, which is mapped, too; what was there is lost. `from` stays mapped, without
/// memory. `false` when the system refuses, a kernel before 5.7 always.
pub(super) fn move_memory(from: usize, size: usize, to: usize) -> bool {
    let how = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED | libc::MREMAP_DONTUNMAP;
    // SAFETY: both ranges are the caller's, are mapped alike, and do not overlap; nobody needs what is in `to`.
    unsafe { libc::mremap(from as *mut _, size, size, how, to as *mut libc::c_void) != libc::MAP_FAILED }
}

/// The end of a process whose memory is past saving.
#[cold]
pub(super) fn end_process(error: &Error) -> ! {
    note_failure();
    say(&format!("adtape: error: {error}"));
    std::process::abort()
}

/// Address space that `RLIMIT_AS` leaves to the process, `None` where it is unlimited.
pub(super) fn address_space_left() -> Option<usize> {
    let limit = limit(libc::RLIMIT_AS)?;
    let used = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse::<usize>().ok())
        .map_or(0, |pages| pages * page_bytes());
    Some(limit.saturating_sub(used))
}

fn page_bytes() -> usize {
    // SAFETY: only returns a number.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1) as usize
}

fn limit(resource: libc::__rlimit_resource_t) -> Option<usize> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: fills the struct that it is given.
    let status = unsafe { libc::getrlimit(resource, &mut limit) };
    (status == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur as usize)
}

/// The error for memory or address space that the system refuses.
#[cold]
pub(super) fn refused(what: &str, size: usize, have: usize, cause: &io::Error) -> Error {
    let mut message = format!(
        "the system refuses {} more {what} for a tape that has {}: {cause}",
        bytes(size as u64),
        bytes(have as u64)
    );
    for (resource, name, option) in
        [(libc::RLIMIT_AS, "RLIMIT_AS", "ulimit -v"), (libc::RLIMIT_DATA, "RLIMIT_DATA", "ulimit -d")]
    {
        if let Some(limit) = limit(resource) {
            message += &format!("\n  {name} is {}: raise it ({option})", bytes(limit as u64));
        }
    }
    message += "\n  or tape less (checkpoints, fewer steps a sweep, values that need not be taped)";
    Error::new(Status::OutOfMemory, message)
}
