//! Numbers that stand for values: two values with different numbers differ, two with the same number hardly ever.

#![forbid(unsafe_code)]

use crate::hash::mix;

/// From here on the checksum is faster; it reads arrays at about the speed at which they are copied.
const LONG: usize = 64;

/// The number of a value or an array. A value of up to 8 bytes is its own.
#[inline]
pub(in crate::tape) fn digest(bytes: &[u8]) -> u64 {
    match <[u8; 8]>::try_from(bytes) {
        Ok(word) => u64::from_ne_bytes(word),
        Err(_) => of_other_size(bytes),
    }
}

#[inline(never)]
fn of_other_size(bytes: &[u8]) -> u64 {
    if bytes.len() >= LONG {
        return u64::from(crc32fast::hash(bytes));
    }
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let last = u64::from_ne_bytes(last);
    match words {
        [] => last,
        _ => words.iter().fold(mix(last), |sum, word| mix(sum.rotate_left(31) ^ u64::from_ne_bytes(*word))),
    }
}

/// 32 bits of a number, for a record.
#[inline]
pub(super) fn short(digest: u64) -> u32 {
    // Odd, so that each value has a product of its own, whose upper half all bits of the value reach.
    (digest.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bit_of_a_value_changes_its_number() {
        for size in (1..=40).chain([63, 64, 65, 1000]) {
            let mut bytes: Vec<u8> = (0..size).map(|i| i as u8).collect();
            let before = short(digest(&bytes));
            for bit in 0..8 * size {
                bytes[bit / 8] ^= 1 << (bit % 8);
                assert_ne!(short(digest(&bytes)), before, "bit {bit} of {size} bytes");
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            assert_eq!(short(digest(&bytes)), before);
        }
    }
}
