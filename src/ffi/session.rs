//! Sessions: what the tapes of a process share.

use super::error::c_string;
use super::{null_handle, status, write_out};
use crate::error::{Error, Status};
use crate::session::{ErrorHandler, Memory, Session};
use crate::sync::Arc;
use std::ffi::{c_char, c_void};
use std::path::Path;

/// A program's own reaction to an error that a push or pop cannot return; NULL for the default.
pub type Handler = Option<unsafe extern "C" fn(status: Status, message: *const c_char, user: *mut c_void)>;

/// The program's pointer, handed back to it.
struct User(*mut c_void);

// SAFETY: only handed back to the program, on whichever thread fails, as adtape_session_set_error_handler says.
unsafe impl Send for User {}
// SAFETY: as above.
unsafe impl Sync for User {}

impl User {
    fn pointer(&self) -> *mut c_void {
        self.0
    }
}

/// # Safety
/// `s` is NULL or a session.
unsafe fn session<'a>(s: *const Session) -> Result<&'a Session, Error> {
    // SAFETY: by contract.
    unsafe { s.as_ref() }.ok_or_else(|| null_handle("session", "adtape_session_default()"))
}

/// The session of the process. Never NULL; lives as long as the process.
///
/// Fortran: implied.
#[unsafe(no_mangle)]
pub extern "C" fn adtape_session_default() -> *const Session {
    Session::default_session()
}

/// Sets the most memory, in bytes, that all tapes of the process may have committed together. 0 stands for
/// ADTAPE_MEMORY_LIMIT or, where that is not set, physical memory and swap or the control group's limit. A push
/// that would exceed it is an error (ADTAPE_STATUS_MEMORY_LIMIT); a limit below what is committed now stops all
/// growth and takes nothing away.
///
/// Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_HANDLE. Any thread.
/// Fortran: `call adtape_set_memory_limit(limit_bytes)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_session_set_memory_limit(s: *const Session, limit_bytes: u64) -> Status {
    // SAFETY: by contract.
    let session = unsafe { session(s) };
    status(session.map(|session| session.set_memory_limit((limit_bytes != 0).then_some(limit_bytes))))
}

/// Sets the directory that tapes spill to, a path: when a push would exceed the memory limit, the oldest part of the tape
/// goes to a file there, which has no name and vanishes with the process. It is read back by the pops that reach it. A
/// push for which the disk has no space is an error (ADTAPE_STATUS_IO) and leaves the tape unchanged. NULL stands for
/// ADTAPE_SPILL_DIRECTORY or, where that is not set, for none. Tapes that have spilled already stay where they are.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, or ADTAPE_STATUS_IO if there can be no file in it. Any thread.
/// Fortran: `call adtape_set_spill_directory(directory)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_session_set_spill_directory(s: *const Session, directory: *const c_char) -> Status {
    // SAFETY: by contract.
    let path = (!directory.is_null()).then(|| unsafe { super::store::text(directory, "a directory") }).transpose();
    // SAFETY: by contract.
    status(unsafe { session(s) }.and_then(|session| session.set_spill_directory(path?.map(Path::new))))
}

/// What all tapes of the process have, in bytes.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or ADTAPE_STATUS_NULL_POINTER. Any thread.
/// Fortran: `call adtape_memory(memory)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_session_memory(s: *const Session, out: *mut Memory) -> Status {
    // SAFETY: by contract.
    status(unsafe { session(s).and_then(|session| write_out(out, "the result", || Ok(session.memory()))) })
}

/// Installs a handler for the errors of calls that return no status: pushes and pops. It is called on the thread
/// that failed with the status, the message (valid during the call) and `user`, and must not return: it may
/// end the process or the thread. If it does return, the process aborts. NULL restores the default, which
/// prints the message to standard error and aborts.
///
/// Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_HANDLE. Any thread.
/// Fortran: `call adtape_set_error_handler(handler, user)` with a `bind(c)` procedure; both are optional.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_session_set_error_handler(
    s: *const Session,
    handler: Handler,
    user: *mut c_void,
) -> Status {
    let user = User(user);
    let handler = handler.map(|call| -> ErrorHandler {
        Arc::new(move |error: &Error| {
            let message = c_string(error.message());
            // SAFETY: the program's handler, called as it was promised; the message lives during the call.
            unsafe { call(error.status(), message.as_ptr(), user.pointer()) }
        })
    });
    // SAFETY: by contract.
    status(unsafe { session(s) }.map(|session| session.set_error_handler(handler)))
}
