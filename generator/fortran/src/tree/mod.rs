//! The tree: what the parser knows about a file, without the meaning of names.
//!
//! ```text
//!   File ─ Unit*             program, module, submodule, block data, subroutine, function     unit, header
//!           ├ Declaration*   types, attributes, interfaces, COMMON, USE …                  declaration, attribute
//!           ├ Statement*     actions and constructs, nested                                statement
//!           │  └ Expr, Reference, TypeSpec                                                 expression, operator
//!           └ Unit*          behind CONTAINS
//! ```
//!
//! `f(x)` is a [`expression::Reference`], be it an element, a call or a constructor: only scopes can tell. Every node has
//! its span.

pub mod attribute;
pub mod declaration;
pub mod expression;
pub mod header;
pub mod operator;
pub mod statement;
pub mod unit;
pub mod walk;
