//! The thread's own tape: made at its first use, released when the thread ends.
//!
//! Its cursor lies in thread-local storage, where a separately compiled call reaches it in one load: in the
//! initial-exec model, without the call that a shared library's thread-local variables usually cost. Rust has no
//! stable way to ask for that model, so the variable is defined and read in assembly; other platforms use
//! `thread_local!`.

use super::Cursor;
use crate::error::{Error, Status, bytes, failure_noted};
use crate::tape::core::Core;
use crate::tape::owner::{self, Owner};
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::OnceLock;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod storage {
    use super::super::{CLOSED, CLOSED_BITS, Cursor};

    const _: () = assert!(size_of::<Cursor>() == 48 && align_of::<Cursor>() == 8);

    // Cursor::closed(), field by field.
    std::arch::global_asm!(
        ".pushsection .tdata,\"awT\",@progbits",
        ".balign 16",
        ".globl adtape_thread_cursor",
        ".hidden adtape_thread_cursor",
        ".type adtape_thread_cursor,@object",
        ".size adtape_thread_cursor,48",
        "adtape_thread_cursor:",
        ".quad {closed},{closed},{closed}",
        ".quad {bits}",
        ".quad -1",
        ".quad 0",
        ".popsection",
        closed = const CLOSED,
        bits = const CLOSED_BITS as i64,
    );

    /// The calling thread's cursor.
    #[inline(always)]
    pub(crate) fn cursor() -> &'static Cursor {
        let cursor: *const Cursor;
        // SAFETY: loads the variable's offset and adds the thread pointer; touches no memory of Rust's. The
        // variable is a Cursor by the definition above and exists as long as the thread. The reference is used
        // on this thread only: Cursor is not Sync, and no caller keeps it.
        unsafe {
            std::arch::asm!(
                "mov {0}, qword ptr [rip + adtape_thread_cursor@GOTTPOFF]",
                "add {0}, qword ptr fs:[0]",
                out(reg) cursor,
                options(pure, nomem, nostack),
            );
            &*cursor
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod storage {
    use super::super::Cursor;

    thread_local! {
        static CURSOR: Cursor = const { Cursor::closed() };
    }

    /// The calling thread's cursor.
    #[inline(always)]
    pub(crate) fn cursor() -> &'static Cursor {
        // SAFETY: without a destructor the variable exists as long as the thread; used on this thread only.
        CURSOR.with(|cursor| unsafe { &*std::ptr::from_ref(cursor) })
    }
}

pub(crate) use storage::cursor;

/// Ends the thread's tape with the thread: on the main thread by a thread-local destructor, on others by that of a pthread
/// key. It runs after the thread-local ones, and once more where a later destructor uses a tape.
pub(crate) fn watch_end() {
    static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();
    extern "C" fn end_of_thread(_: *mut c_void) {
        owner::thread_ended();
        end_own();
    }
    if on_main() {
        let _ = END.try_with(|end| end.armed.set(true));
        return;
    }
    let key = KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: the key's place is valid.
        (unsafe { libc::pthread_key_create(&raw mut key, Some(end_of_thread)) } == 0).then_some(key)
    });
    if let Some(key) = key {
        // SAFETY: the key exists; the value only has to differ from NULL.
        unsafe { libc::pthread_setspecific(*key, std::ptr::dangling::<c_void>()) };
    }
}

thread_local! {
    static END: End = const { End { armed: Cell::new(false) } };
}

struct End {
    armed: Cell<bool>,
}

impl Drop for End {
    /// The main thread's other tapes stay its own: the process ends, and no thread gets its place.
    fn drop(&mut self) {
        end_own();
    }
}

fn on_main() -> bool {
    // SAFETY: neither call touches memory.
    unsafe { libc::syscall(libc::SYS_gettid) == libc::c_long::from(libc::getpid()) }
}

/// Frees the thread's own tape, and says what is still on it.
fn end_own() {
    let cursor = cursor();
    let Some(mut core) = take(cursor) else { return };
    let left = core.leftover(cursor);
    cursor.close();
    if left > 0 {
        let find = match core.last_left() {
            Some(push) => format!("the last push without its pop: {push}"),
            None => {
                "run with ADTAPE_CHECK=1 to see the first pop that does not match its push, or the last push without \
                     a pop"
                    .to_owned()
            }
        };
        let lost = if left == 1 { "which is lost" } else { "which are lost" };
        warn_of_leftovers(
            &format!("{} on its tape, {lost}", bytes(left as u64)),
            &format!(
                "the reverse sweep popped less than the forward sweep pushed, so derivatives may be wrong\n  {find}\n  \
                 if there is no reverse sweep, adtape_destroy(adtape_self()) at the end says so"
            ),
            &format!(
                "pushes and pops of a thread must balance; a team of threads that shrinks between the sweeps loses \
                 values\n  {find}"
            ),
        );
    }
}

/// Says on standard error what the calling thread leaves behind as it ends, and why that may be: on the main thread, with
/// which the program ends, and on others. An error that ended the process explains it already.
pub(crate) fn warn_of_leftovers(left: &str, why_on_main: &str, why: &str) {
    if failure_noted() {
        return;
    }
    let (who, why) = if on_main() { ("the program", why_on_main) } else { ("a thread", why) };
    eprintln!("adtape: warning: {who} ended with {left}\n  {why}");
}

/// Gives the thread's cursor its tape. No other cursor gets one: it is a local one that is not attached, or another
/// thread's.
#[cold]
pub(crate) fn begin_on(cursor: &Cursor) -> Result<(), Error> {
    if !std::ptr::eq(cursor, self::cursor()) {
        return Err(Error::new(
            Status::Attached,
            "the cursor has no tape: it is a local one that is not attached, or another thread's own, not used yet\n  \
             call adtape_attach before using a local one, adtape_detach after; a thread uses its own tape, adtape_self()",
        ));
    }
    let core = Core::new(cursor, Owner::this_thread())?;
    cursor.core.set(Box::into_raw(core));
    watch_end();
    Ok(())
}

/// Takes the tape off a cursor, if it has one.
pub(crate) fn take(cursor: &Cursor) -> Option<Box<Core>> {
    let core = cursor.core.replace(std::ptr::null_mut());
    // SAFETY: a core that is not null was boxed by whoever set it, and is the cursor's alone.
    (!core.is_null()).then(|| unsafe { Box::from_raw(core) })
}
