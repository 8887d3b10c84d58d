//! What all tapes, heaps and objects of a process share: memory, the directory to spill to, the error handler.

use crate::error::{Error, Status};
use crate::ffi::arguments::{number, text_or_none, write_out};
use crate::ffi::outcome::status;
use crate::ffi::process::error::c_string;
use crate::process::{self, ErrorHandler, Memory};
use crate::sync::Arc;
use std::ffi::{c_char, c_void};
use std::path::Path;

/// A program's own reaction to an error that a push or pop cannot return; NULL for the default.
pub type Handler = Option<unsafe extern "C" fn(status: Status, message: *const c_char, user: *mut c_void)>;

/// The program's pointer, handed back to it.
struct User(*mut c_void);

// SAFETY: only handed back to the program, on whichever thread fails, as adtape_process_set_error_handler says.
unsafe impl Send for User {}
// SAFETY: as above.
unsafe impl Sync for User {}

impl User {
    fn pointer(&self) -> *mut c_void {
        self.0
    }
}

/// Sets the most memory, in bytes, that all tapes of the process may have committed together. 0 stands for
/// ADTAPE_MEMORY_LIMIT or, where that is not set, three quarters of physical memory or of the control group's limit, the
/// smaller one, or all of it where tapes have no directory to spill to. A push that would exceed it, and finds nothing
/// that can be spilled, is an error (ADTAPE_STATUS_MEMORY_LIMIT); a limit below what is committed now stops all growth
/// and takes nothing away.
///
/// Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_COUNT_RANGE (a negative limit). Any thread.
/// Fortran: `call process_set_memory_limit(limit_bytes)`, an `integer(c_int64_t)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub extern "C" fn adtape_process_set_memory_limit(limit_bytes: i64) -> Status {
    let set = |limit: u64| process::set_memory_limit((limit != 0).then_some(limit));
    status(number(limit_bytes, "bytes").map(set))
}

/// Sets the directory that tapes spill to, a path: when a push, or a block of a stable heap, would exceed the memory
/// limit, the oldest part of the tape with the largest idle part, on whichever thread, goes to a file there, which
/// has no name, vanishes with the process, and is no child's of it (fork). It is read back by the pops that reach
/// it; what is popped in a repeat region stays in memory until the region ends, and has to fit under the limit. NULL
/// stands for ADTAPE_SPILL_DIRECTORY or, where that is not set, for none; without a memory limit, for the directory for
/// temporary files, unless that is in memory itself. Tapes that have spilled already stay where they are. Set the memory
/// limit, too: by default it is three quarters of what the machine has.
///
/// A thread of adtape writes and reads in the background; an error of a write is met by a push that needs memory. A push
/// for which the disk has no space is an error (ADTAPE_STATUS_IO) that leaves the tape unchanged; where no memory limit is
/// set, tapes then take the rest of the memory first, and say so on standard error. A pop
/// for which the file cannot be read (ADTAPE_STATUS_IO) or does not hold what was written (ADTAPE_STATUS_DAMAGED)
/// leaves the tape unusable. A child of fork that needs the file gets ADTAPE_STATUS_IO.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, or ADTAPE_STATUS_IO if there can be no file in it. Any thread.
/// Fortran: `call process_set_spill_directory(directory)`; the argument is optional.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_process_set_spill_directory(directory: *const c_char) -> Status {
    // SAFETY: by contract.
    let path = unsafe { text_or_none(directory, "a directory") };
    status(path.and_then(|path| process::set_spill_directory(path.map(Path::new))))
}

/// What all tapes of the process have, in bytes, and what they moved to files and back. The bytes written or read over a
/// time are the rate of the disk; the nanoseconds waited are what spilling takes of that time, added up over threads.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or ADTAPE_STATUS_NULL_POINTER. Any thread.
/// Fortran: `call process_memory(memory)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_process_memory(out: *mut Memory) -> Status {
    // SAFETY: by contract.
    status(unsafe { write_out(out, "the result", || Ok(process::memory())) })
}

/// Installs a handler for the errors of calls that return no status: pushes and pops. It is called on the thread
/// that failed with the status, the message (valid during the call) and `user`, and must not return: it may
/// end the process or the thread. If it does return, the process aborts. NULL restores the default, which
/// prints the message to standard error and aborts.
///
/// Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_HANDLE. Any thread.
/// Fortran: `call process_set_error_handler(handler, user)` with a `bind(c)` procedure of the abstract interface
/// `adtape_error_handler`, and a `type(c_ptr)`; both are optional.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_process_set_error_handler(handler: Handler, user: *mut c_void) -> Status {
    let user = User(user);
    let handler = handler.map(|call| -> ErrorHandler {
        Arc::new(move |error: &Error| {
            let message = c_string(error.message());
            // SAFETY: the program's handler, called as it was promised; the message lives during the call.
            unsafe { call(error.status(), message.as_ptr(), user.pointer()) }
        })
    });
    process::set_error_handler(handler);
    Status::Ok
}

/// The version of the library that the program runs with, e.g. "0.1.0". Valid for ever. ADTAPE_VERSION is that of the
/// headers that a source was compiled with, as text; ADTAPE_VERSION_MAJOR, …_MINOR and …_PATCH are its numbers.
///
/// Errors: none. Any thread. Fortran: `text = adtape_version()`.
#[unsafe(no_mangle)]
pub extern "C" fn adtape_version() -> *const c_char {
    crate::codes::terminated(concat!(env!("CARGO_PKG_VERSION"), "\0")).as_ptr()
}
