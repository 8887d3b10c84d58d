//! adtape: the run-time library of adjoint code.
//!
//! Reverse-mode automatic differentiation turns a program into two sweeps: the *forward sweep* computes and
//! records, the *reverse sweep* plays the record back and accumulates derivatives. What both link against is
//! here: a [`Tape`], for C (`adtape.h`), Fortran (`use adtape`) and Rust.
//!
//! # Layers
//!
//! Imports point down only.
//!
//! ```text
//! 5  ffi        C ABI, thin
//! 4  session    what tapes share: limits, error handler
//! 2  tape
//! 1  vm         address space and memory
//! 0  error  settings  site  sync
//! ```
//!
//! # The contract of pointers in the C ABI
//!
//! Handles are NULL (an error) or come from this library and have not been freed. Addresses with a count point to
//! that many values, readable for pushes and writable for pops; they are NULL only with a count of 0. Addresses
//! of results are NULL (an error) or writable. Functions that break this contract unchecked say so under
//! `Safety`.

pub(crate) mod error;
mod ffi;
pub(crate) mod session;
mod settings;
mod site;
mod sync;
mod tape;
mod vm;

pub use error::{Error, Status};
pub use session::{ErrorHandler, Memory, Session};
pub use tape::{Cursor, MAX_RANK, Mark, Operation, Scalar, Spill, Stats, Tape, Traffic, Type, with_thread_tape};
pub use vm::Trim;
