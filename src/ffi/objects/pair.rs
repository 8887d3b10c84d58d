//! Pairs of base and offset: pointers that may leave their range.

use crate::ffi::handles::{at_once, on_addresses, tape};
use crate::ffi::jump::with_site;
use crate::objects::{Objects, Writer};
use crate::tape::Cursor;
use std::ffi::c_void;

/// A pointer as the base of an object and an offset in bytes; (NULL, 0) to begin with.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Pair {
    /// Base of the variable or block, as it was registered; or NULL.
    pub base: *mut c_void,
    /// Distance from the base, in bytes; 0 if the base is NULL.
    pub offset: i64,
}

/// The address of a pair's base; 0 if there is no pair.
///
/// # Safety
/// `pair` is NULL or a pair.
#[inline(always)]
unsafe fn base_of(pair: *mut Pair) -> usize {
    // SAFETY: by contract.
    if pair.is_null() { 0 } else { unsafe { &raw mut (*pair).base as usize } }
}

/// Sets the offset of a pair, if there is one.
///
/// # Safety
/// As for [`base_of`].
#[inline(always)]
unsafe fn set_offset(pair: *mut Pair, offset: isize) {
    if !pair.is_null() {
        // SAFETY: by contract.
        unsafe { (&raw mut (*pair).offset).write(offset as i64) };
    }
}

unsafe extern "C" fn push_pair(t: *const Cursor, o: *const Objects, base: *const c_void, offset: i64, site: usize) {
    // SAFETY: the contract of pointers.
    unsafe {
        let done = at_once(t, o, |tape, objects| objects.push_pair_at_once(tape, base as usize, offset as isize));
        if done.is_none() {
            push_pair_anyhow(t, o, base, offset, site);
        }
    }
}

#[cold]
#[inline(never)]
unsafe extern "C" fn push_pair_anyhow(
    t: *const Cursor,
    o: *const Objects,
    base: *const c_void,
    offset: i64,
    site: usize,
) {
    // SAFETY: the contract of pointers.
    unsafe { on_addresses(o, site, |called| called.push_pair(tape(t)?, base as usize, offset as isize)) }
}

unsafe extern "C" fn pop_pair(
    t: *const Cursor,
    o: *const Objects,
    pair: *mut Pair,
    p: *mut *mut c_void,
    p_adjoint: *mut *mut c_void,
    site: usize,
) {
    // SAFETY: the contract of pointers.
    unsafe {
        let variables = [base_of(pair), p as usize, p_adjoint as usize];
        match at_once(t, o, |tape, objects| objects.pop_recent(tape, variables, Writer::library())) {
            Some(now) => set_offset(pair, now.offset),
            None => pop_pair_otherwise(t, o, pair, p, p_adjoint, site),
        }
    }
}

#[inline(never)]
unsafe extern "C" fn pop_pair_otherwise(
    t: *const Cursor,
    o: *const Objects,
    pair: *mut Pair,
    p: *mut *mut c_void,
    p_adjoint: *mut *mut c_void,
    site: usize,
) {
    // SAFETY: the contract of pointers.
    unsafe {
        let variables = [base_of(pair), p as usize, p_adjoint as usize];
        match at_once(t, o, |tape, objects| objects.pop_at_once(tape, true, variables, Writer::library())) {
            Some(now) => set_offset(pair, now.offset),
            None => pop_pair_anyhow(t, o, pair, p, p_adjoint, site),
        }
    }
}

#[cold]
#[inline(never)]
unsafe extern "C" fn pop_pair_anyhow(
    t: *const Cursor,
    o: *const Objects,
    pair: *mut Pair,
    p: *mut *mut c_void,
    p_adjoint: *mut *mut c_void,
    site: usize,
) {
    // SAFETY: the contract of pointers.
    unsafe {
        on_addresses(o, site, |called| {
            let variables = [base_of(pair), p as usize, p_adjoint as usize];
            set_offset(pair, called.pop_pair_and_base(tape(t)?, variables)?.offset);
            Ok(())
        })
    }
}

/// Pushes a pointer as base and offset, which may lead anywhere: 8 bytes for offsets below 512 MiB, else 24. `base` is
/// that of a range that is alive (or ended, see adtape_push_pointer), or NULL with an offset of 0. Undone by
/// adtape_pop_pair.
///
/// Errors go to the error handler and change nothing: NULL_HANDLE, NO_RANGE (no range begins there; names the
/// nearest), AMBIGUOUS, NULL_POINTER (NULL with an offset), those of a push.
/// Cost: one search by address. One thread uses `t` at a time; `o` is for all.
/// Fortran: `call push_pair(base, offset)`, `call push_pair(t, base, offset)`. Source: Alg. 3, line 18*.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_push_pair(t: *mut Cursor, o: *const Objects, base: *const c_void, offset: i64) {
    with_site!(4 => push_pair)
}

/// Pops a pair: sets `*pair` to the base as it is now and the offset, `*p` to base + offset, and `*p_adjoint` to the
/// same place in, or beside, the adjoint, NULL if there is none. Each address may be NULL: that is not wanted. If the
/// object is not back yet, base and pointers become NULL and wait, as in adtape_pop_pointer.
///
/// Errors go to the error handler and leave the tape as it was: NULL_HANDLE, UNDERFLOW, CORRUPT (no pair lies
/// there), UNEVEN, MISMATCH in check mode.
/// Fortran: `call pop_pair(pair, p, p_adjoint)`, `call pop_pair(t, pair, p, p_adjoint)`, the last two optional.
/// Source: Alg. 3, line 20*.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_pop_pair(
    t: *mut Cursor,
    o: *const Objects,
    pair: *mut Pair,
    p: *mut *mut c_void,
    p_adjoint: *mut *mut c_void,
) {
    with_site!(5 => pop_pair)
}

/// The pair of a pointer that is assigned `q + bytes`, from the pair of q: (0, 0) if its base is NULL, else (base,
/// offset + bytes). Offsets wrap as integers do.
///
/// Fortran: `adtape_pair_add(q, bytes)`. Source: eq. (3).
#[unsafe(no_mangle)]
pub extern "C" fn adtape_pair_add(q: Pair, bytes: i64) -> Pair {
    if q.base.is_null() {
        return Pair { base: std::ptr::null_mut(), offset: 0 };
    }
    Pair { base: q.base, offset: q.offset.wrapping_add(bytes) }
}
