//! Sessions: what the tapes of a process share.

use super::error::c_string;
use super::{session, status, text_or_none, write_out};
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

/// The session of the process. Never NULL; lives as long as the process. Any thread may call it.
///
/// Fortran: implied.
#[unsafe(no_mangle)]
pub extern "C" fn adtape_session_default() -> *const Session {
    Session::default_session()
}

/// Makes a session with addresses (live map, rebase map) and an error handler of its own, for libraries and tests that
/// keep theirs apart. The memory limit and the
/// statistics of memory stay those of the process, and errors of plain pushes and pops go to its default session.
/// Undone by adtape_session_free.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_POINTER. Any thread.
/// Fortran: not offered; the session of the process is implied.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_session_new(out: *mut *mut Session) -> Status {
    // SAFETY: by contract.
    status(unsafe { write_out(out, "the new session", || Ok(Box::into_raw(Box::new(Session::new())))) })
}

/// Releases a session that adtape_session_new made. NULL is allowed and does nothing.
///
/// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_BAD_ARGUMENT for the session of the process, which lives on. No other
/// thread uses the session, or will.
/// Fortran: not offered.
///
/// # Safety
/// The contract of pointers in the crate's documentation; the handle is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_session_free(s: *mut Session) -> Status {
    if std::ptr::eq(s, Session::default_session()) {
        return status(Err(Error::new(
            Status::BadArgument,
            "the session of the process cannot be freed\n  free what adtape_session_new returned",
        )));
    }
    if !s.is_null() {
        // SAFETY: it came from adtape_session_new by contract.
        drop(unsafe { Box::from_raw(s) });
    }
    Status::Ok
}

/// Sets the most memory, in bytes, that all tapes of the process may have committed together. 0 stands for
/// ADTAPE_MEMORY_LIMIT or, where that is not set, physical memory or the control group's limit, the smaller one.
/// A push that would exceed it is an error (ADTAPE_STATUS_MEMORY_LIMIT); a limit below what is committed now stops
/// all growth and takes nothing away.
///
/// Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_HANDLE. Any thread.
/// Fortran: `call adtape_set_memory_limit(limit_bytes)`, an `integer(c_int64_t)`; a negative one is
/// ADTAPE_STATUS_COUNT_RANGE.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_session_set_memory_limit(s: *const Session, limit_bytes: u64) -> Status {
    // SAFETY: by contract.
    let session = unsafe { session(s) };
    status(session.map(|session| session.set_memory_limit((limit_bytes != 0).then_some(limit_bytes))))
}

/// Sets the directory that tapes spill to, a path: when a push, or a block of a stable heap, would exceed the memory
/// limit, the oldest part of the tape with the largest idle part, on whichever thread, goes to a file there, which
/// has no name, vanishes with the process, and is no child's of it (fork). It is read back by the pops that reach
/// it; what is popped in a repeat region stays in memory until the region ends, and has to fit under the limit. NULL
/// stands for ADTAPE_SPILL_DIRECTORY or, where that is not set, for none. Tapes that have spilled already stay where
/// they are. Set the memory limit, too: by default it is all that the machine has.
///
/// Later, a push for which the disk has no space is an error (ADTAPE_STATUS_IO) that leaves the tape unchanged; a pop
/// for which the file cannot be read (ADTAPE_STATUS_IO) or does not hold what was written (ADTAPE_STATUS_DAMAGED)
/// leaves the tape unusable. A child of fork that needs the file gets ADTAPE_STATUS_IO.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, or ADTAPE_STATUS_IO if there can be no file in it. Any thread.
/// Fortran: `call adtape_set_spill_directory(directory)`; the argument is optional.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_session_set_spill_directory(s: *const Session, directory: *const c_char) -> Status {
    // SAFETY: by contract.
    let path = unsafe { text_or_none(directory, "a directory") };
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
/// Fortran: `call adtape_set_error_handler(handler, user)` with a `bind(c)` procedure of the abstract interface
/// `adtape_error_handler`, and a `type(c_ptr)`; both are optional.
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
