//! The tape: a last-in first-out store of values, one order for all types.
//!
//! ```text
//!  base                  floor              cur             limit                       base + reserved
//!   |--- spilled, if any ---|---- resident ----|... committed ...|........ reserved, no memory ......|
//! ```
//!
//! * [`cursor`]: the hot state and the fast path, two compares.
//! * [`core`]: the cold state and the slow path behind them.
//! * [`machine`]: bytes, bits and repeat regions in a span of address space.
//! * [`check`], [`stats`]: modes in which every operation is seen.
//! * [`thread`]: the thread's own tape.
//!
//! ```
//! use adtape::{Operation, Tape};
//!
//! # fn main() -> Result<(), adtape::Error> {
//! let tape = Tape::new()?;
//! // Forward sweep: y = x * x, n times; the value that is overwritten is needed by the reverse sweep.
//! let mut x = 1.1_f64;
//! for _ in 0..3 {
//!     tape.push(x)?;
//!     x *= x;
//! }
//! // Reverse sweep.
//! let mut x_adjoint = 1.0;
//! for _ in 0..3 {
//!     x = tape.pop()?;
//!     x_adjoint *= 2.0 * x;
//! }
//! assert!((x_adjoint - 8.0 * 1.1_f64.powi(7)).abs() < 1e-12);
//! assert_eq!(tape.stats()?.bytes, 0);
//! # Ok(())
//! # }
//! ```

mod bits;
mod check;
mod control;
pub(crate) mod core;
pub(crate) mod cursor;
mod machine;
mod mark;
pub(crate) mod owner;
mod spill;
mod stats;
mod types;

pub use cursor::{Cursor, MAX_RANK, Tape, with_thread_tape};
pub use mark::Mark;
pub use spill::Spill;
pub use stats::{Operation, Stats, Traffic};
pub use types::{Scalar, Type};

use crate::error::Error;
use crate::vm::Trim;

/// Most bytes that one call moves: 2^47, the size of the user half of the address space.
pub(crate) const MAX_BYTES: usize = 1 << 47;

impl Cursor {
    /// Starts a repeat region: what lies on the tape now can be popped several times.
    pub fn repeat_start(&self) -> Result<(), Error> {
        self.slow(|core| {
            core.machine.start();
            if let Some(recorder) = &mut core.recorder {
                recorder.start();
            }
            Ok(())
        })
    }

    /// Puts the tape back to where it was when the innermost repeat region was started.
    pub fn repeat_reset(&self) -> Result<(), Error> {
        self.slow(|core| {
            core.machine.reset()?;
            core.recorder.as_mut().map_or(Ok(()), |recorder| recorder.reset())
        })
    }

    /// Ends the innermost repeat region where the tape stands: what was popped in it is gone, what was pushed stays.
    pub fn repeat_end(&self) -> Result<(), Error> {
        self.slow(|core| {
            core.machine.end()?;
            core.recorder.as_mut().map_or(Ok(()), |recorder| recorder.end())
        })
    }

    /// Gives back memory that is kept warm above the top.
    pub fn trim(&self, how: Trim) -> Result<(), Error> {
        self.slow(|core| {
            core.trim(how);
            Ok(())
        })
    }
}
