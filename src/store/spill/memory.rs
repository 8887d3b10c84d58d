//! The memory of a block: where the tape had it, or a buffer of our own.

#![forbid(unsafe_code)]

use super::account;

/// A part of a tape's memory that its tape leaves to a store, with its address. It begins with contents.
pub(crate) trait Room: Send {
    fn bytes(&self) -> &[u8];
    fn bytes_mut(&mut self) -> &mut [u8];
    /// Gives the memory back; the address stays.
    fn empty(&mut self);
    /// Takes memory again, whose contents are any. False if there is none.
    fn fill(&mut self) -> bool;
    /// Leaves memory and contents to the tape again.
    fn leave(self: Box<Self>);
}

/// The oldest part of a tape, a piece of which can be left to a store.
pub(crate) trait Rooms {
    /// Offset of its first byte.
    fn from(&self) -> u64;
    fn len(&self) -> usize;
    /// Leaves the first `bytes`, and what is on a page with the last of them.
    fn take_first(&mut self, bytes: usize) -> Box<dyn Room>;
    /// Has them again.
    fn put_back(&mut self, room: Box<dyn Room>);
}

/// Memory of a block, with contents while the block is on its way.
pub(super) enum Memory {
    /// Where the tape had it, and will have it.
    Tape(Box<dyn Room>),
    Buffer(Buffer),
    /// Neither: it is read by the pop that needs it.
    Nowhere,
}

impl Memory {
    /// A copy; None if there is no memory for it.
    pub fn copy(bytes: &[u8]) -> Option<Memory> {
        let mut buffer = Buffer::default();
        buffer.fill(bytes.len()).then(|| {
            buffer.bytes.copy_from_slice(bytes);
            Memory::Buffer(buffer)
        })
    }

    /// A copy, whose memory nobody accounts for.
    pub fn copy_at_any_rate(bytes: &[u8]) -> Memory {
        Memory::Buffer(Buffer { bytes: bytes.to_vec(), charged: 0 })
    }

    pub fn bytes(&self) -> &[u8] {
        match self {
            Memory::Tape(room) => room.bytes(),
            Memory::Buffer(buffer) => &buffer.bytes,
            Memory::Nowhere => &[],
        }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Memory::Tape(room) => room.bytes_mut(),
            Memory::Buffer(buffer) => &mut buffer.bytes,
            Memory::Nowhere => &mut [],
        }
    }

    /// Gives the memory back.
    pub fn empty(&mut self) {
        match self {
            Memory::Tape(room) => room.empty(),
            Memory::Buffer(buffer) => *buffer = Buffer::default(),
            Memory::Nowhere => {}
        }
    }

    /// Takes memory for `bytes` again. False if there is none.
    pub fn fill(&mut self, bytes: usize) -> bool {
        match self {
            Memory::Tape(room) => room.fill(),
            Memory::Buffer(buffer) => buffer.fill(bytes),
            Memory::Nowhere => false,
        }
    }

    /// Whether the tape had it.
    pub fn is_tape(&self) -> bool {
        matches!(self, Memory::Tape(_))
    }
}

/// Bytes that are charged until they are dropped.
#[derive(Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    charged: usize,
}

impl Buffer {
    fn fill(&mut self, bytes: usize) -> bool {
        let Some(charged) = account::charge(bytes) else { return false };
        let mut buffer = Buffer { bytes: Vec::new(), charged };
        let there = buffer.bytes.try_reserve_exact(bytes).is_ok();
        if there {
            buffer.bytes.resize(bytes, 0);
            *self = buffer;
        }
        there
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        account::refund(self.charged);
    }
}
