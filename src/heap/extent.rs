//! Where a block lies and how much it takes, before and after an operation, for who keeps data about memory.

use super::Heap;
use super::record::{self, Kind};
use super::shared::Shared;
use crate::site::Site;
use crate::tape::Cursor;

/// Whether an address lies in a stable heap of the process.
pub(crate) fn is_of_a_heap(address: usize) -> bool {
    Shared::of_address(address).is_some()
}

/// Base and bytes.
type Extent = (usize, usize);

impl Heap {
    /// The extent of the block that begins at `p`; `None` where none does.
    pub(crate) fn extent(&self, p: *const u8) -> Option<Extent> {
        let block = self.arena.shared.find(self.arena.layout.offset(p as usize)?)?;
        Some((p as usize, block.bytes))
    }

    /// The extent of the block whose birth is on top of the tape: an undo would take it away.
    pub(crate) fn last_born(&self, tape: &Cursor) -> Option<Extent> {
        let (kind, block, tag) = record::pop(tape, Site::UNKNOWN).ok()??;
        record::push_tagged(tape, kind, block, tag, Site::UNKNOWN).ok()?;
        let births = [Kind::Alloc, Kind::Realloc, Kind::ReallocSaved, Kind::ReallocNull];
        births.contains(&kind).then(|| (self.arena.address(block) as usize, block.bytes))
    }

    /// Where the adjoint of that memory lies.
    pub(crate) fn adjoint_extent(&self, (base, bytes): Extent) -> Extent {
        (self.factor.wrapping_mul(base).wrapping_add(self.origin), self.factor * bytes)
    }
}
