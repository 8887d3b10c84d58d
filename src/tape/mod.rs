//! The tape: a last-in first-out store of values, one order for all types.
//!
//! ```text
//!  base                  floor              cur             limit                       base + reserved
//!   |--- spilled, if any ---|---- resident ----|... committed ...|........ reserved, no memory ......|
//! ```
//!
//! * [`hot`]: the state that the fast path has, in the layout that inlined code knows; two compares.
//! * [`cursor`]: the tape that programs use, on top of it.
//! * [`core`]: the cold state and the slow path behind them.
//! * [`machine`]: bytes, bits and repeat regions in a span of address space.
//! * [`idle`]: what tapes leave to others that are short of memory.
//! * [`watch`], [`profile`]: modes in which every operation is seen.
//! * [`fork`]: what a fork waits for, so that its child can use tapes; [`roll`]: which of them it loses.
//! * [`life`]: the thread's own tape, and its end with the thread; [`owner`]: which thread may use a tape.
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

mod aside;
mod bits;
pub(crate) mod branches;
mod control;
pub(crate) mod core;
pub(crate) mod cursor;
mod ending;
pub(crate) mod failure;
pub(crate) mod fork;
pub(crate) mod hot;
mod idle;
mod life;
mod machine;
mod mark;
pub(crate) mod owner;
mod pointer;
mod profile;
mod repeat;
mod roll;
#[cfg(all(test, not(loom)))]
mod shelf;
mod stats;
mod types;
mod view;
mod watch;

pub use cursor::{Cursor, MAX_RANK, Section, Tape, with_thread_tape};
pub(crate) use ending::at_exit;
pub(crate) use hot::MAX_BYTES;
pub use mark::Mark;
pub use profile::{Operation, Traffic};
pub use stats::Stats;
pub use types::{Scalar, Type};
