//! Texts that calls return: each is valid until the thread's next one of its kind.

use std::cell::RefCell;
use std::ffi::CString;

#[derive(Default)]
pub(super) struct Texts {
    /// The message of the last error.
    pub message: RefCell<CString>,
    /// The explanation of the last derivative test.
    pub test: RefCell<CString>,
    /// The last name of a checkpoint.
    pub name: RefCell<CString>,
}

thread_local! {
    pub(super) static TEXTS: Box<Texts> = Box::default();
}
