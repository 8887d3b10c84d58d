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
//! The functions are those that some source assigns to a member, table or variable of this name, or that an initialiser
//! names there. What else a program puts there stops it: nothing is computed that has no derivative.

use super::*;
use crate::ir::build::int;
use make::*;

/// With more functions than these a call is refused.
const MOST: usize = 8;

/// Functions that sources store, by what they are stored in: the unit where each is named, and its name.
pub type Stored = HashMap<String, Vec<(usize, String)>>;

/// The functions that an expression may name.
pub fn functions_in<'a>(node: &'a Node<'a>, found: &mut Vec<String>) {
    let node = node.bare();
    match (node.kind, &node.inner[..]) {
        ("DeclRefExpr", _) if node.refers_kind == "FunctionDecl" => found.push(node.refers_name.to_string()),
        ("ImplicitCastExpr" | "CStyleCastExpr", [inner]) if node.operator != "BitCast" => functions_in(inner, found),
        ("UnaryOperator", [inner]) if matches!(node.operator.as_ref(), "&" | "*") => functions_in(inner, found),
        ("ConditionalOperator", [_, then, otherwise]) => {
            functions_in(then, found);
            functions_in(otherwise, found);
        }
        ("InitListExpr", parts) => parts.iter().for_each(|part| functions_in(part, found)),
        _ => {}
    }
}

/// What a pointer to a function is stored in, by its name.
pub fn slot<'a>(node: &'a Node<'a>) -> Option<String> {
    let mut node = node.bare();
    while node.kind == "ImplicitCastExpr"
        || node.kind == "ArraySubscriptExpr"
        || (node.kind == "UnaryOperator" && node.operator == "*")
    {
        node = node.inner.first()?.bare();
    }
    match (node.kind, node.refers_kind) {
        ("MemberExpr", _) => Some(format!(".{}", node.name)),
        ("DeclRefExpr", "VarDecl") => Some(node.refers_name.to_string()),
        _ => None,
    }
}

impl<'a> Lower<'_, 'a> {
    /// A variable that is another name for a function.
    pub fn function_variable(&mut self, node: &'a Node<'a>) -> Result<()> {
        let init = node.inner.iter().rfind(|_| node.has_init);
        let changes = self.assigned.contains(&node.id) || self.addressed.contains(&node.id);
        match init.and_then(|init| self.passed(init)) {
            Some(Given::Function(unit, name)) if !changes => {
                self.functions.insert(node.id, (unit, name));
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

    pub fn stored_functions(&mut self) -> &Stored {
        if self.reader.stored_functions.is_none() {
            let mut stored = Stored::new();
            for unit in 0..self.reader.units.len() {
                self.stored_in(unit, &mut stored);
            }
            self.reader.stored_functions = Some(stored);
        }
        self.reader.stored_functions.get_or_insert_default()
    }

    fn stored_in(&mut self, unit: usize, stored: &mut Stored) {
        let this = &self.reader.units[unit];
        let roots: Vec<&'a Node<'a>> = this.functions.values().chain(this.variables.values()).copied().collect();
        let (mut named, mut lists) = (Vec::new(), Vec::new());
        for root in roots {
            scan::walk(root, &mut |node| {
                match (node.kind, &node.inner[..]) {
                    ("BinaryOperator", [to, from]) if node.operator == "=" => named.push((slot(to), from)),
                    ("VarDecl", [.., init]) if node.has_init => named.push((Some(node.name.to_string()), init)),
                    ("InitListExpr", _) => lists.push(node),
                    _ => {}
                }
                true
            });
        }
        let mut note = |slot: String, from: &'a Node<'a>| {
            let mut found = Vec::new();
            functions_in(from, &mut found);
            for name in found {
                let known = stored.entry(slot.clone()).or_default();
                if !known.contains(&(unit, name.clone())) {
                    known.push((unit, name));
                }
            }
        };
        for (slot, from) in named {
            if let Some(slot) = slot {
                note(slot, from);
            }
        }
        for list in lists {
            let reader = &mut *self.reader;
            if let CType::Struct(id) = reader.units[unit].ctype(list.ty(), &mut reader.structs).ty {
                for (field, part) in reader.structs.types.structs[id.index()].fields.iter().zip(&list.inner) {
                    note(format!(".{}", field.name), part);
                }
            }
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
        // A variable may hold each of its functions; a member of a struct has namesakes elsewhere.
        let is_open = chosen.is_some() && functions.len() < all;
        if functions.is_empty() || functions.len() > MOST || is_open {
            return Ok(None);
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
                None => Expr { kind: ExprKind::Verbatim(name.clone()), ty: pointer.ty.clone() },
            };
            self.b.begin_branch(binary(Binary::Equal, pointer.clone(), function, int()));
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

    /// Stops the program: a pointer holds a function that no source names there.
    pub fn stop_at_unnamed(&mut self, slot: &str) {
        let external = |name: &str, returns| Callee::External { name: name.to_string(), returns, unknown: false };
        let what =
            format!("\"'{}' is none of the functions that the sources name there\\n\"", slot.trim_start_matches('.'));
        let verbatim =
            |text: String, ty: Type| Expr { kind: ExprKind::Verbatim(text), ty: Type::Pointer(Box::new(ty)) };
        let character = Type::Int { bits: 8, signed: true, name: "char".to_string() };
        let stream = verbatim("stderr".to_string(), Type::Opaque("FILE".to_string()));
        self.b.call(external("fputs", true), vec![verbatim(what, character), stream], None, None);
        self.b.call(external("abort", false), Vec::new(), None, None);
    }
}
