//! Buffers of messages, for libadtape_mpi: which object one is in, and where that lies in the reverse sweep.
//!
//! A program sends the same buffers again and again. The caller keeps what it found, and hands it in the next time: where
//! no object has come, moved or ended meanwhile, it is right still.

use crate::ffi::handles::{objects, objects_so_far};
use crate::objects::{Extents, Objects};
use std::ptr::null;

/// Where an object and its adjoint lie: what an earlier call wrote, or all 0.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Buffer {
    pub serial: u64,
    pub base: u64,
    pub bytes: u64,
    /// 0: it has no adjoint.
    pub adjoint_base: u64,
    pub adjoint_bytes: u64,
    /// How many changes of objects were known then.
    pub changes: u64,
}

/// Writes what is found: it is there still, is found at once or else anyhow.
///
/// # Safety
/// `buffer` can be read and written to.
#[inline(always)]
unsafe fn found(
    buffer: *mut Buffer,
    is_it: impl FnOnce(&Buffer) -> bool,
    at_once: impl FnOnce(&Objects) -> Option<Extents>,
    anyhow: impl FnOnce(&Objects) -> Option<Extents>,
) -> bool {
    // SAFETY: NULL stands for the objects of the process.
    let objects = unsafe { objects_so_far(null()) };
    // SAFETY: by contract.
    let before = unsafe { &*buffer };
    if is_it(before) && objects.is_some_and(|objects| objects.is_unchanged(before.serial, before.changes)) {
        return true;
    }
    let found = objects.and_then(at_once).or_else(|| anyhow_in(anyhow));
    let Some(Extents { serial, base, bytes, adjoint_base, adjoint_bytes, changes }) = found else { return false };
    // SAFETY: by contract.
    unsafe { buffer.write(Buffer { serial, base, bytes, adjoint_base, adjoint_bytes, changes }) };
    true
}

#[cold]
#[inline(never)]
fn anyhow_in(find: impl FnOnce(&Objects) -> Option<Extents>) -> Option<Extents> {
    // SAFETY: NULL stands for the objects of the process.
    find(unsafe { objects(null()) })
}

/// The object of the process that an address is in; false: it is in none that is alive, and nothing is written.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_buffer_find(address: u64, buffer: *mut Buffer) -> bool {
    let is_in = |buffer: &Buffer| address.wrapping_sub(buffer.base) < buffer.bytes;
    // SAFETY: by contract.
    unsafe { found(buffer, is_in, |objects| objects.extents_at_once(address), |objects| objects.extents(address)) }
}

/// The object of the process with this serial; false: it is not alive, and nothing is written.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_buffer_locate(serial: u64, buffer: *mut Buffer) -> bool {
    let is_it = |buffer: &Buffer| buffer.serial == serial;
    // SAFETY: by contract.
    unsafe { found(buffer, is_it, |objects| objects.extents_of_at_once(serial), |objects| objects.extents_of(serial)) }
}
