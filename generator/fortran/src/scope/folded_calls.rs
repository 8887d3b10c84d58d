//! Intrinsic functions of constants.

use super::constants::Folder;
use super::program::{Basic, Type};
use super::value::{Real, Value, binary, integer};
use crate::tree::expression::{Argument, ArgumentValue, Expr};
use crate::tree::operator::Binary;

/// What kinds of reals can hold: kind, bits of the fraction, decimal digits, range, largest and smallest exponent.
const REALS: [(u8, i128, i128, i128, i128, i128); 4] = [
    (4, 24, 6, 37, 128, -125),
    (8, 53, 15, 307, 1024, -1021),
    (10, 64, 18, 4931, 16384, -16381),
    (16, 113, 33, 4931, 16384, -16381),
];

/// Kinds of integers and the decimal digits that each can hold.
const INTEGERS: [(u8, i128); 5] = [(1, 2), (2, 4), (4, 9), (8, 18), (16, 38)];

impl<'p, 't> Folder<'p, 't> {
    /// The value of a call.
    pub fn intrinsic(&self, name: &str, list: &[Argument]) -> Option<Value> {
        let by_keyword = |keyword: &str| {
            let named = |argument: &&Argument| argument.keyword.as_ref().is_some_and(|found| *found.name == *keyword);
            list.iter().find(named).and_then(|argument| self.argument(argument))
        };
        let place = |i: usize| list.get(i).filter(|argument| argument.keyword.is_none());
        let value = |i: usize| place(i).and_then(|argument| self.argument(argument));
        let kind =
            |i: usize| by_keyword("kind").or_else(|| value(i)).and_then(|kind| u8::try_from(kind.as_integer()?).ok());
        let has_kind = |i: usize| list.len() > i || by_keyword("kind").is_some();
        match name {
            "selected_int_kind" => self.selected_int(by_keyword("r").or_else(|| value(0))?.as_integer()?),
            "selected_char_kind" => match text(&value(0)?)?.trim().to_ascii_lowercase().as_str() {
                "ascii" | "default" => integer(1, 4),
                "iso_10646" => integer(4, 4),
                _ => integer(-1, 4),
            },
            "selected_real_kind" => {
                let of = |keyword, i| by_keyword(keyword).or_else(|| value(i)).map_or(Some(0), |v| v.as_integer());
                self.selected_real(of("p", 0)?, of("r", 1)?)
            }
            "kind" | "huge" | "tiny" | "epsilon" | "digits" | "precision" | "range" | "radix" | "maxexponent"
            | "minexponent" | "bit_size" => self.inquiry(name, expr_of(place(0)?)?),
            "size" if list.len() == 1 => match value(0)? {
                Value::Array(items, _) => integer(i128::try_from(items.len()).ok()?, 4),
                _ => None,
            },
            "reshape" if list.len() == 2 => match (value(0)?, by_keyword("shape").or_else(|| value(1))?) {
                (Value::Array(items, _), Value::Array(shape, _)) => {
                    let extents: Vec<i128> = shape.iter().map(Value::as_integer).collect::<Option<_>>()?;
                    let count = extents.iter().product::<i128>();
                    (i128::try_from(items.len()).ok()? == count).then_some(Value::Array(items, extents))
                }
                _ => None,
            },
            "len" | "len_trim" | "ichar" | "iachar" | "achar" | "char" => characters(name, &value(0)?),
            "int" | "nint" | "floor" | "ceiling" | "ifix" | "idint" | "idnint" => {
                let kind = if has_kind(1) { kind(1)? } else { 4 };
                value(0)?.map(&|value| rounded(name, value)?.to_integer(kind))
            }
            "real" => {
                let usual = match value(0)? {
                    Value::Real(_) | Value::Integer(..) => 4,
                    _ => return None,
                };
                let kind = if has_kind(1) { kind(1)? } else { usual };
                value(0)?.map(&|value| value.to_real(kind))
            }
            "float" | "sngl" => value(0)?.map(&|value| value.to_real(4)),
            "dble" | "dfloat" => value(0)?.map(&|value| value.to_real(8)),
            "min" | "max" | "min0" | "max0" | "amin1" | "amax1" | "dmin1" | "dmax1" => {
                let values: Option<Vec<Value>> = list.iter().map(|argument| self.argument(argument)).collect();
                extreme(name.contains("min"), &values?)
            }
            "merge" => match value(2)? {
                Value::Logical(first, _) => value(usize::from(!first)),
                _ => None,
            },
            _ if list.len() == 2 => two(name, &value(0)?, &value(1)?),
            _ if list.len() == 1 => value(0)?.map(&|value| one(name, value)),
            _ => None,
        }
    }

    fn selected_int(&self, digits: i128) -> Option<Value> {
        let found = INTEGERS.iter().find(|(_, most)| digits <= *most);
        integer(found.map_or(-1, |(kind, _)| i128::from(*kind)), 4)
    }

    fn selected_real(&self, digits: i128, range: i128) -> Option<Value> {
        let found = REALS.iter().find(|(_, _, p, r, ..)| digits <= *p && range <= *r);
        let missing = match (digits > 33, range > 4931) {
            (true, true) => -3,
            (true, false) => -1,
            _ => -2,
        };
        integer(found.map_or(missing, |(kind, ..)| i128::from(*kind)), 4)
    }

    /// What depends on the type of an argument only.
    fn inquiry(&self, name: &str, argument: &Expr) -> Option<Value> {
        let Type::Basic(basic, Some(kind)) = self.typed(argument).type_ else { return None };
        if name == "kind" {
            return integer(i128::from(kind), 4);
        }
        let bits = u32::from(kind) * 8;
        match (basic, name) {
            (Basic::Integer, "huge") => integer(if kind == 16 { i128::MAX } else { (1 << (bits - 1)) - 1 }, kind),
            (Basic::Integer, "digits") => integer(i128::from(bits - 1), 4),
            (Basic::Integer, "bit_size") => integer(i128::from(bits), kind),
            (Basic::Integer, "range") => {
                integer(INTEGERS.iter().find(|(known, _)| *known == kind).map(|(_, digits)| *digits)?, 4)
            }
            (_, "radix") => integer(2, 4),
            (Basic::Real | Basic::Complex, _) => {
                let (_, fraction, digits, range, largest, smallest) = *REALS.iter().find(|row| row.0 == kind)?;
                match name {
                    "digits" => integer(fraction, 4),
                    "precision" => integer(digits, 4),
                    "range" => integer(range, 4),
                    "maxexponent" => integer(largest, 4),
                    "minexponent" => integer(smallest, 4),
                    _ => limit(name, kind).and_then(|value| Real::new(value, kind, false)).map(Value::Real),
                }
            }
            _ => None,
        }
    }
}

/// The largest or smallest number of a kind, or the distance from 1 to the next.
fn limit(name: &str, kind: u8) -> Option<f64> {
    match (name, kind) {
        ("huge", 4) => Some(f64::from(f32::MAX)),
        ("tiny", 4) => Some(f64::from(f32::MIN_POSITIVE)),
        ("epsilon", 4) => Some(f64::from(f32::EPSILON)),
        ("huge", 8) => Some(f64::MAX),
        ("tiny", 8) => Some(f64::MIN_POSITIVE),
        ("epsilon", 8) => Some(f64::EPSILON),
        _ => None,
    }
}

/// Functions of characters, or with characters as results.
fn characters(name: &str, value: &Value) -> Option<Value> {
    let count = |text: &str| integer(i128::try_from(text.chars().count()).ok()?, 4);
    match name {
        "len" => count(text(value)?),
        "len_trim" => count(text(value)?.trim_end()),
        "ichar" | "iachar" => integer(i128::from(u32::from(text(value)?.chars().next()?)), 4),
        _ => {
            let code = u8::try_from(value.as_integer()?).ok()?;
            Some(Value::Text(char::from(code).to_string().into()))
        }
    }
}

fn expr_of(argument: &Argument) -> Option<&Expr> {
    match &argument.value {
        ArgumentValue::Expr(value) => Some(value),
        _ => None,
    }
}

fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// The number that a conversion to an integer truncates.
fn rounded(name: &str, value: &Value) -> Option<Value> {
    let Value::Real(real) = value else { return Some(value.clone()) };
    let value = match name {
        "nint" | "idnint" => real.value.round(),
        "floor" => real.value.floor(),
        "ceiling" => real.value.ceil(),
        _ => real.value,
    };
    Some(Value::Real(Real { value, ..*real }))
}

fn extreme(least: bool, values: &[Value]) -> Option<Value> {
    let mut best = values.first()?.clone();
    for value in &values[1..] {
        let operator = if least { Binary::Less } else { Binary::Greater };
        if let Value::Logical(true, _) = binary(&operator, value, &best)? {
            best = value.clone();
        }
    }
    Some(best)
}

fn two(name: &str, left: &Value, right: &Value) -> Option<Value> {
    match (left, right) {
        (Value::Integer(left, first), Value::Integer(right, second)) => {
            let kind = *first.max(second);
            let value = match name {
                "mod" => left.checked_rem(*right)?,
                "modulo" => left
                    .checked_rem(*right)
                    .map(|rest| if rest != 0 && (rest < 0) != (*right < 0) { rest + right } else { rest })?,
                "iand" => left & right,
                "ior" => left | right,
                "ieor" => left ^ right,
                "sign" | "isign" => {
                    if *right < 0 {
                        -left.abs()
                    } else {
                        left.abs()
                    }
                }
                "dim" => (left - right).max(0),
                "ishft" | "shiftl" if (0..=i128::from(kind) * 8).contains(right) => {
                    let wrapped = left.checked_shl(u32::try_from(*right).ok()?)?;
                    return integer(wrapped, kind);
                }
                _ => return None,
            };
            integer(value, kind)
        }
        (Value::Real(left), Value::Real(right)) => {
            let kind = left.kind.max(right.kind);
            let (value, exact) = match name {
                "mod" | "amod" | "dmod" => (left.value % right.value, true),
                "sign" | "dsign" => (left.value.abs().copysign(right.value), true),
                "dim" => ((left.value - right.value).max(0.0), true),
                "atan2" | "datan2" => (left.value.atan2(right.value), false),
                "hypot" => (left.value.hypot(right.value), false),
                _ => return None,
            };
            Real::new(value, kind, left.is_approximate || right.is_approximate || !exact).map(Value::Real)
        }
        _ => None,
    }
}

fn one(name: &str, value: &Value) -> Option<Value> {
    if let (Value::Integer(value, kind), "abs" | "iabs") = (value, name) {
        return integer(value.abs(), *kind);
    }
    let Value::Real(real) = value else { return None };
    let x = real.value;
    // The specific name of a double begins with d.
    let (y, is_exact) = match name.strip_prefix('d').filter(|_| name != "dim").unwrap_or(name) {
        "abs" => (x.abs(), true),
        "sqrt" => (x.sqrt(), true),
        "aint" | "int" => (x.trunc(), true),
        "anint" | "nint" => (x.round(), true),
        "exp" => (x.exp(), false),
        "log" | "alog" => (x.ln(), false),
        "log10" | "alog10" => (x.log10(), false),
        "sin" => (x.sin(), false),
        "cos" => (x.cos(), false),
        "tan" => (x.tan(), false),
        "asin" => (x.asin(), false),
        "acos" => (x.acos(), false),
        "atan" => (x.atan(), false),
        "sinh" => (x.sinh(), false),
        "cosh" => (x.cosh(), false),
        "tanh" => (x.tanh(), false),
        _ => return None,
    };
    Real::new(y, real.kind, real.is_approximate || !is_exact).map(Value::Real)
}
