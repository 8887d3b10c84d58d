//! Errors.

use crate::error::{Error, Status};
use std::cell::RefCell;
use std::ffi::{CString, c_char};

thread_local! {
    static LAST_MESSAGE: RefCell<CString> = RefCell::default();
}

/// Keeps the message for adtape_error_message.
#[cold]
pub(in crate::ffi) fn remember(error: &Error) {
    // A thread that is ending has no last message.
    let _ = LAST_MESSAGE.try_with(|last| *last.borrow_mut() = c_string(error.message()));
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
    LAST_MESSAGE.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// The name of a status, e.g. "ADTAPE_STATUS_UNDERFLOW"; "unknown status" for other values. Never NULL, valid for
/// ever.
///
/// Fortran: `text = adtape_status_name(status)`.
#[unsafe(no_mangle)]
pub extern "C" fn adtape_status_name(status: i32) -> *const c_char {
    let name = match Status::from_code(status) {
        None => c"unknown status",
        Some(Status::Ok) => c"ADTAPE_STATUS_OK",
        Some(Status::NullHandle) => c"ADTAPE_STATUS_NULL_HANDLE",
        Some(Status::NullPointer) => c"ADTAPE_STATUS_NULL_POINTER",
        Some(Status::CountRange) => c"ADTAPE_STATUS_COUNT_RANGE",
        Some(Status::BadArgument) => c"ADTAPE_STATUS_BAD_ARGUMENT",
        Some(Status::Underflow) => c"ADTAPE_STATUS_UNDERFLOW",
        Some(Status::MemoryLimit) => c"ADTAPE_STATUS_MEMORY_LIMIT",
        Some(Status::OutOfMemory) => c"ADTAPE_STATUS_OUT_OF_MEMORY",
        Some(Status::RepeatUnbalanced) => c"ADTAPE_STATUS_REPEAT_UNBALANCED",
        Some(Status::MarkForeign) => c"ADTAPE_STATUS_MARK_FOREIGN",
        Some(Status::MarkAboveTop) => c"ADTAPE_STATUS_MARK_ABOVE_TOP",
        Some(Status::Mismatch) => c"ADTAPE_STATUS_MISMATCH",
        Some(Status::Corrupt) => c"ADTAPE_STATUS_CORRUPT",
        Some(Status::WrongThread) => c"ADTAPE_STATUS_WRONG_THREAD",
        Some(Status::Released) => c"ADTAPE_STATUS_RELEASED",
        Some(Status::Attached) => c"ADTAPE_STATUS_ATTACHED",
        Some(Status::Poisoned) => c"ADTAPE_STATUS_POISONED",
        Some(Status::BadEnvironment) => c"ADTAPE_STATUS_BAD_ENVIRONMENT",
        Some(Status::Io) => c"ADTAPE_STATUS_IO",
        Some(Status::NotFound) => c"ADTAPE_STATUS_NOT_FOUND",
        Some(Status::Damaged) => c"ADTAPE_STATUS_DAMAGED",
        Some(Status::OtherVersion) => c"ADTAPE_STATUS_OTHER_VERSION",
        Some(Status::Overlap) => c"ADTAPE_STATUS_OVERLAP",
        Some(Status::NoRange) => c"ADTAPE_STATUS_NO_RANGE",
        Some(Status::Ambiguous) => c"ADTAPE_STATUS_AMBIGUOUS",
        Some(Status::Uneven) => c"ADTAPE_STATUS_UNEVEN",
        Some(Status::Stopped) => c"ADTAPE_STATUS_STOPPED",
        Some(Status::BadBlock) => c"ADTAPE_STATUS_BAD_BLOCK",
        Some(Status::HeapState) => c"ADTAPE_STATUS_HEAP_STATE",
        Some(Status::NoAdjoint) => c"ADTAPE_STATUS_NO_ADJOINT",
    };
    name.as_ptr()
}
