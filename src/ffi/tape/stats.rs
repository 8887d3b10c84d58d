//! Statistics.

use crate::error::{Error, Status};
use crate::ffi::arguments::{TypeCode, type_of, write_out};
use crate::ffi::handles::tape;
use crate::ffi::outcome::{status, value_or_fail};
use crate::site::Site;
use crate::tape::{Cursor, Operation, Stats, Traffic, Type};
use std::ffi::c_char;

/// Sizes of a tape: bytes now and at most, control bits, memory, address space. They are always known. Cost: a call.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, or a status of ownership.
/// Fortran: `call tape_stats(t, stats)`, `call tape_stats(stats)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_stats(t: *mut Cursor, out: *mut Stats) -> Status {
    // SAFETY: by contract.
    status(unsafe { tape(t).and_then(|cursor| write_out(out, "the result", || cursor.stats())) })
}

/// Whether nothing is on the tape: no values and no control bits. After a reverse sweep it is true.
///
/// Errors, ADTAPE_STATUS_NULL_HANDLE or a status of ownership, end in the error handler, as those of a push do.
/// Fortran: `tape_is_empty(t)`, `tape_is_empty()`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_is_empty(t: *mut Cursor) -> bool {
    // SAFETY: by contract.
    value_or_fail(Site::UNKNOWN, || unsafe { tape(t) }.and_then(|cursor| cursor.is_empty()))
}

/// Turns profile mode on, with all counts at zero if it was off, or off, which forgets the counts. ADTAPE_PROFILE=1
/// turns it on for every tape. In profile mode each push and pop takes the slow path and is counted.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, or a status of ownership.
/// Fortran: `call stats_set_profile(t, on)`, `call stats_set_profile(on)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_stats_set_profile(t: *mut Cursor, on: bool) -> Status {
    // SAFETY: by contract.
    status(unsafe { tape(t) }.and_then(|cursor| cursor.set_profile(on)))
}

/// Calls, elements and bytes of one type (ADTAPE_TYPE_…, or 0 for all together) and operation
/// (ADTAPE_OPERATION_PUSH or ADTAPE_OPERATION_POP) since profile mode was turned on; zero outside profile mode.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_BAD_ARGUMENT (type,
/// operation), or a status of ownership.
/// Fortran: `call stats_traffic(t, type, operation, traffic)`, `call stats_traffic(type, operation, traffic)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_stats_traffic(
    t: *mut Cursor,
    type_code: TypeCode,
    operation: i32,
    out: *mut Traffic,
) -> Status {
    let read = || {
        // SAFETY: by contract.
        let cursor = unsafe { tape(t) }?;
        let ty = (type_code != 0).then(|| type_of(type_code, Site::UNKNOWN)).transpose()?;
        let operation = match operation {
            0 => Operation::Push,
            1 => Operation::Pop,
            other => {
                return Err(Error::new(
                    Status::BadArgument,
                    format!(
                        "{other} is not an operation\n  pass ADTAPE_OPERATION_PUSH (0) or ADTAPE_OPERATION_POP (1)"
                    ),
                ));
            }
        };
        cursor.traffic(ty, operation)
    };
    // SAFETY: by contract.
    status(unsafe { write_out(out, "the result", read) })
}

/// Sets all traffic and the count of slow calls to zero, and the peak to what is on the tape now.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, or a status of ownership.
/// Fortran: `call stats_reset(t)`, `call stats_reset()`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_stats_reset(t: *mut Cursor) -> Status {
    // SAFETY: by contract.
    status(unsafe { tape(t) }.and_then(Cursor::reset_stats))
}

/// Writes a report for people to a file descriptor (1 is standard output, 2 standard error): the sizes and, in
/// profile mode, the traffic by type. In Fortran it goes to standard output, past the buffer of Fortran's unit.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_BAD_ARGUMENT (negative descriptor),
/// ADTAPE_STATUS_IO, or a status of ownership.
/// Fortran: `call stats_print(t)`, `call stats_print()`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_stats_print(t: *mut Cursor, fd: i32) -> Status {
    // SAFETY: by contract.
    let report = unsafe { tape(t) }.and_then(Cursor::report);
    status(report.and_then(|report| crate::ffi::arguments::print(&report, fd)))
}

/// The name of a type as in `adtape_push_<name>`, e.g. "f64"; "unknown type" for other values. Never NULL, valid for
/// ever.
///
/// Fortran: `text = adtape_type_name(type)`.
#[unsafe(no_mangle)]
pub extern "C" fn adtape_type_name(type_code: TypeCode) -> *const c_char {
    Type::from_code(type_code).map_or(c"unknown type", Type::c_name).as_ptr()
}
