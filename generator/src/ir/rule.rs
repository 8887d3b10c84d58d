//! Rules: derivatives that somebody else has written.

/// The derivative of a procedure as it is given. The body of the procedure says no more than what its function reads and
/// writes, each written number by way of a function that nobody knows: analyses and proofs take it for the function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rule {
    /// The function.
    pub function: String,
    /// What the reverse sweep calls: arguments, behind each real one its adjoint, last the adjoint of the result. `None`:
    /// nothing, for no derivative passes.
    pub reverse: Option<Derivative>,
    /// What the tangent calls: arguments, behind each real one its tangent, last a pointer to the tangent of the result.
    pub tangent: Option<Derivative>,
    /// By parameter, whether the function reads reals there.
    pub reads: Vec<bool>,
    /// Whether the function may run once more, and does the same then.
    pub repeats: bool,
    /// The header of adtape's that declares the derivatives, where the sources do not.
    pub header: Option<&'static str>,
    /// How many of the last parameters only the body has: the function does not get these.
    pub extra: usize,
    /// Whether nothing of the body stays in sweeps: it has elements that only the program knows when it runs.
    pub opaque: bool,
    /// What is called where something is overwritten that has to be there again: a function that keeps it on the tape,
    /// and the derivative that brings it back, which gets the parameter of this position besides. `None`: sweeps push
    /// and pop what is overwritten.
    pub keeps: Option<(String, String, usize)>,
    /// What a check tries the rule by.
    pub trial: Option<Trial>,
    /// The derivative follows from what is 0 behind a call.
    pub implicit: Option<Implicit>,
}

/// A function behind whose calls a residual is 0: the generator writes its derivative.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Implicit {
    /// The function that computes the residual.
    pub residual: String,
    /// What it gets: parameters of the function by position; `None`: the residual itself.
    pub args: Vec<Option<usize>>,
    /// The parameter that the residual determines.
    pub unknown: usize,
    /// By parameter, how many reals lie behind it, as C text; empty for what has none.
    pub counts: Vec<String>,
    /// Whether the tangent follows from the residual, too: nobody has given one.
    pub has_tangent: bool,
}

/// What a check calls in place of a tangent that nobody has given: it ends the comparison.
pub const NO_TANGENT: &str = "adtape_no_tangent";

/// What the clauses of a rule say, as C text for a check at run time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trial {
    /// The parameters of the function.
    pub params: Vec<Tried>,
    /// The type of its result.
    pub result: String,
    /// Declarations that bounds of sections need.
    pub bounds: String,
    /// What clauses name.
    pub sections: Vec<Elements>,
    /// Whether calls differ from each other.
    pub has_state: bool,
    /// The parameter behind which a number stands that is not 0 where results are undefined.
    pub status: Option<usize>,
}

/// A parameter of a function on trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// Its type.
    pub ty: String,
    /// Its name.
    pub name: String,
    /// Whether it is a real, or leads to reals.
    pub is_real: bool,
    /// Whether it leads to reals or to integers.
    pub is_pointer: bool,
    /// Whether what the function leaves there has no derivative.
    pub is_lost: bool,
    /// Whether calls differ by its value: an integer, or one that is constant behind a pointer.
    pub is_number: bool,
}

/// Elements that a clause names.
#[derive(Clone, Debug, PartialEq)]
pub struct Elements {
    /// Behind which parameter.
    pub param: usize,
    /// What happens to them.
    pub does: Does,
    /// The parameters with whose adjoints alone the derivative reads them; empty: it always does.
    pub when: Vec<usize>,
    /// The heads of loops over them.
    pub loops: String,
    /// The element inside.
    pub element: String,
}

/// What a function or its derivative does to elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Reads.
    Reads,
    /// Overwrites.
    Writes,
    /// Reads, and may overwrite.
    Updates,
    /// The derivative reads what is there behind the call, or in front of it.
    Needs {
        /// In front of it.
        before: bool,
    },
}

/// A function that computes a derivative.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Derivative {
    /// Its name.
    pub name: String,
    /// By parameter of the procedure, whether its derivative follows.
    pub behind: Vec<bool>,
    /// Whether the derivative of the result comes last.
    pub result: bool,
    /// The parameters whose derivatives are all that it gets, in this order; `None`: it gets arguments as well.
    pub alone: Option<Vec<usize>>,
    /// What is called in its place if the pointers behind its last parameter lead to blocks of the stable heap, and the
    /// parameters that it gets: how many pointers there are, and these.
    pub in_blocks: Option<(String, [usize; 2])>,
}
