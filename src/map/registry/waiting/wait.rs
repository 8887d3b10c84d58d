//! What a pointer variable waits for or follows, and how it is set.

#![forbid(unsafe_code)]

use super::super::object::Serial;

/// Where a pointer variable is to point when its target comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Into the object, so many bytes from its base.
    Object(Serial, i64),
    /// Into whatever lay at this address in the forward sweep.
    Forward(u64),
}

/// What a pointer variable waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    pub target: Target,
    /// It is to point into the object's adjoint.
    pub adjoint: bool,
    /// Bytes of an element of the object and of its adjoint, if the variable's strides depend on them.
    pub elements: Option<(u64, u64)>,
    /// It is one of a pair with this offset, and belongs to the object whose base the pair has.
    pub pair: Option<i64>,
    /// The variable of the adjoint that is set along with this one, or that of the primal; 0 if there is none.
    pub beside: u64,
    /// It does not wait, but follows: what it was set to.
    pub held: Option<u64>,
}

impl Wait {
    pub fn new(target: Target, adjoint: bool) -> Wait {
        Wait { target, adjoint, elements: None, pair: None, beside: 0, held: None }
    }

    /// Whether what a variable holds that follows says that it is the one that was set. NULL by itself is what much other
    /// memory holds.
    #[inline(always)]
    pub fn is_told_apart(&self) -> bool {
        self.held != Some(0) || self.beside != 0
    }
}

/// A pointer variable that waited or followed, and is to be set now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub variable: u64,
    pub value: u64,
    /// In bytes from the object's base.
    pub offset: i64,
    /// It did not wait, but follows: to be set only if it holds this still.
    pub held: Option<u64>,
}

/// The program's pointer variables.
pub(crate) trait Variables {
    /// Whether the variable is there still, with this value.
    fn holds(&mut self, variable: u64, value: u64) -> bool;
    fn set(&mut self, arrival: Arrival);
}

/// For whoever looks later at what the variables hold.
impl<F: FnMut(Arrival)> Variables for F {
    fn holds(&mut self, _: u64, _: u64) -> bool {
        true
    }

    fn set(&mut self, arrival: Arrival) {
        self(arrival);
    }
}
