//! Checkpoints of everything that is alive: values, pointers and memory (Alg. 4).
//!
//! | word | meaning |
//! |---|---|
//! | object | a variable or block that is alive, known by its serial, wherever it lies |
//! | layout | where pointers are in the objects of a label |
//! | slot | a pointer variable inside of an object |
//! | missing | alive in the checkpoint and not now: allocated, or bound to a variable of the same label and frame |
//! | superfluous | alive now and not in the checkpoint: ended, its memory released, its adjoint kept apart |
//! | restoration | M′: where the objects of a checkpoint lie since it was restored |
//!
//! ```text
//!   plan:     read the ranges and slots, compare with what is alive, find everything that could be wrong
//!   reserve:  memory for what is missing; read all contents once, to see that they are whole
//!   commit:   exchange the objects, then contents, then pointers; release what is superfluous
//! ```
//!
//! Until the commit nothing has changed. `docs/restoration.md` says what the paper prints and why this is not it.

#![forbid(unsafe_code)]

mod counts;
mod plan;
mod restore;
mod save;

pub use counts::{Restoration, RestoreStats, SaveStats};

use super::by_label::{Allocator, ByLabel, Layout, POINTER};
use super::set::{Objects, Restored};
use crate::checkpoint::{CheckpointReader, CheckpointWriter, SectionKind};
use crate::error::{Error, Status};
use crate::map::registry::Located;
use crate::map::registry::{ObjectOffset, Serial};
use crate::sync::{Arc, LockGuard};
use crate::tape::Type;
use std::ffi::{CStr, CString};

/// Texts that C strings can hold.
fn c_label(label: &str) -> CString {
    CString::new(label.replace('\0', "?")).expect("no NUL is left")
}

impl Objects {
    fn by_label(&self) -> LockGuard<'_, ByLabel> {
        self.shared.by_label.lock()
    }

    fn allocator(&self, label: &CStr) -> Option<Arc<Allocator>> {
        self.by_label().allocators.get(label).cloned()
    }

    /// Says where pointers are in the objects with this label: in every record of `record_bytes` bytes, at these
    /// offsets. Checkpoints of everything save them as pointers. No offsets: there are none.
    pub fn set_pointers(&self, label: &str, record_bytes: usize, offsets: &[usize]) -> Result<(), Error> {
        self.set_pointers_c(&c_label(label), record_bytes, offsets)
    }

    pub(crate) fn set_pointers_c(&self, label: &CStr, record_bytes: usize, offsets: &[usize]) -> Result<(), Error> {
        let mut offsets = offsets.to_vec();
        offsets.sort_unstable();
        let overlap = offsets.windows(2).any(|pair| pair[1] - pair[0] < POINTER);
        let beyond = offsets.last().is_some_and(|last| last.checked_add(POINTER).is_none_or(|end| end > record_bytes));
        if overlap || beyond {
            return Err(Error::new(
                Status::BadArgument,
                format!(
                    "pointers at {offsets:?} do not fit side by side into a record of {record_bytes} bytes of {label:?}\n  \
                     give offsets in bytes, as offsetof does; a pointer has {POINTER} bytes"
                ),
            ));
        }
        let mut by_label = self.by_label();
        if offsets.is_empty() {
            by_label.layouts.remove(label)
        } else {
            by_label.layouts.insert(label.to_owned(), Arc::new(Layout { record_bytes, offsets }))
        };
        Ok(())
    }

    /// Says how objects with this label are allocated and released by a restoration; `None` for malloc and free.
    pub fn set_allocator(&self, label: &str, allocator: Option<Allocator>) {
        self.set_allocator_c(&c_label(label), allocator);
    }

    pub(crate) fn set_allocator_c(&self, label: &CStr, allocator: Option<Allocator>) {
        let mut by_label = self.by_label();
        match allocator {
            None => by_label.allocators.remove(label),
            Some(allocator) => by_label.allocators.insert(label.to_owned(), Arc::new(allocator)),
        };
    }

    /// Which stable heaps are saved with everything, for callers that know them by a number.
    pub(crate) fn attached(&self) -> Vec<usize> {
        self.by_label().heaps.clone()
    }

    pub(crate) fn attach(&self, heap: usize) -> Result<(), Error> {
        let mut by_label = self.by_label();
        if by_label.heaps.contains(&heap) {
            let what = "the stable heap is saved with these objects already
  join each heap once";
            return Err(Error::new(Status::BadArgument, what));
        }
        by_label.heaps.push(heap);
        Ok(())
    }

    pub(crate) fn detach(&self, heap: usize) -> Result<(), Error> {
        let mut by_label = self.by_label();
        let before = by_label.heaps.len();
        by_label.heaps.retain(|other| *other != heap);
        if by_label.heaps.len() < before {
            return Ok(());
        }
        let what = "the stable heap is not saved with these objects
  call adtape_heap_join first";
        Err(Error::new(Status::BadArgument, what))
    }

    /// The object that begins at `base` is an array with these bounds: lower bound and extent of each dimension. A
    /// checkpoint keeps them, and hands them to an [`Allocator`].
    pub fn set_bounds(&self, base: usize, bounds: &[(i64, i64)]) -> Result<(), Error> {
        let ok = bounds.len() <= 16 && bounds.iter().all(|(_, extent)| *extent >= 0);
        if !ok {
            let what = "an array has at most 16 dimensions, and no extent is negative";
            return Err(Error::new(Status::BadArgument, format!("bounds {bounds:?}\n  {what}")));
        }
        self.registry().set_bounds(self.lane()?, base as u64, bounds)
    }

    /// The adjoint sweep is given up: adjoints that wait for objects of a section that is run again are forgotten.
    /// Returns how many did.
    pub fn forget_adjoints(&self) -> u64 {
        self.registry().forget_detached()
    }

    /// The reverse sweep is back where the checkpoint of this restoration was written: what lies below on the tape was
    /// recorded when the objects lay where they lay then (the M̄ of what lies below is composed with M′).
    pub fn arrive(&self, restoration: &Restoration) {
        self.registry().compose(&restoration.moved);
    }

    /// Writes a pointer variable as a section: the object that it points into and an offset, or NULL.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let (objects, store, x) = (Objects::new(), MemoryStore::new(), [1.5_f64; 4]);
    /// objects.live_add(x.as_ptr().addr(), 32, RangeKind::Stack, "x")?;
    /// let mut checkpoint = CheckpointWriter::create(&store, "a")?;
    /// objects.write_pointer(&mut checkpoint, "p", (&raw const x[2]).addr())?;
    /// checkpoint.commit()?;
    /// let mut checkpoint = CheckpointReader::open(&store, "a")?;
    /// assert_eq!(objects.read_pointer(&mut checkpoint, "p")?.address, (&raw const x[2]).addr());
    /// # Ok(())
    /// # }
    /// ```
    pub fn write_pointer(&self, checkpoint: &mut CheckpointWriter, section: &str, address: usize) -> Result<(), Error> {
        let place = self.registry().find(self.lane()?, address as u64)?;
        if let Some(place) = place.filter(|place| self.registry().alive(place.serial).is_none()) {
            return Err(save::dangling(&format!("the pointer {address:#x} of section {section:?}"), place.serial));
        }
        let (serial, offset) = place.map_or((0, 0), |place| (place.serial.0, place.offset));
        let words = [serial.to_le_bytes(), offset.to_le_bytes()].concat();
        checkpoint.write_parts(section, SectionKind::Pointer, Type::I64, 16, |write| write(&words))
    }

    /// Reads a pointer variable: where it points now, and the same place in the adjoint. Its object is alive, as after
    /// [`restore`](Objects::restore).
    pub fn read_pointer(&self, checkpoint: &mut CheckpointReader, section: &str) -> Result<Restored, Error> {
        let next = checkpoint.peek()?;
        if !next.as_ref().is_some_and(|info| info.name == section && info.kind == SectionKind::Pointer) {
            return Err(checkpoint.not_the_pointer(section));
        }
        let mut words = [0; 16];
        checkpoint.read_part(0, &mut words)?;
        let word = |at: usize| u64::from_le_bytes(words[at..at + 8].try_into().expect("eight bytes"));
        let (serial, offset) = (Serial(word(0)), word(8) as i64);
        if serial.0 == 0 {
            checkpoint.end_parts();
            return Ok(Restored::default());
        }
        let Some(Located { address, adjoint, .. }) = self.registry().locate(ObjectOffset { serial, offset })? else {
            return Err(Error::new(
                Status::NoRange,
                format!(
                    "the pointer {section:?} points into object {serial}, which is not alive\n  \
                     restore the checkpoint first (adtape_live_restore); \
                     a variable of the stack must be in its frame again",
                    serial = serial.0
                ),
            ));
        };
        checkpoint.end_parts();
        Ok(Restored { address: address as usize, adjoint: adjoint as usize, offset: offset as isize, waits: false })
    }
}
