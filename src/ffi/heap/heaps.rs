//! The stable heap: blocks that get the same address again in the reverse sweep.
//!
//! `h` is a heap: adtape_heap_self() for the calling thread's own, or one made by adtape_heap_create. Allocations and
//! releases are in `block`, marks and snapshots in `snapshot`.

use crate::error::{Error, Status, bytes, counted};
use crate::ffi::arguments::{null_handle, write_out};
use crate::ffi::handles::tape;
use crate::ffi::outcome::{status, value_or_fail};
use crate::heap::{Heap, HeapStats};
use crate::session::Addresses;
use crate::site::Site;
use crate::sync::Mutex;
use crate::sync::{AtomicUsize, Ordering};
use crate::tape::Cursor;
use crate::tape::cursor::thread;
use std::cell::{Cell, RefCell};
use std::ffi::c_void;

/// A heap as C programs have it.
#[repr(C)]
pub struct HeapHandle {
    heap: Heap,
    /// The thread that uses it, [`RELEASED`] or [`ENDED`].
    owner: AtomicUsize,
    /// The addresses in which it is one range.
    pub(in crate::ffi) joined: Option<Addresses>,
    /// The addresses whose checkpoints have it.
    pub(in crate::ffi) saved_with: Option<Addresses>,
}

/// No thread owns the heap.
const RELEASED: usize = 0;
/// The thread that owned the heap ended without releasing it. No cursor lies here.
const ENDED: usize = 1;

fn this_thread() -> usize {
    std::ptr::from_ref(thread::cursor()) as usize
}

/// The heap behind a handle, for the thread that owns it.
///
/// # Safety
/// `h` is NULL or a heap that was not destroyed, and nothing else of this thread uses it for `'a`.
#[inline]
pub(in crate::ffi) unsafe fn heap<'a>(h: *mut HeapHandle) -> Result<&'a mut Heap, Error> {
    if h.is_null() {
        return Err(null_handle("heap", "adtape_heap_self() or what adtape_heap_create() returned"));
    }
    // SAFETY: not NULL, so a heap by contract; an atomic is read.
    let owner = unsafe { &(*h).owner }.load(Ordering::Relaxed);
    if owner != this_thread() {
        return Err(denied(owner));
    }
    // SAFETY: as above, and this thread's.
    Ok(unsafe { &mut (*h).heap })
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

/// The tape that an operation of this heap is recorded on.
///
/// # Safety
/// As [`tape()`].
#[inline]
unsafe fn record_on<'a>(t: *const Cursor, heap: &Heap) -> Result<&'a Cursor, Error> {
    if t.is_null() && !heap.is_recording() {
        return Ok(thread::cursor());
    }
    // SAFETY: by contract.
    unsafe { tape(t) }
}

/// The heap of this thread and the tape of an operation; `None` where [`operate`] has more to do or to say.
///
/// # Safety
/// As [`heap`] and [`tape()`].
#[inline(always)]
pub(in crate::ffi) unsafe fn usual<'a>(h: *mut HeapHandle, t: *mut Cursor) -> Option<(&'a mut Heap, &'a Cursor)> {
    // SAFETY: not NULL, so a heap by contract; an atomic is read.
    if h.is_null() || unsafe { &(*h).owner }.load(Ordering::Relaxed) != this_thread() {
        return None;
    }
    // SAFETY: as above, and this thread's.
    let heap = unsafe { &mut (*h).heap };
    let own = thread::cursor();
    // Not by `record_on`, which takes an instruction more.
    if std::ptr::eq(t, own) || (t.is_null() && !heap.is_recording()) {
        return Some((heap, own));
    }
    // SAFETY: by contract.
    unsafe { tape(t) }.ok().map(|tape| (heap, tape))
}

/// Runs `operation` on a heap and its tape, or ends the program.
///
/// # Safety
/// As [`heap`] and [`tape()`].
#[inline(always)]
pub(in crate::ffi) unsafe fn operate<R>(
    h: *mut HeapHandle,
    t: *mut Cursor,
    site: usize,
    what: &str,
    operation: impl FnOnce(&mut Heap, &Cursor, Site) -> Result<R, Error>,
) -> R {
    let site = Site::Code(site);
    value_or_fail(site, || {
        // SAFETY: by contract.
        let heap = unsafe { heap(h) }?;
        // SAFETY: by contract.
        let cursor = unsafe { record_on(t, heap) }?;
        operation(heap, cursor, site).map_err(|error| headed(error, what, site))
    })
}

/// The error, headed by what was being done where.
#[cold]
fn headed(error: Error, what: &str, site: Site) -> Error {
    Error::new(error.status(), format!("{what} at {site}: {}", error.message()))
}

/// A size that a program passes.
pub(in crate::ffi) fn size(count: i64) -> Result<usize, Error> {
    usize::try_from(count).map_err(|_| {
        Error::new(
            Status::CountRange,
            format!(
                "a block of {count} bytes: the count is negative\n  look at how it is computed; counts are 64 bits wide"
            ),
        )
    })
}

// ---- heaps ---------------------------------------------------------------------------------------------

fn boxed(heap: Heap) -> *mut HeapHandle {
    let h = Box::into_raw(Box::new(HeapHandle {
        heap,
        owner: AtomicUsize::new(this_thread()),
        joined: None,
        saved_with: None,
    }));
    note_owned(h);
    h
}

/// The calling thread owns the heap: if it ends first, the heap is nobody's. A heap that is made while a thread ends is
/// not noted.
fn note_owned(h: *mut HeapHandle) {
    let _ = OWN.try_with(|own| own.owned.borrow_mut().push(h));
}

fn forget_owned(h: *mut HeapHandle) {
    let _ = OWN.try_with(|own| {
        own.owned.borrow_mut().retain(|owned| *owned != h);
        if own.heap.get() == h {
            own.heap.set(std::ptr::null_mut());
        }
    });
}

/// The heap leaves the objects that it joined.
pub(in crate::ffi) fn leave(handle: &mut HeapHandle) -> Result<(), Error> {
    let number = std::ptr::from_mut(handle) as usize;
    if let Some(addresses) = handle.saved_with.take() {
        addresses.detach(number)?;
    }
    handle.joined.take().map_or(Ok(()), |addresses| addresses.heap_leave(&handle.heap))
}

/// # Safety
/// A heap that nobody uses any more.
unsafe fn unmake(h: *mut HeapHandle) -> Result<(), Error> {
    // SAFETY: handles come from `boxed`.
    let mut handle = unsafe { Box::from_raw(h) };
    leave(&mut handle)
}

/// Makes an empty heap that the calling thread owns. Reserves address space, which takes no memory. Undone by
/// adtape_heap_destroy.
///
/// adjoint_factor: adjoint bytes for each primal byte; 1 for equal sizes, 2 for float with adjoints in double, the
/// number of directions in vector mode, 0 for no adjoints. At most 1024. reserve_bytes: address space for blocks up to
/// 8 KiB, and as much for larger ones; 0 for as much as the machine has memory, at least 32 GiB where that can be had.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER,
/// ADTAPE_STATUS_BAD_ARGUMENT, ADTAPE_STATUS_COUNT_RANGE, ADTAPE_STATUS_OUT_OF_MEMORY or
/// ADTAPE_STATUS_BAD_ENVIRONMENT.
/// Fortran: `call heap_create(h, adjoint_factor, reserve_bytes)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_create(
    adjoint_factor: i32,
    reserve_bytes: i64,
    out: *mut *mut HeapHandle,
) -> Status {
    if !out.is_null() {
        // SAFETY: not NULL, so valid by contract.
        unsafe { out.write(std::ptr::null_mut()) };
    }
    let make = || {
        let factor = usize::try_from(adjoint_factor).unwrap_or(usize::MAX);
        Heap::with_factor(factor, size(reserve_bytes)?).map(boxed)
    };
    // SAFETY: by contract.
    status(unsafe { write_out(out, "the new handle", make) })
}

/// Gives a heap back, with all of its blocks and adjoints. NULL is allowed and does nothing. The thread's own heap
/// is made anew at its next use.
///
/// Returns ADTAPE_STATUS_OK or, if it is another thread's, ADTAPE_STATUS_WRONG_THREAD. Any thread may destroy a heap
/// that was released, or whose thread has ended.
/// Fortran: `call heap_destroy(h)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation; neither the handle nor a block is used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_destroy(h: *mut HeapHandle) -> Status {
    if h.is_null() {
        return Status::Ok;
    }
    // SAFETY: not NULL, so a heap by contract.
    let owner = unsafe { &(*h).owner }.load(Ordering::Acquire);
    if owner != RELEASED && owner != ENDED && owner != this_thread() {
        return status(Err(denied(owner)));
    }
    forget_owned(h);
    // SAFETY: as above, and nobody uses it any more.
    status(unsafe { unmake(h) })
}

/// Heaps whose thread ended while blocks were alive. Nothing uses them; a leak checker finds what they own from here.
static STAYING: Mutex<Vec<Staying>> = Mutex::new(Vec::new());

struct Staying(#[expect(dead_code, reason = "kept for leak checkers")] *mut HeapHandle);

// SAFETY: the pointer is never followed.
unsafe impl Send for Staying {}

thread_local! {
    /// The thread's own heap.
    static OWN: Own = const { Own { heap: Cell::new(std::ptr::null_mut()), owned: RefCell::new(Vec::new()) } };
}

struct Own {
    heap: Cell<*mut HeapHandle>,
    /// All heaps that the thread owns; each exists, because who destroys one takes it out.
    owned: RefCell<Vec<*mut HeapHandle>>,
}

impl Drop for Own {
    fn drop(&mut self) {
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
        STAYING.lock().push(Staying(h));
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

/// The calling thread's own heap, with one adjoint byte for each primal byte; made at its first use, given back when
/// the thread ends (if blocks are alive then, they stay, and standard error says so). Never NULL.
///
/// Errors go to the error handler: OUT_OF_MEMORY, BAD_ENVIRONMENT.
/// Fortran: `heap_self()`.
#[unsafe(no_mangle)]
pub extern "C" fn adtape_heap_self() -> *mut HeapHandle {
    let own = OWN.try_with(|own| {
        if own.heap.get().is_null() {
            own.heap.set(value_or_fail(Site::UNKNOWN, || Heap::new().map(boxed)));
        }
        own.heap.get()
    });
    // A heap that is first used while the thread ends lives as long as the process.
    own.unwrap_or_else(|_| value_or_fail(Site::UNKNOWN, || Heap::new().map(boxed)))
}

/// Gives a heap of the calling thread up, so that another thread can go on with it (adtape_heap_acquire). The thread's
/// own heap is replaced by a new one at its next use, and this one is then undone by adtape_heap_destroy. Orders what
/// this thread wrote before what the other reads.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED.
/// Fortran: `call heap_release(h)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_release(h: *mut HeapHandle) -> Status {
    // SAFETY: by contract.
    status(unsafe { heap(h) }.map(|_| {
        forget_owned(h);
        // SAFETY: not NULL.
        unsafe { &(*h).owner }.store(RELEASED, Ordering::Release);
    }))
}

/// Makes the calling thread the owner of a heap that was given up by adtape_heap_release.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or, if it is not released, ADTAPE_STATUS_RELEASED.
/// Fortran: `call heap_acquire(h)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_acquire(h: *mut HeapHandle) -> Status {
    if h.is_null() {
        return status(Err(null_handle("heap", "what adtape_heap_create() returned")));
    }
    // SAFETY: not NULL, so a heap by contract.
    let owner = unsafe { &(*h).owner };
    let taken = owner.compare_exchange(RELEASED, this_thread(), Ordering::Acquire, Ordering::Relaxed);
    status(taken.map(|_| note_owned(h)).map_err(|owner| match owner {
        ENDED => denied(ENDED),
        _ => Error::new(
            Status::Released,
            "adtape_heap_acquire of a heap that is not released\n  \
             its owner calls adtape_heap_release first; one acquire for each release",
        ),
    }))
}

// ---- sweeps ------------------------------------------------------------------------------------------------

/// Whether operations leave records on the tape: true, as at first, or false for a part of the forward sweep that is
/// run only to come to a later state (an advance between checkpoints). `t` is then ignored and may be NULL.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED.
/// Fortran: `call heap_set_recording(h, on)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_set_recording(h: *mut HeapHandle, on: bool) -> Status {
    // SAFETY: by contract.
    status(unsafe { heap(h) }.map(|heap| heap.set_recording(on)))
}

/// The reversal point: the forward sweep, or the section of it that was run again, ends here and its reverse sweep
/// begins. Each block that has no adjoint yet gets one, of zero. Cost: the first time proportional to what is alive;
/// after a section that was run again, none if the same blocks are alive as before.
///
/// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_HEAP_STATE if a block whose adjoint is in use is not alive: the section
/// was not run again as it was the first time; ADTAPE_STATUS_MEMORY_LIMIT, ADTAPE_STATUS_OUT_OF_MEMORY,
/// ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED. Fortran: `call
/// heap_begin_reverse(h)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_begin_reverse(h: *mut HeapHandle) -> Status {
    // SAFETY: by contract.
    status(unsafe { heap(h) }.and_then(|heap| heap.begin_reverse_beside(thread::cursor())))
}

/// The end of the reverse sweep: no block has an adjoint any more, and a use of one before the next reversal point is a
/// segmentation fault. Their memory is kept warm.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED.
/// Fortran: `call heap_end_reverse(h)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_end_reverse(h: *mut HeapHandle) -> Status {
    // SAFETY: by contract.
    status(unsafe { heap(h) }.and_then(|heap| {
        heap.end_reverse()?;
        // SAFETY: a heap of this thread: `heap` looked.
        unsafe { contents_replaced(h, heap, true) };
        Ok(())
    }))
}

/// The adjoint of an address in a block, checked: `*adjoint` is NULL for NULL. adtape_heap_adjoint, which is inlined,
/// is the same without the check, in one addition.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_BAD_BLOCK (in no block of this heap that is alive), ADTAPE_STATUS_NO_ADJOINT
/// (before the reversal point), ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD or
/// ADTAPE_STATUS_RELEASED. Cost: for a block above 8 KiB a search in an ordered set.
/// Fortran: `call heap_find_adjoint(h, p, adjoint)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_find_adjoint(
    h: *mut HeapHandle,
    p: *const c_void,
    adjoint: *mut *mut c_void,
) -> Status {
    // SAFETY: by contract.
    let find = || Ok(unsafe { heap(h) }?.adjoint(p.cast_mut().cast())?.cast());
    // SAFETY: by contract.
    status(unsafe { write_out(adjoint, "the result", find) })
}

// ---- what it has -----------------------------------------------------------------------------------------

/// Gives memory that no block needs back to the system. Without this call, free intervals of 1 MiB and more give theirs
/// back when the memory limit is near, the one that has been free for longest first.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED.
/// Fortran: `call heap_trim(h)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_trim(h: *mut HeapHandle) -> Status {
    // SAFETY: by contract.
    status(unsafe { heap(h) }.map(|heap| {
        heap.trim();
    }))
}

/// Sizes of a heap, and where it lies.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_WRONG_THREAD or
/// ADTAPE_STATUS_RELEASED. Fortran: `call heap_stats(h, stats)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_heap_stats(h: *mut HeapHandle, out: *mut HeapStats) -> Status {
    // SAFETY: by contract.
    status(unsafe { heap(h).and_then(|heap| write_out(out, "the result", || Ok(heap.stats()))) })
}

/// All blocks of the heap, or all of their adjoints, have other contents now: nothing there waits.
///
/// # Safety
/// `h` is a heap of this thread.
pub(in crate::ffi) unsafe fn contents_replaced(h: *const HeapHandle, heap: &Heap, adjoints: bool) {
    // SAFETY: by contract.
    if let Some(addresses) = unsafe { &(*h).joined } {
        let (base, end) = heap.ranges()[usize::from(adjoints)];
        addresses.memory_moved((base, end - base), None);
    }
}
