//! What is known of spilled tape: its blocks, in memory and in the file, and what is to be done for them next.
//!
//! *Part*: the spilled bytes of one tape, from its offset 0 on. *Block*: a piece of a part that is written and read as a
//! whole. A block on its way has [`Memory`].
//!
//! ```text
//!                   written                   read back ahead
//!   Waiting --> Writing --> Stored --> Reading --> Ready          contents in memory: Waiting, Ready, and with the
//!      |                       ^                     |            thread that is at work: Writing, Reading
//!      v                       |_____________________v
//!   the tape's again                               the tape's again
//! ```
//!
//! A block that the thread is at work on stays until that is done: its memory is the thread's meanwhile.

#![forbid(unsafe_code)]

use super::memory::{Memory, Room};
use super::space::Place;
use std::collections::{BTreeMap, VecDeque};

pub(super) enum Content {
    /// To be written.
    Waiting(Memory),
    Writing,
    /// The memory is empty.
    Stored(Place, Memory),
    /// Being read back ahead of the pops.
    Reading,
    Ready(Place, Memory),
}

pub(super) struct Block {
    /// Distinct for every block.
    pub number: u64,
    /// Its first byte, as an offset of the part.
    pub from: u64,
    /// Bytes that belong to the part. Those behind them were overwritten.
    pub bytes: usize,
    /// Bytes that were written, `bytes` or more.
    pub whole: usize,
    pub content: Content,
    /// It could not be read ahead; the pop that needs it tries again, and says why.
    pub refused: bool,
}

impl Block {
    fn end(&self) -> u64 {
        self.from + self.bytes as u64
    }

    fn is_at_work(&self) -> bool {
        matches!(self.content, Content::Writing | Content::Reading)
    }

    /// Bytes of memory that it has on its way.
    fn held(&self) -> usize {
        if matches!(self.content, Content::Stored(..)) { 0 } else { self.whole }
    }

    fn memory(&self) -> Option<&Memory> {
        match &self.content {
            Content::Waiting(memory) | Content::Stored(_, memory) | Content::Ready(_, memory) => Some(memory),
            Content::Writing | Content::Reading => None,
        }
    }

    /// Empties the memory of a block that is in the file as well.
    fn forget(&mut self) {
        if let Content::Ready(place, memory) = &mut self.content {
            memory.empty();
            let memory = std::mem::replace(memory, Memory::Nowhere);
            self.content = Content::Stored(*place, memory);
        }
    }

    /// Leaves the tape's memory, where it has some, to the tape, which may write to it.
    fn leave(&mut self) {
        if self.memory().is_some_and(Memory::is_tape) {
            let nothing = Content::Waiting(Memory::Nowhere);
            self.content = match std::mem::replace(&mut self.content, nothing) {
                Content::Waiting(memory) => Content::Waiting(Memory::copy_at_any_rate(memory.bytes())),
                Content::Stored(place, _) | Content::Ready(place, _) => Content::Stored(place, Memory::Nowhere),
                at_work => at_work,
            };
        }
    }
}

/// The blocks of one tape, ascending, without gaps.
struct Part {
    blocks: Vec<Block>,
    /// What was last read back begins here: what lies below is next. None while the part grows.
    read: Option<u64>,
}

impl Part {
    fn end(&self) -> u64 {
        self.blocks.last().map_or(0, Block::end)
    }
}

/// Work for the thread in the background.
pub(super) enum Job {
    Write { part: u64, number: u64, memory: Memory },
    Read { part: u64, number: u64, place: Place, memory: Memory },
}

/// All blocks of a file.
#[derive(Default)]
pub(super) struct Blocks {
    parts: BTreeMap<u64, Part>,
    next_part: u64,
    next_block: u64,
    /// Blocks to be written, oldest first; some were dropped since.
    queue: VecDeque<(u64, u64)>,
    /// Bytes of memory that blocks have on their way.
    held: usize,
}

impl Blocks {
    /// A new part without blocks.
    pub fn add_part(&mut self) -> u64 {
        self.next_part += 1;
        self.parts.insert(self.next_part, Part { blocks: Vec::new(), read: None });
        self.next_part
    }

    /// Forgets a part, all of which was dropped.
    pub fn remove_part(&mut self, part: u64) {
        self.parts.remove(&part);
    }

    pub fn has_parts(&self) -> bool {
        !self.parts.is_empty()
    }

    fn part(&mut self, part: u64) -> &mut Part {
        self.parts.get_mut(&part).expect("a part is dropped last")
    }

    pub fn end(&self, part: u64) -> u64 {
        self.parts[&part].end()
    }

    /// Bytes of memory that blocks have on their way.
    pub fn held(&self) -> usize {
        self.held
    }

    /// Whether a thread is at work on a block that reaches beyond `end`.
    pub fn is_at_work(&self, part: u64, end: u64) -> bool {
        self.parts[&part].blocks.iter().rev().take_while(|block| block.end() > end).any(Block::is_at_work)
    }

    /// Drops what lies at `end` or above it, on which nobody is at work; the places that get free.
    pub fn cut(&mut self, part: u64, end: u64) -> Vec<Place> {
        let mut places = Vec::new();
        while let Some(block) = self.part(part).blocks.pop_if(|block| block.from >= end) {
            self.held -= block.held();
            if let Content::Stored(place, _) | Content::Ready(place, _) = block.content {
                places.push(place);
            }
        }
        self.leave(part, end);
        if let Some(last) = self.part(part).blocks.last_mut().filter(|last| last.end() > end) {
            last.bytes = (end - last.from) as usize;
        }
        places
    }

    /// Leaves the tape's memory at `from` and above, on which nobody is at work, to the tape.
    pub fn leave(&mut self, part: u64, from: u64) {
        let mut freed = 0;
        for block in self.part(part).blocks.iter_mut().rev().take_while(|block| block.end() > from) {
            freed += block.held();
            block.leave();
            freed -= block.held();
        }
        self.held -= freed;
    }

    /// Adds a block of so many bytes at the end of a part, which grows from now on.
    pub fn push(&mut self, part: u64, bytes: usize, content: Content) {
        self.next_block += 1;
        let number = self.next_block;
        if let Content::Waiting(_) = content {
            self.queue.push_back((part, number));
        }
        let part = self.parts.get_mut(&part).expect("a part");
        part.read = None;
        let block = Block { number, from: part.end(), bytes, whole: bytes, content, refused: false };
        self.held += block.held();
        part.blocks.push(block);
    }

    /// Takes the last block of a part for the tape whose memory it has, with what is there of its contents; none if it is
    /// to be read with its neighbours.
    pub fn take_last(&mut self, part: u64) -> Option<Taken> {
        let last = self.part(part).blocks.last()?;
        if !last.memory().is_some_and(Memory::is_tape) || last.bytes < last.whole {
            return None;
        }
        let last = self.part(part).blocks.pop()?;
        self.held -= last.held();
        let Block { number, from, content, .. } = last;
        Some(match content {
            Content::Waiting(Memory::Tape(room)) => Taken::Whole(room, None),
            Content::Ready(place, Memory::Tape(room)) => Taken::Whole(room, Some(place)),
            Content::Stored(place, Memory::Tape(room)) => Taken::Empty { number, from, place, room },
            _ => return None,
        })
    }

    /// Says that a part is read back down to `from`.
    pub fn set_read(&mut self, part: u64, from: u64) {
        self.part(part).read = Some(from);
    }

    /// The block of a part that a byte is in.
    pub fn at(&mut self, part: u64, offset: u64) -> &mut Block {
        let blocks = &mut self.part(part).blocks;
        let i = blocks.partition_point(|block| block.from <= offset) - 1;
        &mut blocks[i]
    }

    /// Empties the memory of the block that a byte is in, which is in the file as well.
    pub fn forget(&mut self, part: u64, offset: u64) {
        let block = self.at(part, offset);
        let before = block.held();
        block.forget();
        let now = block.held();
        self.held = self.held - before + now;
    }

    /// A block by its number, unless it was dropped.
    fn find(&mut self, part: u64, number: u64) -> Option<&mut Block> {
        let blocks = &mut self.parts.get_mut(&part)?.blocks;
        let i = blocks.binary_search_by_key(&number, |block| block.number).ok()?;
        Some(&mut blocks[i])
    }

    /// Empties the memory of a block that is in the file as well; whether there was one.
    pub fn steal(&mut self) -> bool {
        let mut blocks = self.parts.values_mut().flat_map(|part| &mut part.blocks);
        let Some(block) = blocks.find(|block| matches!(block.content, Content::Ready(..))) else { return false };
        self.held -= block.held();
        block.forget();
        true
    }

    /// The highest block that is to be read ahead of the pops: in the file alone, and with less than `ahead` bytes between
    /// it and what was read back last.
    fn next_to_read(&self, ahead: usize) -> Option<(u64, u64)> {
        self.parts.iter().find_map(|(part, Part { blocks, read })| {
            let below = blocks.partition_point(|block| Some(block.from) < *read);
            let mut passed = 0;
            let mut near = blocks[..below].iter().rev().take_while(|block| {
                let is_near = passed < ahead && !block.refused;
                passed += block.whole;
                is_near
            });
            let found = near.find(|block| matches!(block.content, Content::Stored(..)))?;
            found.memory().filter(|memory| !matches!(memory, Memory::Nowhere))?;
            Some((*part, found.number))
        })
    }

    /// A block that is to be read ahead of the pops, for which there is memory: no more than `room` for all that are on
    /// their way.
    pub fn begin_to_read(&mut self, ahead: usize, room: usize) -> Option<Job> {
        let (part, number) = self.next_to_read(ahead)?;
        let held = self.held;
        let block = self.find(part, number)?;
        let whole = block.whole;
        let Content::Stored(place, memory) = &mut block.content else { return None };
        if held + whole > room || !memory.fill(whole) {
            return None;
        }
        let (place, memory) = (*place, std::mem::replace(memory, Memory::Nowhere));
        block.content = Content::Reading;
        self.held += whole;
        Some(Job::Read { part, number, place, memory })
    }

    /// The oldest block that is to be written.
    pub fn begin_to_write(&mut self) -> Option<Job> {
        while let Some((part, number)) = self.queue.pop_front() {
            let Some(block) = self.find(part, number) else { continue };
            if let Content::Waiting(memory) = &mut block.content {
                let memory = std::mem::replace(memory, Memory::Nowhere);
                block.content = Content::Writing;
                return Some(Job::Write { part, number, memory });
            }
        }
        None
    }

    /// Whether blocks are being written or wait for that.
    pub fn is_writing(&self) -> bool {
        self.parts
            .values()
            .flat_map(|part| part.blocks.iter().rev())
            .any(|block| matches!(block.content, Content::Waiting(_) | Content::Writing))
    }

    /// Says what became of a block that a thread was at work on.
    pub fn finish(&mut self, part: u64, number: u64, content: Content, refused: bool) {
        if let Content::Waiting(_) = content {
            // It could not be written, and is the next.
            self.queue.push_front((part, number));
        }
        let block = self.find(part, number).expect("it stays while a thread is at work on it");
        let before = block.held();
        (block.content, block.refused) = (content, refused);
        let now = block.held();
        self.held = self.held - before + now;
    }

    /// Puts back what could not be read.
    pub fn put_back(&mut self, part: u64, taken: Taken) {
        let Taken::Empty { number, from, place, room } = taken else { return };
        let bytes = place.bytes as usize;
        let content = Content::Stored(place, Memory::Tape(room));
        self.part(part).blocks.push(Block { number, from, bytes, whole: bytes, content, refused: true });
    }
}

/// A block that is the tape's again, or nearly so.
pub(super) enum Taken {
    /// With its contents; the place gets free.
    Whole(Box<dyn Room>, Option<Place>),
    /// Its contents are in the file alone.
    Empty { number: u64, from: u64, place: Place, room: Box<dyn Room> },
}
