//! Partial derivatives that are infinite, or do not exist, at a point where nothing asks for them.
//!
//! A seed of 0 times such a partial would be no number. In adjoint and tangent alike it is 0; where the derivative is
//! asked for, it is what the formula gives. Neither raises what the function does not raise.

use std::path::Path;

use crate::common::{Scratch, each, generate};
use adtape_generate::transform::Choices;

/// Head; a passive argument; the point; the derivative there with weight 1. NAN: the derivative is no finite number.
const POINTS: [(&str, &str, &str, &str); 18] = [
    ("weighted", "2.0", "0.25", "2.0"),
    ("weighted", "1.0", "0.0", "NAN"),
    ("larger_root", "3.0", "0.0", "0.0"),
    ("larger_root", "0.5", "4.0", "0.25"),
    ("power", "0.5", "0.0", "0.0"),
    ("power", "0.5", "4.0", "0.25"),
    ("length", "0.0", "0.0", "0.0"),
    ("length", "0.0", "3.0", "1.0"),
    ("angle", "1.0", "1.0", "0.0"),
    ("angle", "1.0", "0.0", "1.0"),
    ("logarithm", "1.0", "0.0", "0.0"),
    ("logarithm", "-1.0", "0.5", "2.0"),
    ("cube_root", "1.0", "0.0", "0.0"),
    ("cube_root", "0.0", "1.0", "0.33333333333333333"),
    ("of_float", "3.0", "0.0", "0.0"),
    ("vanishes", "0.5", "0.0", "0.5"),
    ("inverse", "0.5", "1.0", "0.5"),
    ("unknown", "0.5", "2.0", "2.0"),
];

#[test]
fn seed_of_zero_stays_zero_where_a_partial_is_infinite() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/steep.c");
    let mut names: Vec<&str> = POINTS.iter().map(|(name, ..)| *name).collect();
    names.dedup();
    each(&names, |&name| {
        let folder = Scratch::new(&format!("steep-{name}"));
        let (reverse, _) = generate::both(&folder, &source, &format!("{name}({name})/(x)"), &Choices::default());
        let mut driver = String::from(
            "#define _GNU_SOURCE\n#include <fenv.h>\n#include <math.h>\n#include <stdio.h>\n#include \"model_b.h\"\n#include \"model_d.h\"\n\
             static void compare(const char *of, double found, double expected) {\n\
             if (isnan(expected) ? isfinite(found) : !(fabs(found - expected) <= 1e-15))\n\
             printf(\"%s: %.17g, not %.17g\\n\", of, found, expected); }\n\
             enum { RAISED = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW };\nstatic int allowed;\n\
             static void quiet(const char *of) {\n\
             if (fetestexcept(RAISED) & ~allowed) printf(\"%s raises what the function does not\\n\", of);\n\
             feclearexcept(FE_ALL_EXCEPT); }\n",
        );
        driver += &format!("double {name}(double, double);\nint main(void) {{\n    fedisableexcept(FE_ALL_EXCEPT);\n");
        for (_, passive, point, expected) in POINTS.iter().filter(|(other, ..)| *other == name) {
            // A tangent that is infinite meets factors of 0.
            let tangent = if ["vanishes", "inverse"].contains(&name) {
                format!(
                    "feclearexcept(FE_ALL_EXCEPT); {name}_d({passive}, {point}, 0.0, &value_d); value_d = {expected};"
                )
            } else {
                String::new()
            };
            let tangent = format!("{tangent} quiet(\"tangent at {point}\");");
            driver += &format!(
                "{{ double x_b = 0.0, value_d = 0.0; volatile double value;\n\
                 feclearexcept(FE_ALL_EXCEPT); value = {name}({passive}, {point}); (void)value;\n\
                 allowed = fetestexcept(RAISED); feclearexcept(FE_ALL_EXCEPT);\n\
                 {name}_b({passive}, {point}, &x_b, 1.0); quiet(\"adjoint at {point}\");\n\
                 {name}_d({passive}, {point}, 1.0, &value_d);{tangent}\n\
                 compare(\"adjoint at {point}\", x_b, {expected});\n\
                 compare(\"tangent at {point}\", value_d, {expected}); }}\n"
            );
        }
        folder.write("driver.c", &(driver + "return 0; }\n"));
        let allow = "-Wl,--allow-multiple-definition";
        let files = ["driver.c", "model_b.c", "model_d.c"];
        let said = generate::build(&folder, "gcc", &[&["-O2", "-Wconversion", allow, "-o", "t"][..], &files].concat());
        assert!(said.is_empty(), "{said}");
        let said = generate::run(&folder, "t");
        assert!(said.is_empty(), "{name}: {said}\n{}", reverse.source);
    });
}

/// Where a partial is finite everywhere, nothing is compared.
#[test]
fn bounded_partials_are_plain_products() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/steep.c");
    let folder = Scratch::new("steep-bounded");
    let (reverse, forward) = generate::both(&folder, &source, "bounded(bounded)/(x)", &Choices::default());
    for text in [reverse.source, forward.source] {
        assert!(!text.contains("zero_or_product"), "{text}");
    }
}
