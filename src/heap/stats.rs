//! What a heap has.

use super::{Address, Heap};

/// Sizes of a heap, in bytes where not said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct HeapStats {
    /// Blocks alive.
    pub blocks: u64,
    /// What they take, each rounded up to its size class.
    pub bytes: u64,
    /// The most that were alive at once.
    pub peak_bytes: u64,
    /// Operations of the forward sweep that were not undone.
    pub operations: u64,
    /// Blocks freed by another thread, whose free was not undone.
    pub quarantined_blocks: u64,
    /// Memory behind blocks and the free intervals between them.
    pub committed_bytes: u64,
    /// Memory behind adjoints.
    pub adjoint_committed_bytes: u64,
    /// Memory that the heap has for itself.
    pub overhead_bytes: u64,
    /// Address space for blocks: half of it for small ones, up to 8 KiB, half for large ones.
    pub reserved_bytes: u64,
    /// Where that lies: one range for maps of addresses. It never moves; most of it has no memory.
    pub base: Address,
    /// Where the adjoints of all of it lie; NULL if there are none.
    pub adjoint_base: Address,
    /// Address space for adjoints.
    pub adjoint_reserved_bytes: u64,
}

impl Heap {
    /// Sizes now.
    pub fn stats(&self) -> HeapStats {
        let [committed_bytes, adjoint_committed_bytes, overhead_bytes] = self.arena.resident_bytes();
        let extra = self.adjoint_only.as_ref().map_or([0; 3], |arena| arena.resident_bytes());
        let [(base, _), (adjoint_base, adjoint_end)] = self.ranges();
        HeapStats {
            blocks: self.arena.blocks(),
            bytes: self.arena.bytes(),
            peak_bytes: self.arena.peak_bytes(),
            operations: self.operations,
            quarantined_blocks: self.arena.shared.quarantined() as u64,
            committed_bytes,
            adjoint_committed_bytes: adjoint_committed_bytes + extra[0],
            overhead_bytes: overhead_bytes + extra[2],
            reserved_bytes: 2 * self.arena.layout.half as u64,
            base,
            adjoint_base: if adjoint_end > adjoint_base { adjoint_base } else { 0 },
            adjoint_reserved_bytes: (adjoint_end - adjoint_base) as u64,
        }
    }

    /// Gives memory that no block needs back to the system, which the heap itself does only where the memory limit
    /// makes it. Returns how many bytes that were.
    pub fn trim(&mut self) -> usize {
        let extra = self.adjoint_only.as_mut().map_or(0, |arena| arena.relieve(usize::MAX, 1));
        extra + self.arena.relieve(usize::MAX, 1)
    }
}
