//! The hash of a number.

#![forbid(unsafe_code)]

/// Two rounds of multiply, a fold between them: each bit of the number reaches the top bits of the hash. Fingerprints on
/// tapes and in checkpoints are made of it, so it never changes.
///
/// Folded by 32 bits, distances of powers of two from 2^27 on would cancel more often than chance has it.
#[inline(always)]
pub(crate) const fn mix(number: u64) -> u64 {
    let mixed = number.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ mixed >> 24).wrapping_mul(0x94d0_49bb_1331_11eb)
}
