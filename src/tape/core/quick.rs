//! What the operations of a watched tape may do until the slow path has to be asked again.

#![forbid(unsafe_code)]

#[derive(Clone, Copy)]
pub(super) struct Quick {
    /// So many operations; none on a tape that is not calm.
    pub left: u64,
    /// The address of the cursor that has the state.
    pub cursor: usize,
    /// Offsets that pops and pushes may reach.
    pub low: usize,
    pub high: usize,
}

impl Quick {
    /// Nothing.
    pub const NOTHING: Quick = Quick { left: 0, cursor: 0, low: 0, high: 0 };
}
