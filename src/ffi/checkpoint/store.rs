//! Stores of checkpoints.

use crate::error::{Error, Status};
use crate::ffi::arguments::{null_handle, number, text, text_or_none, write_if_wanted};
use crate::ffi::handles::{create, destroy};
use crate::ffi::outcome::status;
use crate::ffi::process::error::c_string;
use crate::ffi::texts::TEXTS;
use crate::store::{ArchiveStore, FileOptions, FileStore, MemoryStore, Store, TieredStore};
use crate::sync::Arc;
use std::ffi::c_char;

/// For adtape_store_create_files: compress, without loss.
pub const ADTAPE_STORE_COMPRESS: i32 = 1;
/// For adtape_store_create_files: do not wait until the disk has the files; a crash of the machine may lose them.
pub const ADTAPE_STORE_NO_SYNC: i32 = 2;

/// For adtape_store_create_files: one file for all checkpoints of the run and rank.
pub const ADTAPE_STORE_ONE_FILE: i32 = 4;
/// For adtape_store_create_files: others may read the files, as far as the process's mask (umask) allows; otherwise
/// only their owner may.
pub const ADTAPE_STORE_SHARED: i32 = 8;

/// A store of checkpoints.
pub struct StoreHandle {
    pub(in crate::ffi) store: Arc<dyn Store>,
}

/// # Safety
/// `s` is NULL or a store.
pub(in crate::ffi) unsafe fn store<'a>(s: *const StoreHandle) -> Result<&'a dyn Store, Error> {
    // SAFETY: by contract.
    unsafe { handle(s) }.map(|handle| &*handle.store)
}

/// The store itself, which may live on when the handle is freed.
///
/// # Safety
/// `s` is NULL or a store.
pub(in crate::ffi) unsafe fn shared(s: *const StoreHandle) -> Result<Arc<dyn Store>, Error> {
    // SAFETY: by contract.
    unsafe { handle(s) }.map(|handle| handle.store.clone())
}

/// # Safety
/// `s` is NULL or a store.
unsafe fn handle<'a>(s: *const StoreHandle) -> Result<&'a StoreHandle, Error> {
    // SAFETY: by contract.
    unsafe { s.as_ref() }.ok_or_else(|| null_handle("store", "what adtape_store_create_memory or another one returned"))
}

/// Makes a store in memory. `limit_bytes` is the most that its buffers have together, 0 for no limit. Checkpoints
/// beyond it go to `below`, whole, any store, which may be destroyed at once: the new store keeps what it needs of it.
/// NULL for none: a checkpoint beyond the limit is an error. Buffers of removed and replaced checkpoints are used
/// again; there are no checksums. Undone by adtape_store_destroy.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER or ADTAPE_STATUS_COUNT_RANGE (a
/// negative limit). Any thread.
/// Fortran: `call store_create_memory(s, limit_bytes, below)`, `below` optional.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_store_create_memory(
    limit_bytes: i64,
    below: *const StoreHandle,
    out: *mut *mut StoreHandle,
) -> Status {
    let new = || {
        let limit = number(limit_bytes, "bytes")?;
        let memory = MemoryStore::with_limit(if limit == 0 { u64::MAX } else { limit });
        // SAFETY: by contract.
        let store: Arc<dyn Store> = match unsafe { below.as_ref() } {
            None => Arc::new(memory),
            Some(below) => Arc::new(TieredStore::new(memory, below.store.clone())),
        };
        Ok(StoreHandle { store })
    };
    // SAFETY: by contract.
    unsafe { create(out, "the new store", new) }
}

/// Makes a store of files in a directory that exists, one file for each checkpoint or one for all, checksummed and on
/// the disk when adtape_checkpoint_commit returns. Undone by adtape_store_destroy, which leaves the files of a named
/// run.
///
/// `directory` is its path. `run` is the name of the run, letters, digits, '-' and '_': a process that is started
/// again with the same one finds its checkpoints; NULL for files that are private to this process and are removed with
/// the store. `rank` tells the processes of a run apart: -1 for the MPI rank that the launcher says in the environment
/// (Open MPI, MPICH, MVAPICH, PMIx, Slurm), 0 without one. What a killed process of the same run and rank left half
/// written is removed.
///
/// `flags` are 0 or a sum of ADTAPE_STORE_COMPRESS (without loss: LZ4 over bytes sorted by their place in the numbers),
/// ADTAPE_STORE_NO_SYNC (a crash of the machine, not of the process, may lose checkpoints), ADTAPE_STORE_ONE_FILE (for
/// file systems that mind many files; a checkpoint is written twice, the second time at its commit) and
/// ADTAPE_STORE_SHARED (others may read the files, as far as the process's umask allows). A file that cannot grow is an
/// error; a program under `ulimit -f` should ignore SIGXFSZ, which ends it otherwise.
///
/// A run and rank has one store at a time, in all processes, also on machines that share the directory over NFS; a
/// second one is refused, and the message names both. The system drops the lock of a process that ends, in whatever
/// way. A child by fork cannot write to its parent's store.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_BAD_ARGUMENT (also if
/// a store of this process has the run and rank), ADTAPE_STATUS_IN_USE (another process has them: the message names it
/// and its host), ADTAPE_STATUS_IO or, of one file for all, ADTAPE_STATUS_DAMAGED and ADTAPE_STATUS_OTHER_VERSION. Any
/// thread.
/// Fortran: `call store_create_files(s, directory, run, rank, flags)`; all but the first two are optional.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_store_create_files(
    directory: *const c_char,
    run: *const c_char,
    rank: i32,
    flags: i32,
    out: *mut *mut StoreHandle,
) -> Status {
    let new = || {
        // SAFETY: by contract.
        let directory = unsafe { text(directory, "a directory") }?;
        // SAFETY: by contract.
        let run = unsafe { text_or_none(run, "the name of a run") }?.map(str::to_owned);
        const ALL: i32 = ADTAPE_STORE_COMPRESS | ADTAPE_STORE_NO_SYNC | ADTAPE_STORE_ONE_FILE | ADTAPE_STORE_SHARED;
        if flags & !ALL != 0 || rank < -1 {
            return Err(Error::new(
                Status::BadArgument,
                format!(
                    "flags {flags:#x} and rank {rank} make no sense for a store of files\n  \
                     pass the sum of ADTAPE_STORE_… or 0, and a rank or -1"
                ),
            ));
        }
        let options = FileOptions {
            run,
            rank: u32::try_from(rank).ok(),
            compress: flags & ADTAPE_STORE_COMPRESS != 0,
            no_sync: flags & ADTAPE_STORE_NO_SYNC != 0,
            shared: flags & ADTAPE_STORE_SHARED != 0,
        };
        let store: Arc<dyn Store> = match flags & ADTAPE_STORE_ONE_FILE {
            0 => Arc::new(FileStore::new(directory, options)?),
            _ => Arc::new(ArchiveStore::new(directory, options)?),
        };
        Ok(StoreHandle { store })
    };
    // SAFETY: by contract.
    unsafe { create(out, "the new store", new) }
}

/// Releases a store. NULL is allowed and does nothing. A store in memory goes with its checkpoints, a private one of
/// files too; files of a named run stay. Checkpoints that are being read or written can be ended afterwards.
///
/// Returns ADTAPE_STATUS_OK. Any thread.
/// Fortran: `call store_destroy(s)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation; the handle is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_store_destroy(s: *mut StoreHandle) -> Status {
    // SAFETY: by contract.
    unsafe { destroy(s) }
}

/// Gives memory back to the system that a store in memory keeps for checkpoints to come: the buffers of
/// those that were removed or replaced. Other stores keep none.
///
/// Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_HANDLE. Any thread.
/// Fortran: `call store_trim(s)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_store_trim(s: *const StoreHandle) -> Status {
    // SAFETY: by contract.
    status(unsafe { store(s) }.map(|store| store.trim()))
}

/// Removes a checkpoint from a store. Who reads it just now can read it to its end.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_NOT_FOUND or
/// ADTAPE_STATUS_IO. Any thread.
/// Fortran: `call store_remove(s, name)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_store_remove(s: *const StoreHandle, name: *const c_char) -> Status {
    // SAFETY: by contract.
    status(unsafe { store(s).and_then(|store| store.remove(text(name, "the name of a checkpoint")?)) })
}

/// The number of checkpoints in a store, committed ones, and the name of the one in place `index` in ascending order:
/// `*name` is NULL if there are not that many, else a C string that is valid until the next call on this thread. Both
/// results may be NULL.
///
/// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or ADTAPE_STATUS_IO. Any thread.
/// Fortran: `call store_list(s, names)`, with `character(100), allocatable :: names(:)`.
///
/// # Safety
/// The contract of pointers in the crate's documentation, but that either result may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_store_list(
    s: *const StoreHandle,
    index: i64,
    count: *mut i64,
    name: *mut *const c_char,
) -> Status {
    // SAFETY: by contract.
    let names = unsafe { store(s) }.and_then(|store| store.names());
    status(names.map(|names| {
        let chosen = usize::try_from(index).ok().and_then(|i| names.get(i));
        let chosen = chosen.map_or(std::ptr::null(), |chosen| {
            TEXTS.with(|texts| {
                *texts.name.borrow_mut() = c_string(chosen);
                texts.name.borrow().as_ptr()
            })
        });
        // SAFETY: by contract.
        unsafe {
            write_if_wanted(count, names.len() as i64);
            write_if_wanted(name, chosen);
        }
    }))
}
