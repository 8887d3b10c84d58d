//! What a head names: parameters, globals, the result, and members of these.

use super::graph::Graph;
use super::nodes::refusal;
use crate::flow::Head;
use crate::flow::locs::{Loc, Root, Set};
use crate::ir::{Proc, ProcId, Type};
use crate::refuse::{Class, Refusal};

/// What a call changes in its copy of an argument, its caller does not see.
fn by_value(name: &str, proc: &Proc) -> Refusal {
    let what = format!("'{name}' is passed to '{}' by value, so it cannot be a result", proc.name);
    let help = "name the result by the procedure's name, or an argument that is a pointer";
    refusal(Class::Head, proc.span, what, help)
}

impl Graph<'_> {
    /// The nodes of a dependent or independent of a head: a parameter, a global, the result, or a member of these
    /// (`net.w`, `net->w`).
    pub(super) fn named(
        &self,
        h: ProcId,
        name: &str,
        dependent: bool,
        out: &mut Vec<usize>,
        refusals: &mut Vec<Refusal>,
    ) {
        let proc = &self.program.procs[h];
        let (first, rest) = Head::path(name);
        let before = out.len();
        let head = |what: String, help: &str| refusal(Class::Head, proc.span, what, help);
        let mut tops: Vec<Loc> = Vec::new();
        // The copy of a struct that a call gets by value: no result, but what its pointers lead to is.
        let mut copy = None;
        let locs = &self.points.locs;
        if let Some(k) = proc.params.iter().position(|q| q.name == first) {
            let param = &proc.params[k];
            if let Some(o) = param.object.filter(|_| matches!(param.ty, Type::Struct(_))) {
                tops.extend(locs.find(Root::Object(h, o)));
            } else if let Type::Pointer(_) = param.ty {
                tops.extend(locs.find(Root::Formal(h, k as u32)));
            } else if let (Type::Float { .. }, Some(entry)) = (&param.ty, param.entry) {
                out.push(self.nodes.value(h, entry));
            }
            copy = tops.first().copied().filter(|_| dependent && matches!(param.ty, Type::Struct(_)));
            if dependent && !matches!(param.ty, Type::Pointer(_) | Type::Struct(_)) {
                refusals.push(by_value(name, proc));
                return;
            }
        } else if first == proc.name && dependent {
            match proc.result_object {
                Some(o) => tops.extend(locs.find(Root::Object(h, o))),
                None if matches!(proc.result_type, Type::Float { .. }) => out.push(self.nodes.result(h)),
                None => {}
            }
        } else if let Some(g) = self.program.globals.iter().position(|g| g.name == first) {
            tops.extend(locs.find(Root::Global(crate::ir::GlobalId::new(g))));
        } else {
            let mut known: Vec<&str> = proc.params.iter().map(|q| q.name.as_str()).collect();
            let returns = proc.result_object.is_some() || matches!(proc.result_type, Type::Float { .. });
            known.extend((dependent && returns).then_some(proc.name.as_str()));
            let help = match &known[..] {
                [] => "name a variable at file scope".to_string(),
                known => format!("name one of these: {}", known.join(", ")),
            };
            let what = format!("'{}' has no parameter '{first}', and there is no global of that name", proc.name);
            refusals.push(head(what, &help));
            return;
        }
        let mut members = tops;
        for field in rest {
            members = members.into_iter().filter_map(|l| self.member(h, l, field)).flatten().collect();
        }
        for l in self.reachable(h, members) {
            if copy.is_none_or(|copy| !locs.within(l, copy)) {
                out.push(self.nodes.loc(l));
            }
        }
        if out.len() > before {
            return;
        }
        refusals.push(match proc.result_type {
            _ if copy.is_some() => by_value(name, proc),
            Type::Pointer(_) if first == proc.name => head(
                format!("'{name}' gives a pointer, which is no result"),
                "name what it leads to: an argument that is a pointer, or a variable at file scope",
            ),
            _ => head(format!("'{name}' holds no real number"), "name a real variable, or a pointer to real numbers"),
        });
    }

    /// A member of a struct, pointers in between followed.
    fn member(&self, h: ProcId, l: Loc, field: &str) -> Option<Vec<Loc>> {
        let locs = &self.points.locs;
        match locs.ty(l) {
            Type::Struct(s) => {
                let k = self.program.types.structs[*s].fields.iter().position(|f| f.name == field)?;
                Some(vec![locs.child(l, crate::ir::FieldId::new(k))?])
            }
            Type::Pointer(_) => Some(
                self.points.contents(h, l).into_iter().filter_map(|t| self.member(h, t, field)).flatten().collect(),
            ),
            _ => None,
        }
    }

    /// The real scalars in locations and behind the pointers in them.
    fn reachable(&self, h: ProcId, from: Vec<Loc>) -> Set {
        let locs = &self.points.locs;
        let (mut seen, mut out, mut stack) = (Set::new(), Set::new(), from);
        while let Some(l) = stack.pop() {
            for leaf in locs.leaves(l) {
                if !seen.insert(leaf) {
                    continue;
                }
                if locs.is_real(leaf) {
                    out.insert(leaf);
                } else if let Type::Pointer(_) = locs.ty(leaf) {
                    stack.extend(self.points.contents(h, leaf));
                }
            }
        }
        out
    }
}
