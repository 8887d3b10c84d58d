//! Functions of `math.h` that give a second result through a pointer, written with functions that have one result.

use super::place::Spot;
use super::*;
use crate::ir::Function;
use make::*;

impl<'a> Lower<'_, 'a> {
    /// A call of `frexp`, `modf`, `remquo`, `lgamma_r` or `sincos`; `None` for others.
    pub fn two_results(&mut self, name: &str, args: &'a [Node<'a>], wanted: bool) -> Result<Option<Option<Expr>>> {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let (plain, bits) = match plain {
            "frexp" | "modf" | "remquo" | "sincos" | "lgamma_r" => (plain, 64),
            "frexpf" | "modff" | "remquof" | "sincosf" => (&plain[..plain.len() - 1], 32),
            "lgammaf_r" => ("lgamma_r", 32),
            "frexpl" | "modfl" | "remquol" | "sincosl" => (&plain[..plain.len() - 1], 80),
            "lgammal_r" => ("lgamma_r", 80),
            _ => return Ok(None),
        };
        let real = Type::Float { bits };
        let apply = |name: &str, args: Vec<Expr>| {
            let function = Function::named(name).expect("a function of the table").at(bits);
            let ty = function.result_type();
            Expr::function(function, args, ty)
        };
        let mut values = Vec::new();
        for node in args {
            let aside = self.begin_operand();
            let value = self.value(node)?;
            self.end_operand(aside, node)?;
            values.push(value);
        }
        let mut values = values.into_iter();
        let Some(x) = values.next() else { return Ok(None) };
        let x = self.b.keep("x", cast(x, real.clone()));
        let y = (plain == "remquo").then(|| values.next()).flatten();
        let to = |pointer: Option<Expr>| pointer.map(|pointer| Spot::Memory(element(pointer, Expr::int(0))));
        let (first, second) = (to(values.next()), to(values.next()));
        match (plain, first, second) {
            ("sincos", Some(sine), Some(cosine)) => {
                self.give(name, sine, apply("sin", vec![x.clone()]), &args[1])?;
                self.give(name, cosine, apply("cos", vec![x]), &args[2])?;
                Ok(Some(None))
            }
            // x = f * 2^e with f below 1; e = 0 for what has no exponent.
            ("frexp", Some(exponent), None) => {
                let is_zero = binary(Binary::Equal, x.clone(), zero(&real), Type::int());
                let none = binary(Binary::Or, is_zero, not(finite(&x)), Type::int());
                let above = binary(Binary::Add, apply("ilogb", vec![x.clone()]), Expr::int(1), Type::int());
                let kind = ExprKind::Select(Box::new(none), Box::new(Expr::int(0)), Box::new(above));
                let e = self.b.keep("exponent", Expr { kind, ty: Type::int() });
                self.give(name, exponent, e.clone(), &args[1])?;
                Ok(Some(wanted.then(|| apply("ldexp", vec![x, unary(Unary::Negate, e, Type::int())]))))
            }
            ("remquo", Some(quotient), None) => {
                let Some(y) = y else { return Ok(None) };
                let y = self.b.keep("y", cast(y, real.clone()));
                self.give(name, quotient, apply("quotient_of_remquo", vec![x.clone(), y.clone()]), &args[2])?;
                Ok(Some(wanted.then(|| apply("remainder", vec![x, y]))))
            }
            ("lgamma_r", Some(sign), None) => {
                self.give(name, sign, apply("sign_of_gamma", vec![x.clone()]), &args[1])?;
                Ok(Some(wanted.then(|| apply("lgamma", vec![x]))))
            }
            ("modf", Some(whole), None) => {
                self.give(name, whole, apply("trunc", vec![x.clone()]), &args[1])?;
                if !wanted {
                    return Ok(Some(None));
                }
                // The rest has the sign of x even where it is 0, as fmod's; fmod gives none of an infinity.
                let var = self.b.var("fraction", real.clone(), VarKind::Temporary, self.b.span);
                let one = Expr::float("1.0", real.clone());
                let infinite = binary(
                    Binary::And,
                    not(finite(&x)),
                    binary(Binary::Equal, x.clone(), x.clone(), Type::int()),
                    Type::int(),
                );
                self.b.begin_branch(infinite);
                self.b.assign(var, apply("copysign", vec![zero(&real), x.clone()]));
                self.b.otherwise();
                self.b.assign(var, apply("fmod", vec![x, one]));
                self.b.end_branch();
                Ok(Some(Some(self.b.get(var))))
            }
            _ => Ok(None),
        }
    }

    /// Writes a second result. The call does it, so C leaves open whether other operands are evaluated before.
    fn give(&mut self, name: &str, to: Spot, result: Expr, node: &Node) -> Result<()> {
        let before = self.effects.writes();
        self.write(to, result, node)?;
        self.written_by_call(name, before);
        Ok(())
    }
}

/// `x - x == 0`
fn finite(x: &Expr) -> Expr {
    let difference = binary(Binary::Subtract, x.clone(), x.clone(), x.ty.clone());
    binary(Binary::Equal, difference, zero(&x.ty), Type::int())
}
