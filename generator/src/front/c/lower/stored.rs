//! Which functions the sources put into members of structs, tables and variables.
//!
//! A member, table or variable is known by its name: it may hold each function that some source assigns to that name, or
//! names in an initialiser there. A parameter may hold what calls of its function pass, so it hands on what it is given:
//! `init(&layer, relu)` and in `init` `layer->act = act`.

use super::*;

/// What an expression may be: the other side of casts, of both arms, of each element of a list.
fn origins<'a>(node: &'a Node<'a>, found: &mut Vec<&'a Node<'a>>) {
    let node = node.bare();
    match (node.kind, &node.inner[..]) {
        ("ImplicitCastExpr" | "CStyleCastExpr", [inner]) if node.operator != "BitCast" => origins(inner, found),
        ("UnaryOperator", [inner]) if matches!(node.operator.as_ref(), "&" | "*") => origins(inner, found),
        ("ConditionalOperator", [_, then, otherwise]) => {
            origins(then, found);
            origins(otherwise, found);
        }
        ("InitListExpr", parts) => parts.iter().for_each(|part| origins(part, found)),
        _ => found.push(node),
    }
}

/// The functions that an expression may name.
pub fn functions_in<'a>(node: &'a Node<'a>) -> Vec<String> {
    let mut found = Vec::new();
    origins(node, &mut found);
    let named = found.into_iter().filter(|node| node.kind == "DeclRefExpr" && node.refers_kind == "FunctionDecl");
    named.map(|node| node.refers_name.to_string()).collect()
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

/// A parameter of a function of a unit.
fn parameter_slot(unit: usize, id: u64) -> String {
    format!("{unit}#{id}")
}

/// As [`slot`], or a parameter.
fn slot_or_parameter<'a>(unit: usize, node: &'a Node<'a>) -> Option<String> {
    let bare = node.bare();
    let is_parameter = (bare.kind, bare.refers_kind) == ("DeclRefExpr", "ParmVarDecl");
    if is_parameter { Some(parameter_slot(unit, bare.refers)) } else { slot(node) }
}

/// What sources store: functions by their names, and what is handed on from one place to another.
#[derive(Default)]
struct Found {
    stored: Stored,
    handed_on: Vec<(String, String)>,
}

impl Found {
    /// What an expression may be comes to a place. `is_function`: that is a pointer to a function, and no list of them.
    fn note<'a>(&mut self, unit: usize, to: &str, from: &'a Node<'a>, is_function: bool) {
        let mut found = Vec::new();
        origins(from, &mut found);
        for node in found {
            if node.kind == "DeclRefExpr" && node.refers_kind == "FunctionDecl" {
                self.add(to, (unit, node.refers_name.to_string()));
            } else if is_function && matches!(node.kind, "IntegerLiteral" | "ImplicitValueInitExpr") {
                self.stored.entry(to.to_string()).or_default();
            } else if let Some(source) = slot_or_parameter(unit, node).filter(|source| is_function && source != to) {
                self.handed_on.push((source, to.to_string()));
            }
        }
    }

    fn add(&mut self, to: &str, function: (usize, String)) -> bool {
        let known = self.stored.entry(to.to_string()).or_default();
        let is_new = !known.contains(&function);
        if is_new {
            known.push(function);
        }
        is_new
    }

    /// Where a function comes by way of other places, it comes, too.
    fn settled(mut self) -> Stored {
        let handed_on = std::mem::take(&mut self.handed_on);
        let mut changed = true;
        while changed {
            changed = false;
            for (from, to) in &handed_on {
                let functions = self.stored.get(from).cloned().unwrap_or_default();
                for function in functions {
                    changed |= self.add(to, function);
                }
            }
        }
        self.stored
    }
}

impl<'a> Lower<'_, 'a> {
    pub fn stored_functions(&mut self) -> &Stored {
        if self.reader.stored_functions.is_none() {
            let mut found = Found::default();
            for unit in 0..self.reader.units.len() {
                self.stored_in(unit, &mut found);
            }
            self.reader.stored_functions = Some(found.settled());
        }
        self.reader.stored_functions.get_or_insert_default()
    }

    fn stored_in(&mut self, unit: usize, found: &mut Found) {
        let this = &self.reader.units[unit];
        let roots: Vec<&'a Node<'a>> = this.functions.values().chain(this.variables.values()).copied().collect();
        let (mut lists, mut calls) = (Vec::new(), Vec::new());
        for root in roots {
            scan::walk(root, &mut |node| {
                match (node.kind, &node.inner[..]) {
                    ("BinaryOperator", [to, from]) if node.operator == "=" && self.is_function_pointer(unit, to) => {
                        slot_or_parameter(unit, to).into_iter().for_each(|to| found.note(unit, &to, from, true));
                    }
                    ("VarDecl", [.., init]) if node.has_init => {
                        found.note(unit, &node.name, init, self.is_function_pointer(unit, node));
                    }
                    ("InitListExpr", _) => lists.push(node),
                    ("CallExpr", _) => calls.push(node),
                    _ => {}
                }
                true
            });
        }
        for list in lists {
            let reader = &mut *self.reader;
            if let CType::Struct(id) = reader.units[unit].ctype(list.ty(), &mut reader.structs).ty {
                let fields = &reader.structs.types.structs[id].fields;
                let slots: Vec<String> = fields.iter().map(|field| format!(".{}", field.name)).collect();
                for (slot, part) in slots.iter().zip(&list.inner) {
                    let is_function = self.is_function_pointer(unit, part);
                    found.note(unit, slot, part, is_function);
                }
            }
        }
        for call in calls {
            let called = scan::callee(call).map(|callee| callee.refers_name.to_string());
            let Some((home, function)) = called.and_then(|name| self.reader.definition(unit, &name, false)) else {
                continue;
            };
            let params = function.inner.iter().filter(|part| part.kind == "ParmVarDecl");
            for (param, arg) in params.zip(&call.inner[1..]) {
                if self.is_function_pointer(home, param) {
                    found.note(unit, &parameter_slot(home, param.id), arg, true);
                }
            }
        }
    }

    /// Whether something is a pointer to a function.
    pub fn is_function_pointer(&mut self, unit: usize, node: &Node) -> bool {
        let reader = &mut *self.reader;
        reader.units[unit].ctype(node.ty(), &mut reader.structs).ty.is_function_pointer()
    }
}
