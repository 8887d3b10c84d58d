//! A loop that code runs again from snapshots, where the forward and the reverse sweep are two pieces of code: it asks
//! what is next, and moves the parts of the state.
//!
//! ```text
//!   forward                              reverse
//!   for each pass:                       for each pass, last first:
//!     enter: is its state to be kept?      state: is one to come back, or to be kept?
//!       part, part, …                        part, part, …
//!     the pass                             run: is a pass to be run?  the pass, and state again
//!   leave                                  the pass with its tape, and its reversal
//! ```
//!
//! What follows the loop is one more step of the schedule, which is turned first, so that the last state need not be kept
//! at the end of the forward sweep.
//!
//! Snapshots count as memory of the process's tapes. Those that find no room below the limit go to the directory that
//! tapes spill to, by way of one more buffer; a quarter of the limit is left to the tape of a pass.

#![forbid(unsafe_code)]

use crate::error::{Error, Status};
use crate::profile;
use crate::schedule::{Action, Schedule};
use crate::store::spill::{self, Spill, SpillFile};
use crate::vm;

/// The passes of a loop, counted from 0, and the snapshots of their states. State k is what pass k begins with.
pub struct Passes {
    schedule: Schedule,
    /// How many passes there are at most, if that was said.
    announced: Option<u64>,
    /// Passes that have begun in the forward sweep.
    begun: u64,
    /// The state at hand, in the reverse sweep.
    at: u64,
    /// Passes up to this state are to be run.
    until: u64,
    /// The snapshots by their slots.
    slots: Vec<Slot>,
    /// A state on its way to a slot that has no memory, or from the disk.
    state: Vec<u8>,
    /// Bytes of memory that the slots have, charged to the process.
    charged: u64,
    /// Bytes of a state, once one is known.
    size: Option<usize>,
    moving: Moving,
    phase: Phase,
}

/// A place for a snapshot.
#[derive(Default)]
struct Slot {
    /// The snapshot, unless it is on the disk.
    memory: Vec<u8>,
    disk: Option<SpillFile>,
    /// Bytes of the snapshot on the disk; 0 if it is not there.
    written: usize,
}

/// Which part of a snapshot is next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moving {
    Nothing,
    Saving { slot: usize },
    Loading { slot: usize, from: usize },
}

/// How far the loop is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// In the forward sweep.
    Forward,
    /// On the way to the head of a pass.
    Way,
    /// At the head of the pass that is to be reversed.
    Turn,
}

/// A part of a state: what is to be done with its bytes.
pub enum Part<'a> {
    /// They are kept: to be appended. There is room for them.
    Keep(&'a mut Vec<u8>),
    /// They come back from here.
    Back(&'a [u8]),
}

impl Drop for Passes {
    fn drop(&mut self) {
        profile::checkpoints_changed(self.bytes(), 0);
        vm::process().refund(self.charged);
    }
}

impl Passes {
    /// A loop of `passes` passes at most, None if that is not known, with `snapshots` states kept at once.
    pub fn new(snapshots: u64, passes: Option<u64>) -> Result<Passes, Error> {
        let schedule = match passes {
            Some(passes) => Schedule::binomial(passes.saturating_add(1), snapshots.max(u64::from(passes == 0)))?,
            None => Schedule::online(snapshots)?,
        };
        Ok(Passes {
            schedule,
            announced: passes,
            begun: 0,
            at: 0,
            until: 0,
            slots: Vec::new(),
            state: Vec::new(),
            charged: 0,
            size: None,
            moving: Moving::Nothing,
            phase: Phase::Forward,
        })
    }

    /// Memory that the snapshots take, in bytes.
    pub fn bytes(&self) -> u64 {
        self.slots.iter().map(|slot| &slot.memory).chain([&self.state]).map(|buffer| buffer.capacity() as u64).sum()
    }

    /// A pass begins in the forward sweep. Whether its state is to be kept, part by part.
    pub fn enter(&mut self) -> Result<bool, Error> {
        self.expect(Phase::Forward, "a pass begins")?;
        self.moved()?;
        if self.announced == Some(self.begun) {
            let passes = self.begun;
            return Err(wrong(format!(
                "the loop has more than the {passes} passes that were announced\n  \
                 announce as many as there can be, or none"
            )));
        }
        while self.until == self.begun {
            match self.next()? {
                Action::Save { place, .. } => self.keep(place.slot)?,
                Action::Drop { place, .. } => self.forget(place.slot),
                Action::Advance { to, .. } => self.until = to,
                other => return Err(astray(other)),
            }
        }
        self.begun += 1;
        Ok(self.moving != Moving::Nothing)
    }

    /// The loop has ended in the forward sweep.
    pub fn leave(&mut self) -> Result<(), Error> {
        self.expect(Phase::Forward, "the loop ends")?;
        self.moved()?;
        (self.phase, self.at, self.until) = (Phase::Turn, self.begun, self.begun);
        if self.begun == 0 {
            return Ok(());
        }
        if self.announced != Some(self.begun) {
            return self.schedule.end_at(self.begun);
        }
        // What follows the loop.
        match self.next()? {
            Action::Turn { step, first: true } if step == self.begun => Ok(()),
            other => Err(astray(other)),
        }
    }

    /// On the way to the next pass that is reversed: whether a state is to be kept or to come back next, part by part.
    pub fn state(&mut self) -> Result<bool, Error> {
        self.moved()?;
        if self.phase == Phase::Turn {
            if self.at == 0 {
                return Err(wrong("all passes of the loop are reversed already".into()));
            }
            self.phase = Phase::Way;
            self.until = self.at;
        }
        self.expect(Phase::Way, "a pass is reversed")?;
        while self.at == self.until {
            match self.next()? {
                Action::Load { step, place } => {
                    (self.at, self.until) = (step, step);
                    self.load(slot(place.slot)?)?;
                    return Ok(true);
                }
                Action::Save { place, .. } => {
                    self.keep(place.slot)?;
                    return Ok(true);
                }
                Action::Drop { place, .. } => self.forget(place.slot),
                Action::Advance { to, .. } => self.until = to,
                Action::Turn { step, .. } if step == self.at => {
                    self.phase = Phase::Turn;
                    return Ok(false);
                }
                other => return Err(astray(other)),
            }
        }
        Ok(false)
    }

    /// Behind [`state`](Self::state): whether a pass is to be run; else the one at hand is to be reversed.
    pub fn run(&mut self) -> Result<bool, Error> {
        self.moved()?;
        let runs = self.phase == Phase::Way && self.at < self.until;
        if !runs && self.phase != Phase::Turn {
            return Err(wrong("it was not asked whether a state is to come back".into()));
        }
        self.at += u64::from(runs);
        Ok(runs)
    }

    /// The next part of the state that is kept or comes back.
    pub fn part(&mut self, bytes: usize) -> Result<Part<'_>, Error> {
        match self.moving {
            Moving::Nothing => Err(wrong("no state is to be kept or to come back now".into())),
            Moving::Saving { slot } => {
                let whole = self.size.unwrap_or(0);
                let own = self.slots[slot].memory.capacity() > 0;
                let buffer = if own { &mut self.slots[slot].memory } else { &mut self.state };
                let before = buffer.capacity() as u64;
                let room = bytes.max(whole.saturating_sub(buffer.len()));
                buffer.try_reserve_exact(room).map_err(|_| {
                    let asked = crate::error::bytes(room as u64);
                    let what = format!("no memory for a snapshot: {asked}\n  keep fewer of them");
                    Error::new(Status::OutOfMemory, what)
                })?;
                profile::checkpoints_changed(before, buffer.capacity() as u64);
                Ok(Part::Keep(buffer))
            }
            Moving::Loading { slot, from } => {
                let buffer = if self.slots[slot].written > 0 { &self.state } else { &self.slots[slot].memory };
                let to = from.checked_add(bytes).filter(|to| *to <= buffer.len());
                let to = to.ok_or_else(|| wrong("a snapshot has other parts than the state".into()))?;
                self.moving = Moving::Loading { slot, from: to };
                Ok(Part::Back(&buffer[from..to]))
            }
        }
    }

    fn next(&mut self) -> Result<Action, Error> {
        self.schedule.next().ok_or_else(|| wrong("all passes of the loop are reversed already".into()))
    }

    fn expect(&self, phase: Phase, what: &str) -> Result<(), Error> {
        if self.phase == phase {
            return Ok(());
        }
        let sweep = if self.phase == Phase::Forward { "forward" } else { "reverse" };
        Err(wrong(format!("{what}, but the loop is in its {sweep} sweep")))
    }

    fn keep(&mut self, place: u64) -> Result<(), Error> {
        let slot = slot(place)?;
        if self.slots.len() <= slot {
            self.slots.resize_with(slot + 1, Slot::default);
        }
        self.forget(place);
        self.state.clear();
        self.moving = Moving::Saving { slot };
        Ok(())
    }

    /// Buffers are kept for the next snapshot in the same place: their pages are warm.
    fn forget(&mut self, place: u64) {
        if let Some(slot) = usize::try_from(place).ok().and_then(|slot| self.slots.get_mut(slot)) {
            slot.memory.clear();
            slot.written = 0;
        }
    }

    /// A state that was kept stays in memory, if there is room, else it goes to the disk.
    fn settle(&mut self, slot: usize) -> Result<(), Error> {
        let Slot { memory, disk, written } = &mut self.slots[slot];
        if memory.capacity() > 0 || self.state.is_empty() {
            return Ok(());
        }
        let (budget, bytes) = (vm::process(), self.state.capacity() as u64);
        let share = budget.limit() / 4 * 3;
        if self.charged + bytes <= share && budget.charge(bytes).is_ok() {
            self.charged += bytes;
            *memory = std::mem::take(&mut self.state);
            return Ok(());
        }
        if disk.is_none() {
            *disk = spill::in_directory()?;
        }
        let Some(file) = disk else {
            // All of the limit, where there is no disk.
            budget.charge(bytes)?;
            self.charged += bytes;
            *memory = std::mem::take(&mut self.state);
            return Ok(());
        };
        file.write(0, &self.state)?;
        *written = self.state.len();
        Ok(())
    }

    /// Begins to bring a snapshot back.
    fn load(&mut self, slot: usize) -> Result<(), Error> {
        self.moving = Moving::Loading { slot, from: 0 };
        if let Slot { disk: Some(file), written: bytes @ 1.., .. } = &mut self.slots[slot] {
            let before = self.state.capacity() as u64;
            self.state.resize(*bytes, 0);
            profile::checkpoints_changed(before, self.state.capacity() as u64);
            file.read(0, &mut self.state)?;
        }
        Ok(())
    }

    /// A state has been kept, or is back, as a whole.
    fn moved(&mut self) -> Result<(), Error> {
        let found = match std::mem::replace(&mut self.moving, Moving::Nothing) {
            Moving::Nothing => return Ok(()),
            Moving::Saving { slot } => {
                let found = self.slots[slot].memory.len().max(self.state.len());
                self.settle(slot)?;
                found
            }
            Moving::Loading { from, .. } => from,
        };
        match *self.size.get_or_insert(found) {
            size if size == found => Ok(()),
            size => {
                Err(wrong(format!("a state had {size} bytes, and now has {found}\n  move the same parts each time")))
            }
        }
    }
}

fn slot(place: u64) -> Result<usize, Error> {
    usize::try_from(place).map_err(|_| Error::new(Status::OutOfMemory, "too many snapshots"))
}

fn wrong(what: String) -> Error {
    Error::new(Status::BadArgument, what)
}

fn astray(action: Action) -> Error {
    wrong(format!("the schedule of the loop says {action:?}, which has no place here"))
}
