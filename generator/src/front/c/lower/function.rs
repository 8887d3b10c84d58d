//! A function: parameters, body, result.

use super::place::Spot;
use super::*;
use crate::front::c::types::is_list;

impl<'a> Lower<'_, 'a> {
    /// Lowers a definition. The last result: whether a static variable is taken as a local.
    pub fn function(mut self, node: &'a Node<'a>, name: &str) -> (Proc, Summary, bool) {
        let span = self.span(node);
        self.b = Builder::new(name, Type::Void, span);
        match self.lower_function(node).and_then(|()| self.has_order(span)) {
            Ok(()) => {}
            Err(refusal) => self.reader.refusals.push(*refusal),
        }
        self.b.close_to(0);
        let result = self.result.take();
        let result_object = self.result_object;
        let mut proc = self.b.finish(result);
        proc.result_object = result_object;
        (proc, self.summary, self.automatic)
    }

    /// Refuses operands that are changed and read without an order: no meaning of theirs could be differentiated.
    fn has_order(&self, span: Span) -> Result<()> {
        let place = |at: u32| self.reader.sources.place(span.source as usize, at);
        if self.reader.unordered.is_empty() || span.line == 0 {
            return Ok(());
        }
        let ((path, first), (_, last)) = (place(span.start), place(span.end));
        let here = |found: &&Unordered| found.path == path && (first..=last).contains(&found.line);
        let Some(Unordered { line, column, what, .. }) = self.reader.unordered.iter().find(here) else { return Ok(()) };
        // The line in the text that the function is in, which may hold several sources.
        let start = self.reader.sources.line_start(span.source as usize, span.start, line - first) + column - 1;
        let at = self.reader.sources.span(span.source as usize, start, start);
        let help = "write a statement for each".to_string();
        Err(Box::new(Refusal { class: Class::Order, span: Span { line: *line, ..at }, what: what.clone(), help }))
    }

    fn lower_function(&mut self, node: &'a Node<'a>) -> Result<()> {
        let Some(body) = scan::body(node) else { return self.unknown(node) };
        if node.written_type.contains("...") && !prints_arguments(node) {
            return self.refuse(
                node,
                Class::Language,
                format!("'{}' has a variable number of arguments", node.name),
                "write a function for each number of arguments",
            );
        }
        self.b.proc_mut().has_list = prints_arguments(node);
        self.local_types(node, body)?;
        self.body = Some(body);
        self.note_names(body);
        self.addressed = scan::addressed(body);
        self.assigned = scan::assigned(body);
        scan::changed(body, &mut self.reader.changed);
        self.assigned_first = automatic::assigned_first(body);
        let text = result_text(&node.written_type).to_string();
        let result = self.qualified(&text);
        self.b.proc_mut().result_is_constant = result.ty.ir().target().is_some() && result.constants().any();
        self.result_type = result.ty;
        let params = node.inner.iter().filter(|part| part.kind == "ParmVarDecl");
        for (position, param) in params.enumerate() {
            self.parameter(param, position)?;
        }
        self.bind_result(node)?;
        self.number_functions(body);
        self.returns = self.target("returned");
        let ends = self.list(&body.inner);
        self.finish_result(ends);
        Ok(())
    }

    /// Types that the body declares, known from here on. The sweeps declare them where a function begins, so one name
    /// means one thing in all of it.
    fn local_types(&mut self, function: &'a Node<'a>, body: &'a Node<'a>) -> Result<()> {
        let mut found: Vec<&Node> = Vec::new();
        scan::walk(body, &mut |node| {
            if matches!(node.kind, "TypedefDecl" | "RecordDecl" | "EnumDecl") {
                found.push(node);
            }
            true
        });
        if found.is_empty() {
            return Ok(());
        }
        let mut variables = FxHashSet::default();
        scan::walk(function, &mut |node| {
            if matches!(node.kind, "ParmVarDecl" | "VarDecl") {
                variables.insert(node.name.as_ref());
            }
            true
        });
        let mut tags = FxHashMap::default();
        for node in found.iter().copied() {
            let is_tag = node.kind == "RecordDecl";
            let enumerators = node.inner.iter().filter(|part| part.kind == "EnumConstantDecl");
            let own = (node.kind == "TypedefDecl").then_some(node);
            let hidden = own.into_iter().chain(enumerators).find(|one| variables.contains(one.name.as_ref()));
            let mut twice = || {
                let outer = self.reader.units[self.unit].declared.iter().flat_map(|declared| &declared.names);
                let is_outer = outer.into_iter().any(|name| *name == node.name);
                tags.insert(node.name.as_ref(), node.id).is_some() || is_outer
            };
            let of = &function.name;
            let what = match hidden {
                Some(one) if own.is_some() => {
                    format!("'{}' names a variable in '{of}', and a type in a block", one.name)
                }
                Some(one) => format!("'{}' names a variable in '{of}', and a constant in a block", one.name),
                None if is_tag && node.complete && !node.name.is_empty() && twice() => {
                    format!("'{}' names two types in '{of}'", node.name)
                }
                None => continue,
            };
            return self.refuse(node, Class::Language, what, "give each a name of its own");
        }
        let unit = &mut self.reader.units[self.unit];
        found.iter().for_each(|node| unit.type_declaration(node, &self.reader.sources));
        unit.forget_types();
        Ok(())
    }

    fn parameter(&mut self, node: &'a Node<'a>, position: usize) -> Result<()> {
        let found = self.ctype(node);
        let wanted = if node.name.is_empty() { format!("argument_{}", position + 1) } else { node.name.to_string() };
        let name = self.unique(&wanted);
        self.visible.push((name.clone(), node.id));
        if found.is_volatile() {
            return self.refuse(node, Class::Type, format!("parameter '{name}' is volatile"), "remove volatile");
        }
        if !self.assigned.contains(&node.id) && !self.addressed.contains(&node.id) {
            match self.given.get(position) {
                Some(Given::Function(unit, function)) => {
                    self.functions.insert(node.id, (*unit, function.clone()));
                }
                Some(Given::Null) => {
                    self.without_function.insert(node.id);
                }
                Some(Given::Open) | None => {}
            }
        }
        let read_only = matches!(&found.ty, CType::Pointer(to) if to.is_constant());
        self.b.proc_mut().has_list |= is_list(node.ty());
        let (span, ty) = (self.span(node), found.ty.ir());
        let declaration = self.parameter_text(node);
        let position = u32::try_from(position).unwrap_or(u32::MAX);
        let mut param = Param {
            name: name.clone(),
            ty: ty.clone(),
            declaration,
            var: None,
            entry: None,
            object: None,
            shape: Vec::new(),
            read_only,
            apart: false,
            no_alias: false,
            undefined_at_entry: false,
        };
        if let CType::Struct(_) = found.ty {
            let life = Life::Param(position);
            let object = Object { name, elem: ty, shape: Vec::new(), life, constant: false, span };
            let object = self.b.object(object);
            self.bind(node.id, Binding::Object(object));
            param.object = Some(object);
            self.b.proc_mut().params.push(param);
            return Ok(());
        }
        if let CType::Opaque(type_name) = &found.ty {
            let (what, help) = self.opaque(type_name);
            return self.refuse(node, Class::Type, format!("parameter '{name}' {what}"), help);
        }
        let var = self.b.var(&name, ty.clone(), VarKind::User, span);
        self.b.proc_mut().vars[var].constants = found.constants();
        param.var = Some(var);
        param.entry = Some(self.b.entry(var, position));
        if self.addressed.contains(&node.id) {
            let name = self.unique(&format!("{wanted}_memory"));
            let life = Life::Region(self.b.region());
            let object = Object { name, elem: ty.clone(), shape: Vec::new(), life, constant: false, span };
            let object = self.b.object(object);
            self.b.emit(ItemKind::Declare { object });
            let from = self.b.get(var);
            let to = Place { base: Base::Object(object), path: Vec::new(), ty };
            self.b.emit(ItemKind::Store { to, from });
            self.bind(node.id, Binding::Object(object));
        } else {
            self.bind(node.id, Binding::Var(var));
        }
        self.b.proc_mut().params.push(param);
        self.evaluate_extents(&found.ty, node, true)?;
        if let CType::Pointer(to) = &found.ty {
            let (_, shape) = self.shape(&to.ty, node).unwrap_or_default();
            if !shape.is_empty() {
                let whole = std::iter::once(Dim::default()).chain(shape).collect();
                if let Some(param) = self.b.proc_mut().params.last_mut() {
                    param.shape = whole;
                }
            }
        }
        self.moved_rows(node, var)
    }

    fn bind_result(&mut self, node: &'a Node<'a>) -> Result<()> {
        let ty = self.result_type.ir();
        self.b.proc_mut().result_type = ty.clone();
        let span = self.span(node);
        match self.result_type.clone() {
            CType::Void => {}
            CType::Struct(_) => {
                let (name, life) = (self.unique("result"), Life::Region(RegionId(0)));
                let object = Object { name, elem: ty, shape: Vec::new(), life, constant: false, span };
                let object = self.b.object(object);
                self.b.emit(ItemKind::Declare { object });
                self.result_object = Some(object);
            }
            CType::Opaque(name) => {
                return self.refuse(
                    node,
                    Class::Type,
                    format!("the result has type '{name}'"),
                    "return float, double, an integer, a pointer or a struct",
                );
            }
            _ => self.result_var = Some(self.b.var("result", ty, VarKind::Temporary, span)),
        }
        Ok(())
    }

    /// `return e;`
    pub fn return_statement(&mut self, node: &'a Node<'a>) -> Result<Ends> {
        if let Some(value) = node.inner.first() {
            match (self.result_var, self.result_object) {
                (_, Some(object)) => {
                    let ty = self.result_type.ir();
                    let to = Place { base: Base::Object(object), path: Vec::new(), ty };
                    self.struct_into(Spot::Memory(to), value)?;
                }
                (Some(var), _) => {
                    let value = self.whole_value(value)?;
                    if self.b.at_top() {
                        self.b.proc_mut().result_span = self.span(node);
                        self.result = Some(value);
                        return Ok(Ends::default());
                    }
                    self.b.assign(var, value);
                }
                _ => self.effect(value)?,
            }
        }
        self.leave(self.returns);
        Ok(Ends::leaves(self.returns))
    }

    fn finish_result(&mut self, ends: Ends) {
        let Some(var) = self.result_var.filter(|_| self.result.is_none()) else { return };
        let returns = ends.leaves.contains(&self.returns) || !ends.falls;
        // Where nothing is returned: fine as long as nobody uses it.
        self.result = Some(if returns { self.b.get(var) } else { zero(&self.b.proc().vars[var].ty) });
    }
}

/// The type of the result in `double (*(int))[3]`-free function types: all before the parameters.
fn result_text(function: &str) -> &str {
    let mut depth = 0;
    for (at, c) in function.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => {
                depth -= 1;
                if depth == 0 {
                    return function[..at].trim();
                }
            }
            _ => {}
        }
    }
    function
}
