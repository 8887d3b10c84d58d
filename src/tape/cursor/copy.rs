//! Copies between the program's arrays and the tape.
//!
//! A tape that is larger than the last-level cache is written once and read much later: then streaming stores,
//! which do not fetch the line they overwrite, double the rate of pushes, and reading ahead of the pops, which
//! walk downward in steps that no hardware prefetcher follows, doubles theirs.

use super::Cursor;
use crate::sync::OnceLock;

/// Below this, streaming does not pay: most of the array would be in partial lines.
const STREAM_LEAST: usize = 512;
const STREAM_FENCED_LEAST: usize = 64 << 10;
/// Pops of these sizes read ahead; smaller ones are followed by the hardware, larger ones overlap by themselves.
const PREFETCH_LEAST: usize = 128;
const PREFETCH_MOST: usize = 16 << 10;
/// How far ahead of a pop the lines are asked for.
const PREFETCH_AHEAD: usize = 8 << 10;
const LINE: usize = 64;

/// Copies `n` bytes from `x` onto the tape; there is room for them.
///
/// # Safety
/// `[cur, cur + n)` is writable, `[x, x + n)` readable, and they do not overlap.
#[inline]
pub(crate) unsafe fn copy_in(cursor: &Cursor, x: *const u8, n: usize) {
    let to = cursor.cur.get();
    if n >= STREAM_LEAST {
        let edge = cursor.edge.get().min(to);
        cursor.edge.set(edge);
        if to - edge > cache_bytes() {
            // SAFETY: as for this function.
            unsafe { stream(to as *mut u8, x, n) };
            cursor.cur.set(to + n);
            return;
        }
    }
    // SAFETY: as for this function.
    unsafe { std::ptr::copy_nonoverlapping(x, to as *mut u8, n) };
    cursor.cur.set(to + n);
}

/// The same for tapes that may move to another thread without a word to us, as those of the Rust API do: streamed
/// stores are fenced, so only arrays stream that are long enough for a fence.
///
/// # Safety
/// As for [`copy_in`].
pub(crate) unsafe fn copy_in_ordered(cursor: &Cursor, x: *const u8, n: usize) {
    if n < STREAM_FENCED_LEAST {
        let to = cursor.cur.get();
        // SAFETY: as for copy_in.
        unsafe { std::ptr::copy_nonoverlapping(x, to as *mut u8, n) };
        cursor.cur.set(to + n);
        return;
    }
    // SAFETY: as for this function.
    unsafe { copy_in(cursor, x, n) };
    fence();
}

/// Copies the `n` last bytes of the tape to `x` and takes them off.
///
/// # Safety
/// `[cur - n, cur)` is readable, `[x, x + n)` writable, and they do not overlap.
#[inline]
pub(crate) unsafe fn copy_out(cursor: &Cursor, x: *mut u8, n: usize) {
    let from = cursor.cur.get() - n;
    if (PREFETCH_LEAST..=PREFETCH_MOST).contains(&n) {
        prefetch_below(from, n.min(PREFETCH_AHEAD), cursor.floor.get());
    }
    // SAFETY: as for this function.
    unsafe { std::ptr::copy_nonoverlapping(from as *const u8, x, n) };
    cursor.cur.set(from);
    cursor.edge.set(from);
}

/// Asks for the `n` bytes that end [`PREFETCH_AHEAD`] below `from`, as far as they are above `floor`.
#[inline]
fn prefetch_below(from: usize, n: usize, floor: usize) {
    let end = from.saturating_sub(PREFETCH_AHEAD);
    let start = end.saturating_sub(n).max(floor);
    let mut line = start;
    while line < end {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch reads nothing and cannot fault.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(line as *const i8);
        }
        line += LINE;
    }
}

/// Size of the last-level cache.
fn cache_bytes() -> usize {
    static CACHE: OnceLock<usize> = OnceLock::new();
    *CACHE.get_or_init(|| {
        // SAFETY: sysconf only returns a number.
        let level3 = unsafe { libc::sysconf(libc::_SC_LEVEL3_CACHE_SIZE) };
        match usize::try_from(level3) {
            Ok(n) if n > 0 => n,
            _ => 32 << 20,
        }
    })
}

/// Copies with streaming stores where the processor has them: whole lines past the cache, the ends through it.
///
/// # Safety
/// As for `copy_nonoverlapping`.
#[cfg(target_arch = "x86_64")]
unsafe fn stream(to: *mut u8, from: *const u8, n: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    let head = (to as usize).wrapping_neg() % LINE;
    let lines = (n - head) / LINE;
    let body_end = head + lines * LINE;
    // SAFETY: head + lines * LINE <= n; the destination of each streamed store is aligned to its size.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, head);
        let (mut source, mut target) = (from.add(head).cast::<__m128i>(), to.add(head).cast::<__m128i>());
        for _ in 0..lines {
            let (a, b) = (_mm_loadu_si128(source), _mm_loadu_si128(source.add(1)));
            let (c, d) = (_mm_loadu_si128(source.add(2)), _mm_loadu_si128(source.add(3)));
            _mm_stream_si128(target, a);
            _mm_stream_si128(target.add(1), b);
            _mm_stream_si128(target.add(2), c);
            _mm_stream_si128(target.add(3), d);
            source = source.add(4);
            target = target.add(4);
        }
        std::ptr::copy_nonoverlapping(from.add(body_end), to.add(body_end), n - body_end);
    }
}

#[cfg(not(target_arch = "x86_64"))]
unsafe fn stream(to: *mut u8, from: *const u8, n: usize) {
    // SAFETY: as for this function.
    unsafe { std::ptr::copy_nonoverlapping(from, to, n) }
}

/// Makes streamed stores visible to a thread that is handed the tape.
pub(crate) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has SSE.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streamed_copies_are_exact_at_every_alignment_and_length() {
        let from: Vec<u8> = (0..5000u32).map(|i| (i * 7 + i / 256) as u8).collect();
        for head in 0..LINE {
            for n in (STREAM_LEAST..STREAM_LEAST + 2 * LINE).chain([4095, 4096, 4097]) {
                let mut to = vec![0xEE; head + n + LINE];
                // SAFETY: both ranges are inside their vectors.
                unsafe { stream(to.as_mut_ptr().add(head), from.as_ptr(), n) };
                fence();
                assert_eq!(&to[head..head + n], &from[..n]);
                assert!(to[..head].iter().chain(&to[head + n..]).all(|byte| *byte == 0xEE));
            }
        }
    }
}
