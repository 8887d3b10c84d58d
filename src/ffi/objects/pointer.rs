//! Pointers on the tape, checked and translated. (adtape_push_opaque pushes an address as an opaque word.)

use crate::error::Status;
use crate::ffi::arguments::{check_address, write_out};
use crate::ffi::handles::{at_once, objects, on_addresses, tape};
use crate::ffi::jump::with_site;
use crate::ffi::objects::live::capacity_of;
use crate::ffi::outcome::status;
use crate::objects::{Objects, Waiter, Writer};
use crate::site::Site;
use crate::tape::Cursor;
use std::ffi::c_void;

unsafe extern "C" fn push_pointer(t: *const Cursor, o: *const Objects, p: *const c_void, site: usize) {
    // SAFETY: the contract of pointers.
    unsafe {
        if at_once(t, o, |tape, objects| objects.push_pointer_at_once(tape, p as usize)).is_none() {
            push_pointer_anyhow(t, o, p, site);
        }
    }
}

#[cold]
#[inline(never)]
unsafe extern "C" fn push_pointer_anyhow(t: *const Cursor, o: *const Objects, p: *const c_void, site: usize) {
    // SAFETY: the contract of pointers.
    unsafe { on_addresses(o, site, |called| called.push_pointer(tape(t)?, p as usize)) }
}

unsafe extern "C" fn pop_pointer(
    t: *const Cursor,
    o: *const Objects,
    p: *mut *mut c_void,
    p_adjoint: *mut *mut c_void,
    site: usize,
) {
    let variables = [0, p as usize, p_adjoint as usize];
    // SAFETY: the contract of pointers.
    unsafe {
        if at_once(t, o, |tape, objects| objects.pop_recent(tape, variables, Writer::library())).is_none() {
            pop_pointer_otherwise(t, o, p, p_adjoint, site);
        }
    }
}

#[inline(never)]
unsafe extern "C" fn pop_pointer_otherwise(
    t: *const Cursor,
    o: *const Objects,
    p: *mut *mut c_void,
    p_adjoint: *mut *mut c_void,
    site: usize,
) {
    let variables = [0, p as usize, p_adjoint as usize];
    // SAFETY: the contract of pointers.
    unsafe {
        if at_once(t, o, |tape, objects| objects.pop_at_once(tape, false, variables, Writer::library())).is_none() {
            pop_pointer_anyhow(t, o, p, p_adjoint, site);
        }
    }
}

#[cold]
#[inline(never)]
unsafe extern "C" fn pop_pointer_anyhow(
    t: *const Cursor,
    o: *const Objects,
    p: *mut *mut c_void,
    p_adjoint: *mut *mut c_void,
    site: usize,
) {
    // SAFETY: the contract of pointers.
    unsafe {
        on_addresses(o, site, |called| called.pop_pointer(tape(t)?, p as usize, p_adjoint as usize).map(drop));
    }
}

/// Pushes a pointer that is about to be overwritten, as the object that it points into and an offset: 8 bytes for
/// offsets below 512 MiB, else 24; 8 for NULL. So it is found again wherever the object lies then, and an address that
/// has another owner meanwhile is not mistaken. A pointer to where two ranges touch points to the one whose base it is;
/// that is counted, and code that needs it otherwise uses pairs. A pointer into an ended range still means that range,
/// until another range ends at that address. Undone by adtape_pop_pointer.
///
/// Errors go to the error handler and change nothing: NULL_HANDLE, NO_RANGE (in no range; names the nearest), those
/// of a push.
/// Cost: one search by address. One thread uses `t` at a time; `o` is for all.
/// Fortran: `call push_pointer(p)`, `call push_pointer(t, p)` with a type(c_ptr), or `c_loc` of a Fortran pointer's
/// target. Source: Alg. 2, line 18.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_push_pointer(t: *mut Cursor, o: *const Objects, p: *const c_void) {
    with_site!(3 => push_pointer)
}

/// Pops a pointer: sets `*p` to where it points now and `*p_adjoint` to the same place in the adjoint, NULL if there is
/// none. Either address may be NULL: that is not wanted.
///
/// If the object is not back yet, both variables become NULL and wait: the call of adtape_rebase_add that brings it
/// back, on whichever thread, sets them. Until then, or until another pop sets them, or until the range that they lie
/// in ends, they must be there to be written to. Those that wait are listed by adtape_live_list_waiting.
///
/// A pointer into an object that was born where another had died may have been left over from that one:
/// `p = a + 1; free(a); b = malloc(n);`. When that one comes back, both variables are set anew if they still hold what
/// this call wrote; they need not be there any more.
///
/// Errors go to the error handler and leave the tape as it was: NULL_HANDLE, UNDERFLOW, CORRUPT (no pointer lies
/// there), UNEVEN, MISMATCH in check mode.
/// Cost: one search by number. One thread uses `t` at a time; `o` is for all.
/// Fortran: `call pop_pointer(p, p_adjoint)`, `call pop_pointer(t, p, p_adjoint)`, the last optional. Source: Alg. 2,
/// line 20.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_pop_pointer(
    t: *mut Cursor,
    o: *const Objects,
    p: *mut *mut c_void,
    p_adjoint: *mut *mut c_void,
) {
    with_site!(4 => pop_pointer)
}

/// The pointer variables that wait for their object, by address: the addresses of the first `capacity` of them in
/// `variables`, their number in `*count`, which may be larger. `variables` is NULL only with a capacity of 0.
/// adtape_live_print says what each waits for.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER or ADTAPE_STATUS_COUNT_RANGE. Any
/// thread. Fortran: `call live_list_waiting(variables, count)`, an array of type(c_ptr).
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_live_list_waiting(
    o: *const Objects,
    variables: *mut *mut c_void,
    capacity: i64,
    count: *mut i64,
) -> Status {
    let list = || {
        // SAFETY: by contract.
        let waiting = unsafe { objects(o) }.waiting();
        let capacity = capacity_of(capacity)?;
        check_address(variables, capacity as i64, Site::UNKNOWN)?;
        for (i, Waiter { variable, .. }) in waiting.iter().take(capacity).enumerate() {
            // SAFETY: i < capacity, for which there is room by contract.
            unsafe { variables.add(i).write(*variable as *mut c_void) };
        }
        Ok(waiting.len() as i64)
    };
    // SAFETY: by contract.
    status(unsafe { write_out(count, "the count", list) })
}
