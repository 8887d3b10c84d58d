//! What is behind the handles that programs pass.

use super::arguments::null_handle;
use super::outcome::fail_at;
use super::tape::site;
use crate::error::Error;
use crate::session::{Addresses, Session};
use crate::site::Site;
use crate::tape::Cursor;

/// The objects behind a handle; NULL stands for those of the process.
///
/// # Safety
/// `o` is NULL or objects that live for `'a`.
pub(super) unsafe fn objects<'a>(o: *const Session) -> &'a Addresses {
    // SAFETY: by contract.
    unsafe { o.as_ref() }.unwrap_or_else(|| Session::default_session()).addresses()
}

/// Runs an operation on objects, whose errors end in the error handler.
///
/// # Safety
/// As for [`objects()`].
pub(super) unsafe fn on_addresses<T>(
    o: *const Session,
    site: usize,
    operation: impl FnOnce(&Addresses, Site) -> Result<T, Error>,
) -> T {
    let site = site::site_of(site);
    // SAFETY: by contract.
    match operation(unsafe { objects(o) }, site) {
        Ok(value) => value,
        Err(error) => fail_at(error, site),
    }
}

/// The tape behind a handle. The constant that a module starts with stands for the thread's own.
///
/// # Safety
/// `t` is NULL, [`site::adtape_abi0_closed`], or a cursor that lives for `'a`.
#[inline]
pub(super) unsafe fn tape<'a>(t: *const Cursor) -> Result<&'a Cursor, Error> {
    if t.is_null() {
        return Err(null_handle("tape", "adtape_self() or what adtape_create() returned"));
    }
    if site::is_closed_constant(t) {
        return Ok(crate::tape::cursor::thread::cursor());
    }
    // SAFETY: by contract.
    Ok(unsafe { &*t })
}
