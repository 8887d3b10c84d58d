//! Loops that run again from snapshots, where the two sweeps are two pieces of code.

use crate::driver::{self, Part};
use crate::error::Error;
use crate::ffi::arguments::{null_handle, null_pointer, number};
use crate::ffi::outcome::value_or_fail;
use crate::site::Site;
use std::ffi::c_void;

/// A loop whose passes the reverse sweep runs again from snapshots: the passes, and the states that are kept.
pub struct Passes(driver::Passes);

/// # Safety
/// `p` is NULL or what adtape_abi0_passes_create returned, and nobody else uses it.
unsafe fn passes<'a>(p: *mut Passes) -> Result<&'a mut driver::Passes, Error> {
    // SAFETY: by contract.
    unsafe { p.as_mut() }
        .map(|passes| &mut passes.0)
        .ok_or_else(|| null_handle("loop", "what adtape_abi0_passes_create returned"))
}

/// Begins a loop whose passes the reverse sweep runs again from snapshots, because their tape would be too large: for
/// code whose forward and reverse sweep are two functions, as the generator writes it. At most `snapshots` states are
/// kept at once: in memory, which counts as that of tapes, and beyond the memory limit of the process in the directory
/// that tapes spill to. `passes` is how many passes there are at most; a negative number: that is not known. The handle
/// goes from one sweep to the other, on the tape, say. Used by one thread at a time. Never NULL. Undone by
/// adtape_abi0_passes_destroy.
///
/// Forward: adtape_abi0_passes_enter first in each pass, adtape_abi0_passes_leave behind the loop. Reverse, for each pass, the
/// last one first: as long as adtape_abi0_passes_state is true, the parts of a state; then, if adtape_abi0_passes_run is true,
/// the pass without a tape, and adtape_abi0_passes_state again; if not, the pass with a tape, and its reversal.
///
/// Errors go to the error handler: COUNT_RANGE, BAD_ARGUMENT (no snapshot). Cost: a few ns a pass, and a copy of each
/// state that is kept or comes back. As many passes are run again as with ADTAPE_SCHEDULE_BINOMIAL, or
/// ADTAPE_SCHEDULE_ONLINE where the number is not known.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_passes_create(snapshots: i64, passes: i64) -> *mut Passes {
    value_or_fail(Site::UNKNOWN, || {
        let made = driver::Passes::new(number(snapshots, "snapshots")?, u64::try_from(passes).ok())?;
        Ok(Box::into_raw(Box::new(Passes(made))))
    })
}

/// Ends the loop, with its snapshots: where all its passes are reversed, or nobody wants them to be. NULL is allowed
/// and does nothing.
///
/// # Safety
/// The contract of pointers in the crate's documentation; the handle is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_passes_destroy(p: *mut Passes) {
    if !p.is_null() {
        // SAFETY: it came from Box::into_raw by contract.
        drop(unsafe { Box::from_raw(p) });
    }
}

/// A pass begins in the forward sweep. True if its state is to be kept: all that a pass reads and an earlier one wrote,
/// by adtape_abi0_passes_move, part by part, in the same order each time.
///
/// Errors go to the error handler: NULL_HANDLE, BAD_ARGUMENT (more passes than were announced; the loop is in its
/// reverse sweep; the state had other parts before), MEMORY_LIMIT and IO (no room for the last state).
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_passes_enter(p: *mut Passes) -> bool {
    // SAFETY: by contract.
    value_or_fail(Site::UNKNOWN, || unsafe { passes(p) }?.enter())
}

/// The loop has ended in the forward sweep: of itself, or because it was left.
///
/// Errors go to the error handler: NULL_HANDLE, BAD_ARGUMENT (the loop is in its reverse sweep), MEMORY_LIMIT and IO (no
/// room for the last state).
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_passes_leave(p: *mut Passes) {
    // SAFETY: by contract.
    value_or_fail(Site::UNKNOWN, || unsafe { passes(p) }?.leave());
}

/// On the way to the head of the next pass that is reversed. True if a state is to be kept or comes back now, by
/// adtape_abi0_passes_move, part by part; then it is asked again.
///
/// Errors go to the error handler: NULL_HANDLE, BAD_ARGUMENT (the forward sweep has not ended; all passes are reversed;
/// the state had other parts before), MEMORY_LIMIT and IO (no room for the last state), DAMAGED (what comes back from a
/// disk is something else).
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_passes_state(p: *mut Passes) -> bool {
    // SAFETY: by contract.
    value_or_fail(Site::UNKNOWN, || unsafe { passes(p) }?.state())
}

/// Once adtape_abi0_passes_state is false: true if a pass is to be run without a tape. False: the state is that of the pass
/// to be reversed now.
///
/// Errors go to the error handler: NULL_HANDLE, BAD_ARGUMENT (adtape_abi0_passes_state was not asked).
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_passes_run(p: *mut Passes) -> bool {
    // SAFETY: by contract.
    value_or_fail(Site::UNKNOWN, || unsafe { passes(p) }?.run())
}

/// The next part of the state, `bytes` bytes at `part`, which is kept or comes back. 0 or fewer bytes: there is none.
///
/// Errors go to the error handler: NULL_HANDLE, NULL_POINTER, OUT_OF_MEMORY, BAD_ARGUMENT (no state is to be kept or to
/// come back; it had other parts). Cost: that of a copy.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_passes_move(p: *mut Passes, part: *mut c_void, bytes: i64) {
    value_or_fail(Site::UNKNOWN, || {
        // SAFETY: by contract.
        let passes = unsafe { passes(p) }?;
        let Some(bytes) = usize::try_from(bytes).ok().filter(|bytes| *bytes > 0) else { return Ok(()) };
        if part.is_null() {
            return Err(null_pointer("a part of the state of a loop"));
        }
        match passes.part(bytes)? {
            // SAFETY: by contract there are as many bytes at `part`.
            Part::Keep(to) => to.extend_from_slice(unsafe { std::slice::from_raw_parts(part.cast(), bytes) }),
            // SAFETY: likewise, and they may be written.
            Part::Back(from) => unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), part.cast(), bytes) },
        }
        Ok(())
    });
}
