//! Tests of reading Fortran as a whole. Unit tests are beside the code.

mod common;
mod constants;
mod files;
mod fixed;
mod oracles;
mod random;
mod scopes;
