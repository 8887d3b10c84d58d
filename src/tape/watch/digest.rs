//! Numbers that stand for values: two values with different numbers differ, two with the same number hardly ever.

#![forbid(unsafe_code)]

use crate::hash::mix;
use crate::tape::types::Type;

/// From here on the checksum is faster; it reads arrays at about the speed at which they are copied.
const LONG: usize = 64;

/// The number of values of a type. The padding of a long double is not read: it is no part of the value.
#[inline]
pub(in crate::tape) fn digest_of(ty: Type, bytes: &[u8]) -> u64 {
    match ty {
        Type::F80 | Type::ComplexF80 if cfg!(target_arch = "x86_64") => of_extended(bytes),
        _ => digest(bytes),
    }
}

#[inline(never)]
fn of_extended(bytes: &[u8]) -> u64 {
    const PADDED: usize = 16;
    const VALUE: usize = 10;
    bytes.chunks(PADDED).fold(0, |sum: u64, value| mix(sum.rotate_left(31) ^ digest(&value[..VALUE.min(value.len())])))
}

/// The number of a value or an array. A value of up to 8 bytes is its own.
#[inline]
fn digest(bytes: &[u8]) -> u64 {
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
    fn padding_of_a_long_double_is_no_part_of_it() {
        for (ty, size) in [(Type::F80, 16), (Type::F80, 160), (Type::ComplexF80, 32)] {
            let mut bytes: Vec<u8> = (0..size).collect();
            let before = digest_of(ty, &bytes);
            for at in 0..usize::from(size) {
                bytes[at] ^= 1;
                let is_padding = cfg!(target_arch = "x86_64") && at % 16 >= 10;
                assert_eq!(digest_of(ty, &bytes) == before, is_padding, "byte {at}");
                bytes[at] ^= 1;
            }
        }
    }

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
