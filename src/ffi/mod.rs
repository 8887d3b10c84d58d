//! The C ABI. A folder for each theme, as the reference and the Fortran module have them; a header for
//! each theme in `include/adtape`; a file for each of a header's sections, and one test for each in `ctests`.
//!
//! Calls that can return a status do; pushes and pops, which stand in generated code that checks nothing, end in
//! the error handler. Neither unwinds into C: the library is built with `panic = "abort"`.

mod arguments;
mod checkpoint;
mod driver;
mod handles;
mod heap;
mod jump;
mod objects;
mod outcome;
mod process;
mod tape;
mod texts;
mod verify;
