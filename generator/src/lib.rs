//! The generator of adtape: reads C, decides what the adjoint stores, recomputes and inverts, and writes it.
//!
//! ```text
//!   front ──► ir ──► flow ──► plan ──► sweep ──► emit
//!   C text    SSA    what is  what to  forward,  C text
//!             form   needed   store    reverse,
//!                             where    tangent as ir
//! ```
//!
//! Imports point to the left, but for some circles, which a test counts and whose number only falls; [`refuse`] is
//! everybody's, and [`sweeps`] has what passes hand on. [`replay`] proves the sweeps before they are printed. Right or
//! refused: what a pass does not understand ends in a [`refuse::Refusal`], never in a guess.

pub mod check;
mod directives;
pub mod emit;
pub mod flow;
mod frees;
pub mod front;
mod inline;
pub mod ir;
mod known;
mod names;
mod parallel;
pub mod plan;
mod proofs;
pub mod refuse;
pub mod replay;
pub mod specialise;
mod stable;
pub mod stack;
mod statics;
pub mod sweep;
pub mod sweeps;
pub mod transform;
