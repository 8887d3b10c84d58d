//! Objects apart from those of the process.

use crate::error::Status;
use crate::ffi::arguments::write_out;
use crate::ffi::outcome::status;
use crate::session::Session;

/// Makes objects (live map, rebase map, waiting pointers) apart from those of the process, for libraries and tests that
/// keep theirs to themselves. Every call on addresses takes objects; NULL stands for those of the process. Undone by
/// adtape_objects_destroy.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_POINTER. Any thread.
/// Fortran: not offered; its calls are on the objects of the process.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_objects_create(out: *mut *mut Session) -> Status {
    // SAFETY: by contract.
    status(unsafe { write_out(out, "the new objects", || Ok(Box::into_raw(Box::new(Session::new())))) })
}

/// Releases objects that adtape_objects_create made. NULL is allowed and does nothing.
///
/// Returns ADTAPE_STATUS_OK. No other thread uses the objects, or will.
/// Fortran: not offered.
///
/// # Safety
/// The contract of pointers in the crate's documentation; the handle is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_objects_destroy(o: *mut Session) -> Status {
    if !o.is_null() {
        // SAFETY: it came from adtape_objects_create by contract.
        drop(unsafe { Box::from_raw(o) });
    }
    Status::Ok
}
