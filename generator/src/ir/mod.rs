//! The intermediate representation: structured control, scalars in SSA form, memory as named objects.
//!
//! ```text
//!   Program ── procs ── Proc ── regions ── Region ── items ── Item (Let, Store, Call, Branch, Loop, ...)
//!      │                 ├───── values: one definition each (SSA)
//!      ├─ globals        └───── objects: arrays, structs, scalars whose address is taken
//!      └─ types
//! ```
//!
//! | word | meaning |
//! |---|---|
//! | variable | a scalar (number or pointer) of the source whose address is never taken |
//! | value | one definition of a variable; every use names the value, so nothing is ever overwritten |
//! | object | memory: an array, a struct, a block of the heap, a scalar whose address is taken |
//! | place | an access path into memory: a base and a path of subscripts and fields |
//! | region | a sequence of items with one entry and one exit: a body, an arm, one pass of a loop |
//! | join | the value of a variable behind a branch: the value of the arm that ran |
//! | head, end, out | of a variable that a loop changes: its value when a pass begins, when it ends, behind the loop |
//!
//! There is no jump. `break`, `continue`, `return`, `goto` and `switch` are lowered to branches and loops: what follows
//! a statement that may leave is guarded by an integer flag (a variable of kind [`VarKind::Flag`]). So every analysis
//! knows two constructs only, and a flag in the reverse sweep is a scalar as any other: recomputed, or one bit.
//!
//! Expressions have no effects. What a source expression writes (`*p++ = *q++`, `a = b = e`, a call) becomes items in
//! the order of evaluation. `&&`, `||` and `ExprKind::Select` evaluate their second operand only if C does; an operand
//! with effects becomes a branch, and so does every `?:` of floating type.
//!
//! The same types hold the sweeps that are generated ([`Role`]). These have items of their own ([`SweepItem`]):
//! accumulation, pushes, pops, witnesses.
//!
//! Every pass leaves a program that [`validate`] accepts.

pub mod build;
pub mod exprs;
pub mod fortran;
pub mod functions;
pub mod id_vec;
pub mod ids;
pub mod items;
pub mod library;
pub mod natural;
pub mod nesting;
pub mod parse;
pub mod parts;
pub mod print;
pub mod proc;
pub mod procs;
pub mod program;
pub mod reverse;
pub(crate) mod rewrite;
pub mod rule;
pub mod sources;
pub mod sweep_items;
pub mod types;
pub mod validate;
pub mod walk;

pub use exprs::*;
pub use fortran::*;
pub use id_vec::IdVec;
pub use ids::*;
pub use items::*;
pub use library::{External, Reason};
pub use proc::*;
pub use procs::Procs;
pub use program::*;
pub use reverse::*;
pub use rule::*;
pub use sources::*;
pub use sweep_items::*;
pub use types::*;
