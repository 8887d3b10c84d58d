//! The thread's *armed* heap: one whose operations need no check but that it, and the tape, are those of the last time.
//!
//! What would have to be checked is whether the heap is there and this thread's, which way its sweep goes, whether
//! operations are recorded, whether anything else knows its blocks, and which tape is meant. All of that changes by
//! calls that get the heap by [`OwnedHeap::heap`](super::OwnedHeap::heap), which disarms it. So the quick operations
//! compare two words.

use crate::tape::Cursor;
use std::cell::Cell;

/// The heap whose forward operations are quick, that whose undoing is, and the tape of both; [`NONE`] for no heap.
#[repr(C)]
pub(super) struct Armed {
    forward: Cell<usize>,
    reverse: Cell<usize>,
    tape: Cell<usize>,
}

/// No heap lies here.
const NONE: usize = 1;

impl Armed {
    /// Arms a heap of this thread, where that may be, for this tape.
    #[inline(always)]
    pub fn arm(heap: usize, forward: bool, reverse: bool, tape: &Cursor) {
        let armed = armed();
        armed.forward.set(if forward { heap } else { NONE });
        armed.reverse.set(if reverse { heap } else { NONE });
        armed.tape.set(std::ptr::from_ref(tape) as usize);
    }

    /// No heap is armed.
    #[inline(always)]
    pub fn disarm() {
        armed().forward.set(NONE);
        armed().reverse.set(NONE);
    }

    #[inline(always)]
    pub fn is_forward(heap: usize, tape: usize) -> bool {
        armed().forward.get() == heap && armed().tape.get() == tape
    }

    #[inline(always)]
    pub fn is_reverse(heap: usize, tape: usize) -> bool {
        armed().reverse.get() == heap && armed().tape.get() == tape
    }
}

// As the thread's own tape: in the initial-exec model, which a shared library reaches without a call.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
std::arch::global_asm!(
    ".pushsection .tdata,\"awT\",@progbits",
    ".balign 8",
    ".globl adtape_thread_armed",
    ".hidden adtape_thread_armed",
    ".type adtape_thread_armed,@object",
    ".size adtape_thread_armed,24",
    "adtape_thread_armed:",
    ".quad {none},{none},0",
    ".popsection",
    none = const NONE,
);

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[inline(always)]
fn armed() -> &'static Armed {
    const { assert!(size_of::<Armed>() == 24) };
    let armed: *const Armed;
    // SAFETY: loads the variable's offset and adds the thread pointer. The variable is one by the definition above and
    // lives as long as the thread; the reference is used on this thread only, and no caller keeps it.
    unsafe {
        std::arch::asm!(
            "mov {0}, qword ptr [rip + adtape_thread_armed@GOTTPOFF]",
            "add {0}, qword ptr fs:[0]",
            out(reg) armed,
            options(pure, nomem, nostack),
        );
        &*armed
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
#[inline(always)]
fn armed() -> &'static Armed {
    thread_local! {
        static ARMED: Armed = const { Armed { forward: Cell::new(NONE), reverse: Cell::new(NONE), tape: Cell::new(0) } };
    }
    // SAFETY: without a destructor the variable lives as long as the thread; used on this thread only.
    ARMED.with(|armed| unsafe { &*std::ptr::from_ref(armed) })
}
