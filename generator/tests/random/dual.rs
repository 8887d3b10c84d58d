//! A real with its derivative, and the functions of math.h on such.

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual {
    pub v: f64,
    pub d: f64,
}

impl Dual {
    /// A constant.
    pub fn of(v: f64) -> Dual {
        Dual { v, d: 0.0 }
    }

    /// As a float holds it.
    pub fn rounded(self) -> Dual {
        Dual { v: f64::from(self.v as f32), d: self.d }
    }
}

/// Names of functions of one argument.
pub const ONE: [&str; 15] = [
    "sin", "cos", "exp", "tanh", "atan", "sqrt", "log", "fabs", "log1p", "expm1", "sinh", "cbrt", "floor", "tan",
    "asin",
];
/// Names of functions of two arguments.
pub const TWO: [&str; 6] = ["fmax", "fmin", "pow", "hypot", "atan2", "copysign"];

/// Calls a function of math.h; an error where it has no derivative, or nearly so.
pub fn math(name: &str, args: &[Dual], float: bool) -> Result<Dual, &'static str> {
    let (x, y) = (args[0], args.get(1).copied().unwrap_or(Dual::of(0.0)));
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
        "floor" => (x.v.floor(), 0.0),
        "tan" if x.v.cos().abs() < 0.1 => return Err("a pole"),
        "tan" => (value(f64::tan, f32::tan), 1.0 + x.v.tan() * x.v.tan()),
        "asin" if x.v.abs() > 0.95 => return Err("outside of its domain"),
        "asin" => (value(f64::asin, f32::asin), 1.0 / (1.0 - x.v * x.v).sqrt()),
        _ => return Err("no such function"),
    };
    Ok(Dual { v, d: slope * x.d })
}

fn two(name: &str, x: Dual, y: Dual, float: bool) -> Result<Dual, &'static str> {
    let value = |wide: fn(f64, f64) -> f64, narrow: fn(f32, f32) -> f32| {
        if float { f64::from(narrow(x.v as f32, y.v as f32)) } else { wide(x.v, y.v) }
    };
    let (v, by_x, by_y) = match name {
        "fmax" | "fmin" if x.v == y.v => return Err("a kink"),
        "fmax" => (x.v.max(y.v), f64::from(x.v > y.v), f64::from(y.v > x.v)),
        "fmin" => (x.v.min(y.v), f64::from(x.v < y.v), f64::from(y.v < x.v)),
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
        "copysign" => (x.v.copysign(y.v), x.v.signum() * y.v.signum(), 0.0),
        _ => return Err("no such function"),
    };
    Ok(Dual { v, d: by_x * x.d + by_y * y.d })
}
