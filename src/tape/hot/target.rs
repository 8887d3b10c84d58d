//! Where a pop copies values to, for profile mode: it asks whether they are there already.

use crate::profile::BLOCK;

/// Memory that the caller of a pop gives it, of as many bytes as are popped.
#[derive(Clone, Copy)]
pub(crate) struct Target(*const u8);

impl Target {
    /// Somewhere, a register perhaps.
    pub const UNKNOWN: Target = Target(std::ptr::null());

    /// # Safety
    /// NULL, or there are as many bytes as the pop that it is given to pops, for as long as that takes. They need have no
    /// value.
    pub unsafe fn new(address: *const u8) -> Target {
        Target(address)
    }

    /// Whether the bytes there are these. Memory checkers know this function, by name: what it compares may have no value.
    /// It branches, so that they take its answer for one.
    #[inline(never)]
    pub fn holds(self, bytes: &[u8]) -> bool {
        // SAFETY: by the contract of `new`. C's function is asked, to which memory without a value is no reason to do
        // anything else than compare.
        if self.0.is_null() || unsafe { libc::memcmp(self.0.cast(), bytes.as_ptr().cast(), bytes.len()) } != 0 {
            return std::hint::black_box(false);
        }
        true
    }

    /// How many of the bytes there are these, by blocks.
    pub fn held(self, bytes: &[u8]) -> usize {
        if self.0.is_null() {
            return 0;
        }
        let holds = |(number, part): &(usize, &[u8])| Target(self.0.wrapping_add(number * BLOCK)).holds(part);
        bytes.chunks(BLOCK).enumerate().filter(holds).map(|(_, part)| part.len()).sum()
    }
}
