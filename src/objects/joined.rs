//! A stable heap among the addresses of a objects, beside variables and blocks from elsewhere.

#![forbid(unsafe_code)]

use super::Objects;
use crate::error::Error;
use crate::heap::Heap;
use crate::map::registry::RangeKind;
use crate::sync::Arc;
use crate::tape::Cursor;

/// Whose memory an operation of a heap takes away, or gives another place.
pub(crate) enum Leaving {
    /// The block that begins here. Its adjoint has a life of its own.
    Block(*const u8),
    /// The block whose birth is undone, and its adjoint.
    LastBorn,
}

fn words((base, bytes): (usize, usize)) -> (u64, u64) {
    (base as u64, bytes as u64)
}

impl Objects {
    /// The heap joins: all of its blocks are one range, of kind [`RangeKind::Static`], and their adjoints its adjoint,
    /// so that a pointer into any of them can be pushed beside pointers to elsewhere; it comes back as it was, with its
    /// adjoint. A pointer into a block that is gone is one into the heap all the same: to have that noticed, register
    /// the blocks one by one, and not the heap. Undone by [`heap_leave`](Objects::heap_leave).
    ///
    /// Where pointer variables lie in blocks, a program tells [`memory_moved`](Objects::memory_moved) what the heap
    /// does to them. (C and Fortran call it by themselves.)
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let (objects, tape, mut heap) = (Objects::new(), Tape::new()?, Heap::new()?);
    /// objects.heap_join(&heap, "heap")?;
    /// let p = heap.alloc(&tape, 800)?;
    /// objects.push_pointer(&tape, p.addr() + 24)?;
    /// heap.begin_reverse()?;
    /// let pointer = objects.pop_pointer(&tape, 0, 0)?;
    /// assert_eq!((pointer.address, pointer.adjoint), (p.addr() + 24, heap.adjoint(p)?.addr() + 24));
    /// heap.undo_alloc(&tape)?;
    /// objects.heap_leave(&heap)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn heap_join(&self, heap: &Heap, label: &str) -> Result<(), Error> {
        let [(base, end), (adjoint_base, adjoint_end)] = heap.ranges();
        self.live_add(base, end - base, RangeKind::Static, label)?;
        match adjoint_end - adjoint_base {
            0 => Ok(()),
            bytes => self.live_set_adjoint(base, adjoint_base, bytes),
        }
    }

    /// The heap leaves: pointers into it are in no range any more. Before it is dropped, and after the reverse sweep.
    pub fn heap_leave(&self, heap: &Heap) -> Result<(), Error> {
        self.rebase_remove(heap.ranges()[0].0)
    }

    /// Memory inside a range that stays is gone, as a block of a heap that joined, or has moved with its contents: from
    /// and to are base and bytes, `to` `None` for what is gone. Pointer variables that wait in it wait no more, or
    /// where they are now.
    ///
    /// Where another thread may bring back what such a variable waits for, the memory has to move under
    /// [`memory_moves`](Objects::memory_moves).
    pub fn memory_moved(&self, from: (usize, usize), to: Option<(usize, usize)>) {
        self.shared.registry.memory_moved(words(from), to.map(words));
    }

    /// Runs `operation`, which moves memory inside ranges that stay, and returns from where to where, in the form that
    /// [`memory_moved`](Objects::memory_moved) takes. Meanwhile other threads that bring objects back wait: none
    /// sets a variable in the memory that is left. `operation` may not use these objects.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// # let (objects, tape, mut heap) = (Objects::new(), Tape::new()?, Heap::new()?);
    /// # objects.heap_join(&heap, "heap")?;
    /// # let p = heap.alloc(&tape, 16)?;
    /// let q = objects.memory_moves(|moved| {
    ///     let q = heap.realloc(&tape, p, 800)?;
    ///     moved((p.addr(), 16), Some((q.addr(), 800)));
    ///     Ok::<_, Error>(q)
    /// })?;
    /// # assert_ne!(p, q);
    /// # Ok(())
    /// # }
    /// ```
    pub fn memory_moves<R>(
        &self,
        operation: impl FnOnce(&mut dyn FnMut((usize, usize), Option<(usize, usize)>)) -> R,
    ) -> R {
        self.shared.registry.memory_moves(|moved| operation(&mut |from, to| moved(words(from), to.map(words))))
    }

    /// Runs `operation` on a heap that joined, while no variable is set that waits, and notes what it did to the memory
    /// of one block. `stays` is the block that the contents are in afterwards, NULL for none.
    #[cold]
    pub(crate) fn heap_moves<R>(
        &self,
        heap: &mut Heap,
        tape: &Cursor,
        leaving: Leaving,
        stays: impl FnOnce(&R) -> *const u8,
        operation: impl FnOnce(&mut Heap) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let (from, with_adjoint) = match leaving {
            Leaving::Block(p) => (heap.extent(p), false),
            Leaving::LastBorn => (heap.last_born(tape), true),
        };
        self.memory_moves(|moved| {
            let result = operation(heap)?;
            let Some(from) = from else { return Ok(result) };
            let to = heap.extent(stays(&result));
            moved(from, to);
            if with_adjoint {
                moved(heap.adjoint_extent(from), to.map(|to| heap.adjoint_extent(to)));
            }
            Ok(result)
        })
    }

    /// Whether [`memory_moved`](Objects::memory_moved) has anything to do.
    pub(crate) fn anyone_waits(&self) -> bool {
        self.shared.registry.anyone_waits()
    }

    /// The same addresses, which live as long as one of both.
    pub(crate) fn share(&self) -> Objects {
        Objects { shared: Arc::clone(&self.shared) }
    }
}
