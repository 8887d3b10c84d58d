//! The rebase map: where objects of the forward sweep and their adjoints lie now.

use crate::ffi::arguments::null_pointer;
use crate::ffi::handles::{objects_so_far, on_addresses};
use crate::ffi::jump::with_site;
use crate::ffi::objects::range::RangeInfo;
use crate::objects::{Objects, Writer};
use std::ffi::c_void;

unsafe extern "C" fn begin_reverse(o: *const Objects, site: usize) {
    // SAFETY: the contract of pointers.
    unsafe { on_addresses(o, site, |called| called.live_begin_reverse()) }
}

unsafe extern "C" fn rebase_add(
    o: *const Objects,
    range: *const RangeInfo,
    new_base: *const c_void,
    adjoint_base: *const c_void,
    adjoint_bytes: i64,
    site: usize,
) {
    // SAFETY: the contract of pointers.
    unsafe {
        on_addresses(o, site, |called| {
            let range = range.as_ref().ok_or_else(|| null_pointer("the range"))?.range()?;
            called.rebase_add(&range, new_base as usize, adjoint_base as usize, adjoint_bytes as usize).map(drop)
        })
    }
}

unsafe extern "C" fn rebase_remove(o: *const Objects, new_base: *const c_void, site: usize) {
    // SAFETY: the contract of pointers.
    unsafe { on_addresses(o, site, |called| called.rebase_remove(new_base as usize)) }
}

unsafe extern "C" fn rebase_pointer(
    o: *const Objects,
    address: *const c_void,
    p: *mut *mut c_void,
    p_adjoint: *mut *mut c_void,
    site: usize,
) {
    let variables = [p as usize, p_adjoint as usize];
    // SAFETY: the contract of pointers.
    unsafe {
        let objects = objects_so_far(o);
        let done = objects.and_then(|objects| objects.rebase_at_once(address as usize, variables, Writer::library()));
        if done.is_none() {
            rebase_pointer_anyhow(o, address, p, p_adjoint, site);
        }
    }
}

#[cold]
#[inline(never)]
unsafe extern "C" fn rebase_pointer_anyhow(
    o: *const Objects,
    address: *const c_void,
    p: *mut *mut c_void,
    p_adjoint: *mut *mut c_void,
    site: usize,
) {
    // SAFETY: the contract of pointers.
    unsafe {
        on_addresses(o, site, |called| {
            called.rebase_pointer(address as usize, p as usize, p_adjoint as usize).map(drop)
        })
    }
}

/// The reversal point: a section's forward sweep ends here and its reverse sweep begins. What is alive stays where it
/// is, with the adjoint that it has; addresses of the forward sweep (adtape_rebase_pointer) are from now on those that
/// objects have at this point.
///
/// Errors go to the error handler and change nothing: NULL_HANDLE; HEAP_STATE (a section that was run again from a
/// checkpoint did not bring back every object that has an adjoint).
/// Cost: proportional to the objects that came back since the last reversal point and are alive. No thread changes
/// the maps meanwhile. Fortran: `call live_begin_reverse()`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_live_begin_reverse(o: *const Objects) {
    with_site!(1 => begin_reverse)
}

/// The death of a range is reversed: what adtape_pop_range returned lies at `new_base` now, its adjoint of
/// `adjoint_bytes` bytes at `adjoint_base`; NULL and 0 if it has none. The sizes may differ; offsets are then scaled.
/// Pointer variables that wait for it are set, and those that were left over from it (adtape_pop_pointer). Undone by
/// adtape_rebase_remove, where its birth is reversed.
///
/// Errors go to the error handler and change nothing: NULL_HANDLE, NULL_POINTER, OVERLAP (something lies there, or
/// the object is back already), UNEVEN (a pointer that waits has no place in an adjoint of this size), COUNT_RANGE,
/// BAD_ARGUMENT (the range is of other objects).
/// Cost: one insertion. Any thread; a stack range goes to the map of the calling thread.
/// Fortran: `call rebase_add(range, new_base, adjoint_base, adjoint_bytes)`, the last two optional. Source: Alg. 2,
/// lines 6 and 14.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_rebase_add(
    o: *const Objects,
    range: *const RangeInfo,
    new_base: *mut c_void,
    adjoint_base: *mut c_void,
    adjoint_bytes: i64,
) {
    with_site!(5 => rebase_add)
}

/// The birth of what lies at `new_base` is reversed, of objects that came back and of those that stayed alike: it is as
/// if it had never been. The program then deallocates it, or leaves the frame. Pointer variables in it and in its
/// adjoint wait no more.
///
/// Errors go to the error handler and change nothing: NULL_HANDLE, NO_RANGE, AMBIGUOUS.
/// Fortran: `call rebase_remove(new_base)`. Source: Alg. 2, lines 7 and 11.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_rebase_remove(o: *const Objects, new_base: *const c_void) {
    with_site!(2 => rebase_remove)
}

/// Sets pointer variables to where `address` and its adjoint are now; each may be NULL. For addresses of this
/// section's forward sweep that came back among other data, as in a structure that is pushed as bytes; a pointer that
/// the program pushes itself is better pushed by adtape_push_pointer, which knows the object. If nothing that lay there
/// is back yet, the variables are NULL and wait, as those of adtape_pop_pointer do; only an address below the end of
/// the range is known to be of it then. NULL stays NULL.
///
/// Errors go to the error handler and change nothing: NULL_HANDLE, UNEVEN.
/// Cost: two searches by address. Any thread. Fortran: `call rebase_pointer(address, p, p_adjoint)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_rebase_pointer(
    o: *const Objects,
    address: *const c_void,
    p: *mut *mut c_void,
    p_adjoint: *mut *mut c_void,
) {
    with_site!(4 => rebase_pointer)
}
