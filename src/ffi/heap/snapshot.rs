//! The state of a stable heap, for checkpoints: marks, which are compared, and snapshots, which are restored.

use crate::error::{Error, Status};
use crate::ffi::arguments::{null_pointer, write_if_wanted, write_out};
use crate::ffi::heap::heaps::{contents_replaced, heap, size};
use crate::ffi::outcome::status;
use crate::heap::HeapMark;
use crate::objects::OwnedHeap;
use std::ffi::c_void;

/// Takes a mark: a fingerprint of the blocks that are alive, a plain value. A checkpoint keeps it beside its own data,
/// or a tape does (adtape_push_bytes).
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD or
/// ADTAPE_STATUS_RELEASED. Fortran: `call heap_mark_take(h, m)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_mark_take(h: *mut OwnedHeap, m: *mut HeapMark) -> Status {
    // SAFETY: by contract.
    status(unsafe { heap(h).and_then(|heap| write_out(m, "the mark", || Ok(heap.mark()))) })
}

/// Checks that the same blocks are alive as when the mark was taken, by all 64 bits of the fingerprint, of which each
/// undo compares 18: at the end of a section that was run again, or in the reverse sweep.
///
/// Returns ADTAPE_STATUS_OK, or ADTAPE_STATUS_HEAP_STATE with both states in the message; ADTAPE_STATUS_NULL_HANDLE,
/// ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED.
/// Fortran: `call heap_mark_check(h, m)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_mark_check(h: *mut OwnedHeap, m: *const HeapMark) -> Status {
    // SAFETY: by contract.
    status(unsafe { heap(h) }.and_then(|heap| {
        // SAFETY: by contract.
        let mark = unsafe { m.as_ref() }.ok_or_else(|| null_pointer("a mark"))?;
        heap.check_mark(mark)
    }))
}

/// Writes a snapshot of the heap into memory of the program: which blocks are alive, and their contents. It belongs to
/// this heap and this process, because it restores blocks at their addresses. Undone by adtape_heap_restore. (A
/// checkpoint in a store, with all that is alive, is written by adtape_live_save.)
///
/// `out` has room for `bytes` bytes. NULL: nothing is written, and the size is found. `*need` is the size of the
/// snapshot, also where there is too little room; NULL: not wanted.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_COUNT_RANGE (too little room), ADTAPE_STATUS_NULL_HANDLE,
/// ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED. Cost: a copy of all that is alive; without `out` none.
/// Fortran: `call heap_save(h, out, bytes, need)`, `need` optional.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_save(h: *mut OwnedHeap, out: *mut c_void, bytes: i64, need: *mut i64) -> Status {
    // SAFETY: by contract.
    status(unsafe { heap(h) }.and_then(|heap| {
        let takes = heap.snapshot_bytes();
        // SAFETY: by contract.
        unsafe { write_if_wanted(need, takes as i64) };
        if out.is_null() {
            return Ok(());
        }
        if usize::try_from(bytes).is_ok_and(|bytes| bytes >= takes) {
            let snapshot = heap.snapshot();
            // SAFETY: not NULL, so writable for `bytes` bytes by contract.
            unsafe { out.cast::<u8>().copy_from_nonoverlapping(snapshot.as_ptr(), snapshot.len()) };
            return Ok(());
        }
        Err(Error::new(
            Status::CountRange,
            format!(
                "a snapshot of the heap takes {takes} bytes, and there is room for {bytes}\n  \
                 ask for the size just before, by a call with NULL for the snapshot"
            ),
        ))
    }))
}

/// Puts the heap back into the state of a snapshot, contents included, to run a section again. Adjoints stay as they
/// are: at its reversal point the section must have come to the state that they belong to.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_DAMAGED (no snapshot), ADTAPE_STATUS_HEAP_STATE (one of another heap),
/// ADTAPE_STATUS_COUNT_RANGE, ADTAPE_STATUS_MEMORY_LIMIT, ADTAPE_STATUS_OUT_OF_MEMORY, ADTAPE_STATUS_NULL_HANDLE,
/// ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED; the heap is then as before.
/// Cost: a copy of all that comes alive, and of the list of what was. Fortran: `call heap_restore(h, snapshot,
/// bytes)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_restore(h: *mut OwnedHeap, snapshot: *const c_void, bytes: i64) -> Status {
    // SAFETY: by contract.
    status(unsafe { heap(h) }.and_then(|heap| {
        let count = size(bytes)?;
        if snapshot.is_null() {
            return Err(null_pointer("the snapshot"));
        }
        // SAFETY: not NULL, so readable for `bytes` bytes by contract.
        heap.restore(unsafe { std::slice::from_raw_parts(snapshot.cast(), count) })?;
        // SAFETY: a heap of this thread: `heap` checked it.
        unsafe { contents_replaced(h, heap, false) };
        Ok(())
    }))
}
