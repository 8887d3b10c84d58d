//! A store of the program's own: its calls in C, as a store of the library.

use crate::error::{Error, Status};
use crate::ffi::arguments::{null_pointer, number};
use crate::ffi::checkpoint::store::StoreHandle;
use crate::ffi::handles::create;
use crate::ffi::process::error::c_string;
use crate::store::{EntryReader, EntryWriter, Store};
use crate::sync::Arc;
use std::ffi::{CStr, c_char, c_void};

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
    unsafe { create(out, "the new store", new) }
}

// ---- as a store of the library ---------------------------------------------------------------------------

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
            if writing {
                calls.create.expect("checked")(context, c_name.as_ptr(), &mut made.entry)
            } else {
                calls.open.expect("checked")(context, c_name.as_ptr(), &mut made.entry, &mut bytes)
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
