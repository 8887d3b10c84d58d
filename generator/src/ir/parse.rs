//! Reads the text form that [`super::print`] writes; that module describes it.
//!
//! Tests write programs by hand, so the reader fills in what can be inferred: a variable without a declaration takes
//! the type of its first definition. It reads what is well-formed as text; [`super::validate`] judges the rest.

mod expr;
mod item;
mod lex;

use super::natural::Scope;
use super::*;
use lex::{Token, lex};
use rustc_hash::FxHashMap;

/// The program that a text describes, or the line and what is wrong with it.
pub fn program(text: &str) -> Result<Program, String> {
    let mut parser = Parser::new(lex(text)?);
    parser.collect_names()?;
    while parser.peek().is_some() {
        parser.top()?;
    }
    Ok(parser.program)
}

type Parsed<T> = Result<T, String>;

/// A value as the text names it: variable and label.
type Label = (String, u32);

struct Parser {
    tokens: Vec<(Token, usize)>,
    at: usize,
    program: Program,
    /// Names of all procedures, callees that stand further down among them.
    procs: Vec<String>,
    proc: Proc,
    values: FxHashMap<Label, ValueId>,
    vars: FxHashMap<String, VarId>,
    defined: Vec<bool>,
    region: RegionId,
}

impl Parser {
    fn new(tokens: Vec<(Token, usize)>) -> Parser {
        Parser {
            tokens,
            at: 0,
            program: Program::default(),
            procs: Vec::new(),
            proc: Proc::default(),
            values: FxHashMap::default(),
            vars: FxHashMap::default(),
            defined: Vec::new(),
            region: RegionId(0),
        }
    }

    // Tokens.

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|token| &token.0)
    }

    fn peek_at(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead).map(|token| &token.0)
    }

    fn error<T>(&self, what: &str) -> Parsed<T> {
        let line = self.tokens.get(self.at.min(self.tokens.len().saturating_sub(1))).map_or(1, |token| token.1);
        let found = self.peek().map_or_else(|| "the end".into(), |token| format!("{token}"));
        Err(format!("line {line}: {what}, at {found}"))
    }

    fn is(&self, punct: &str) -> bool {
        matches!(self.peek(), Some(Token::Punct(found)) if *found == punct)
    }

    fn eat(&mut self, punct: &str) -> bool {
        let found = self.is(punct);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, punct: &str) -> Parsed<()> {
        if self.eat(punct) { Ok(()) } else { self.error(&format!("expected '{punct}'")) }
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Name(found)) if found == word)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { self.error(&format!("expected '{word}'")) }
    }

    fn name(&mut self) -> Parsed<String> {
        match self.peek() {
            Some(Token::Name(name)) => {
                let name = name.clone();
                self.at += 1;
                Ok(name)
            }
            _ => self.error("expected a name"),
        }
    }

    fn string(&mut self) -> Parsed<String> {
        match self.peek() {
            Some(Token::Text(text)) => {
                let text = text.clone();
                self.at += 1;
                Ok(text)
            }
            _ => self.error("expected a string"),
        }
    }

    fn number<T: TryFrom<i128>>(&mut self) -> Parsed<T> {
        if let Some(Token::Int(n, _)) = self.peek()
            && let Ok(n) = T::try_from(*n)
        {
            self.at += 1;
            return Ok(n);
        }
        self.error("expected a number")
    }

    fn span(&mut self) -> Span {
        match self.peek() {
            Some(Token::Span(span)) => {
                let span = *span;
                self.at += 1;
                span
            }
            _ => Span::default(),
        }
    }

    /// `item, item, ... close`, where `close` may come at once.
    fn list<T>(&mut self, close: &str, mut each: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut all = Vec::new();
        if self.eat(close) {
            return Ok(all);
        }
        loop {
            all.push(each(self)?);
            if !self.eat(",") {
                self.expect(close)?;
                return Ok(all);
            }
        }
    }

    // The top level.

    /// Structs and procedures are known by name before anything is read: both may refer to what stands further down.
    fn collect_names(&mut self) -> Parsed<()> {
        for at in 0..self.tokens.len() {
            let word = |at: usize| match self.tokens.get(at) {
                Some((Token::Name(name), _)) => name.as_str(),
                _ => "",
            };
            let is =
                |at: usize, punct| matches!(self.tokens.get(at), Some((Token::Punct(found), _)) if *found == punct);
            // `-> struct point {` opens a procedure.
            let opens = |at: usize| is(at, "{") && !is(at.wrapping_sub(3), "->");
            let name = match word(at) {
                "proc" => {
                    let name = word(at + 1).into();
                    self.procs.push(name);
                    continue;
                }
                "struct" => match self.tokens.get(at + 1) {
                    Some((Token::Name(tag), _)) if opens(at + 2) => format!("struct {tag}"),
                    Some((Token::Text(name), _)) if opens(at + 2) => name.clone(),
                    _ => continue,
                },
                "typedef" if opens(at + 2) => word(at + 1).into(),
                _ => continue,
            };
            self.program.types.structs.push(Struct { name, ..Struct::default() });
        }
        Ok(())
    }

    fn top(&mut self) -> Parsed<()> {
        if self.eat_word("source") {
            let main = self.eat_word("main");
            let path = self.string()?;
            self.program.sources.push(Source { path, text: String::new(), main, origins: Vec::new() });
            return Ok(());
        }
        if self.eat_word("global") {
            let mut object = self.object()?;
            object.life = Life::Global;
            object.span = self.span();
            self.program.globals.push(object);
            return Ok(());
        }
        if self.eat_word("typedef") || self.is_word("struct") {
            return self.structure();
        }
        self.procedure()
    }

    fn structure(&mut self) -> Parsed<()> {
        let Type::Struct(id) = self.ty()? else { return self.error("expected a struct") };
        let fields = self.members()?;
        let parts = if self.eat_word("as") { self.members()? } else { Vec::new() };
        let known = &mut self.program.types.structs[id];
        (known.fields, known.parts) = (fields.into(), parts);
        Ok(())
    }

    fn members(&mut self) -> Parsed<Vec<Field>> {
        let mut members = Vec::new();
        self.expect("{")?;
        while !self.eat("}") {
            let read_only = self.eat_word("const");
            let ty = self.ty()?;
            let name = self.name()?;
            members.push(Field { name, ty, read_only });
            if !self.is("}") {
                self.expect(";")?;
            }
        }
        Ok(members)
    }

    /// `const double w[10, n.0]`.
    fn object(&mut self) -> Parsed<Object> {
        let constant = self.eat_word("const");
        let elem = self.ty()?;
        let name = self.name()?;
        let shape = self.shape()?;
        Ok(Object { name, elem, shape, life: Life::Global, constant, span: Span::default() })
    }

    fn shape(&mut self) -> Parsed<Vec<Dim>> {
        if !self.eat("[") {
            return Ok(Vec::new());
        }
        self.list("]", |parser| Ok(Dim::from(parser.optional()?)))
    }

    /// An expression, or `?` for none.
    fn optional(&mut self) -> Parsed<Option<Expr>> {
        if self.eat("?") { Ok(None) } else { self.expr().map(Some) }
    }

    // Procedures.

    fn procedure(&mut self) -> Parsed<()> {
        self.proc = Proc { is_static: self.eat_word("static"), ..Proc::default() };
        self.proc.has_list = self.eat_word("variadic");
        self.proc.language = if self.eat_word("fortran") { Language::Fortran } else { Language::C };
        self.proc.role = self.role().unwrap_or_default();
        self.expect_word("proc")?;
        self.proc.name = self.name()?;
        self.collect_values();
        self.proc.regions.push(Region::default());
        self.region = RegionId(0);
        self.expect("(")?;
        let mut position = 0;
        self.list(")", |parser| {
            position += 1;
            parser.param(position - 1)
        })?;
        if self.eat("->") {
            self.proc.result_type = self.ty()?;
        }
        self.proc.span = self.span();
        self.expect("{")?;
        self.declarations()?;
        self.items()?;
        if self.eat_word("return") {
            if self.eat_word("object") {
                let name = self.name()?;
                self.proc.result_object = Some(self.object_id(&name)?);
            } else {
                self.proc.result = Some(self.expr()?);
            }
        }
        self.expect("}")?;
        if let Some(((name, label), _)) = self.values.iter().find(|(_, value)| !self.defined[value.index()]) {
            return self.error(&format!("{name}.{label} has no definition in {}", self.proc.name));
        }
        self.program.procs.add(std::mem::take(&mut self.proc));
        Ok(())
    }

    fn role(&mut self) -> Option<Role> {
        let role = match self.peek() {
            Some(Token::Name(name)) => match name.as_str() {
                "primal" => Role::Primal,
                "forward" => Role::Forward,
                "reverse" => Role::Reverse,
                "tangent" => Role::Tangent,
                _ => return None,
            },
            _ => return None,
        };
        self.at += 1;
        Some(role)
    }

    /// Makes all values of the procedure that begins here, those of one variable in the order of their labels: what
    /// the printer numbers again is then the text that was read.
    fn collect_values(&mut self) {
        self.values.clear();
        self.vars.clear();
        let mut labels: Vec<(String, Vec<u32>)> = Vec::new();
        for (token, _) in &self.tokens[self.at..] {
            match token {
                Token::Name(name) if name == "proc" => break,
                Token::Value(name, label) => match labels.iter_mut().find(|(known, _)| known == name) {
                    Some((_, all)) => all.push(*label),
                    None => labels.push((name.clone(), vec![*label])),
                },
                _ => {}
            }
        }
        for (name, mut all) in labels {
            all.sort_unstable();
            all.dedup();
            for label in all {
                let value = self.new_value();
                self.values.insert((name.clone(), label), value);
            }
        }
        self.defined = vec![false; self.proc.values.len()];
    }

    fn new_value(&mut self) -> ValueId {
        let unknown = VarId(u32::MAX);
        let value = Value { var: unknown, def: Def::Undefined, region: RegionId(0), span: Span::default() };
        self.proc.values.push(value);
        ValueId::new(self.proc.values.len() - 1)
    }

    fn new_var(&mut self, text_name: &str, ty: Type, kind: VarKind, span: Span) -> Parsed<VarId> {
        let name = text_name.split('\'').next().unwrap_or_default().to_string();
        let var = VarId::new(self.proc.vars.len());
        if self.vars.insert(text_name.into(), var).is_some() {
            return self.error(&format!("{text_name} is declared twice"));
        }
        self.proc.vars.push(Var::new(name, ty, kind, span));
        Ok(var)
    }

    fn param(&mut self, position: u32) -> Parsed<()> {
        let undefined_at_entry = self.eat_word("undefined");
        let no_alias = self.eat_word("noalias");
        let apart = self.eat_word("apart");
        let read_only = self.eat_word("const");
        let ty = self.ty()?;
        let name = self.name()?;
        let shape = self.shape()?;
        let declaration =
            if self.eat_word("as") { self.string()? } else { super::print::default_declaration(&self.program, &ty) };
        let mut param = Param {
            name: name.clone(),
            ty: ty.clone(),
            declaration,
            var: None,
            entry: None,
            object: None,
            shape,
            read_only,
            apart,
            no_alias,
            undefined_at_entry,
        };
        if matches!(ty, Type::Struct(_)) {
            param.object = Some(ObjectId::new(self.proc.objects.len()));
            let (shape, life, span) = (Vec::new(), Life::Param(position), Span::default());
            self.proc.objects.push(Object { name, elem: ty, shape, life, constant: false, span });
        } else {
            let var = self.new_var(&name, ty, VarKind::User, Span::default())?;
            let entry = match self.values.get(&(name.clone(), 0)) {
                Some(&entry) => entry,
                None => {
                    self.defined.push(false);
                    self.new_value()
                }
            };
            self.proc.values[entry].var = var;
            self.proc.values[entry].def = Def::Entry(position);
            self.defined[entry.index()] = true;
            param.var = Some(var);
            param.entry = Some(entry);
        }
        self.proc.params.push(param);
        Ok(())
    }

    fn declarations(&mut self) -> Parsed<()> {
        loop {
            let kind = match self.peek() {
                Some(Token::Name(name)) => match name.as_str() {
                    "var" => VarKind::User,
                    "renamed" => VarKind::Renamed,
                    "temporary" => VarKind::Temporary,
                    "flag" => VarKind::Flag,
                    "object" => {
                        self.at += 1;
                        let life = match (self.eat_word("heap"), self.eat_word("stable")) {
                            (true, _) => Life::Heap,
                            (_, true) => Life::Stable,
                            _ => Life::Region(RegionId(0)),
                        };
                        self.new_object(life)?;
                        continue;
                    }
                    "statement" => {
                        self.at += 1;
                        self.statement()?;
                        continue;
                    }
                    _ => return Ok(()),
                },
                _ => return Ok(()),
            };
            self.at += 1;
            let ty = self.ty()?;
            loop {
                let name = self.name()?;
                let span = self.span();
                self.new_var(&name, ty.clone(), kind, span)?;
                if !self.eat(",") {
                    break;
                }
            }
        }
    }

    fn new_object(&mut self, life: Life) -> Parsed<ObjectId> {
        let object = Object { life, ..self.object()? };
        if self.proc.objects.iter().any(|known| known.name == object.name) {
            return self.error(&format!("{} is declared twice", object.name));
        }
        self.proc.objects.push(object);
        Ok(ObjectId::new(self.proc.objects.len() - 1))
    }

    fn object_id(&self, name: &str) -> Parsed<ObjectId> {
        match self.proc.objects.iter().position(|object| object.name == name) {
            Some(position) => Ok(ObjectId::new(position)),
            None => self.error(&format!("there is no object {name}")),
        }
    }

    fn statement(&mut self) -> Parsed<()> {
        let _: u32 = self.number()?;
        let parent = if self.eat_word("in") { Some(StatementId(self.number()?)) } else { None };
        let copyable = self.eat_word("copyable");
        let span = self.span();
        self.proc.statements.push(Statement { span, parent, copyable });
        Ok(())
    }

    /// A scope for natural types; only for a moment, since the procedure grows.
    fn scope(&self) -> Scope<'_> {
        Scope { types: &self.program.types, globals: &self.program.globals, proc: &self.proc }
    }
}

#[cfg(test)]
mod tests;
