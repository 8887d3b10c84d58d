//! `sizeof`, and extents of arrays with variable length, which clang gives as text.

use super::*;
use crate::directives::directives;
use crate::front::c::types::Extent;
use crate::names::words;
use make::*;
use memory::size_type;

impl<'a> Lower<'_, 'a> {
    /// `sizeof`
    pub fn size_of(&mut self, node: &'a Node<'a>) -> Result<Expr> {
        let text = match node.inner.first() {
            _ if !node.argument_type.is_empty() => node.argument_type.to_string(),
            Some(operand) => operand.bare().ty().to_string(),
            None => return self.unknown(node),
        };
        if node.name != "sizeof" {
            return self.refuse(node, Class::Language, "alignof is not supported", "use a constant");
        }
        let found = self.qualified(&text);
        self.evaluate_extents(&found.ty, node, false)?;
        match self.bytes(&found.ty) {
            Some(bytes) => Ok(bytes),
            None => self.refuse(node, Class::Type, format!("the size of '{text}' is not known"), "use a constant"),
        }
    }

    /// `offsetof(struct s, v)` stays as it is. In the body of a macro it may be part of something else.
    pub fn offset_of(&mut self, node: &'a Node<'a>) -> Result<Expr> {
        let span = self.span(node);
        let text = self.reader.sources.text(span.source as usize, span.start, span.end);
        let (name, _) = text.split_once('(').unwrap_or_default();
        let is_of_c = |source: &Source| source.path.starts_with("/usr/");
        let defines = |source: &Source| directives(&source.text).any(|line| line.name == "offsetof");
        let is_defined = self.reader.sources.list.iter().any(|source| !is_of_c(source) && defines(source));
        if is_defined || !matches!(name.trim(), "offsetof" | "__builtin_offsetof") || text.contains('[') {
            let what = "offsetof of an element, in a macro, or defined by the sources";
            return self.refuse(node, Class::Language, what, "use a constant");
        }
        Ok(Expr::verbatim(text, size_type()))
    }

    fn bytes(&mut self, ty: &CType) -> Option<Expr> {
        if let CType::Array(elem, extent) = ty {
            let elem = self.bytes(&elem.ty)?;
            let extent = match extent {
                Extent::Known(extent) => constant(i128::from(*extent), size_type()),
                Extent::Text(text) => cast(self.extents.get(text)?.clone(), size_type()),
                Extent::Unknown => return None,
            };
            return Some(binary(Binary::Multiply, extent, elem, size_type()));
        }
        let (bytes, _) = self.reader.structs.layout(&ty.ir())?;
        Some(constant(i128::from(bytes), size_type()))
    }

    /// Evaluates the extents of a type with variable length where it is declared.
    pub fn evaluate_extents(&mut self, ty: &CType, node: &'a Node<'a>, at_entry: bool) -> Result<()> {
        match ty {
            CType::Pointer(to) => self.evaluate_extents(&to.ty, node, at_entry),
            CType::Array(elem, extent) => {
                if let Extent::Text(text) = extent {
                    self.evaluate_extent(text, node, at_entry)?;
                }
                self.evaluate_extents(&elem.ty, node, at_entry)
            }
            _ => Ok(()),
        }
    }

    fn evaluate_extent(&mut self, text: &str, node: &'a Node<'a>, at_entry: bool) -> Result<()> {
        let mut parser = Parser { rest: text, lower: self };
        let found = parser.sum().filter(|_| true);
        let complete = parser.rest.trim().is_empty();
        let Some(extent) = found.filter(|_| complete) else {
            return self.refuse(
                node,
                Class::Type,
                format!("the extent '{text}' of this array is not understood"),
                "assign it to an integer variable and use that",
            );
        };
        let known = self.extents.get(text).filter(|known| self.is_visible(known)).cloned();
        match &known {
            Some(known) if self.is_extent(text, known, &extent) && !self.may_change(&extent) => return Ok(()),
            Some(_) if !at_entry => {
                return self.refuse(
                    node,
                    Class::Type,
                    format!("two arrays of this function have the extent '{text}', and its value may have changed"),
                    "give the extents different names",
                );
            }
            _ => {}
        }
        let simple = matches!(extent.kind, ExprKind::Int(_) | ExprKind::Value(_));
        let extent = if simple { extent } else { self.b.keep("extent", extent) };
        self.extents.insert(text.to_string(), extent);
        Ok(())
    }

    /// Whether an extent was evaluated in a scope that has not ended.
    fn is_visible(&self, extent: &Expr) -> bool {
        let ExprKind::Value(value) = extent.kind else { return true };
        let proc = self.b.proc();
        let around = |region: &RegionId| proc.regions[*region].parent.map(|(region, _)| region);
        let home = proc.values[value].region;
        std::iter::successors(Some(self.b.region()), around).any(|region| region == home)
    }

    /// Whether this function, or what it calls, may write memory that an extent reads.
    fn may_change(&mut self, extent: &Expr) -> bool {
        let (mut members, mut globals) = (FxHashSet::default(), FxHashSet::default());
        walk::expressions(extent, &mut |part| {
            let ExprKind::Load(place) = &part.kind else { return };
            let mut ty = match &place.base {
                Base::Global(global) => {
                    let object = &self.reader.globals[global.index()];
                    globals.insert(object.name.clone());
                    Some(&object.elem)
                }
                Base::At(pointer) => pointer.ty.target(),
                Base::Object(_) => None,
            };
            for step in &place.path {
                if let (Step::Field(field), Some(Type::Struct(id))) = (step, ty) {
                    let field = &self.reader.structs.types.structs[*id].fields[*field];
                    members.insert(field.name.clone());
                    ty = Some(&field.ty);
                }
            }
        });
        let (mut open, mut seen) = (self.body.into_iter().collect::<Vec<_>>(), FxHashSet::default());
        let mut written = Vec::new();
        while let Some(body) = open.pop().filter(|_| !members.is_empty() || !globals.is_empty()) {
            scan::walk(body, &mut |node| {
                match (node.kind, node.operator.as_ref()) {
                    ("BinaryOperator", "=") | ("CompoundAssignOperator", _) | ("UnaryOperator", "++" | "--" | "&") => {
                        written.extend(node.inner.first().map(|to| to.bare()));
                    }
                    ("DeclRefExpr", _)
                        if node.refers_kind == "FunctionDecl" && seen.insert(node.refers_name.as_ref()) =>
                    {
                        let function = self.reader.definition(self.unit, &node.refers_name, false);
                        open.extend(function.and_then(|(_, function)| scan::body(function)));
                    }
                    _ => {}
                }
                true
            });
        }
        // A struct as a whole may be the one with the member.
        let copied = ["memcpy", "memmove", "memset"].iter().any(|name| seen.contains(name));
        let writes = |to: &&Node| match to.kind {
            "MemberExpr" => members.contains(to.name.trim_start_matches(['-', '>', '.'])),
            "DeclRefExpr" => globals.contains(to.refers_name.as_ref()),
            _ => false,
        };
        written.iter().any(writes)
            || !members.is_empty() && (copied || written.iter().any(|to| matches!(self.ctype(to).ty, CType::Struct(_))))
    }

    /// Whether a known extent of this text has this value: it is the same expression of the same values.
    fn is_extent(&self, text: &str, known: &Expr, extent: &Expr) -> bool {
        let extent = self.with_first_values(text, extent);
        let defined = |value: ValueId| match &self.b.proc().values[value].def {
            Def::Is(defined) => self.with_first_values(text, defined) == extent,
            _ => false,
        };
        self.with_first_values(text, known) == extent || matches!(known.kind, ExprKind::Value(value) if defined(value))
    }

    /// An extent with the first value of each variable that its text names and nothing ever assigns: in a loop, such a
    /// variable has a value that is not known yet to be the one before.
    fn with_first_values(&self, text: &str, extent: &Expr) -> Expr {
        let stays = |name: &str| {
            let (_, id) = self.visible.iter().rev().find(|(visible, _)| visible == name)?;
            let Some(Binding::Var(var)) = self.bindings.get(id) else { return None };
            (!self.assigned.contains(id) && !self.addressed.contains(id)).then_some(*var)
        };
        let stay: Vec<VarId> = words(text).filter_map(stays).collect();
        let values = &self.b.proc().values;
        walk::replace(extent, &mut |value| {
            let var = values[value].var;
            let first = values.iter().position(|value| value.var == var).filter(|_| stay.contains(&var))?;
            Some(Expr::value(ValueId::new(first), self.b.proc().vars[var].ty.clone()))
        })
    }
}

/// Reads an integer expression as clang prints it.
struct Parser<'t, 'l, 'r, 'a> {
    rest: &'t str,
    lower: &'l mut Lower<'r, 'a>,
}

impl<'t> Parser<'t, '_, '_, '_> {
    fn take(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Option<Expr> {
        let mut left = self.product()?;
        loop {
            let op = match () {
                () if self.take("+") => Binary::Add,
                () if self.take("-") => Binary::Subtract,
                () => return Some(left),
            };
            left = usual(op, left, self.product()?);
        }
    }

    fn product(&mut self) -> Option<Expr> {
        let mut left = self.operand()?;
        loop {
            let op = match () {
                () if self.take("*") => Binary::Multiply,
                () if self.take("/") => Binary::Divide,
                () if self.take("%") => Binary::Remainder,
                () => return Some(left),
            };
            left = usual(op, left, self.operand()?);
        }
    }

    fn operand(&mut self) -> Option<Expr> {
        if self.take("(") {
            for ty in ["size_t", "unsigned long", "int", "long"] {
                if self.take(&format!("{ty})")) {
                    let operand = self.operand()?;
                    let ty = self.lower.qualified(ty).ty.ir();
                    return Some(cast(operand, ty));
                }
            }
            let inside = self.sum()?;
            return self.take(")").then_some(inside);
        }
        let length = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
            return Some(constant(digits.parse().ok()?, if digits == word { Type::int() } else { long() }));
        }
        self.name(word)
    }

    /// A variable in scope, and members of it.
    fn name(&mut self, word: &str) -> Option<Expr> {
        let Some((_, id)) = self.lower.visible.iter().rev().find(|(name, _)| name == word) else {
            return match self.lower.reader.units[self.lower.unit].constant(word) {
                Some(value) => Some(Expr::int(value)),
                None => self.at_file_scope(word),
            };
        };
        let Some(Binding::Var(var)) = self.lower.bindings.get(id).cloned() else { return None };
        let value = self.lower.b.get(var);
        match &value.ty {
            Type::Int { .. } => Some(value),
            Type::Pointer(to) if matches!(**to, Type::Struct(_)) && self.take("->") => self.member(value),
            _ => None,
        }
    }

    /// A variable at file scope, or a member of one.
    fn at_file_scope(&mut self, word: &str) -> Option<Expr> {
        let unit = &self.lower.reader.units[self.lower.unit];
        let node = *unit.variables.values().find(|node| node.name == word)?;
        let (definition, unit) = self.lower.defined(node);
        let place = match self.lower.global_object(definition, word, unit).ok()? {
            Binding::Constant(value) => return Some(Expr::int(value)),
            Binding::Global(global) => {
                let object = &self.lower.reader.globals[global.index()];
                if !object.shape.is_empty() {
                    return None;
                }
                Place { base: Base::Global(global), path: Vec::new(), ty: object.elem.clone() }
            }
            _ => return None,
        };
        match &place.ty {
            Type::Int { .. } => {
                self.lower.touch(&place, false);
                Some(load(place))
            }
            Type::Struct(_) if self.take(".") => self.member_of(place),
            _ => None,
        }
    }

    fn member(&mut self, pointer: Expr) -> Option<Expr> {
        self.member_of(element(pointer, Expr::int(0)))
    }

    fn member_of(&mut self, mut place: Place) -> Option<Expr> {
        loop {
            let Type::Struct(id) = place.ty else { return None };
            let length = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
            let (word, rest) = self.rest.split_at(length);
            self.rest = rest;
            let fields = &self.lower.reader.structs.types.structs[id].fields;
            let (id, field) = fields.by_id().find(|(_, field)| field.name == word)?;
            place.ty = field.ty.clone();
            place.path.push(Step::Field(id));
            if matches!(place.ty, Type::Int { .. }) {
                self.lower.touch(&place, false);
                return Some(load(place));
            }
            if !self.take(".") {
                return None;
            }
        }
    }
}

/// An operator with C's conversions of integers.
fn usual(op: Binary, left: Expr, right: Expr) -> Expr {
    let rank = |ty: &Type| match ty {
        Type::Int { bits, signed, .. } if *bits >= 32 => (*bits, !*signed),
        _ => (32, false),
    };
    let (a, b) = (rank(&left.ty), rank(&right.ty));
    let ty = match a.max(b) {
        (32, false) => Type::int(),
        _ if a >= b => left.ty.clone(),
        _ => right.ty.clone(),
    };
    binary(op, cast(left, ty.clone()), cast(right, ty.clone()), ty)
}
