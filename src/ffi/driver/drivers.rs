//! Drivers: the program gives a step and its adjoint, the driver runs the loop by a schedule.

use crate::driver::{self, Flow, Program, Progress, Registered, Variable};
use crate::error::{Error, Status};
use crate::ffi::arguments::{null_handle, null_pointer, write_if_wanted};
use crate::ffi::driver::schedule::schedule;
use crate::ffi::handles::create;
use crate::ffi::outcome::status;
use crate::schedule::{Place, Schedule};
use std::cell::{Cell, RefCell};
use std::ffi::c_void;

/// A step of the program's loop. Returns ADTAPE_FLOW_CONTINUE, ADTAPE_FLOW_ENDED if it was the last, or
/// ADTAPE_FLOW_STOP to end the run with an error.
pub type StepCall = Option<unsafe extern "C" fn(step: i64, user: *mut c_void) -> i32>;

/// The adjoint of a step; `first` is true for the first of all, the loop's last step. Returns
/// ADTAPE_FLOW_CONTINUE, or ADTAPE_FLOW_STOP to end the run with an error.
pub type AdjointCall = Option<unsafe extern "C" fn(step: i64, first: bool, user: *mut c_void) -> i32>;

/// Saves or loads state `step` in `slot` of `level`, one of ADTAPE_LEVEL_…. Returns ADTAPE_FLOW_CONTINUE, or
/// ADTAPE_FLOW_STOP to end the run with an error.
pub type SnapshotCall = Option<unsafe extern "C" fn(step: i64, level: i32, slot: i64, user: *mut c_void) -> i32>;

/// Gets how far a run is; `progress` is valid during the call.
pub type ProgressCall = Option<unsafe extern "C" fn(progress: *const Progress, user: *mut c_void)>;

/// What a step returns: the loop goes on.
pub const ADTAPE_FLOW_CONTINUE: i32 = 0;
/// What a step returns: it was the loop's last.
pub const ADTAPE_FLOW_ENDED: i32 = 1;
/// What a call of the program returns to end the run with an error.
pub const ADTAPE_FLOW_STOP: i32 = 2;

/// The program's functions for a driver; NULL for those that its schedules do not need.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct DriverCalls {
    /// Runs a step and records nothing. Steps count from 0.
    pub step: StepCall,
    /// Runs a step with recording and then its adjoint, both sweeps.
    pub adjoint_step: AdjointCall,
    /// MIXED and STORE_ALL: runs a step with recording and leaves the record on the tape.
    pub record_step: StepCall,
    /// MIXED and STORE_ALL: runs the adjoint of the step that was recorded last.
    pub reverse_step: AdjointCall,
    /// Stores the present state. Both NULL, of this and the next: adtape stores what is registered. A schedule with
    /// snapshots on disk needs both, or a store.
    pub save: SnapshotCall,
    /// Brings a stored state back.
    pub load: SnapshotCall,
    /// Called after each step and action with how much is done.
    pub progress: ProgressCall,
    /// Whether a run shows a line on standard error that says how far it is and how long it will take: a line that changes
    /// where standard error is a terminal, else a new one each minute, and one where a run goes on that was killed.
    pub show_progress: bool,
}

/// A driver. Runs of one driver do not nest, because they would share its snapshots; runs of two do.
#[derive(Default)]
pub struct Driver {
    calls: Cell<(DriverCalls, Context)>,
    /// What adtape saves by itself.
    pub(in crate::ffi) registered: RefCell<Registered>,
    /// Pointers of the program that lead to what is registered.
    pub(in crate::ffi) watched: RefCell<Vec<Watched>>,
    pub(in crate::ffi) driver: RefCell<driver::Driver>,
    running: Cell<bool>,
}

/// What the program gets back with each call.
#[derive(Clone, Copy)]
struct Context(*mut c_void);

impl Default for Context {
    fn default() -> Context {
        Context(std::ptr::null_mut())
    }
}

impl Driver {
    pub(in crate::ffi) fn at_rest(&self, what: &str) -> Result<(), Error> {
        if !self.running.get() {
            return Ok(());
        }
        Err(Error::new(
            Status::BadArgument,
            format!("the driver is {what} while it runs\n  a step that is a loop itself takes a driver of its own"),
        ))
    }

    fn run(&self, schedule: &mut Schedule) -> Result<Progress, Error> {
        self.at_rest("run")?;
        let (calls, Context(user)) = self.calls.get();
        let tell = |progress: &Progress| {
            if let Some(call) = calls.progress {
                // SAFETY: the program's function, called as it was promised.
                unsafe { call(progress, user) }
            }
        };
        let registered = self.registered.borrow();
        let watched = self.watched.borrow();
        let mut program = Calls { registered: &registered, watched: &watched, calls, user };
        let mut driver = self.driver.borrow_mut();
        driver.show_progress(calls.show_progress);
        self.running.set(true);
        let result = driver.run(schedule, &mut program, tell);
        self.running.set(false);
        result
    }
}

/// A pointer variable of the program that leads to a registered variable.
pub(in crate::ffi) struct Watched {
    pointer: *const usize,
    name: String,
    /// Where it was registered.
    base: usize,
}

impl Watched {
    /// # Safety
    /// The pointer variable is readable as long as this is used.
    pub unsafe fn new(pointer: *const usize, name: &str, base: usize) -> Watched {
        Watched { pointer, name: name.to_owned(), base }
    }

    /// Whether the pointer leads where it led.
    pub fn check(&self) -> Result<(), Error> {
        // SAFETY: by the contract of `new`.
        let now = unsafe { self.pointer.read_unaligned() };
        if now == self.base { Ok(()) } else { Err(self.moved(now)) }
    }

    #[cold]
    fn moved(&self, now: usize) -> Error {
        Error::new(
            Status::Mismatch,
            format!(
                "{:?} has moved: it is registered at 0x{:x}, and the program's pointer leads to 0x{now:x} now\n  \
                 copy values in place of swapping buffers or move_alloc; or let functions of the program save and load \
                 (adtape_driver_set_calls)",
                self.name, self.base
            ),
        )
    }
}

/// The program behind its functions and registered variables.
struct Calls<'a> {
    registered: &'a Registered,
    watched: &'a [Watched],
    calls: DriverCalls,
    user: *mut c_void,
}

#[cold]
fn missing(what: &str) -> Error {
    Error::new(
        Status::NullPointer,
        format!("the driver has no function for {what}\n  give it one by adtape_driver_set_calls"),
    )
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

impl Program for Calls<'_> {
    fn step(&mut self, step: u64) -> Result<Flow, Error> {
        let call = self.calls.step.ok_or_else(|| missing("a step"))?;
        // SAFETY: the program's function, called as it was promised.
        flow(unsafe { call(step as i64, self.user) }, "step", step)
    }

    fn adjoint_step(&mut self, step: u64, first: bool) -> Result<(), Error> {
        let call = self.calls.adjoint_step.ok_or_else(|| missing("an adjoint step"))?;
        // SAFETY: as above.
        flow(unsafe { call(step as i64, first, self.user) }, "adjoint step", step).map(drop)
    }

    fn state(&mut self) -> Vec<Variable<'_>> {
        self.registered.state()
    }

    fn adjoints(&mut self) -> Vec<Variable<'_>> {
        self.registered.adjoints()
    }

    fn parameters(&mut self) -> Vec<Variable<'_>> {
        self.registered.parameters()
    }

    fn check_places(&mut self) -> Result<(), Error> {
        self.watched.iter().try_for_each(Watched::check)
    }

    fn record_step(&mut self, step: u64) -> Result<Flow, Error> {
        let call = self.calls.record_step.ok_or_else(|| missing("a recorded step"))?;
        // SAFETY: as above.
        flow(unsafe { call(step as i64, self.user) }, "recorded step", step)
    }

    fn reverse_step(&mut self, step: u64, first: bool) -> Result<(), Error> {
        let call = self.calls.reverse_step.ok_or_else(|| missing("a reversed step"))?;
        // SAFETY: as above.
        flow(unsafe { call(step as i64, first, self.user) }, "reversed step", step).map(drop)
    }

    fn save(&mut self, step: u64, place: Place) -> Option<Result<(), Error>> {
        let call = self.calls.save?;
        // SAFETY: as above.
        let code = unsafe { call(step as i64, place.level as i32, place.slot as i64, self.user) };
        Some(flow(code, "save", step).map(drop))
    }

    fn load(&mut self, step: u64, place: Place) -> Option<Result<(), Error>> {
        let call = self.calls.load?;
        // SAFETY: as above.
        let code = unsafe { call(step as i64, place.level as i32, place.slot as i64, self.user) };
        Some(flow(code, "load", step).map(drop))
    }

    fn saves(&self) -> bool {
        self.calls.save.is_some() || self.calls.load.is_some()
    }
}

/// # Safety
/// `d` is NULL or a driver.
pub(in crate::ffi) unsafe fn driver<'a>(d: *const Driver) -> Result<&'a Driver, Error> {
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
    unsafe { create(out, "the new handle", || Ok(Driver::default())) }
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
        unsafe { Box::from_raw(d) }.driver.borrow_mut().remove_point()
    }))
}

/// Gives the driver the program's functions, in place of all that it had: the loop and its adjoint, and what else its
/// schedules need. `calls` is copied; `user` is handed to every function.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, or ADTAPE_STATUS_BAD_ARGUMENT if
/// the driver is running.
/// Fortran: `call driver_set_calls(driver, step, adjoint_step, record_step, reverse_step, save_state, load_state,
/// progress, show_progress, user)` with `bind(c)` functions; all but the first are optional.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_set_calls(
    d: *mut Driver,
    calls: *const DriverCalls,
    user: *mut c_void,
) -> Status {
    let set = |driver: &Driver| {
        // SAFETY: by contract.
        let calls = *unsafe { calls.as_ref() }.ok_or_else(|| null_pointer("the functions of a driver"))?;
        driver.at_rest("changed")?;
        driver.calls.set((calls, Context(user)));
        Ok(())
    };
    // SAFETY: by contract.
    status(unsafe { driver(d) }.and_then(set))
}

/// Runs the loop and its adjoint by the schedule, to its end. State 0 is present before. Drivers nest: an adjoint
/// step may run another driver. `*done` is what was done, NULL if not wanted; it is as before if the run fails.
///
/// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_NULL_HANDLE; ADTAPE_STATUS_NULL_POINTER (a function that the schedule needs
/// is missing); ADTAPE_STATUS_STOPPED (a function of the program returned ADTAPE_FLOW_STOP); ADTAPE_STATUS_BAD_ARGUMENT
/// (the driver is running; a function returned no flow; the schedule stores on disk and there is no store);
/// ADTAPE_STATUS_OUT_OF_MEMORY; what adtape_driver_set_store says; in check mode ADTAPE_STATUS_MISMATCH (a step that is
/// run again led to another registered state than before: it reads something that is not registered). After a failure
/// the schedule is of no further use.
///
/// In check mode (ADTAPE_CHECK=1) the steps from each snapshot that is loaded to the next turn are run once more, and
/// registered states are compared wherever they are computed again.
/// Cost: that of the program's functions; a save or load of registered state copies it once.
/// Fortran: `call driver_run(driver, schedule, done)`, `done` optional.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_run(d: *mut Driver, s: *mut Schedule, done: *mut Progress) -> Status {
    // SAFETY: by contract.
    let result = unsafe { driver(d).and_then(|driver| driver.run(schedule(s)?)) };
    // SAFETY: by contract.
    status(result.map(|progress| unsafe { write_if_wanted(done, progress) }))
}
