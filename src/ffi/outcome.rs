//! How a call ends: with a status, with a value, or in the error handler.

use super::process::error;
use crate::error::{Error, Status};
use crate::process;
use crate::site::Site;

/// The status to return; the message is kept.
pub(super) fn status(result: Result<(), Error>) -> Status {
    match result {
        Ok(()) => Status::Ok,
        Err(error) => {
            let status = error.status();
            error::remember(&error);
            status
        }
    }
}

/// The value, or the end of the program. The error says where, if it did not already.
#[inline]
pub(super) fn value_or_fail<T>(site: Site, operation: impl FnOnce() -> Result<T, Error>) -> T {
    match operation() {
        Ok(value) => value,
        Err(error) => fail_at(error, site),
    }
}

#[cold]
pub(super) fn fail_at(error: Error, site: Site) -> ! {
    let place = site.to_string();
    let said = site == Site::UNKNOWN || error.message().contains(&place);
    let error = if said { error } else { error.with_line(&format!("at {place}")) };
    fail(&error)
}

/// The end of the program, or whatever the process's error handler does.
#[cold]
pub(super) fn fail(error: &Error) -> ! {
    error::remember(error);
    process::fail(error)
}
