//! The command as users meet it: what it writes, prints, checks and refuses.

mod aligned;
mod beside;
mod checkpoints;
mod command;
#[path = "../../../generator/tests/common/mod.rs"]
mod common;
mod examples;
mod forms;
mod fortran;
mod forwarded;
mod guide;
mod headers;
mod joint;
mod linkage;
mod macros;
mod memo;
mod moved;
mod mpi;
mod names;
mod openmp;
mod origin;
mod outputs;
mod profiles;
mod programs;
mod recovered;
mod refusals;
mod returned;
mod rules;
mod space;
mod split;
mod stored;
mod tool;
mod unnamed;
mod untyped;
mod without_source;
