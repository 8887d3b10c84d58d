//! Calls through pointers that the sources set: members of structs, elements of tables, variables.
//!
//! ```text
//!   y = law->apply(x);    ──►    if (law->apply == square) y = square(x);
//!                                else if (law->apply == cube) y = cube(x);
//!                                else abort();       (after a message)
//! ```
//!
//! A local variable is a number in place of a pointer: `choices.rs`.
//!
//! Which functions these may be: `stored.rs`. What else a program puts there stops it: nothing is computed that has no
//! derivative.

use super::stored::slot;
use super::*;
use make::*;

/// With more functions than these a call is refused: each call tests all of them.
const MOST: usize = 32;

impl<'a> Lower<'_, 'a> {
    /// A variable that is another name for a function.
    pub fn function_variable(&mut self, node: &'a Node<'a>) -> Result<()> {
        let init = node.inner.iter().rfind(|_| node.has_init);
        let changes = self.assigned.contains(&node.id) || self.addressed.contains(&node.id);
        match init.and_then(|init| self.passed(init)) {
            Some(Given::Function(unit, name)) if !changes => {
                self.functions.insert(node.id, (unit, name));
                self.compare_names(node.id);
                Ok(())
            }
            _ => self.refuse(
                node,
                Class::Control,
                format!("'{}' holds a function, and which one may change", node.name),
                "initialise it with the name of one function, or call functions by their names",
            ),
        }
    }

    /// A call through a pointer that may hold one of a few functions; `None` if no source says which.
    pub fn dispatched(&mut self, node: &'a Node<'a>, wanted: bool) -> Result<Option<Option<Expr>>> {
        let Some(mut callee) = node.inner.first().map(|callee| callee.bare()) else { return Ok(None) };
        while callee.kind == "ImplicitCastExpr" && callee.operator != "LValueToRValue"
            || (callee.kind == "UnaryOperator" && callee.operator == "*")
        {
            let Some(inner) = callee.inner.first() else { return Ok(None) };
            callee = inner.bare();
        }
        let result = self.ctype(node).ty;
        let Some(slot) = slot(callee).filter(|_| !matches!(result, CType::Struct(_))) else { return Ok(None) };
        let chosen = self.choice(callee);
        let mut functions = match chosen {
            Some(var) => self.choices.of(var).map(|name| (self.unit, name.clone())).collect(),
            None => self.stored_functions().get(&slot).cloned().unwrap_or_default(),
        };
        let (arguments, all) = (node.inner.len() - 1, functions.len());
        functions.retain(|(unit, name)| match self.reader.definition(*unit, name, false) {
            Some((_, function)) => function.inner.iter().filter(|part| part.kind == "ParmVarDecl").count() == arguments,
            None => library::math(name).is_some_and(|function| function.arity() == arguments),
        });
        let is_null = chosen.is_none() && all == 0 && self.stored_functions().contains_key(&slot);
        if is_null {
            self.stop_at_unnamed(&slot);
            return Ok(Some(Self::no_result(&result)));
        }
        // A variable may hold each of its functions; a member of a struct has namesakes elsewhere.
        let is_open = chosen.is_some() && functions.len() < all;
        if functions.is_empty() || is_open {
            return Ok(None);
        }
        if functions.len() > MOST {
            let (pointer, count) = (slot.trim_start_matches('.'), functions.len());
            let what =
                format!("'{pointer}' may hold any of {count} functions, and a call through it takes {MOST} at most");
            return self.refuse(node, Class::Control, what, "let a switch call them by their names");
        }
        let pointer = match chosen {
            Some(var) => self.b.get(var),
            None => self.value(callee)?,
        };
        let var = match &result {
            CType::Void => None,
            ty => Some(self.b.var("result", ty.ir(), VarKind::Temporary, self.b.span)),
        };
        for (unit, name) in &functions {
            let function = match chosen {
                Some(_) => self.number_of(name.as_str()),
                None => Expr::verbatim(name.clone(), pointer.ty.clone()),
            };
            self.b.begin_branch(binary(Binary::Equal, pointer.clone(), function, Type::int()));
            // One of the calls is made: what another one changes does not matter to its arguments.
            let aside = self.begin_operand();
            let given = self.given(*unit, name, node);
            let value = match (self.reader.procedure(*unit, name, false, given), library::math(name)) {
                (Some(id), _) => self.call_procedure(node, id, true)?,
                (None, Some(function)) => Some(self.function_of_math(function, &node.inner[1..])?),
                (None, None) => return Ok(None),
            };
            self.end_ordered(aside);
            if let (Some(var), Some(value)) = (var, value) {
                self.b.assign(var, value);
            }
            self.b.otherwise();
        }
        self.stop_at_unnamed(&slot);
        if let Some(var) = var {
            self.b.assign(var, zero(&result.ir()));
        }
        functions.iter().for_each(|_| self.b.end_branch());
        Ok(Some(var.filter(|_| wanted).map(|var| self.b.get(var))))
    }

    /// Stops the program: what is stored in this slot is a function that no source names there.
    pub fn stop_at_unnamed(&mut self, slot: &str) {
        self.stop_at(&format!("'{}'", slot.trim_start_matches('.')));
    }

    /// Stops the program: this pointer holds no function that a source names there. No statement of the program does this,
    /// so no text of the program stands for it ([`Proc::is_guarded`]).
    pub fn stop_at(&mut self, pointer: &str) {
        let function = External::Stop(Reason::Unnamed(pointer.to_string()));
        let statement = self.b.statement.take();
        self.b.call(Callee::External { function, returns: false, unknown: false }, Vec::new(), None, None);
        self.b.statement = statement;
    }

    /// The result of a call that stops the program.
    pub fn no_result(ty: &CType) -> Option<Expr> {
        (*ty != CType::Void).then(|| zero(&ty.ir()))
    }
}
