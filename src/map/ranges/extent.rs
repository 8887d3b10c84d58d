//! Bytes and value of a range in the 64 bits of a leaf's entry, and whether it is hollow.
//!
//! ```text
//!   00 | hollow, 1 | bytes, 29 bits | value, 32 bits            most ranges
//!   10 | hollow, 1 | bytes, 17 bits | value, 44 bits            small ones with a large value
//!   11 | hollow, 1 |                | number of a node          what does not fit lies in a node of its own
//! ```

/// Bits of the value in the first form, and in the second.
const SHORT: u32 = 32;
const LONG: u32 = 44;
/// Set in all but the first form, and in the last only.
const SECOND: u64 = 1 << 63;
const ASIDE: u64 = 3 << 62;
const HOLLOW: u64 = 1 << 61;

/// `None` if they do not fit.
#[inline(always)]
pub(super) fn pack(bytes: u64, value: u64) -> Option<u64> {
    let fits = |shift: u32| bytes < 1 << (61 - shift) && value < 1 << shift;
    match (fits(SHORT), fits(LONG)) {
        (true, _) => Some(bytes << SHORT | value),
        (_, true) => Some(SECOND | bytes << LONG | value),
        _ => None,
    }
}

/// Packs the number of the node that has them.
pub(super) fn pack_aside(id: u32) -> u64 {
    ASIDE | u64::from(id)
}

#[inline(always)]
pub(super) fn is_hollow(extent: u64) -> bool {
    extent & HOLLOW != 0
}

/// The same extent of a range that is hollow, or is not.
pub(super) fn with_hollow(extent: u64, hollow: bool) -> u64 {
    if hollow { extent | HOLLOW } else { extent & !HOLLOW }
}

/// Bytes and value, or the node that has them.
#[inline(always)]
pub(super) fn unpack(extent: u64) -> Result<(u64, u64), u32> {
    if extent >= ASIDE {
        return Err(extent as u32);
    }
    // Chosen without a branch: both forms may alternate.
    let shift = if extent & SECOND == 0 { SHORT } else { LONG };
    Ok(((extent & !(ASIDE | HOLLOW)) >> shift, extent & ((1 << shift) - 1)))
}
