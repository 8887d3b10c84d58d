//! What programs pass: numbers, codes, texts, addresses; and what they get back through an address.

use crate::error::{Error, Status};
use crate::map::registry::RangeKind;
use crate::site::Site;
use crate::tape::Type;
use std::ffi::{CStr, c_char};
use std::io::Write;
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;

/// A type's code, as C programs pass it: any number. In the header, `adtape_type_t`.
pub(super) type TypeCode = i32;

/// The code of a kind of memory. In the header, `adtape_kind_t`.
pub(super) type KindCode = i32;

/// Writes a report to a file descriptor, which stays open.
pub(super) fn print(report: &str, fd: i32) -> Result<(), Error> {
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

#[cold]
pub(super) fn null_handle(what: &str, wanted: &str) -> Error {
    Error::new(Status::NullHandle, format!("the {what} handle is NULL\n  pass {wanted}"))
}

#[cold]
pub(super) fn null_pointer(what: &str) -> Error {
    Error::new(Status::NullPointer, format!("the address of {what} is NULL\n  pass the address of a variable"))
}

/// # Safety
/// `text` is NULL or a C string that lives for `'a`.
pub(super) unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<&'a str, Error> {
    // SAFETY: by contract.
    unsafe { text_or_none(text, what) }?.ok_or_else(|| null_pointer(what))
}

/// # Safety
/// As for [`text`].
pub(super) unsafe fn text_or_none<'a>(text: *const c_char, what: &str) -> Result<Option<&'a str>, Error> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: not NULL, so a C string by contract.
    let text = unsafe { CStr::from_ptr(text) };
    let text = text.to_str().map_err(|_| Error::new(Status::BadArgument, format!("{what}, {text:?}, is not UTF-8")));
    text.map(Some)
}

/// # Safety
/// `label` is NULL or a C string that lives for `'a`.
pub(super) unsafe fn label_of<'a>(label: *const c_char) -> Result<&'a CStr, Error> {
    if label.is_null() {
        return Err(null_pointer("a label"));
    }
    // SAFETY: not NULL, so a C string by contract.
    Ok(unsafe { CStr::from_ptr(label) })
}

/// # Safety
/// `values` is NULL or valid for `count` values that live for `'a`.
pub(super) unsafe fn list_of<'a, T>(values: *const T, count: i64, what: &str) -> Result<&'a [T], Error> {
    let n = usize::try_from(count).map_err(|_| Error::new(Status::CountRange, format!("a list of {count} {what}")))?;
    check_address(values, count, Site::UNKNOWN)?;
    if n == 0 {
        return Ok(&[]);
    }
    // SAFETY: not NULL, so valid by contract.
    Ok(unsafe { std::slice::from_raw_parts(values, n) })
}

/// A number of the program's, 0 or more.
pub(super) fn number(given: i64, what: &str) -> Result<u64, Error> {
    u64::try_from(given).map_err(|_| {
        Error::new(Status::CountRange, format!("{given} {what}: the number is negative\n  pass 0 or more"))
    })
}

/// Writes a result through an address of the caller's.
///
/// # Safety
/// `out` is NULL or valid for a write.
pub(super) unsafe fn write_out<T>(
    out: *mut T,
    what: &str,
    value: impl FnOnce() -> Result<T, Error>,
) -> Result<(), Error> {
    if out.is_null() {
        return Err(null_pointer(what));
    }
    let value = value()?;
    // SAFETY: not NULL, so valid by contract.
    unsafe { out.write(value) };
    Ok(())
}

/// Writes a result that the caller may not want.
///
/// # Safety
/// `out` is NULL or valid for a write.
pub(super) unsafe fn write_if_wanted<T>(out: *mut T, value: T) {
    if !out.is_null() {
        // SAFETY: not NULL, so valid by contract.
        unsafe { out.write(value) };
    }
}

/// The site behind these words, where it is known: calls that return a status do not ask for theirs.
pub(super) fn at(words: &str, site: Site) -> String {
    match site {
        Site::UNKNOWN => String::new(),
        site => format!("{words}{site}"),
    }
}

#[inline]
pub(super) fn type_of(code: i32, site: Site) -> Result<Type, Error> {
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
#[inline]
pub(super) fn type_of_array(code: i32, site: Site) -> Result<Type, Error> {
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
pub(super) fn check_address<T>(x: *const T, count: i64, site: Site) -> Result<(), Error> {
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

/// A kind of memory by its code.
pub(super) fn kind_of(code: i32) -> Result<RangeKind, Error> {
    RangeKind::from_code(code).ok_or_else(|| {
        Error::new(
            Status::BadArgument,
            format!(
                "{code} is not a kind of memory\n  pass one of the constants ADTAPE_KIND_…, 0 to {}",
                RangeKind::ALL.len() - 1
            ),
        )
    })
}
