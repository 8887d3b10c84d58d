//! The state of a stable heap, for checkpoints: marks, which are compared, and snapshots, which are restored.

use super::heap::{HeapHandle, heap, operate, size};
use super::join::contents_replaced;
use super::{null_pointer, status, with_site, write_out};
use crate::error::{Error, Status};
use crate::heap::{Heap, HeapMark};
use crate::tape::Cursor;
use std::ffi::c_void;

unsafe extern "C" fn push_mark(h: *mut HeapHandle, t: *mut Cursor, site: usize) {
    // SAFETY: the contract of pointers.
    unsafe { operate(h, t, site, "push of the heap's mark", Heap::push_mark_at) }
}

unsafe extern "C" fn pop_mark(h: *mut HeapHandle, t: *mut Cursor, site: usize) {
    // SAFETY: the contract of pointers.
    unsafe { operate(h, t, site, "pop of the heap's mark", Heap::pop_mark_at) }
}

/// Takes a mark: a fingerprint of the blocks that are alive, a plain value. A checkpoint keeps it beside its own data.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD or
/// ADTAPE_STATUS_RELEASED. Fortran: `call heap_mark_take(h, m)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_mark_take(h: *mut HeapHandle, m: *mut HeapMark) -> Status {
    // SAFETY: by contract.
    status(unsafe { heap(h).and_then(|heap| write_out(m, "the mark", || Ok(heap.mark()))) })
}

/// Checks that the same blocks are alive as when the mark was taken: at the end of a section that was run again, or in
/// the reverse sweep.
///
/// Returns ADTAPE_STATUS_OK, or ADTAPE_STATUS_HEAP_STATE with both states in the message; ADTAPE_STATUS_NULL_HANDLE,
/// ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED.
/// Fortran: `call heap_mark_check(h, m)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_mark_check(h: *mut HeapHandle, m: *const HeapMark) -> Status {
    // SAFETY: by contract.
    status(unsafe { heap(h) }.and_then(|heap| {
        // SAFETY: by contract.
        let mark = unsafe { m.as_ref() }.ok_or_else(|| null_pointer("a mark"))?;
        heap.check_mark(mark)
    }))
}

/// Pushes the fingerprint onto `t`, 16 bytes. Undone by adtape_heap_pop_mark, which compares it. Errors go to the
/// error handler: NULL_HANDLE, MEMORY_LIMIT, WRONG_THREAD, RELEASED. Fortran: `call heap_push_mark(h, t)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_heap_push_mark(h: *mut HeapHandle, t: *mut Cursor) {
    with_site!(2 => push_mark)
}

/// Pops the fingerprint that adtape_heap_push_mark pushed and compares all of its 64 bits with the present one.
/// Errors: as there, HEAP_STATE, UNDERFLOW. Fortran: `call heap_pop_mark(h, t)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_heap_pop_mark(h: *mut HeapHandle, t: *mut Cursor) {
    with_site!(2 => pop_mark)
}

/// The size in bytes of what adtape_heap_save would write now.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD or
/// ADTAPE_STATUS_RELEASED. Fortran: `call heap_save_bytes(h, bytes)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_save_bytes(h: *mut HeapHandle, out: *mut i64) -> Status {
    // SAFETY: by contract.
    status(unsafe { heap(h).and_then(|heap| write_out(out, "the result", || Ok(heap.snapshot_bytes() as i64))) })
}

/// Writes a snapshot of the heap for a checkpoint: which blocks are alive, and their contents. It belongs to this
/// heap and this process, because it restores blocks at their addresses. Undone by adtape_heap_restore.
///
/// out: `bytes` bytes, at least as many as adtape_heap_save_bytes says.
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_COUNT_RANGE (too few), ADTAPE_STATUS_NULL_HANDLE,
/// ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED. Cost: a copy of all that is
/// alive. Fortran: `call heap_save(h, out, bytes)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_save(h: *mut HeapHandle, out: *mut c_void, bytes: i64) -> Status {
    // SAFETY: by contract.
    status(unsafe { heap(h) }.and_then(|heap| {
        let need = heap.snapshot_bytes();
        if out.is_null() {
            return Err(null_pointer("the snapshot"));
        }
        if usize::try_from(bytes).is_ok_and(|bytes| bytes >= need) {
            let snapshot = heap.snapshot();
            // SAFETY: not NULL, so writable for `bytes` bytes by contract.
            unsafe { out.cast::<u8>().copy_from_nonoverlapping(snapshot.as_ptr(), snapshot.len()) };
            return Ok(());
        }
        Err(Error::new(
            Status::CountRange,
            format!(
                "a snapshot of the heap takes {need} bytes, and there is room for {bytes}\n  \
                 ask adtape_heap_save_bytes just before"
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
pub unsafe extern "C" fn adtape_heap_restore(h: *mut HeapHandle, snapshot: *const c_void, bytes: i64) -> Status {
    // SAFETY: by contract.
    status(unsafe { heap(h) }.and_then(|heap| {
        let count = size(bytes)?;
        if snapshot.is_null() {
            return Err(null_pointer("the snapshot"));
        }
        // SAFETY: not NULL, so readable for `bytes` bytes by contract.
        heap.restore(unsafe { std::slice::from_raw_parts(snapshot.cast(), count) })?;
        // SAFETY: a heap of this thread: `heap` looked.
        unsafe { contents_replaced(h, heap, false) };
        Ok(())
    }))
}
