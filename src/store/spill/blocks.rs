//! What is known of spilled tape: its blocks, in memory and in the file, and what is to be done for them next.
//!
//! *Part*: the spilled bytes of one tape, from its offset 0 on. *Block*: a piece of a part that is written and read as a
//! whole. *Buffer*: memory for a block on its way.
//!
//! ```text
//!                   written                   read back ahead
//!   Waiting --> Writing --> Stored --> Reading --> Ready          in a buffer: Waiting, Ready, and with the
//!                              ^__________________________|       thread that is at work: Writing, Reading
//! ```
//!
//! A block that is dropped meanwhile is gone here; whoever works on it finds that out by its number.

#![forbid(unsafe_code)]

use super::space::Place;
use std::collections::{BTreeMap, VecDeque};

/// Memory of a block on its way.
pub(super) type Buffer = Vec<u8>;

pub(super) enum Content {
    /// To be written, with its checksum.
    Waiting(Buffer, u32),
    Writing,
    Stored(Place),
    /// Being read back ahead of the pops.
    Reading(Place),
    Ready(Place, Buffer),
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
    Write { part: u64, number: u64, buffer: Buffer, sum: u32 },
    Read { part: u64, number: u64, place: Place, whole: usize },
}

/// All blocks of a file.
#[derive(Default)]
pub(super) struct Blocks {
    parts: BTreeMap<u64, Part>,
    next_part: u64,
    next_block: u64,
    /// Blocks to be written, oldest first; some were dropped since.
    queue: VecDeque<(u64, u64)>,
}

impl Blocks {
    /// A new part without blocks.
    pub fn add_part(&mut self) -> u64 {
        self.next_part += 1;
        self.parts.insert(self.next_part, Part { blocks: Vec::new(), read: None });
        self.next_part
    }

    pub fn end(&self, part: u64) -> u64 {
        self.parts[&part].end()
    }

    /// Drops what lies at `end` or above it; the places and buffers that get free.
    pub fn cut(&mut self, part: u64, end: u64) -> (Vec<Place>, Vec<Buffer>) {
        let (mut places, mut buffers) = (Vec::new(), Vec::new());
        let blocks = &mut self.parts.get_mut(&part).expect("a part is dropped last").blocks;
        while let Some(block) = blocks.pop_if(|block| block.from >= end) {
            match block.content {
                Content::Waiting(buffer, _) => buffers.push(buffer),
                // Whoever writes it gives its place back.
                Content::Writing => {}
                Content::Stored(place) | Content::Reading(place) => places.push(place),
                Content::Ready(place, buffer) => {
                    places.push(place);
                    buffers.push(buffer);
                }
            }
        }
        if let Some(last) = blocks.last_mut().filter(|last| last.end() > end) {
            last.bytes = (end - last.from) as usize;
        }
        (places, buffers)
    }

    /// Forgets a part, all of which was dropped.
    pub fn remove_part(&mut self, part: u64) {
        self.parts.remove(&part);
    }

    /// Adds a block of so many bytes at the end of a part, which grows from now on.
    pub fn push(&mut self, part: u64, bytes: usize, content: Content) {
        self.next_block += 1;
        let number = self.next_block;
        if let Content::Waiting(..) = content {
            self.queue.push_back((part, number));
        }
        let part = self.parts.get_mut(&part).expect("a part");
        part.read = None;
        part.blocks.push(Block { number, from: part.end(), bytes, whole: bytes, content, refused: false });
    }

    /// Says that a part is read back down to `from`.
    pub fn set_read(&mut self, part: u64, from: u64) {
        self.parts.get_mut(&part).expect("a part").read = Some(from);
    }

    /// The block of a part that a byte is in.
    pub fn at(&mut self, part: u64, offset: u64) -> &mut Block {
        let blocks = &mut self.parts.get_mut(&part).expect("a part").blocks;
        let i = blocks.partition_point(|block| block.from <= offset) - 1;
        &mut blocks[i]
    }

    /// A block by its number, unless it was dropped.
    pub fn find(&mut self, part: u64, number: u64) -> Option<&mut Block> {
        let blocks = &mut self.parts.get_mut(&part)?.blocks;
        let i = blocks.binary_search_by_key(&number, |block| block.number).ok()?;
        Some(&mut blocks[i])
    }

    /// Takes the buffer of a block that is in the file as well.
    pub fn steal(&mut self) -> Option<Buffer> {
        for block in self.parts.values_mut().flat_map(|part| &mut part.blocks) {
            if let Content::Ready(place, buffer) = &mut block.content {
                let (place, buffer) = (*place, std::mem::take(buffer));
                block.content = Content::Stored(place);
                return Some(buffer);
            }
        }
        None
    }

    /// The highest block that is to be read ahead of the pops: in the file alone, and with less than `ahead` bytes between
    /// it and what was read back last.
    pub fn next_to_read(&self, ahead: usize) -> Option<(u64, u64)> {
        self.parts.iter().find_map(|(part, Part { blocks, read })| {
            let below = blocks.partition_point(|block| Some(block.from) < *read);
            let mut passed = 0;
            let mut near = blocks[..below].iter().rev().take_while(|block| {
                let is_near = passed < ahead && !block.refused;
                passed += block.whole;
                is_near
            });
            near.find(|block| matches!(block.content, Content::Stored(_))).map(|block| (*part, block.number))
        })
    }

    /// Says that a block is being read, one that is in the file alone.
    pub fn begin_to_read(&mut self, part: u64, number: u64) -> Option<Job> {
        let block = self.find(part, number)?;
        let Content::Stored(place) = block.content else { return None };
        block.content = Content::Reading(place);
        Some(Job::Read { part, number, place, whole: block.whole })
    }

    /// The oldest block that is to be written.
    pub fn next_to_write(&mut self) -> Option<Job> {
        while let Some((part, number)) = self.queue.pop_front() {
            let Some(block) = self.find(part, number) else { continue };
            if let Content::Waiting(buffer, sum) = &mut block.content {
                let (buffer, sum) = (std::mem::take(buffer), *sum);
                block.content = Content::Writing;
                return Some(Job::Write { part, number, buffer, sum });
            }
        }
        None
    }

    /// Puts a block back that could not be written, to be the next.
    pub fn write_again(&mut self, part: u64, number: u64) {
        self.queue.push_front((part, number));
    }
}
