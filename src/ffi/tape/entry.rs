//! Entry points of the code that `adtape/inline.h` compiles into its users. Their name carries the version of the
//! cursor's layout, so that a program and a library that disagree about it do not link. Not to be called by hand.

use crate::error::{Error, Status};
use crate::ffi::arguments::TypeCode;
use crate::ffi::handles::tape;
use crate::ffi::outcome::value_or_fail;
use crate::site::Site;
use crate::tape::cursor::{Target, copy, thread};
use crate::tape::{Cursor, Type};
use std::ffi::{CStr, c_char, c_void};

/// The calling thread's own tape.
#[unsafe(no_mangle)]
pub extern "C" fn adtape_abi0_self() -> *mut Cursor {
    std::ptr::from_ref(thread::cursor()).cast_mut()
}

/// # Safety
/// The contract of pointers in the crate's documentation.
#[inline(never)]
unsafe fn room(
    t: *mut Cursor,
    type_code: TypeCode,
    make: impl FnOnce(&Cursor, Type) -> Result<(), Error>,
    site: Site,
) -> *mut Cursor {
    value_or_fail(site, || {
        // SAFETY: by contract.
        let cursor = unsafe { tape(t) }?;
        make(cursor, crate::ffi::arguments::type_of(type_code, site)?)?;
        Ok(std::ptr::from_ref(cursor).cast_mut())
    })
}

/// Whether `quick` does what is asked for, in check and profile mode: there each push and pop comes by here.
///
/// # Safety
/// As for [`room`].
#[inline(always)]
unsafe fn is_quick(t: *mut Cursor, type_code: TypeCode, count: i64, quick: impl FnOnce(&Cursor, Type) -> bool) -> bool {
    // SAFETY: by contract; the constant closed tape has no core.
    match (unsafe { t.as_ref() }, Type::from_code(type_code)) {
        (Some(cursor), Some(ty)) if count == 1 => quick(cursor, ty),
        _ => false,
    }
}

/// Makes one push of `count` values possible and returns the tape to do it on.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn adtape_abi0_push_room(
    t: *mut Cursor,
    type_code: TypeCode,
    count: i64,
    site: *const c_void,
) -> *mut Cursor {
    // SAFETY: by contract.
    unsafe { adtape_abi0_push_room_from(t, type_code, count, std::ptr::null(), site) }
}

/// Makes one pop of `count` values possible and returns the tape to do it on.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn adtape_abi0_pop_room(
    t: *mut Cursor,
    type_code: TypeCode,
    count: i64,
    site: *const c_void,
) -> *mut Cursor {
    // SAFETY: by contract.
    unsafe { adtape_abi0_pop_room_into(t, type_code, count, std::ptr::null_mut(), site) }
}

/// [`adtape_abi0_push_room`] for values that lie at `from`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn adtape_abi0_push_room_from(
    t: *mut Cursor,
    type_code: TypeCode,
    count: i64,
    from: *const c_void,
    site: *const c_void,
) -> *mut Cursor {
    let (from, site) = (from.cast(), Site::Code(site as usize));
    // SAFETY: by contract.
    unsafe {
        if is_quick(t, type_code, count, |cursor, ty| cursor.push_room_quickly(ty, site, from)) {
            return t;
        }
        room(t, type_code, |cursor, ty| cursor.push_room_from(ty, count, site, from), site)
    }
}

/// [`adtape_abi0_pop_room`] for values that the caller copies to `into`.
///
/// # Safety
/// The contract of pointers in the crate's documentation: `into` has room for the values.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn adtape_abi0_pop_room_into(
    t: *mut Cursor,
    type_code: TypeCode,
    count: i64,
    into: *mut c_void,
    site: *const c_void,
) -> *mut Cursor {
    let site = Site::Code(site as usize);
    // SAFETY: by contract.
    unsafe {
        let into = Target::new(into.cast());
        if is_quick(t, type_code, count, |cursor, ty| cursor.pop_room_quickly(ty, site, into)) {
            return t;
        }
        room(t, type_code, |cursor, ty| cursor.pop_room_into(ty, count, site, into), site)
    }
}

/// Bytes on a tape of the calling thread, and at most, without an operation on it. Returns whether all of its operations
/// take the slow path, as in check mode.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_sizes(t: *const Cursor, bytes: *mut i64, peak_bytes: *mut i64) -> bool {
    // SAFETY: by contract.
    let ((now, most), seen) = unsafe { (*t).sizes_as_they_are() };
    // SAFETY: by contract.
    unsafe { (*bytes, *peak_bytes) = (now.cast_signed(), most.cast_signed()) };
    seen
}

/// Copies an array of `bytes` bytes onto the tape, which has room for them.
///
/// # Safety
/// `t` is an open tape with that much room, `x` readable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_copy_in(t: *mut Cursor, x: *const c_void, bytes: u64) {
    // SAFETY: by contract.
    unsafe { copy::copy_in(&*t, x.cast(), bytes as usize) }
}

/// Copies the last `bytes` bytes of the tape to `x` and takes them off.
///
/// # Safety
/// `t` is an open tape with that much below its cursor, `x` writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_copy_out(t: *mut Cursor, x: *mut c_void, bytes: u64) {
    // SAFETY: by contract.
    unsafe { copy::copy_out(&*t, x.cast(), bytes as usize) }
}

/// The slow path of adtape_push_control.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn adtape_abi0_push_control(t: *mut Cursor, value: u64, bits: i32, site: *const c_void) {
    let site = Site::Code(site as usize);
    // SAFETY: by contract.
    value_or_fail(site, || unsafe { tape(t) }?.push_control_at(value, bits as u32, site))
}

/// The slow path of adtape_pop_control.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn adtape_abi0_pop_control(t: *mut Cursor, bits: i32, site: *const c_void) -> u64 {
    let site = Site::Code(site as usize);
    // SAFETY: by contract.
    value_or_fail(site, || unsafe { tape(t) }?.pop_control_at(bits as u32, site))
}

/// The slow path of adtape_push_count.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_push_count(t: *mut Cursor, count: i64, site: *const c_void) {
    let site = Site::Code(site as usize);
    // SAFETY: by contract.
    value_or_fail(site, || unsafe { tape(t) }?.push_count_at(count, site))
}

/// The slow path of adtape_pop_count.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_pop_count(t: *mut Cursor, site: *const c_void) -> i64 {
    let site = Site::Code(site as usize);
    // SAFETY: by contract.
    value_or_fail(site, || unsafe { tape(t) }?.pop_count_at(site))
}

/// A NULL address with `count` values behind it, or a NULL handle (`count` -1). Does not return.
#[unsafe(no_mangle)]
#[cold]
pub extern "C" fn adtape_abi0_null(count: i64, site: *const c_void) {
    let site = Site::Code(site as usize);
    let error = match count {
        -1 => Err(crate::ffi::arguments::null_handle("tape", "adtape_self() or what adtape_create() returned")
            .with_line(&format!("at {site}"))),
        _ => crate::ffi::arguments::check_address(std::ptr::null::<u8>(), count, site),
    };
    value_or_fail(site, || error)
}

/// Ends in the error handler, for glue code in other languages. Does not return.
///
/// # Safety
/// `message` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn adtape_abi0_fail(status: i32, message: *const c_char, site: *const c_void) {
    // SAFETY: by contract.
    let error = unsafe { error_of(status, message) };
    if site.is_null() {
        crate::ffi::outcome::fail(&error)
    } else {
        crate::ffi::outcome::fail_at(error, Site::Code(site as usize))
    }
}

/// Remembers what went wrong as this thread's last error, for glue code in other languages; returns the status.
///
/// # Safety
/// `message` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
#[cold]
pub unsafe extern "C" fn adtape_abi0_error(status: i32, message: *const c_char) -> Status {
    // SAFETY: by contract.
    crate::ffi::outcome::status(Err(unsafe { error_of(status, message) }))
}

/// # Safety
/// `message` is NULL or NUL-terminated.
unsafe fn error_of(status: i32, message: *const c_char) -> Error {
    let text = if message.is_null() {
        "no message".into()
    } else {
        // SAFETY: not NULL, so NUL-terminated by contract.
        unsafe { CStr::from_ptr(message) }.to_string_lossy()
    };
    let status = Status::from_code(status).filter(|status| *status != Status::Ok).unwrap_or(Status::BadArgument);
    Error::new(status, text)
}
