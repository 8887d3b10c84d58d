//! Tests from outside: they build and run programs in C and Fortran, run scripts, and read files of the repository.

#[path = "../common/mod.rs"]
mod common;
mod programs;

mod broken;
mod broken_derivatives;
mod c_programs;
mod ci;
mod demo;
mod docs;
mod english;
mod examples;
mod fortran;
mod install;
mod kit;
mod layers;
mod memories;
mod mpi;
mod names;
mod oldest_rust;
mod profile;
mod restart;
mod setup;
mod symbols;
