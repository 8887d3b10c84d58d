//! Drivers: the program gives a step and its adjoint, the driver runs the loop by a schedule.

use super::schedule::{make, schedule};
use super::section::section_of;
use super::store::{StoreHandle, shared};
use super::{TypeCode, null_handle, null_pointer, status, text, text_or_none, write_out};
use crate::checkpoint::{CheckpointReader, CheckpointWriter};
use crate::driver::{
    Flow, MemoryStorage, Model, Progress, ProgressLine, Resumable, Resume, Storage, StoreStorage, Variable, bytes_of,
    drive, drive_resumable, fingerprint_of,
};
use crate::error::{Error, Status};
use crate::schedule::{Level, Place, Schedule};
use crate::tape::{Section, Type};
use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

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

/// What a registered variable is: state, which steps read and change. It is saved in snapshots.
pub const ADTAPE_ROLE_STATE: i32 = 0;
/// What a registered variable is: an adjoint or another result of adjoint steps. It is kept for a run that is resumed.
pub const ADTAPE_ROLE_ADJOINT: i32 = 1;

/// What the names of variables begin with that were registered without one, by role.
const ROLES: [&str; 2] = ["state", "adjoint"];

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

/// A driver. Runs of one driver do not nest, because they would share its snapshots; runs of two do.
pub struct Driver {
    calls: Cell<Calls>,
    /// What adtape saves by itself, in the order of registration: by role.
    variables: RefCell<[Vec<Variable<'static>>; 2]>,
    /// Addresses of those without gaps, from and to.
    registered: RefCell<Vec<(usize, usize)>>,
    storage: RefCell<MemoryStorage>,
    /// For the snapshots of registered state that a schedule has on disk.
    disk: RefCell<Option<StoreStorage>>,
    resume: RefCell<Option<Resume>>,
    running: Cell<bool>,
}

impl Driver {
    fn new() -> Driver {
        let calls = Calls {
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
        };
        Driver {
            calls: Cell::new(calls),
            variables: RefCell::default(),
            registered: RefCell::default(),
            storage: RefCell::default(),
            disk: RefCell::default(),
            resume: RefCell::default(),
            running: Cell::new(false),
        }
    }

    fn change(&self, change: impl FnOnce(&mut Calls)) -> Result<(), Error> {
        self.at_rest("changed")?;
        let mut calls = self.calls.get();
        change(&mut calls);
        self.calls.set(calls);
        Ok(())
    }

    fn at_rest(&self, what: &str) -> Result<(), Error> {
        if !self.running.get() {
            return Ok(());
        }
        Err(Error::new(
            Status::BadArgument,
            format!("the driver is {what} while it runs\n  a step that is a loop itself takes a driver of its own"),
        ))
    }

    /// Registers a section, under a made-up name if it has none. `dense` is where it lies, if it has no gaps.
    fn register(
        &self,
        role: i32,
        name: Option<&str>,
        section: Section,
        dense: Option<(usize, usize)>,
    ) -> Result<(), Error> {
        self.at_rest("changed")?;
        let Some(role) = usize::try_from(role).ok().filter(|role| *role < ROLES.len()) else {
            return Err(Error::new(Status::BadArgument, format!("{role} is no role\n  pass one of ADTAPE_ROLE_…")));
        };
        let mut variables = self.variables.borrow_mut();
        let name = name.map_or_else(|| format!("{}-{}", ROLES[role], variables[role].len()), str::to_owned);
        if variables.iter().flatten().any(|variable| variable.name() == name) {
            return Err(Error::new(
                Status::BadArgument,
                format!("{name:?} is registered already\n  give each variable a name of its own"),
            ));
        }
        if let Some((begin, end)) = dense.filter(|(begin, end)| begin < end) {
            let mut registered = self.registered.borrow_mut();
            if let Some((other, others)) = registered.iter().find(|(a, b)| begin < *b && *a < end) {
                return Err(Error::new(
                    Status::BadArgument,
                    format!(
                        "{name:?}, {} bytes at 0x{begin:x}, overlaps with the {} bytes at 0x{other:x}\n  register each \
                         part once",
                        end - begin,
                        others - other
                    ),
                ));
            }
            registered.push((begin, end));
        }
        variables[role].push(Variable::of_section(&name, section));
        Ok(())
    }

    fn state_bytes(&self) -> u64 {
        bytes_of(&self.variables.borrow()[ADTAPE_ROLE_STATE as usize]) as u64
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
        let variables = self.driver.variables.borrow();
        let state = &variables[ADTAPE_ROLE_STATE as usize];
        if state.is_empty() {
            return Err(missing(what, "adtape_driver_set_snapshots, or register the state by adtape_driver_register"));
        }
        self.storage(place, |storage| own(storage, state))
    }

    /// What keeps the snapshots of the place's level; memory refuses those on disk.
    fn storage<R>(&self, place: Place, work: impl FnOnce(&mut dyn Storage) -> R) -> R {
        match &mut *self.driver.disk.borrow_mut() {
            Some(disk) if place.level == Level::Disk => work(disk),
            _ => work(&mut *self.driver.storage.borrow_mut()),
        }
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
            None => self.storage(place, |storage| storage.forget(step, place)),
        }
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
        Ok(fingerprint_of(&self.driver.variables.borrow()[ADTAPE_ROLE_STATE as usize]))
    }

    fn keep(&mut self, point: &mut CheckpointWriter) -> Result<(), Error> {
        self.driver.variables.borrow().iter().flatten().try_for_each(|variable| variable.write(point))?;
        self.driver.storage.borrow().write(point)
    }

    fn resume(&mut self, point: &mut CheckpointReader) -> Result<(), Error> {
        self.driver.variables.borrow().iter().flatten().try_for_each(|variable| variable.read(point))?;
        self.driver.storage.borrow_mut().read(point)
    }

    fn kept(&mut self) -> Result<(), Error> {
        self.driver.disk.borrow_mut().as_mut().map_or(Ok(()), StoreStorage::kept)
    }

    fn keep_only(&mut self, steps: &[u64]) -> Result<(), Error> {
        self.driver.disk.borrow_mut().as_mut().map_or(Ok(()), |disk| disk.keep_only(steps))
    }
}

/// # Safety
/// `d` is NULL or a driver.
unsafe fn driver<'a>(d: *const Driver) -> Result<&'a Driver, Error> {
    // SAFETY: by contract.
    unsafe { d.as_ref() }.ok_or_else(|| null_handle("driver", "what adtape_driver_new returned"))
}

/// Makes a driver without functions and state. Undone by adtape_driver_free. Used by one thread at a time.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_POINTER.
/// Fortran: `call driver_new(driver)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_new(out: *mut *mut Driver) -> Status {
    // SAFETY: by contract.
    status(unsafe { write_out(out, "the new handle", || Ok(Box::into_raw(Box::new(Driver::new())))) })
}

/// Releases a driver that is not running, with its snapshots, and with what it left in a store to be resumed if its run
/// came to the end. NULL is allowed and does nothing.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_BAD_ARGUMENT if it is running, or ADTAPE_STATUS_IO (what is in the store
/// cannot be removed; the driver is released).
/// Fortran: `call driver_free(driver)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation; the handle is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_free(d: *mut Driver) -> Status {
    if d.is_null() {
        return Status::Ok;
    }
    // SAFETY: by contract.
    status(unsafe { driver(d) }.and_then(|driver| driver.at_rest("freed")).and_then(|()| {
        // SAFETY: it came from Box::into_raw in adtape_driver_new.
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
    status(unsafe { register_bytes(d, ADTAPE_ROLE_STATE, address, bytes) })
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
    status(unsafe { register_bytes(d, ADTAPE_ROLE_ADJOINT, address, bytes) })
}

/// # Safety
/// As for adtape_driver_register.
unsafe fn register_bytes(d: *mut Driver, role: i32, address: *mut c_void, bytes: u64) -> Result<(), Error> {
    // SAFETY: by contract.
    let driver = unsafe { driver(d) }?;
    if bytes == 0 {
        return driver.at_rest("changed");
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
    driver.register(role, None, section, Some((begin, end)))
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
        driver.register(role, name, section, dense)
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
        *driver.disk.borrow_mut() = store.map(|store| StoreStorage::new(store, prefix));
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
            driver.disk.take();
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
        *driver.disk.borrow_mut() = Some(StoreStorage::lasting(store, name));
        *driver.resume.borrow_mut() = Some(resume);
        Ok(())
    };
    // SAFETY: by contract.
    status(unsafe { driver(d) }.and_then(set))
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

/// Makes the best schedule in memory for the registered state and `budget_bytes`: binomial for `steps` steps, or, if
/// `steps` is 0, online for a loop whose length is not known. Undone by adtape_schedule_free.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, or
/// ADTAPE_STATUS_BAD_ARGUMENT (nothing is registered, or it does not fit into the budget).
/// Fortran: `call driver_new_schedule(driver, steps, budget_bytes, schedule)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_driver_new_schedule(
    d: *mut Driver,
    steps: u64,
    budget_bytes: u64,
    out: *mut *mut Schedule,
) -> Status {
    let choose = || {
        // SAFETY: by contract.
        let bytes = unsafe { driver(d) }?.state_bytes();
        let snapshots = budget_bytes.checked_div(bytes).unwrap_or(0);
        if snapshots == 0 {
            let [state, budget] = [bytes, budget_bytes].map(crate::error::bytes);
            return Err(Error::new(
                Status::BadArgument,
                format!(
                    "no snapshot of the registered state, {state}, fits into {budget}\n  register the state first, and \
                     allow at least its size"
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
    status(unsafe { write_out(bytes, "the number of bytes", || Ok(driver(d)?.storage.borrow().bytes() as i64)) })
}

/// Runs the loop and its adjoint by the schedule, to its end. State 0 is present before. Drivers nest: an adjoint
/// step may run another driver.
///
/// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_NULL_HANDLE; ADTAPE_STATUS_NULL_POINTER (a function that the schedule needs
/// is missing); ADTAPE_STATUS_STOPPED (a function of the program returned ADTAPE_FLOW_STOP); ADTAPE_STATUS_BAD_ARGUMENT
/// (the driver is running; a function returned no flow; the schedule stores on disk and there is no store);
/// ADTAPE_STATUS_OUT_OF_MEMORY; what adtape_driver_set_resume says. After a failure the schedule is of no further use.
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
