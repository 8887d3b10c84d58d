//! The bit accumulator: up to 61 control bits in a word, the last pushed lowest, below a marker bit.
//!
//! ```text
//!   63   62            k         0
//!    0 …  0 … 0    1 | b1 … bk         k bits; bk, the last pushed, is bit 0
//! ```
//!
//! A word that gets its 62nd bit is full: it goes onto the tape at once, and comes back when a pop finds the
//! accumulator empty. Any other rule would interleave wrongly with values. No counter is kept.

#![forbid(unsafe_code)]

use super::hot::NO_BITS;
use crate::error::{Error, Status};

/// Bits in a full word.
const FULL: u32 = 62;

/// Bits in the accumulator.
pub(super) fn len(bits: u64) -> u32 {
    63 - bits.leading_zeros()
}

fn low(value: u64, count: u32) -> u64 {
    if count == 64 { value } else { value & ((1 << count) - 1) }
}

/// Adds the `left` low bits of `value`, highest first, until all are in or the word is full; returns the full
/// word, whose place an empty one takes.
pub(super) fn fill(bits: &mut u64, value: u64, left: &mut u32) -> Option<u64> {
    let count = (*left).min(FULL - len(*bits));
    if count == 0 {
        return None;
    }
    *left -= count;
    *bits = *bits << count | low(value.checked_shr(*left).unwrap_or(0), count);
    (len(*bits) == FULL).then(|| std::mem::replace(bits, NO_BITS))
}

/// How many words fill up when `count` bits are added.
pub(super) fn words_filled(bits: u64, count: u32) -> usize {
    ((len(bits) + count) / FULL) as usize
}

/// The full word, if `count` (1 to 61) low bits of `value` make it just that. None for a closed accumulator.
#[inline(always)]
pub(super) fn exactly_full(bits: u64, value: u64, count: u32) -> Option<u64> {
    (count.wrapping_sub(1) < FULL - 1 && bits >> (FULL - count) == 1).then(|| bits << count | low(value, count))
}

/// The full word and the accumulator behind it, where `count` (1 to 61) low bits of `value` are more than fit into one.
/// None for a closed accumulator.
#[inline(always)]
pub(super) fn overflow(bits: u64, value: u64, count: u32) -> Option<(u64, u64)> {
    if count.wrapping_sub(1) >= FULL - 1 || bits >> FULL != 0 || bits >> (FULL - count) <= 1 {
        return None;
    }
    let room = FULL - len(bits);
    let left = count - room;
    Some((bits << room | low(value >> left, room), 1 << left | low(value, left)))
}

/// Pops `count` (1 to 61) bits, more than `bits` has, with the full `word` below them: the bits and the accumulator then.
/// None for a closed accumulator, and for a word that is not a full one.
#[inline(always)]
pub(super) fn underflow(bits: u64, word: u64, count: u32) -> Option<(u64, u64)> {
    if count.wrapping_sub(1) >= FULL - 1 || bits >> count != 0 || word >> FULL != 1 {
        return None;
    }
    let there = len(bits);
    let left = count - there;
    Some((low(bits, there) | low(word, left) << there, word >> left))
}

/// Takes up to `count` bits off and puts them at bit `at` of `value`; returns how many there were.
pub(super) fn drain(bits: &mut u64, count: u32, at: u32, value: &mut u64) -> u32 {
    let count = count.min(len(*bits));
    if count > 0 {
        *value |= low(*bits, count) << at;
        *bits >>= count;
    }
    count
}

/// A word popped from the tape, as an accumulator. It must be a full one.
pub(super) fn refill(word: u64) -> Result<u64, Error> {
    if word >> FULL == 1 {
        return Ok(word);
    }
    Err(Error::new(
        Status::Corrupt,
        format!(
            "control bits are popped where none were pushed (found the word {word:#018x})\n  \
             pushes and pops do not match; run with ADTAPE_CHECK=1 to see the first that does not"
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::hot::CLOSED_BITS;

    #[test]
    fn bits_come_back_in_reverse_across_word_borders() {
        for width in 1..=64 {
            let (mut bits, mut words) = (NO_BITS, Vec::new());
            let values: Vec<u64> =
                (0..200u32).map(|i| u64::from(i).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(i)).collect();
            for value in &values {
                let (mut left, before) = (width, words.len());
                let expected = words_filled(bits, width);
                while let Some(word) = fill(&mut bits, *value, &mut left) {
                    words.push(word);
                }
                assert_eq!((left, words.len() - before), (0, expected));
                assert!(len(bits) < FULL);
            }
            for value in values.iter().rev() {
                let (mut got, mut popped) = (0, 0);
                while got < width {
                    got += drain(&mut bits, width - got, got, &mut popped);
                    if got < width {
                        bits = refill(words.pop().unwrap()).unwrap();
                    }
                }
                assert_eq!(popped, low(*value, width), "width {width}");
            }
            assert!(words.is_empty() && bits == NO_BITS);
        }
    }

    #[test]
    fn words_that_fill_and_empty_within_a_value_are_those_of_the_general_case() {
        for count in 1..FULL {
            for there in 0..FULL {
                let value = 0x9E37_79B9_7F4A_7C15_u64.rotate_left(count + there);
                let bits = 1 << there | low(value.rotate_left(7), there);
                let (mut general, mut left) = (bits, count);
                let word = fill(&mut general, value, &mut left);
                assert_eq!(exactly_full(bits, value, count), word.filter(|_| there + count == FULL));
                if there + count > FULL {
                    assert_eq!(fill(&mut general, value, &mut left), None);
                }
                let over = word.filter(|_| there + count > FULL).map(|word| (word, general));
                assert_eq!(overflow(bits, value, count), over, "{count} on {there}");

                let word = 1 << FULL | low(value, FULL);
                let (mut general, mut popped) = (bits, 0);
                let got = drain(&mut general, count, 0, &mut popped);
                let under = (got < count).then(|| {
                    general = word;
                    drain(&mut general, count - got, got, &mut popped);
                    (popped, general)
                });
                assert_eq!(underflow(bits, word, count), under, "{count} from {there}");
                assert_eq!(underflow(bits, word >> 1, count), None);
            }
            assert_eq!(overflow(CLOSED_BITS, 0, count), None);
            assert_eq!(underflow(CLOSED_BITS, 1 << FULL, count), None);
        }
        for count in [0, 62, 63, 64, u32::MAX] {
            assert_eq!(overflow(1 << 61, 0, count), None);
            assert_eq!(underflow(NO_BITS, 1 << FULL, count), None);
        }
    }

    #[test]
    fn word_without_marker_is_refused() {
        for word in [0, 1, 1 << 61, 1 << 63, u64::MAX] {
            assert_eq!(refill(word).unwrap_err().status(), Status::Corrupt);
        }
    }
}
