//! Drivers: the program gives a step and its adjoint, the driver runs the loop by a schedule.

use super::schedule::schedule;
use super::{null_handle, status, write_out};
use crate::checkpoint::{CheckpointReader, CheckpointWriter};
use crate::driver::{
    Flow, Model, Progress, ProgressLine, Registered, Resumable, Resume, Snapshots, Storage, StoreStorage, Variable,
    drive, drive_resumable,
};
use crate::error::{Error, Status};
use crate::schedule::{Place, Schedule};
use std::cell::{Cell, RefCell};
use std::ffi::c_void;

/// A step of the program's loop. Returns ADTAPE_FLOW_CONTINUE, ADTAPE_FLOW_ENDED if it was the last, or
/// ADTAPE_FLOW_STOP to end the run with an error.
pub type StepCall = Option<unsafe extern "C" fn(step: u64, user: *mut c_void) -> i32>;

/// The adjoint of a step; `first` is 1 for the first of all, the loop's last step, else 0. Returns
/// ADTAPE_FLOW_CONTINUE, or ADTAPE_FLOW_STOP to end the run with an error.
pub type AdjointCall = Option<unsafe extern "C" fn(step: u64, first: i32, user: *mut c_void) -> i32>;

/// Saves or loads state `step` in `slot` of `level`, one of ADTAPE_LEVEL_…. Returns ADTAPE_FLOW_CONTINUE, or
/// ADTAPE_FLOW_STOP to end the run with an error.
pub type SnapshotCall = Option<unsafe extern "C" fn(step: u64, level: i32, slot: u64, user: *mut c_void) -> i32>;

/// Is told how far a run is; `progress` is valid during the call.
pub type ProgressCall = Option<unsafe extern "C" fn(progress: *const Progress, user: *mut c_void)>;

/// What a step returns: the loop goes on.
pub const ADTAPE_FLOW_CONTINUE: i32 = 0;
/// What a step returns: it was the loop's last.
pub const ADTAPE_FLOW_ENDED: i32 = 1;
/// What a call of the program returns to end the run with an error.
pub const ADTAPE_FLOW_STOP: i32 = 2;

/// The program's part of a driver.
#[derive(Clone, Copy)]
struct Calls {
    step: StepCall,
    adjoint_step: AdjointCall,
    record_step: StepCall,
    reverse_step: AdjointCall,
    save: SnapshotCall,
    load: SnapshotCall,
    progress: ProgressCall,
    progress_user: *mut c_void,
    show_progress: bool,
    user: *mut c_void,
}

impl Default for Calls {
    fn default() -> Calls {
        Calls {
            step: None,
            adjoint_step: None,
            record_step: None,
            reverse_step: None,
            save: None,
            load: None,
            progress: None,
            progress_user: std::ptr::null_mut(),
            show_progress: false,
            user: std::ptr::null_mut(),
        }
    }
}

/// A driver. Runs of one driver do not nest, because they would share its snapshots; runs of two do.
#[derive(Default)]
pub struct Driver {
    calls: Cell<Calls>,
    /// What adtape saves by itself.
    pub(super) registered: RefCell<Registered>,
    pub(super) snapshots: RefCell<Snapshots>,
    pub(super) resume: RefCell<Option<Resume>>,
    running: Cell<bool>,
}

impl Driver {
    fn change(&self, change: impl FnOnce(&mut Calls)) -> Result<(), Error> {
        self.at_rest("changed")?;
        let mut calls = self.calls.get();
        change(&mut calls);
        self.calls.set(calls);
        Ok(())
    }

    pub(super) fn at_rest(&self, what: &str) -> Result<(), Error> {
        if !self.running.get() {
            return Ok(());
        }
        Err(Error::new(
            Status::BadArgument,
            format!("the driver is {what} while it runs\n  a step that is a loop itself takes a driver of its own"),
        ))
    }

    fn run(&self, schedule: &mut Schedule) -> Result<(), Error> {
        self.at_rest("run")?;
        self.running.set(true);
        let calls = self.calls.get();
        let mut line = calls.show_progress.then(ProgressLine::default);
        let tell = |progress: &Progress| {
            if let Some(line) = &mut line {
                line.show(progress);
            }
            if let Some(call) = calls.progress {
                // SAFETY: the program's function, called as it was promised.
                unsafe { call(progress, calls.progress_user) }
            }
        };
        let mut program = Program { driver: self, calls };
        let result = match &mut *self.resume.borrow_mut() {
            None => drive(schedule, &mut program, tell),
            Some(resume) => drive_resumable(schedule, &mut program, resume, tell),
        };
        self.running.set(false);
        result.map(drop)
    }

    /// The point of a run that came to its end in this process is of no more use.
    fn remove_point(&self) -> Result<(), Error> {
        match &mut *self.resume.borrow_mut() {
            Some(resume) if resume.is_finished() => resume.remove(),
            _ => Ok(()),
        }
    }
}

/// The model behind the program's functions.
struct Program<'a> {
    driver: &'a Driver,
    calls: Calls,
}

#[cold]
fn missing(what: &str, call: &str) -> Error {
    Error::new(Status::NullPointer, format!("the driver has no function for {what}\n  give it one by {call}"))
}

fn flow(code: i32, what: &str, step: u64) -> Result<Flow, Error> {
    match code {
        ADTAPE_FLOW_CONTINUE => Ok(Flow::Continue),
        ADTAPE_FLOW_ENDED => Ok(Flow::Ended),
        ADTAPE_FLOW_STOP => {
            Err(Error::new(Status::Stopped, format!("the program stopped the run in the {what} of step {step}")))
        }
        other => Err(Error::new(
            Status::BadArgument,
            format!("{what} of step {step} returned {other}\n  return one of ADTAPE_FLOW_…, 0 to 2"),
        )),
    }
}

impl Program<'_> {
    /// Calls a function of the program; or, if there is none, does what is to be done with the registered state.
    fn snapshot(
        &self,
        call: SnapshotCall,
        what: &str,
        step: u64,
        place: Place,
        own: impl FnOnce(&mut dyn Storage, &[Variable]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if let Some(call) = call {
            // SAFETY: the program's function, called as it was promised.
            let code = unsafe { call(step, place.level as i32, place.slot, self.calls.user) };
            return flow(code, what, step).map(drop);
        }
        let registered = self.driver.registered.borrow();
        if registered.state().is_empty() {
            return Err(missing(what, "adtape_driver_set_snapshots, or register the state by adtape_driver_register"));
        }
        own(self.driver.snapshots.borrow_mut().storage(place), registered.state())
    }
}

impl Model for Program<'_> {
    fn step(&mut self, step: u64) -> Result<Flow, Error> {
        let call = self.calls.step.ok_or_else(|| missing("a step", "adtape_driver_set_steps"))?;
        // SAFETY: the program's function, called as it was promised.
        flow(unsafe { call(step, self.calls.user) }, "step", step)
    }

    fn adjoint_step(&mut self, step: u64, first: bool) -> Result<(), Error> {
        let call = self.calls.adjoint_step.ok_or_else(|| missing("an adjoint step", "adtape_driver_set_steps"))?;
        // SAFETY: as above.
        flow(unsafe { call(step, first.into(), self.calls.user) }, "adjoint step", step).map(drop)
    }

    fn save(&mut self, step: u64, place: Place) -> Result<(), Error> {
        self.snapshot(self.calls.save, "save", step, place, |storage, state| storage.save(step, place, state))
    }

    fn load(&mut self, step: u64, place: Place) -> Result<(), Error> {
        self.snapshot(self.calls.load, "load", step, place, |storage, state| storage.load(step, place, state))
    }

    fn forget(&mut self, step: u64, place: Place) -> Result<(), Error> {
        match self.calls.save {
            Some(_) => Ok(()),
            None => self.driver.snapshots.borrow_mut().storage(place).forget(step, place),
        }
    }

    fn state_number(&mut self) -> Option<u64> {
        let registered = self.driver.registered.borrow();
        // What the program saves itself may be more than what is registered.
        let all = self.calls.save.is_none() && !registered.state().is_empty();
        all.then(|| registered.fingerprint())
    }

    fn record_step(&mut self, step: u64) -> Result<Flow, Error> {
        let call = self.calls.record_step.ok_or_else(|| missing("a recorded step", "adtape_driver_set_records"))?;
        // SAFETY: as above.
        flow(unsafe { call(step, self.calls.user) }, "recorded step", step)
    }

    fn reverse_step(&mut self, step: u64, first: bool) -> Result<(), Error> {
        let call = self.calls.reverse_step.ok_or_else(|| missing("a reversed step", "adtape_driver_set_records"))?;
        // SAFETY: as above.
        flow(unsafe { call(step, first.into(), self.calls.user) }, "reversed step", step).map(drop)
    }
}

impl Resumable for Program<'_> {
    fn fingerprint(&mut self) -> Result<u64, Error> {
        if self.calls.save.is_some() || self.calls.load.is_some() {
            return Err(Error::new(
                Status::BadArgument,
                "the program stores its snapshots itself, so its run cannot be resumed\n  register the state instead",
            ));
        }
        Ok(self.driver.registered.borrow().fingerprint())
    }

    fn keep(&mut self, point: &mut CheckpointWriter) -> Result<(), Error> {
        self.driver.registered.borrow().write(point)?;
        self.driver.snapshots.borrow().memory.write(point)
    }

    fn resume(&mut self, point: &mut CheckpointReader) -> Result<(), Error> {
        self.driver.registered.borrow().read(point)?;
        self.driver.snapshots.borrow_mut().memory.read(point)
    }

    fn kept(&mut self) -> Result<(), Error> {
        self.driver.snapshots.borrow_mut().disk.as_mut().map_or(Ok(()), StoreStorage::kept)
    }

    fn keep_only(&mut self, steps: &[u64]) -> Result<(), Error> {
        self.driver.snapshots.borrow_mut().disk.as_mut().map_or(Ok(()), |disk| disk.keep_only(steps))
    }
}

/// # Safety
/// `d` is NULL or a driver.
pub(super) unsafe fn driver<'a>(d: *const Driver) -> Result<&'a Driver, Error> {
    // SAFETY: by contract.
    unsafe { d.as_ref() }.ok_or_else(|| null_handle("driver", "what adtape_driver_create returned"))
}

/// Makes a driver without functions and state. Undone by adtape_driver_destroy. Used by one thread at a time.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_POINTER.
/// Fortran: `call driver_create(driver)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_create(out: *mut *mut Driver) -> Status {
    // SAFETY: by contract.
    status(unsafe { write_out(out, "the new handle", || Ok(Box::into_raw(Box::default()))) })
}

/// Releases a driver that is not running, with its snapshots, and with what it left in a store to be resumed if its run
/// came to the end. NULL is allowed and does nothing.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_BAD_ARGUMENT if it is running, or ADTAPE_STATUS_IO (what is in the store
/// cannot be removed; the driver is released).
/// Fortran: `call driver_destroy(driver)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation; the handle is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_destroy(d: *mut Driver) -> Status {
    if d.is_null() {
        return Status::Ok;
    }
    // SAFETY: by contract.
    status(unsafe { driver(d) }.and_then(|driver| driver.at_rest("freed")).and_then(|()| {
        // SAFETY: it came from Box::into_raw in adtape_driver_create.
        unsafe { Box::from_raw(d) }.remove_point()
    }))
}

/// Gives the driver the loop: `step` runs a step and records nothing; `adjoint_step` runs it with recording and
/// then its adjoint, both sweeps. Steps count from 0. `user` is handed to every function of the program but the
/// progress function.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, or ADTAPE_STATUS_BAD_ARGUMENT if the driver is running.
/// Fortran: `call driver_set_steps(driver, step, adjoint_step, user)` with `bind(c)` functions; `user` is optional.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_set_steps(
    d: *mut Driver,
    step: StepCall,
    adjoint_step: AdjointCall,
    user: *mut c_void,
) -> Status {
    // SAFETY: by contract.
    status(unsafe { driver(d) }.and_then(|driver| {
        driver.change(|calls| (calls.step, calls.adjoint_step, calls.user) = (step, adjoint_step, user))
    }))
}

/// Gives the driver what mixed schedules and store-all need besides: `record_step` runs a step with recording and
/// leaves the record on the tape; `reverse_step` runs the adjoint of the step that was recorded last.
///
/// Returns as adtape_driver_set_steps. Fortran: `call driver_set_records(driver, record_step, reverse_step)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_set_records(
    d: *mut Driver,
    record_step: StepCall,
    reverse_step: AdjointCall,
) -> Status {
    // SAFETY: by contract.
    status(unsafe { driver(d) }.and_then(|driver| {
        driver.change(|calls| (calls.record_step, calls.reverse_step) = (record_step, reverse_step))
    }))
}

/// The program stores its state itself: `save` and `load` get the level and the slot. NULL for both: adtape stores
/// what is registered.
///
/// Returns as adtape_driver_set_steps. Fortran: `call driver_set_snapshots(driver, save, load)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_set_snapshots(d: *mut Driver, save: SnapshotCall, load: SnapshotCall) -> Status {
    // SAFETY: by contract.
    status(unsafe { driver(d) }.and_then(|driver| driver.change(|calls| (calls.save, calls.load) = (save, load))))
}

/// `progress` is called after each step and action with how much is done, and with `user`; NULL for none.
///
/// Returns as adtape_driver_set_steps. Fortran: `call driver_set_progress(driver, progress, user)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_set_progress(
    d: *mut Driver,
    progress: ProgressCall,
    user: *mut c_void,
) -> Status {
    // SAFETY: by contract.
    status(
        unsafe { driver(d) }
            .and_then(|driver| driver.change(|calls| (calls.progress, calls.progress_user) = (progress, user))),
    )
}

/// Whether a run shows a line on standard error that says how far it is and how long it will take, where standard
/// error is a terminal. Off by default.
///
/// Returns as adtape_driver_set_steps. Fortran: `call driver_show_progress(driver, on)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_show_progress(d: *mut Driver, on: bool) -> Status {
    // SAFETY: by contract.
    status(unsafe { driver(d) }.and_then(|driver| driver.change(|calls| calls.show_progress = on)))
}

/// Runs the loop and its adjoint by the schedule, to its end. State 0 is present before. Drivers nest: an adjoint
/// step may run another driver.
///
/// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_NULL_HANDLE; ADTAPE_STATUS_NULL_POINTER (a function that the schedule needs
/// is missing); ADTAPE_STATUS_STOPPED (a function of the program returned ADTAPE_FLOW_STOP); ADTAPE_STATUS_BAD_ARGUMENT
/// (the driver is running; a function returned no flow; the schedule stores on disk and there is no store);
/// ADTAPE_STATUS_OUT_OF_MEMORY; what adtape_driver_set_resume says; in check mode ADTAPE_STATUS_MISMATCH (a step that is
/// run again led to another registered state than before: it reads something that is not registered). After a failure
/// the schedule is of no further use.
///
/// In check mode (ADTAPE_CHECK=1) the steps from each snapshot that is loaded to the next turn are run once more, and
/// registered states are compared wherever they are computed again.
/// Cost: that of the program's functions; a save or load of registered state copies it once.
/// Fortran: `call driver_run(driver, schedule)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_run(d: *mut Driver, s: *mut Schedule) -> Status {
    // SAFETY: by contract.
    status(unsafe { driver(d).and_then(|driver| driver.run(schedule(s)?)) })
}
