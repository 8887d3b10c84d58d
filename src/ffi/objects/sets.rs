//! Objects apart from those of the process.

use crate::error::Status;
use crate::ffi::handles::{create, destroy};
use crate::objects::Objects;

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
pub unsafe extern "C" fn adtape_objects_create(out: *mut *mut Objects) -> Status {
    // SAFETY: by contract.
    unsafe { create(out, "the new objects", || Ok(Objects::new())) }
}

/// Releases objects that adtape_objects_create made. NULL is allowed and does nothing.
///
/// Returns ADTAPE_STATUS_OK. No other thread uses the objects, or will.
/// Fortran: not offered.
///
/// # Safety
/// The contract of pointers in the crate's documentation; the handle is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_objects_destroy(o: *mut Objects) -> Status {
    // SAFETY: it came from adtape_objects_create by contract.
    unsafe { destroy(o) }
}
