//! Rules: derivatives that somebody else has written.

/// The derivative of a procedure as it is given. The body of the procedure says no more than what its function reads and
/// writes, each written number by way of a function that nobody knows: analyses and proofs take it for the function.
#[derive(Clone, Debug, PartialEq)]
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
}

/// A function that computes a derivative.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivative {
    /// Its name.
    pub name: String,
    /// By parameter of the procedure, whether its derivative follows.
    pub behind: Vec<bool>,
    /// Whether the derivative of the result comes last.
    pub result: bool,
}
