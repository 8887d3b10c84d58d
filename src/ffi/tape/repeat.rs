//! Repeat regions: a part of the tape that is popped several times, as the adjoint of a fixed-point iteration does.

use crate::error::Status;
use crate::ffi::handles::tape;
use crate::ffi::outcome::status;
use crate::tape::Cursor;

/// Starts a repeat region, which pops one part of the tape several times, as the adjoint of a fixed-point iteration
/// does: what lies on the tape now can be popped, and popped again after every adtape_repeat_reset. Values pushed
/// inside go on top and are popped first. Regions nest. Undone by adtape_repeat_end. Cost: a copy of the region's
/// list of segments, short unless regions nest; inside, a change between popping what lies below and pushing on top
/// takes the slow path.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, or a status of ownership.
/// Kit: `adStack_startRepeat`.
/// Fortran: `call repeat_start(t)`, `call repeat_start()`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_repeat_start(t: *mut Cursor) -> Status {
    // SAFETY: by contract.
    status(unsafe { tape(t) }.and_then(Cursor::repeat_start))
}

/// Puts the tape back to where it was at the start of the innermost region, pending control bits included; what
/// was pushed inside and not popped is discarded.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_REPEAT_UNBALANCED, or a status of ownership.
/// Kit: `adStack_resetRepeat`.
/// Fortran: `call repeat_reset(t)`, `call repeat_reset()`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_repeat_reset(t: *mut Cursor) -> Status {
    // SAFETY: by contract.
    status(unsafe { tape(t) }.and_then(Cursor::repeat_reset))
}

/// Ends the innermost region where the tape stands: what was popped in it since the last reset is gone, what was
/// pushed in it and not popped stays on top.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_REPEAT_UNBALANCED, or a status of ownership.
/// Kit: `adStack_endRepeat`.
/// Fortran: `call repeat_end(t)`, `call repeat_end()`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_repeat_end(t: *mut Cursor) -> Status {
    // SAFETY: by contract.
    status(unsafe { tape(t) }.and_then(Cursor::repeat_end))
}
