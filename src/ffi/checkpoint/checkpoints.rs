//! Checkpoints.

use crate::checkpoint::{CheckpointReader, CheckpointWriter, SectionKind};
use crate::error::{Error, Status};
use crate::ffi::arguments::{TypeCode, null_handle, null_pointer, number, text, type_of_array, write_if_wanted};
use crate::ffi::checkpoint::store::{StoreHandle, store};
use crate::ffi::handles::{create, destroy};
use crate::ffi::outcome::status;
use crate::ffi::process::error::c_string;
use crate::ffi::tape::section::section_of;
use crate::objects::Objects;
use crate::site::Site;
use crate::tape::{MAX_BYTES, MAX_RANK, Type};
use std::ffi::{CString, c_char, c_void};

/// What a section of a checkpoint is: values of a variable that exists when they are read.
pub const ADTAPE_SECTION_VALUES: i32 = 1;
/// What a section of a checkpoint is: values and bounds of something that is allocated when they are read.
pub const ADTAPE_SECTION_ALLOCATABLE: i32 = 2;
/// What a section of a checkpoint is: a pointer variable, as adtape_checkpoint_write_pointer writes it.
pub const ADTAPE_SECTION_POINTER: i32 = 3;
/// What a section of a checkpoint is: which ranges were alive, as adtape_live_save writes them.
pub const ADTAPE_SECTION_RANGES: i32 = 4;
/// What a section of a checkpoint is: the pointers inside of those ranges.
pub const ADTAPE_SECTION_SLOTS: i32 = 5;
/// What a section of a checkpoint is: the contents of those ranges, one after the other.
pub const ADTAPE_SECTION_CONTENTS: i32 = 6;
/// What a section of a checkpoint is: the state of a stable heap.
pub const ADTAPE_SECTION_HEAP: i32 = 7;

fn code_of(kind: SectionKind) -> i32 {
    match kind {
        SectionKind::Values => ADTAPE_SECTION_VALUES,
        SectionKind::Allocatable => ADTAPE_SECTION_ALLOCATABLE,
        SectionKind::Pointer => ADTAPE_SECTION_POINTER,
        SectionKind::Ranges => ADTAPE_SECTION_RANGES,
        SectionKind::Slots => ADTAPE_SECTION_SLOTS,
        SectionKind::Contents => ADTAPE_SECTION_CONTENTS,
        SectionKind::Heap => ADTAPE_SECTION_HEAP,
    }
}

/// A checkpoint that is being written or read.
pub struct CheckpointHandle {
    state: State,
    /// The name of the section that was described last.
    section: CString,
}

enum State {
    Writing(CheckpointWriter),
    Reading(CheckpointReader),
}

/// A section of a checkpoint, as adtape_checkpoint_next describes it.
#[repr(C)]
pub struct SectionDescription {
    /// Its name; NULL behind the last section. Valid until the next call on the checkpoint.
    pub name: *const c_char,
    /// ADTAPE_SECTION_….
    pub kind: i32,
    /// ADTAPE_TYPE_….
    pub type_code: i32,
    /// Number of values.
    pub count: i64,
    /// Whether there are values: false for an allocatable that was not allocated.
    pub allocated: bool,
    /// Number of dimensions whose bounds are known; 0 for values that were written as a list.
    pub rank: i32,
    /// Lower bound of each dimension of an allocatable, the fastest first.
    pub lower: [i64; 16],
    /// Number of elements along each dimension.
    pub extents: [i64; 16],
}

/// # Safety
/// `c` is NULL or a checkpoint that nobody else uses.
unsafe fn handle<'a>(c: *mut CheckpointHandle) -> Result<&'a mut CheckpointHandle, Error> {
    // SAFETY: by contract.
    unsafe { c.as_mut() }.ok_or_else(|| null_handle("checkpoint", "what adtape_checkpoint_create or _open returned"))
}

/// # Safety
/// As for [`handle`].
pub(in crate::ffi) unsafe fn writer<'a>(c: *mut CheckpointHandle) -> Result<&'a mut CheckpointWriter, Error> {
    // SAFETY: by contract.
    match &mut unsafe { handle(c) }?.state {
        State::Writing(writer) => Ok(writer),
        State::Reading(_) => Err(wrong_way("read", "written", "adtape_checkpoint_create")),
    }
}

/// # Safety
/// As for [`handle`].
pub(in crate::ffi) unsafe fn reader<'a>(c: *mut CheckpointHandle) -> Result<&'a mut CheckpointReader, Error> {
    // SAFETY: by contract.
    match &mut unsafe { handle(c) }?.state {
        State::Reading(reader) => Ok(reader),
        State::Writing(_) => Err(wrong_way("written", "read", "adtape_checkpoint_open")),
    }
}

#[cold]
fn wrong_way(is: &str, asked: &str, wanted: &str) -> Error {
    Error::new(
        Status::BadArgument,
        format!("the checkpoint is being {is} and cannot be {asked}\n  pass what {wanted} returned"),
    )
}

/// # Safety
/// `out` is NULL or valid for a write.
unsafe fn make(out: *mut *mut CheckpointHandle, make: impl FnOnce() -> Result<State, Error>) -> Status {
    let new = || Ok(CheckpointHandle { state: make()?, section: CString::default() });
    // SAFETY: by contract.
    unsafe { create(out, "the new checkpoint", new) }
}

/// The bytes of an array of `count` values at `x`.
fn array_bytes(type_code: TypeCode, x: *const c_void, count: i64) -> Result<(Type, usize), Error> {
    let ty = type_of_array(type_code, Site::UNKNOWN)?;
    let bytes = usize::try_from(count).ok().and_then(|count| count.checked_mul(ty.bytes()));
    let bytes = bytes.filter(|bytes| *bytes <= MAX_BYTES).ok_or_else(|| {
        Error::new(
            Status::CountRange,
            format!(
                "{count} values of {} are negative or exceed the address space\n  counts are in elements",
                ty.name()
            ),
        )
    })?;
    if x.is_null() && count > 0 {
        return Err(null_pointer("the values of a section"));
    }
    Ok((ty, bytes))
}

/// Begins a checkpoint, which becomes visible in the store under `name`, in place of an older one, when
/// adtape_checkpoint_commit completes it. `name` consists of up to 100 letters, digits, '-', '_' and '.'. Ended by
/// adtape_checkpoint_commit, or undone by adtape_checkpoint_close. One thread at a time uses it; several threads can
/// write checkpoints to one store.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER,
/// ADTAPE_STATUS_BAD_ARGUMENT (name), ADTAPE_STATUS_IO, ADTAPE_STATUS_MEMORY_LIMIT or ADTAPE_STATUS_OUT_OF_MEMORY.
/// Fortran: `call checkpoint_create(c, s, name)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_checkpoint_create(
    s: *const StoreHandle,
    name: *const c_char,
    out: *mut *mut CheckpointHandle,
) -> Status {
    // SAFETY: by contract.
    let new = || unsafe { CheckpointWriter::create(store(s)?, text(name, "the name of a checkpoint")?) };
    // SAFETY: by contract.
    unsafe { make(out, || new().map(State::Writing)) }
}

/// Writes `count` contiguous values of a type (ADTAPE_TYPE_…, but no control bits and counts) as a section named
/// `section`. The name has up to 1000 bytes; sections may share one. Read by adtape_checkpoint_read with the same name,
/// type and count. 0 values are legal, also at NULL.
/// Cost: that of memcpy into a store in memory.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_COUNT_RANGE or
/// ADTAPE_STATUS_BAD_ARGUMENT, which change nothing; ADTAPE_STATUS_IO (a full disk, for instance),
/// ADTAPE_STATUS_MEMORY_LIMIT or ADTAPE_STATUS_OUT_OF_MEMORY, after which the checkpoint cannot be completed
/// (ADTAPE_STATUS_POISONED) and an older one of its name is as it was.
/// Fortran: `call checkpoint_write(c, section, x)`, with `x` a scalar or an array.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_checkpoint_write(
    c: *mut CheckpointHandle,
    section: *const c_char,
    type_code: TypeCode,
    x: *const c_void,
    count: i64,
) -> Status {
    let write = || {
        // SAFETY: by contract.
        let (writer, section) = unsafe { (writer(c)?, text(section, "the name of a section")?) };
        let (ty, bytes) = array_bytes(type_code, x, count)?;
        let values = match bytes {
            0 => &[],
            // SAFETY: readable by contract, and not NULL unless it is empty.
            _ => unsafe { std::slice::from_raw_parts(x.cast::<u8>(), bytes) },
        };
        Objects::of_process().suspects_in_values(section, values)?;
        writer.write_bytes(section, ty, values)
    };
    status(write())
}

/// Writes a strided section of an array, described as for adtape_push_section: first element, rank up to
/// ADTAPE_MAX_RANK, extents in elements and strides in bytes (NULL: one behind the other), the fastest dimension first.
/// Nothing is copied before. Its shape is kept and compared when it is read.
///
/// `lower` is NULL for a variable that exists when it is read. For something that is allocated when it is read it is
/// the lower bound of each dimension; `base` NULL then says that it is not allocated. Before its values are read with
/// adtape_checkpoint_read_section, adtape_checkpoint_next says what to allocate.
///
/// Returns the statuses of adtape_checkpoint_write.
/// Fortran: `call checkpoint_write(c, section, x)`, `call checkpoint_write_allocatable(c, section, x)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_checkpoint_write_section(
    c: *mut CheckpointHandle,
    section: *const c_char,
    type_code: TypeCode,
    base: *const c_void,
    rank: i32,
    lower: *const i64,
    extents: *const i64,
    strides_bytes: *const i64,
) -> Status {
    let write = || {
        // SAFETY: by contract.
        let (writer, section) = unsafe { (writer(c)?, text(section, "the name of a section")?) };
        if base.is_null() && !lower.is_null() {
            return writer.write_allocatable(section, type_of_array(type_code, Site::UNKNOWN)?, None, &[]);
        }
        // SAFETY: by contract; it is only read.
        let from = unsafe { section_of(type_code, base, rank, extents, strides_bytes) }?;
        if lower.is_null() {
            return writer.write_section(section, &from);
        }
        // SAFETY: valid for `rank` values, which section_of has checked.
        let lower = unsafe { std::slice::from_raw_parts(lower, rank as usize) };
        writer.write_allocatable(section, from.ty(), Some(&from), lower)
    };
    status(write())
}

/// Completes a checkpoint and ends it: the handle is gone, whatever is returned. With a store of files the checkpoint
/// is on the disk when this returns.
///
/// Returns ADTAPE_STATUS_OK; on ADTAPE_STATUS_IO, ADTAPE_STATUS_POISONED (an earlier write failed) or
/// ADTAPE_STATUS_MEMORY_LIMIT an older checkpoint of its name is as it was; ADTAPE_STATUS_NULL_HANDLE;
/// ADTAPE_STATUS_BAD_ARGUMENT for a checkpoint that is being read.
/// Fortran: `call checkpoint_commit(c)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation; the handle is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_checkpoint_commit(c: *mut CheckpointHandle) -> Status {
    // SAFETY: by contract.
    if let Err(error) = unsafe { handle(c) } {
        return status(Err(error));
    }
    // SAFETY: not NULL, so made by `make`, and given up by contract.
    status(match unsafe { Box::from_raw(c) }.state {
        State::Writing(writer) => writer.commit(),
        State::Reading(_) => Err(wrong_way("read", "committed", "adtape_checkpoint_create")),
    })
}

/// Opens a checkpoint for reading. It can be read to its end even if it is removed or replaced meanwhile. Undone by
/// adtape_checkpoint_close. One thread at a time uses it.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER,
/// ADTAPE_STATUS_NOT_FOUND, ADTAPE_STATUS_DAMAGED (cut off or changed; the message says where),
/// ADTAPE_STATUS_OTHER_VERSION or ADTAPE_STATUS_IO.
/// Fortran: `call checkpoint_open(c, s, name)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_checkpoint_open(
    s: *const StoreHandle,
    name: *const c_char,
    out: *mut *mut CheckpointHandle,
) -> Status {
    // SAFETY: by contract.
    let new = || unsafe { CheckpointReader::open(store(s)?, text(name, "the name of a checkpoint")?) };
    // SAFETY: by contract.
    unsafe { make(out, || new().map(State::Reading)) }
}

/// Reads the next section, which must have this name, type and count, into `x`. Undoes adtape_checkpoint_write.
///
/// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_MISMATCH (the message says what is there and what is asked for),
/// ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_COUNT_RANGE or ADTAPE_STATUS_BAD_ARGUMENT,
/// which change nothing; ADTAPE_STATUS_DAMAGED or ADTAPE_STATUS_IO, which leave `x` undefined.
/// Fortran: `call checkpoint_read(c, section, x)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_checkpoint_read(
    c: *mut CheckpointHandle,
    section: *const c_char,
    type_code: TypeCode,
    x: *mut c_void,
    count: i64,
) -> Status {
    let read = || {
        // SAFETY: by contract.
        let (reader, section) = unsafe { (reader(c)?, text(section, "the name of a section")?) };
        let (ty, bytes) = array_bytes(type_code, x, count)?;
        let values = match bytes {
            0 => &mut [],
            // SAFETY: writable by contract, and not NULL unless it is empty.
            _ => unsafe { std::slice::from_raw_parts_mut(x.cast::<u8>(), bytes) },
        };
        reader.read_bytes(section, ty, values)
    };
    status(read())
}

/// Reads the next section into a strided section of an array. Undoes adtape_checkpoint_write_section. The
/// strides may differ from those that it was written with; where both have two dimensions or more, the extents may not.
///
/// Returns the statuses of adtape_checkpoint_read.
/// Fortran: `call checkpoint_read(c, section, x)`, `call checkpoint_read_allocatable(c, section, x)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_checkpoint_read_section(
    c: *mut CheckpointHandle,
    section: *const c_char,
    type_code: TypeCode,
    base: *mut c_void,
    rank: i32,
    extents: *const i64,
    strides_bytes: *const i64,
) -> Status {
    let read = || {
        // SAFETY: by contract.
        let (reader, section) = unsafe { (reader(c)?, text(section, "the name of a section")?) };
        // SAFETY: by contract.
        let into = unsafe { section_of(type_code, base, rank, extents, strides_bytes) }?;
        reader.read_section(section, &into)
    };
    status(read())
}

/// Passes over `skip` sections, and describes the one that is next then, without reading its values and without passing
/// over it; behind the last one, `out->name` is NULL. `out` may be NULL: not wanted.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_COUNT_RANGE (a negative number),
/// ADTAPE_STATUS_DAMAGED, ADTAPE_STATUS_IO, or ADTAPE_STATUS_BAD_ARGUMENT for a checkpoint that is being written.
/// Fortran: `call checkpoint_next(c, section, skip)`, `skip` optional.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_checkpoint_next(
    c: *mut CheckpointHandle,
    skip: i64,
    out: *mut SectionDescription,
) -> Status {
    let describe = || {
        // SAFETY: by contract.
        let reader = unsafe { reader(c) }?;
        for _ in 0..number(skip, "sections")? {
            if !reader.skip()? {
                break;
            }
        }
        let info = reader.peek()?;
        let mut description = SectionDescription {
            name: std::ptr::null(),
            kind: 0,
            type_code: 0,
            count: 0,
            allocated: false,
            rank: 0,
            lower: [0; 16],
            extents: [0; 16],
        };
        if let Some(info) = info {
            // SAFETY: by contract; the reader is no longer in use.
            let handle = unsafe { handle(c) }?;
            handle.section = c_string(&info.name);
            description.name = handle.section.as_ptr();
            description.kind = code_of(info.kind);
            description.type_code = info.ty as i32;
            description.count = info.count as i64;
            description.allocated = info.allocated;
            description.rank = info.bounds.len() as i32;
            for (i, (lower, extent)) in info.bounds.iter().take(MAX_RANK + 1).enumerate() {
                (description.lower[i], description.extents[i]) = (*lower, *extent);
            }
        }
        Ok(description)
    };
    // SAFETY: by contract.
    status(describe().map(|description| unsafe { write_if_wanted(out, description) }))
}

/// Goes to a section by its name, so that it is the next one: the first that has it from here on, else the first at
/// all. Cost: proportional to the number of sections in between.
///
/// Returns the statuses of adtape_checkpoint_next, or ADTAPE_STATUS_NOT_FOUND, which changes nothing.
/// Fortran: `call checkpoint_find(c, section)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_checkpoint_find(c: *mut CheckpointHandle, section: *const c_char) -> Status {
    let find = || {
        // SAFETY: by contract.
        let (reader, section) = unsafe { (reader(c)?, text(section, "the name of a section")?) };
        reader.find(section).map(drop)
    };
    status(find())
}

/// Ends the reading of a checkpoint, or abandons one that is being written: an older one of its name is then as it was.
/// NULL is allowed and does nothing.
///
/// Returns ADTAPE_STATUS_OK.
/// Fortran: `call checkpoint_close(c)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation; the handle is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_checkpoint_close(c: *mut CheckpointHandle) -> Status {
    // SAFETY: by contract.
    unsafe { destroy(c) }
}
