//! The nodes of the graph of activity.

use crate::flow::locs::Loc;
use crate::ir::{ProcId, Program, Span, ValueId};
use crate::refuse::{Class, Refusal};

/// A bit for each node: values of all procedures, locations, results.
#[derive(Clone)]
pub(super) struct Nodes {
    pub(super) first_value: Vec<usize>,
    pub(super) first_loc: usize,
    pub(super) first_result: usize,
    pub(super) count: usize,
}

impl Nodes {
    pub(super) fn new(program: &Program, locs: usize) -> Self {
        let mut count = 0;
        let mut first_value = Vec::new();
        for p in &program.procs {
            first_value.push(count);
            count += p.values.len();
        }
        Nodes { first_value, first_loc: count, first_result: count + locs, count: count + locs + program.procs.len() }
    }
    pub(super) fn value(&self, p: ProcId, v: ValueId) -> usize {
        self.first_value[p.index()] + v.index()
    }
    pub(super) fn loc(&self, l: Loc) -> usize {
        self.first_loc + l.0 as usize
    }
    pub(super) fn result(&self, p: ProcId) -> usize {
        self.first_result + p.index()
    }
}

pub(super) fn refusal(class: Class, span: Span, what: String, help: &str) -> Refusal {
    Refusal { class, span, what, help: help.into() }
}
