//! Bytes as a program of the safe Rust API on addresses, run on `Objects` and on a naive model of them: lists, searched from
//! the front.
//!
//! Objects are few, so that ranges touch, overlap, lie in each other's former places and hold each other's pointers.
//! One thread; nothing is forgotten for want of room.

mod events;
mod input;
mod model;
mod pointers;
mod program;
mod sweeps;

pub use program::run;
pub use sweeps::run_sweeps;
