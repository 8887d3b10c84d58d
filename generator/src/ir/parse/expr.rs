//! Types, places and expressions of the text form.

use super::{Parsed, Parser, Token};
use crate::ir::natural::Reached;
use crate::ir::*;

/// Words that a type may begin with and that C puts side by side: `unsigned long`.
const INTEGER_WORDS: [&str; 6] = ["unsigned", "signed", "short", "int", "long", "char"];

impl Parser {
    fn begins_type(&self) -> bool {
        let Some(Token::Name(name)) = self.peek() else { return false };
        let followed_by_text = matches!(self.peek_at(1), Some(Token::Text(_)));
        match name.as_str() {
            "float" => !followed_by_text,
            "void" | "double" | "struct" => true,
            "opaque" => followed_by_text,
            name if followed_by_text && named_integer(name, "").is_some() => true,
            name => {
                INTEGER_WORDS.contains(&name) || Type::integer(name).is_some() || self.structure_named(name).is_some()
            }
        }
    }

    fn structure_named(&self, name: &str) -> Option<Type> {
        let position = self.program.types.structs.iter().position(|known| known.name == name)?;
        Some(Type::Struct(StructId::new(position)))
    }

    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let mut ty = self.plain_type()?;
        loop {
            if self.eat("*") {
                ty = Type::pointer(ty);
            } else if self.is("[") {
                let mut extents = Vec::new();
                while self.eat("[") {
                    extents.push(if self.is("]") { None } else { Some(self.number()?) });
                    self.expect("]")?;
                }
                let nest = |elem, extent| Type::array(elem, extent);
                ty = extents.into_iter().rev().fold(ty, nest);
            } else {
                return Ok(ty);
            }
        }
    }

    fn plain_type(&mut self) -> Parsed<Type> {
        if !self.begins_type() {
            return self.error("expected a type");
        }
        let name = self.name()?;
        if let Some(Token::Text(_)) = self.peek() {
            let text = self.string()?;
            return match name.as_str() {
                "opaque" => Ok(Type::Opaque(text[..].into())),
                "struct" => self.structure_named(&text).map_or_else(|| self.error("no such struct"), Ok),
                name => named_integer(name, &text).map_or_else(|| self.error("expected a type"), Ok),
            };
        }
        match name.as_str() {
            "void" => Ok(Type::Void),
            "float" => Ok(Type::Float { bits: 32 }),
            "double" => Ok(Type::Float { bits: 64 }),
            "long" if self.eat_word("double") => Ok(Type::Float { bits: 80 }),
            "struct" => {
                let tag = self.name()?;
                self.structure_named(&format!("struct {tag}")).map_or_else(|| self.error("no such struct"), Ok)
            }
            first if INTEGER_WORDS.contains(&first) => {
                let mut words = vec![name.clone()];
                while let Some(Token::Name(next)) = self.peek()
                    && INTEGER_WORDS.contains(&next.as_str())
                    && Type::integer(&format!("{} {next}", words.join(" "))).is_some()
                {
                    words.push(next.clone());
                    self.at += 1;
                }
                let name = if words == ["unsigned"] { "unsigned int".into() } else { words.join(" ") };
                Type::integer(&name).map_or_else(|| self.error("no such integer type"), Ok)
            }
            name => match self.structure_named(name).or_else(|| Type::integer(name)) {
                Some(ty) => Ok(ty),
                None => self.error("expected a type"),
            },
        }
    }

    // Places.

    pub(super) fn place(&mut self) -> Parsed<Place> {
        if self.eat("(") {
            let mut place = self.place()?;
            if self.eat(":") {
                place.ty = self.ty()?;
            }
            self.expect(")")?;
            return Ok(place);
        }
        match self.postfix()? {
            Expr { kind: ExprKind::Load(place), .. } => Ok(*place),
            _ => self.error("expected a place"),
        }
    }

    /// A name with subscripts and members: a value, or the contents of a place.
    fn postfix(&mut self) -> Parsed<Expr> {
        let base = match self.peek().cloned() {
            Some(Token::Value(name, label)) => {
                let value = self.value_named(name, label)?;
                self.at += 1;
                let ty = self.natural(&ExprKind::Value(value))?;
                let expr = Expr::value(value, ty);
                if !self.is("[") {
                    return Ok(expr);
                }
                Base::At(Box::new(expr))
            }
            Some(Token::Punct("::")) => {
                self.at += 1;
                let name = self.name()?;
                self.global_named(&name)?
            }
            Some(Token::Name(name)) => {
                self.at += 1;
                if name == "at" && self.is("(") {
                    self.at += 1;
                    let pointer = self.expr()?;
                    self.expect(")")?;
                    Base::At(Box::new(pointer))
                } else if let Ok(object) = self.object_id(&name) {
                    Base::Object(object)
                } else {
                    self.at -= 1;
                    let base = self.global_named(&name)?;
                    self.at += 1;
                    base
                }
            }
            _ => return self.error("expected an expression"),
        };
        self.path(base)
    }

    fn global_named(&self, name: &str) -> Parsed<Base> {
        match self.program.globals.iter().position(|global| global.name == name) {
            Some(position) => Ok(Base::Global(GlobalId::new(position))),
            None => self.error(&format!("there is no object, function or global {name}")),
        }
    }

    fn path(&mut self, base: Base) -> Parsed<Expr> {
        let Some(mut reached) = self.scope().base(&base) else { return self.error("this is no pointer") };
        let mut place = Place { base, path: Vec::new(), ty: Type::Void };
        loop {
            let step = if self.is("[") {
                // A pointer that was reached is followed: the place so far becomes the base.
                if reached.dims.is_empty() {
                    let Some(behind) = Reached::behind(&reached.elem) else { return self.error("too many subscripts") };
                    place.ty = reached.elem.clone();
                    let pointer = Expr::load(place);
                    place = Place { base: Base::At(Box::new(pointer)), path: Vec::new(), ty: Type::Void };
                    reached = behind;
                }
                self.at += 1;
                let mut dims = reached.dims.clone().into_iter();
                Step::Index(self.list("]", |parser| parser.subscript(dims.next().unwrap_or_default()))?)
            } else if self.eat(".") {
                let name = self.name()?;
                let fields = match &reached.elem {
                    Type::Struct(id) => self.program.types.structs[*id].fields.as_slice(),
                    _ => &[],
                };
                match fields.iter().position(|field| field.name == name) {
                    Some(position) => Step::Field(FieldId::new(position)),
                    None => return self.error(&format!("there is no member {name}")),
                }
            } else {
                break;
            };
            reached = match self.scope().step(&reached, &step) {
                Some(reached) => reached,
                None => return self.error("this step fits no type"),
            };
            place.path.push(step);
        }
        let Some(ty) = reached.ty() else { return self.error("expected '[' behind a pointer") };
        place.ty = ty.clone();
        Ok(Expr { kind: ExprKind::Load(Box::new(place)), ty })
    }

    fn subscript(&mut self, mut dim: Dim) -> Parsed<Subscript> {
        let at = self.expr()?;
        if self.eat_word("of") {
            dim = Dim::from(self.optional()?);
        }
        Ok(Subscript { at, dim })
    }

    // Expressions.

    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        let test = self.binary(1)?;
        // `?` alone stands for an extent that is not known; it never follows an expression.
        if !self.eat("?") {
            return Ok(test);
        }
        let then = self.expr()?;
        self.expect(":")?;
        let otherwise = self.expr()?;
        self.typed(ExprKind::Select(Box::new(test), Box::new(then), Box::new(otherwise)))
    }

    fn binary(&mut self, loosest: u8) -> Parsed<Expr> {
        let mut left = self.prefix()?;
        while let Some(Token::Punct(symbol)) = self.peek()
            && let Some(mut op) = Binary::from_symbol(symbol)
            && op.symbol().1 >= loosest
        {
            self.at += 1;
            let right = self.binary(op.symbol().1 + 1)?;
            if op == Binary::Subtract && left.ty.target().is_some() && right.ty.target().is_some() {
                op = Binary::PointerDifference;
            }
            left = self.typed(ExprKind::Binary(op, Box::new(left), Box::new(right)))?;
        }
        Ok(left)
    }

    fn prefix(&mut self) -> Parsed<Expr> {
        if self.eat("-") {
            if let Some(Token::Int(..)) = self.peek() {
                let mut constant = self.primary()?;
                if let ExprKind::Int(n) = &mut constant.kind {
                    *n = -*n;
                }
                return Ok(constant);
            }
            let operand = self.prefix()?;
            return self.typed(ExprKind::Unary(Unary::Negate, Box::new(operand)));
        }
        if self.eat("!") {
            let operand = self.prefix()?;
            return self.typed(ExprKind::Unary(Unary::Not, Box::new(operand)));
        }
        if self.eat("~") {
            let operand = self.prefix()?;
            return self.typed(ExprKind::Unary(Unary::Complement, Box::new(operand)));
        }
        if self.eat("^") {
            let operand = self.prefix()?;
            return self.typed(ExprKind::Unary(Unary::Adjoint, Box::new(operand)));
        }
        if self.eat("&") {
            let place = self.place()?;
            return self.typed(ExprKind::Address(Box::new(place)));
        }
        self.primary()
    }

    fn primary(&mut self) -> Parsed<Expr> {
        if self.eat("(") {
            return self.brackets();
        }
        let Some(token) = self.peek().cloned() else { return self.error("expected an expression") };
        match token {
            Token::Int(n, suffix) => {
                let name = match suffix.as_str() {
                    "" => "int",
                    "u" => "unsigned int",
                    "l" => "long",
                    "ul" | "lu" => "unsigned long",
                    "ll" => "long long",
                    "ull" | "llu" => "unsigned long long",
                    _ => return self.error("no such suffix"),
                };
                self.at += 1;
                Ok(Expr::constant(n, Type::integer(name).unwrap_or_default()))
            }
            Token::Float(text) => {
                self.at += 1;
                self.typed(ExprKind::Float(text))
            }
            Token::Name(name) if matches!(self.peek_at(1), Some(Token::Text(_))) => {
                self.at += 1;
                let text = self.string()?;
                match name.as_str() {
                    "float" => self.typed(ExprKind::Float(text)),
                    "verbatim" => self.typed(ExprKind::Verbatim(text)),
                    _ => self.error("expected float\"...\" or verbatim\"...\""),
                }
            }
            Token::Name(name) if name == "null" => {
                self.at += 1;
                self.typed(ExprKind::Null)
            }
            Token::Name(name) if name != "at" && matches!(self.peek_at(1), Some(Token::Punct("("))) => {
                let Some(function) = Function::named(&name) else { return self.error("no such function") };
                self.at += 2;
                let args = self.list(")", Self::expr)?;
                self.typed(ExprKind::Function(function, args))
            }
            _ => self.postfix(),
        }
    }

    /// Behind `(`: a conversion, or an expression, perhaps with its type.
    fn brackets(&mut self) -> Parsed<Expr> {
        if self.begins_type() {
            let ty = self.ty()?;
            self.expect(")")?;
            let operand = self.prefix()?;
            return Ok(Expr::cast(operand, ty));
        }
        let mut expr = self.expr()?;
        if self.eat(":") {
            expr.ty = self.ty()?;
            if let ExprKind::Load(place) = &mut expr.kind {
                place.ty = expr.ty.clone();
            }
        }
        self.expect(")")?;
        Ok(expr)
    }

    fn natural(&self, kind: &ExprKind) -> Parsed<Type> {
        match self.scope().expr(kind) {
            Some(ty) => Ok(ty),
            None => self.error("this has no type"),
        }
    }

    fn typed(&self, kind: ExprKind) -> Parsed<Expr> {
        let ty = self.natural(&kind)?;
        Ok(Expr { kind, ty })
    }
}

/// `i32"enum side"`.
fn named_integer(prefix: &str, name: &str) -> Option<Type> {
    let signed = prefix.starts_with('i');
    let bits = prefix.strip_prefix(['i', 'u'])?.parse().ok()?;
    matches!(bits, 1 | 8 | 16 | 32 | 64).then(|| Type::Int { bits, signed, kind: IntKind::Named(name.into()) })
}
