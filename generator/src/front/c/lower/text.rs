//! Which text of the source a statement is, and whether the text can be copied.

use super::*;

/// Statements so near to one may stand in its text.
const NEAR: usize = 64;

impl<'a> Lower<'_, 'a> {
    /// Notes a statement of the source. Items made until [`Lower::leave_statement`] come from it.
    pub fn enter_statement(&mut self, node: &'a Node<'a>) -> (Option<StatementId>, Option<StatementId>, Span) {
        let before = (self.enclosing, self.b.statement, self.b.span);
        let tree_span = self.span(node);
        let copyable = self.is_copyable(node, tree_span);
        let id = StatementId::new(self.b.proc().statements.len());
        let span = self.with_semicolon(tree_span);
        let in_macro = node.begin.spelled.is_some() || node.end.spelled.is_some();
        let shared = self.shares_text(span, in_macro);
        let copyable = copyable && !shared;
        self.b.proc_mut().statements.push(Statement { span, parent: self.enclosing, copyable });
        self.enclosing = Some(id);
        self.b.statement = Some(id);
        self.b.span = tree_span;
        before
    }

    /// Whether other statements stand in the same text, as those of one macro do. They cannot be copied either, but for
    /// the one around this that the macro stands for.
    fn shares_text(&mut self, span: Span, in_macro: bool) -> bool {
        // A statement comes behind those around it.
        let first = self.b.proc().statements.len().saturating_sub(NEAR);
        let (mut around, mut enclosing) = (FxHashSet::default(), self.enclosing);
        while let Some(id) = enclosing.filter(|id| id.index() >= first) {
            around.insert(id.index());
            enclosing = self.b.proc().statements[id].parent;
        }
        let mut shared = false;
        for (index, other) in self.b.proc_mut().statements.iter_mut().enumerate().skip(first).rev() {
            let meets = other.span.source == span.source && other.span.start < span.end && span.start < other.span.end;
            if span.line == 0 || !meets {
                continue;
            }
            if around.contains(&index) {
                shared |= in_macro && other.span.start == span.start;
            } else {
                (other.copyable, shared) = (false, true);
            }
        }
        shared
    }

    /// Ends a statement.
    pub fn leave_statement(&mut self, before: (Option<StatementId>, Option<StatementId>, Span)) {
        (self.enclosing, self.b.statement, self.b.span) = before;
    }

    /// A statement that is no expression ends with its last token; an expression's semicolon is not in the tree.
    fn with_semicolon(&self, span: Span) -> Span {
        let Some(source) = self.reader.sources.list.get(span.source as usize) else { return span };
        let rest = source.text.get(span.end as usize..).unwrap_or("");
        let ends = source.text.get(..span.end as usize).is_some_and(|text| text.ends_with([';', '}']));
        let gap = rest.len() - rest.trim_start().len();
        if rest.trim_start().starts_with(';') && !ends { Span { end: span.end + gap as u32 + 1, ..span } } else { span }
    }

    /// Whether the text of a statement means the same elsewhere in the function: no jump out of it, no half macro, no
    /// name that was changed.
    fn is_copyable(&self, node: &'a Node<'a>, span: Span) -> bool {
        if span.line == 0 || self.half_macro(node, span) {
            return false;
        }
        !node.control.jumps_out && !self.has_different_name(node)
    }

    /// Ends within a macro that goes on behind it.
    fn half_macro(&self, node: &'a Node<'a>, span: Span) -> bool {
        node.end.spelled.is_some() && self.with_semicolon(span).end == span.end
    }

    /// How a parameter is declared, with `@` for its name.
    pub fn parameter_text(&self, node: &Node) -> String {
        let span = self.span(node);
        let text = self.reader.sources.text(span.source as usize, span.start, span.end);
        let (start, length) = (node.location.at.offset, node.location.at.length);
        let in_macro = node.begin.spelled.is_some() || node.end.spelled.is_some() || node.location.spelled.is_some();
        let at = start.checked_sub(span.start).map(|at| at as usize);
        if let (false, false, Some(at)) = (in_macro, node.name.is_empty(), at)
            && text.get(at..at + length as usize) == Some(node.name.as_ref())
            // `double *a, b;` before the body of an old function declares more than one.
            && !text[..at].contains(',')
            && !text[..at].contains("register")
        {
            let mut behind = span.end;
            // Brackets behind the name are part of the declaration, and not of clang's range.
            let rest = self.reader.sources.text(span.source as usize, span.end, span.end + 1000);
            if rest.trim_start().starts_with('[') {
                let end = rest.find([',', ')']).unwrap_or(0);
                behind += end as u32;
            }
            let whole = self.reader.sources.text(span.source as usize, span.start, behind);
            let (front, extents) = (&whole[..at], &whole[at + length as usize..]);
            if self.names_parameters_only(extents) && is_spelled_out(front, &node.written_type) {
                return format!("{front}@{extents}").trim().to_string();
            }
        }
        let written = node.written_type.trim_start_matches("register ");
        match written.find("(*") {
            Some(place) => {
                // Behind `restrict` and the like.
                let (star, behind) = written.split_at(place + 2);
                let (qualifiers, rest) = behind.split_at(behind.find([')', '(', '[']).unwrap_or(0));
                let blank = if qualifiers.is_empty() || qualifiers.ends_with('*') { "" } else { " " };
                format!("{star}{qualifiers}{blank}@{rest}")
            }
            None if written.ends_with('*') => format!("{written}@"),
            None => format!("{written} @"),
        }
    }

    /// Whether extents of a parameter have a meaning in a header that has the prototype alone: a macro or an enumerator
    /// of the source has none there.
    fn names_parameters_only(&self, extents: &str) -> bool {
        let mut words = extents.split(|c: char| !c.is_alphanumeric() && c != '_');
        let is_known = |word: &str| {
            word.starts_with(|c: char| c.is_ascii_digit())
                || ["", "static", "const", "restrict", "sizeof"].contains(&word)
                || self.visible.iter().any(|(name, _)| name == word)
        };
        words.all(is_known)
    }
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
        if let Binding::Var(var) = binding {
            self.declarations.entry(var).or_default().push(declaration);
        }
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
            Some(Binding::Var(var)) => proc.vars[*var].name != node.refers_name,
            Some(Binding::Object(object)) => proc.objects[*object].name != node.refers_name,
            Some(Binding::Split(..)) => true,
            Some(Binding::Global(global)) => self.reader.globals[global.index()].name != node.refers_name,
            // A constant at file scope stands in the generated file, one of a function does not.
            Some(Binding::Constant(_)) => !self.reader.units[self.unit].variables.contains_key(&node.refers),
            Some(Binding::Stream(_)) | None => false,
        }
    }
}

/// Whether the text in front of a parameter's name has only words of its type. Another word may be a macro, which has
/// no meaning in a header that has the prototype alone, nor where the source ends its definition.
fn is_spelled_out(text: &str, ty: &str) -> bool {
    const PLAIN: &[&str] = &[
        "const",
        "volatile",
        "signed",
        "int",
        "bool",
        "restrict",
        "__restrict",
        "__restrict__",
        "__attribute__",
        "unused",
    ];
    let words = |text| str::split(text, |c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words(text).all(|word| PLAIN.contains(&word) || words(ty).any(|known| known == word))
}
