//! What tapes share: the memory limit and what to do about errors that no call can return. One per process.

use crate::error::{Error, Status};
use crate::sync::Mutex;
use crate::vm::{default_limit, process};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::io::Write;

/// A program's own reaction to an error that a push or pop cannot return. It must not return: if it does, the
/// process aborts. Arguments: the status, the message, and the pointer that was given with the handler. Runs on
/// the thread that failed, with no lock held.
pub type ErrorHandler = unsafe extern "C" fn(status: Status, message: *const c_char, user: *mut c_void);

/// Memory of all tapes of a process, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Memory {
    /// The most that may be committed.
    pub limit_bytes: u64,
    /// Readable and writable now.
    pub committed_bytes: u64,
    /// The most that was committed at once.
    pub peak_committed_bytes: u64,
    /// Address space.
    pub reserved_bytes: u64,
}

#[derive(Clone, Copy)]
struct Handler {
    call: ErrorHandler,
    user: *mut c_void,
}

// SAFETY: the pointer is the program's; it is handed back to the program, on whichever thread fails, as documented.
unsafe impl Send for Handler {}

/// What the tapes of a process share.
pub struct Session {
    handler: Mutex<Option<Handler>>,
}

impl Session {
    /// The session of the process.
    pub fn default_session() -> &'static Session {
        static DEFAULT: Session = Session { handler: Mutex::new(None) };
        &DEFAULT
    }

    /// Sets the most memory that all tapes of the process may have committed together; `None` for what the
    /// environment or the machine says. A limit below what is committed now stops all growth.
    pub fn set_memory_limit(&self, limit_bytes: Option<u64>) {
        process().set_limit(limit_bytes.unwrap_or_else(default_limit));
    }

    /// What the tapes of the process have.
    pub fn memory(&self) -> Memory {
        let budget = process();
        Memory {
            limit_bytes: budget.limit(),
            committed_bytes: budget.committed(),
            peak_committed_bytes: budget.peak(),
            reserved_bytes: budget.reserved(),
        }
    }

    /// Installs the program's error handler; `None` for the default, which prints the message to standard error
    /// and aborts.
    ///
    /// # Safety
    /// The handler may be called with `user` from any thread that uses a tape, until it is replaced.
    pub unsafe fn set_error_handler(&self, call: Option<ErrorHandler>, user: *mut c_void) {
        let handler = call.map(|call| Handler { call, user });
        *self.handler.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = handler;
    }

    /// The end of an operation that cannot return an error.
    #[cold]
    pub(crate) fn fail(&self, error: Error) -> ! {
        let status = error.status();
        let message = remember(error);
        let handler = *self.handler.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match handler {
            Some(handler) => {
                // SAFETY: as promised to set_error_handler; the message lives until the thread's next error.
                unsafe { (handler.call)(status, message, handler.user) };
                say("adtape: error: the program's error handler returned, which it must not; aborting");
            }
            None => {
                // SAFETY: remember returns a NUL-terminated string.
                let text = unsafe { CStr::from_ptr(message) };
                say(&format!("adtape: error: {}", text.to_string_lossy()));
            }
        }
        std::process::abort()
    }
}

/// Standard error may be closed; there is nobody left to tell.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

thread_local! {
    static LAST_MESSAGE: RefCell<CString> = RefCell::new(CString::default());
}

/// Keeps the message for [`last_message`] and returns it.
#[cold]
pub(crate) fn remember(error: Error) -> *const c_char {
    let text = CString::new(error.message().replace('\0', "?")).expect("no NUL is left");
    match LAST_MESSAGE.try_with(|last| {
        *last.borrow_mut() = text.clone();
        last.borrow().as_ptr()
    }) {
        Ok(message) => message,
        // The thread is ending; its last message may leak.
        Err(_) => text.into_raw(),
    }
}

/// The message of the thread's last error, empty if there was none. Valid until its next error.
pub(crate) fn last_message() -> *const c_char {
    LAST_MESSAGE.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}
