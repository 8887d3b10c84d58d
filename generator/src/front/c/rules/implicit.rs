//! `#pragma adjoint implicit residual(y, p, out) for y`: what the generator needs for the derivative of a solver from that
//! of its residual.

use super::pragma::{Residual, Shape};
use super::stub::{Function, What};
use crate::ir::Implicit;

/// The residual of a function by its directive; else what is wrong with it.
pub fn of(function: &Function, residual: &Residual) -> Result<Implicit, String> {
    let name = &function.name;
    let position = |wanted: &str| function.params.iter().position(|param| param.name == wanted);
    let args: Vec<Option<usize>> = residual.args.iter().map(|arg| position(arg)).collect();
    if args.iter().filter(|arg| arg.is_none()).count() != 1 {
        return Err(format!(
            "of the arguments of '{}' all but one, the residual, are parameters of '{name}'",
            residual.function
        ));
    }
    let unknown = position(&residual.unknown).filter(|k| args.contains(&Some(*k)));
    let unknown = unknown.ok_or_else(|| {
        format!("'{}' is no parameter of '{name}' that '{}' gets", residual.unknown, residual.function)
    })?;
    let is_written = |wanted: &str| function.clauses.written().any(|section| section.name == wanted);
    if let Some(other) =
        function.params.iter().enumerate().find(|(k, param)| is_written(&param.name) != (*k == unknown))
    {
        return Err(format!(
            "'{name}' writes '{}' and nothing else, by its directive; see '{}'",
            residual.unknown, other.1.name
        ));
    }
    let mut counts = Vec::new();
    for (k, param) in function.params.iter().enumerate() {
        let is_double = param.ty.contains("double");
        match param.what {
            What::Real | What::Reals { .. } if !is_double => {
                return Err(format!("'{}' of '{name}' is a float: a residual has doubles", param.name));
            }
            What::Reals { .. } if args.contains(&Some(k)) => counts.push(count(function, &param.name)?),
            What::Reals { .. } => {
                return Err(format!("'{}' does not get '{}' of '{name}'", residual.function, param.name));
            }
            What::Real | What::Integers { .. } | What::Other | What::Value => counts.push(String::new()),
        }
    }
    Ok(Implicit { residual: residual.function.clone(), args, unknown, counts, has_tangent: false })
}

/// How many elements a clause names behind a parameter, from the first one on.
fn count(function: &Function, name: &str) -> Result<String, String> {
    let clauses = &function.clauses;
    let mut sections = clauses.reads.iter().chain(&clauses.writes).chain(&clauses.updates);
    match sections.find(|section| section.name == name).map(|section| &section.shape) {
        Some(Shape::Run { first, count, stride: None }) if first == "0" => Ok(function.bound(count)),
        _ => Err(format!("the directive of '{}' says how long '{name}' is: {name}[0:n]", function.name)),
    }
}
