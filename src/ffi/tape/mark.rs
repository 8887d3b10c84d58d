//! Marks.

use crate::error::{Error, Status};
use crate::ffi::arguments::{null_pointer, write_out};
use crate::ffi::handles::tape;
use crate::ffi::outcome::status;
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

/// Compares two marks of a tape: `*order` is -1 if `a` is lower than `b`, 0 if they are the same position, 1 if it is
/// higher; `*bytes` is what was pushed from `a` to `b`, negative if `b` is lower. Either result may be NULL: not
/// wanted. Control bits decide the order one by one, and count as bytes when their word of 62 is full. Any thread may
/// call it.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER, or ADTAPE_STATUS_MARK_FOREIGN for marks of two tapes.
/// Fortran: `call mark_compare(a, b, order, bytes)`, `bytes` optional.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_mark_compare(
    a: *const Mark,
    b: *const Mark,
    order: *mut i32,
    bytes: *mut i64,
) -> Status {
    let compare = || {
        // SAFETY: by contract.
        let (a, b) = unsafe { (mark(a)?, mark(b)?) };
        let results = (a.compare(b)? as i32, a.bytes_to(b)?);
        // SAFETY: NULL or valid by contract.
        let (order, bytes) = unsafe { (order.as_mut(), bytes.as_mut()) };
        if let Some(order) = order {
            *order = results.0;
        }
        if let Some(bytes) = bytes {
            *bytes = results.1;
        }
        Ok(())
    };
    status(compare())
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
