//! Variables of a driver: what it saves by itself, and where to.

use super::driver::{Driver, driver};
use super::schedule::make;
use super::section::section_of;
use super::store::{StoreHandle, shared};
use super::{TypeCode, null_pointer, status, text, text_or_none, write_out};
use crate::driver::{Resume, Role, StoreStorage};
use crate::error::{Error, Status};
use crate::schedule::Schedule;
use crate::tape::{Section, Type};
use std::ffi::{c_char, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What a registered variable is: state, which steps read and change. It is saved in snapshots.
pub const ADTAPE_ROLE_STATE: i32 = 0;
/// What a registered variable is: an adjoint or another result of adjoint steps. It is kept for a run that is resumed.
pub const ADTAPE_ROLE_ADJOINT: i32 = 1;

fn role_of(code: i32) -> Result<Role, Error> {
    match code {
        ADTAPE_ROLE_STATE => Ok(Role::State),
        ADTAPE_ROLE_ADJOINT => Ok(Role::Adjoint),
        _ => Err(Error::new(Status::BadArgument, format!("{code} is no role\n  pass one of ADTAPE_ROLE_…"))),
    }
}

/// Registers `bytes` bytes of state at `address`: adtape saves and loads them by itself. All of what a step reads and
/// an earlier step wrote has to be registered. The memory is the program's and stays where it is until the driver is
/// freed; registered parts do not overlap. In a store it is the section `state-0`, `state-1`, …, of bytes.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_COUNT_RANGE, or
/// ADTAPE_STATUS_BAD_ARGUMENT (it overlaps with another part; the driver is running).
/// Fortran: `call driver_register(driver, x)`, any variable that is a target; it is registered as a section.
///
/// # Safety
/// The contract of pointers in the crate's documentation; the memory is writable during runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_register(d: *mut Driver, address: *mut c_void, bytes: u64) -> Status {
    // SAFETY: by contract.
    status(unsafe { register_bytes(d, Role::State, address, bytes) })
}

/// Registers `bytes` bytes at `address` of what adjoint steps compute and add to: adjoints of the state and of
/// parameters. Only a run that can be resumed needs them (adtape_driver_set_resume). In a store it is the section
/// `adjoint-0`, `adjoint-1`, …, of bytes. Otherwise as adtape_driver_register.
///
/// Fortran: `call driver_register_adjoint(driver, x)`, any variable that is a target; it is registered as a section.
///
/// # Safety
/// The contract of pointers in the crate's documentation; the memory is writable during runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_register_adjoint(d: *mut Driver, address: *mut c_void, bytes: u64) -> Status {
    // SAFETY: by contract.
    status(unsafe { register_bytes(d, Role::Adjoint, address, bytes) })
}

/// # Safety
/// As for adtape_driver_register.
unsafe fn register_bytes(d: *mut Driver, role: Role, address: *mut c_void, bytes: u64) -> Result<(), Error> {
    // SAFETY: by contract.
    let driver = unsafe { driver(d) }?;
    driver.at_rest("changed")?;
    if bytes == 0 {
        return Ok(());
    }
    if address.is_null() {
        return Err(null_pointer("the state"));
    }
    let begin = address as usize;
    let end = usize::try_from(bytes).ok().and_then(|bytes| begin.checked_add(bytes));
    let Some(end) = end.filter(|end| *end <= isize::MAX as usize) else {
        return Err(Error::new(
            Status::CountRange,
            format!("state of {bytes} bytes at 0x{begin:x} does not fit into the address space"),
        ));
    };
    // SAFETY: writable by contract.
    let section = unsafe { Section::new(Type::Bytes, address.cast(), &[bytes as i64], &[1]) }?;
    driver.registered.borrow_mut().add(role, None, section, Some((begin, end)))
}

/// Registers a variable by name, type and shape: in a store it is a section of a checkpoint like those that
/// adtape_checkpoint_write_section writes, and it is read back only into the like.
///
/// `role` is ADTAPE_ROLE_STATE (see adtape_driver_register) or ADTAPE_ROLE_ADJOINT (see
/// adtape_driver_register_adjoint). `name` has 1 to 1000 bytes and is that of no other variable of the driver; NULL for
/// the role and a number. `type_code`, `base`, `rank`, `extents` and `strides_bytes` are those of adtape_push_section;
/// elements of a type that adtape does not know are bytes, along a first dimension.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_COUNT_RANGE, or
/// ADTAPE_STATUS_BAD_ARGUMENT (role, name, type or shape make no sense; it overlaps with another part; the driver is
/// running). Sections with gaps are not checked for overlaps.
/// Fortran: `call driver_register(driver, x, name)`, `call driver_register_adjoint(driver, x, name)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation; the section is writable during runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_register_section(
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
        // SAFETY: by contract.
        let section = unsafe { section_of(type_code, base, rank, extents, strides_bytes) }?;
        // SAFETY: by contract.
        let name = unsafe { text_or_none(name, "the name of a variable") }?;
        if name.is_some_and(|name| !(1..=1000).contains(&name.len())) {
            return Err(Error::new(
                Status::BadArgument,
                "a variable's name has no bytes, or too many\n  give 1 to 1000",
            ));
        }
        let bytes = section.count() * section.ty().bytes();
        let dense = section.is_dense().then(|| (base as usize, base as usize + bytes));
        driver.at_rest("changed")?;
        driver.registered.borrow_mut().add(role_of(role)?, name, section, dense)
    };
    // SAFETY: by contract.
    status(unsafe { driver(d) }.and_then(register))
}

/// Snapshots of registered state that a schedule has on disk go to the store, under names of their own: any number of
/// drivers can share one. The store may be freed before the driver. NULL: such schedules are refused.
///
/// Replaces the store of adtape_driver_set_resume, after which the run cannot be resumed.
///
/// Returns as adtape_driver_set_steps. Fortran: `call driver_set_store(driver, store)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_set_store(d: *mut Driver, store: *const StoreHandle) -> Status {
    static DRIVERS: AtomicU64 = AtomicU64::new(0);
    let set = |driver: &Driver| {
        driver.at_rest("changed")?;
        // SAFETY: by contract.
        let store = (!store.is_null()).then(|| unsafe { shared(store) }).transpose()?;
        let prefix = format!("driver-{}", DRIVERS.fetch_add(1, Ordering::Relaxed));
        driver.snapshots.borrow_mut().disk = store.map(|store| StoreStorage::new(store, prefix));
        driver.resume.take();
        Ok(())
    };
    // SAFETY: by contract.
    status(unsafe { driver(d) }.and_then(set))
}

/// Makes runs that go on after their process was killed. Every `interval_seconds`, and so seldom that it takes a tenth
/// of the time at most, the driver leaves a checkpoint called `name` in the store: the registered state and adjoints as
/// they are between two steps, the snapshots in memory, and how far the run is. adtape_driver_run, called in a new
/// process with a new schedule like the first one and the same initial state, finds it and goes on from there; the
/// result is the same, bit for bit, if steps compute the same when they are run again. Snapshots that the schedule has
/// on disk go to the same store, as `name-step-K`.
///
/// `name` has letters, digits, '-', '_' and '.', 74 at most, and is used by no other run in the store. With an interval
/// of 0 there is a checkpoint after every step. The store may be freed before the driver; only one of files, with the
/// name of a run, outlives a process. After a run that came to its end the checkpoint stays until the driver is freed,
/// so that a process killed before it has used the result does not compute it again. Several processes that exchange
/// data within a step would not go on from the same step: they cannot be resumed in this way.
/// `store` is NULL: runs cannot be resumed.
///
/// Returns as adtape_driver_set_steps, and ADTAPE_STATUS_BAD_ARGUMENT also for a name or an interval that makes no
/// sense.
/// adtape_driver_run returns besides: ADTAPE_STATUS_MISMATCH (the checkpoint is of a run with another schedule, another
/// initial state or other variables: what differs is said), ADTAPE_STATUS_DAMAGED, ADTAPE_STATUS_OTHER_VERSION,
/// ADTAPE_STATUS_NOT_FOUND (a snapshot on disk is gone), ADTAPE_STATUS_IO; ADTAPE_STATUS_BAD_ARGUMENT if functions of
/// the program save and load. Nothing was computed then, and adtape_store_remove of the checkpoint lets the run begin
/// anew.
/// Cost: of each checkpoint one write of all registered variables and all snapshots in memory; to go on, one read and
/// the schedule's actions up to there, some ns each. While one is written there are two in the store.
/// Fortran: `call driver_set_resume(driver, store, name, interval_seconds)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_set_resume(
    d: *mut Driver,
    store: *const StoreHandle,
    name: *const c_char,
    interval_seconds: f64,
) -> Status {
    let set = |driver: &Driver| {
        driver.at_rest("changed")?;
        if store.is_null() {
            driver.resume.take();
            driver.snapshots.borrow_mut().disk = None;
            return Ok(());
        }
        // SAFETY: by contract.
        let (store, name) = unsafe { (shared(store)?, text(name, "the name of a run")?) };
        let interval = Duration::try_from_secs_f64(interval_seconds).map_err(|_| {
            Error::new(
                Status::BadArgument,
                format!("{interval_seconds} seconds are no interval\n  pass a number of seconds, 0 or more"),
            )
        })?;
        let resume = Resume::new(store.clone(), name, interval)?;
        driver.snapshots.borrow_mut().disk = Some(StoreStorage::lasting(store, name));
        *driver.resume.borrow_mut() = Some(resume);
        Ok(())
    };
    // SAFETY: by contract.
    status(unsafe { driver(d) }.and_then(set))
}

/// Makes the best schedule in memory for the registered state and `budget_bytes`: binomial for `steps` steps, or, if
/// `steps` is 0, online for a loop whose length is not known. Undone by adtape_schedule_destroy.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, or
/// ADTAPE_STATUS_BAD_ARGUMENT (nothing is registered, or it does not fit into the budget).
/// Fortran: `call driver_create_schedule(driver, steps, budget_bytes, schedule)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_create_schedule(
    d: *mut Driver,
    steps: u64,
    budget_bytes: u64,
    out: *mut *mut Schedule,
) -> Status {
    let choose = || {
        // SAFETY: by contract.
        let bytes = unsafe { driver(d) }?.registered.borrow().state_bytes();
        let snapshots = budget_bytes.checked_div(bytes).unwrap_or(0);
        if snapshots == 0 {
            let [state, budget] = [bytes, budget_bytes].map(crate::error::bytes);
            return Err(Error::new(
                Status::BadArgument,
                format!(
                    "no snapshot of the registered state, {state}, fits into {budget}\n  \
                     register the state first, and allow at least its size"
                ),
            ));
        }
        if steps == 0 { Schedule::online(snapshots) } else { Schedule::binomial(steps, snapshots) }
    };
    // SAFETY: by contract.
    unsafe { make(out, choose) }
}

/// Memory that the driver's snapshots of registered state take, in bytes: the most of its runs so far, as buffers are
/// kept for the next one. What lies in a store does not count.
///
/// On failure `*bytes` is as before. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, or
/// ADTAPE_STATUS_NULL_POINTER.
/// Fortran: `call driver_snapshot_bytes(driver, bytes)`, an `integer(8)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_snapshot_bytes(d: *const Driver, bytes: *mut i64) -> Status {
    // SAFETY: by contract.
    status(unsafe {
        write_out(bytes, "the number of bytes", || Ok(driver(d)?.snapshots.borrow().memory.bytes() as i64))
    })
}
