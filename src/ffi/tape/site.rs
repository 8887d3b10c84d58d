//! On whose behalf a call is made, and the constant cursor that modules start with.

use crate::site::{Site, keep_loaded};
use crate::tape::Cursor;
use std::cell::Cell;
use std::ffi::c_void;

thread_local! {
    /// The call site that glue code in another language gives for calls it makes on behalf of its caller; 0 is none.
    static GIVEN_SITE: Cell<usize> = const { Cell::new(0) };
}

/// The site of a call from `site`.
pub(in crate::ffi) fn site_of(site: usize) -> Site {
    match GIVEN_SITE.get() {
        0 => Site::Code(site),
        given => Site::Code(given),
    }
}

/// Glue code in another language says on whose behalf this thread calls the functions for addresses; NULL for its own.
#[unsafe(no_mangle)]
pub extern "C" fn adtape_abi0_site(site: *const c_void) {
    GIVEN_SITE.set(site as usize);
}

/// Keeps the library that an address is in loaded, whoever closes it: for one that has left a destructor of threads.
#[unsafe(no_mangle)]
pub extern "C" fn adtape_abi0_stay(inside: *const c_void) {
    keep_loaded(inside as usize);
}

/// A cursor that nobody may write to.
/// cbindgen:ignore
#[repr(transparent)]
pub struct Constant(Cursor);

// SAFETY: never written: closed for every operation, and the slow path takes the thread's cursor instead.
unsafe impl Sync for Constant {}

/// What a module's pointer to the thread's tape points to at first.
#[unsafe(no_mangle)]
pub static adtape_abi0_closed: Constant = Constant(Cursor::closed());

pub(in crate::ffi) fn is_closed_constant(t: *const Cursor) -> bool {
    std::ptr::eq(t, &raw const adtape_abi0_closed.0)
}
