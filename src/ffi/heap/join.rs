//! A stable heap among other objects: pointers into its blocks and pointers to elsewhere are pushed and
//! popped by the same calls.

use crate::error::{Error, Status};
use crate::ffi::handles::objects;
use crate::ffi::heap::heaps::{operate, there, usual};
use crate::ffi::outcome::status;
use crate::heap::Heap;
use crate::objects::{Leaving, Objects, OwnedHeap};
use crate::site::Site;
use crate::tape::Cursor;
use std::ffi::{CStr, c_char};

/// For adtape_heap_join: all blocks of the heap are one range.
pub const ADTAPE_JOIN_RANGE: i32 = 1;
/// For adtape_heap_join: the heap is part of what adtape_live_save saves.
pub const ADTAPE_JOIN_STATE: i32 = 2;

/// The heap joins the objects `o`. `how` is ADTAPE_JOIN_RANGE, ADTAPE_JOIN_STATE or the sum of both. Undone by
/// adtape_heap_leave.
///
/// ADTAPE_JOIN_RANGE: all of its blocks are one range of kind ADTAPE_KIND_STATIC, and their adjoints its adjoint. So
/// adtape_push_pointer takes pointers into blocks beside pointers to variables and to blocks of malloc, and
/// adtape_pop_pointer returns the same address and its adjoint. Pointer variables may lie in blocks too: what waits in
/// a block waits no more when the block goes, and moves along where its contents move; what waits in an adjoint, when
/// the birth of its block is undone or at adtape_heap_end_reverse. `label` names the heap in messages; it is copied;
/// NULL for none. A pointer into a block that is gone still counts as a pointer into the heap. To detect it, register
/// each block (adtape_live_add after its allocation, adtape_live_end before its release) and not the heap.
///
/// ADTAPE_JOIN_STATE: the heap is part of the state that adtape_live_save saves; its blocks come back at their
/// addresses.
///
/// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_OVERLAP (a block is registered), ADTAPE_STATUS_BAD_ARGUMENT (`how`; it has
/// joined already), ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED; nothing has
/// changed then.
/// Cost: one insertion; after it, one comparison for each free, realloc and undo while nothing waits.
/// Fortran: `call heap_join(h, how, label)`, label optional.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_join(
    h: *mut OwnedHeap,
    o: *const Objects,
    how: i32,
    label: *const c_char,
) -> Status {
    let join = || {
        if !(ADTAPE_JOIN_RANGE..=ADTAPE_JOIN_RANGE | ADTAPE_JOIN_STATE).contains(&how) {
            return Err(Error::new(
                Status::BadArgument,
                format!("a heap cannot join as {how}\n  pass ADTAPE_JOIN_RANGE, ADTAPE_JOIN_STATE or their sum"),
            ));
        }
        // SAFETY: not NULL, so a string by contract.
        let label = if label.is_null() { c"" } else { unsafe { CStr::from_ptr(label) } }.to_string_lossy();
        let label = (how & ADTAPE_JOIN_RANGE != 0).then_some(&*label);
        // SAFETY: by contract.
        unsafe { OwnedHeap::join(there(h)?, objects(o), label, how & ADTAPE_JOIN_STATE != 0) }
    };
    status(join())
}

/// The heap leaves the objects that it joined: pointers into it are in no range any more, and checkpoints go without
/// it. Done after the reverse sweep; adtape_heap_destroy does it too. A heap that has not joined is left alone.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED.
/// Fortran: `call heap_leave(h)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_leave(h: *mut OwnedHeap) -> Status {
    // SAFETY: by contract.
    status(unsafe { there(h).and_then(|h| OwnedHeap::leave(h)) })
}

/// As [`usual`], for operations of [`operate_moving`].
///
/// # Safety
/// As [`usual`].
#[inline(always)]
pub(in crate::ffi) unsafe fn usual_moving<'a>(h: *mut OwnedHeap, t: *mut Cursor) -> Option<(&'a mut Heap, &'a Cursor)> {
    // SAFETY: by contract.
    let both = unsafe { usual(h, t) }?;
    // SAFETY: not NULL, and this thread's: `usual` checked it.
    let joined = unsafe { OwnedHeap::joined(h) };
    (!joined.is_some_and(Objects::anyone_waits)).then_some(both)
}

/// As [`operate`], and tells the addresses that the heap has joined. `stays` is the block that the contents are in
/// afterwards, NULL for none.
///
/// # Safety
/// As [`operate`].
#[inline(always)]
pub(in crate::ffi) unsafe fn operate_moving<R>(
    h: *mut OwnedHeap,
    t: *mut Cursor,
    site: usize,
    what: &str,
    goes: Leaving,
    stays: impl FnOnce(&R) -> *const u8,
    operation: impl FnOnce(&mut Heap, &Cursor, Site) -> Result<R, Error>,
) -> R {
    let operation = |heap: &mut Heap, tape: &Cursor, site: Site| {
        // SAFETY: not NULL, and this thread's: `operate` checked it.
        let joined = unsafe { OwnedHeap::joined(h) };
        match joined.filter(|addresses| addresses.anyone_waits()) {
            Some(addresses) => addresses.heap_moves(heap, tape, goes, stays, |heap| operation(heap, tape, site)),
            None => operation(heap, tape, site),
        }
    };
    // SAFETY: by contract.
    unsafe { operate(h, t, site, what, operation) }
}
