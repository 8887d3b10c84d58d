//! Ranges on the tape: what brings an object back that died in the forward sweep.

use crate::error::Error;
use crate::ffi::arguments::null_pointer;
use crate::ffi::handles::{on_addresses, tape};
use crate::ffi::jump::with_site;
use crate::objects::{LiveRange, Objects};
use crate::tape::Cursor;
use std::ffi::{c_char, c_void};

/// A range of addresses and whose it is.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct RangeInfo {
    /// The birth number of the object, which it keeps when its address changes.
    pub serial: u64,
    /// Where it lies; from the tape: where it lay in the forward sweep.
    pub base: *mut c_void,
    /// Its size.
    pub bytes: u64,
    /// Where its adjoint lies; NULL if it has none, and from the tape.
    pub adjoint_base: *mut c_void,
    /// The size of the adjoint.
    pub adjoint_bytes: u64,
    /// "" if it has none. Valid as long as the objects.
    pub label: *const c_char,
    /// One of ADTAPE_KIND_….
    pub kind: i32,
    /// The library's number for the label.
    pub label_number: u32,
}

impl RangeInfo {
    pub(in crate::ffi) fn of(addresses: &Objects, range: &LiveRange) -> RangeInfo {
        RangeInfo {
            serial: range.serial,
            base: range.base as *mut c_void,
            bytes: range.bytes as u64,
            adjoint_base: range.adjoint_base as *mut c_void,
            adjoint_bytes: range.adjoint_bytes as u64,
            label: addresses.label_c(range.label).as_ptr(),
            kind: range.kind as i32,
            label_number: range.label,
        }
    }

    pub(in crate::ffi) fn range(&self) -> Result<LiveRange, Error> {
        Ok(LiveRange {
            serial: self.serial,
            base: self.base as usize,
            bytes: self.bytes as usize,
            kind: crate::ffi::arguments::kind_of(self.kind)?,
            adjoint_base: 0,
            adjoint_bytes: 0,
            label: self.label_number,
        })
    }
}

unsafe extern "C" fn pop_range(t: *const Cursor, o: *const Objects, out: *mut RangeInfo, site: usize) {
    // SAFETY: the contract of pointers.
    unsafe {
        on_addresses(o, site, |called| {
            if out.is_null() {
                return Err(null_pointer("the range"));
            }
            let range = called.pop_range(tape(t)?)?;
            out.write(RangeInfo::of(called, &range));
            Ok(())
        });
    }
}

/// POPRANGE: pops the range whose death is to be reversed. The program allocates `range->bytes`, or takes the variable
/// of a frame that is entered again, and says by adtape_rebase_add where it lies. Undoes adtape_live_end.
///
/// Errors go to the error handler and leave the tape as it was: NULL_HANDLE, NULL_POINTER, UNDERFLOW, CORRUPT (no
/// range lies there), MISMATCH in check mode.
/// Fortran: `call pop_range(range)`, `call pop_range(t, range)`. Source: Alg. 2, lines 6 and 14.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_pop_range(t: *mut Cursor, o: *const Objects, range: *mut RangeInfo) {
    with_site!(3 => pop_range)
}
