//! Values of constants, computed as compilers do: each operation in the kind of its result.

use crate::tree::operator::Binary;

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// An integer and its kind.
    Integer(i128, u8),
    /// A real number.
    Real(Real),
    /// A truth value and its kind.
    Logical(bool, u8),
    /// Characters.
    Text(Box<str>),
    /// The elements of an array, the first subscript running fastest, and its extents.
    Array(Vec<Value>, Vec<i128>),
}

/// A real number of kind 4 or 8.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Real {
    /// Its value, rounded to its kind.
    pub value: f64,
    /// Its kind.
    pub kind: u8,
    /// Its last bit may differ from a compiler's: a function like `sin` contributed.
    pub is_approximate: bool,
}

impl Real {
    /// A number rounded to a kind; none for kinds that are not computed here.
    pub fn new(value: f64, kind: u8, is_approximate: bool) -> Option<Real> {
        let value = match kind {
            4 => f64::from(value as f32),
            8 => value,
            _ => return None,
        };
        value.is_finite().then_some(Real { value, kind, is_approximate })
    }

    /// The number that a constant's text is, rounded once.
    pub fn of_text(text: &str, kind: u8) -> Option<Real> {
        let text = text.replace(['d', 'q'], "e");
        let value = match kind {
            4 => f64::from(text.parse::<f32>().ok()?),
            8 => text.parse().ok()?,
            _ => return None,
        };
        Real::new(value, kind, false)
    }
}

/// An integer, if its kind can hold it.
pub fn integer(value: i128, kind: u8) -> Option<Value> {
    let limit = 1_i128.checked_shl(u32::from(kind) * 8 - 1).filter(|_| kind < 16).unwrap_or(i128::MAX);
    (-limit..limit).contains(&value).then_some(Value::Integer(value, kind))
}

impl Value {
    /// The integer that the value is.
    pub fn as_integer(&self) -> Option<i128> {
        match self {
            Value::Integer(value, _) => Some(*value),
            _ => None,
        }
    }

    /// The number as a real, with its kind if it has one.
    pub fn as_real(&self) -> Option<Real> {
        match self {
            Value::Integer(value, _) => Some(Real { value: *value as f64, kind: 0, is_approximate: false }),
            Value::Real(real) => Some(*real),
            _ => None,
        }
    }

    /// Each element changed.
    pub fn map(&self, change: &impl Fn(&Value) -> Option<Value>) -> Option<Value> {
        match self {
            Value::Array(items, extents) => {
                let items: Option<Vec<Value>> = items.iter().map(change).collect();
                Some(Value::Array(items?, extents.clone()))
            }
            scalar => change(scalar),
        }
    }

    /// The value as an integer of a kind, truncated.
    pub fn to_integer(&self, kind: u8) -> Option<Value> {
        match self {
            Value::Integer(value, _) => integer(*value, kind),
            Value::Real(real) => integer(real.value.trunc() as i128, kind),
            _ => None,
        }
    }

    /// The value as a real of a kind.
    pub fn to_real(&self, kind: u8) -> Option<Value> {
        match self {
            // Through a wider type an integer could be rounded twice.
            Value::Integer(value, _) if kind == 4 => Real::new(f64::from(*value as f32), 4, false).map(Value::Real),
            _ => self.as_real().and_then(|real| Real::new(real.value, kind, real.is_approximate)).map(Value::Real),
        }
    }

    /// The value with its sign changed.
    pub fn negated(&self) -> Option<Value> {
        match self {
            Value::Integer(value, kind) => integer(-value, *kind),
            Value::Real(real) => Some(Value::Real(Real { value: -real.value, ..*real })),
            _ => None,
        }
    }
}

/// The value of an operation on two scalars or arrays of one shape.
pub fn binary(operator: &Binary, left: &Value, right: &Value) -> Option<Value> {
    match (left, right) {
        (Value::Array(first, extents), Value::Array(second, others)) => {
            let pairs = first.iter().zip(second);
            let items: Option<Vec<Value>> = pairs.map(|(left, right)| binary(operator, left, right)).collect();
            (extents == others).then_some(Value::Array(items?, extents.clone()))
        }
        (Value::Array(..), _) => left.map(&|item| binary(operator, item, right)),
        (_, Value::Array(..)) => right.map(&|item| binary(operator, left, item)),
        (Value::Integer(left, first), Value::Integer(right, second)) => {
            integers(operator, *left, *right, *first.max(second))
        }
        (Value::Logical(left, first), Value::Logical(right, second)) => {
            let value = match operator {
                Binary::And => *left && *right,
                Binary::Or => *left || *right,
                Binary::Eqv => left == right,
                Binary::Neqv => left != right,
                _ => return None,
            };
            Some(Value::Logical(value, *first.max(second)))
        }
        (Value::Text(left), Value::Text(right)) => match operator {
            Binary::Concat => Some(Value::Text(format!("{left}{right}").into())),
            _ => compare(operator, left.trim_end().partial_cmp(right.trim_end())),
        },
        (Value::Real(base), Value::Integer(exponent, _)) if *operator == Binary::Power => power(*base, *exponent),
        _ => reals(operator, left, right),
    }
}

fn compare(operator: &Binary, order: Option<std::cmp::Ordering>) -> Option<Value> {
    let order = order?;
    let value = match operator {
        Binary::Equal => order.is_eq(),
        Binary::NotEqual => order.is_ne(),
        Binary::Less => order.is_lt(),
        Binary::LessEqual => order.is_le(),
        Binary::Greater => order.is_gt(),
        Binary::GreaterEqual => order.is_ge(),
        _ => return None,
    };
    Some(Value::Logical(value, 4))
}

fn integers(operator: &Binary, left: i128, right: i128, kind: u8) -> Option<Value> {
    let value = match operator {
        Binary::Plus => left.checked_add(right)?,
        Binary::Minus => left.checked_sub(right)?,
        Binary::Times => left.checked_mul(right)?,
        Binary::Divide => left.checked_div(right)?,
        Binary::Power if right >= 0 => left.checked_pow(u32::try_from(right).ok()?)?,
        // Below 1 the quotient is truncated.
        Binary::Power => match left {
            0 => return None,
            1 => 1,
            -1 => 1 - 2 * (right & 1),
            _ => 0,
        },
        _ => return compare(operator, Some(left.cmp(&right))),
    };
    integer(value, kind)
}

fn reals(operator: &Binary, left: &Value, right: &Value) -> Option<Value> {
    let (first, second) = (left.as_real()?, right.as_real()?);
    let kind = first.kind.max(second.kind);
    let (left, right) = (left.to_real(kind)?.as_real()?.value, right.to_real(kind)?.as_real()?.value);
    let mut is_approximate = first.is_approximate || second.is_approximate;
    let value = match operator {
        Binary::Plus => left + right,
        Binary::Minus => left - right,
        Binary::Times => left * right,
        Binary::Divide => left / right,
        Binary::Power => {
            is_approximate = true;
            left.powf(right)
        }
        _ => return compare(operator, left.partial_cmp(&right)),
    };
    // In kind 4 the operation on doubles is rounded to the nearest single, as the operation on singles is.
    Real::new(value, kind, is_approximate).map(Value::Real)
}

/// A power by an integer. Only where every step is exact does each compiler get its bits.
fn power(base: Real, exponent: i128) -> Option<Value> {
    let value = base.value.powi(i32::try_from(exponent).ok()?);
    let is_exact = (0..=1).contains(&exponent) || (base.value.fract() == 0.0 && value.abs() < 9e15 && exponent > 0);
    Real::new(value, base.kind, base.is_approximate || !is_exact).map(Value::Real)
}
