//! Functions that C's library lacks: the generated file defines those that its sweeps call.

use std::sync::atomic::{AtomicBool, Ordering};

use super::names::Names;
use crate::ir::Function;

/// One of them, for one width.
struct Helper {
    function: Function,
    name: String,
    called: AtomicBool,
}

/// All of them.
pub(super) struct Helpers(Vec<Helper>);

impl Helpers {
    /// None of them called yet.
    pub fn new(names: &mut Names) -> Helpers {
        let mut all = Vec::new();
        for (helper, _) in TEXTS {
            for (bits, suffix) in [(64, ""), (32, "_of_floats"), (80, "_of_long_doubles")] {
                let name = names.fresh(&format!("{helper}{suffix}"));
                all.push(Helper { function: Function { name: helper, bits }, name, called: AtomicBool::new(false) });
            }
        }
        Helpers(all)
    }

    /// The name of a helper, which is called from now on; `None` for a function of the library.
    pub fn called(&self, function: &Function) -> Option<String> {
        let helper = self.0.iter().find(|helper| helper.function == *function)?;
        helper.called.store(true, Ordering::Relaxed);
        Some(helper.name.clone())
    }

    /// The definitions of those that are called.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for helper in self.0.iter().filter(|helper| helper.called.load(Ordering::Relaxed)) {
            let (ty, suffix, least) = match helper.function.bits {
                32 => ("float", "f", "3.0e-39f"),
                80 => ("long double", "L", "8.5e-4933L"),
                _ => ("double", "", "5.6e-309"),
            };
            let library = suffix.to_lowercase();
            let known = TEXTS.iter().find(|(name, _)| *name == helper.function.name);
            let of_type = known.map_or("", |(_, text)| text).replace("real", ty).replace('#', suffix);
            let of_type = of_type.replace('~', least);
            text += &of_type.replace('$', &library).replace('@', &helper.name);
        }
        text
    }
}

/// Their definitions: `real` is the type, `@` the name, `#` the suffix of a constant, `$` that of a function, `~` more
/// than the inverse of the largest number.
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
    (
        "quotient_or_infinity",
        "\
/* A quotient; where it is infinite or no number it raises nothing, because nobody may ask for it. */
static real @(real above, real below) {
    if (below != 0.0# && !isless(fabs$(below), fabs$(above) * ~)) return above / below;
    if (above == 0.0# || above != above) return (real)NAN;
    return copysign$((real)INFINITY, above) * copysign$(1.0#, below);
}

",
    ),
    (
        "power_or_infinity",
        "\
/* A power; infinite for a negative one of 0, where it raises nothing, because nobody may ask for it. */
static real @(real base, real exponent) {
    return base == 0.0# && isless(exponent, 0.0#) ? (real)INFINITY : pow$(base, exponent);
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
    const real pi = 3.14159265358979323846264338327950288#;
    real sum = 0.0#;
    if (x < 0.0#) {
        sum -= pi / tan$(pi * (x - floor$(x)));
        x = 1.0# - x;
    }
    for (; x < 20.0#; x += 1.0#) sum -= 1.0# / x;
    const real y = 1.0# / (x * x);
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
