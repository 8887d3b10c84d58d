//! Arrays whose type is given at run time.

use crate::error::Error;
use crate::ffi::arguments::{TypeCode, check_address, type_of_array};
use crate::ffi::handles::tape;
use crate::ffi::jump::with_site;
use crate::ffi::outcome::value_or_fail;
use crate::site::Site;
use crate::tape::cursor::{Target, copy, thread};
use crate::tape::{Cursor, Type};
use std::ffi::c_void;

/// # Safety
/// `x` is NULL or has `count` values of the type.
pub(in crate::ffi) unsafe fn push_values(
    cursor: &Cursor,
    ty: Type,
    x: *const c_void,
    count: i64,
    site: Site,
) -> Result<(), Error> {
    check_address(x, count, site)?;
    let n = (count as usize).wrapping_mul(ty.bytes());
    if count as u64 > crate::tape::MAX_BYTES as u64 || !cursor.has_room(n) {
        cursor.push_room_from(ty, count, site, x.cast())?;
    }
    // SAFETY: there is room for n bytes, which is now known not to have overflowed.
    unsafe { copy::copy_in(cursor, x.cast(), n) };
    Ok(())
}

/// # Safety
/// `x` is NULL or has room for `count` values of the type.
pub(in crate::ffi) unsafe fn pop_values(
    cursor: &Cursor,
    ty: Type,
    x: *mut c_void,
    count: i64,
    site: Site,
) -> Result<(), Error> {
    check_address(x, count, site)?;
    let n = (count as usize).wrapping_mul(ty.bytes());
    if count as u64 > crate::tape::MAX_BYTES as u64 || !cursor.has_bytes(n) {
        // SAFETY: x has room for as many bytes by contract.
        cursor.pop_room_into(ty, count, site, unsafe { Target::new(x.cast()) })?;
    }
    // SAFETY: n bytes lie contiguous below cur.
    unsafe { copy::copy_out(cursor, x.cast(), n) };
    Ok(())
}

unsafe extern "C" fn push(t: *const Cursor, ty: i32, x: *const c_void, count: i64, site: usize) {
    let site = Site::Code(site);
    // SAFETY: the contract of pointers.
    value_or_fail(site, || unsafe { push_values(tape(t)?, type_of_array(ty, site)?, x, count, site) })
}

unsafe extern "C" fn pop(t: *const Cursor, ty: i32, x: *mut c_void, count: i64, site: usize) {
    let site = Site::Code(site);
    // SAFETY: the contract of pointers.
    value_or_fail(site, || unsafe { pop_values(tape(t)?, type_of_array(ty, site)?, x, count, site) })
}

unsafe extern "C" fn self_push(ty: i32, x: *const c_void, count: i64, site: usize) {
    // SAFETY: the contract of pointers.
    unsafe { push(thread::cursor(), ty, x, count, site) }
}

unsafe extern "C" fn self_pop(ty: i32, x: *mut c_void, count: i64, site: usize) {
    // SAFETY: the contract of pointers.
    unsafe { pop(thread::cursor(), ty, x, count, site) }
}

/// Pushes `count` contiguous values of a type (ADTAPE_TYPE_…) that start at `x`. Undone by adtape_pop_array with
/// the same type and count. 0 values are legal, also at NULL. Counts are elements; one call moves up to 2^47 bytes. C
/// programs that know the type use `adtape_push_array_<type>`, which is inlined. Cost: as memcpy, or as streaming
/// stores on a tape larger than the cache. Kit: `pushReal8Array`, ..., `pushNArray`.
///
/// In Fortran an assumed-size array `x(*)` has no shape: push `x(1:n)`, or use `push_bytes(x, n*8)`. Of an array of a
/// derived type, push the components: `call push(x%v)`.
///
/// Errors go to the error handler and leave the tape unchanged: NULL_HANDLE, NULL_POINTER (in Fortran: not
/// allocated, not associated), COUNT_RANGE, BAD_ARGUMENT (type; in Fortran a derived type), MEMORY_LIMIT,
/// OUT_OF_MEMORY, or of ownership.
/// Fortran: `call push(t, x)`, `call push(x)` with an array `x` of rank 1 to 7.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_push_array(t: *mut Cursor, type_code: TypeCode, x: *const c_void, count: i64) {
    with_site!(4 => push)
}

/// Pops `count` values of a type into `x`. Undoes adtape_push_array.
///
/// Errors go to the error handler and leave the tape unchanged: those of adtape_push_array, UNDERFLOW, and
/// MISMATCH in check mode.
/// Fortran: `call pop(t, x)`, `call pop(x)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_pop_array(t: *mut Cursor, type_code: TypeCode, x: *mut c_void, count: i64) {
    with_site!(4 => pop)
}

/// adtape_push_array on the thread's own tape.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_self_push_array(type_code: TypeCode, x: *const c_void, count: i64) {
    with_site!(3 => self_push)
}

/// adtape_pop_array on the thread's own tape.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_self_pop_array(type_code: TypeCode, x: *mut c_void, count: i64) {
    with_site!(3 => self_pop)
}
