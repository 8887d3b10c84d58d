//! Memory as a tape leaves it, in vectors.

#![forbid(unsafe_code)]

use crate::store::spill::memory::{Room, Rooms};

/// A tape's memory, which nobody may look at while it is empty, and which there is none of at times.
struct Piece {
    bytes: Vec<u8>,
    is_full: bool,
    random: fastrand::Rng,
}

impl Room for Piece {
    fn bytes(&self) -> &[u8] {
        assert!(self.is_full);
        &self.bytes
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        assert!(self.is_full);
        &mut self.bytes
    }

    fn empty(&mut self) {
        self.bytes.fill(0xaa);
        self.is_full = false;
    }

    fn fill(&mut self) -> bool {
        assert!(!self.is_full);
        self.is_full = self.random.u8(..8) > 0;
        self.is_full
    }

    fn leave(self: Box<Self>) {
        assert!(self.is_full);
    }
}

/// The oldest part of a tape.
pub struct Pieces {
    pub bytes: Vec<u8>,
    pub from: u64,
    random: fastrand::Rng,
}

impl Pieces {
    pub fn new(bytes: Vec<u8>, from: u64, random: fastrand::Rng) -> Pieces {
        Pieces { bytes, from, random }
    }
}

impl Rooms for Pieces {
    fn from(&self) -> u64 {
        self.from
    }

    fn len(&self) -> usize {
        self.bytes.len()
    }

    fn take_first(&mut self, bytes: usize) -> Box<dyn Room> {
        self.from += bytes as u64;
        let rest = self.bytes.split_off(bytes);
        let bytes = std::mem::replace(&mut self.bytes, rest);
        Box::new(Piece { bytes, is_full: true, random: self.random.fork() })
    }

    fn put_back(&mut self, room: Box<dyn Room>) {
        let mut bytes = room.bytes().to_vec();
        self.from -= bytes.len() as u64;
        bytes.append(&mut self.bytes);
        self.bytes = bytes;
        room.leave();
    }
}
