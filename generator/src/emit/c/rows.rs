//! Rows of variable extent, which the generated code cannot name.

use crate::ir::{Base, Expr, ExprKind, Proc, Step, Type, Var, VarId};
use crate::refuse::{Class, Refusal};

/// Variables that point to rows: their declarations need the extents.
pub fn variables(proc: &Proc) -> Vec<Refusal> {
    let is_open = |ty: &Type| matches!(ty, Type::Pointer(to) if to.is_open());
    let is_param = |var: usize| proc.params.iter().any(|param| param.var == Some(VarId::new(var)));
    let vars = proc.vars.iter().enumerate().filter(|(at, var)| is_open(&var.ty) && !is_param(*at));
    let refused = |(_, var): (usize, &Var)| Refusal {
        class: Class::Pointer,
        span: var.span,
        what: format!(
            "'{}' is a pointer to rows of variable extent, which the generated code cannot declare",
            var.name
        ),
        help: "use the array itself, or a pointer to the row's first number".into(),
    };
    vars.map(refused).collect()
}

/// Objects of rows whose extents no type knows: the reverse sweep, which has flat subscripts, cannot name them.
pub fn computed(proc: &Proc) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    for item in &proc.items {
        let mut see = |expr: &Expr| {
            let ExprKind::Address(place) = &expr.kind else { return };
            let is_open = place.ty.is_open();
            let first = [ExprKind::Int(0)];
            let is_pointer = matches!(&place.path[..], [Step::Index(at)] if at.iter().map(|at| &at.at.kind).eq(&first));
            if is_open && !is_pointer && matches!(place.base, Base::At(_)) {
                let refusal = Refusal {
                    class: Class::Pointer,
                    span: item.span,
                    what: "a pointer to a row of an array of variable extent is computed".into(),
                    help: "pass the whole array with the number of the row, or a pointer to the row's first number"
                        .into(),
                };
                if !refusals.contains(&refusal) {
                    refusals.push(refusal);
                }
            }
        };
        crate::flow::walk::of_item(proc, item).into_iter().for_each(|expr| crate::flow::walk::expr(expr, &mut see));
    }
    refusals
}
