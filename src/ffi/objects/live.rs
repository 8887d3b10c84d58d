//! The live map: which ranges are alive.

use crate::error::{Error, Status};
use crate::ffi::arguments::{KindCode, check_address, kind_of, write_out};
use crate::ffi::handles::{at_once, objects, on_addresses, tape};
use crate::ffi::jump::with_site;
use crate::ffi::objects::range::RangeInfo;
use crate::ffi::outcome::status;
use crate::objects::{LiveStats, Objects};
use crate::site::Site;
use crate::tape::Cursor;
use std::ffi::{CStr, c_char, c_void};

unsafe extern "C" fn live_add(
    o: *const Objects,
    base: *const c_void,
    bytes: i64,
    kind: i32,
    label: *const c_char,
    site: usize,
) -> i64 {
    // SAFETY: the contract of pointers.
    unsafe {
        on_addresses(o, site, |called| {
            let label = if label.is_null() { c"" } else { CStr::from_ptr(label) };
            let serial = called.live_add_c(base as usize, bytes as usize, kind_of(kind)?, label)?;
            Ok(serial as i64)
        })
    }
}

unsafe extern "C" fn live_remove(o: *const Objects, base: *const c_void, site: usize) {
    // SAFETY: the contract of pointers.
    unsafe { on_addresses(o, site, |called| called.live_remove(base as usize)) }
}

unsafe extern "C" fn live_end(t: *const Cursor, o: *const Objects, base: *const c_void, site: usize) {
    // SAFETY: the contract of pointers.
    unsafe {
        if at_once(t, o, |tape, objects| objects.live_end_at_once(tape, base as usize)).is_none() {
            live_end_anyhow(t, o, base, site);
        }
    }
}

#[inline(never)]
unsafe extern "C" fn live_end_anyhow(t: *const Cursor, o: *const Objects, base: *const c_void, site: usize) {
    // SAFETY: the contract of pointers.
    unsafe { on_addresses(o, site, |called| called.live_end(tape(t)?, base as usize)) }
}

unsafe extern "C" fn live_set_adjoint(
    o: *const Objects,
    base: *const c_void,
    adjoint_base: *const c_void,
    adjoint_bytes: i64,
    site: usize,
) {
    // SAFETY: the contract of pointers.
    unsafe {
        on_addresses(o, site, |called| {
            called.live_set_adjoint(base as usize, adjoint_base as usize, adjoint_bytes as usize)
        })
    }
}

/// A variable or block of `bytes` bytes comes alive at `base`. `kind` is one of ADTAPE_KIND_…: a stack range is in a
/// map of the calling thread, all others in one that threads share. `label` names it in messages, e.g.
/// `"x (double[1000])"`; it is copied; NULL for none. Returns its serial, the birth number that stays with the object
/// when its address changes. Undone by adtape_live_remove or adtape_live_end, and in the reverse sweep by
/// adtape_rebase_remove.
///
/// A range of no bytes is legal, at any address; it is found by its base where nothing else is. Parts of an object
/// need no range of their own.
/// Errors go to the error handler and change nothing: NULL_HANDLE, NULL_POINTER (base NULL with bytes), OVERLAP
/// (names both ranges), COUNT_RANGE, BAD_ARGUMENT (kind).
/// Cost: one insertion. Any thread.
/// Fortran: `call live_add(base, bytes, kind, label)`, label optional, base a type(c_ptr).
/// Source: Alg. 2, lines 3 and 10.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_live_add(
    o: *const Objects,
    base: *mut c_void,
    bytes: i64,
    kind: KindCode,
    label: *const c_char,
) -> i64 {
    with_site!(5 => live_add)
}

/// The range that begins at `base` ends in the forward sweep, and nothing will bring it back; adtape_live_end is for
/// one that comes back. Where it lay is remembered for pointers that still point there and are pushed later, until
/// another range has ended there, and for as many ranges as were alive at once (at least 4096). Pointer variables in it
/// wait no more.
///
/// Errors go to the error handler and change nothing: NULL_HANDLE, NO_RANGE (no range begins there; names the
/// nearest), AMBIGUOUS (several begin there, empty ones among them).
/// Fortran: `call live_remove(base)`. Source: Alg. 2, lines 4 and 13.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_live_remove(o: *const Objects, base: *const c_void) {
    with_site!(2 => live_remove)
}

/// PUSHRANGE, and the end of the range: a variable or block ends in the forward sweep and comes back in the reverse
/// sweep. What brings the range that begins at `base` back goes onto the tape, 32 bytes; all else is as in
/// adtape_live_remove, after which nothing comes back. Undone by adtape_pop_range and adtape_rebase_add.
///
/// Errors: as adtape_live_remove, and those of a push; they change nothing. One thread uses `t` at a time; `o` is for
/// all.
/// Fortran: `call live_end(base)`, `call live_end(t, base)`. Source: Alg. 2, lines 4 and 13.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_live_end(t: *mut Cursor, o: *const Objects, base: *const c_void) {
    with_site!(3 => live_end)
}

/// What lives at `base` has its adjoint of `adjoint_bytes` bytes at `adjoint_base`, from now on: for objects whose
/// adjoint exists while they live. One that comes back gets its adjoint by adtape_rebase_add. The sizes may differ (a
/// float with a double for its adjoint): an offset is scaled by their ratio, and must come out whole. NULL takes the
/// adjoint away.
///
/// Errors go to the error handler and change nothing: NULL_HANDLE, NO_RANGE, AMBIGUOUS, COUNT_RANGE.
/// Fortran: `call live_set_adjoint(base, adjoint_base, adjoint_bytes)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_live_set_adjoint(
    o: *const Objects,
    base: *const c_void,
    adjoint_base: *const c_void,
    adjoint_bytes: i64,
) {
    with_site!(4 => live_set_adjoint)
}

/// The range that `address` is in.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER or ADTAPE_STATUS_NO_RANGE. Any
/// thread.
/// Fortran: `call live_find(address, range)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_live_find(o: *const Objects, address: *const c_void, out: *mut RangeInfo) -> Status {
    let find = || {
        // SAFETY: by contract.
        let addresses = unsafe { objects(o) };
        addresses.live_find(address as usize).map(|range| RangeInfo::of(&range))
    };
    // SAFETY: by contract.
    status(unsafe { write_out(out, "the result", find) })
}

/// The ranges that are alive, by address: the first `capacity` of them in `ranges`, their number in `*count`, which may
/// be larger. `ranges` is NULL only with a capacity of 0.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER or ADTAPE_STATUS_COUNT_RANGE.
/// Cost: of sorting them all. Any thread.
/// Fortran: `call live_list(ranges, count)`, an array of type(adtape_range).
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_live_list(
    o: *const Objects,
    ranges: *mut RangeInfo,
    capacity: i64,
    count: *mut i64,
) -> Status {
    let list = || {
        // SAFETY: by contract.
        let addresses = unsafe { objects(o) };
        let capacity = capacity_of(capacity)?;
        check_address(ranges, capacity as i64, Site::UNKNOWN)?;
        let all = addresses.live_list();
        for (i, range) in all.iter().take(capacity).enumerate() {
            // SAFETY: i < capacity, for which there is room by contract.
            unsafe { ranges.add(i).write(RangeInfo::of(range)) };
        }
        Ok(all.len() as i64)
    };
    // SAFETY: by contract.
    status(unsafe { write_out(count, "the count", list) })
}

pub(in crate::ffi) fn capacity_of(capacity: i64) -> Result<usize, Error> {
    usize::try_from(capacity).map_err(|_| {
        Error::new(Status::CountRange, format!("a list has room for {capacity} entries\n  pass 0 or more"))
    })
}

/// Counts of the maps: ranges, bytes, births, waiting and ambiguous pointers. What they cost grows with the number of
/// threads, not with that of ranges.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or ADTAPE_STATUS_NULL_POINTER. Any thread.
/// Fortran: `call live_stats(stats)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_live_stats(o: *const Objects, out: *mut LiveStats) -> Status {
    // SAFETY: by contract.
    status(unsafe { write_out(out, "the result", || Ok(objects(o).stats())) })
}

/// Writes a report for people to a file descriptor (1 is standard output, 2 standard error): the counts, every range
/// that is alive, every pointer variable that waits.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_BAD_ARGUMENT (negative descriptor) or
/// ADTAPE_STATUS_IO. Any thread.
/// Fortran: `call live_print()`; to standard output.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_live_print(o: *const Objects, fd: i32) -> Status {
    // SAFETY: by contract.
    let report = unsafe { objects(o) }.report();
    status(crate::ffi::arguments::print(&report, fd))
}
