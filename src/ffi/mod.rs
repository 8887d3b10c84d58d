//! The C ABI. One C object, one file here, one section of `include/adtape/declarations.h`, one test in `ctests`.
//!
//! Calls that can return a status do; pushes and pops, which stand in generated code that checks nothing, end in
//! the error handler. Neither unwinds into C: the library is built with `panic = "abort"`.

mod array;
mod block;
mod checkpoint;
mod control;
mod descriptor;
mod driver;
mod entry;
mod error;
mod heap;
mod join;
mod live;
mod mark;
mod objects;
mod pair;
mod pointer;
mod process;
mod range;
mod rebase;
mod repeat;
mod restoration;
mod scalar;
mod schedule;
mod section;
mod snapshot;
mod stats;
mod store;
mod tape;
mod variable;

use crate::error::{Error, Status};
use crate::session::{Addresses, Session};
use crate::site::Site;
use crate::tape::{Cursor, Type};
use std::ffi::{CStr, c_char};
use std::io::Write;
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;

/// Defines a function's body as a jump to another one, with the address it will return to as an additional last
/// argument: the call site, for check mode and messages. `$n` is the number of arguments before it.
macro_rules! with_site {
    (0 => $to:path) => { with_site!(@ "rdi", "x0", $to) };
    (1 => $to:path) => { with_site!(@ "rsi", "x1", $to) };
    (2 => $to:path) => { with_site!(@ "rdx", "x2", $to) };
    (3 => $to:path) => { with_site!(@ "rcx", "x3", $to) };
    (4 => $to:path) => { with_site!(@ "r8", "x4", $to) };
    (5 => $to:path) => { with_site!(@ "r9", "x5", $to) };
    (@ $x86:literal, $arm:literal, $to:path) => {{
        #[cfg(target_arch = "x86_64")]
        std::arch::naked_asm!(concat!("mov ", $x86, ", [rsp]"), "jmp {to}", to = sym $to);
        #[cfg(target_arch = "aarch64")]
        std::arch::naked_asm!(concat!("mov ", $arm, ", x30"), "b {to}", to = sym $to);
    }};
}
use with_site;

/// A type's code, as C programs pass it: any number. In the header, `adtape_type_t`.
type TypeCode = i32;
/// The same for a kind of memory. In the header, `adtape_kind_t`.
type KindCode = i32;

/// The status to return; the message is kept.
fn status(result: Result<(), Error>) -> Status {
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
fn value_or_fail<T>(site: Site, operation: impl FnOnce() -> Result<T, Error>) -> T {
    match operation() {
        Ok(value) => value,
        Err(error) => fail_at(error, site),
    }
}

#[cold]
fn fail_at(error: Error, site: Site) -> ! {
    let place = site.to_string();
    let said = site == Site::UNKNOWN || error.message().contains(&place);
    let error = if said { error } else { error.with_line(&format!("at {place}")) };
    fail(&error)
}

/// The end of the program, or whatever the process's error handler does.
#[cold]
fn fail(error: &Error) -> ! {
    error::remember(error);
    Session::default_session().fail(error)
}

/// The objects behind a handle; NULL stands for those of the process.
///
/// # Safety
/// `o` is NULL or objects that live for `'a`.
unsafe fn objects<'a>(o: *const Session) -> &'a Addresses {
    // SAFETY: by contract.
    unsafe { o.as_ref() }.unwrap_or_else(|| Session::default_session()).addresses()
}

/// Runs an operation on objects, whose errors end in the error handler.
///
/// # Safety
/// As for [`objects()`].
unsafe fn on_addresses<T>(
    o: *const Session,
    site: usize,
    operation: impl FnOnce(&Addresses, Site) -> Result<T, Error>,
) -> T {
    let site = entry::site_of(site);
    // SAFETY: by contract.
    match operation(unsafe { objects(o) }, site) {
        Ok(value) => value,
        Err(error) => fail_at(error, site),
    }
}

/// Writes a report to a file descriptor, which stays open.
fn print(report: &str, fd: i32) -> Result<(), Error> {
    if fd < 0 {
        return Err(Error::new(
            Status::BadArgument,
            format!(
                "{fd} is not a file descriptor\n  pass 1 for standard output, 2 for standard error, or an open one"
            ),
        ));
    }
    // SAFETY: the descriptor is only written to, and not closed.
    let mut file = ManuallyDrop::new(unsafe { std::fs::File::from_raw_fd(fd) });
    file.write_all(report.as_bytes()).map_err(|e| {
        Error::new(
            Status::Io,
            format!("the report cannot be written to file descriptor {fd}: {e}\n  pass one that is open for writing"),
        )
    })
}

/// The tape behind a handle. The constant that a module starts with stands for the thread's own.
///
/// # Safety
/// `t` is NULL, [`entry::adtape_abi0_closed`], or a cursor that lives for `'a`.
#[inline]
unsafe fn tape<'a>(t: *const Cursor) -> Result<&'a Cursor, Error> {
    if t.is_null() {
        return Err(null_handle("tape", "adtape_self() or what adtape_create() returned"));
    }
    if entry::is_closed_constant(t) {
        return Ok(crate::tape::cursor::thread::cursor());
    }
    // SAFETY: by contract.
    Ok(unsafe { &*t })
}

#[cold]
fn null_handle(what: &str, wanted: &str) -> Error {
    Error::new(Status::NullHandle, format!("the {what} handle is NULL\n  pass {wanted}"))
}

#[cold]
fn null_pointer(what: &str) -> Error {
    Error::new(Status::NullPointer, format!("the address of {what} is NULL\n  pass the address of a variable"))
}

/// # Safety
/// `text` is NULL or a C string that lives for `'a`.
unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<&'a str, Error> {
    // SAFETY: by contract.
    unsafe { text_or_none(text, what) }?.ok_or_else(|| null_pointer(what))
}

/// # Safety
/// As for [`text`].
unsafe fn text_or_none<'a>(text: *const c_char, what: &str) -> Result<Option<&'a str>, Error> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: not NULL, so a C string by contract.
    let text = unsafe { CStr::from_ptr(text) };
    let text = text.to_str().map_err(|_| Error::new(Status::BadArgument, format!("{what}, {text:?}, is not UTF-8")));
    text.map(Some)
}

/// A number of the program's, 0 or more.
fn number(given: i64, what: &str) -> Result<u64, Error> {
    u64::try_from(given).map_err(|_| {
        Error::new(Status::CountRange, format!("{given} {what}: the number is negative\n  pass 0 or more"))
    })
}

/// Writes a result through an address of the caller's.
///
/// # Safety
/// `out` is NULL or valid for a write.
unsafe fn write_out<T>(out: *mut T, what: &str, value: impl FnOnce() -> Result<T, Error>) -> Result<(), Error> {
    if out.is_null() {
        return Err(null_pointer(what));
    }
    let value = value()?;
    // SAFETY: not NULL, so valid by contract.
    unsafe { out.write(value) };
    Ok(())
}

/// The site behind these words, where it is known: calls that return a status do not ask for theirs.
fn at(words: &str, site: Site) -> String {
    match site {
        Site::UNKNOWN => String::new(),
        site => format!("{words}{site}"),
    }
}

fn type_of(code: i32, site: Site) -> Result<Type, Error> {
    Type::from_code(code).ok_or_else(|| {
        Error::new(
            Status::BadArgument,
            format!(
                "{code}{} is not a type\n  pass one of the constants ADTAPE_TYPE_…, 1 to {}",
                at(" at ", site),
                Type::ALL.len()
            ),
        )
    })
}

/// A type whose values have a fixed size, as an array needs.
fn type_of_array(code: i32, site: Site) -> Result<Type, Error> {
    match type_of(code, site)? {
        ty if !ty.has_arrays() => Err(Error::new(
            Status::BadArgument,
            format!(
                "there are no arrays of {}{}\n  push or pop them one by one",
                ty.name(),
                at(", as asked for at ", site)
            ),
        )),
        ty => Ok(ty),
    }
}

/// Refuses a NULL address with values behind it.
fn check_address<T>(x: *const T, count: i64, site: Site) -> Result<(), Error> {
    // A negative count is an error of its own.
    if !x.is_null() || count <= 0 {
        return Ok(());
    }
    Err(Error::new(
        Status::NullPointer,
        format!(
            "the address of {count} values is NULL{}\n  \
             an unallocated array or unassociated pointer is passed; pass a count of 0, or allocate it",
            at(", at ", site)
        ),
    ))
}
