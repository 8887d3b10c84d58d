//! What the generator reads and writes, but for what `make analysis-mutants` runs: that is in programs of its own.

mod below;
mod check;
mod checkpoint;
mod clangs;
#[path = "../common/mod.rs"]
mod common;
mod commute;
mod emit;
mod figures;
mod front;
mod objects;
mod openmp;
mod rounding;
mod steep;
mod sweeps;
mod vector;
mod warnings;
