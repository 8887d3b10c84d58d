//! Copies between the program's arrays and the tape.
//!
//! A tape is written upward and read downward, once each, and is often larger than the caches. So arrays that are
//! pushed far from where the last pops were are streamed past the caches, whose lines would only be fetched to be
//! overwritten, and arrays are popped from their end to their beginning, one unbroken descending walk over the tape
//! that is fetched ahead of. Both speed arrays up by far out of cache. Short ones are left to memcpy.
//!
//! In cache too these loops are used rather than memcpy: on a tape, arrays lie at any multiple of the smallest value
//! pushed before, and for such targets memcpy takes an instruction that some processors run at a twentieth of the
//! speed. AMD's processors with vectors of a line copy by those, and long arrays by that instruction, where it is quick.

use super::Hot;
use crate::sync::{First, StaticCounter, UNORDERED};

/// Shorter arrays are left to memcpy; `ADTAPE_BIG_BYTES_` in the header.
const LONG: usize = 512;
/// Shorter arrays do not stream with a fence behind each.
const LONG_FENCED: usize = 64 << 10;

/// The most of the last-level cache that a tape counts on. A server's is shared by dozens of cores and no faster than
/// streaming to memory; a virtual machine reports the size of the whole.
const MOST_CACHE: usize = 32 << 20;

/// Pushes stream from this distance to the edge on. 0 until it is known, and for ever where the processor lacks what
/// `ascend` and `descend` need: one compare with it tells both.
static FAR: StaticCounter = StaticCounter::new(0);

fn far() -> usize {
    FAR.load(UNORDERED) as usize
}

/// Copies `n` bytes from `x` onto the tape; there is room for them.
///
/// # Safety
/// `[cur, cur + n)` is writable, `[x, x + n)` readable, and they do not overlap.
#[inline]
pub(crate) unsafe fn copy_in(cursor: &Hot, x: *const u8, n: usize) {
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
    // SAFETY: as for this function, and n >= LONG; `ascend` can run where FAR is not 0.
    unsafe { if cur - edge < far() { ascend(to, x, n) } else { copy_in_far(to, x, n, cur - edge) } }
}

/// [`copy_in`] for tapes that may move to another thread without a word to us, as those of the Rust API do: streamed
/// stores are fenced, so only arrays stream that are long enough for a fence.
///
/// # Safety
/// As for [`copy_in`].
pub(crate) unsafe fn copy_in_ordered(cursor: &Hot, x: *const u8, n: usize) {
    if n >= LONG_FENCED {
        // SAFETY: as for this function.
        unsafe { copy_in(cursor, x, n) };
        return fence();
    }
    let cur = cursor.cur.get();
    cursor.cur.set(cur + n);
    // SAFETY: as for this function, and n >= LONG where it matters; at a distance of 0 nothing streams.
    unsafe {
        if n < LONG {
            std::ptr::copy_nonoverlapping(x, cur as *mut u8, n)
        } else {
            copy_in_far(cur as *mut u8, x, n, 0)
        }
    }
}

/// Copies the `n` last bytes of the tape to `x` and takes them off.
///
/// # Safety
/// `[cur - n, cur)` is readable, `[x, x + n)` writable, and they do not overlap.
#[inline]
pub(crate) unsafe fn copy_out(cursor: &Hot, x: *mut u8, n: usize) {
    let cur = cursor.cur.get() - n;
    let from = cur as *const u8;
    cursor.cur.set(cur);
    cursor.edge.set(cur);
    // SAFETY: as for this function; `descend` gets n >= LONG and can run where FAR is not 0.
    unsafe { if n >= LONG && far() > 0 { descend(x, from, n) } else { copy_out_first(x, from, n) } }
}

/// What is not an [`ascend`] within the caches: streaming, and all pushes while FAR is 0.
///
/// # Safety
/// As for `copy_nonoverlapping`; `n >= LONG`.
#[inline(never)]
unsafe fn copy_in_far(to: *mut u8, x: *const u8, n: usize, distance: usize) {
    let cache = know_far();
    // SAFETY: as for this function; `ascend` can run where FAR is not 0.
    unsafe {
        match (distance >= cache, far() > 0) {
            (true, _) => stream(to, x, n),
            (false, true) => ascend(to, x, n),
            (false, false) => std::ptr::copy_nonoverlapping(x, to, n),
        }
    }
}

/// What is not a [`descend`]: short arrays, and all pops while FAR is 0.
///
/// # Safety
/// As for `copy_nonoverlapping`.
#[inline(never)]
unsafe fn copy_out_first(to: *mut u8, from: *const u8, n: usize) {
    if n >= LONG {
        know_far();
    }
    // SAFETY: as for this function.
    unsafe { std::ptr::copy_nonoverlapping(from, to, n) }
}

/// Sets FAR if the processor has what it takes; returns the distance.
fn know_far() -> usize {
    static CACHE: First<usize> = First::new();
    *CACHE.get_or_make(|| {
        let bytes = cache_bytes();
        if supported() {
            FAR.store(bytes as u64, UNORDERED);
        }
        bytes
    })
}

/// Size of the last-level cache: the largest of those of the first processor. (What sysconf says is, on some
/// machines, the sum over all of them.)
fn cache_bytes() -> usize {
    let sizes = (0..5).filter_map(|index| {
        std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size")).ok()
    });
    let kib = sizes.filter_map(|size| size.trim().strip_suffix('K')?.parse::<usize>().ok()).max();
    kib.filter(|kib| *kib > 0).map_or(MOST_CACHE, |kib| (kib << 10).min(MOST_CACHE))
}

#[cfg(target_arch = "x86_64")]
mod lines {
    use crate::sync::{StaticCounter, UNORDERED};
    use std::arch::is_x86_feature_detected;
    use std::arch::x86_64::*;

    /// Whether `ascend` and `descend` can run.
    pub(super) fn supported() -> bool {
        // A set of instructions that AMD's processors have and no others.
        if is_x86_feature_detected!("sse4a") {
            AHEAD.store(AHEAD_ZEN, UNORDERED);
            WIDE.store(is_x86_feature_detected!("avx512f") as u64, UNORDERED);
        }
        is_x86_feature_detected!("avx")
    }

    const LINE: usize = 64;
    const PAGE: usize = 4096;
    /// How far below what is popped the tape is fetched. Where the hardware reads ahead well, as on an Intel Xeon,
    /// just so far that it is not left to the order of loads whether it does: what is fetched from another page leads
    /// it astray and costs a third.
    static AHEAD: StaticCounter = StaticCounter::new(512);
    /// Zen 4 gains by more.
    const AHEAD_ZEN: u64 = 4096;
    /// 1: vectors are whole lines. Intel's older processors are slower for a while after such a vector.
    static WIDE: StaticCounter = StaticCounter::new(0);

    /// Copies upward, in order of address.
    ///
    /// # Safety
    /// As for `copy_nonoverlapping`; `n >= LONG`; the processor is [`supported`].
    #[inline]
    pub(super) unsafe fn ascend(to: *mut u8, from: *const u8, n: usize) {
        // SAFETY: as for this function; WIDE is 1 where the processor has such vectors.
        unsafe {
            match (WIDE.load(UNORDERED), n >= WHOLE_LINES) {
                (0, _) => narrow::ascend(to, from, n),
                (_, true) => whole_lines(to, from, n),
                (_, false) => wide::ascend(to, from, n),
            }
        }
    }

    /// Arrays of that length and their copies outgrow the nearest cache. There is an instruction whose stores do not fetch
    /// lines first: on Zen 5 it is faster from here on, by 1.8 where the tape lies behind the second cache.
    const WHOLE_LINES: usize = 24 << 10;

    /// Copies by that instruction, upward.
    ///
    /// # Safety
    /// As for [`ascend`], where WIDE is 1.
    #[inline(never)]
    unsafe fn whole_lines(to: *mut u8, from: *const u8, n: usize) {
        let head = LINE - to as usize % LINE;
        let (rest_to, rest_from) = (to.wrapping_add(head), from.wrapping_add(head));
        // Addresses that agree in their low bits slow it down twentyfold on Zen 4.
        let apart = (rest_to as usize).wrapping_sub(rest_from as usize) % PAGE;
        if !(LINE..PAGE - LINE).contains(&apart) {
            // SAFETY: as for this function.
            return unsafe { wide::ascend(to, from, n) };
        }
        // SAFETY: as for this function; head <= LINE < n.
        unsafe {
            std::ptr::copy_nonoverlapping(from, to, head);
            std::arch::asm!("rep movsb", inout("rcx") n - head => _, inout("rdi") rest_to => _,
                            inout("rsi") rest_from => _, options(nostack, preserves_flags));
        }
    }

    /// Copies downward, from the end to the beginning.
    ///
    /// # Safety
    /// As for [`ascend`].
    #[inline]
    pub(super) unsafe fn descend(to: *mut u8, from: *const u8, n: usize) {
        // SAFETY: as for `ascend`.
        unsafe {
            match (WIDE.load(UNORDERED), n >= WHOLE_LINES) {
                (0, _) => narrow::descend(to, from, n),
                (_, true) => whole_lines(to, from, n),
                (_, false) => wide::descend(to, from, n),
            }
        }
    }

    /// Both copies in vectors of one type.
    macro_rules! copies {
        ($name:ident, $feature:literal, $vector:ty, $load:ident, $store:ident) => {
            mod $name {
                use super::{AHEAD, LINE, UNORDERED};
                use std::arch::x86_64::*;

                const VECTOR: usize = size_of::<$vector>();
                const FOUR: usize = 4 * VECTOR;
                /// What is fetched at once; `n` is at least that.
                const STEP: usize = super::super::LONG / 2;

                /// Copies four vectors.
                ///
                /// # Safety
                /// As for `copy_nonoverlapping` of [`FOUR`] bytes.
                #[inline]
                #[target_feature(enable = $feature)]
                unsafe fn four(to: *mut u8, from: *const u8) {
                    let (to, from) = (to.cast::<$vector>(), from.cast::<$vector>());
                    // SAFETY: as for this function.
                    unsafe {
                        let (a, b) = ($load(from), $load(from.add(1)));
                        let (c, d) = ($load(from.add(2)), $load(from.add(3)));
                        $store(to, a);
                        $store(to.add(1), b);
                        $store(to.add(2), c);
                        $store(to.add(3), d);
                    }
                }

                /// The ends are copied as whole vectors, which the aligned ones between them overlap.
                ///
                /// # Safety
                /// As for [`super::ascend`].
                #[target_feature(enable = $feature)]
                pub(super) unsafe fn ascend(to: *mut u8, from: *const u8, n: usize) {
                    // SAFETY: n >= FOUR; every group of vectors lies inside [0, n).
                    unsafe {
                        $store(to.cast(), $load(from.cast()));
                        let mut done = VECTOR - to as usize % VECTOR;
                        while done < n - FOUR {
                            four(to.add(done), from.add(done));
                            done += FOUR;
                        }
                        four(to.add(n - FOUR), from.add(n - FOUR));
                    }
                }

                /// # Safety
                /// As for [`super::descend`].
                #[target_feature(enable = $feature)]
                pub(super) unsafe fn descend(to: *mut u8, from: *const u8, n: usize) {
                    // SAFETY: n >= STEP; every group of vectors lies inside [0, n).
                    unsafe {
                        let end = n - VECTOR;
                        let ahead = from.wrapping_sub(AHEAD.load(UNORDERED) as usize);
                        $store(to.add(end).cast(), $load(from.add(end).cast()));
                        let mut left = n - (to as usize + n) % VECTOR;
                        while left > STEP {
                            left -= STEP;
                            fetch(ahead.wrapping_add(left));
                            for part in (0..STEP).step_by(FOUR).rev() {
                                four(to.add(left + part), from.add(left + part));
                            }
                        }
                        fetch(ahead);
                        if left > FOUR {
                            four(to.add(left - FOUR), from.add(left - FOUR));
                        }
                        four(to, from);
                    }
                }

                /// Fetches what lies in a step. No access: an address below the tape does no harm.
                #[inline]
                fn fetch(from: *const u8) {
                    for line in 0..STEP / LINE {
                        // SAFETY: every x86-64 processor has SSE.
                        unsafe { _mm_prefetch::<_MM_HINT_T0>(from.wrapping_add(line * LINE).cast()) };
                    }
                }
            }
        };
    }
    copies!(narrow, "avx", __m256i, _mm256_loadu_si256, _mm256_storeu_si256);
    copies!(wide, "avx512f", __m512i, _mm512_loadu_si512, _mm512_storeu_si512);

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

    pub(super) fn supported() -> bool {
        true
    }

    pub(crate) fn fence() {}
}

pub(crate) use lines::fence;
use lines::{ascend, descend, stream, supported};

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: usize = 64;

    #[test]
    fn copies_are_exact_at_every_alignment_and_length() {
        let from: Vec<u8> = (0..25_000u32).map(|i| (i * 7 + i / 256) as u8).collect();
        let mut copies: Vec<unsafe fn(*mut u8, *const u8, usize)> = vec![stream];
        if supported() {
            copies.extend([ascend as unsafe fn(_, _, _), descend]);
        }
        for copy in copies {
            for (head, n) in (0..LINE).flat_map(|head| (LONG..LONG + 2 * LINE).map(move |n| (head, n))) {
                check(copy, &from, head, n);
            }
            let lengths = [4095, 4096, 4097, (24 << 10) - 1, 24 << 10, (24 << 10) + 65];
            for (head, n) in (0..LINE).flat_map(|head| lengths.map(|n| (head, n))) {
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
