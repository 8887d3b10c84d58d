//! Waypoints: places that both sweeps pass, for tests that say where a gradient goes wrong.

use crate::error::{Error, Status};
use crate::ffi::arguments::{list_of, text};
use crate::ffi::jump::with_site;
use crate::ffi::outcome::status;
use crate::ffi::tape::site::site_of;
use crate::verify::{Real, forward_at, reverse_at};
use std::ffi::c_char;

/// # Safety
/// `name` is NULL or a C string, `x` NULL or valid for `n` values that nobody else uses.
unsafe fn forward<T: Real>(name: *const c_char, n: i64, x: *mut T, site: usize) -> Status {
    let run = || -> Result<(), Error> {
        // SAFETY: by contract.
        let (name, read) = unsafe { (text(name, "a waypoint's name")?, list_of(x, n, "values of a waypoint")?) };
        let values = match read.len() {
            0 => &mut [],
            // SAFETY: not NULL, as list_of found, so valid by contract.
            count => unsafe { std::slice::from_raw_parts_mut(x, count) },
        };
        forward_at(name, values, site_of(site));
        Ok(())
    };
    status(run())
}

/// # Safety
/// `name` is NULL or a C string, `x` and `adjoint` NULL or valid for `n` values.
unsafe fn reverse<T: Real>(name: *const c_char, n: i64, x: *const T, adjoint: *const T, site: usize) -> Status {
    let run = || -> Result<(), Error> {
        // SAFETY: by contract.
        let (name, x, adjoint) = unsafe {
            (
                text(name, "a waypoint's name")?,
                list_of(x, n, "values of a waypoint")?,
                list_of(adjoint, n, "adjoints of a waypoint")?,
            )
        };
        reverse_at(name, x, adjoint, site_of(site));
        Ok(())
    };
    status(run())
}

unsafe extern "C" fn forward_f64(name: *const c_char, n: i64, x: *mut f64, site: usize) -> Status {
    // SAFETY: the contract of pointers.
    unsafe { forward(name, n, x, site) }
}

unsafe extern "C" fn forward_f32(name: *const c_char, n: i64, x: *mut f32, site: usize) -> Status {
    // SAFETY: the contract of pointers.
    unsafe { forward(name, n, x, site) }
}

unsafe extern "C" fn reverse_f64(
    name: *const c_char,
    n: i64,
    x: *const f64,
    adjoint: *const f64,
    site: usize,
) -> Status {
    // SAFETY: the contract of pointers.
    unsafe { reverse(name, n, x, adjoint, site) }
}

unsafe extern "C" fn reverse_f32(
    name: *const c_char,
    n: i64,
    x: *const f32,
    adjoint: *const f32,
    site: usize,
) -> Status {
    // SAFETY: the contract of pointers.
    unsafe { reverse(name, n, x, adjoint, site) }
}

/// A waypoint: the forward sweep, and the function that a test calls, pass it with the variable `x` of `n` values, which
/// goes by `name`. The reverse sweep passes adtape_waypoint_reverse_f64 at the same place. A gradient that fails
/// adtape_test_gradient_f64 is then searched for the two waypoints between which the adjoint becomes wrong, and the
/// report names their lines.
///
/// While a test searches it may change the values of `x` here. Else nothing happens, so waypoints can stay in a program.
/// A name stands for one variable; a place has as many waypoints as it has variables. The library keeps no address.
/// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_NULL_POINTER; ADTAPE_STATUS_COUNT_RANGE; ADTAPE_STATUS_BAD_ARGUMENT (the name
/// is not UTF-8).
/// Cost: a call; in a test also the values are read. Only waypoints of the thread that runs the test count.
/// Fortran: `call waypoint_forward(name, x)`, x a scalar or an array of real(8) or real(4).
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_waypoint_forward_f64(name: *const c_char, n: i64, x: *mut f64) -> Status {
    with_site!(3 => forward_f64)
}

/// adtape_waypoint_forward_f64 of float.
///
/// # Safety
/// As for adtape_waypoint_forward_f64.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_waypoint_forward_f32(name: *const c_char, n: i64, x: *mut f32) -> Status {
    with_site!(3 => forward_f32)
}

/// The reverse sweep passes a waypoint of the forward sweep: what stands behind that is reversed, and `adjoint` is the
/// adjoint of `x` there. `x`, name and number of values are those of the forward sweep, and waypoints come in the reverse
/// order. A report says where they do not, and where `x` has another value than in the forward sweep.
///
/// Returns and cost: as adtape_waypoint_forward_f64. Nothing is changed.
/// Fortran: `call waypoint_reverse(name, x, adjoint)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_waypoint_reverse_f64(
    name: *const c_char,
    n: i64,
    x: *const f64,
    adjoint: *const f64,
) -> Status {
    with_site!(4 => reverse_f64)
}

/// adtape_waypoint_reverse_f64 of float.
///
/// # Safety
/// As for adtape_waypoint_reverse_f64.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn adtape_waypoint_reverse_f32(
    name: *const c_char,
    n: i64,
    x: *const f32,
    adjoint: *const f32,
) -> Status {
    with_site!(4 => reverse_f32)
}
