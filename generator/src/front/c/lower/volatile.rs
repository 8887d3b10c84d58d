//! Volatile integers at file scope: flags that a signal handler sets, `if (stop) return;`.
//!
//! What a read yields is known to nobody, and another read may yield something else. So a read is a call: its result is
//! kept where the reverse sweep needs it, and no pass of a loop that reads one runs again.

use super::*;

/// What is called.
pub fn access() -> Callee {
    Callee::External { function: External::Volatile, returns: true, unknown: false }
}

impl<'a> Lower<'_, 'a> {
    /// The variable that a node names, if it is one of these and no local variable has its name.
    pub fn volatile(&mut self, node: &'a Node<'a>) -> Option<Expr> {
        let node = node.bare();
        let named = self.reader.units[self.unit].variables.get(&node.refers).copied()?;
        let found = self.ctype(node);
        if node.kind != "DeclRefExpr" || !found.is_volatile() || !matches!(found.ty, CType::Int { .. }) {
            return None;
        }
        let (definition, unit) = self.defined(named);
        let Ok(Binding::Global(global)) = self.object_in_memory(definition, &named.name, unit) else { return None };
        let name = self.reader.globals[global.index()].name.clone();
        let proc = self.b.proc();
        let is_taken = proc.vars.iter().any(|var| var.name == name) || proc.objects.iter().any(|o| o.name == name);
        if is_taken || name != node.refers_name {
            return None;
        }
        // Variables to come get another name.
        self.names.insert(name.clone());
        Some(Expr::verbatim(name, found.ty.ir()))
    }

    /// Whether a node reads a volatile variable that is none of this function.
    pub fn reads_volatile(&self, node: &Node) -> bool {
        let reads = node.kind == "ImplicitCastExpr" && node.operator == "LValueToRValue";
        let of = node.inner.first().filter(|_| reads).map(|of| of.bare());
        of.is_some_and(|of| of.written_type.contains("volatile ") && !self.bindings.contains_key(&of.refers))
    }

    /// `stop = 0;`
    pub fn volatile_assignment(&mut self, left: &'a Node<'a>, right: &'a Node<'a>) -> Result<bool> {
        let Some(variable) = self.volatile(left) else { return Ok(false) };
        let value = self.value(right)?;
        self.b.call(access(), vec![variable, value], None, None);
        Ok(true)
    }
}
