//! Functions that C's library lacks: the generated file defines those that its sweeps call.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::directives::rename;
use crate::ir::{Function, Program};
use crate::names::{self, Names};

/// One of them, for one width.
struct Helper {
    function: Function,
    name: String,
    /// What it calls where a quotient has a pole.
    pole: String,
    called: AtomicBool,
}

/// All of them.
pub(super) struct Helpers {
    all: Vec<Helper>,
    /// Their local names that are macros of the sources, with those that they have instead.
    renamed: Vec<(&'static str, String)>,
}

impl Helpers {
    /// None of them called yet.
    pub fn new(program: &Program, names: &mut Names) -> Helpers {
        let mut all = Vec::new();
        for (helper, _) in TEXTS {
            for (bits, suffix) in [(64, ""), (32, "_of_floats"), (80, "_of_long_doubles")] {
                let name = names.fresh(&format!("{helper}{suffix}"));
                let pole = if *helper == QUOTIENT { names.fresh(&format!("{name}_at_pole")) } else { String::new() };
                let function = Function { name: helper, bits };
                all.push(Helper { function, name, pole, called: AtomicBool::new(false) });
            }
        }
        let macros: Vec<&str> = names::macros(program).map(|(name, _)| name).collect();
        let clash = LOCALS.split_whitespace().filter(|local| macros.contains(local));
        let renamed = clash.map(|local| (local, names.fresh(local))).collect();
        Helpers { all, renamed }
    }

    /// The name of a helper, which is called from now on; `None` for a function of the library.
    pub fn called(&self, function: &Function) -> Option<String> {
        let helper = self.all.iter().find(|helper| helper.function == *function)?;
        helper.called.store(true, Ordering::Relaxed);
        Some(helper.name.clone())
    }

    /// The definitions of those that are called.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for helper in self.all.iter().filter(|helper| helper.called.load(Ordering::Relaxed)) {
            let (ty, suffix, least, small, large, exponent) = match helper.function.bits {
                32 => ("float", "f", "3.0e-39f", "1.0e-30f", "1.0e18f", "128"),
                80 => ("long double", "L", "8.5e-4933L", "1.0e-4900L", "1.0e2400L", "16384"),
                _ => ("double", "", "5.6e-309", "1.0e-300", "1.0e150", "1024"),
            };
            let library = suffix.to_lowercase();
            let known = TEXTS.iter().find(|(name, _)| *name == helper.function.name);
            let of_type = known.map_or("", |(_, text)| text).replace("real", ty).replace('#', suffix);
            let of_type = of_type.replace('~', least).replace("SMALL", small).replace("LARGE", large);
            let of_type = of_type.replace("EXPONENT", exponent).replace("POLE", &helper.pole);
            let of_type = of_type.replace('$', &library).replace('@', &helper.name);
            let local = |word: &str, _: &str| {
                self.renamed.iter().find(|(local, _)| *local == word).map(|(_, other)| other.clone())
            };
            let of_type = if self.renamed.is_empty() { of_type } else { rename(&of_type, &local) };
            text += &of_type.replace("RARE", "#if defined(__GNUC__)\n__attribute__((noinline, cold))\n#endif");
        }
        text
    }
}

/// The helper that has a function of its own for its poles.
const QUOTIENT: &str = "quotient_or_infinity";

/// Names of parameters and variables in them.
const LOCALS: &str = "above base below derivative exponent inner larger last leaves less other partial pi power quotient share \
    sign sum x y";

/// Their definitions: `real` is the type, `@` the name, `#` the suffix of a constant, `$` that of a function, `~` more
/// than the inverse of the largest number; `SMALL` a multiple of it whose products stay normal, `LARGE` a number whose
/// square and the square's inverse are normal; `EXPONENT` that of the
/// first power of 2 out of range; `RARE` keeps a function out of line.
const TEXTS: &[(&str, &str)] = &[
    (
        "zero_or_product",
        "\
/* 0 where one of them is 0, also if the other is infinite or no number. */
static real @(real partial, real derivative) {
    return derivative == 0.0# || partial == 0.0# ? 0.0# : partial * derivative;
}

",
    ),
    // The pole has a function of its own, and the usual quotient one comparison: inlined, the pole would cost every
    // quotient its registers. A denormal product would be slow on some processors, hence SMALL.
    (
        QUOTIENT,
        "\
RARE
static real POLE(real above, real below) {
    if (isunordered(above, below) || above == 0.0# || isinf(below)) return (real)NAN;
    if (isgreater(fabs$(below), fabs$(above) * ~)) return above / below;
    return copysign$((real)INFINITY, above) * copysign$(1.0#, below);
}

/* A quotient; where it is infinite or no number it raises nothing, because nobody may ask for it. */
static real @(real above, real below) {
    return isgreater(fabs$(below), fabs$(above) * SMALL) ? above / below : POLE(above, below);
}

",
    ),
    (
        "product_or_infinity",
        "\
/* A product; where it is infinite it raises nothing, because nobody may ask for it. */
static real @(real x, real y) {
    if (isless(fabs$(x), LARGE) && isless(fabs$(y), LARGE)) return x * y;
    const int leaves = isgreater(fabs$(y), 1.0#) && isgreater(fabs$(x), 1.0# / ~ / fabs$(y));
    return leaves ? copysign$((real)INFINITY, x) * copysign$(1.0#, y) : x * y;
}

",
    ),
    (
        "scale_or_infinity",
        "\
/* A power of 2; where it is infinite it raises nothing, because nobody may ask for it. */
static real @(real exponent) {
    if (isless(exponent, -32000.0#)) return 0.0#;
    return isless(exponent, EXPONENT.0#) ? ldexp$(1.0#, (int)exponent) : (real)INFINITY;
}

",
    ),
    (
        "quotient_by_squares",
        "\
/* above / (above * above + other * other), also where the squares overflow or vanish. */
static real @(real above, real other) {
    const real larger = isgreater(fabs$(other), fabs$(above)) ? fabs$(other) : fabs$(above);
    if (isgreater(larger, 1.0# / LARGE) && isless(larger, LARGE)) return above / (above * above + other * other);
    if (larger == 0.0# || isunordered(above, other)) return (real)NAN;
    if (isinf(larger)) return 0.0#;
    const real x = above / larger, y = other / larger, share = x / (x * x + y * y);
    if (isgreater(larger, fabs$(share) * ~)) return share / larger;
    return copysign$((real)INFINITY, above);
}

",
    ),
    (
        "square_or_infinity",
        "\
/* A square; infinite where it is large, where it raises nothing: what divides by it is nearly 0 there. */
static real @(real x) {
    return isgreaterequal(fabs$(x), LARGE) ? (real)INFINITY : x * x;
}

",
    ),
    (
        "power_or_infinity",
        "\
/* The power by one less; where it is infinite and the power is not it raises nothing, because nobody may ask for it. */
static real @(real base, real exponent) {
    const real less = exponent == 0.0# ? 0.0# : exponent - 1.0#;
    if (!isless(less, 0.0#) || !isless(fabs$(base), 1.0#)) return pow$(base, less);
    if (base == 0.0#) return (real)INFINITY;
    const real power = pow$(base, exponent);
    if (isgreater(fabs$(base), fabs$(power) * ~)) return power / base;
    return copysign$((real)INFINITY, power) * copysign$(1.0#, base);
}

",
    ),
    (
        "logarithm_or_nan",
        "\
/* A logarithm; no number below 0, where it raises nothing, because nobody may ask for it. */
static real @(real x) {
    return isless(x, 0.0#) ? (real)NAN : log$(x);
}

",
    ),
    (
        "digamma",
        "\
/* The derivative of the logarithm of the gamma function: an asymptotic series above 20, recurrence and reflection. */
static real @(real x) {
    if (x <= 0.0# && floor$(x) == x) return (real)NAN;
    if (fabs$(x) < ~) return -copysign$((real)INFINITY, x);
    const real pi = 3.14159265358979323846264338327950288#;
    real sum = 0.0#;
    if (x < 0.0#) {
        sum -= pi / tan$(pi * (x - floor$(x)));
        x = 1.0# - x;
    }
    for (; x < 20.0#; x += 1.0#) sum -= 1.0# / x;
    const real y = 1.0# / x * (1.0# / x);
    const real last = 691.0# / 32760.0# - y / 12.0#;
    const real inner = 1.0# / 252.0# - y * (1.0# / 240.0# - y * (1.0# / 132.0# - y * last));
    return sum + (log$(x) - 0.5# / x - y * (1.0# / 12.0# - y * (1.0# / 120.0# - y * inner)));
}

",
    ),
    (
        "quotient_of_remquo",
        "\
/* The quotient that remquo writes; 0 where there is none. */
static int @(real x, real y) {
    int quotient = 0;
    (void)remquo$(x, y, &quotient);
    return quotient;
}

",
    ),
    (
        "sign_of_gamma",
        "\
/* The sign that lgamma_r writes. */
static int @(real x) {
    int sign = 1;
    (void)lgamma$_r(x, &sign);
    return sign;
}

",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_that_a_helper_declares_is_a_local_one() {
        for (name, text) in TEXTS {
            let words: Vec<&str> = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
            let declared = words.windows(2).filter(|pair| matches!(pair[0], "real" | "int") && !pair[1].is_empty());
            for pair in declared.filter(|pair| pair[1].contains(char::is_lowercase)) {
                assert!(LOCALS.split(' ').any(|local| local == pair[1]), "{name}: {}", pair[1]);
            }
        }
    }
}
