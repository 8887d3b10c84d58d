//! Several adjoints at once: the adjoint of every real becomes an array of as many, and what is done to it is done to
//! each of them.
//!
//! ```text
//!   const double seed = y_b[i];               for (int k = 0; k < 4; ++k) {
//!   y_b[i] = 0;                                   const double seed = y_b[i][k];
//!   x_b[j] += 2 * x[j] * seed;                    y_b[i][k] = 0;
//!                                                 x_b[j][k] += 2 * x[j] * seed;
//!                                             }
//! ```
//!
//! The tape is popped, and partial derivatives are computed, once for all. The directions lie innermost, so that one
//! instruction works on several. A struct with reals gets a struct of arrays for its adjoints.
//!
//! Adjoint memory and the program's own never overlap. So whatever computes or pops a value of the program may move in
//! front of assignments to adjoints: assignments that follow each other but for these share one loop.

mod shadows;
mod wide;
mod widener;

pub use wide::{Common, Given, Wide};

use crate::ir::*;
use shadows::Shadows;
use widener::Widener;

/// Makes every adjoint of a reverse sweep an array.
pub fn widen(wide: &Wide, given: &Given, proc: &mut Proc) {
    let shadows = Shadows::find(given, proc);
    Widener::new(wide, given, shadows).run(proc);
}

/// The types of the adjoints that a reverse sweep holds.
pub fn types(given: &Given, proc: &Proc) -> Vec<Type> {
    let shadows = Shadows::find(given, proc);
    let vars = proc.vars.iter().zip(&shadows.vars).filter(|(_, is)| **is).map(|(var, _)| var.ty.clone());
    let objects = proc.objects.iter().zip(&shadows.objects).filter(|(_, is)| **is);
    vars.chain(objects.map(|(object, _)| object.elem.clone())).collect()
}
