//! What a function and all that it calls may read and write, from the syntax tree alone: for the call of a function
//! that is being lowered when the call is met, because both call each other.

use super::effects::Kinds;
use super::*;

impl<'a> Lower<'_, 'a> {
    /// The summary of a procedure that is being lowered.
    pub fn summary_by_tree(&mut self, id: ProcId) -> Summary {
        let known = self.reader.proc_numbers.iter().find(|(_, known)| **known == id);
        let Some((home, name, _)) = known.map(|(key, _)| key.clone()) else { return Summary::UNKNOWN };
        let mut found = Summary::default();
        let mut open = vec![(home.unwrap_or(self.unit), name)];
        let mut seen = FxHashSet::default();
        while let Some((unit, name)) = open.pop() {
            let Some((home, node)) = self.reader.definition(unit, &name, true) else { return Summary::UNKNOWN };
            if seen.insert((home, name)) && !self.one_function(home, node, &mut found, &mut open) {
                return Summary::UNKNOWN;
            }
        }
        found
    }

    /// Adds what a function does itself, and notes what it calls. `false` if that cannot be said.
    fn one_function(
        &mut self,
        unit: usize,
        function: &'a Node<'a>,
        found: &mut Summary,
        open: &mut Vec<(usize, String)>,
    ) -> bool {
        let mut locals = FxHashSet::default();
        let mut parts = Vec::new();
        scan::walk(function, &mut |node| {
            match node.kind {
                "ParmVarDecl" | "VarDecl" if node.storage.is_empty() => drop(locals.insert(node.id)),
                _ => parts.push(node),
            }
            true
        });
        for node in parts {
            let first = node.inner.first();
            match (node.kind, node.operator.as_ref(), first) {
                ("BinaryOperator", "=", Some(to)) => self.access(unit, to, true, &locals, found),
                ("CompoundAssignOperator", _, Some(to)) | ("UnaryOperator", "++" | "--", Some(to)) => {
                    self.access(unit, to, true, &locals, found);
                    self.access(unit, to, false, &locals, found);
                }
                ("ImplicitCastExpr", "LValueToRValue", Some(from)) => self.access(unit, from, false, &locals, found),
                ("CallExpr", ..) => {
                    let Some(callee) = scan::callee(node) else { return false };
                    let name = callee.refers_name.as_ref();
                    if scan::finds_errno(name) {
                        continue;
                    }
                    if self.reader.definition(unit, name, false).is_some() {
                        open.push((unit, name.to_string()));
                    } else if library::passive(name).is_some() && !library::has_state(name) {
                        found.add(Kinds::of(&Type::char(), &Types::default()), true, false);
                    } else if !library::is_expression(name) && !memory::makes_or_frees(name) {
                        return false;
                    }
                }
                _ => {}
            }
        }
        true
    }

    /// Adds an access of an lvalue, unless it is a local variable.
    fn access(&mut self, unit: usize, node: &'a Node<'a>, write: bool, locals: &FxHashSet<u64>, found: &mut Summary) {
        let node = node.bare();
        let is_name = node.kind == "DeclRefExpr";
        let reader = &mut *self.reader;
        let scratch = is_name && reader.scratch.contains(node.refers_name.as_ref());
        if is_name && locals.contains(&node.refers) || scan::is_errno(node) || scratch {
            return;
        }
        let ty = reader.units[unit].ctype(node.ty(), &mut reader.structs).ty.ir();
        found.add(Kinds::of(&ty, &reader.structs.types), write, is_name);
    }
}
