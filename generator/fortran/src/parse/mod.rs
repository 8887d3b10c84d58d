//! From statements to the tree.
//!
//! Fortran reserves no word: `if = 3` and `do 10 i = 1.5` are assignments. `keyword` decides what a statement is
//! before any of it is parsed, so nothing is tried twice. A statement that cannot be read becomes `Unread` in the tree,
//! with a message, and reading goes on with the next one.

mod actions;
mod arguments;
mod construct;
pub mod cursor;
mod data;
mod declare;
mod derived;
mod directive;
mod expression;
mod header;
mod input_output;
mod interface;
mod keyword;
mod loops;
mod module_use;
mod parser;
mod statement;
mod type_spec;
mod unit;

use crate::form::Statement;
use crate::message::Message;
use crate::tree::unit::File;
use parser::Parser;

/// Parses the statements of a file. The tree has a node for every statement, readable or not.
pub fn parse(statements: &[Statement]) -> (File, Vec<Message>) {
    let (lines, faults) = keyword::lines(statements);
    let mut parser = Parser::new(statements, &lines, faults);
    let file = parser.file();
    (file, parser.into_messages())
}
