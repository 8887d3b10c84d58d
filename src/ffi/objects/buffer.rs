//! Buffers of messages, for libadtape_mpi: which object one is in, and where that lies in the reverse sweep.

use crate::ffi::handles::{objects, objects_so_far};
use crate::objects::{Extents, Objects};
use std::ptr::null;

/// Where an object and its adjoint lie.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Buffer {
    pub serial: u64,
    pub base: u64,
    pub bytes: u64,
    /// 0: it has no adjoint.
    pub adjoint_base: u64,
    pub adjoint_bytes: u64,
}

/// Writes what is found at once or, if that is nothing, else.
///
/// # Safety
/// `out` can be written to.
#[inline(always)]
unsafe fn found(
    out: *mut Buffer,
    at_once: impl FnOnce(&Objects) -> Option<Extents>,
    anyhow: impl FnOnce(&Objects) -> Option<Extents>,
) -> bool {
    // SAFETY: NULL stands for the objects of the process.
    let found = unsafe { objects_so_far(null()) }.and_then(at_once).or_else(|| anyhow_in(anyhow));
    let Some(Extents { serial, base, bytes, adjoint_base, adjoint_bytes }) = found else { return false };
    // SAFETY: by contract.
    unsafe { out.write(Buffer { serial, base, bytes, adjoint_base, adjoint_bytes }) };
    true
}

#[cold]
#[inline(never)]
fn anyhow_in(find: impl FnOnce(&Objects) -> Option<Extents>) -> Option<Extents> {
    // SAFETY: NULL stands for the objects of the process.
    find(unsafe { objects(null()) })
}

/// The object of the process that an address is in; false: it is in none that is alive.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_buffer_find(address: u64, out: *mut Buffer) -> bool {
    // SAFETY: by contract.
    unsafe { found(out, |objects| objects.extents_at_once(address), |objects| objects.extents(address)) }
}

/// The object of the process with this serial; false: it is not alive.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_buffer_locate(serial: u64, out: *mut Buffer) -> bool {
    // SAFETY: by contract.
    unsafe { found(out, |objects| objects.extents_of_at_once(serial), |objects| objects.extents_of(serial)) }
}
