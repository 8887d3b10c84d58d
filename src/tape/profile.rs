//! Profile mode: the traffic of a tape by type and operation.

#![forbid(unsafe_code)]

use super::types::Type;

/// What moves values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Operation {
    /// Onto the tape.
    Push = 0,
    /// Off the tape.
    Pop = 1,
}

/// What was moved since profile mode was turned on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Traffic {
    /// Pushes or pops; an array is one.
    pub calls: u64,
    /// Values; of control the bits, of raw bytes the bytes.
    pub elements: u64,
    /// Bytes; of control bits none, because they fill words together.
    pub bytes: u64,
}

impl Traffic {
    fn add(&mut self, other: Traffic) {
        self.calls += other.calls;
        self.elements += other.elements;
        self.bytes += other.bytes;
    }
}

/// Traffic by type and operation.
#[derive(Default)]
pub(super) struct Profile {
    traffic: [[Traffic; 2]; Type::ALL.len()],
}

impl Profile {
    pub fn count(&mut self, operation: Operation, ty: Type, elements: u64, bytes: u64) {
        let entry = &mut self.traffic[ty as usize - 1][operation as usize];
        entry.add(Traffic { calls: 1, elements, bytes });
    }

    pub fn traffic(&self, ty: Option<Type>, operation: Operation) -> Traffic {
        match ty {
            Some(ty) => self.traffic[ty as usize - 1][operation as usize],
            None => self.traffic.iter().fold(Traffic::default(), |mut sum, entry| {
                sum.add(entry[operation as usize]);
                sum
            }),
        }
    }
}
