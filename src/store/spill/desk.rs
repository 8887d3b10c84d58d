//! Where tapes hand over what is to be written, and a thread in the background takes it and brings it back.
//!
//! ```text
//!   push, short of memory --> block --> thread --> file           writes behind the pushes
//!   pop <-------------------- block <-- thread <-- file           reads ahead of the pops
//! ```
//!
//! A block that a tape hands over stays where it is, and so does one that comes back: nothing is copied but to and from
//! the file. Bytes that are handed over as such are copied. Blocks on their way are few and counted in the budget. Where
//! there may be none, a block goes its way on the thread that has it. What could not be written stays in memory, so that
//! nothing is lost: it is tried again when a tape next wants to write something. What could not be read ahead is read
//! again by the pop that needs it, which gets the error.

#![forbid(unsafe_code)]

use super::account;
use super::blocks::{Blocks, Content, Job, Taken};
use super::medium::Medium;
use super::memory::{Memory, Room};
use super::space::{Lost, Place, Space};
use super::tally::TALLY;
use crate::sync::{Arc, Monitor, MonitorGuard, Signal};
use std::io;

/// What all tapes that spill to one file share.
pub(super) struct Desk<M> {
    space: Space<M>,
    /// Bytes of a block.
    block: usize,
    /// The most that all blocks on their way have, or less where the account says so.
    most: usize,
    state: Monitor<State>,
    /// Given when there is work for the thread.
    work: Signal,
    /// Given when a block is not what it was.
    done: Signal,
}

#[derive(Default)]
struct State {
    blocks: Blocks,
    /// Bytes that were on their way to the file and have left memory, since the beginning.
    gone: u64,
    /// Why a block could not be written. Nothing more is written until a tape tries it again.
    failure: Option<Arc<io::Error>>,
    /// A thread is there to do the work.
    staffed: bool,
    closing: bool,
}

/// Why a block does not come back, and where it lies.
pub(super) struct Missing {
    pub why: Lost,
    pub place: Place,
    /// Its first byte, as an offset of its part.
    pub from: u64,
}

impl<M: Medium> Desk<M> {
    pub fn new(space: Space<M>, block: usize, most: usize) -> Desk<M> {
        let state = Monitor::new(State::default());
        Desk { space, block, most, state, work: Signal::new(), done: Signal::new() }
    }

    #[cfg(all(test, not(loom)))]
    pub fn space(&self) -> &Space<M> {
        &self.space
    }

    pub fn block(&self) -> usize {
        self.block
    }

    pub fn add_part(&self) -> u64 {
        self.state.lock().blocks.add_part()
    }

    pub fn remove_part(&self, part: u64) {
        self.cut(part, 0);
        let mut state = self.state.lock();
        state.blocks.remove_part(part);
        let is_last = !state.blocks.has_parts();
        drop(state);
        if is_last {
            self.space.let_go();
        }
    }

    pub fn end(&self, part: u64) -> u64 {
        self.state.lock().blocks.end(part)
    }

    /// The state, when nobody is at work on what a part has beyond `end`.
    fn idle(&self, part: u64, end: u64) -> MonitorGuard<'_, State> {
        let mut state = self.state.lock();
        while state.blocks.is_at_work(part, end) {
            state = TALLY.wait(|| self.done.wait(state));
        }
        state
    }

    /// Drops what lies at `end` or above it. The tape's memory there is the tape's again, and empty.
    pub fn cut(&self, part: u64, end: u64) {
        let mut state = self.idle(part, end);
        let places = state.blocks.cut(part, end);
        let staffed = state.staffed;
        drop(state);
        places.into_iter().for_each(|place| self.space.give(place));
        self.done.give();
        self.work.give();
        if !staffed {
            self.space.shorten();
        }
    }

    /// Leaves the tape's memory at `from` and above to the tape, empty: what is there is read as bytes from now on.
    pub fn leave(&self, part: u64, from: u64) {
        self.idle(part, from).blocks.leave(part, from);
        self.done.give();
    }

    // ---- writing -----------------------------------------------------------------------------------

    /// Tries again what could not be written.
    pub fn try_again(&self) {
        if self.state.lock().failure.take().is_some() {
            self.work.give();
        }
    }

    /// Adds bytes at the end of a part: in memory, where there is some for blocks on their way or will be in a moment, else
    /// in the file. On error nothing was added.
    pub fn put(&self, part: u64, bytes: &[u8]) -> Result<(), Arc<io::Error>> {
        let memory = if self.wait_for_room(bytes.len())? { Memory::copy(bytes) } else { None };
        let content = match memory {
            Some(memory) => Content::Waiting(memory),
            None => {
                Content::Stored(TALLY.wait(|| self.space.write(bytes))?, Memory::copy(&[]).unwrap_or(Memory::Nowhere))
            }
        };
        self.state.lock().blocks.push(part, bytes.len(), content);
        self.work.give();
        Ok(())
    }

    /// Adds a tape's memory at the end of a part, where it stays until it is in the file. On error it is the tape's.
    pub fn take(&self, part: u64, mut room: Box<dyn Room>) -> Result<(), (Arc<io::Error>, Box<dyn Room>)> {
        let bytes = room.bytes().len();
        let content = match self.wait_for_room(bytes) {
            Ok(true) => Content::Waiting(Memory::Tape(room)),
            Ok(false) => match TALLY.wait(|| self.space.write(room.bytes())) {
                Ok(place) => {
                    room.empty();
                    self.state.lock().gone += bytes as u64;
                    Content::Stored(place, Memory::Tape(room))
                }
                Err(error) => return Err((Arc::new(error), room)),
            },
            Err(failure) => return Err((failure, room)),
        };
        self.state.lock().blocks.push(part, bytes, content);
        self.work.give();
        Ok(())
    }

    /// Waits until so many bytes more may be on their way; false where they never may.
    fn wait_for_room(&self, bytes: usize) -> Result<bool, Arc<io::Error>> {
        let mut state = self.state.lock();
        loop {
            if !state.staffed || bytes > self.room() {
                return Ok(false);
            }
            if state.blocks.held() + bytes <= self.room() {
                return Ok(true);
            }
            if state.blocks.steal() {
                continue;
            }
            if let Some(failure) = &state.failure {
                return Err(failure.clone());
            }
            state = TALLY.wait(|| self.done.wait(state));
        }
    }

    /// Whether [`take`](Desk::take) would wait for something to be written.
    pub fn is_full(&self, bytes: usize) -> bool {
        let mut state = self.state.lock();
        let fits = |state: &State| !state.staffed || bytes > self.room() || state.blocks.held() + bytes <= self.room();
        while !fits(&state) {
            if !state.blocks.steal() {
                return state.blocks.is_writing();
            }
        }
        false
    }

    /// Bytes of memory that a block takes which is given back next, and those that are read ahead meanwhile.
    pub fn reads_ahead(&self) -> usize {
        self.block + (self.room() / 2).saturating_sub(self.held())
    }

    /// Bytes of memory that blocks have on their way.
    pub fn held(&self) -> usize {
        self.state.lock().blocks.held()
    }

    /// Bytes that were on their way to the file and have left memory, since the beginning.
    pub fn gone(&self) -> u64 {
        self.state.lock().gone
    }

    /// Waits until `bytes` more have left memory than `since` then, or all that are on their way have, or none can; how many
    /// have.
    pub fn wait_until_gone(&self, since: u64, bytes: u64) -> Result<u64, Arc<io::Error>> {
        let mut state = self.state.lock();
        loop {
            let gone = state.gone - since;
            match &state.failure {
                _ if gone >= bytes || !state.blocks.is_writing() => return Ok(gone),
                Some(failure) if gone == 0 => return Err(failure.clone()),
                Some(_) => return Ok(gone),
                None => state = TALLY.wait(|| self.done.wait(state)),
            }
        }
    }

    /// Gives `bytes` of memory back that blocks have which were read ahead, or all of it; how many bytes that were.
    pub fn forget_what_was_read_ahead(&self, bytes: usize) -> usize {
        let mut state = self.state.lock();
        let before = state.blocks.held();
        while before - state.blocks.held() < bytes && state.blocks.steal() {}
        before - state.blocks.held()
    }

    /// Bytes that all blocks on their way may have.
    fn room(&self) -> usize {
        account::room().min(self.most)
    }

    // ---- reading -----------------------------------------------------------------------------------

    /// Gives a tape the last block of its part back, with its memory, and has what lies below read ahead. None where it has
    /// to be read as bytes: because it is not where it was, or there is no memory.
    pub fn give_back(&self, part: u64) -> Result<Option<Box<dyn Room>>, Missing> {
        let end = self.end(part);
        let mut state = self.idle(part, end.saturating_sub(1));
        let taken = state.blocks.take_last(part);
        let from = state.blocks.end(part);
        state.blocks.set_read(part, from);
        drop(state);
        self.work.give();
        let (room, place) = match taken {
            None => return Ok(None),
            Some(Taken::Whole(room, place)) => (room, place),
            Some(Taken::Empty { number, from, place, mut room }) => {
                let is_full = room.fill();
                let read = if is_full { TALLY.wait(|| self.space.read(place, room.bytes_mut())) } else { Ok(()) };
                if !is_full || read.is_err() {
                    room.empty();
                    self.state.lock().blocks.put_back(part, Taken::Empty { number, from, place, room });
                    return read.map(|()| None).map_err(|why| Missing { why, place, from });
                }
                (room, Some(place))
            }
        };
        place.into_iter().for_each(|place| self.space.give(place));
        self.done.give();
        Ok(Some(room))
    }

    /// Reads `bytes` of a part at `offset` back, whatever its blocks are, and has what lies below read ahead.
    pub fn get(&self, part: u64, offset: u64, bytes: &mut [u8], scratch: &mut Vec<u8>) -> Result<(), Missing> {
        self.state.lock().blocks.set_read(part, offset);
        self.work.give();
        let (mut done, mut read) = (0, Ok(()));
        while done < bytes.len() && read.is_ok() {
            let block = self.get_block(part, offset + done as u64, &mut bytes[done..], scratch);
            read = block.map(|n| done += n);
        }
        // There is memory again, for whoever waits for some and for what lies below.
        self.done.give();
        self.work.give();
        read
    }

    /// Reads what is at `offset` up to the end of its block; how many bytes that were.
    fn get_block(&self, part: u64, offset: u64, bytes: &mut [u8], scratch: &mut Vec<u8>) -> Result<usize, Missing> {
        let mut state = self.state.lock();
        loop {
            let block = state.blocks.at(part, offset);
            let (from, whole, first) = (block.from, block.whole, (offset - block.from) as usize);
            let n = bytes.len().min(block.bytes - first);
            match &block.content {
                Content::Writing | Content::Reading => state = TALLY.wait(|| self.done.wait(state)),
                Content::Waiting(memory) => {
                    bytes[..n].copy_from_slice(&memory.bytes()[first..first + n]);
                    return Ok(n);
                }
                Content::Ready(_, memory) => {
                    bytes[..n].copy_from_slice(&memory.bytes()[first..first + n]);
                    state.blocks.forget(part, offset);
                    return Ok(n);
                }
                Content::Stored(place, _) => {
                    let place = *place;
                    drop(state);
                    let read = if n == whole {
                        TALLY.wait(|| self.space.read(place, &mut bytes[..n]))
                    } else {
                        scratch.resize(whole, 0);
                        let read = TALLY.wait(|| self.space.read(place, scratch));
                        read.map(|()| bytes[..n].copy_from_slice(&scratch[first..first + n]))
                    };
                    return read.map(|()| n).map_err(|why| Missing { why, place, from });
                }
            }
        }
    }

    // ---- the thread in the background --------------------------------------------------------------

    /// Says whether a thread does the work.
    pub fn set_staffed(&self, staffed: bool) {
        self.state.lock().staffed = staffed;
    }

    /// Lets the thread end when it has done what it is at.
    pub fn close(&self) {
        self.state.lock().closing = true;
        self.work.give();
    }

    /// Does the work until [`close`](Desk::close).
    pub fn run(&self) {
        let mut state = self.state.lock();
        while !state.closing {
            match self.next(&mut state) {
                Some(job) => {
                    drop(state);
                    self.perform(job);
                    self.done.give();
                    self.space.shorten();
                    state = self.state.lock();
                }
                None if self.space.is_long() => {
                    drop(state);
                    self.space.shorten();
                    state = self.state.lock();
                }
                None => state = self.work.wait(state),
            }
        }
    }

    /// What is most urgent: what a pop may wait for, then what takes up memory.
    fn next(&self, state: &mut State) -> Option<Job> {
        let room = self.room();
        match state.blocks.begin_to_read(room / 2, room) {
            None if state.failure.is_none() => state.blocks.begin_to_write(),
            job => job,
        }
    }

    fn perform(&self, job: Job) {
        match job {
            Job::Write { part, number, mut memory } => {
                let written = self.space.write(memory.bytes());
                let bytes = memory.bytes().len() as u64;
                if written.is_ok() {
                    memory.empty();
                }
                let mut state = self.state.lock();
                let content = match written {
                    Ok(place) => {
                        state.gone += bytes;
                        Content::Stored(place, memory)
                    }
                    Err(error) => {
                        state.failure = Some(Arc::new(error));
                        Content::Waiting(memory)
                    }
                };
                state.blocks.finish(part, number, content, false);
            }
            Job::Read { part, number, place, mut memory } => {
                let read = self.space.read(place, memory.bytes_mut());
                let content = match read {
                    Ok(()) => Content::Ready(place, memory),
                    Err(_) => {
                        memory.empty();
                        Content::Stored(place, memory)
                    }
                };
                let refused = matches!(content, Content::Stored(..));
                self.state.lock().blocks.finish(part, number, content, refused);
            }
        }
    }
}
