//! What is measured: an adaptive mesh, and blocks that come and go nested.

use fastrand::Rng;

/// One side of a comparison.
pub trait Sweeps<P> {
    fn forward(&mut self, pattern: &P);
    fn begin_reverse(&mut self, _: &P) {}
    fn reverse(&mut self, pattern: &P);
    fn end_reverse(&mut self, _: &P) {}
}

/// A mesh, of which each step frees a cell and allocates one of another size in its place.
pub struct Mesh {
    pub cells: usize,
    pub with_adjoints: bool,
    /// The cell of each step.
    pub which: Vec<usize>,
}

impl Mesh {
    pub fn new(cells: usize, steps: usize, with_adjoints: bool) -> Mesh {
        let mut random = Rng::with_seed(1);
        Mesh { cells, with_adjoints, which: (0..steps).map(|_| random.usize(..cells)).collect() }
    }

    /// Cells of 160 to 544 bytes.
    pub fn bytes(i: usize) -> usize {
        32 + 8 * (16 + (i as u64).wrapping_mul(2_654_435_761) as usize % 49)
    }
}

/// So many blocks are allocated one after the other, and freed from the last to the first.
pub struct Nested {
    pub bytes: usize,
    pub steps: usize,
}

impl Nested {
    pub const DEPTH: usize = 16;
}
