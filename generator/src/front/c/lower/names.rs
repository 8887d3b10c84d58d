//! Names in the text of a function that mean something else elsewhere in the procedure.
//!
//! Nodes are numbered from the inside out, so those of a statement are a range. Which names of the text differ is kept
//! up to date when a declaration gets its variable: no statement is read again for each statement around it.

use super::super::tree::Node;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The names of a function.
#[derive(Default)]
pub struct Names<'a> {
    /// By declaration: the nodes that name it, and its own.
    pub of: FxHashMap<u64, Vec<&'a Node<'a>>>,
    /// Numbers of those whose text cannot stand elsewhere, so far.
    pub different: BTreeSet<u32>,
}
