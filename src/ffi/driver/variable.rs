//! Variables of a driver: what it saves by itself, and where to.

use crate::driver::{Role, schedule_within};
use crate::error::{Error, Status};
use crate::ffi::arguments::{TypeCode, null_pointer, number, text_or_none};
use crate::ffi::checkpoint::store::{StoreHandle, shared};
use crate::ffi::driver::drivers::{Driver, Watched, driver};
use crate::ffi::handles::create;
use crate::ffi::outcome::status;
use crate::ffi::tape::section::section_of;
use crate::schedule::Schedule;
use std::ffi::{c_char, c_void};
use std::time::Duration;

/// What a registered variable is: state, which steps read and change. It is saved in snapshots.
pub const ADTAPE_ROLE_STATE: i32 = 0;
/// What a registered variable is: an adjoint or another result of adjoint steps. It is kept for a run that is resumed.
pub const ADTAPE_ROLE_ADJOINT: i32 = 1;
/// What a registered variable is: a parameter or forcing, which steps read and never change. A run that is resumed is
/// refused if it has other values.
pub const ADTAPE_ROLE_PARAMETER: i32 = 2;
/// Added to a role: `base` is the address of the program's pointer variable that leads to the first value. A run that
/// finds it leading elsewhere ends with ADTAPE_STATUS_MISMATCH.
pub const ADTAPE_ROLE_POINTER: i32 = 16;

fn role_of(code: i32) -> Result<Role, Error> {
    match code {
        ADTAPE_ROLE_STATE => Ok(Role::State),
        ADTAPE_ROLE_ADJOINT => Ok(Role::Adjoint),
        ADTAPE_ROLE_PARAMETER => Ok(Role::Parameter),
        _ => Err(Error::new(Status::BadArgument, format!("{code} is no role\n  pass one of ADTAPE_ROLE_…"))),
    }
}

/// Registers a variable, which adtape saves and loads by itself. All of what a step reads and an earlier step wrote has
/// to be registered as state. The memory is the program's and stays where it is until the driver is destroyed;
/// registered parts do not overlap.
///
/// `role` is ADTAPE_ROLE_STATE, or ADTAPE_ROLE_ADJOINT for what adjoint steps compute and add to: adjoints of the state
/// and of parameters, or ADTAPE_ROLE_PARAMETER for what steps read and never change: parameters, forcings, options.
/// Only a run that can be resumed needs the latter two (adtape_driver_set_store). A parameter is neither saved nor
/// written to: a run that is to go on with another value than it began with is refused, and says which parameter
/// differs. Added to a role, ADTAPE_ROLE_POINTER says that `base` is the address of a pointer variable, of whatever type,
/// which leads to the first value and lives until the driver is destroyed: programs swap buffers or allocate an array
/// anew, and the driver would go on to save and load the old memory. It compares the pointer with what that was before
/// each save, load and point, and ends a run with ADTAPE_STATUS_MISMATCH if they differ. In a store state and adjoints are sections of a checkpoint, like those that adtape_checkpoint_write_section writes,
/// and are read back only into the like. `name` is that of the section; it has 1 to 1000 bytes and is that of no other
/// variable of the driver; NULL for `state-0`, `state-1`, …, `adjoint-0`, …, `parameter-0`, …. `type_code`, `base`,
/// `rank`, `extents` and `strides_bytes` are those of adtape_push_section; `strides_bytes` NULL stands for elements one
/// behind the other. Values of a type that adtape does not know are bytes (ADTAPE_TYPE_BYTES), along a first dimension.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_COUNT_RANGE, or
/// ADTAPE_STATUS_BAD_ARGUMENT (role, name, type or shape make no sense; it overlaps with another part; the driver is
/// running). Sections with gaps are not checked for overlaps.
/// Fortran: `call driver_register(driver, x, name)`, `call driver_register_adjoint(driver, x, name)`,
/// `call driver_register_parameter(driver, x, name)`: any variable that is a target; `name` is optional.
/// `call driver_watch(driver, x)`, behind one of them: an allocatable or pointer array, as ADTAPE_ROLE_POINTER.
///
/// # Safety
/// The contract of pointers in the crate's documentation; the section is writable during runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_register(
    d: *mut Driver,
    role: i32,
    name: *const c_char,
    type_code: TypeCode,
    base: *mut c_void,
    rank: i32,
    extents: *const i64,
    strides_bytes: *const i64,
) -> Status {
    let register = |driver: &Driver| {
        let pointer = (role & ADTAPE_ROLE_POINTER != 0).then_some(base.cast::<usize>());
        if pointer.is_some_and(|pointer| pointer.is_null()) {
            return Err(null_pointer("the pointer variable"));
        }
        // SAFETY: by contract.
        let base = pointer.map_or(base, |pointer| unsafe { pointer.read_unaligned() } as *mut c_void);
        // SAFETY: by contract.
        let section = unsafe { section_of(type_code, base, rank, extents, strides_bytes) }?;
        // SAFETY: by contract.
        let name = unsafe { text_or_none(name, "the name of a variable") }?;
        driver.at_rest("changed")?;
        let name = driver.registered.borrow_mut().add(role_of(role & !ADTAPE_ROLE_POINTER)?, name, section)?;
        if let Some(pointer) = pointer {
            // SAFETY: by contract it is readable until the driver is destroyed.
            driver.watched.borrow_mut().push(unsafe { Watched::new(pointer, &name, base as usize) });
        }
        Ok(())
    };
    // SAFETY: by contract.
    status(unsafe { driver(d) }.and_then(register))
}

/// Watches a pointer variable that leads to the beginning of a registered variable without gaps, as
/// ADTAPE_ROLE_POINTER does. For libraries that have the address of a variable's own descriptor.
///
/// # Safety
/// The contract of pointers in the crate's documentation; the pointer variable is readable until the driver is
/// destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_driver_watch(d: *mut Driver, pointer: *const c_void) -> Status {
    let watch = |driver: &Driver| {
        driver.at_rest("changed")?;
        let pointer = pointer.cast::<usize>();
        if pointer.is_null() {
            return Err(null_pointer("the pointer variable"));
        }
        // SAFETY: by contract.
        let base = unsafe { pointer.read_unaligned() };
        let registered = driver.registered.borrow();
        let name = registered.name_at(base).ok_or_else(|| {
            Error::new(
                Status::BadArgument,
                format!("the pointer leads to 0x{base:x}, where no registered variable begins\n  register it first"),
            )
        })?;
        // SAFETY: by contract it is readable until the driver is destroyed.
        driver.watched.borrow_mut().push(unsafe { Watched::new(pointer, name, base) });
        Ok(())
    };
    // SAFETY: by contract.
    status(unsafe { driver(d) }.and_then(watch))
}

/// Snapshots of registered state that a schedule has on disk go to the store. It may be destroyed before the driver.
/// NULL: such schedules are refused.
///
/// `name` is NULL: the snapshots have names of their own; any number of drivers can share one store. Runs cannot be
/// resumed; `interval_seconds` is then ignored.
///
/// With a `name`, runs go on after their process was killed. Every `interval_seconds`, and so seldom that it takes a
/// tenth of the time at most, the driver leaves a checkpoint of that name in the store: the registered state and
/// adjoints as they are between two steps, the snapshots in memory, and how far the run is. adtape_driver_run, called
/// in a new process with a new schedule like the first one and the same initial state, finds it and goes on from there;
/// the result is the same, bit for bit, if steps compute the same when they are run again. A checkpoint replaces the
/// one before as a whole: a process killed at any moment leaves one or the other. Snapshots that the schedule has on
/// disk are called `name-step-K`.
///
/// `name` has letters, digits, '-', '_' and '.', 74 at most, and is used by no other run in the store. With an interval
/// of 0 there is a checkpoint after every step. Only a store of files, with the name of a run, outlives a process.
/// After a run that came to its end the checkpoint stays until the driver is destroyed, so that a process killed before
/// it has used the result does not compute it again. Several processes that exchange data within a step would not go on
/// from the same step: they cannot be resumed in this way.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, or ADTAPE_STATUS_BAD_ARGUMENT (the driver is running; a name or
/// an interval that makes no sense).
/// With a name adtape_driver_run returns besides: ADTAPE_STATUS_MISMATCH (the checkpoint is of a run with another
/// schedule, another initial state, other parameters or other variables: what differs is said), ADTAPE_STATUS_DAMAGED,
/// ADTAPE_STATUS_OTHER_VERSION, ADTAPE_STATUS_NOT_FOUND (a snapshot on disk is gone), ADTAPE_STATUS_IO;
/// ADTAPE_STATUS_BAD_ARGUMENT if functions of the program save and load. Nothing was computed then, and
/// adtape_store_remove of the checkpoint lets the run begin anew. ADTAPE_STATUS_MISMATCH also comes later, at a
/// checkpoint, if a parameter has changed since the run began.
/// Cost: of each checkpoint one write of all registered variables and all snapshots in memory; to go on, one read and
/// the schedule's actions up to there, some ns each. While one is written there are two in the store.
/// Fortran: `call driver_set_store(driver, store, name, interval_seconds)`, the last two optional.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_set_store(
    d: *mut Driver,
    store: *const StoreHandle,
    name: *const c_char,
    interval_seconds: f64,
) -> Status {
    let set = |driver: &Driver| {
        driver.at_rest("changed")?;
        let mut driver = driver.driver.borrow_mut();
        // SAFETY: by contract.
        let store = (!store.is_null()).then(|| unsafe { shared(store) }).transpose()?;
        // SAFETY: by contract.
        let (Some(store), Some(name)) = (store.clone(), unsafe { text_or_none(name, "the name of a run") }?) else {
            driver.set_store(store);
            return Ok(());
        };
        let interval = Duration::try_from_secs_f64(interval_seconds).map_err(|_| {
            Error::new(
                Status::BadArgument,
                format!("{interval_seconds} seconds are no interval\n  pass a number of seconds, 0 or more"),
            )
        })?;
        driver.set_resume(store, name, interval)
    };
    // SAFETY: by contract.
    status(unsafe { driver(d) }.and_then(set))
}

/// Makes the best schedule in memory for the registered state and `budget_bytes`: binomial for `steps` steps, or, if
/// `steps` is 0, online for a loop whose length is not known. Undone by adtape_schedule_destroy.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER,
/// ADTAPE_STATUS_COUNT_RANGE, or ADTAPE_STATUS_BAD_ARGUMENT (nothing is registered, or it does not fit into the
/// budget).
/// Fortran: `call driver_create_schedule(driver, steps, budget_bytes, schedule)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_create_schedule(
    d: *mut Driver,
    steps: i64,
    budget_bytes: i64,
    out: *mut *mut Schedule,
) -> Status {
    let choose = || {
        // SAFETY: by contract.
        let bytes = unsafe { driver(d) }?.registered.borrow().state_bytes();
        let (steps, budget) = (number(steps, "steps")?, number(budget_bytes, "bytes")?);
        schedule_within(bytes, (steps > 0).then_some(steps), budget)
    };
    // SAFETY: by contract.
    unsafe { create(out, "the new schedule", choose) }
}
