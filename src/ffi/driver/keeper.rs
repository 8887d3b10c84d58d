//! Points of a run that another library keeps: for one that runs the driver in several processes.

use crate::driver::{Keeper, ReadPoint, WritePoint};
use crate::error::{Error, Status};
use crate::ffi::arguments::{null_handle, null_pointer, text, write_if_wanted};
use crate::ffi::checkpoint::checkpoints::{CheckpointHandle, reader, writer};
use crate::ffi::checkpoint::store::{StoreHandle, shared};
use crate::ffi::driver::drivers::{Driver, driver};
use crate::ffi::outcome::status;
use crate::ffi::process::error;
use std::ffi::{c_char, c_void};

/// The point of a run, during a call of its keeper.
pub struct Point {
    /// It lives as long as the call.
    act: Act,
    is_done: bool,
}

enum Act {
    Write(*mut WritePoint<'static>),
    Read(*mut ReadPoint<'static>),
}

/// Writes a point with adtape_abi0_point_write, or reads the last one with adtape_abi0_point_read, or does neither.
/// Returns a status; adtape_error_message() says why. `finished`: the run has come to its end.
pub type PointCall = Option<unsafe extern "C" fn(point: *mut Point, finished: bool, user: *mut c_void) -> i32>;

/// The functions of the other library.
struct Calls {
    name: String,
    keep: PointCall,
    last: PointCall,
    user: *mut c_void,
}

impl Calls {
    /// Whether the function has written or read the point.
    fn call(&self, call: PointCall, act: Act, finished: bool) -> Result<bool, Error> {
        let mut point = Point { act, is_done: false };
        let call = call.ok_or_else(|| null_pointer("a function of a keeper"))?;
        // SAFETY: the library's function, called as it was promised; the point lives as long as the call.
        let code = unsafe { call(&mut point, finished, self.user) };
        match Status::from_code(code) {
            Some(Status::Ok) => Ok(point.is_done),
            status => Err(Error::new(status.unwrap_or(Status::BadArgument), error::last_message())),
        }
    }
}

impl Keeper for Calls {
    fn keep(&mut self, finished: bool, mut write: WritePoint) -> Result<bool, Error> {
        self.call(self.keep, Act::Write((&raw mut write).cast()), finished)
    }

    fn last(&mut self, mut read: ReadPoint) -> Result<bool, Error> {
        self.call(self.last, Act::Read((&raw mut read).cast()), false)
    }

    fn name(&self) -> &str {
        &self.name
    }
}

/// The points of this driver's runs are kept by `keep`, which is asked where adtape_driver_set_store would look at its
/// clock, and the last one is read by `last`, before a run begins. Snapshots that a schedule has on disk go to the store
/// as `name-step-K`. For libraries that run one schedule in several processes.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_driver_set_keeper(
    d: *mut Driver,
    store: *const StoreHandle,
    name: *const c_char,
    keep: PointCall,
    last: PointCall,
    user: *mut c_void,
) -> Status {
    let set = |driver: &Driver| {
        driver.at_rest("changed")?;
        // SAFETY: by contract.
        let (store, name) = unsafe { (shared(store)?, text(name, "the name of a run")?.to_owned()) };
        driver.driver.borrow_mut().set_keeper(store, Box::new(Calls { name, keep, last, user }))
    };
    // SAFETY: by contract.
    status(unsafe { driver(d) }.and_then(set))
}

/// Bytes of the registered state: of a snapshot.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_driver_state_bytes(d: *mut Driver, bytes: *mut i64) -> Status {
    let read = |driver: &Driver| {
        // SAFETY: by contract.
        unsafe { write_if_wanted(bytes, driver.registered.borrow().state_bytes() as i64) };
        Ok(())
    };
    // SAFETY: by contract.
    status(unsafe { driver(d) }.and_then(read))
}

/// Writes the point into a checkpoint, behind what is there.
///
/// # Safety
/// The contract of pointers in the crate's documentation; `point` is that of the call of `keep` that is going on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_point_write(point: *mut Point, c: *mut CheckpointHandle) -> Status {
    let write = || {
        // SAFETY: by contract.
        let (point, writer) = unsafe { (point_of(point)?, writer(c)?) };
        let Act::Write(write) = point.act else { return Err(wrong_call()) };
        // SAFETY: it lives as long as the call of `keep`, and nobody else uses it meanwhile.
        unsafe { (*write)(writer) }?;
        point.is_done = true;
        Ok(())
    };
    status(write())
}

/// Reads the point from a checkpoint, from the section that is next to its end.
///
/// # Safety
/// The contract of pointers in the crate's documentation; `point` is that of the call of `last` that is going on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_point_read(point: *mut Point, c: *mut CheckpointHandle) -> Status {
    let read = || {
        // SAFETY: by contract.
        let (point, reader) = unsafe { (point_of(point)?, reader(c)?) };
        let Act::Read(read) = point.act else { return Err(wrong_call()) };
        // SAFETY: it lives as long as the call of `last`, and nobody else uses it meanwhile.
        unsafe { (*read)(reader) }?;
        point.is_done = true;
        Ok(())
    };
    status(read())
}

/// # Safety
/// `point` is NULL or that of a call that is going on.
unsafe fn point_of<'a>(point: *mut Point) -> Result<&'a mut Point, Error> {
    // SAFETY: by contract.
    unsafe { point.as_mut() }.ok_or_else(|| null_handle("point", "what the keeper's function got"))
}

#[cold]
fn wrong_call() -> Error {
    Error::new(Status::BadArgument, "a point is written when it is kept, and read as the last one")
}
