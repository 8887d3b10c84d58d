//! Stores of checkpoints.

use crate::error::{Error, Status};
use crate::ffi::arguments::{null_handle, null_pointer, number, text, text_or_none, write_out};
use crate::ffi::outcome::status;
use crate::ffi::process::error::c_string;
use crate::store::{ArchiveStore, EntryReader, EntryWriter, FileOptions, FileStore, MemoryStore, Store, TieredStore};
use crate::sync::Arc;
use std::ffi::{CStr, c_char, c_void};

/// For adtape_store_create_files: compress, without loss.
pub const ADTAPE_STORE_COMPRESS: i32 = 1;
/// For adtape_store_create_files: do not wait until the disk has the files; a crash of the machine may lose them.
pub const ADTAPE_STORE_NO_SYNC: i32 = 2;

/// For adtape_store_create_files: one file for all checkpoints of the run and rank.
pub const ADTAPE_STORE_ONE_FILE: i32 = 4;
/// For adtape_store_create_files: others may read the files, as far as the process's mask (umask) allows.
pub const ADTAPE_STORE_SHARED: i32 = 8;

/// A store.
pub struct StoreHandle {
    store: Arc<dyn Store>,
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

/// # Safety
/// `out` is NULL or valid for a write.
unsafe fn make(out: *mut *mut StoreHandle, make: impl FnOnce() -> Result<StoreHandle, Error>) -> Status {
    if !out.is_null() {
        // SAFETY: not NULL, so valid by contract.
        unsafe { out.write(std::ptr::null_mut()) };
    }
    // SAFETY: by contract.
    status(unsafe { write_out(out, "the new store", || make().map(|handle| Box::into_raw(Box::new(handle)))) })
}

/// Makes a store in memory. `limit_bytes` is the most that its buffers have together, 0 for no limit. Checkpoints beyond
/// it go to `below`, whole, any store, which may be destroyed at once: the new store keeps what it needs of it. NULL for
/// none: a checkpoint beyond the limit is an error. Buffers of removed and replaced checkpoints are used again. Undone by
/// adtape_store_destroy.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER or ADTAPE_STATUS_COUNT_RANGE (a negative
/// limit). Any thread.
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
    unsafe { make(out, new) }
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
/// A run and rank has one store at a time, in all processes; the system drops the lock of a process that ends, in
/// whatever way. A child by fork cannot write to its parent's store.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_BAD_ARGUMENT,
/// ADTAPE_STATUS_IO (also if another store has the run and rank: the message names its process and host) or, of one file
/// for all, ADTAPE_STATUS_DAMAGED and ADTAPE_STATUS_OTHER_VERSION. Any thread.
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
    unsafe { make(out, new) }
}

/// The calls of a store that the program supplies, for adtape_store_create_user. An *entry* is a checkpoint's bytes.
/// Each call gets `user` as it was given, and returns ADTAPE_STATUS_OK or another status; ADTAPE_STATUS_NOT_FOUND where
/// there is no entry of the name. They may be called by any thread that uses the store.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct StoreCalls {
    /// Begins an entry; `*entry` is handed to append, and then to commit or abandon, whichever ends it.
    pub create: Option<unsafe extern "C" fn(user: *mut c_void, name: *const c_char, entry: *mut *mut c_void) -> i32>,
    /// Adds bytes at the end of an entry.
    pub append:
        Option<unsafe extern "C" fn(user: *mut c_void, entry: *mut c_void, x: *const c_void, bytes: i64) -> i32>,
    /// Makes an entry complete and visible, in place of an older one of its name.
    pub commit: Option<unsafe extern "C" fn(user: *mut c_void, entry: *mut c_void) -> i32>,
    /// Forgets an entry that was not committed.
    pub abandon: Option<unsafe extern "C" fn(user: *mut c_void, entry: *mut c_void)>,
    /// Opens an entry for reading; `*entry` is handed to read and close, `*bytes` is its size.
    pub open: Option<
        unsafe extern "C" fn(user: *mut c_void, name: *const c_char, entry: *mut *mut c_void, bytes: *mut i64) -> i32,
    >,
    /// Reads `bytes` bytes at an offset.
    pub read: Option<
        unsafe extern "C" fn(user: *mut c_void, entry: *mut c_void, offset: i64, x: *mut c_void, bytes: i64) -> i32,
    >,
    /// Ends the reading of an entry.
    pub close: Option<unsafe extern "C" fn(user: *mut c_void, entry: *mut c_void)>,
    /// Removes an entry.
    pub remove: Option<unsafe extern "C" fn(user: *mut c_void, name: *const c_char) -> i32>,
    /// Calls `visit` with `context` and the name of every entry, in any order.
    pub list: Option<
        unsafe extern "C" fn(
            user: *mut c_void,
            visit: unsafe extern "C" fn(context: *mut c_void, name: *const c_char),
            context: *mut c_void,
        ) -> i32,
    >,
}

/// Makes a store of calls that the program supplies: all those of `calls`, which is copied, with `user` handed to each.
/// The calls and what `user` points to must live as long as the store. Undone by adtape_store_destroy.
///
/// On failure `*out` is NULL. Returns ADTAPE_STATUS_OK or, if a pointer or a call is NULL,
/// ADTAPE_STATUS_NULL_POINTER. Any thread.
/// Fortran: not offered; a few lines of C can hand the store over.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_store_create_user(
    calls: *const StoreCalls,
    user: *mut c_void,
    out: *mut *mut StoreHandle,
) -> Status {
    let new = || {
        // SAFETY: by contract.
        let calls = *unsafe { calls.as_ref() }.ok_or_else(|| null_pointer("the calls of a store"))?;
        let all = calls.create.is_some()
            && calls.append.is_some()
            && calls.commit.is_some()
            && calls.abandon.is_some()
            && calls.open.is_some()
            && calls.read.is_some()
            && calls.close.is_some()
            && calls.remove.is_some()
            && calls.list.is_some();
        if !all {
            return Err(null_pointer("one of the calls of a store"));
        }
        let store = UserStore(Arc::new(User { calls, user }));
        Ok(StoreHandle { store: Arc::new(store) })
    };
    // SAFETY: by contract.
    unsafe { make(out, new) }
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
    if !s.is_null() {
        // SAFETY: by contract.
        drop(unsafe { Box::from_raw(s) });
    }
    Status::Ok
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

/// Removes a checkpoint from a store.
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
    thread_local! {
        static NAME: std::cell::RefCell<std::ffi::CString> = std::cell::RefCell::default();
    }
    // SAFETY: by contract.
    let names = unsafe { store(s) }.and_then(|store| store.names());
    status(names.map(|names| {
        let chosen = usize::try_from(index).ok().and_then(|i| names.get(i));
        let chosen = chosen.map_or(std::ptr::null(), |chosen| {
            NAME.with(|last| {
                *last.borrow_mut() = c_string(chosen);
                last.borrow().as_ptr()
            })
        });
        // SAFETY: not NULL, so valid by contract.
        unsafe {
            if !count.is_null() {
                count.write(names.len() as i64);
            }
            if !name.is_null() {
                name.write(chosen);
            }
        }
    }))
}

// ---- a store of the program's own ------------------------------------------------------------------------------

struct User {
    calls: StoreCalls,
    user: *mut c_void,
}

// SAFETY: the calls and the pointer are only handed back to the program, on the threads that use the store, as
// adtape_store_create_user says.
unsafe impl Send for User {}
// SAFETY: as above.
unsafe impl Sync for User {}

struct UserStore(Arc<User>);

struct UserEntry {
    user: Arc<User>,
    name: String,
    entry: *mut c_void,
    bytes: u64,
    /// Committed: nothing is left to abandon.
    done: bool,
    writing: bool,
}

// SAFETY: as for `User`; one thread at a time has the entry.
unsafe impl Send for UserEntry {}

/// The error for a status that one of the program's calls returned.
fn check_user(code: i32, what: &str, name: &str) -> Result<(), Error> {
    match Status::from_code(code) {
        Some(Status::Ok) => Ok(()),
        other => Err(Error::new(
            other.unwrap_or(Status::Io),
            format!("the program's store cannot {what} {name:?}: its call returned {code}"),
        )),
    }
}

impl UserStore {
    fn begin(&self, name: &str, writing: bool) -> Result<UserEntry, Error> {
        let user = self.0.clone();
        let mut made =
            UserEntry { user, name: name.to_owned(), entry: std::ptr::null_mut(), bytes: 0, done: true, writing };
        let (c_name, mut bytes) = (c_string(name), 0);
        let (calls, context) = (made.user.calls, made.user.user);
        // SAFETY: the program's calls, as they were promised; all are there.
        let code = unsafe {
            match writing {
                true => calls.create.expect("checked")(context, c_name.as_ptr(), &mut made.entry),
                false => calls.open.expect("checked")(context, c_name.as_ptr(), &mut made.entry, &mut bytes),
            }
        };
        check_user(code, if writing { "create" } else { "open" }, name)?;
        made.bytes = number(bytes, "bytes of an entry")?;
        made.done = false;
        Ok(made)
    }
}

impl Store for UserStore {
    fn create(&self, name: &str) -> Result<Box<dyn EntryWriter>, Error> {
        Ok(Box::new(self.begin(name, true)?))
    }

    fn open(&self, name: &str) -> Result<Box<dyn EntryReader>, Error> {
        Ok(Box::new(self.begin(name, false)?))
    }

    fn remove(&self, name: &str) -> Result<(), Error> {
        let c_name = c_string(name);
        // SAFETY: as above.
        check_user(unsafe { self.0.calls.remove.expect("checked")(self.0.user, c_name.as_ptr()) }, "remove", name)
    }

    fn names(&self) -> Result<Vec<String>, Error> {
        unsafe extern "C" fn visit(context: *mut c_void, name: *const c_char) {
            // SAFETY: called by `list` with what it was given, and a C string.
            unsafe { (*context.cast::<Vec<String>>()).push(CStr::from_ptr(name).to_string_lossy().into_owned()) }
        }
        let mut names: Vec<String> = Vec::new();
        // SAFETY: as above; the list outlives the call.
        let code = unsafe { self.0.calls.list.expect("checked")(self.0.user, visit, (&raw mut names).cast()) };
        check_user(code, "list", "all")?;
        names.sort();
        Ok(names)
    }
}

impl EntryWriter for UserEntry {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let append = self.user.calls.append.expect("checked");
        // SAFETY: as above; the bytes live during the call.
        let code = unsafe { append(self.user.user, self.entry, bytes.as_ptr().cast(), bytes.len() as i64) };
        check_user(code, "append to", &self.name)
    }

    fn commit(mut self: Box<Self>) -> Result<(), Error> {
        self.done = true;
        // SAFETY: as above.
        let code = unsafe { self.user.calls.commit.expect("checked")(self.user.user, self.entry) };
        check_user(code, "commit", &self.name)
    }
}

impl EntryReader for UserEntry {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read_at(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), Error> {
        if offset.checked_add(bytes.len() as u64).is_none_or(|end| end > self.bytes) {
            return Err(crate::store::beyond_the_end(offset, bytes.len(), self.bytes));
        }
        let read = self.user.calls.read.expect("checked");
        // SAFETY: as above; the bytes live during the call.
        let code =
            unsafe { read(self.user.user, self.entry, offset as i64, bytes.as_mut_ptr().cast(), bytes.len() as i64) };
        check_user(code, "read", &self.name)
    }

    fn place(&self) -> String {
        "the program's store".to_owned()
    }
}

impl Drop for UserEntry {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        let end = if self.writing { self.user.calls.abandon } else { self.user.calls.close };
        // SAFETY: as above; the entry is not used again.
        unsafe { end.expect("checked")(self.user.user, self.entry) }
    }
}
