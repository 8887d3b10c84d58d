//! Functions as arguments: `integrate(density, 0.0, 1.0)`.
//!
//! A function that is called with the name of another one is lowered for this name: in the copy a call through the
//! parameter is a call of the function that it stands for. The parameter itself stays, so the copy is called as the
//! source calls it.

use super::*;

impl<'a> Lower<'_, 'a> {
    /// The function that a call means, with the unit in which its name means it.
    pub fn called(&self, call: &'a Node<'a>) -> Option<(usize, String)> {
        if let Some(callee) = scan::callee(call) {
            return Some((self.unit, callee.refers_name.to_string()));
        }
        let mut node = call.inner.first()?.bare();
        while node.kind == "ImplicitCastExpr" || (node.kind == "UnaryOperator" && node.operator == "*") {
            node = node.inner.first()?.bare();
        }
        self.functions.get(&node.refers).cloned()
    }

    /// What the arguments of a call make of the parameters of the function.
    pub fn given(&mut self, unit: usize, name: &str, call: &'a Node<'a>) -> Vec<Given> {
        let Some((home, function)) = self.reader.definition(unit, name, false) else { return Vec::new() };
        let params = function.inner.iter().filter(|part| part.kind == "ParmVarDecl");
        let mut all = Vec::new();
        for (param, arg) in params.zip(call.inner.iter().skip(1)) {
            all.push(if !self.is_function_pointer(home, param) {
                Given::Open
            } else if self.passes_null(arg) {
                Given::Null
            } else {
                self.passed(arg).unwrap_or(Given::Open)
            });
        }
        if all.iter().all(|given| *given == Given::Open) { Vec::new() } else { all }
    }

    /// What an argument names, if it is a name.
    fn name_in(node: &'a Node<'a>) -> Option<&'a Node<'a>> {
        let mut node = node.bare();
        while matches!(node.kind, "ImplicitCastExpr" | "CStyleCastExpr")
            || (node.kind == "UnaryOperator" && matches!(node.operator.as_ref(), "&" | "*"))
        {
            // A parameter `double f()` takes functions of any parameters.
            if node.operator == "BitCast" && !node.ty().ends_with("()") {
                return None;
            }
            node = node.inner.first()?.bare();
        }
        (node.kind == "DeclRefExpr").then_some(node)
    }

    /// The function that an argument names.
    pub fn passed(&self, node: &'a Node<'a>) -> Option<Given> {
        let node = Self::name_in(node)?;
        match node.refers_kind {
            "FunctionDecl" => Some(Given::Function(self.unit, node.refers_name.to_string())),
            "ParmVarDecl" => {
                let (unit, name) = self.functions.get(&node.refers)?;
                Some(Given::Function(*unit, name.to_string()))
            }
            _ => None,
        }
    }

    /// Whether an argument is NULL, or a parameter for which each call of this copy passes NULL.
    pub fn passes_null(&self, node: &'a Node<'a>) -> bool {
        let mut node = node.bare();
        while matches!(node.kind, "ImplicitCastExpr" | "CStyleCastExpr") {
            if node.operator == "NullToPointer" {
                return true;
            }
            let Some(inner) = node.inner.first() else { return false };
            node = inner.bare();
        }
        node.kind == "DeclRefExpr" && self.without_function.contains(&node.refers)
    }

    /// A call through a parameter that is NULL ends the program; `None` if this is no such call.
    pub fn call_of_null(&mut self, call: &'a Node<'a>) -> Option<Option<Expr>> {
        let mut callee = call.inner.first()?.bare();
        while callee.kind == "ImplicitCastExpr" || (callee.kind == "UnaryOperator" && callee.operator == "*") {
            callee = callee.inner.first()?.bare();
        }
        let result = self.ctype(call).ty;
        if !self.passes_null(callee) || matches!(result, CType::Struct(_)) {
            return None;
        }
        self.stop_at(&format!("'{}' is NULL and", callee.refers_name));
        Some(Self::no_result(&result))
    }

    /// The value of a function's name.
    pub fn function_name(&mut self, node: &'a Node<'a>) -> Option<Expr> {
        let named = Self::name_in(node).filter(|named| named.refers_kind == "FunctionDecl")?;
        let ty = self.ir_type(node);
        Some(Expr::verbatim(named.refers_name.to_string(), ty))
    }
}
