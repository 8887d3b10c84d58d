//! Copies between the program's arrays and the tape.
//!
//! A tape is written upward and read downward, once each, and is often larger than the caches. So arrays that are
//! pushed far from where the last pops were are streamed past the caches, whose lines would only be fetched to be
//! overwritten, and arrays are popped from their end to their beginning, one unbroken descending walk over the tape
//! that the hardware reads ahead of. Both double the rate out of cache. Short arrays are left to memcpy.
//!
//! In cache too these loops are used rather than memcpy: on a tape, arrays lie at any multiple of the smallest value
//! pushed before, and for such targets memcpy takes an instruction that some processors run at a twentieth of the speed.

use super::Cursor;
use crate::sync::OnceLock;

/// Shorter arrays are left to memcpy; `ADTAPE_BIG_BYTES_` in the header.
const LONG: usize = 512;
/// The same for streaming with a fence behind each array.
const LONG_FENCED: usize = 64 << 10;
const LINE: usize = 64;

/// Copies `n` bytes from `x` onto the tape; there is room for them.
///
/// # Safety
/// `[cur, cur + n)` is writable, `[x, x + n)` readable, and they do not overlap.
#[inline]
pub(crate) unsafe fn copy_in(cursor: &Cursor, x: *const u8, n: usize) {
    let cur = cursor.cur.get();
    let to = cur as *mut u8;
    // The cursor first: then the copy is a tail call, with nothing to be kept across it.
    cursor.cur.set(cur + n);
    if n < LONG {
        // SAFETY: as for this function.
        return unsafe { std::ptr::copy_nonoverlapping(x, to, n) };
    }
    let edge = cursor.edge.get().min(cur);
    cursor.edge.set(edge);
    // SAFETY: as for this function, and n is large enough.
    unsafe {
        match cur - edge > cache_bytes() {
            true => stream(to, x, n),
            false => ascend(to, x, n),
        }
    }
}

/// The same for tapes that may move to another thread without a word to us, as those of the Rust API do: streamed
/// stores are fenced, so only arrays stream that are long enough for a fence.
///
/// # Safety
/// As for [`copy_in`].
pub(crate) unsafe fn copy_in_ordered(cursor: &Cursor, x: *const u8, n: usize) {
    if n < LONG_FENCED {
        let cur = cursor.cur.get();
        // SAFETY: as for copy_in.
        unsafe {
            match n {
                0..LONG => std::ptr::copy_nonoverlapping(x, cur as *mut u8, n),
                _ => ascend(cur as *mut u8, x, n),
            }
        }
        cursor.cur.set(cur + n);
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
    let cur = cursor.cur.get() - n;
    let from = cur as *const u8;
    cursor.cur.set(cur);
    cursor.edge.set(cur);
    // SAFETY: as for this function, and n is large enough for descend.
    unsafe {
        match n < LONG {
            true => std::ptr::copy_nonoverlapping(from, x, n),
            false => descend(x, from, n),
        }
    }
}

/// Size of the last-level cache.
fn cache_bytes() -> usize {
    static CACHE: OnceLock<usize> = OnceLock::new();
    *CACHE.get_or_init(|| {
        // What sysconf says on some processors is the sum over all cores of the machine.
        let levels = (0..5).filter_map(|index| {
            std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size")).ok()
        });
        let kib = levels.filter_map(|size| size.trim().strip_suffix('K')?.parse::<usize>().ok()).max();
        kib.map_or(32 << 20, |kib| kib << 10)
    })
}

#[cfg(target_arch = "x86_64")]
mod lines {
    use super::LINE;
    use std::arch::x86_64::*;

    /// Copies upward, in order of address.
    ///
    /// # Safety
    /// As for `copy_nonoverlapping`; `n >= LONG`.
    #[inline]
    pub(super) unsafe fn ascend(to: *mut u8, from: *const u8, n: usize) {
        // SAFETY: as for this function; the processor has AVX where its code is called.
        unsafe {
            match std::arch::is_x86_feature_detected!("avx") {
                true => ascend_avx(to, from, n),
                false => std::ptr::copy_nonoverlapping(from, to, n),
            }
        }
    }

    /// Copies downward, from the end to the beginning.
    ///
    /// # Safety
    /// As for `copy_nonoverlapping`; `n >= LONG`.
    #[inline]
    pub(super) unsafe fn descend(to: *mut u8, from: *const u8, n: usize) {
        // SAFETY: as for this function; the processor has AVX where its code is called.
        unsafe {
            match std::arch::is_x86_feature_detected!("avx") {
                true => descend_avx(to, from, n),
                false => std::ptr::copy_nonoverlapping(from, to, n),
            }
        }
    }

    const VECTOR: usize = 32;
    const FOUR: usize = 4 * VECTOR;

    /// Copies four vectors.
    ///
    /// # Safety
    /// As for `copy_nonoverlapping` of [`FOUR`] bytes; `to` is a multiple of [`VECTOR`].
    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn four(to: *mut u8, from: *const u8) {
        let (to, from) = (to.cast::<__m256i>(), from.cast::<__m256i>());
        // SAFETY: as for this function.
        unsafe {
            let (a, b) = (_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1)));
            let (c, d) = (_mm256_loadu_si256(from.add(2)), _mm256_loadu_si256(from.add(3)));
            _mm256_storeu_si256(to, a);
            _mm256_storeu_si256(to.add(1), b);
            _mm256_storeu_si256(to.add(2), c);
            _mm256_storeu_si256(to.add(3), d);
        }
    }

    /// The ends are copied as whole vectors, which the aligned ones between them overlap.
    #[target_feature(enable = "avx")]
    unsafe fn ascend_avx(to: *mut u8, from: *const u8, n: usize) {
        // SAFETY: n >= FOUR; every group of vectors lies inside [0, n).
        unsafe {
            _mm256_storeu_si256(to.cast(), _mm256_loadu_si256(from.cast()));
            let mut done = VECTOR - to as usize % VECTOR;
            while done < n - FOUR {
                four(to.add(done), from.add(done));
                done += FOUR;
            }
            four(to.add(n - FOUR), from.add(n - FOUR));
        }
    }

    #[target_feature(enable = "avx")]
    unsafe fn descend_avx(to: *mut u8, from: *const u8, n: usize) {
        // SAFETY: n >= FOUR; every group of vectors lies inside [0, n). A prefetch cannot fault.
        unsafe {
            let end = n - VECTOR;
            _mm256_storeu_si256(to.add(end).cast(), _mm256_loadu_si256(from.add(end).cast()));
            let mut left = n - (to as usize + n) % VECTOR;
            while left > FOUR {
                left -= FOUR;
                four(to.add(left), from.add(left));
            }
            four(to, from);
        }
    }

    /// Copies with streaming stores: whole lines past the cache, the ends through it.
    ///
    /// # Safety
    /// As for `copy_nonoverlapping`; `n >= LONG`.
    pub(super) unsafe fn stream(to: *mut u8, from: *const u8, n: usize) {
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

    /// Makes streamed stores visible to a thread that is handed the tape.
    pub(crate) fn fence() {
        // SAFETY: every x86-64 processor has SSE.
        unsafe { _mm_sfence() }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod lines {
    /// # Safety
    /// As for `copy_nonoverlapping`.
    pub(super) unsafe fn ascend(to: *mut u8, from: *const u8, n: usize) {
        // SAFETY: as for this function.
        unsafe { std::ptr::copy_nonoverlapping(from, to, n) }
    }
    pub(super) use ascend as descend;
    pub(super) use ascend as stream;

    pub(crate) fn fence() {}
}

pub(crate) use lines::fence;
use lines::{ascend, descend, stream};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_exact_at_every_alignment_and_length() {
        let from: Vec<u8> = (0..5000u32).map(|i| (i * 7 + i / 256) as u8).collect();
        for copy in [stream, ascend, descend] {
            for (head, n) in (0..LINE).flat_map(|head| (LONG..LONG + 2 * LINE).map(move |n| (head, n))) {
                check(copy, &from, head, n);
            }
            for (head, n) in (0..LINE).flat_map(|head| [4095, 4096, 4097].map(|n| (head, n))) {
                check(copy, &from, head, n);
            }
        }
    }

    /// Copies to `head` bytes behind a line and, from there, back.
    fn check(copy: unsafe fn(*mut u8, *const u8, usize), from: &[u8], head: usize, n: usize) {
        let mut to = vec![0xEE; head + n + LINE];
        let mut back = vec![0xEE; n + 2 * LINE];
        // SAFETY: all ranges are inside their vectors, and n >= LONG.
        unsafe {
            copy(to.as_mut_ptr().add(head), from.as_ptr(), n);
            copy(back.as_mut_ptr().add(LINE), to.as_ptr().add(head), n);
        }
        fence();
        assert_eq!(&to[head..head + n], &from[..n]);
        assert_eq!(&back[LINE..LINE + n], &from[..n]);
        assert!(to[..head].iter().chain(&to[head + n..]).all(|byte| *byte == 0xEE));
        assert!(back[..LINE].iter().chain(&back[LINE + n..]).all(|byte| *byte == 0xEE));
    }
}
