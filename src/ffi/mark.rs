//! Marks.

use super::{null_pointer, status, tape, write_out};
use crate::error::{Error, Status};
use crate::tape::{Cursor, Mark};

/// # Safety
/// `mark` is NULL or points to a mark.
unsafe fn mark<'a>(mark: *const Mark) -> Result<&'a Mark, Error> {
    // SAFETY: by contract.
    unsafe { mark.as_ref() }.ok_or_else(|| null_pointer("a mark"))
}

/// Takes a mark: the present position of the tape. A plain value, to be copied and forgotten at will; valid as
/// long as nothing below it is popped.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, or a status of ownership.
/// Fortran: `call mark_take(t, m)`, `call mark_take(m)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_mark_take(t: *mut Cursor, m: *mut Mark) -> Status {
    // SAFETY: by contract.
    status(unsafe { tape(t).and_then(|cursor| write_out(m, "the mark", || cursor.mark())) })
}

/// Compares two marks of a tape: `*order` is -1 if `a` is lower than `b`, 0 if they are the same position, 1 if it
/// is higher. Any thread may call it.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER, or ADTAPE_STATUS_MARK_FOREIGN for marks of two tapes.
/// Fortran: `call mark_compare(a, b, order)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_mark_compare(a: *const Mark, b: *const Mark, order: *mut i32) -> Status {
    // SAFETY: by contract.
    status(unsafe { write_out(order, "the result", || Ok(mark(a)?.compare(mark(b)?)? as i32)) })
}

/// Bytes pushed from mark `a` to mark `b` of a tape; negative if `b` is lower. Control bits count when their word
/// of 62 is full. Any thread may call it.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER, or ADTAPE_STATUS_MARK_FOREIGN for marks of two tapes.
/// Fortran: `call mark_bytes_between(a, b, bytes)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_mark_bytes_between(a: *const Mark, b: *const Mark, bytes: *mut i64) -> Status {
    // SAFETY: by contract.
    status(unsafe { write_out(bytes, "the result", || mark(a)?.bytes_to(mark(b)?)) })
}

/// Discards everything that was pushed since the mark was taken.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_MARK_FOREIGN (a
/// mark of another tape), ADTAPE_STATUS_MARK_ABOVE_TOP (what it points to was popped; values pushed in its place
/// since are noticed in check mode only), or a status of ownership.
/// Fortran: `call mark_reset(t, m)`, `call mark_reset(m)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_mark_reset(t: *mut Cursor, m: *const Mark) -> Status {
    // SAFETY: by contract.
    status(unsafe { tape(t).and_then(|cursor| cursor.reset_to(mark(m)?)) })
}
