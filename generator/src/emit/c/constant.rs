//! What the sources declare `const`, and adjoints have the type of: nothing can be added to it.

use super::expr::Exprs;
use crate::ir::*;
use crate::names::words;
use crate::refuse::{Class, Refusal};

/// Refusals of what a reverse sweep would write.
pub fn written(program: &Program, proc: &Proc) -> Vec<Refusal> {
    let exprs = Exprs { program, proc, flat: true };
    let mut refusals = Vec::new();
    for item in &proc.items {
        let (ItemKind::Sweep(SweepItem::Accumulate { to, .. }) | ItemKind::Store { to, .. }) = &item.kind else {
            continue;
        };
        let what = match (exprs.constant_member(to), pointer_to_constant(program, to)) {
            (Some(member), _) => format!("the member '{}' is const, so no adjoint can be added to it", member.name),
            (_, Some(name)) => {
                format!("'{name}' leads to a constant struct without a name: no adjoint can be added to it")
            }
            _ => continue,
        };
        let help = "leave 'const' out of the struct, or give the struct a name".into();
        let refusal = Refusal { class: Class::Type, span: item.span, what, help };
        if !refusals.contains(&refusal) {
            refusals.push(refusal);
        }
    }
    refusals
}

/// The typedef of a pointer to a constant struct, if it alone names the struct that a place is in.
fn pointer_to_constant<'p>(program: &'p Program, place: &Place) -> Option<&'p str> {
    let Base::At(pointer) = &place.base else { return None };
    let Some(Type::Struct(id)) = pointer.ty.target() else { return None };
    let name = program.types.pointers.get(id)?;
    let declared = program.c.declared.iter().find(|declared| declared.names.contains(name))?;
    let text = &program.sources.get(declared.span.source as usize)?.text;
    let text = text.get(declared.span.start as usize..declared.span.end as usize)?;
    let (before, _) = text.split_once('{')?;
    words(before).any(|word| word == "const").then_some(name.as_str())
}
