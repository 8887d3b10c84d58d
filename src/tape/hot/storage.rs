//! The hot state of the thread's own tape.
//!
//! It lies in thread-local storage, where a separately compiled call reaches it in one load: in the initial-exec model,
//! without the call that a shared library's thread-local variables usually cost. Rust has no stable way to ask for that
//! model, so the variable is defined and read in assembly; other platforms use `thread_local!`.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod variable {
    use crate::tape::hot::{CLOSED, CLOSED_BITS, Hot};

    const _: () = assert!(size_of::<Hot>() == 48 && align_of::<Hot>() == 8);

    // Hot::closed(), field by field.
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

    /// The hot state of the calling thread.
    #[inline(always)]
    pub(crate) fn hot() -> &'static Hot {
        let cursor: *const Hot;
        // SAFETY: loads the variable's offset and adds the thread pointer; touches no memory of Rust's. The
        // variable is a Hot by the definition above and exists as long as the thread. The reference is used
        // on this thread only: Hot is not Sync, and no caller keeps it.
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
mod variable {
    use crate::tape::hot::Hot;

    thread_local! {
        static CURSOR: Hot = const { Hot::closed() };
    }

    /// The hot state of the calling thread.
    #[inline(always)]
    pub(crate) fn hot() -> &'static Hot {
        // SAFETY: without a destructor the variable exists as long as the thread; used on this thread only.
        CURSOR.with(|cursor| unsafe { &*std::ptr::from_ref(cursor) })
    }
}

pub(crate) use variable::hot;
