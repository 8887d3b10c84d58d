//! Types, places and expressions as text.

use super::Printer;
use crate::ir::natural::Reached;
use crate::ir::*;

/// How tightly a prefix operator binds; postfix and names bind at 13.
const PREFIX: u8 = 12;

impl Printer<'_> {
    pub(super) fn ty(&self, ty: &Type) -> String {
        match ty {
            Type::Void => "void".into(),
            Type::Int { bits, signed, kind: IntKind::Named(name) } => {
                format!("{}{bits}{name:?}", if *signed { 'i' } else { 'u' })
            }
            Type::Int { .. } => ty.integer_name().unwrap_or("?").into(),
            Type::Float { bits: 32 } => "float".into(),
            Type::Float { bits: 64 } => "double".into(),
            Type::Float { .. } => "long double".into(),
            Type::Pointer(target) => format!("{}*", self.ty(target)),
            Type::Array(_) => {
                let (mut elem, mut extents) = (ty, String::new());
                while let Type::Array(row) = elem {
                    extents += &row.extent.map_or_else(|| "[]".into(), |n| format!("[{n}]"));
                    elem = &row.elem;
                }
                self.ty(elem) + &extents
            }
            Type::Struct(id) => match self.program.types.structs.get(id.index()) {
                None => format!("struct\"?{}\"", id.0),
                Some(known) => {
                    let tag = known.name.strip_prefix("struct ");
                    if is_name(tag.unwrap_or(&known.name)) {
                        known.name.clone()
                    } else {
                        format!("struct{:?}", known.name)
                    }
                }
            },
            Type::Opaque(name) => format!("opaque{name:?}"),
        }
    }

    pub(super) fn object_name(&self, object: ObjectId) -> &str {
        self.proc.objects.get(object.index()).map_or("?", |object| object.name.as_str())
    }

    fn global_name(&self, global: GlobalId) -> String {
        let name = self.program.globals.get(global.index()).map_or("?", |global| global.name.as_str());
        let hidden = self.proc.objects.iter().any(|object| object.name == name);
        if hidden { format!("::{name}") } else { name.into() }
    }

    /// A place, with its type where that is not the natural one.
    pub(super) fn place(&self, place: &Place) -> String {
        let (text, reached) = self.path(place);
        match reached.and_then(|reached| reached.ty()) {
            Some(ty) if ty == place.ty => text,
            _ => format!("({text} : {})", self.ty(&place.ty)),
        }
    }

    fn path(&self, place: &Place) -> (String, Option<Reached>) {
        let mut text = match &place.base {
            Base::Object(object) => self.object_name(*object).into(),
            Base::Global(global) => self.global_name(*global),
            Base::At(pointer) if self.is_subscripted_plainly(pointer, &place.path) => self.expr(pointer, 13),
            Base::At(pointer) => format!("at({})", self.expr(pointer, 0)),
        };
        let mut reached = self.scope.base(&place.base);
        for step in &place.path {
            match step {
                Step::Index(subscripts) => {
                    let dims = reached.as_ref().map_or(&[][..], |reached| &reached.dims);
                    let subscript =
                        |(index, subscript): (usize, &Subscript)| self.subscript(subscript, dims.get(index));
                    let list: Vec<_> = subscripts.iter().enumerate().map(subscript).collect();
                    text += &format!("[{}]", list.join(", "));
                }
                Step::Field(field) => {
                    text.push('.');
                    text += &self.field(reached.as_ref(), *field);
                }
            }
            reached = reached.and_then(|reached| self.scope.step(&reached, step));
        }
        (text, reached)
    }

    /// Whether `pointer[...]` needs no `at(..)` around the pointer.
    fn is_subscripted_plainly(&self, pointer: &Expr, path: &[Step]) -> bool {
        let plain = match &pointer.kind {
            ExprKind::Value(_) => true,
            ExprKind::Load(place) => self.scope.place(place).as_ref() == Some(&place.ty),
            _ => false,
        };
        plain && self.is_natural(pointer) && matches!(path.first(), Some(Step::Index(_)))
    }

    fn field(&self, reached: Option<&Reached>, field: FieldId) -> String {
        let structure = match reached.map(|reached| &reached.elem) {
            Some(Type::Struct(id)) => self.program.types.structs.get(id.index()),
            _ => None,
        };
        let known = structure.and_then(|structure| structure.fields.get(field.index()));
        known.map_or_else(|| format!("?{}", field.0), |known| known.name.clone())
    }

    fn subscript(&self, subscript: &Subscript, natural: Option<&Dim>) -> String {
        let mut text = self.expr(&subscript.at, 0);
        let none = Dim::default();
        let natural = natural.unwrap_or(&none);
        if subscript.dim.extent != natural.extent {
            let extent = subscript.dim.extent.as_deref();
            text += &format!(" of {}", extent.map_or_else(|| "?".into(), |extent| self.expr(extent, 0)));
        }
        text
    }

    fn is_natural(&self, expr: &Expr) -> bool {
        matches!(expr.kind, ExprKind::Cast(_)) || self.scope.expr(&expr.kind).as_ref() == Some(&expr.ty)
    }

    /// An expression where an operator that binds at `outer` stands around it.
    pub(super) fn expr(&self, expr: &Expr, outer: u8) -> String {
        if let ExprKind::Int(n) = expr.kind
            && let Some(suffix) = literal_suffix(&expr.ty)
        {
            return format!("{n}{suffix}");
        }
        let (text, binds) = self.kind(expr);
        if !self.is_natural(expr) {
            format!("({text} : {})", self.ty(&expr.ty))
        } else if binds < outer {
            format!("({text})")
        } else {
            text
        }
    }

    /// Text of an expression without regard to its type, and how tightly it binds.
    fn kind(&self, expr: &Expr) -> (String, u8) {
        match &expr.kind {
            ExprKind::Int(n) => (n.to_string(), 13),
            ExprKind::Float(text) if is_float(text) => (text.clone(), 13),
            ExprKind::Float(text) => (format!("float{text:?}"), 13),
            ExprKind::Null => ("null".into(), 13),
            ExprKind::Verbatim(text) => (format!("verbatim{text:?}"), 13),
            ExprKind::Value(value) => (self.names.value(self.proc, *value), 13),
            ExprKind::Load(place) => (self.place(place), 13),
            ExprKind::Address(place) => (format!("&{}", self.place(place)), PREFIX),
            ExprKind::Unary(op, operand) => {
                let symbol = match op {
                    Unary::Negate => '-',
                    Unary::Not => '!',
                    Unary::Complement => '~',
                    Unary::Adjoint => '^',
                };
                let text = self.expr(operand, PREFIX);
                // `-1` is a constant and `--` is no operator here, but C's reader trips over it.
                let digit = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
                let plain = *op != Unary::Negate || !digit || matches!(operand.kind, ExprKind::Float(_));
                (if plain { format!("{symbol}{text}") } else { format!("{symbol}({text})") }, PREFIX)
            }
            ExprKind::Binary(op, left, right) => {
                let (symbol, binds) = op.symbol();
                (format!("{} {symbol} {}", self.expr(left, binds), self.expr(right, binds + 1)), binds)
            }
            ExprKind::Function(function, args) => {
                let args: Vec<_> = args.iter().map(|arg| self.expr(arg, 0)).collect();
                (format!("{}({})", function.c_name(), args.join(", ")), 13)
            }
            ExprKind::Cast(operand) => (format!("({}){}", self.ty(&expr.ty), self.expr(operand, PREFIX)), PREFIX),
            ExprKind::Select(test, then, otherwise) => {
                let [test, then, otherwise] = [(test, 1), (then, 0), (otherwise, 0)].map(|(e, at)| self.expr(e, at));
                (format!("{test} ? {then} : {otherwise}"), 0)
            }
        }
    }
}

/// Suffix of an integer constant of a type, if there is one.
fn literal_suffix(ty: &Type) -> Option<&'static str> {
    let Type::Int { signed, kind, .. } = ty else { return None };
    Some(match (kind, signed) {
        (IntKind::Int, true) => "",
        (IntKind::Int, false) => "u",
        (IntKind::Long, true) => "l",
        (IntKind::Long, false) => "ul",
        (IntKind::LongLong, true) => "ll",
        (IntKind::LongLong, false) => "ull",
        _ => return None,
    })
}

/// Whether a constant is a plain literal: the parser reads it without quotes.
fn is_float(text: &str) -> bool {
    let digits = text.trim_end_matches(['f', 'F', 'l', 'L']);
    let begins = text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    begins && text.is_ascii() && digits.contains(['.', 'e', 'E']) && digits.parse::<f64>().is_ok()
}

pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
