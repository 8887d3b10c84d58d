//! The intermediate representation: [`types`] says what it is. Every pass leaves a program that [`validate`] accepts.

pub mod build;
pub mod functions;
pub mod natural;
pub mod parse;
pub mod print;
pub(crate) mod rewrite;
pub mod types;
pub mod validate;

pub use types::*;
