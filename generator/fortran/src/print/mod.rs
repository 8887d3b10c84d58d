//! The tree as text: as Fortran in free form, or with the grouping of its expressions for tests.
//!
//! ```text
//!   read          a = b + c*d
//!   as Fortran    a = b + c * d
//!   as a tree     a = {b + {c * d}}
//! ```

mod declaration;
mod derived;
mod expression;
mod statement;
mod unit;

use crate::form::Label;
use crate::tree::expression::Expr;
use crate::tree::unit::File;

/// How expressions are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// As Fortran.
    Fortran,
    /// Each operation in braces, and statement functions marked.
    Tree,
}

/// Writes statements.
struct Printer {
    out: String,
    depth: usize,
    style: Style,
}

/// The units of a file as Fortran in free form, lines as long as they are.
pub fn fortran(file: &File) -> String {
    print(file, Style::Fortran)
}

/// The units of a file with each operation in braces.
pub fn tree(file: &File) -> String {
    print(file, Style::Tree)
}

/// An expression as Fortran.
pub fn expression(expr: &Expr) -> String {
    Printer { out: String::new(), depth: 0, style: Style::Fortran }.expr(expr)
}

fn print(file: &File, style: Style) -> String {
    let mut printer = Printer { out: String::new(), depth: 0, style };
    for unit in &file.units {
        printer.unit(unit);
    }
    printer.out
}

impl Printer {
    /// Writes a line.
    fn line(&mut self, label: Option<Label>, text: &str) {
        let label = label.map(|label| format!("{} ", label.number)).unwrap_or_default();
        let indent = "  ".repeat(self.depth);
        self.out.push_str(&format!("{label}{indent}{text}\n"));
    }

    /// Writes what stands deeper.
    fn deeper(&mut self, write: impl FnOnce(&mut Printer)) {
        self.depth += 1;
        write(self);
        self.depth -= 1;
    }
}

/// Items with commas between them.
fn list<T>(items: &[T], each: impl Fn(&T) -> String) -> String {
    items.iter().map(each).collect::<Vec<_>>().join(", ")
}
