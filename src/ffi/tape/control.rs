//! Control out of line: branch ids and loop counters for Fortran and for languages without the header.

use crate::ffi::handles::tape;
use crate::ffi::jump::with_site;
use crate::ffi::outcome::value_or_fail;
use crate::site::Site;
use crate::tape::Cursor;
use crate::tape::cursor::thread;

unsafe extern "C" fn push_control(t: *const Cursor, value: u64, bits: i32, site: usize) {
    value_or_fail(Site::Code(site), || {
        // SAFETY: the contract of pointers.
        let cursor = unsafe { tape(t) }?;
        if fast_push(cursor, value, bits) {
            return Ok(());
        }
        cursor.push_control_at(value, bits as u32, Site::Code(site))
    })
}

unsafe extern "C" fn pop_control(t: *const Cursor, bits: i32, site: usize) -> u64 {
    value_or_fail(Site::Code(site), || {
        // SAFETY: the contract of pointers.
        let cursor = unsafe { tape(t) }?;
        match fast_pop(cursor, bits) {
            Some(value) => Ok(value),
            None => cursor.pop_control_at(bits as u32, Site::Code(site)),
        }
    })
}

#[inline(always)]
fn fast_push(c: &Cursor, value: u64, bits: i32) -> bool {
    let fits = (bits as u32).wrapping_sub(1) < 61 && c.bits.get() < 1 << (62 - bits);
    if fits {
        c.bits.set(c.bits.get() << bits | (value & ((1 << bits) - 1)));
    }
    fits
}

#[inline(always)]
fn fast_pop(c: &Cursor, bits: i32) -> Option<u64> {
    let there = (bits as u32).wrapping_sub(1) < 61 && c.bits.get() as i64 >= 1 << bits;
    there.then(|| {
        let value = c.bits.get() & ((1 << bits) - 1);
        c.bits.set(c.bits.get() >> bits);
        value
    })
}

unsafe extern "C" fn self_push_control(value: u64, bits: i32, site: usize) {
    // SAFETY: the thread's own cursor.
    unsafe { push_control(thread::cursor(), value, bits, site) }
}

unsafe extern "C" fn self_pop_control(bits: i32, site: usize) -> u64 {
    // SAFETY: the thread's own cursor.
    unsafe { pop_control(thread::cursor(), bits, site) }
}

unsafe extern "C" fn push_count(t: *const Cursor, count: i64, site: usize) {
    // SAFETY: the contract of pointers.
    value_or_fail(Site::Code(site), || unsafe { tape(t) }?.push_count_at(count, Site::Code(site)))
}

unsafe extern "C" fn pop_count(t: *const Cursor, site: usize) -> i64 {
    // SAFETY: the contract of pointers.
    value_or_fail(Site::Code(site), || unsafe { tape(t) }?.pop_count_at(Site::Code(site)))
}

unsafe extern "C" fn self_push_count(count: i64, site: usize) {
    // SAFETY: the thread's own cursor.
    unsafe { push_count(thread::cursor(), count, site) }
}

unsafe extern "C" fn self_pop_count(site: usize) -> i64 {
    // SAFETY: the thread's own cursor.
    unsafe { pop_count(thread::cursor(), site) }
}

/// adtape_push_control on a tape by its handle, as a function of the library, for languages that cannot include
/// `adtape.h`.
///
/// Errors go to the error handler and leave the tape unchanged: as adtape_push_control, NULL_HANDLE, or of ownership.
/// Fortran: `call push_control(t, value, bits)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_call_push_control(t: *mut Cursor, value: u64, bits: i32) {
    with_site!(3 => push_control)
}

/// adtape_pop_control on a tape by its handle, likewise. Fortran: `call pop_control(t, value, bits)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_call_pop_control(t: *mut Cursor, bits: i32) -> u64 {
    with_site!(2 => pop_control)
}

/// adtape_push_control on the thread's own tape, likewise. Fortran: `call push_control(value, bits)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_self_push_control(value: u64, bits: i32) {
    with_site!(2 => self_push_control)
}

/// adtape_pop_control on the thread's own tape, likewise. Fortran: `call pop_control(value, bits)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_self_pop_control(bits: i32) -> u64 {
    with_site!(1 => self_pop_control)
}

/// adtape_push_count on a tape by its handle, as a function of the library. Errors: as there, NULL_HANDLE, or of
/// ownership. Fortran: `call push_count(t, n)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_call_push_count(t: *mut Cursor, count: i64) {
    with_site!(2 => push_count)
}

/// adtape_pop_count on a tape by its handle, likewise. Fortran: `call pop_count(t, n)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_call_pop_count(t: *mut Cursor) -> i64 {
    with_site!(1 => pop_count)
}

/// adtape_push_count on the thread's own tape, likewise. Fortran: `call push_count(n)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_self_push_count(count: i64) {
    with_site!(1 => self_push_count)
}

/// adtape_pop_count on the thread's own tape, likewise. Fortran: `call pop_count(n)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_self_pop_count() -> i64 {
    with_site!(0 => self_pop_count)
}
