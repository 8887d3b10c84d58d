//! What is behind the handles that programs pass, and how they get and give up one.

use super::arguments::{null_handle, write_if_wanted, write_out};
use super::outcome::{fail_at, status};
use super::tape::site;
use crate::error::{Error, Status};
use crate::objects::{Called, Objects, Writer};
use crate::tape::Cursor;

/// The objects behind a handle; NULL stands for those of the process.
///
/// # Safety
/// `o` is NULL or objects that live for `'a`.
pub(super) unsafe fn objects<'a>(o: *const Objects) -> &'a Objects {
    // SAFETY: by contract.
    unsafe { o.as_ref() }.unwrap_or_else(|| Objects::of_process())
}

/// Runs an operation on objects, whose errors end in the error handler.
///
/// # Safety
/// As for [`objects()`].
pub(super) unsafe fn on_addresses<T>(
    o: *const Objects,
    site: usize,
    operation: impl FnOnce(&Called<'_>) -> Result<T, Error>,
) -> T {
    let site = site::site_of(site);
    // SAFETY: by contract.
    let called = unsafe { Called::new(objects(o), site, Writer::library()) };
    match operation(&called) {
        Ok(value) => value,
        Err(error) => fail_at(error, site),
    }
}

/// What an operation returns for which objects and a tape that are there suffice. None: [`on_addresses`] is to run it.
///
/// # Safety
/// As for [`objects()`] and [`tape`].
#[inline(always)]
pub(super) unsafe fn at_once<T>(
    t: *const Cursor,
    o: *const Objects,
    operation: impl FnOnce(&Cursor, &Objects) -> Option<T>,
) -> Option<T> {
    if t.is_null() || site::is_closed_constant(t) {
        return None;
    }
    // SAFETY: by contract.
    unsafe { operation(&*t, objects_so_far(o)?) }
}

/// As [`objects()`], if they are there.
///
/// # Safety
/// As for [`objects()`].
#[inline(always)]
pub(super) unsafe fn objects_so_far<'a>(o: *const Objects) -> Option<&'a Objects> {
    // SAFETY: by contract.
    unsafe { o.as_ref() }.or_else(Objects::of_process_so_far)
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

/// Makes what `what` says and hands out its handle; `*out` is NULL where it cannot be made.
///
/// # Safety
/// `out` is NULL or valid for a write.
pub(super) unsafe fn create<T>(out: *mut *mut T, what: &str, new: impl FnOnce() -> Result<T, Error>) -> Status {
    // SAFETY: by contract.
    unsafe { create_raw(out, what, || new().map(|made| Box::into_raw(Box::new(made)))) }
}

/// As [`create`], of what is no box.
///
/// # Safety
/// As for [`create`].
pub(super) unsafe fn create_raw<T>(
    out: *mut *mut T,
    what: &str,
    new: impl FnOnce() -> Result<*mut T, Error>,
) -> Status {
    // SAFETY: by contract.
    unsafe {
        write_if_wanted(out, std::ptr::null_mut());
        status(write_out(out, what, new))
    }
}

/// Releases what [`create`] made; nothing for NULL.
///
/// # Safety
/// `handle` is NULL or came from [`create`], and is not used again.
pub(super) unsafe fn destroy<T>(handle: *mut T) -> Status {
    if !handle.is_null() {
        // SAFETY: it came from Box::into_raw by contract.
        drop(unsafe { Box::from_raw(handle) });
    }
    Status::Ok
}
