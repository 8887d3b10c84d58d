//! Objects in both sweeps: what each line of Alg. 2 and Alg. 3 needs is one call. The calls are in [`live`](super::live),
//! [`ranges`](super::ranges) and [`pointers`](super::pointers).
//!
//! *Live map*: the ranges that are alive, M of the paper. *Rebase map*: where an object of the forward sweep and its
//! adjoint lie now, M̄. *Pair*: base and offset of a pointer that may leave its range. A pointer goes onto the tape as
//! the object that it points into and an offset; so it is found again wherever the object lies then, and an address
//! that has another owner meanwhile is not mistaken.

#![forbid(unsafe_code)]

use super::fork;
use super::lane::{SharedRegistry, lane_of, last_lane_of};
use crate::error::{Error, Status};
use crate::map::registry::{History, Object, RangeKind, RangeRecord, Registry, Serial};
use crate::sync::{Arc, First};

/// The program's objects: which are alive, and where. Shared by all threads; each call may be made by any.
/// Addresses are plain numbers, 0 is NULL, sizes and offsets are in bytes.
pub struct Objects {
    pub(super) shared: Arc<SharedRegistry>,
}

static OF_PROCESS: First<Objects> = First::new();

/// A range of addresses and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveRange {
    /// The birth number of the object, which it keeps when its address changes.
    pub serial: u64,
    /// Where it lies; from the tape: where it lay in the forward sweep.
    pub base: usize,
    /// Its size.
    pub bytes: usize,
    /// What sort of memory it is.
    pub kind: RangeKind,
    /// Where its adjoint lies, 0 if it has none; 0 from the tape.
    pub adjoint_base: usize,
    /// The size of the adjoint.
    pub adjoint_bytes: usize,
    pub(crate) label: u32,
}

impl LiveRange {
    pub(super) fn of(object: &Object) -> LiveRange {
        LiveRange {
            adjoint_base: object.adjoint_base as usize,
            adjoint_bytes: object.adjoint_bytes as usize,
            ..LiveRange::of_record(&RangeRecord::of(object))
        }
    }

    pub(super) fn of_record(record: &RangeRecord) -> LiveRange {
        let RangeRecord { serial, base, bytes, kind, label } = *record;
        let (base, bytes) = (base as usize, bytes as usize);
        LiveRange { serial: serial.0, base, bytes, kind, adjoint_base: 0, adjoint_bytes: 0, label }
    }

    pub(super) fn record(&self) -> RangeRecord {
        let LiveRange { serial, base, bytes, kind, label, .. } = *self;
        RangeRecord { serial: Serial(serial), base: base as u64, bytes: bytes as u64, kind, label }
    }
}

/// A pointer as it is now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// The pointer; 0 if it is NULL or waits.
    pub address: usize,
    /// The same place in the adjoint; 0 if there is none.
    pub adjoint: usize,
    /// In bytes from the object's base; of a pair, what was pushed.
    pub offset: isize,
    /// Its object is not back yet: the variables wait, and are among what [`Objects::rebase_add`] returns then.
    pub waits: bool,
}

/// A pointer variable that waits, or waited; or one that was set already, see `held`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiter {
    /// The address of the variable.
    pub variable: usize,
    /// What it is to be set to now; 0 while it waits.
    pub value: usize,
    /// The object that it waits for; 0 if it waits for an address of the forward sweep.
    pub serial: u64,
    /// In bytes from the object's base; else that address.
    pub offset: isize,
    /// None if it waits, or waited. Else it was set to this before, to a younger object at the same address, and is to be
    /// set anew only if it, and the variable of its adjoint or primal, still hold what they were set to: else the program
    /// has set it since.
    pub held: Option<usize>,
}

/// Counts of the maps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct LiveStats {
    /// Ranges that are alive.
    pub ranges: u64,
    /// Bytes in them.
    pub bytes: u64,
    /// Objects born.
    pub births: u64,
    /// Ranges that died and whose place is remembered, for pointers that still point there.
    pub dead: u64,
    /// Pointer variables that wait for their object.
    pub waiting: u64,
    /// Pointers pushed that were both the end of a range and the base of another, which was taken; both of one thread's
    /// stack, or neither of a stack.
    pub ambiguous: u64,
}

impl Default for Objects {
    fn default() -> Objects {
        Objects::new()
    }
}

impl Objects {
    /// A set without objects, which shares none with any other.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let (objects, tape) = (Objects::new(), Tape::new()?);
    /// // Forward sweep: a block, a pointer into it that is about to be overwritten, the end of the block.
    /// let block = vec![0.5_f64; 100];
    /// let base = block.as_ptr().addr();
    /// objects.live_add(base, 800, RangeKind::Heap, "x (double[100])")?;
    /// objects.push_pointer(&tape, base + 24)?;
    /// objects.live_end(&tape, base)?;
    /// drop(block);
    /// // Reverse sweep: the block comes back, elsewhere perhaps, and has an adjoint; so does the pointer.
    /// objects.live_begin_reverse()?;
    /// let range = objects.pop_range(&tape)?;
    /// let (block, adjoint) = (vec![0.5_f64; 100], vec![0.0_f64; 100]);
    /// objects.rebase_add(&range, block.as_ptr().addr(), adjoint.as_ptr().addr(), 800)?;
    /// let pointer = objects.pop_pointer(&tape, 0, 0)?;
    /// assert_eq!(pointer.address, (&raw const block[3]).addr());
    /// assert_eq!(pointer.adjoint, (&raw const adjoint[3]).addr());
    /// objects.rebase_remove(block.as_ptr().addr())?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn new() -> Objects {
        let shared = SharedRegistry::new();
        fork::enrol(&shared);
        Objects { shared }
    }

    /// The objects of the process: those that calls of the C API with NULL in place of objects are about.
    ///
    /// ```
    /// # use adtape::*;
    /// assert!(std::ptr::eq(Objects::of_process(), Objects::of_process()));
    /// ```
    pub fn of_process() -> &'static Objects {
        OF_PROCESS.get_or_make(|| {
            let objects = Objects::new();
            objects.watch_end();
            objects
        })
    }

    /// Those of the process, if anybody asked for them before.
    #[inline(always)]
    pub(crate) fn of_process_so_far() -> Option<&'static Objects> {
        OF_PROCESS.get()
    }

    pub(super) fn registry(&self) -> &Registry {
        &self.shared.registry
    }

    /// Keeps where something happened, in check mode.
    #[inline(always)]
    pub(super) fn note(&self, note: impl FnOnce(&History)) {
        if let Some(history) = self.registry().history() {
            note(history);
        }
    }

    pub(super) fn lane(&self) -> Result<u16, Error> {
        lane_of(&self.shared)
    }

    /// As [`lane`](Objects::lane), if these objects are those that the thread used last.
    #[inline(always)]
    pub(super) fn lane_at_once(&self) -> Option<u16> {
        last_lane_of(&self.shared)
    }
}

#[cold]
pub(super) fn corrupt(what: &str) -> Error {
    Error::new(
        Status::Corrupt,
        format!(
            "a {what} is popped where none was pushed\n  \
             pushes and pops do not match; run with ADTAPE_CHECK=1 to see the first that does not"
        ),
    )
}
