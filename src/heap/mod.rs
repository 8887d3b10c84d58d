//! The stable heap: blocks that get the same address again in the reverse sweep.
//!
//! *Stable*: lifetimes run backwards in the reverse sweep, so a heap that nobody else uses is, at every point of it, in
//! the state of the matching point of the forward sweep, and each block that comes back can have its old address. Its
//! *adjoint* lies at a constant distance. So a pointer is restored by popping it, and its adjoint by one addition.
//!
//! ```text
//!  forward   p = alloc     free(p)     q = alloc                      tape: alloc p | free p | alloc q
//!  reverse                                       undo: q goes, p comes back at the same address, p goes
//!
//!  primal   |--p--|  |---r---|            adjoint  |--p--|  |---r---|
//!           ^ base + offset                        ^ adjoint_base + factor * offset
//! ```
//!
//! * [`class`], [`head`], [`slabs`], [`large`]: where blocks go, a function of the blocks that are alive.
//! * [`arena`]: those, the memory behind them and that of their adjoints; [`shared`]: what other threads see.
//! * [`record`]: what an operation leaves on the tape; [`fingerprint`]: whether the heap is what it was then.
//! * [`forward`], [`reverse`], [`adjoint`]: the operations. [`mark`], [`snapshot`]: for checkpoints.
//! * [`extent`]: where a block lies, for others.
//! * [`quarantine`]: blocks freed by another thread. [`program`]: the program's other memory.
//!
//! The conditions under which all this holds, and how each is enforced or its violation detected, are in
//! `docs/heap.md`.

mod adjoint;
mod arena;
mod bitset;
mod class;
mod extent;
mod fingerprint;
mod forward;
mod head;
mod large;
mod mark;
mod program;
mod quarantine;
mod record;
mod reverse;
mod shared;
mod slabs;
mod snapshot;
mod stats;

pub(crate) use extent::is_of_a_heap;
pub(crate) use forward::Way;
pub use mark::HeapMark;
pub use program::{ObjectMemory, ProcessMemory};
pub(crate) use shared::{hold, let_go};
pub use stats::HeapStats;

use crate::error::{Error, Status, counted};
use arena::Arena;
use record::Block;

/// Most adjoint bytes for each primal byte.
const MAX_FACTOR: usize = 1024;

/// A heap whose blocks get the same address again in the reverse sweep. It is used by one thread at a time.
///
/// ```
/// use adtape::{Heap, Tape};
///
/// # fn main() -> Result<(), adtape::Error> {
/// let (tape, mut heap) = (Tape::new()?, Heap::new()?);
/// // Forward sweep: a temporary of each step.
/// let p = heap.alloc(&tape, 100 * 8)?;
/// heap.free(&tape, p)?;
/// let q = heap.alloc(&tape, 50 * 8)?;
/// // Reverse sweep: every call is undone, the last one first.
/// heap.begin_reverse()?;
/// heap.undo_alloc(&tape)?;
/// assert_eq!(heap.undo_free(&tape)?, p);
/// let p_adjoint = p.wrapping_offset(heap.delta());
/// assert_eq!(heap.adjoint(p)?, p_adjoint);
/// # let _ = q;
/// heap.undo_alloc(&tape)?;
/// heap.end_reverse()?;
/// # Ok(())
/// # }
/// ```
#[repr(C)]
pub struct Heap {
    /// What C programs see of it, as `adtape_heap_t`: adjoint = address + delta where there is one adjoint byte for
    /// each primal byte, else a distance that leads nowhere.
    delta: isize,
    /// adjoint = factor * address + origin.
    factor: usize,
    origin: usize,
    arena: Arena,
    /// For what has no primal: made at its first use.
    adjoint_only: Option<Box<Arena>>,
    /// Operations leave records.
    recording: bool,
    /// Operations of the forward sweep that were not undone.
    operations: u64,
}

/// An address, as a number.
pub type Address = usize;

/// A distance that leads to no address that exists, from any that does.
const NOWHERE: isize = 1 << 62;

impl Heap {
    /// An empty heap with one adjoint byte for each primal byte. Takes no memory before the first block.
    pub fn new() -> Result<Heap, Error> {
        Heap::with_factor(1, 0)
    }

    /// An empty heap with `factor` adjoint bytes for each primal byte: 2 for single precision with double precision
    /// adjoints, the number of directions for vector mode, 0 for no adjoints. It reserves address space for
    /// `reserve_bytes` of small and as much of large blocks, and their adjoints; 0 for a reasonable amount.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let (tape, mut heap) = (Tape::new()?, Heap::with_factor(2, 1 << 30)?);
    /// let p = heap.alloc(&tape, 10 * 4)?;
    /// heap.begin_reverse()?;
    /// let element = p.wrapping_add(3 * 4);
    /// assert_eq!(heap.adjoint(element)?, heap.adjoint(p)?.wrapping_add(3 * 8));
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_factor(factor: usize, reserve_bytes: usize) -> Result<Heap, Error> {
        if factor > MAX_FACTOR {
            return Err(Error::new(
                Status::BadArgument,
                format!(
                    "{factor} adjoint bytes for each primal byte\n  \
                     pass 1 for equal sizes, 2 for float with adjoints in double, \
                     the number of directions in vector mode, 0 for no adjoints, at most {MAX_FACTOR}"
                ),
            ));
        }
        let arena = Arena::new(factor, reserve_bytes)?;
        let layout = arena.layout;
        Ok(Heap {
            delta: if factor == 1 { layout.adjoint_base.wrapping_sub(layout.base) as isize } else { NOWHERE },
            factor,
            origin: layout.adjoint_base.wrapping_sub(factor.wrapping_mul(layout.base)),
            arena,
            adjoint_only: None,
            recording: true,
            operations: 0,
        })
    }

    /// The distance from a block to its adjoint, where there is one adjoint byte for each primal byte; else one that
    /// leads nowhere.
    pub fn delta(&self) -> isize {
        self.delta
    }

    /// Whether operations leave records on the tape. They do, but for the part of a forward sweep that is only run to
    /// come to a later state: there `tape` is ignored.
    pub fn set_recording(&mut self, on: bool) {
        self.recording = on;
    }

    pub(crate) fn is_recording(&self) -> bool {
        self.recording
    }

    /// Where blocks lie, and where their adjoints: addresses from and to, for maps that hold the heap as one range.
    pub fn ranges(&self) -> [(usize, usize); 2] {
        let (layout, bytes) = (self.arena.layout, 2 * self.arena.layout.half);
        let adjoint_end = layout.adjoint_base + layout.factor * bytes;
        [(layout.base, layout.end()), (layout.adjoint_base, adjoint_end)]
    }

    /// In a child of fork that does not have the heap's thread: other heaps leave its blocks alone from now on.
    pub(crate) fn lose(&self) {
        self.arena.shared.lose();
    }

    /// The block that begins at `p` and that this heap's thread may free.
    #[inline]
    fn own_block(&self, p: *mut u8) -> Result<Block, Error> {
        let offset = self.arena.layout.offset(p as usize);
        match offset.and_then(|offset| self.arena.shared.find(offset)) {
            Some(block) if !self.arena.shared.is_quarantined(block.offset) => Ok(block),
            _ => Err(self.no_block(p)),
        }
    }

    /// What is wrong with `p` where a block is wanted.
    #[cold]
    fn no_block(&self, p: *mut u8) -> Error {
        let shared = &self.arena.shared;
        let Some(offset) = self.arena.layout.offset(p as usize) else {
            return Error::new(
                Status::BadBlock,
                format!(
                    "{p:p} is no address of this heap, whose blocks lie from {:#x} to {:#x}\n  \
                     it came from malloc or from another heap: free it there; \
                     only what the heap allocated is freed here",
                    self.arena.layout.base,
                    self.arena.layout.end()
                ),
            );
        };
        let what = match shared.around(offset) {
            Some(block) if shared.is_quarantined(block.offset) => format!(
                "{p:p} lies in the block of {} at {:p}, which another thread freed\n  \
                 a block is freed once; in the reverse sweep that thread undoes its free first",
                counted(block.bytes as u64, "byte"),
                self.arena.address(block)
            ),
            Some(block) => format!(
                "{p:p} is {} past the beginning of the block of {} at {:p}\n  \
                 pass the address that the heap returned",
                counted((offset - block.offset) as u64, "byte"),
                counted(block.bytes as u64, "byte"),
                self.arena.address(block)
            ),
            None => format!(
                "{p:p} lies in the heap, but in no block that is alive\n  \
                 it was freed already, or its allocation is undone"
            ),
        };
        Error::new(Status::BadBlock, what)
    }
}
