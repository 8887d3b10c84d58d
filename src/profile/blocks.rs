//! What arrays held when they were pushed last, by blocks: of an array that changes in part, the rest is known.
//!
//! A *block* is a part of an array, of at least [`BLOCK`] bytes and at most a 1024th of the array. An array is known by its
//! place, its address and its length. The table is bounded as that of [`seen`](super::seen): beyond that it keeps to a
//! half, a quarter, ... of all arrays, and each of these stands for two, four, ...

#![forbid(unsafe_code)]

use super::seen::Same;
use crate::hash::mix;
use std::collections::HashMap;

/// Bytes of the smallest block, a multiple of the size of each type. An array of one block is known as a whole.
pub(crate) const BLOCK: usize = 512;
/// Blocks of an array, and of all arrays of a tape.
const OF_AN_ARRAY: usize = 1 << 10;
const MOST: usize = 1 << 19;

/// An array that was pushed.
struct Array {
    /// The number of each block's values, shifted by one; the lowest bit is set once the block has changed.
    blocks: Box<[u64]>,
    /// Pushes behind the first one, each with its weight.
    again: u64,
}

#[derive(Default)]
pub(super) struct Blocks {
    arrays: HashMap<u64, Array>,
    /// Blocks of all of them.
    count: usize,
    /// One array of 2^shift is remembered.
    shift: u32,
}

/// Bytes of the blocks of an array of `bytes` bytes.
fn step(bytes: usize) -> usize {
    bytes.div_ceil(OF_AN_ARRAY).next_multiple_of(BLOCK)
}

impl Blocks {
    /// A place pushes an array from an address. `digest` gives values a number. Returns the array's own, too: it is of
    /// all blocks.
    pub fn push(
        &mut self,
        (place, address): (u32, usize),
        bytes: &[u8],
        weight: u64,
        digest: impl Fn(&[u8]) -> u64,
    ) -> (u64, Same) {
        let key = mix(mix(address as u64 ^ (bytes.len() as u64).rotate_left(40)) ^ u64::from(place));
        let numbers = bytes.chunks(step(bytes.len())).map(|block| (digest(block), 8 * block.len() as u64));
        let mut whole = 0_u64;
        let mut add = |number: u64| whole = mix(whole.rotate_left(31) ^ number);
        if address == 0 || key.leading_zeros() < self.shift {
            numbers.for_each(|(number, _)| add(number));
            return (whole, Same::default());
        }
        let times = 1 << self.shift;
        let Some(array) = self.arrays.get_mut(&key) else {
            let blocks: Box<[u64]> = numbers.map(|(number, _)| (number, add(number)).0 << 1).collect();
            self.count += blocks.len();
            self.arrays.insert(key, Array { blocks, again: 0 });
            if self.count > MOST {
                self.keep_half();
            }
            return (whole, Same { times, ..Same::default() });
        };
        let mut same = Same { times, ..Same::default() };
        for (block, (number, bits)) in array.blocks.iter_mut().zip(numbers) {
            add(number);
            let (before, changes) = (*block & !1, *block & 1);
            if before == number << 1 {
                same.bits += bits;
                same.never += bits * (1 - changes);
            } else {
                same.changed += array.again * bits * (1 - changes);
                *block = number << 1 | 1;
            }
        }
        array.again += times * weight;
        (whole, same)
    }

    #[inline(never)]
    fn keep_half(&mut self) {
        while self.count > MOST / 2 && self.shift < 60 {
            self.shift += 1;
            self.arrays.retain(|key, _| key.leading_zeros() >= self.shift);
            self.count = self.arrays.values().map(|array| array.blocks.len()).sum();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(bytes: &[u8]) -> u64 {
        bytes.iter().fold(1, |sum, byte| mix(sum ^ u64::from(*byte)))
    }

    /// Pushes of one array: bits that did not change, and the weighted bits that never did.
    fn pushes(blocks: &mut Blocks, arrays: &[Vec<u8>]) -> (Vec<u64>, u64) {
        let (mut same, mut never) = (Vec::new(), 0);
        for bytes in arrays {
            let (number, found) = blocks.push((3, 64), bytes, 2, digest);
            assert_ne!(number, 0);
            never = never + 2 * found.times * found.never - found.changed;
            same.push(found.bits);
        }
        (same, never)
    }

    #[test]
    fn block_that_changes_leaves_the_others_unchanged() {
        let (len, block) = (10 * BLOCK + 8, 8 * BLOCK as u64);
        let mut array = vec![1; len];
        let mut arrays = vec![array.clone()];
        for (at, value) in [(0, 2), (len - 1, 3), (0, 2), (BLOCK - 1, 4)] {
            array[at] = value;
            arrays.push(array.clone());
        }
        // The last block has 8 bytes.
        let all = 8 * len as u64;
        let (same, never) = pushes(&mut Blocks::default(), &arrays);
        assert_eq!(same, [0, all - block, all - 64, all, all - block]);
        assert_eq!(never, 2 * 4 * 9 * block, "nine blocks in four pushes behind the first, each of weight 2");
    }

    #[test]
    fn length_and_address_tell_arrays_apart() {
        let mut blocks = Blocks::default();
        let bytes = vec![7; 4 * BLOCK];
        for (address, len) in [(64, 4 * BLOCK), (64, 3 * BLOCK), (128, 4 * BLOCK)] {
            assert_eq!(blocks.push((3, address), &bytes[..len], 1, digest).1.bits, 0);
            assert_eq!(blocks.push((3, address), &bytes[..len], 1, digest).1.bits, 8 * len as u64);
        }
        assert_eq!(blocks.push((3, 0), &bytes, 1, digest).1.times, 0, "nobody knows where it was");
    }

    #[test]
    fn large_array_has_few_blocks_and_many_arrays_are_counted_by_a_part_of_them() {
        assert_eq!([step(1024), step(BLOCK << 10), step((BLOCK << 10) + 8)], [BLOCK, BLOCK, 2 * BLOCK]);
        let mut blocks = Blocks::default();
        let bytes = vec![5; 64 * BLOCK];
        let count = 40_000;
        let mut round = || {
            let bits = |i: usize| {
                let same = blocks.push((1, 64 * (i + 1)), &bytes, 1, |_| 9).1;
                same.times * same.bits
            };
            (0..count).map(bits).sum::<u64>() / (8 * bytes.len() as u64)
        };
        round();
        let all = round();
        assert!(all.abs_diff(count as u64) < count as u64 / 20, "{all} of {count}");
        assert!(blocks.count <= MOST && blocks.shift > 0);
    }
}
