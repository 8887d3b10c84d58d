//! Names in the text of a function that mean something else elsewhere in the procedure.
//!
//! Nodes are numbered from the inside out, so those of a statement are a range. Which names of the text differ is kept
//! up to date when a declaration gets its variable: no statement is read again for each statement around it.

use super::*;
use std::collections::BTreeSet;

/// The names of a function.
#[derive(Default)]
pub struct Names<'a> {
    /// By declaration: the nodes that name it, and its own.
    of: FxHashMap<u64, Vec<&'a Node<'a>>>,
    /// Numbers of those whose text cannot stand elsewhere, so far.
    different: BTreeSet<u32>,
}

impl<'a> Lower<'_, 'a> {
    /// Notes the names of a function's body.
    pub fn note_names(&mut self, body: &'a Node<'a>) {
        scan::walk(body, &mut |node| {
            match node.kind {
                "DeclRefExpr" => self.names_in_text.of.entry(node.refers).or_default().push(node),
                "VarDecl" => self.names_in_text.of.entry(node.id).or_default().push(node),
                _ => {}
            }
            true
        });
        let declarations: Vec<u64> = self.names_in_text.of.keys().copied().collect();
        declarations.into_iter().for_each(|declaration| self.compare_names(declaration));
    }

    /// A declaration is this from here on.
    pub fn bind(&mut self, declaration: u64, binding: Binding) {
        self.bindings.insert(declaration, binding);
        self.compare_names(declaration);
    }

    /// A declaration has another meaning: finds out which of its names differ.
    pub fn compare_names(&mut self, declaration: u64) {
        let Some(nodes) = self.names_in_text.of.remove(&declaration) else { return };
        for node in &nodes {
            if self.is_different(node) {
                self.names_in_text.different.insert(node.numbers.1);
            } else {
                self.names_in_text.different.remove(&node.numbers.1);
            }
        }
        self.names_in_text.of.insert(declaration, nodes);
    }

    /// Whether a statement has a name that means something else elsewhere.
    pub fn has_different_name(&self, node: &Node) -> bool {
        self.names_in_text.different.range(node.numbers.0..=node.numbers.1).next().is_some()
    }

    fn is_different(&self, node: &Node) -> bool {
        // The variable of a declaration may be declared already: in front of a label that jumps lead back to.
        let declared = || self.bindings.contains_key(&node.id) || node.storage == "static";
        if node.kind == "VarDecl" { declared() } else { self.is_renamed(node) }
    }

    /// Names a variable that has another name in the procedure.
    fn is_renamed(&self, node: &Node) -> bool {
        // A variable that is another name for a function is not declared.
        if node.refers_kind == "VarDecl" && self.functions.contains_key(&node.refers) {
            return true;
        }
        let proc = self.b.proc();
        match self.bindings.get(&node.refers) {
            Some(Binding::Var(var)) => proc.vars[var.index()].name != node.refers_name,
            Some(Binding::Object(object)) => proc.objects[object.index()].name != node.refers_name,
            Some(Binding::Split(..)) => true,
            Some(Binding::Global(global)) => self.reader.globals[global.index()].name != node.refers_name,
            // A constant at file scope stands in the generated file, one of a function does not.
            Some(Binding::Constant(_)) => !self.reader.units[self.unit].variables.contains_key(&node.refers),
            Some(Binding::Stream(_)) | None => false,
        }
    }
}
