//! Where tapes hand over what is to be written, and a thread in the background takes it and brings it back.
//!
//! ```text
//!   push, short of memory --> buffer --> thread --> file          writes behind the pushes
//!   pop <-------------------- buffer <-- thread <-- file          reads ahead of the pops
//! ```
//!
//! Buffers are few and counted in the budget. Without one, a block goes its way on the thread that has it. What could not
//! be written stays in its buffer, so that nothing is lost: it is tried again when a tape next wants to write something.
//! What could not be read ahead is read again by the pop that needs it, which gets the error.

#![forbid(unsafe_code)]

use super::account;
use super::blocks::{Blocks, Buffer, Content, Job};
use super::medium::Medium;
use super::space::{Lost, Place, Space, sum};
use super::tally::TALLY;
use crate::sync::{Arc, Monitor, Signal};
use std::io;

/// Whoever waits for a buffer gets this part of them at once, as a thread that is woken for each takes longer.
const BATCHES: usize = 4;

/// What all tapes that spill to one file share.
pub(super) struct Desk<M> {
    space: Space<M>,
    /// Bytes of a block.
    block: usize,
    /// The most that all buffers have, or less where the account says so.
    most: usize,
    state: Monitor<State>,
    /// Given when there is work for the thread.
    work: Signal,
    /// Given when a block is not what it was.
    done: Signal,
    /// Given when buffers got free, several at once where the thread has more to write.
    free: Signal,
}

#[derive(Default)]
struct State {
    blocks: Blocks,
    /// Buffers that nobody uses.
    spare: Vec<Buffer>,
    /// Buffers there are.
    buffers: usize,
    /// Bytes of them that the account has.
    charged: usize,
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
        Desk { space, block, most, state, work: Signal::new(), done: Signal::new(), free: Signal::new() }
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
        self.state.lock().blocks.remove_part(part);
    }

    pub fn end(&self, part: u64) -> u64 {
        self.state.lock().blocks.end(part)
    }

    /// Drops what lies at `end` or above it.
    pub fn cut(&self, part: u64, end: u64) {
        let mut state = self.state.lock();
        let (places, buffers) = state.blocks.cut(part, end);
        state.spare.extend(buffers);
        let staffed = state.staffed;
        drop(state);
        places.into_iter().for_each(|place| self.space.give(place));
        self.done.give();
        self.free.give();
        self.work.give();
        if !staffed {
            self.space.shorten();
        }
    }

    // ---- writing -----------------------------------------------------------------------------------

    /// Tries again what could not be written.
    pub fn try_again(&self) {
        if self.state.lock().failure.take().is_some() {
            self.work.give();
        }
    }

    /// Adds a block at the end of a part: in a buffer, where there is one or will be in a moment, else in the file. On error
    /// nothing was added.
    pub fn put(&self, part: u64, bytes: &[u8]) -> Result<(), Arc<io::Error>> {
        let content = match self.buffer()? {
            Some(mut buffer) => {
                buffer.clear();
                buffer.extend_from_slice(bytes);
                let sum = sum(&buffer);
                Content::Waiting(buffer, sum)
            }
            None => Content::Stored(TALLY.wait(|| self.space.write(bytes, sum(bytes)))?),
        };
        self.state.lock().blocks.push(part, bytes.len(), content);
        self.work.give();
        Ok(())
    }

    /// A buffer for a block; none where memory is too short for any.
    fn buffer(&self) -> Result<Option<Buffer>, Arc<io::Error>> {
        let mut state = self.state.lock();
        loop {
            if !state.staffed {
                return Ok(None);
            }
            if let Some(buffer) = self.free_buffer(&mut state).or_else(|| state.blocks.steal()) {
                return Ok(Some(buffer));
            }
            if let Some(failure) = &state.failure {
                return Err(failure.clone());
            }
            if state.buffers == 0 {
                return Ok(None);
            }
            state = TALLY.wait(|| self.free.wait(state));
        }
    }

    /// Bytes that all buffers may have.
    fn room(&self) -> usize {
        account::room().min(self.most)
    }

    /// A buffer that nobody uses, or a new one.
    fn free_buffer(&self, state: &mut State) -> Option<Buffer> {
        if let Some(buffer) = state.spare.pop() {
            return Some(buffer);
        }
        if (state.buffers + 1) * self.block > self.room() {
            return None;
        }
        let mut buffer = Vec::new();
        let charged = account::charge(self.block)?;
        if buffer.try_reserve_exact(self.block).is_err() {
            account::refund(charged);
            return None;
        }
        state.charged += charged;
        state.buffers += 1;
        Some(buffer)
    }

    // ---- reading -----------------------------------------------------------------------------------

    /// Reads `bytes` of a part at `offset` back, whatever its blocks are, and has what lies below read ahead.
    pub fn get(&self, part: u64, offset: u64, bytes: &mut [u8], scratch: &mut Buffer) -> Result<(), Missing> {
        self.state.lock().blocks.set_read(part, offset);
        self.work.give();
        let (mut done, mut read) = (0, Ok(()));
        while done < bytes.len() && read.is_ok() {
            let block = self.get_block(part, offset + done as u64, &mut bytes[done..], scratch);
            read = block.map(|n| done += n);
        }
        // Buffers got free, for whoever waits for one and for what lies below.
        self.free.give();
        self.work.give();
        read
    }

    /// Reads what is at `offset` up to the end of its block; how many bytes that were.
    fn get_block(&self, part: u64, offset: u64, bytes: &mut [u8], scratch: &mut Buffer) -> Result<usize, Missing> {
        let mut state = self.state.lock();
        loop {
            let block = state.blocks.at(part, offset);
            let (from, whole, first) = (block.from, block.whole, (offset - block.from) as usize);
            let n = bytes.len().min(block.bytes - first);
            match &mut block.content {
                Content::Writing | Content::Reading(_) => state = TALLY.wait(|| self.done.wait(state)),
                Content::Waiting(buffer, _) => {
                    bytes[..n].copy_from_slice(&buffer[first..first + n]);
                    return Ok(n);
                }
                Content::Ready(place, buffer) => {
                    let (place, buffer) = (*place, std::mem::take(buffer));
                    block.content = Content::Stored(place);
                    drop(state);
                    bytes[..n].copy_from_slice(&buffer[first..first + n]);
                    self.state.lock().spare.push(buffer);
                    return Ok(n);
                }
                Content::Stored(place) => {
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
                    if state.spare.len() >= (state.buffers / BATCHES).max(1) {
                        self.free.give();
                    }
                }
                None if self.space.is_long() => {
                    drop(state);
                    self.space.shorten();
                    state = self.state.lock();
                }
                None => {
                    self.free.give();
                    state = self.work.wait(state);
                }
            }
        }
    }

    /// What is most urgent: what a pop may wait for, then what takes up buffers.
    fn next(&self, state: &mut State) -> Option<(Job, Option<Buffer>)> {
        if let Some((part, number)) = state.blocks.next_to_read(self.room() / 2)
            && let Some(buffer) = self.free_buffer(state)
        {
            return state.blocks.begin_to_read(part, number).map(|job| (job, Some(buffer)));
        }
        if state.failure.is_some() {
            return None;
        }
        state.blocks.next_to_write().map(|job| (job, None))
    }

    fn perform(&self, job: (Job, Option<Buffer>)) {
        match job {
            (Job::Write { part, number, buffer, sum }, _) => self.write(part, number, buffer, sum),
            (Job::Read { part, number, place, whole }, buffer) => {
                self.read_ahead(part, number, place, whole, buffer.expect("to read into"));
            }
        }
    }

    fn write(&self, part: u64, number: u64, buffer: Buffer, sum: u32) {
        let written = self.space.write(&buffer, sum);
        let mut state = self.state.lock();
        let block = state.blocks.find(part, number);
        match (written, block) {
            (Ok(place), Some(block)) => {
                block.content = Content::Stored(place);
                state.spare.push(buffer);
            }
            (Ok(place), None) => {
                state.spare.push(buffer);
                drop(state);
                self.space.give(place);
            }
            (Err(error), Some(block)) => {
                block.content = Content::Waiting(buffer, sum);
                state.blocks.write_again(part, number);
                state.failure = Some(Arc::new(error));
            }
            (Err(error), None) => {
                state.spare.push(buffer);
                state.failure = Some(Arc::new(error));
            }
        }
    }

    fn read_ahead(&self, part: u64, number: u64, place: Place, whole: usize, mut buffer: Buffer) {
        buffer.resize(whole, 0);
        let read = self.space.read(place, &mut buffer);
        let mut state = self.state.lock();
        match (state.blocks.find(part, number), read) {
            (Some(block), Ok(())) => block.content = Content::Ready(place, buffer),
            (Some(block), Err(_)) => {
                block.content = Content::Stored(place);
                block.refused = true;
                state.spare.push(buffer);
            }
            (None, _) => state.spare.push(buffer),
        }
    }
}

impl<M> Drop for Desk<M> {
    fn drop(&mut self) {
        account::refund(self.state.lock().charged);
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use crate::sync::Lock;

    /// A file of a few bytes, the first write to which fails if it is to.
    struct Bytes(Lock<([u8; 64], bool)>);

    impl Medium for Bytes {
        fn allocate(&self, _: u64, _: u64) -> io::Result<()> {
            Ok(())
        }

        fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
            let mut there = self.0.lock();
            if std::mem::take(&mut there.1) {
                return Err(io::ErrorKind::StorageFull.into());
            }
            there.0[(offset / 4096) as usize] = bytes[0];
            Ok(bytes.len())
        }

        fn read(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
            bytes[0] = self.0.lock().0[(offset / 4096) as usize];
            Ok(bytes.len())
        }

        fn cut(&self, _: u64) -> io::Result<()> {
            Ok(())
        }
    }

    /// Two blocks of a byte go over one buffer and come back, the upper one in another version, whenever the thread takes
    /// what; and it ends.
    fn sweep_up_and_down(fails: bool) {
        let mut bounds = loom::model::Builder::new();
        bounds.preemption_bound = Some(2);
        bounds.check(move || {
            let space = Space::new(Bytes(Lock::new(([0; 64], fails))), u64::MAX);
            let desk = loom::sync::Arc::new(Desk::new(space, 1, 1));
            desk.set_staffed(true);
            let thread = {
                let desk = desk.clone();
                loom::thread::spawn(move || desk.run())
            };
            let part = desk.add_part();
            let put = |value: u8| {
                while desk.put(part, &[value]).is_err() {
                    desk.try_again();
                }
            };
            put(1);
            put(2);
            desk.cut(part, 1);
            put(3);
            for (offset, value) in [(1, 3), (0, 1)] {
                let mut found = [0];
                let got = desk.get(part, offset, &mut found, &mut Vec::new());
                assert!(got.is_ok() && found == [value]);
                desk.cut(part, offset);
            }
            desk.remove_part(part);
            desk.close();
            thread.join().unwrap();
        });
    }

    #[test]
    fn blocks_come_back_whenever_the_thread_is_at_work() {
        sweep_up_and_down(false);
    }

    #[test]
    fn block_that_could_not_be_written_comes_back() {
        sweep_up_and_down(true);
    }
}
