//! A real with its derivative, and the functions of math.h on such.
//!
//! At a pole a partial is infinite, or no number. It times a derivative of 0 is 0. The result is steep from there on,
//! and so is what is computed from it: `fmax`, a branch or an assignment may drop it, a dependent must not have it.

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual {
    pub v: f64,
    pub d: f64,
    /// Whether it passed a pole, whatever its derivative is.
    pub steep: bool,
}

impl Dual {
    /// A constant.
    pub fn of(v: f64) -> Dual {
        Dual { v, d: 0.0, steep: false }
    }

    /// A value that is computed from others.
    pub fn from(operands: &[Dual], v: f64, d: f64) -> Dual {
        Dual { v, d, steep: operands.iter().any(|of| of.steep) }
    }

    /// Whether its derivative is a number.
    pub fn is_finite(self) -> bool {
        self.d.is_finite()
    }

    /// As a float holds it.
    pub fn rounded(self) -> Dual {
        Dual { v: f64::from(self.v as f32), ..self }
    }
}

/// Names of functions of one argument.
pub const ONE: [&str; 15] = [
    "sin", "cos", "exp", "tanh", "atan", "sqrt", "log", "fabs", "log1p", "expm1", "sinh", "cbrt", "floor", "tan",
    "asin",
];
/// Functions that have a pole, or are no smooth function, at 0; `asin` at 1.
pub const POLES: [&str; 6] = ["sqrt", "cbrt", "asin", "pow", "hypot", "atan2"];
/// Names of functions of two arguments.
pub const TWO: [&str; 6] = ["fmax", "fmin", "pow", "hypot", "atan2", "copysign"];

/// A partial times the derivative that it passes on: 0 if one of them is.
fn share(partial: f64, d: f64) -> f64 {
    if partial == 0.0 || d == 0.0 { 0.0 } else { partial * d }
}

/// A function at a pole, which is exactly there: close by, rounding decides about the derivative.
fn at_pole(name: &str, x: Dual, y: Dual) -> Option<Dual> {
    let (v, by_x, by_y) = match name {
        "sqrt" | "cbrt" if x.v == 0.0 => (x.v, f64::INFINITY.copysign(if name == "sqrt" { x.v } else { 1.0 }), 0.0),
        "asin" if x.v.abs() == 1.0 => (x.v.asin(), f64::INFINITY, 0.0),
        "pow" if x.v == 0.0 && y.v > 0.0 && y.v < 1.0 => (0.0, f64::INFINITY, 0.0),
        "hypot" if x.v == 0.0 && y.v == 0.0 => (0.0, f64::NAN, f64::NAN),
        "atan2" if x.v == 0.0 && y.v == 0.0 => (x.v.atan2(y.v), f64::NAN, f64::NAN),
        _ => return None,
    };
    Some(Dual { v, d: share(by_x, x.d) + share(by_y, y.d), steep: true })
}

/// Calls a function of math.h; an error where it has no derivative, or nearly so.
pub fn math(name: &str, args: &[Dual], float: bool) -> Result<Dual, &'static str> {
    let (x, y) = (args[0], args.get(1).copied().unwrap_or(Dual::of(0.0)));
    if let Some(found) = at_pole(name, x, y) {
        return Ok(if float { found.rounded() } else { found });
    }
    if args.len() == 2 {
        return two(name, x, y, float);
    }
    let value = |wide: fn(f64) -> f64, narrow: fn(f32) -> f32| {
        if float { f64::from(narrow(x.v as f32)) } else { wide(x.v) }
    };
    let (v, slope) = match name {
        "sin" => (value(f64::sin, f32::sin), x.v.cos()),
        "cos" => (value(f64::cos, f32::cos), -x.v.sin()),
        "exp" => (value(f64::exp, f32::exp), x.v.exp()),
        "tanh" => (value(f64::tanh, f32::tanh), 1.0 - x.v.tanh() * x.v.tanh()),
        "atan" => (value(f64::atan, f32::atan), 1.0 / (1.0 + x.v * x.v)),
        "sqrt" if x.v < 0.01 => return Err("root of little"),
        "sqrt" => (value(f64::sqrt, f32::sqrt), 0.5 / x.v.sqrt()),
        "log" if x.v < 0.01 => return Err("logarithm of little"),
        "log" => (value(f64::ln, f32::ln), 1.0 / x.v),
        "fabs" if x.v == 0.0 => return Err("a kink"),
        "fabs" => (x.v.abs(), x.v.signum()),
        "log1p" if x.v < -0.99 => return Err("logarithm of little"),
        "log1p" => (value(f64::ln_1p, f32::ln_1p), 1.0 / (1.0 + x.v)),
        "expm1" => (value(f64::exp_m1, f32::exp_m1), x.v.exp()),
        "sinh" => (value(f64::sinh, f32::sinh), x.v.cosh()),
        "cbrt" if x.v.abs() < 0.01 => return Err("root of little"),
        "cbrt" => (value(f64::cbrt, f32::cbrt), 1.0 / (3.0 * x.v.cbrt() * x.v.cbrt())),
        "floor" => return Ok(Dual::of(x.v.floor())),
        "tan" if x.v.cos().abs() < 0.1 => return Err("a pole"),
        "tan" => (value(f64::tan, f32::tan), 1.0 + x.v.tan() * x.v.tan()),
        "asin" if x.v.abs() > 0.95 => return Err("outside of its domain"),
        "asin" => (value(f64::asin, f32::asin), 1.0 / (1.0 - x.v * x.v).sqrt()),
        _ => return Err("no such function"),
    };
    Ok(Dual::from(args, v, slope * x.d))
}

fn two(name: &str, x: Dual, y: Dual, float: bool) -> Result<Dual, &'static str> {
    let value = |wide: fn(f64, f64) -> f64, narrow: fn(f32, f32) -> f32| {
        if float { f64::from(narrow(x.v as f32, y.v as f32)) } else { wide(x.v, y.v) }
    };
    let (v, by_x, by_y) = match name {
        "fmax" | "fmin" if x.v == y.v => return Err("a kink"),
        // What is not taken leaves nothing, not even a pole.
        "fmax" => return Ok(if x.v > y.v { x } else { y }),
        "fmin" => return Ok(if x.v < y.v { x } else { y }),
        "pow" if x.v < 0.05 => return Err("power of little"),
        "pow" => {
            let v = x.v.powf(y.v);
            (value(f64::powf, f32::powf), y.v * x.v.powf(y.v - 1.0), v * x.v.ln())
        }
        "hypot" if x.v.hypot(y.v) < 0.01 => return Err("a kink"),
        "hypot" => (value(f64::hypot, f32::hypot), x.v / x.v.hypot(y.v), y.v / x.v.hypot(y.v)),
        "atan2" => {
            let square = x.v * x.v + y.v * y.v;
            if square < 0.01 {
                return Err("a kink");
            }
            (value(f64::atan2, f32::atan2), y.v / square, -x.v / square)
        }
        "copysign" if x.v == 0.0 || y.v == 0.0 => return Err("a kink"),
        "copysign" => {
            let sign = x.v.signum() * y.v.signum();
            return Ok(Dual { v: x.v.copysign(y.v), d: sign * x.d, ..x });
        }
        _ => return Err("no such function"),
    };
    Ok(Dual::from(&[x, y], v, by_x * x.d + by_y * y.d))
}
