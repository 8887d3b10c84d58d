//! Blocks of a stable heap: allocation and release, which leave records on the tape `t`, and the calls that undo them,
//! which take the records off again.

use crate::ffi::heap::heaps::{heap, operate, size, usual};
use crate::ffi::heap::join::{operate_moving, usual_moving};
use crate::ffi::jump::with_site;
use crate::ffi::outcome::value_or_fail;
use crate::heap::{Heap, Way};
use crate::objects::{Leaving, OwnedHeap};
use crate::site::Site;
use crate::tape::Cursor;
use std::ffi::c_void;

// ---- the forward sweep -----------------------------------------------------------------------------------

// The armed heap first, which needs no stack; then any heap of this thread in the usual case, which arms it. All else is
// a jump to what does the whole of an operation.

unsafe extern "C" fn alloc(h: *mut OwnedHeap, t: *mut Cursor, bytes: i64, site: usize) -> *mut u8 {
    // SAFETY: the contract of pointers. A negative count is a large one.
    unsafe {
        if OwnedHeap::is_armed_forward(h, t)
            && let Some(p) = OwnedHeap::my_heap(h).quick_alloc(Way::Armed, &*t, bytes as usize)
        {
            return p.as_ptr();
        }
        alloc_unarmed(h, t, bytes, site)
    }
}

#[inline(never)]
unsafe extern "C" fn alloc_unarmed(h: *mut OwnedHeap, t: *mut Cursor, bytes: i64, site: usize) -> *mut u8 {
    // SAFETY: the contract of pointers.
    match unsafe { usual(h, t) }.and_then(|(heap, tape)| heap.quick_alloc(Way::Unknown, tape, bytes as usize)) {
        Some(p) => p.as_ptr(),
        // SAFETY: as above.
        None => unsafe { alloc_anyhow(h, t, bytes, site) },
    }
}

#[cold]
unsafe extern "C" fn alloc_anyhow(h: *mut OwnedHeap, t: *mut Cursor, bytes: i64, site: usize) -> *mut u8 {
    // SAFETY: the contract of pointers.
    unsafe { operate(h, t, site, "allocation", |heap, tape, site| heap.alloc_at(tape, size(bytes)?, 1, site)) }
}

unsafe extern "C" fn calloc(h: *mut OwnedHeap, t: *mut Cursor, count: i64, bytes: i64, site: usize) -> *mut u8 {
    // SAFETY: the contract of pointers.
    unsafe {
        operate(h, t, site, "allocation", |heap, tape, site| {
            let bytes = size(count)?.saturating_mul(size(bytes)?);
            heap.alloc_zeroed_at(tape, bytes, site)
        })
    }
}

unsafe extern "C" fn alloc_aligned(
    h: *mut OwnedHeap,
    t: *mut Cursor,
    bytes: i64,
    alignment: i64,
    site: usize,
) -> *mut u8 {
    // SAFETY: the contract of pointers.
    unsafe {
        operate(h, t, site, "allocation", |heap, tape, site| {
            heap.alloc_aligned_at(tape, size(bytes)?, usize::try_from(alignment).unwrap_or(0), site)
        })
    }
}

/// Its contents are nowhere.
fn nowhere(_: &()) -> *const u8 {
    std::ptr::null()
}

/// They are in the block that the operation returned.
fn there(p: &*mut u8) -> *const u8 {
    *p
}

unsafe extern "C" fn free(h: *mut OwnedHeap, t: *mut Cursor, p: *mut u8, site: usize) {
    // SAFETY: the contract of pointers.
    unsafe {
        if OwnedHeap::is_armed_forward(h, t) && OwnedHeap::my_heap(h).quick_free(Way::Armed, &*t, p).is_some() {
            return;
        }
        free_unarmed(h, t, p, site)
    }
}

#[inline(never)]
unsafe extern "C" fn free_unarmed(h: *mut OwnedHeap, t: *mut Cursor, p: *mut u8, site: usize) {
    // SAFETY: the contract of pointers.
    match unsafe { usual_moving(h, t) }.and_then(|(heap, tape)| heap.quick_free(Way::Unknown, tape, p)) {
        Some(()) => (),
        // SAFETY: as above.
        None => unsafe { free_anyhow(h, t, p, site) },
    }
}

#[cold]
unsafe extern "C" fn free_anyhow(h: *mut OwnedHeap, t: *mut Cursor, p: *mut u8, site: usize) {
    // SAFETY: the contract of pointers.
    unsafe {
        operate_moving(h, t, site, "free", Leaving::Block(p), nowhere, |heap, tape, site| {
            heap.free_at(tape, p, false, site)
        })
    }
}

unsafe extern "C" fn free_saving(h: *mut OwnedHeap, t: *mut Cursor, p: *mut u8, site: usize) {
    // SAFETY: the contract of pointers.
    unsafe {
        operate_moving(h, t, site, "free", Leaving::Block(p), nowhere, |heap, tape, site| {
            heap.free_at(tape, p, true, site)
        })
    }
}

unsafe extern "C" fn realloc(h: *mut OwnedHeap, t: *mut Cursor, p: *mut u8, bytes: i64, site: usize) -> *mut u8 {
    // SAFETY: the contract of pointers.
    unsafe {
        operate_moving(h, t, site, "realloc", Leaving::Block(p), there, |heap, tape, site| {
            heap.realloc_at(tape, p, size(bytes)?, false, site)
        })
    }
}

unsafe extern "C" fn realloc_saving(h: *mut OwnedHeap, t: *mut Cursor, p: *mut u8, bytes: i64, site: usize) -> *mut u8 {
    // SAFETY: the contract of pointers.
    unsafe {
        operate_moving(h, t, site, "realloc", Leaving::Block(p), there, |heap, tape, site| {
            heap.realloc_at(tape, p, size(bytes)?, true, site)
        })
    }
}

/// Allocates a block, in place of malloc(bytes) in the forward sweep: at a multiple of 16, contents undefined, an
/// address of its own also for 0 bytes. Never NULL. Undone by adtape_heap_undo_alloc. Pushes 8 bytes onto `t`, 16 for
/// a block above 8 KiB. Cost: as malloc; for a block above 8 KiB two searches in an ordered set.
///
/// Errors go to the error handler and change nothing: NULL_HANDLE, COUNT_RANGE, MEMORY_LIMIT, OUT_OF_MEMORY,
/// WRONG_THREAD, RELEASED.
/// Fortran: `p = heap_alloc(h, t, bytes)`, then `call c_f_pointer(p, x, [n])`. Source: Alg. 2, line 10.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_heap_alloc(h: *mut OwnedHeap, t: *mut Cursor, bytes: i64) -> *mut c_void {
    with_site!(3 => alloc)
}

/// Allocates a block of zeros, in place of calloc(count, bytes): `count` times `bytes` bytes. Undone by
/// adtape_heap_undo_alloc.
/// Errors: as adtape_heap_alloc. Fortran: `p = heap_calloc(h, t, count, bytes)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_heap_calloc(h: *mut OwnedHeap, t: *mut Cursor, count: i64, bytes: i64) -> *mut c_void {
    with_site!(4 => calloc)
}

/// Allocates a block at a multiple of `alignment`, a power of two from 1 to 65536, in place of aligned_alloc. Undone by
/// adtape_heap_undo_alloc. Errors: as adtape_heap_alloc, and BAD_ARGUMENT (alignment).
/// Fortran: `p = heap_alloc_aligned(h, t, bytes, alignment)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_heap_alloc_aligned(
    h: *mut OwnedHeap,
    t: *mut Cursor,
    bytes: i64,
    alignment: i64,
) -> *mut c_void {
    with_site!(4 => alloc_aligned)
}

/// Gives a block another size, in place of realloc(p, bytes): its contents up to the smaller of both sizes stay, its
/// address may change. `p` is NULL, for a new block, or a block of this heap. What is cut off is not kept. Undone by
/// adtape_heap_undo_realloc. Pushes 24 to 40 bytes onto `t`. Never NULL.
///
/// Errors go to the error handler and change nothing: as adtape_heap_alloc, and BAD_BLOCK (p is no block of this
/// heap that is alive, or points into the middle of one; a block of another thread's heap would have to move: allocate,
/// copy, free).
/// Fortran: `p = heap_realloc(h, t, p, bytes)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_heap_realloc(
    h: *mut OwnedHeap,
    t: *mut Cursor,
    p: *mut c_void,
    bytes: i64,
) -> *mut c_void {
    with_site!(4 => realloc)
}

/// Gives a block another size as adtape_heap_realloc does, and pushes what is cut off onto `t`;
/// adtape_heap_undo_realloc brings it back. Errors: as adtape_heap_realloc.
/// Fortran: `p = heap_realloc_save(h, t, p, bytes)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_heap_realloc_save(
    h: *mut OwnedHeap,
    t: *mut Cursor,
    p: *mut c_void,
    bytes: i64,
) -> *mut c_void {
    with_site!(4 => realloc_saving)
}

/// Frees a block, in place of free(p). `p` is NULL or a block of this heap or of another thread's; the latter is kept
/// aside until this is undone, and no new block gets its address. The contents are not kept: what the reverse sweep
/// needs of them, the program pushes before (or calls adtape_heap_free_save). Undone by adtape_heap_undo_free. Pushes 8
/// bytes onto `t`, 16 for a block above 8 KiB or of another heap.
///
/// Errors go to the error handler and change nothing: NULL_HANDLE, BAD_BLOCK (p came from elsewhere, was freed
/// already, or points into the middle of a block), MEMORY_LIMIT (of the tape), WRONG_THREAD, RELEASED.
/// Fortran: `call heap_free(h, t, p)`. Source: Alg. 2, line 13.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_heap_free(h: *mut OwnedHeap, t: *mut Cursor, p: *mut c_void) {
    with_site!(3 => free)
}

/// Frees a block as adtape_heap_free does, and pushes its contents onto `t`; adtape_heap_undo_free brings them back.
/// Errors: as adtape_heap_free.
/// Fortran: `call heap_free_save(h, t, p)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_heap_free_save(h: *mut OwnedHeap, t: *mut Cursor, p: *mut c_void) {
    with_site!(3 => free_saving)
}

// ---- the reverse sweep -----------------------------------------------------------------------------------

unsafe extern "C" fn undo_alloc(h: *mut OwnedHeap, t: *mut Cursor, site: usize) {
    // SAFETY: the contract of pointers.
    unsafe {
        if OwnedHeap::is_armed_reverse(h, t) && OwnedHeap::my_heap(h).quick_undo_alloc(Way::Armed, &*t).is_some() {
            return;
        }
        undo_alloc_unarmed(h, t, site)
    }
}

#[inline(never)]
unsafe extern "C" fn undo_alloc_unarmed(h: *mut OwnedHeap, t: *mut Cursor, site: usize) {
    // SAFETY: the contract of pointers.
    match unsafe { usual_moving(h, t) }.and_then(|(heap, tape)| heap.quick_undo_alloc(Way::Unknown, tape)) {
        Some(()) => (),
        // SAFETY: as above.
        None => unsafe { undo_alloc_anyhow(h, t, site) },
    }
}

#[cold]
unsafe extern "C" fn undo_alloc_anyhow(h: *mut OwnedHeap, t: *mut Cursor, site: usize) {
    // SAFETY: the contract of pointers.
    unsafe { operate_moving(h, t, site, "undoing an allocation", Leaving::LastBorn, nowhere, Heap::undo_alloc_at) }
}

unsafe extern "C" fn undo_realloc(h: *mut OwnedHeap, t: *mut Cursor, site: usize) -> *mut u8 {
    // SAFETY: the contract of pointers.
    unsafe { operate_moving(h, t, site, "undoing a realloc", Leaving::LastBorn, there, Heap::undo_realloc_at) }
}

unsafe extern "C" fn undo_free(h: *mut OwnedHeap, t: *mut Cursor, site: usize) -> *mut u8 {
    // SAFETY: the contract of pointers.
    unsafe {
        if OwnedHeap::is_armed_reverse(h, t)
            && let Some(p) = OwnedHeap::my_heap(h).quick_undo_free(Way::Armed, &*t)
        {
            return p.as_ptr();
        }
        undo_free_unarmed(h, t, site)
    }
}

#[inline(never)]
unsafe extern "C" fn undo_free_unarmed(h: *mut OwnedHeap, t: *mut Cursor, site: usize) -> *mut u8 {
    // SAFETY: the contract of pointers.
    match unsafe { usual(h, t) }.and_then(|(heap, tape)| heap.quick_undo_free(Way::Unknown, tape)) {
        Some(p) => p.as_ptr(),
        // SAFETY: as above.
        None => unsafe { undo_free_anyhow(h, t, site) },
    }
}

#[cold]
unsafe extern "C" fn undo_free_anyhow(h: *mut OwnedHeap, t: *mut Cursor, site: usize) -> *mut u8 {
    // SAFETY: the contract of pointers.
    unsafe { operate(h, t, site, "undoing a free", Heap::undo_free_at) }
}

/// Undoes adtape_heap_alloc, adtape_heap_calloc or adtape_heap_alloc_aligned, which must be the last operation of
/// this heap that is not undone: the block goes, and its adjoint. Cost: as free.
///
/// Errors go to the error handler; heap and tape are as before: HEAP_STATE (another operation is the last one, or
/// the heap is not in the state that it had after it), NO_ADJOINT (before the reversal point), BAD_BLOCK (another
/// thread freed the block and has not undone that), UNDERFLOW, MISMATCH in check mode, NULL_HANDLE, WRONG_THREAD,
/// RELEASED. Fortran: `call heap_undo_alloc(h, t)`. Source: Alg. 2, line 11.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_heap_undo_alloc(h: *mut OwnedHeap, t: *mut Cursor) {
    with_site!(2 => undo_alloc)
}

/// Undoes adtape_heap_realloc or adtape_heap_realloc_save, the last operation: the block has its old address and size
/// again. Contents and adjoint up to the smaller of both sizes go back with it; of what had been cut off the adjoint is
/// zero, and the contents come back if they were saved. Returns its address, NULL if the realloc was of NULL.
///
/// Errors: as adtape_heap_undo_alloc, MEMORY_LIMIT. Fortran: `p = heap_undo_realloc(h, t)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_heap_undo_realloc(h: *mut OwnedHeap, t: *mut Cursor) -> *mut c_void {
    with_site!(2 => undo_realloc)
}

/// Undoes adtape_heap_free or adtape_heap_free_save, the last operation: the block comes back where it was, with an
/// adjoint of zero; with its contents if they were saved, else with undefined ones. Returns its address, NULL if NULL
/// was freed.
///
/// Errors: as adtape_heap_undo_alloc, MEMORY_LIMIT. Fortran: `p = heap_undo_free(h, t)`. Source: Alg. 2, line 14.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_heap_undo_free(h: *mut OwnedHeap, t: *mut Cursor) -> *mut c_void {
    with_site!(2 => undo_free)
}

// ---- without a primal ------------------------------------------------------------------------------------

unsafe extern "C" fn alloc_adjoint(h: *mut OwnedHeap, bytes: i64, site: usize) -> *mut u8 {
    // SAFETY: the contract of pointers.
    value_or_fail(Site::Code(site), || unsafe { heap(h) }?.alloc_adjoint(size(bytes)?))
}

unsafe extern "C" fn free_adjoint(h: *mut OwnedHeap, p: *mut u8, site: usize) {
    // SAFETY: the contract of pointers.
    value_or_fail(Site::Code(site), || unsafe { heap(h) }?.free_adjoint(p))
}

/// Allocates a block of zeros that only the reverse sweep uses: in an arena of its own, so that recorded blocks go
/// where they went, and without a record; malloc does as well. Never NULL. Undone by adtape_heap_free_adjoint.
///
/// Errors: as adtape_heap_alloc. Fortran: `p = heap_alloc_adjoint(h, bytes)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_heap_alloc_adjoint(h: *mut OwnedHeap, bytes: i64) -> *mut c_void {
    with_site!(2 => alloc_adjoint)
}

/// Frees what adtape_heap_alloc_adjoint returned; NULL is allowed. Errors go to the error handler: NULL_HANDLE,
/// BAD_BLOCK, WRONG_THREAD, RELEASED. Fortran: `call heap_free_adjoint(h, p)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_heap_free_adjoint(h: *mut OwnedHeap, p: *mut c_void) {
    with_site!(2 => free_adjoint)
}
