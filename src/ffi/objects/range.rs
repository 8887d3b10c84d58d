//! Ranges on the tape: what brings an object back that died in the forward sweep.

use crate::error::Error;
use crate::ffi::arguments::null_pointer;
use crate::ffi::handles::{objects, on_addresses, tape};
use crate::ffi::jump::with_site;
use crate::ffi::outcome::value_or_fail;
use crate::objects::{LiveRange, Objects};
use crate::site::Site;
use crate::tape::Cursor;
use std::ffi::{c_char, c_void};

/// A range of addresses and whose it is.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct RangeInfo {
    /// One of ADTAPE_KIND_….
    pub kind: i32,
    /// The library's number for the label: adtape_range_label.
    pub label: u32,
    /// Its size.
    pub bytes: u64,
    /// Where it lies; from the tape: where it lay in the forward sweep.
    pub base: *mut c_void,
    /// The birth number of the object, which it keeps when its address changes.
    pub serial: u64,
    /// Where its adjoint lies; NULL if it has none, and from the tape.
    pub adjoint_base: *mut c_void,
    /// The size of the adjoint.
    pub adjoint_bytes: u64,
}

impl RangeInfo {
    pub(in crate::ffi) fn of(range: &LiveRange) -> RangeInfo {
        RangeInfo {
            kind: range.kind as i32,
            label: range.label,
            bytes: range.bytes as u64,
            base: range.base as *mut c_void,
            serial: range.serial,
            adjoint_base: range.adjoint_base as *mut c_void,
            adjoint_bytes: range.adjoint_bytes as u64,
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
            label: self.label,
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
            out.write(RangeInfo::of(&range));
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

/// The label of a range of these objects; "" if it has none. Valid as long as they are.
///
/// Errors go to the error handler: NULL_POINTER. Cost: a call. Any thread.
/// Fortran: `text = range_label(range)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_range_label(o: *const Objects, range: *const RangeInfo) -> *const c_char {
    value_or_fail(Site::UNKNOWN, || {
        // SAFETY: by contract.
        let (objects, range) = unsafe { (objects(o), range.as_ref().ok_or_else(|| null_pointer("the range"))?) };
        Ok(objects.label_c(range.label).as_ptr())
    })
}
