//! Errors.

use crate::error::{Error, Status};
use crate::ffi::texts::TEXTS;
use std::ffi::{CString, c_char};

/// Keeps the message for adtape_error_message.
#[cold]
pub(in crate::ffi) fn remember(error: &Error) {
    // A thread that is ending has no last message.
    let _ = TEXTS.try_with(|texts| *texts.message.borrow_mut() = c_string(error.message()));
}

/// The last message of this thread.
pub(in crate::ffi) fn last_message() -> String {
    TEXTS.try_with(|texts| texts.message.borrow().to_string_lossy().into_owned()).unwrap_or_default()
}

/// The text as a C string.
pub(in crate::ffi) fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "?")).expect("no NUL is left")
}

/// The message of this thread's last error, in one or more lines without a final line feed; "" if there was none. A
/// success does not clear it. Never NULL. Valid until the thread's next error.
///
/// Fortran: `text = adtape_error_message()`, a `character(:), allocatable`.
#[unsafe(no_mangle)]
pub extern "C" fn adtape_error_message() -> *const c_char {
    TEXTS.try_with(|texts| texts.message.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// The name of a status, e.g. "ADTAPE_STATUS_UNDERFLOW"; "unknown status" for other values. Never NULL, valid for
/// ever.
///
/// Fortran: `text = adtape_status_name(status)`.
#[unsafe(no_mangle)]
pub extern "C" fn adtape_status_name(status: i32) -> *const c_char {
    Status::from_code(status).map_or(c"unknown status", Status::c_name).as_ptr()
}
