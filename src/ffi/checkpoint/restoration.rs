//! Checkpoints of everything that is alive: values, pointers and memory (Alg. 4).

use crate::error::{Error, Status};
use crate::ffi::arguments::{label_of, list_of, null_handle, null_pointer, number, text, write_if_wanted, write_out};
use crate::ffi::checkpoint::checkpoints::{CheckpointHandle, reader, writer};
use crate::ffi::handles::{destroy, objects};
use crate::ffi::heap::heaps::heap;
use crate::ffi::outcome::status;
use crate::heap::{Heap, ProcessMemory};
use crate::objects::{Allocator, LiveRange, Objects, OwnedHeap, Restoration, RestoreStats, SaveStats, Wanted, Writer};
use std::collections::HashSet;
use std::ffi::{c_char, c_void};

/// An object that a restoration needs memory for, or needs no longer.
#[repr(C)]
pub struct WantedInfo {
    /// As it was registered; valid during the call.
    pub label: *const c_char,
    /// Its size.
    pub bytes: u64,
    /// ADTAPE_KIND_….
    pub kind: i32,
    /// Number of dimensions whose bounds are known; 0 if adtape_live_set_bounds has not told any.
    pub rank: i32,
    /// Lower bound of each dimension, the fastest first.
    pub lower: [i64; 16],
    /// Number of elements along each dimension.
    pub extents: [i64; 16],
}

impl WantedInfo {
    fn of(wanted: &Wanted<'_>) -> WantedInfo {
        let (mut lower, mut extents) = ([0; 16], [0; 16]);
        for (i, (from, extent)) in wanted.bounds.iter().take(16).enumerate() {
            (lower[i], extents[i]) = (*from, *extent);
        }
        let rank = wanted.bounds.len() as i32;
        let Wanted { label, bytes, kind, .. } = *wanted;
        WantedInfo { label: label.as_ptr(), bytes: bytes as u64, kind: kind as i32, rank, lower, extents }
    }
}

/// Allocates an object and returns its address, or NULL if it cannot.
pub type AllocateCall = Option<unsafe extern "C" fn(wanted: *const WantedInfo, user: *mut c_void) -> *mut c_void>;

/// Deallocates an object at `base`.
pub type DeallocateCall = Option<unsafe extern "C" fn(wanted: *const WantedInfo, base: *mut c_void, user: *mut c_void)>;

/// What the program gets back for its calls.
#[derive(Clone, Copy)]
struct User(*mut c_void);

// SAFETY: only handed back to the program, on the thread that restores.
unsafe impl Send for User {}
// SAFETY: as above.
unsafe impl Sync for User {}

impl User {
    fn pointer(self) -> *mut c_void {
        self.0
    }
}

/// Says where pointers are in the objects that are registered with this label: in every record of `record_bytes` bytes,
/// `count` of them at these offsets. adtape_live_save saves them as pointers; all else is saved as bytes. A later call
/// for the label replaces what the earlier one said; a count of 0 says that there are none.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_COUNT_RANGE, or
/// ADTAPE_STATUS_BAD_ARGUMENT (pointers overlap or leave the record). Any thread.
/// Fortran: `call live_set_pointers(label, record_bytes, offsets)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_live_set_pointers(
    o: *const Objects,
    label: *const c_char,
    record_bytes: i64,
    offsets: *const i64,
    count: i64,
) -> Status {
    let set = || {
        // SAFETY: by contract.
        let (objects, label) = unsafe { (objects(o), label_of(label)?) };
        // SAFETY: by contract.
        let offsets = unsafe { list_of(offsets, count, "offsets") }?;
        let size = |bytes: i64| number(bytes, "bytes").map(|bytes| bytes as usize);
        let offsets: Vec<usize> = offsets.iter().map(|offset| size(*offset)).collect::<Result<_, _>>()?;
        objects.set_pointers_c(label, size(record_bytes)?, &offsets)
    };
    status(set())
}

/// Says how objects with this label are allocated and deallocated by adtape_live_restore, which otherwise takes malloc
/// and free for those of kind HEAP and an error for those of kind ALLOCATABLE. Both calls get `user`; they register
/// nothing. Both NULL: as if never said.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or ADTAPE_STATUS_NULL_POINTER. Any thread.
/// Fortran: `call live_set_allocator(label, allocate, deallocate, user)`, `user` optional, with `bind(c)` procedures.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_live_set_allocator(
    o: *const Objects,
    label: *const c_char,
    allocate: AllocateCall,
    deallocate: DeallocateCall,
    user: *mut c_void,
) -> Status {
    let user = User(user);
    let set = || {
        // SAFETY: by contract.
        let (objects, label) = unsafe { (objects(o), label_of(label)?) };
        let allocator = match (allocate, deallocate) {
            (None, None) => None,
            (Some(allocate), Some(deallocate)) => Some(Allocator {
                // SAFETY: the program's function, called as it was promised.
                allocate: Box::new(move |w| Ok(unsafe { allocate(&WantedInfo::of(w), user.pointer()) } as usize)),
                release: Box::new(move |wanted, base| {
                    // SAFETY: as above, with what `allocate` returned or the program registered.
                    unsafe { deallocate(&WantedInfo::of(wanted), base as *mut c_void, user.pointer()) }
                }),
            }),
            _ => return Err(null_pointer("one of two calls that allocate and deallocate")),
        };
        objects.set_allocator_c(label, allocator);
        Ok(())
    };
    status(set())
}

/// The object that begins at `base` is an array with these bounds: lower bound and number of elements of each of `rank`
/// dimensions, the fastest first. Checkpoints keep them, and hand them to an allocator (adtape_live_set_allocator).
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_COUNT_RANGE,
/// ADTAPE_STATUS_BAD_ARGUMENT (a rank above 16, a negative extent), ADTAPE_STATUS_NO_RANGE or ADTAPE_STATUS_AMBIGUOUS.
/// Fortran: `call live_set_bounds(base, lower, extents)`; live_add_allocatable does it by itself.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_live_set_bounds(
    o: *const Objects,
    base: *const c_void,
    rank: i32,
    lower: *const i64,
    extents: *const i64,
) -> Status {
    let set = || {
        // SAFETY: by contract.
        let objects = unsafe { objects(o) };
        // SAFETY: by contract.
        let (lower, extents) =
            unsafe { (list_of(lower, rank.into(), "bounds")?, list_of(extents, rank.into(), "bounds")?) };
        let bounds: Vec<(i64, i64)> = lower.iter().copied().zip(extents.iter().copied()).collect();
        objects.set_bounds(base as usize, &bounds)
    };
    status(set())
}

/// The stable heaps among these objects.
///
/// # Safety
/// Those that were added were not destroyed.
pub(in crate::ffi) unsafe fn heaps_of<'a>(objects: &Objects) -> Result<Vec<&'a mut Heap>, Error> {
    // SAFETY: by contract; each is there once.
    objects.attached().into_iter().map(|h| unsafe { heap(h as *mut OwnedHeap) }).collect()
}

/// Writes everything that is alive into a checkpoint, as sections of their own: which ranges there are (M of the
/// paper), the pointers in them (adtape_live_set_pointers), their contents, and stable heaps (adtape_heap_join).
/// Ranges of kind FOREIGN are known to the checkpoint and not saved. Undone by adtape_live_restore. Pointers that point
/// nowhere are NULL. In check mode, words in the contents that are addresses of heap ranges, and no pointer that a
/// layout names, are reported on standard error.
///
/// `bases` NULL: the contents of all ranges. Else of those only that begin at one of these `count` addresses: the
/// others are restored as memory, and what is in them is the program's task, which writes it by
/// adtape_checkpoint_write, say. `counts` may be NULL.
///
/// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_NO_RANGE (a pointer to nowhere; the message names it), ADTAPE_STATUS_UNEVEN
/// (an object is no whole number of records), ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_COUNT_RANGE,
/// ADTAPE_STATUS_BAD_ARGUMENT (the checkpoint is being read), ADTAPE_STATUS_WRONG_THREAD or ADTAPE_STATUS_RELEASED (a
/// heap), which change nothing; those of adtape_checkpoint_write, after which the checkpoint cannot be completed.
/// Cost: that of a copy, and a search for each pointer. No other thread changes the maps meanwhile.
/// Fortran: `call live_save(c, bases, counts)`, an array of type(c_ptr), and `counts`, both optional.
/// Source: section 5 of the paper.
///
/// # Safety
/// The contract of pointers in the crate's documentation; ranges that are registered are readable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_live_save(
    o: *const Objects,
    c: *mut CheckpointHandle,
    bases: *const *const c_void,
    count: i64,
    counts: *mut SaveStats,
) -> Status {
    let save = || {
        // SAFETY: by contract.
        let (objects, writer) = unsafe { (objects(o), writer(c)?) };
        // SAFETY: by contract.
        let chosen = (!bases.is_null()).then(|| unsafe { list_of(bases, count, "addresses") }).transpose()?;
        let chosen: Option<HashSet<usize>> = chosen.map(|list| list.iter().map(|base| *base as usize).collect());
        // SAFETY: by contract.
        let heaps = unsafe { heaps_of(objects) }?;
        let heaps: Vec<&Heap> = heaps.into_iter().map(|heap| &*heap).collect();
        // SAFETY: by contract.
        let memory = unsafe { ProcessMemory::new() };
        let has_contents = |range: &LiveRange| chosen.as_ref().is_none_or(|chosen| chosen.contains(&range.base));
        let saved = objects.save_some(writer, &memory, &heaps, &has_contents)?;
        // SAFETY: by contract.
        unsafe { write_if_wanted(counts, saved) };
        Ok(())
    };
    status(save())
}

/// Brings the state that adtape_live_save wrote back, so that its section of the forward sweep can be run again.
/// Objects that are alive in both stay where they are. Missing ones are allocated: by malloc, by their stable heap, by
/// the allocator of their label; those of the stack take the place of a variable of the same label and frame.
/// Superfluous ones end, and their memory is deallocated; their adjoints stay, and are theirs again when the section
/// that is run again makes them. Then contents are read, then pointers are set. The next objects that are born get the
/// serials that they got the first time.
///
/// out: what adtape_live_arrive needs, which ends it, or adtape_live_forget_adjoints if the sweep is given up; NULL:
/// not wanted. counts: may be NULL.
/// Returns ADTAPE_STATUS_OK. Errors change nothing: ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_BAD_ARGUMENT (no allocator
/// for an allocatable; the checkpoint is being written), ADTAPE_STATUS_NOT_FOUND (no such sections),
/// ADTAPE_STATUS_DAMAGED, ADTAPE_STATUS_IO, ADTAPE_STATUS_OUT_OF_MEMORY, ADTAPE_STATUS_NO_RANGE (a pointer to a
/// variable of the stack that is not there; static memory that another run has not registered), ADTAPE_STATUS_OVERLAP
/// (an adjoint in memory that would be overwritten), ADTAPE_STATUS_HEAP_STATE (a stable heap that is not there); the
/// message says so in three exceptions: allocatables that were deallocated before an allocator failed; a stable heap
/// that was restored before another one had no memory; a store that could not read what it had read just before.
/// Cost: that of a copy, and a search for each range and pointer. No other thread changes the maps meanwhile.
/// Fortran: `call live_restore(c, r, counts)`, `r` and `counts` optional. Source: Alg. 4.
///
/// # Safety
/// The contract of pointers in the crate's documentation; ranges that are registered are writable but for constants of
/// kind STATIC, and heap ranges without an allocator came from malloc or a stable heap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_live_restore(
    o: *const Objects,
    c: *mut CheckpointHandle,
    out: *mut *mut Restoration,
    counts: *mut RestoreStats,
) -> Status {
    let restore = || {
        // SAFETY: by contract.
        unsafe { write_if_wanted(out, std::ptr::null_mut()) };
        // SAFETY: by contract.
        let (objects, reader) = unsafe { (objects(o), reader(c)?) };
        // SAFETY: by contract.
        let (mut heaps, mut memory) = unsafe { (heaps_of(objects)?, ProcessMemory::new()) };
        let restoration = objects.restore(reader, &mut memory, &mut heaps)?;
        // SAFETY: by contract.
        unsafe { write_if_wanted(counts, restoration.counts) };
        if out.is_null() {
            return Ok(());
        }
        // SAFETY: by contract.
        unsafe { write_out(out, "the restoration", || Ok(Box::into_raw(Box::new(restoration)))) }
    };
    status(restore())
}

/// The reverse sweep is back where the checkpoint of this restoration was written. What lies below on the tape was
/// recorded when objects lay where they lay then, so that addresses of that forward sweep (adtape_rebase_pointer) are
/// from now on those of the checkpoint. Pointers that adtape_push_pointer pushed do not need it. Ends `r`: the handle
/// is gone.
///
/// Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_HANDLE. Cost: proportional to the objects that lie elsewhere.
/// Fortran: `call live_arrive(r)`. Source: M′ of Alg. 4, composed with M̄.
///
/// # Safety
/// The contract of pointers in the crate's documentation; the restoration is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_live_arrive(o: *const Objects, r: *mut Restoration) -> Status {
    let arrive = || {
        // SAFETY: by contract.
        let objects = unsafe { objects(o) };
        if r.is_null() {
            return Err(null_handle("restoration", "what adtape_live_restore returned"));
        }
        // SAFETY: it came from Box::into_raw in adtape_live_restore, and is given up by contract.
        let restoration = unsafe { Box::from_raw(r) };
        objects.arrive(&restoration);
        Ok(())
    };
    status(arrive())
}

/// The reverse sweep is given up: adjoints that wait for objects of a section that is run again are forgotten, so that
/// adtape_live_begin_reverse does not ask for them. `*count` is how many did; NULL: not wanted. `r` is a restoration
/// that nobody will arrive at (adtape_live_arrive), which is released; NULL for none.
///
/// Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_HANDLE. Fortran: `call live_forget_adjoints(r, count)`, both
/// optional.
///
/// # Safety
/// The contract of pointers in the crate's documentation; the restoration is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_live_forget_adjoints(
    o: *const Objects,
    r: *mut Restoration,
    count: *mut i64,
) -> Status {
    let forget = || {
        // SAFETY: it came from adtape_live_restore, and is given up by contract.
        unsafe { destroy(r) };
        // SAFETY: by contract.
        let forgotten = unsafe { objects(o) }.forget_adjoints();
        // SAFETY: by contract.
        unsafe { write_if_wanted(count, forgotten as i64) };
        Ok(())
    };
    status(forget())
}

/// Writes a pointer variable as a section: the object that it points into, and an offset. It is NULL, or in a range
/// that is alive. Undone by adtape_checkpoint_read_pointer.
///
/// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_NO_RANGE, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER or
/// ADTAPE_STATUS_BAD_ARGUMENT, which change nothing; those of adtape_checkpoint_write.
/// Fortran: `call checkpoint_write_pointer(c, section, p)`, a type(c_ptr). Source: section 5 of the paper.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_checkpoint_write_pointer(
    c: *mut CheckpointHandle,
    o: *const Objects,
    section: *const c_char,
    p: *const c_void,
) -> Status {
    let write = || {
        // SAFETY: by contract.
        let (writer, objects, section) = unsafe { (writer(c)?, objects(o), text(section, "the name of a section")?) };
        objects.write_pointer(writer, section, p as usize)
    };
    status(write())
}

/// Reads the next section, a pointer of this name: sets `*p` to where it points now and `*p_adjoint` to the same place
/// in the adjoint, NULL if there is none. `p_adjoint` may be NULL. The object that it points into is alive: restored,
/// or it never went.
///
/// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_MISMATCH, ADTAPE_STATUS_NO_RANGE (the object is not alive),
/// ADTAPE_STATUS_UNEVEN, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER or ADTAPE_STATUS_BAD_ARGUMENT, which
/// change nothing; ADTAPE_STATUS_DAMAGED or ADTAPE_STATUS_IO.
/// Fortran: `call checkpoint_read_pointer(c, section, p, p_adjoint)`, the last optional.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_checkpoint_read_pointer(
    c: *mut CheckpointHandle,
    o: *const Objects,
    section: *const c_char,
    p: *mut *mut c_void,
    p_adjoint: *mut *mut c_void,
) -> Status {
    let read = || {
        // SAFETY: by contract.
        let (reader, objects, section) = unsafe { (reader(c)?, objects(o), text(section, "the name of a section")?) };
        // SAFETY: by contract.
        unsafe {
            write_out(p, "the pointer", || {
                let restored = objects.read_pointer(reader, section)?;
                Writer::library().set(p_adjoint as usize, restored.adjoint);
                Ok(restored.address as *mut c_void)
            })
        }
    };
    status(read())
}
