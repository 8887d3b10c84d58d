//! Tapes: made, released, handed over, trimmed, attached to a local cursor.

use crate::error::{Error, Status};
use crate::ffi::arguments::{null_pointer, write_out};
use crate::ffi::handles::{create_raw, tape};
use crate::ffi::outcome::status;
use crate::tape::cursor::thread;
use crate::tape::owner::Owner;
use crate::tape::{Cursor, Tape};
use crate::vm::Trim;

/// What adtape_trim does: the kernel may take the pages when it is short of memory; they stay committed.
pub const ADTAPE_TRIM_SOFT: i32 = 0;
/// What adtape_trim does: the pages are given back now.
pub const ADTAPE_TRIM_HARD: i32 = 1;

/// Makes an empty tape that the calling thread owns, beside the thread's own. Takes no memory before the first
/// push. Undone by adtape_destroy.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER or ADTAPE_STATUS_BAD_ENVIRONMENT.
/// Fortran: `call adtape_create(t)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_create(out: *mut *mut Cursor) -> Status {
    let make = || Tape::with_owner(Owner::this_thread()).map(Tape::into_raw);
    // SAFETY: by contract.
    unsafe { create_raw(out, "the new handle", make) }
}

/// Releases a tape, with whatever is on it. NULL is allowed and does nothing; in Fortran `t` is the NULL handle
/// afterwards. The thread's own tape is emptied and gives its memory back; its next use makes a new one. Any thread may
/// free a tape that was released (adtape_release), whose thread has ended, or whose thread a child of fork does not have.
///
/// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_ATTACHED if the tape may not be used here
/// and now (it then lives on).
/// Fortran: `call adtape_destroy(t)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation; the handle is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_destroy(t: *mut Cursor) -> Status {
    if t.is_null() {
        return Status::Ok;
    }
    // SAFETY: by contract.
    status(unsafe { tape(t) }.and_then(|cursor| {
        let own = std::ptr::eq(cursor, thread::cursor());
        if own && cursor.core.get().is_null() {
            return Ok(());
        }
        cursor.core()?.may_be_freed(cursor)?;
        if own {
            drop(thread::take(cursor));
            cursor.close();
        } else {
            // SAFETY: a handle that is not the thread's own came from adtape_create or adtape_release.
            drop(unsafe { Tape::from_raw(t) });
        }
        Ok(())
    }))
}

/// Gives the calling thread's tape `t` up, so that another thread can go on with it: that thread, or the same one,
/// calls adtape_acquire on `*handle`. For a tape made by adtape_create, `*handle` is `t`; for the thread's own, it is a
/// new handle that takes the contents along (undone by adtape_destroy), and the thread starts over with an empty tape.
/// Orders what this thread wrote before what the other reads. Until then every use of the tape is an error.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD,
/// ADTAPE_STATUS_RELEASED or ADTAPE_STATUS_ATTACHED.
/// Fortran: `call adtape_release(t, handle)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_release(t: *mut Cursor, handle: *mut *mut Cursor) -> Status {
    let release = |cursor: &Cursor| -> Result<*mut Cursor, Error> {
        cursor.core()?.release(cursor)?;
        if !std::ptr::eq(cursor, thread::cursor()) {
            return Ok(t);
        }
        let core = thread::take(cursor).expect("just released");
        Ok(Tape::from_core(core).into_raw())
    };
    // SAFETY: by contract.
    status(unsafe { tape(t).and_then(|cursor| write_out(handle, "the handle", || release(cursor))) })
}

/// Makes the calling thread the owner of a tape that was given up by adtape_release.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or, if the tape is not released, ADTAPE_STATUS_RELEASED.
/// Fortran: `call adtape_acquire(t)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_acquire(handle: *mut Cursor) -> Status {
    // SAFETY: by contract.
    status(unsafe { tape(handle) }.and_then(|cursor| cursor.core()?.acquire(cursor)))
}

/// Gives memory above the top of the tape, which is kept warm from one sweep to the next, back to the system. With
/// ADTAPE_TRIM_SOFT the kernel may take it when it is short of memory; it stays committed. With ADTAPE_TRIM_HARD the
/// kernel gets it now; it is no longer committed and no longer counts against the memory limit. The contents stay.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_BAD_ARGUMENT (how), or a status of ownership.
/// Fortran: `call adtape_trim(t, how)`, `call adtape_trim(how)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_trim(t: *mut Cursor, how: i32) -> Status {
    let how = match how {
        ADTAPE_TRIM_SOFT => Ok(Trim::Soft),
        ADTAPE_TRIM_HARD => Ok(Trim::Hard),
        other => Err(Error::new(
            Status::BadArgument,
            format!("{other} is no way to trim a tape\n  pass ADTAPE_TRIM_SOFT (0) or ADTAPE_TRIM_HARD (1)"),
        )),
    };
    // SAFETY: by contract.
    status(how.and_then(|how| unsafe { tape(t) }?.trim(how)))
}

/// Copies the cursor of a tape to a local variable, which the compiler can keep in registers: adtape_local_push_…
/// and adtape_local_pop_… use it. Do not store the address of `l`. Until adtape_detach, a use of the tape through its
/// handle fails with ADTAPE_STATUS_ATTACHED. Undone by adtape_detach. Cost: a call each; in between, pushes and pops
/// touch no memory but the tape.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, or a status of ownership.
/// Fortran: not offered, as there is nothing to gain.
///
/// # Safety
/// The contract of pointers in the crate's documentation. On success `*l` is used for nothing else until
/// adtape_detach.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_attach(t: *mut Cursor, l: *mut Local) -> Status {
    if l.is_null() {
        return status(Err(null_pointer("the local cursor")));
    }
    // SAFETY: by contract.
    status(unsafe { tape(t) }.and_then(|cursor| {
        let local = Local { c: Cursor::closed() };
        cursor.core()?.attach(cursor, &local.c)?;
        // SAFETY: not NULL, so valid by contract.
        unsafe { l.write(local) };
        Ok(())
    }))
}

/// Ends what adtape_attach began: the tape is used through its handle again, and the local cursor is closed.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_ATTACHED if the cursor is not attached, or
/// a status of ownership.
/// Fortran: not offered.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_detach(l: *mut Local) -> Status {
    // SAFETY: by contract.
    let Some(local) = (unsafe { l.as_ref() }) else {
        return status(Err(null_pointer("the local cursor")));
    };
    status(local.c.core().and_then(|core| core.detach(&local.c)))
}

/// A local copy of a tape's cursor, made by adtape_attach.
#[repr(C)]
pub struct Local {
    c: Cursor,
}
