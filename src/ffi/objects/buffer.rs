//! Buffers of messages, for libadtape_mpi: which object one is in, and where that lies in the reverse sweep.
//!
//! A program sends the same buffers again and again. The caller keeps what it found: where no object has come, moved or
//! ended meanwhile, it is right still.

use crate::ffi::handles::{objects, objects_so_far};
use crate::objects::{Extents, Objects};
use std::ptr::{from_ref, null};

/// Where an object and its adjoint lie.
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
    /// Where they are counted: all this holds as long as an atomic read finds `changes` there. NULL: nobody counts them.
    pub counter: *const i64,
}

/// Writes what is found, at once or else anyhow.
///
/// # Safety
/// `buffer` can be written to.
#[inline(always)]
unsafe fn found(
    buffer: *mut Buffer,
    at_once: impl FnOnce(&Objects) -> Option<Extents>,
    anyhow: impl FnOnce(&Objects) -> Option<Extents>,
) -> bool {
    // SAFETY: NULL stands for the objects of the process.
    let so_far = unsafe { objects_so_far(null()) };
    let found = so_far.and_then(at_once).or_else(|| anyhow_in(anyhow));
    let Some(Extents { serial, base, bytes, adjoint_base, adjoint_bytes, changes }) = found else { return false };
    let is_counted = changes != Extents::PASSING;
    let counter = so_far.filter(|_| is_counted).and_then(|objects| objects.counter(serial));
    let counter = counter.map_or(null(), |counter| from_ref(counter).cast());
    // SAFETY: by contract.
    unsafe { buffer.write(Buffer { serial, base, bytes, adjoint_base, adjoint_bytes, changes, counter }) };
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
    // SAFETY: by contract.
    unsafe { found(buffer, |objects| objects.extents_at_once(address), |objects| objects.extents(address)) }
}

/// The object of the process with this serial; false: it is not alive, and nothing is written.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_buffer_locate(serial: u64, buffer: *mut Buffer) -> bool {
    // SAFETY: by contract.
    unsafe { found(buffer, |objects| objects.extents_of_at_once(serial), |objects| objects.extents_of(serial)) }
}
