//! Expressions as Fortran.

use super::state::Body;
use super::words::{bind, is_logical, is_text, type_text};
use crate::ir::*;

/// Comparisons that C has as functions.
fn comparison(name: &str) -> Option<&'static str> {
    Some(match name {
        "isgreater" => ">",
        "isgreaterequal" => ">=",
        "isless" => "<",
        "islessequal" => "<=",
        _ => return None,
    })
}

fn operator(op: Binary) -> Option<&'static str> {
    Some(match op {
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterEqual => ">=",
        Binary::Equal => "==",
        Binary::NotEqual => "/=",
        _ => return None,
    })
}

/// Whether an expression is a truth value in Fortran.
pub fn is_truth(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary(op, ..) => operator(*op).is_some() || matches!(op, Binary::And | Binary::Or),
        ExprKind::Unary(Unary::Not, _) => true,
        ExprKind::Function(function, _) => comparison(function.name).is_some(),
        ExprKind::Cast(inner) => is_logical(&e.ty) || e.ty.is_integer() && is_truth(inner) && !is_logical(&inner.ty),
        _ => is_logical(&e.ty),
    }
}

impl Body<'_> {
    /// What is assigned to something of a type.
    pub fn assigned(&self, e: &Expr, ty: &Type) -> String {
        if is_logical(ty) { self.truth(e, bind::ANY) } else { self.number(e, bind::ANY) }
    }

    /// An expression in its own type.
    pub fn own(&self, e: &Expr) -> String {
        self.assigned(e, &e.ty)
    }

    /// A truth value.
    pub fn truth(&self, e: &Expr, outer: u8) -> String {
        let (text, own) = match &e.kind {
            ExprKind::Int(value) => (if *value == 0 { ".false." } else { ".true." }.to_string(), bind::NAME),
            ExprKind::Unary(Unary::Not, x) => (format!(".not. {}", self.truth(x, bind::COMPARED)), bind::NOT),
            ExprKind::Binary(Binary::And, a, b) => {
                (format!("{} .and. {}", self.truth(a, bind::AND), self.truth(b, bind::AND)), bind::AND)
            }
            ExprKind::Binary(Binary::Or, a, b) => {
                (format!("{} .or. {}", self.truth(a, bind::OR), self.truth(b, bind::OR)), bind::OR)
            }
            ExprKind::Binary(op @ (Binary::Equal | Binary::NotEqual), a, b) if is_truth(a) && is_truth(b) => {
                let word = if *op == Binary::Equal { ".eqv." } else { ".neqv." };
                (format!("{} {word} {}", self.truth(a, bind::OR), self.truth(b, bind::OR)), bind::ANY)
            }
            // Compilers warn of reals that are compared for equality.
            ExprKind::Binary(op @ (Binary::Equal | Binary::NotEqual), a, b)
                if a.ty.is_float() && b.literal() == Some(0.0) =>
            {
                let is_zero = format!("abs({}) <= 0", self.number(a, bind::ANY));
                if *op == Binary::Equal { (is_zero, bind::COMPARED) } else { (format!(".not. {is_zero}"), bind::NOT) }
            }
            ExprKind::Binary(Binary::NotEqual, a, b) if a.ty.is_float() && a == b => {
                let a = self.number(a, bind::SUM);
                (format!(".not. {a} <= {a}"), bind::NOT)
            }
            ExprKind::Binary(op, a, b) if operator(*op).is_some() => {
                let word = operator(*op).unwrap_or_default();
                (format!("{} {word} {}", self.number(a, bind::SUM), self.number(b, bind::SUM)), bind::COMPARED)
            }
            ExprKind::Function(function, args) if comparison(function.name).is_some() => {
                let word = comparison(function.name).unwrap_or_default();
                let (a, b) = (self.number(&args[0], bind::SUM), self.number(&args[1], bind::SUM));
                (format!("{a} {word} {b}"), bind::COMPARED)
            }
            ExprKind::Cast(inner) if is_truth(e) => return self.truth(inner, outer),
            ExprKind::Value(value) if is_logical(&e.ty) => (self.value(*value), bind::NAME),
            ExprKind::Load(place) if is_logical(&e.ty) => (self.place(place), bind::NAME),
            ExprKind::Select(c, a, b) if is_logical(&e.ty) => {
                let [a, b, c] = [a, b, c].map(|x| self.truth(x, bind::ANY));
                (format!("merge({a}, {b}, {c})"), bind::NAME)
            }
            _ => (format!("{} /= 0", self.number(e, bind::SUM)), bind::COMPARED),
        };
        if own < outer { format!("({text})") } else { text }
    }

    /// A number.
    pub fn number(&self, e: &Expr, outer: u8) -> String {
        if is_truth(e) {
            return format!("merge(1, 0, {})", self.truth(e, bind::ANY));
        }
        let (text, own) = match &e.kind {
            ExprKind::Int(value) => return integer(*value, &e.ty, outer),
            ExprKind::Float(text) => (self.real(text, &e.ty), bind::NAME),
            ExprKind::Verbatim(text) if is_text(&e.ty) => {
                let module = self.unit.fortran.texts.get(text);
                module.iter().for_each(|module| self.use_from(**module, text));
                (text.clone(), bind::SUM)
            }
            ExprKind::Null | ExprKind::Verbatim(_) => (self.problem("a pointer"), bind::NAME),
            ExprKind::Value(value) => (self.value(*value), bind::NAME),
            ExprKind::Load(place) => (self.place(place), bind::NAME),
            ExprKind::Address(place) => (self.place(place), bind::NAME),
            ExprKind::Unary(Unary::Negate, x) => (format!("-{}", self.number(x, bind::PRODUCT)), bind::SUM),
            ExprKind::Unary(Unary::Complement, x) => (format!("not({})", self.number(x, bind::ANY)), bind::NAME),
            ExprKind::Unary(..) => (self.problem("an adjoint on the heap"), bind::NAME),
            ExprKind::Binary(op, a, b) => self.operation(*op, a, b),
            ExprKind::Function(function, args) => self.function(function, args),
            ExprKind::Cast(x) => self.cast(x, &e.ty, outer),
            ExprKind::Select(c, a, b) if decided(c).is_some() => {
                return self.number(if decided(c) == Some(true) { a } else { b }, outer);
            }
            ExprKind::Select(c, a, b) => {
                let c = self.truth(c, bind::ANY);
                (format!("merge({}, {}, {c})", self.number(a, bind::ANY), self.number(b, bind::ANY)), bind::NAME)
            }
        };
        if own < outer { format!("({text})") } else { text }
    }

    fn operation(&self, op: Binary, a: &Expr, b: &Expr) -> (String, u8) {
        let call =
            |name: &str| (format!("{name}({}, {})", self.number(a, bind::ANY), self.number(b, bind::ANY)), bind::NAME);
        match op {
            Binary::Add => (format!("{} + {}", self.number(a, bind::SUM), self.number(b, bind::PRODUCT)), bind::SUM),
            Binary::Subtract => {
                (format!("{} - {}", self.number(a, bind::SUM), self.number(b, bind::PRODUCT)), bind::SUM)
            }
            Binary::Multiply => {
                (format!("{}*{}", self.number(a, bind::PRODUCT), self.number(b, bind::POWER)), bind::PRODUCT)
            }
            Binary::Divide => {
                (format!("{}/{}", self.number(a, bind::PRODUCT), self.number(b, bind::POWER)), bind::PRODUCT)
            }
            Binary::Remainder => call("mod"),
            Binary::BitAnd => call("iand"),
            Binary::BitOr => call("ior"),
            Binary::BitXor => call("ieor"),
            Binary::ShiftLeft => call("ishft"),
            Binary::ShiftRight => {
                let (a, b) = (self.number(a, bind::ANY), self.number(b, bind::PRODUCT));
                (format!("ishft({a}, -{b})"), bind::NAME)
            }
            _ => (self.problem("an operation on pointers"), bind::NAME),
        }
    }

    fn cast(&self, x: &Expr, ty: &Type, outer: u8) -> (String, u8) {
        let (from, to) = (type_text(&x.ty), type_text(ty));
        let bare = || self.number(x, bind::ANY);
        match ty {
            Type::Float { bits } if is_truth(x) => {
                let (one, none) = if *bits == 32 { ("1.0", "0.0") } else { ("1d0", "0d0") };
                (format!("merge({one}, {none}, {})", self.truth(x, bind::ANY)), bind::NAME)
            }
            _ if from == to || ty.target().is_some() => (self.number(x, outer), bind::NAME),
            Type::Float { bits } => (format!("real({}, {})", bare(), bits / 8), bind::NAME),
            Type::Int { .. } => {
                let kind = to.trim_start_matches("integer").trim_matches(['(', ')']).to_string();
                let kind = if kind == "4" { String::new() } else { format!(", {kind}") };
                let rounded = match &x.kind {
                    ExprKind::Function(Function { name: "round", .. }, args) => Some(("nint", &args[0])),
                    ExprKind::Function(Function { name: "floor", .. }, args) => Some(("floor", &args[0])),
                    ExprKind::Function(Function { name: "ceil", .. }, args) => Some(("ceiling", &args[0])),
                    _ => None,
                };
                match rounded {
                    Some((name, of)) => (format!("{name}({}{kind})", self.number(of, bind::ANY)), bind::NAME),
                    None => (format!("int({}{kind})", bare()), bind::NAME),
                }
            }
            _ => (self.problem("a conversion"), bind::NAME),
        }
    }

    fn function(&self, function: &Function, args: &[Expr]) -> (String, u8) {
        let list = || args.iter().map(|arg| self.number(arg, bind::ANY)).collect::<Vec<_>>().join(", ");
        if function.name == "pow" {
            let exponent = match &args[1].kind {
                ExprKind::Cast(inner) if inner.ty.is_integer() && !is_truth(inner) => self.number(inner, bind::NAME),
                _ => self.number(&args[1], bind::NAME),
            };
            return (format!("{}**{exponent}", self.number(&args[0], bind::NAME)), bind::POWER);
        }
        // Fortran's give integers.
        if let Some(name) = [("ceil", "ceiling"), ("floor", "floor")].iter().find(|(of_c, _)| *of_c == function.name) {
            return (format!("real({}({}, 8), {})", name.1, list(), function.bits / 8), bind::NAME);
        }
        let name = match function.name {
            "fabs" => "abs",
            "copysign" => "sign",
            "fdim" => "dim",
            "fmax" => "max",
            "fmin" => "min",
            "fmod" => "mod",
            "trunc" => "aint",
            "round" | "rint" | "nearbyint" => "anint",
            "lgamma" => "log_gamma",
            "tgamma" => "gamma",
            "j0" => "bessel_j0",
            "j1" => "bessel_j1",
            "jn" => "bessel_jn",
            "y0" => "bessel_y0",
            "y1" => "bessel_y1",
            "yn" => "bessel_yn",
            name @ ("acos" | "acosd" | "acosh" | "asin" | "asind" | "asinh" | "atan" | "atan2" | "atan2d" | "atand"
            | "atanh" | "cos" | "cosd" | "cosh" | "erf" | "erfc" | "exp" | "hypot" | "log" | "log10"
            | "nearest" | "spacing" | "sin" | "sind" | "sinh" | "sqrt" | "tan" | "tand" | "tanh") => name,
            name => {
                let Some(helper) = self.unit.helper(name) else {
                    return (self.problem(&format!("the function '{name}'")), bind::NAME);
                };
                return (format!("{helper}({})", list()), bind::NAME);
            }
        };
        (format!("{name}({})", list()), bind::NAME)
    }

    fn real(&self, text: &str, ty: &Type) -> String {
        let digits = text.trim_end_matches(['f', 'F', 'l', 'L']);
        if digits.is_empty() || !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') || digits.contains('x') {
            return self.problem(&format!("the constant '{text}'"));
        }
        match ty {
            Type::Float { bits: 32 } if digits.contains(['.', 'e', 'E']) => digits.to_string(),
            Type::Float { bits: 32 } => format!("{digits}."),
            _ if digits.contains(['e', 'E']) => digits.replace(['e', 'E'], "d"),
            _ => format!("{digits}d0"),
        }
    }
}

/// What a comparison of constants gives.
fn decided(c: &Expr) -> Option<bool> {
    let ExprKind::Binary(op, a, b) = &c.kind else { return None };
    let (ExprKind::Int(a), ExprKind::Int(b)) = (&a.kind, &b.kind) else { return None };
    match op {
        Binary::Less => Some(a < b),
        Binary::LessEqual => Some(a <= b),
        Binary::Greater => Some(a > b),
        Binary::GreaterEqual => Some(a >= b),
        _ => None,
    }
}

/// An integer constant.
fn integer(value: i128, ty: &Type, outer: u8) -> String {
    let kind = match ty {
        Type::Int { bits: 64, .. } | Type::Int { signed: false, .. } => "_8",
        Type::Int { bits: 16, .. } => "_2",
        Type::Int { bits: 8, .. } => "_1",
        _ => "",
    };
    let least = match ty {
        Type::Int { bits, signed: true, .. } if *bits > 1 => -(1_i128 << (bits - 1)),
        _ => i128::MIN,
    };
    let text = match value {
        // The constant without its sign would be out of range.
        value if value == least => format!("(-huge(0{kind}) - 1)"),
        value => format!("{value}{kind}"),
    };
    if value < 0 && value != least && outer >= bind::SUM { format!("({text})") } else { text }
}
