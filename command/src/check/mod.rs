//! Builds and runs a driver with a generated file that checks itself.

mod build;
mod c;
mod fortran;
mod library;

use adtape_generate::emit::Output;

use crate::job::Job;
pub use c::include;

/// Builds `driver` with the generated text and runs it; the exit status where something is wrong.
pub fn run(output: &Output, job: &Job, driver: &str) -> Result<(), u8> {
    if job.program.fortran.is_some() { fortran::run(output, job, driver) } else { c::run(output, job, driver) }
}
