//! The generator of adtape: reads C, decides what the adjoint stores, recomputes and inverts, and writes it.
//!
//! ```text
//!   transform                  emit        one program: what is written anew, proved | its text in C
//!   proofs   known             check       verdicts of both sweeps | what a run compares
//!   sweeps                                 what passes hand on
//!   sweep    statics                       forward, reverse, tangent as ir | variables that outlive a call
//!   normal                                 which form a program gets, and writes it anew
//!   plan     replay                        what to store | proves sweeps, on terms
//!   flow     front                         what is needed where | C to ir
//!   refuse   names                         why not | words that are taken
//!   ir                                     SSA form
//! ```
//!
//! Imports point down, and no files import each other in a circle; `tests/outside/layers.rs` checks both. Right or
//! refused: what a pass does not understand ends in a [`refuse::Refusal`], never in a guess.

pub mod check;
mod directives;
pub mod emit;
pub mod flow;
pub mod front;
pub mod ir;
mod known;
mod names;
mod normal;
mod parallel;
pub mod plan;
mod proofs;
pub mod refuse;
pub mod replay;
pub mod stack;
mod statics;
pub mod sweep;
pub mod sweeps;
pub mod transform;
