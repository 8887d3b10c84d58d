//! The life of a thread's own tape: made at its first use, freed when the thread ends.

use super::core::Core;
use super::ending::{Ending, on_main};
use super::hot::Hot;
use super::hot::storage::hot;
use super::owner::Owner;
use super::view;
use crate::error::{Error, Status, bytes, failure_noted, say};
use std::cell::Cell;
use std::ffi::c_void;

/// Ends the thread's tape with the thread: on the main thread by a thread-local destructor, on others after those.
fn watch_end() {
    static ENDING: Ending = Ending::new(end);
    extern "C" fn end(_: *mut c_void) {
        end_own();
    }
    if on_main() {
        let _ = END.try_with(|end| end.armed.set(true));
    } else {
        ENDING.arm();
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
        end_by_handle();
    }
}

/// Remembers a tape by handle in check mode, to say at the end what is left on it.
pub(crate) fn keep_in_view(cursor: &Hot) {
    let core = Core::of(cursor);
    // SAFETY: a new tape, which nobody else has.
    if unsafe { core.as_ref() }.is_some_and(Core::checks) {
        view::add(core as usize);
        if on_main() {
            watch_end();
        }
    }
}

/// Says what is left on tapes by handle that nobody destroyed and that no other thread may be using.
fn end_by_handle() {
    view::for_each(|core| {
        // SAFETY: it is in the list, so it was not freed, and nobody frees it while the list is locked. Its owner is
        // asked before anything else is touched.
        let core = unsafe { &mut *(core as *mut Core) };
        if !core.may_be_read() {
            return;
        }
        let left = core.leftover_at_home();
        if let Some(text) = core.left().filter(|_| left > 0) {
            warn_of_leftovers(
                &format!("{} on tape number {}, which was not destroyed", bytes(left as u64), core.id()),
                &format!("{text}\n  if there is no reverse sweep, adtape_destroy says so"),
                "",
            );
        }
    });
}

/// Frees the thread's own tape, and says what is still on it.
fn end_own() {
    let cursor = hot();
    let Some(mut core) = take(cursor) else { return };
    let left = core.leftover(cursor);
    cursor.close();
    if left > 0 {
        let find = match core.left() {
            Some(left) => left,
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
    say(&format!("adtape: warning: {who} ended with {left}\n  {why}"));
}

/// Gives the thread's cursor its tape. No other cursor gets one: it is a local one that is not attached, or another
/// thread's.
#[cold]
pub(crate) fn begin_on(cursor: &Hot) -> Result<(), Error> {
    if !std::ptr::eq(cursor, hot()) {
        return Err(Error::new(
            Status::Attached,
            "the cursor has no tape: it is a local one that is not attached, or another thread's own, not used yet\n  \
             call adtape_attach before using a local one, adtape_detach after; a thread uses its own tape, adtape_self()",
        ));
    }
    let core = Core::new(cursor, Owner::who_frees())?;
    core.give_to(cursor);
    watch_end();
    Ok(())
}

/// Frees the tape of a cursor, if it has one. What a child of fork has lost has no memory but the core's, which its thread
/// may have been changing.
pub(crate) fn free(cursor: &Hot) {
    match take(cursor) {
        Some(core) if core.is_lost() => std::mem::forget(core),
        core => drop(core),
    }
}

/// Takes the tape off a cursor, if it has one.
pub(crate) fn take(cursor: &Hot) -> Option<Box<Core>> {
    let core = Core::of(cursor);
    view::remove(core as usize);
    cursor.core.set(std::ptr::null_mut());
    // SAFETY: a core that is not null was boxed by whoever set it, and is the cursor's alone.
    (!core.is_null()).then(|| unsafe { Box::from_raw(core) })
}
