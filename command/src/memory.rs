//! Memory that cannot be had ends the command with what failed, and status 4: nothing is proved, and nothing written.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout};
use std::io::Write;

use adtape_generate::stack;
use mimalloc::MiMalloc;

/// The generator makes and frees small pieces of memory by the million.
pub struct Memory;

// SAFETY: every call goes to mimalloc with the arguments of its caller; what it gives back is never NULL.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        got(unsafe { MiMalloc.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        got(unsafe { MiMalloc.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        got(unsafe { MiMalloc.realloc(block, layout, bytes) }, bytes)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { MiMalloc.dealloc(block, layout) }
    }
}

/// The block, if there is one.
fn got(block: *mut u8, bytes: usize) -> *mut u8 {
    if block.is_null() {
        ended(bytes);
    }
    block
}

/// Says that a block cannot be had, without a block, and ends the process.
#[cold]
fn ended(bytes: usize) -> ! {
    let mut text = [0; 256];
    let mut rest = &mut text[..];
    let _ = writeln!(rest, "adtape: error: no memory for {bytes} bytes more\nhelp: {HELP}");
    let left = rest.len();
    let _ = std::io::stderr().write_all(&text[..256 - left]);
    std::process::exit(4);
}

const HELP: &str = "raise the limit of the address space (ulimit -v) or of the container, or add memory";

/// What to say of a stack that cannot be had.
pub fn no_stack() -> String {
    let limit = match stack::limit() {
        Some(bytes) => format!("the address space of the process is limited to {bytes} bytes (ulimit -v)"),
        None => "the system gives no more address space".into(),
    };
    format!("adtape: error: no memory for a larger stack, which deep nesting needs: {limit}\nhelp: {HELP}\n")
}
