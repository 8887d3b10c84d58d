//! The functions of `math.h` that expressions may apply: names, arguments, partial derivatives, domain. One table.
//!
//! A function stands in the table once, for `float`, `double` and `long double`. A partial derivative is an expression
//! in the arguments and the result; where several forms exist, the table takes the one that stays accurate on the whole
//! domain. At a kink it is the derivative of the branch that the function took. No form selects between two reals: a
//! comparison that is converted to a real (0 or 1) does it without a branch.

mod table;

use rustc_hash::FxHashMap;
use std::sync::LazyLock;

use super::parse;
use super::*;
use table::{Arg, Gives, HELPERS, Row, TABLE, Template};

/// A partial derivative.
#[derive(Clone, Debug, PartialEq)]
pub enum Partial {
    /// 0 wherever it exists: `floor`, or an integer argument.
    Zero,
    /// 1.
    One,
    /// An expression in the arguments and the result.
    Is(Expr),
    /// The same, infinite or no number somewhere: a derivative of 0 must stay 0 there, see [`Function::share`].
    Steep(Expr),
    /// There is none here; the argument must be passive. The reason, to be put behind the function's name.
    Refused(&'static str),
}

/// What a partial derivative reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// By position of the argument.
    pub args: [bool; 3],
    /// The result.
    pub result: bool,
}

/// Why a function of the C library that takes reals is not in the table, for a refusal.
pub fn unsupported(name: &str) -> Option<&'static str> {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let known = |plain: &str| match plain {
        "frexp" | "modf" | "remquo" | "sincos" | "lgamma_r" => Some("it writes a result through a pointer"),
        "nexttoward" => Some("its second argument is a long double"),
        "drand48" | "rand" | "random" => Some("it keeps a state that the reverse sweep cannot bring back"),
        _ => None,
    };
    known(plain).or_else(|| known(plain.strip_suffix(['f', 'l'])?))
}

/// All functions at 64 bits, in the order of their names.
pub fn all() -> impl Iterator<Item = Function> {
    TABLE.iter().map(|row| Function { name: row.name, bits: 64 })
}

impl Function {
    /// The function that C calls `name`: `sin`, `sinf`, `sinl`, `__builtin_sin`. The classification macros of C99 serve
    /// every width under one name, which is then 64.
    pub fn lookup(name: &str) -> Option<Function> {
        let exact = |name: &str| TABLE.iter().find(|row| row.name == name);
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let name = if exact(name).is_some() { name } else { plain };
        if let Some(row) = exact(name) {
            return Some(Function { name: row.name, bits: 64 });
        }
        let (bits, stem) = match name.strip_suffix('f') {
            Some(stem) => (32, stem),
            None => (80, name.strip_suffix('l')?),
        };
        exact(stem).filter(|row| row.has_widths).map(|row| Function { name: row.name, bits })
    }

    /// The product of a partial derivative and the derivative that it passes on, 0 where one of them is 0.
    pub fn share(bits: u8) -> Function {
        Function { name: "zero_or_product", bits }
    }

    /// The function with this name that generated code may call, which C's library may lack.
    pub fn named(name: &str) -> Option<Function> {
        let helper = HELPERS.iter().find(|row| row.name == name).map(|row| Function { name: row.name, bits: 64 });
        helper.or_else(|| Function::lookup(name))
    }

    /// Whether it gives back one of its arguments and takes nothing from the others, whatever their derivatives are.
    pub fn selects(&self) -> bool {
        matches!(self.name, "fmax" | "fmin" | "fdim")
    }

    /// The same function of another width.
    pub fn at(self, bits: u8) -> Function {
        Function { bits, ..self }
    }

    fn row(&self) -> Option<&'static Row> {
        TABLE.iter().chain(HELPERS).find(|row| row.name == self.name)
    }

    /// Its name in C.
    pub fn c_name(&self) -> String {
        let has_widths = self.row().is_some_and(|row| row.has_widths);
        let suffix = match self.bits {
            32 if has_widths => "f",
            80 if has_widths => "l",
            _ => "",
        };
        format!("{}{suffix}", self.name)
    }

    /// Number of arguments.
    pub fn arity(&self) -> usize {
        self.row().map_or(0, |row| row.args.len())
    }

    /// Type of the argument at a position, if the function has so many.
    pub fn param_type(&self, position: usize) -> Option<Type> {
        match self.row()?.args.get(position)? {
            Arg::Real(..) | Arg::Passive(..) => Some(Type::Float { bits: self.bits }),
            Arg::Integer(name) => Type::integer(name),
        }
    }

    /// Type of the result.
    pub fn result_type(&self) -> Type {
        match self.row().map(|row| row.gives) {
            Some(Gives::Integer(name)) => Type::integer(name).unwrap_or_default(),
            _ => Type::Float { bits: self.bits },
        }
    }

    /// Whether the derivative by the argument at a position is 0 wherever it exists: `floor`, the sign of `copysign`.
    pub fn partial_is_zero(&self, position: usize) -> bool {
        self.row().is_some_and(|row| match row.args.get(position) {
            Some(Arg::Real(template, _)) => *template == Template::Zero,
            Some(Arg::Integer(_)) => true,
            _ => false,
        })
    }

    /// Why the argument at a position must be passive, if it must.
    pub fn must_be_passive(&self, position: usize) -> Option<&'static str> {
        match self.row()?.args.get(position)? {
            Arg::Passive(why, _) => Some(why),
            Arg::Real(Template::Zero, _) | Arg::Integer(_) => None,
            Arg::Real(..) => None,
        }
    }

    /// Where the function is differentiable, as an interval for each argument that is real: for documents and tests.
    pub fn domain(&self, position: usize) -> Option<(f64, f64)> {
        match self.row()?.args.get(position)? {
            Arg::Real(_, domain) | Arg::Passive(_, domain) => Some(*domain),
            Arg::Integer(_) => None,
        }
    }

    /// What [`Function::partial`] reads; nothing if it is 0, 1 or refused.
    pub fn reads(&self, position: usize) -> Reads {
        TEMPLATES.get(&(self.name, position)).map_or_else(Reads::default, |known| known.reads)
    }

    /// The partial derivative by the argument at a position, in terms of the arguments and of the result.
    pub fn partial(&self, position: usize, args: &[Expr], result: &Expr) -> Partial {
        if let Some(why) = self.must_be_passive(position) {
            return Partial::Refused(why);
        }
        match self.row().and_then(|row| row.args.get(position)) {
            Some(Arg::Real(Template::One, _)) => Partial::One,
            Some(Arg::Real(template @ (Template::Is(_) | Template::Steep(_)), _)) => {
                if let Some(short) = self.power_of_constant(position, args) {
                    return short;
                }
                match TEMPLATES.get(&(self.name, position)) {
                    Some(known) => {
                        let partial = self.filled(&known.expr, args, result);
                        let is_bounded = matches!(template, Template::Is(_)) || self.is_smooth_power(position, args);
                        if is_bounded { Partial::Is(partial) } else { Partial::Steep(partial) }
                    }
                    None => Partial::Refused("has no derivative here"),
                }
            }
            _ => Partial::Zero,
        }
    }

    /// Whether it is `pow` by a constant of at least 1, which has a finite derivative at 0, too.
    fn is_smooth_power(&self, position: usize, args: &[Expr]) -> bool {
        match args {
            [_, Expr { kind: ExprKind::Float(text), .. }] if self.name == "pow" && position == 0 => {
                literal(text).is_some_and(|exponent| exponent >= 1.0)
            }
            _ => false,
        }
    }

    /// `pow` by a small constant needs no `pow`.
    fn power_of_constant(&self, position: usize, args: &[Expr]) -> Option<Partial> {
        let [base, Expr { kind: ExprKind::Float(text), .. }] = args else { return None };
        if self.name != "pow" || position != 0 {
            return None;
        }
        let ty = Type::Float { bits: self.bits };
        let exponent = literal(text)?;
        let times = |left, right| Expr::binary(Binary::Multiply, left, right, ty.clone());
        let factor = || Expr::float(text.clone(), ty.clone());
        match exponent {
            0.0 => Some(Partial::Zero),
            1.0 => Some(Partial::One),
            2.0 => Some(Partial::Is(times(factor(), base.clone()))),
            3.0 => Some(Partial::Is(times(times(factor(), base.clone()), base.clone()))),
            _ => None,
        }
    }

    /// A template with arguments and result in the places of its parameters, at this function's width.
    fn filled(&self, template: &Expr, args: &[Expr], result: &Expr) -> Expr {
        let fill = |operand: &Expr| Box::new(self.filled(operand, args, result));
        let kind = match &template.kind {
            ExprKind::Value(value) => return args.get(value.index()).unwrap_or(result).clone(),
            ExprKind::Float(text) if self.bits == 32 => ExprKind::Float(format!("{text}f")),
            ExprKind::Float(text) if self.bits == 80 => ExprKind::Float(format!("{text}L")),
            ExprKind::Unary(op, operand) => ExprKind::Unary(*op, fill(operand)),
            ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, fill(left), fill(right)),
            ExprKind::Cast(operand) => ExprKind::Cast(fill(operand)),
            ExprKind::Function(function, inner) => {
                let inner = inner.iter().map(|arg| self.filled(arg, args, result)).collect();
                ExprKind::Function(function.at(self.bits), inner)
            }
            other => other.clone(),
        };
        let ty = match &template.ty {
            Type::Float { .. } => Type::Float { bits: self.bits },
            other => other.clone(),
        };
        Expr { kind, ty }
    }
}

/// A partial derivative that was read: values 0, 1, ... are the arguments, the one behind them the result.
struct Known {
    expr: Expr,
    reads: Reads,
}

static TEMPLATES: LazyLock<FxHashMap<(&'static str, usize), Known>> = LazyLock::new(|| {
    let mut all = FxHashMap::default();
    for row in TABLE.iter().chain(HELPERS) {
        for (position, arg) in row.args.iter().enumerate() {
            if let Arg::Real(Template::Is(text) | Template::Steep(text), _) = arg
                && let Ok(known) = read(row, text)
            {
                all.insert((row.name, position), known);
            }
        }
    }
    all
});

/// Reads a template: `a`, `b`, `c` are the arguments, `r` is the result.
fn read(row: &Row, text: &str) -> Result<Known, String> {
    let names = ["a", "b", "c"];
    let param = |(arg, name): (&Arg, &str)| match arg {
        Arg::Integer(ty) => format!("{ty} {name}"),
        _ => format!("double {name}"),
    };
    let mut params: Vec<_> = row.args.iter().zip(names).map(param).collect();
    params.push("double r".into());
    let mut body = String::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_ascii_alphanumeric() || matches!(c, '_' | '.') {
            word.push(c);
            continue;
        }
        body += &word;
        if names.contains(&word.as_str()) || word == "r" {
            body += ".0";
        }
        word.clear();
        body.push(c);
    }
    // Each parameter is named once at the head of the body, so that its value has the position of the parameter.
    let order: Vec<_> = params.iter().filter_map(|param| param.split(' ').next_back()).collect();
    let order: String = order.iter().map(|name| format!("witness 0: {name}.0 ")).collect();
    let program = parse::program(&format!("proc t({}) -> double {{ {order} return {body} }}", params.join(", ")))?;
    let expr = program.procs.iter().next().and_then(|proc| proc.result.clone()).ok_or("no result")?;
    let mut reads = Reads::default();
    note_reads(&expr, row.args.len(), &mut reads);
    Ok(Known { expr, reads })
}

fn note_reads(expr: &Expr, arity: usize, reads: &mut Reads) {
    match &expr.kind {
        ExprKind::Value(value) if value.index() >= arity => reads.result = true,
        ExprKind::Value(value) => reads.args[value.index()] = true,
        ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => note_reads(operand, arity, reads),
        ExprKind::Binary(_, left, right) => {
            note_reads(left, arity, reads);
            note_reads(right, arity, reads);
        }
        ExprKind::Function(_, args) => args.iter().for_each(|arg| note_reads(arg, arity, reads)),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
