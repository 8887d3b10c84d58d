//! Local variables that hold one of several functions.
//!
//! Such a variable is a number here, so that both sweeps know which function it holds: 0 for no function, and the
//! position, from 1, in the list of all functions that the procedure assigns to such variables.
//!
//! ```text
//!   g = n > 2 ? square : cube;    ──►    g_choice = n > 2 ? 1 : 2;
//!   y = g(x);                            if (g_choice == 1) y = square(x); else if (g_choice == 2) ...
//! ```

use super::place::Spot;
use super::stored::{functions_in, slot};
use super::*;
use make::*;

impl<'a> Lower<'_, 'a> {
    /// Declares a number for each variable of the body that may hold different functions.
    pub fn number_functions(&mut self, body: &'a Node<'a>) {
        let mut variables = Vec::new();
        scan::walk(body, &mut |node| {
            if node.kind == "VarDecl" && node.storage.is_empty() {
                variables.push(node);
            }
            true
        });
        variables.retain(|node| {
            let init = node.inner.iter().rfind(|_| node.has_init);
            let is_fixed = !self.assigned.contains(&node.id) && init.is_some_and(|init| self.passed(init).is_some());
            self.ctype(node).ty.is_function_pointer() && !is_fixed && !self.addressed.contains(&node.id)
        });
        for node in &variables {
            node.inner.iter().filter(|_| node.has_init).for_each(|init| self.note_functions(init, node.ty()));
            let ty = self.ir_type(node);
            let name = self.unique(&format!("{}_choice", node.name));
            let var = self.b.var(&name, Type::int(), VarKind::Renamed, self.span(node));
            self.b.emit(ItemKind::DeclareVar { var });
            self.b.assign(var, Expr::int(0));
            self.bind(node.id, Binding::Var(var));
            self.choices.types.insert(var, (ty, node.ty().to_string()));
        }
        scan::walk(body, &mut |node| {
            if let ("BinaryOperator", "=", [to, from]) = (node.kind, node.operator.as_ref(), &node.inner[..])
                && let Some(variable) = variables.iter().find(|variable| variable.id == to.bare().refers)
            {
                self.note_functions(from, variable.ty());
            }
            true
        });
    }

    /// Notes the functions that an expression may be: those that it names, the one that a parameter stands for, those
    /// that the sources put into a member or a table.
    fn note_functions(&mut self, from: &'a Node<'a>, held_by: &str) {
        let mut found = functions_in(from);
        if let Some(Given::Function(unit, name)) = self.passed(from)
            && unit == self.unit
        {
            found.push(name);
        }
        let mut inner = from.bare();
        while let ("ImplicitCastExpr", [of]) = (inner.kind, &inner.inner[..]) {
            inner = of.bare();
        }
        let is_local =
            inner.kind == "DeclRefExpr" && !self.reader.units[self.unit].variables.contains_key(&inner.refers);
        if let Some(slot) = slot(from).filter(|_| !is_local) {
            let unit = self.unit;
            let stored = self.stored_functions().get(&slot).into_iter().flatten();
            found.extend(stored.filter(|(of, _)| *of == unit).map(|(_, name)| name.clone()));
        }
        found.into_iter().for_each(|name| self.choices.note(name, held_by));
    }

    /// The number of the function that an expression is, for a variable; `None` if it names functions itself.
    pub fn number_in(&mut self, from: &'a Node<'a>, var: VarId) -> Result<Option<Expr>> {
        if !self.choices.types.contains_key(&var) || self.choice(from).is_some() {
            return Ok(None);
        }
        if self.passes_null(from) {
            return Ok(Some(Expr::int(0)));
        }
        if let Some(Given::Function(_, name)) = self.passed(from) {
            return Ok(self.choices.of(var).any(|known| *known == name).then(|| self.number_of(&name)));
        }
        let Some(slot) = slot(from).filter(|_| self.choices.of(var).next().is_some()) else { return Ok(None) };
        let held = self.value(from)?;
        if !matches!(held.kind, ExprKind::Load(_)) {
            return Ok(None);
        }
        let is = |name: &String| {
            let this = Expr::verbatim(name.clone(), held.ty.clone());
            binary(Binary::Equal, held.clone(), this, Type::int())
        };
        let names: Vec<String> = self.choices.of(var).cloned().collect();
        let number = names.iter().rev().fold(Expr::int(0), |otherwise, name| {
            let (is_this, this) = (Box::new(is(name)), Box::new(self.number_of(name)));
            Expr { kind: ExprKind::Select(is_this, this, Box::new(otherwise)), ty: Type::int() }
        });
        let number = self.b.keep("number", number);
        let none = binary(Binary::NotEqual, held.clone(), zero(&held.ty), Type::int());
        let unnamed = and(binary(Binary::Equal, number.clone(), Expr::int(0), Type::int()), none);
        self.b.begin_branch(unnamed);
        self.stop_at_unnamed(&slot);
        self.b.end_branch();
        Ok(Some(number))
    }

    /// The number that a variable is, which an expression names.
    pub fn choice(&self, node: &Node) -> Option<VarId> {
        let mut node = node.bare();
        while let ("ImplicitCastExpr", [inner]) = (node.kind, &node.inner[..]) {
            node = inner.bare();
        }
        self.number_variable(node.refers)
    }

    /// Whether the variable of a declaration is a number.
    pub fn is_choice(&self, node: &Node) -> bool {
        self.number_variable(node.id).is_some()
    }

    fn number_variable(&self, declaration: u64) -> Option<VarId> {
        match self.bindings.get(&declaration) {
            Some(Binding::Var(var)) if self.choices.types.contains_key(var) => Some(*var),
            _ => None,
        }
    }

    /// The declaration of such a variable.
    pub fn begin_choice(&mut self, node: &'a Node<'a>) -> Result<()> {
        let Some(Binding::Var(var)) = self.bindings.get(&node.id).cloned() else { return self.unknown(node) };
        match node.inner.iter().rfind(|_| node.has_init) {
            Some(init) => {
                if let Some(number) = self.number_in(init, var)? {
                    self.b.assign(var, number);
                    return Ok(());
                }
                let from = self.value(init)?;
                self.write(Spot::Var(var), from, node)
            }
            None => Ok(()),
        }
    }

    /// The number of a function.
    pub fn number_of(&self, name: &str) -> Expr {
        let position = self.choices.functions.iter().position(|(known, _)| known == name);
        Expr::int(position.map_or(0, |position| position as i128 + 1))
    }

    /// The value of a variable: of one that is a number here, the function.
    pub fn chosen(&mut self, var: VarId) -> Expr {
        let value = self.b.get(var);
        let Some((ty, _)) = self.choices.types.get(&var) else { return value };
        let none = Expr { kind: ExprKind::Null, ty: ty.clone() };
        self.choices.of(var).fold(none, |otherwise, name| {
            let is_this = binary(Binary::Equal, value.clone(), self.number_of(name), Type::int());
            let this = Expr::verbatim(name.clone(), ty.clone());
            Expr::select(is_this, this, otherwise, ty.clone())
        })
    }

    /// Assigns a value to a variable: to one that is a number here, the number of the function.
    pub fn assign_variable(&mut self, var: VarId, from: Expr, node: &Node) -> Result<()> {
        let ty = self.ctype(node).ty;
        let from = self.flat_pointer(from, &ty, node)?;
        // A parameter keeps its type.
        let own = self.b.proc().vars[var].ty.clone();
        let from = if ty.elements_of_rows().is_some() { cast(from, own) } else { from };
        let from = if self.choices.types.contains_key(&var) { self.number(&from, var) } else { Some(from) };
        let Some(from) = from else {
            return self.refuse(
                node,
                Class::Control,
                "a variable gets a function, and which one it is, is not known here",
                "assign functions by their names, or call functions by their names",
            );
        };
        self.b.assign(var, from);
        Ok(())
    }

    fn number(&self, function: &Expr, var: VarId) -> Option<Expr> {
        match &function.kind {
            ExprKind::Null => Some(Expr::int(0)),
            ExprKind::Verbatim(name) if self.choices.of(var).any(|known| known == name) => Some(self.number_of(name)),
            ExprKind::Cast(inner) => self.number(inner, var),
            ExprKind::Select(on, then, otherwise) => {
                let (then, otherwise) = (Box::new(self.number(then, var)?), Box::new(self.number(otherwise, var)?));
                Some(Expr { kind: ExprKind::Select(on.clone(), then, otherwise), ty: Type::int() })
            }
            _ => None,
        }
    }
}
