//! What tapes share: the memory limit, what to do about errors that no call can return, and the addresses of the
//! program's objects in both sweeps. One per process, unless a program wants several sets of addresses.

mod addresses;
mod by_label;
mod descriptors;
mod joined;
mod lane;
mod live;
mod owned_heap;
mod pointers;
mod process;
mod ranges;
mod shape;
mod snapshot;
mod variables;

pub use addresses::{Addresses, LiveRange, LiveStats, Restored, Waiter};
pub use by_label::{AllocateFn, Allocator, ReleaseFn, Wanted};
pub(crate) use descriptors::{Association, Pointee, Variable};
pub(crate) use joined::Leaving;
pub(crate) use owned_heap::OwnedHeap;
pub use process::Memory;
pub(crate) use shape::{Dimension, Shape};
pub use snapshot::{Restoration, RestoreStats, SaveStats};
pub(crate) use variables::Writer;

use crate::error::{Error, note_failure};
use crate::sync::{Arc, Mutex, OnceLock};
use std::io::Write;

/// A program's own reaction to an error that a push or pop of the C API cannot return. It must not return: if it
/// does, the process aborts. Runs on the thread that failed, with no lock held.
pub type ErrorHandler = Arc<dyn Fn(&Error) + Send + Sync>;

/// The objects of a program and their addresses in both sweeps; and what the tapes of a process share.
pub struct Session {
    handler: Mutex<Option<ErrorHandler>>,
    addresses: OnceLock<Addresses>,
}

impl Default for Session {
    fn default() -> Session {
        Session::new()
    }
}

impl Session {
    /// A session with an error handler and addresses of its own; memory is counted for the process as a whole.
    ///
    /// ```
    /// # use adtape::*;
    /// let session = Session::new();
    /// assert_eq!(session.addresses().stats().births, 0);
    /// ```
    pub const fn new() -> Session {
        Session { handler: Mutex::new(None), addresses: OnceLock::new() }
    }

    /// The session of the process.
    ///
    /// ```
    /// # use adtape::*;
    /// assert!(std::ptr::eq(Session::default_session(), Session::default_session()));
    /// ```
    pub fn default_session() -> &'static Session {
        static DEFAULT: Session = Session::new();
        &DEFAULT
    }

    /// Where the program's objects lie, in both sweeps.
    pub fn addresses(&self) -> &Addresses {
        self.addresses.get_or_init(Addresses::new)
    }

    /// Installs the program's error handler; `None` for the default, which prints the message to standard error
    /// and aborts. Calls of the Rust API return their errors and do not come here.
    ///
    /// ```
    /// # use adtape::*;
    /// # use std::sync::Arc;
    /// Session::default_session().set_error_handler(Some(Arc::new(|error| {
    ///     eprintln!("rank 0: {error}");
    ///     std::process::exit(3) // or MPI_Abort
    /// })));
    /// ```
    pub fn set_error_handler(&self, handler: Option<ErrorHandler>) {
        *self.handler.lock() = handler;
    }

    /// The end of an operation that cannot return an error.
    #[cold]
    pub(crate) fn fail(&self, error: &Error) -> ! {
        note_failure();
        let handler = self.handler.lock().clone();
        match handler {
            Some(handler) => {
                handler(error);
                say("the program's error handler returned, which it must not; aborting");
            }
            None => say(error.message()),
        }
        std::process::abort()
    }
}

/// Standard error may be closed; there is nobody left to tell.
fn say(message: &str) {
    let _ = writeln!(std::io::stderr(), "adtape: error: {message}");
}
