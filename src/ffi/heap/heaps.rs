//! The stable heap: blocks that get the same address again in the reverse sweep.
//!
//! `h` is a heap: adtape_heap_self() for the calling thread's own, or one made by adtape_heap_create. Allocations and
//! releases are in `block`, marks and snapshots in `snapshot`.

use crate::error::{Error, Status};
use crate::ffi::arguments::{null_handle, write_out};
use crate::ffi::handles::{create_raw, tape};
use crate::ffi::outcome::{status, value_or_fail};
use crate::heap::{Heap, HeapStats};
use crate::objects::OwnedHeap;
use crate::site::Site;
use crate::tape::Cursor;
use crate::tape::cursor::thread;
use std::ffi::c_void;

/// # Safety
/// `h` is NULL or a heap that was not destroyed.
#[inline]
pub(in crate::ffi) unsafe fn there(h: *mut OwnedHeap) -> Result<*mut OwnedHeap, Error> {
    if h.is_null() {
        return Err(null_handle("heap", "adtape_heap_self() or what adtape_heap_create() returned"));
    }
    Ok(h)
}

/// The heap behind a handle, for the thread that owns it.
///
/// # Safety
/// `h` is NULL or a heap that was not destroyed, and nothing else of this thread uses it for `'a`.
#[inline]
pub(in crate::ffi) unsafe fn heap<'a>(h: *mut OwnedHeap) -> Result<&'a mut Heap, Error> {
    // SAFETY: by contract.
    unsafe { there(h).and_then(|h| OwnedHeap::heap(h)) }
}

/// The tape that an operation of this heap is recorded on.
///
/// # Safety
/// As [`tape()`].
#[inline]
unsafe fn record_on<'a>(t: *const Cursor, heap: &Heap) -> Result<&'a Cursor, Error> {
    if t.is_null() && !heap.is_recording() {
        return Ok(thread::cursor());
    }
    // SAFETY: by contract.
    unsafe { tape(t) }
}

/// The heap of this thread, armed, and the tape of an operation; `None` where [`operate`] has more to do or to say.
///
/// # Safety
/// As [`heap`] and [`tape()`].
#[inline(always)]
pub(in crate::ffi) unsafe fn usual<'a>(h: *mut OwnedHeap, t: *mut Cursor) -> Option<(&'a mut Heap, &'a Cursor)> {
    // SAFETY: not NULL, so a heap by contract.
    if h.is_null() || !unsafe { OwnedHeap::is_mine(h) } {
        return None;
    }
    // SAFETY: as above, and this thread's.
    let heap = unsafe { OwnedHeap::my_heap(h) };
    let own = thread::cursor();
    if t.is_null() && !heap.is_recording() {
        return Some((heap, own));
    }
    // SAFETY: by contract.
    let tape = unsafe { tape(t) }.ok()?;
    // SAFETY: this thread's.
    unsafe { OwnedHeap::arm(h, tape) };
    Some((heap, tape))
}

/// Runs `operation` on a heap and its tape, or ends the program.
///
/// # Safety
/// As [`heap`] and [`tape()`].
#[inline(always)]
pub(in crate::ffi) unsafe fn operate<R>(
    h: *mut OwnedHeap,
    t: *mut Cursor,
    site: usize,
    what: &str,
    operation: impl FnOnce(&mut Heap, &Cursor, Site) -> Result<R, Error>,
) -> R {
    let site = Site::Code(site);
    value_or_fail(site, || {
        // SAFETY: by contract.
        let heap = unsafe { heap(h) }?;
        // SAFETY: by contract.
        let cursor = unsafe { record_on(t, heap) }?;
        operation(heap, cursor, site).map_err(|error| headed(error, what, site))
    })
}

/// The error, headed by what was being done where.
#[cold]
fn headed(error: Error, what: &str, site: Site) -> Error {
    Error::new(error.status(), format!("{what} at {site}: {}", error.message()))
}

/// A size that a program passes.
pub(in crate::ffi) fn size(count: i64) -> Result<usize, Error> {
    usize::try_from(count).map_err(|_| {
        Error::new(
            Status::CountRange,
            format!(
                "a block of {count} bytes: the count is negative\n  look at how it is computed; counts are 64 bits wide"
            ),
        )
    })
}

// ---- heaps ---------------------------------------------------------------------------------------------

/// Makes an empty heap that the calling thread owns. Reserves address space, which takes no memory. Undone by
/// adtape_heap_destroy.
///
/// adjoint_factor: adjoint bytes for each primal byte; 1 for equal sizes, 2 for float with adjoints in double, the
/// number of directions in vector mode, 0 for no adjoints. At most 1024. reserve_bytes: address space for blocks up to
/// 8 KiB, and as much for larger ones; 0 for as much as the machine has memory, at least 32 GiB where that can be had.
/// A heap cannot move, so it cannot outgrow that.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER,
/// ADTAPE_STATUS_BAD_ARGUMENT, ADTAPE_STATUS_COUNT_RANGE, ADTAPE_STATUS_OUT_OF_MEMORY or
/// ADTAPE_STATUS_BAD_ENVIRONMENT.
/// Fortran: `call heap_create(h, adjoint_factor, reserve_bytes)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_create(
    adjoint_factor: i32,
    reserve_bytes: i64,
    out: *mut *mut OwnedHeap,
) -> Status {
    let make = || {
        let factor = usize::try_from(adjoint_factor).unwrap_or(usize::MAX);
        Heap::with_factor(factor, size(reserve_bytes)?).map(OwnedHeap::make)
    };
    // SAFETY: by contract.
    unsafe { create_raw(out, "the new handle", make) }
}

/// Gives a heap back, with all of its blocks and adjoints. NULL is allowed and does nothing. The thread's own heap
/// is made anew at its next use.
///
/// Returns ADTAPE_STATUS_OK or, if it is another thread's, ADTAPE_STATUS_WRONG_THREAD. Any thread may destroy a heap
/// that was released, or whose thread has ended. In a child of fork, the blocks of a heap whose thread the child does not
/// have stay where they are.
/// Fortran: `call heap_destroy(h)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation; neither the handle nor a block is used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_destroy(h: *mut OwnedHeap) -> Status {
    if h.is_null() {
        return Status::Ok;
    }
    // SAFETY: not NULL, so a heap that nobody uses any more by contract.
    status(unsafe { OwnedHeap::destroy(h) })
}

/// The calling thread's own heap, with one adjoint byte for each primal byte; made at its first use, given back when
/// the thread ends (if blocks are alive then, they stay, and standard error says so). Never NULL.
///
/// Errors go to the error handler: OUT_OF_MEMORY, BAD_ENVIRONMENT.
/// Fortran: `heap_self()`.
#[unsafe(no_mangle)]
pub extern "C" fn adtape_heap_self() -> *mut OwnedHeap {
    value_or_fail(Site::UNKNOWN, OwnedHeap::of_this_thread)
}

/// Gives a heap of the calling thread up, so that another thread can go on with it (adtape_heap_acquire). The thread's
/// own heap is replaced by a new one at its next use, and this one is then undone by adtape_heap_destroy. Orders what
/// this thread wrote before what the other reads.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED.
/// Fortran: `call heap_release(h)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_release(h: *mut OwnedHeap) -> Status {
    // SAFETY: by contract.
    status(unsafe { there(h).and_then(|h| OwnedHeap::release(h)) })
}

/// Makes the calling thread the owner of a heap that was given up by adtape_heap_release.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or, if it is not released, ADTAPE_STATUS_RELEASED.
/// Fortran: `call heap_acquire(h)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_acquire(h: *mut OwnedHeap) -> Status {
    // SAFETY: by contract.
    status(unsafe { there(h).and_then(|h| OwnedHeap::acquire(h)) })
}

// ---- sweeps ------------------------------------------------------------------------------------------------

/// Whether operations leave records on the tape: true, as at first, or false for a part of the forward sweep that is
/// run only to come to a later state (an advance between checkpoints). `t` is then ignored and may be NULL.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED.
/// Fortran: `call heap_set_recording(h, on)`, `on` a logical.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_set_recording(h: *mut OwnedHeap, on: bool) -> Status {
    // SAFETY: by contract.
    status(unsafe { heap(h) }.map(|heap| heap.set_recording(on)))
}

/// The reversal point: the forward sweep, or the section of it that was run again, ends here and its reverse sweep
/// begins. Each block that has no adjoint yet gets one, of zero; from then on adjoints begin and end with the blocks of
/// the reverse sweep. Cost: the first time proportional to what is alive; after a section that was run again, none if
/// the same blocks are alive as before.
///
/// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_HEAP_STATE if a block whose adjoint is in use is not alive: the section
/// was not run again as it was the first time; ADTAPE_STATUS_MEMORY_LIMIT, ADTAPE_STATUS_OUT_OF_MEMORY,
/// ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED. Fortran: `call
/// heap_begin_reverse(h)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_begin_reverse(h: *mut OwnedHeap) -> Status {
    // SAFETY: by contract.
    status(unsafe { heap(h) }.and_then(|heap| heap.begin_reverse_beside(thread::cursor())))
}

/// The end of the reverse sweep: no block has an adjoint any more, and a use of one before the next reversal point is a
/// segmentation fault. Their memory is kept warm.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED.
/// Fortran: `call heap_end_reverse(h)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_end_reverse(h: *mut OwnedHeap) -> Status {
    // SAFETY: by contract.
    status(unsafe { heap(h) }.and_then(|heap| {
        heap.end_reverse()?;
        // SAFETY: a heap of this thread: `heap` checked it.
        unsafe { contents_replaced(h, heap, true) };
        Ok(())
    }))
}

/// The adjoint of an address in a block, checked: `*adjoint` is NULL for NULL. adtape_heap_adjoint, which is inlined,
/// does not check and costs one addition.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_BAD_BLOCK (in no block of this heap that is alive), ADTAPE_STATUS_NO_ADJOINT
/// (before the reversal point), ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD or
/// ADTAPE_STATUS_RELEASED. Cost: for a block above 8 KiB a search in an ordered set.
/// Fortran: `call heap_find_adjoint(h, p, adjoint)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_find_adjoint(
    h: *mut OwnedHeap,
    p: *const c_void,
    adjoint: *mut *mut c_void,
) -> Status {
    // SAFETY: by contract.
    let find = || Ok(unsafe { heap(h) }?.adjoint(p.cast_mut().cast())?.cast());
    // SAFETY: by contract.
    status(unsafe { write_out(adjoint, "the result", find) })
}

// ---- what it has -----------------------------------------------------------------------------------------

/// Gives memory that no block needs back to the system. Without this call, free intervals of 1 MiB and more give theirs
/// back when the memory limit is near, the one that has been free for longest first.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED.
/// Fortran: `call heap_trim(h)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_trim(h: *mut OwnedHeap) -> Status {
    // SAFETY: by contract.
    status(unsafe { heap(h) }.map(|heap| {
        heap.trim();
    }))
}

/// Sizes of a heap, and where it lies.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD or
/// ADTAPE_STATUS_RELEASED. Fortran: `call heap_stats(h, stats)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_stats(h: *mut OwnedHeap, out: *mut HeapStats) -> Status {
    // SAFETY: by contract.
    status(unsafe { heap(h).and_then(|heap| write_out(out, "the result", || Ok(heap.stats()))) })
}

/// All blocks of the heap, or all of their adjoints, have other contents now: nothing there waits.
///
/// # Safety
/// `h` is a heap of this thread.
pub(in crate::ffi) unsafe fn contents_replaced(h: *const OwnedHeap, heap: &Heap, adjoints: bool) {
    // SAFETY: by contract.
    if let Some(addresses) = unsafe { OwnedHeap::joined(h) } {
        let (base, end) = heap.ranges()[usize::from(adjoints)];
        addresses.memory_moved((base, end - base), None);
    }
}
