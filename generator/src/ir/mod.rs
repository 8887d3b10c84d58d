//! The intermediate representation: [`types`] says what it is. Every pass leaves a program that [`validate`] accepts.

pub mod build;
pub mod exprs;
pub mod functions;
pub mod items;
pub mod library;
pub mod natural;
pub mod parse;
pub mod preprocessed;
pub mod print;
pub mod reverse;
pub(crate) mod rewrite;
pub mod types;
pub mod validate;
pub mod walk;

pub use exprs::*;
pub use items::*;
pub use preprocessed::*;
pub use reverse::*;
pub use types::*;
