//! What has the oldest part of a tape: a file of ours, which takes memory as it is, or a store of the program's.

#![forbid(unsafe_code)]

use crate::error::Error;
use crate::store::{Room, Rooms, Spill, SpillFile};
use crate::vm::{HUGE_PAGE, Lent, PAGE, Pages};

pub(super) enum Aside {
    File(SpillFile),
    Program(Box<dyn Spill>),
}

/// Values go to a program's store in pieces of this size, each of which leaves its memory to others at once.
const PIECE: usize = HUGE_PAGE;

impl Room for Pages {
    fn bytes(&self) -> &[u8] {
        Pages::bytes(self)
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        Pages::bytes_mut(self)
    }

    fn empty(&mut self) {
        Pages::empty(self);
    }

    fn fill(&mut self) -> bool {
        Pages::fill(self)
    }

    fn leave(self: Box<Self>) {
        Pages::leave(*self);
    }
}

impl Rooms for Lent {
    fn from(&self) -> u64 {
        Lent::from(self) as u64
    }

    fn len(&self) -> usize {
        Lent::len(self)
    }

    fn take_first(&mut self, bytes: usize) -> Box<dyn Room> {
        Box::new(Lent::take_first(self, bytes.next_multiple_of(PAGE)))
    }

    fn put_back(&mut self, room: Box<dyn Room>) {
        self.regain_first(room.bytes().len());
        room.leave();
    }
}

impl Aside {
    /// Moves the first `bytes` of what is lent there, so that `wanted` bytes of memory get free. Returns how many did, or will
    /// in a moment.
    pub fn keep(&mut self, memory: &mut Lent, bytes: usize, wanted: usize) -> Result<usize, Error> {
        match self {
            Aside::File(file) => file.keep(memory, bytes, wanted),
            Aside::Program(store) => keep_in_store(&mut **store, memory, bytes),
        }
    }

    /// Bytes of memory that may be free in a moment.
    pub fn held(&self) -> usize {
        match self {
            Aside::File(file) => file.held(),
            Aside::Program(_) => 0,
        }
    }

    /// Bytes of memory that reading back takes at first.
    pub fn reads_ahead(&self) -> usize {
        match self {
            Aside::File(file) => file.reads_ahead(),
            Aside::Program(_) => 0,
        }
    }

    /// Gives the span's last discarded bytes back with their memory, without a copy: how many. None where they have to be
    /// read.
    pub fn give_back(&mut self, end: usize) -> Result<Option<usize>, Error> {
        let Aside::File(file) = self else { return Ok(None) };
        let room = file.give_back(end as u64)?;
        Ok(room.map(|room| {
            let bytes = room.bytes().len();
            room.leave();
            bytes
        }))
    }

    /// Keeps off the span's memory at `from` and above, which is about to have another use.
    pub fn leave(&mut self, from: usize) {
        if let Aside::File(file) = self {
            file.leave(from as u64);
        }
    }

    /// Drops what lies at `end` or above it. A program's store finds out when something is written there.
    pub fn drop_above(&mut self, end: usize) {
        if let Aside::File(file) = self {
            file.drop_above(end as u64);
        }
    }

    /// Whether this process can use it: not the file of its parent.
    pub fn is_ours(&self) -> bool {
        match self {
            Aside::File(file) => file.is_ours(),
            Aside::Program(_) => true,
        }
    }

    /// Reads what was at `offset`; what lies behind it is not needed any more.
    pub fn read(&mut self, offset: usize, bytes: &mut [u8]) -> Result<(), Error> {
        match self {
            Aside::File(file) => file.read(offset as u64, bytes),
            Aside::Program(store) => store.read(offset as u64, bytes),
        }
    }
}

fn keep_in_store(store: &mut dyn Spill, memory: &mut Lent, bytes: usize) -> Result<usize, Error> {
    let mut gone = 0;
    while gone < bytes {
        let piece = PIECE.min(bytes - gone);
        match store.write(memory.from() as u64, memory.first(piece)) {
            Ok(()) => memory.discard_first(piece),
            Err(error) if gone == 0 => return Err(error),
            Err(_) => break,
        }
        gone += piece;
    }
    Ok(gone)
}
