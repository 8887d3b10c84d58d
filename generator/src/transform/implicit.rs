//! Residuals of solvers: heads that nobody asked for, whose adjoints the derivatives of the solvers call.

use crate::flow::Head;
use crate::ir::*;
use crate::refuse::{Class, Refusal};
use std::borrow::Cow;

/// The heads, and one for each residual.
pub(super) fn heads<'h>(program: &Program, asked: &'h [Head]) -> Result<Cow<'h, [Head]>, Vec<Refusal>> {
    let mut all = Cow::Borrowed(asked);
    let mut refusals = Vec::new();
    for proc in &program.procs {
        let Some(implicit) = proc.rule.as_deref().and_then(|rule| rule.implicit.as_ref()) else { continue };
        let Some(residual) = program.procs.iter().find(|proc| proc.name == implicit.residual) else { continue };
        let head = head(proc, residual, implicit);
        if asked.iter().any(|asked| asked.proc == head.proc) {
            refusals.push(Refusal {
                class: Class::Head,
                span: residual.span,
                what: format!("'{}' is a head, and the residual of '{}'", residual.name, proc.name),
                help: "give the two another function each, which calls this one".into(),
            });
        } else if all.iter().all(|known| known.proc != head.proc) {
            all.to_mut().push(head);
        } else if !all.contains(&head) {
            refusals.push(Refusal {
                class: Class::Head,
                span: residual.span,
                what: format!("'{}' is the residual of two functions in two ways", residual.name),
                help: "give each a function of its own, which calls this one".into(),
            });
        }
    }
    if refusals.is_empty() { Ok(all) } else { Err(refusals) }
}

fn head(solver: &Proc, residual: &Proc, implicit: &Implicit) -> Head {
    let named = implicit.args.iter().zip(&residual.params);
    let is_real = |k: usize| {
        let ty = &solver.params[k].ty;
        matches!(ty.target().unwrap_or(ty), Type::Float { .. })
    };
    let independents = named.clone().filter(|(arg, _)| arg.is_some_and(is_real));
    let dependents = named.filter(|(arg, _)| arg.is_none());
    Head {
        proc: residual.name.clone(),
        independents: independents.map(|(_, param)| param.name.clone()).collect(),
        dependents: dependents.map(|(_, param)| param.name.clone()).collect(),
    }
}
