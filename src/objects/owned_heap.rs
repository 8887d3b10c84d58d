//! A stable heap behind an address that several threads may have, as programs in C and Fortran have it.
//!
//! One thread owns the heap at a time, or none: released, it waits for the thread that goes on with it. A thread that ends
//! leaves its heaps behind. *Joined* is a heap whose blocks are a range among a program's objects, or are saved with
//! them; it knows these objects, because a block that goes takes waiting pointer variables along.
//!
//! Only the owner may touch the heap, and others find that out by its `owner` alone. So everything here takes a pointer
//! and makes a reference after that is known.

use super::Objects;
use super::armed::Armed;
use super::heaps;
use crate::error::{Error, Status, bytes, counted};
use crate::heap::Heap;
use crate::sync::{AtomicUsize, Ordering};
use crate::tape::Cursor;
use crate::tape::cursor::thread;
use std::cell::{Cell, RefCell};

/// A heap and whose it is.
#[repr(C)]
pub struct OwnedHeap {
    /// First, because inlined code of C programs knows where adjoints are.
    heap: Heap,
    /// The thread that uses it, [`RELEASED`], [`ENDED`] or [`LOST`].
    owner: AtomicUsize,
    /// The addresses in which it is one range.
    joined: Option<Objects>,
    /// The addresses whose checkpoints have it.
    saved_with: Option<Objects>,
}

/// No thread owns the heap.
const RELEASED: usize = 0;
/// The thread that owned the heap ended without releasing it. No cursor lies here.
const ENDED: usize = 1;
/// The heap belonged to a thread of the parent process that this child of fork does not have.
const LOST: usize = 2;

fn this_thread() -> usize {
    std::ptr::from_ref(thread::cursor()) as usize
}

#[cold]
fn denied(owner: usize) -> Error {
    match owner {
        ENDED => Error::new(
            Status::WrongThread,
            "the heap belonged to a thread that has ended without adtape_heap_release\n  \
             any thread may give it back by adtape_heap_destroy; a thread that hands its heap over calls \
             adtape_heap_release before it ends",
        ),
        LOST => Error::new(
            Status::WrongThread,
            "the heap belonged to a thread that this process, a child of fork, does not have\n  \
             its blocks stay where they are, and no thread allocates or frees there; a thread whose heap a child needs \
             calls adtape_heap_release before the fork, and the child calls adtape_heap_acquire",
        ),
        RELEASED => Error::new(
            Status::Released,
            "the heap is released, so no thread may use it\n  \
             the thread that goes on with it calls adtape_heap_acquire first",
        ),
        _ => Error::new(
            Status::WrongThread,
            "the heap belongs to another thread\n  \
             each thread allocates and frees on its own heap, adtape_heap_self(), also blocks of other heaps; \
             to hand a heap over, call adtape_heap_release there and adtape_heap_acquire here",
        ),
    }
}

impl OwnedHeap {
    /// A heap of the calling thread: if the thread ends first, the heap is nobody's. One that is made while the thread
    /// ends is not noted.
    pub(crate) fn make(heap: Heap) -> *mut OwnedHeap {
        let owner = AtomicUsize::new(this_thread());
        let h = Box::into_raw(Box::new(OwnedHeap { heap, owner, joined: None, saved_with: None }));
        heaps::enrol(h as usize, lose);
        note_owned(h);
        h
    }

    /// The calling thread's own heap, made at its first use. One that is first used while the thread ends lives as long
    /// as the process.
    pub(crate) fn of_this_thread() -> Result<*mut OwnedHeap, Error> {
        let own = OWN.try_with(|own| {
            if own.heap.get().is_null() {
                own.heap.set(Heap::new().map(OwnedHeap::make)?);
            }
            Ok(own.heap.get())
        });
        own.unwrap_or_else(|_| Heap::new().map(OwnedHeap::make))
    }

    /// Whether the calling thread owns the heap.
    ///
    /// # Safety
    /// `h` is a heap that was not destroyed.
    #[inline(always)]
    pub(crate) unsafe fn is_mine(h: *const OwnedHeap) -> bool {
        // SAFETY: a heap by contract; an atomic is read.
        unsafe { &(*h).owner }.load(Ordering::Relaxed) == this_thread()
    }

    /// Whether the heap is [armed](super::armed) for forward operations on this tape.
    #[inline(always)]
    pub(crate) fn is_armed_forward(h: *const OwnedHeap, t: *const Cursor) -> bool {
        Armed::is_forward(h as usize, t as usize)
    }

    /// Whether the heap is armed for what undoes operations on this tape.
    #[inline(always)]
    pub(crate) fn is_armed_reverse(h: *const OwnedHeap, t: *const Cursor) -> bool {
        Armed::is_reverse(h as usize, t as usize)
    }

    /// Arms the heap, where it may be, for operations on this tape.
    ///
    /// # Safety
    /// As [`is_mine`](OwnedHeap::is_mine), and the calling thread owns the heap.
    #[inline]
    pub(crate) unsafe fn arm(h: *const OwnedHeap, tape: &Cursor) {
        // SAFETY: a heap of this thread.
        let (alone, heap) = unsafe { ((*h).joined.is_none(), &(*h).heap) };
        Armed::arm(h as usize, alone && heap.is_forward(), alone && heap.is_reversing(), tape);
    }

    /// The heap, for the thread that owns it. It is armed no more.
    ///
    /// # Safety
    /// As [`is_mine`](OwnedHeap::is_mine), and nothing else of this thread uses the heap for `'a`.
    #[inline]
    pub(crate) unsafe fn heap<'a>(h: *mut OwnedHeap) -> Result<&'a mut Heap, Error> {
        // SAFETY: a heap by contract.
        let owner = unsafe { &(*h).owner }.load(Ordering::Relaxed);
        if owner != this_thread() {
            return Err(denied(owner));
        }
        Armed::disarm();
        // SAFETY: as above, and this thread's.
        Ok(unsafe { &mut (*h).heap })
    }

    /// The heap, whoever owns it (unchecked).
    ///
    /// # Safety
    /// As [`heap`](OwnedHeap::heap), and the calling thread owns it.
    #[inline(always)]
    pub(crate) unsafe fn my_heap<'a>(h: *mut OwnedHeap) -> &'a mut Heap {
        // SAFETY: by contract.
        unsafe { &mut (*h).heap }
    }

    /// The addresses in which the heap is one range.
    ///
    /// # Safety
    /// The calling thread owns the heap.
    #[inline(always)]
    pub(crate) unsafe fn joined<'a>(h: *const OwnedHeap) -> Option<&'a Objects> {
        // SAFETY: by contract.
        unsafe { &(*h).joined }.as_ref()
    }

    /// Gives the heap back with all of its blocks: the owner does, or any thread if there is none.
    ///
    /// # Safety
    /// `h` is a heap that was not destroyed; nobody uses it again.
    pub(crate) unsafe fn destroy(h: *mut OwnedHeap) -> Result<(), Error> {
        // SAFETY: a heap by contract.
        let owner = unsafe { &(*h).owner }.load(Ordering::Acquire);
        if !matches!(owner, RELEASED | ENDED | LOST) && owner != this_thread() {
            return Err(denied(owner));
        }
        Armed::disarm();
        if owner == LOST {
            // What its thread was changing cannot be taken apart.
            heaps::strike(h as usize);
            heaps::stay(h as usize);
            return Ok(());
        }
        forget_owned(h);
        // SAFETY: as above, and nobody uses it any more.
        unsafe { unmake(h) }
    }

    /// The calling thread gives the heap up, for another one to go on with it.
    ///
    /// # Safety
    /// As [`is_mine`](OwnedHeap::is_mine).
    pub(crate) unsafe fn release(h: *mut OwnedHeap) -> Result<(), Error> {
        // SAFETY: by contract.
        unsafe { OwnedHeap::heap(h) }?;
        forget_owned(h);
        // SAFETY: a heap by contract.
        unsafe { &(*h).owner }.store(RELEASED, Ordering::Release);
        Ok(())
    }

    /// The calling thread becomes the owner of a heap that was released.
    ///
    /// # Safety
    /// As [`is_mine`](OwnedHeap::is_mine).
    pub(crate) unsafe fn acquire(h: *mut OwnedHeap) -> Result<(), Error> {
        // SAFETY: a heap by contract.
        let owner = unsafe { &(*h).owner };
        let taken = owner.compare_exchange(RELEASED, this_thread(), Ordering::Acquire, Ordering::Relaxed);
        taken.map(|_| note_owned(h)).map_err(|owner| match owner {
            ENDED | LOST => denied(owner),
            _ => Error::new(
                Status::Released,
                "adtape_heap_acquire of a heap that is not released\n  \
                 its owner calls adtape_heap_release first; one acquire for each release",
            ),
        })
    }

    /// The heap joins objects: as a range with this label, if there is one; as part of what is saved with them.
    ///
    /// # Safety
    /// As [`heap`](OwnedHeap::heap).
    pub(crate) unsafe fn join(
        h: *mut OwnedHeap,
        addresses: &Objects,
        label: Option<&str>,
        saved: bool,
    ) -> Result<(), Error> {
        // SAFETY: by contract.
        unsafe { OwnedHeap::heap(h) }?;
        // SAFETY: this thread's, and used by nothing else by contract.
        let handle = unsafe { &mut *h };
        if handle.joined.is_some() || handle.saved_with.is_some() {
            return Err(Error::new(
                Status::BadArgument,
                "the heap has joined objects already\n  once is enough; adtape_heap_leave undoes it",
            ));
        }
        if let Some(label) = label {
            addresses.heap_join(&handle.heap, label)?;
            handle.joined = Some(addresses.share());
        }
        if saved {
            addresses.attach(h as usize)?;
            handle.saved_with = Some(addresses.share());
        }
        Ok(())
    }

    /// The heap leaves the objects that it joined.
    ///
    /// # Safety
    /// As [`heap`](OwnedHeap::heap).
    pub(crate) unsafe fn leave(h: *mut OwnedHeap) -> Result<(), Error> {
        // SAFETY: by contract.
        unsafe { OwnedHeap::heap(h) }?;
        // SAFETY: this thread's, and used by nothing else by contract.
        unsafe { &mut *h }.leave_objects()
    }

    fn leave_objects(&mut self) -> Result<(), Error> {
        let number = std::ptr::from_mut(self) as usize;
        if let Some(addresses) = self.saved_with.take() {
            addresses.detach(number)?;
        }
        self.joined.take().map_or(Ok(()), |addresses| addresses.heap_leave(&self.heap))
    }
}

fn note_owned(h: *mut OwnedHeap) {
    let _ = OWN.try_with(|own| own.owned.borrow_mut().push(h));
}

fn forget_owned(h: *mut OwnedHeap) {
    let _ = OWN.try_with(|own| {
        own.owned.borrow_mut().retain(|owned| *owned != h);
        if own.heap.get() == h {
            own.heap.set(std::ptr::null_mut());
        }
    });
}

/// In a child of fork, on its only thread: takes the heap from a thread that the child does not have.
fn lose(h: usize) {
    let h = h as *const OwnedHeap;
    // SAFETY: a heap that is on the roll exists, and no other thread is there. What is read here never changes, but for the
    // owner.
    let (owner, heap) = unsafe { (&(*h).owner, &(*h).heap) };
    if !matches!(owner.load(Ordering::Relaxed), RELEASED | ENDED | LOST)
        && owner.load(Ordering::Relaxed) != this_thread()
    {
        owner.store(LOST, Ordering::Relaxed);
        heap.lose();
    }
}

/// # Safety
/// A heap that nobody uses any more.
unsafe fn unmake(h: *mut OwnedHeap) -> Result<(), Error> {
    heaps::strike(h as usize);
    // SAFETY: heaps come from `make`.
    unsafe { Box::from_raw(h) }.leave_objects()
}

// ---- threads that end ------------------------------------------------------------------------------------

thread_local! {
    /// The thread's own heap.
    static OWN: Box<Own> = Box::new(Own { heap: Cell::new(std::ptr::null_mut()), owned: RefCell::new(Vec::new()) });
}

struct Own {
    heap: Cell<*mut OwnedHeap>,
    /// All heaps that the thread owns; each exists, because who destroys one takes it out.
    owned: RefCell<Vec<*mut OwnedHeap>>,
}

impl Drop for Own {
    fn drop(&mut self) {
        Armed::disarm();
        for h in self.owned.take() {
            // SAFETY: it exists.
            unsafe { &(*h).owner }.store(ENDED, Ordering::Release);
        }
        let h = self.heap.replace(std::ptr::null_mut());
        // SAFETY: NULL or the thread's heap.
        let Some(handle) = (unsafe { h.as_ref() }) else { return };
        let stats = handle.heap.stats();
        if stats.blocks == 0 {
            // SAFETY: the thread's own heap, which no other thread may use.
            let _ = unsafe { unmake(h) };
            return;
        }
        // Others may have pointers to its blocks: they stay.
        heaps::stay(h as usize);
        const UNDONE: &str = "the reverse sweep undoes each allocation on the thread that made it";
        thread::warn_of_leftovers(
            &format!(
                "{} in {} alive on its heap, which stay allocated",
                bytes(stats.bytes),
                counted(stats.blocks, "block")
            ),
            "the reverse sweep undoes each allocation of the forward sweep",
            &format!("{UNDONE}; a team of threads that shrinks between the sweeps loses heaps"),
        );
    }
}
