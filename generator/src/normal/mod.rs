//! Programs written anew, so that the sweeps find what they expect.
//!
//! ```text
//!   forms       which form a program gets          decisions   what `--explain` says of it
//!   inline      calls written where they stand, structs taken apart
//!   stable      blocks on the stable heap
//!   frees       blocks freed where they were allocated
//!   specialise  a copy of a procedure for each pattern of active arguments
//! ```

pub mod decisions;
pub mod forms;
pub mod frees;
pub mod inline;
pub mod specialise;
pub mod stable;
