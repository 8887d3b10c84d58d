//! Partial derivatives that are infinite, or do not exist, at a point where nothing asks for them.
//!
//! A seed of 0 times such a partial would be no number. In adjoint and tangent alike it is 0; where the derivative is
//! asked for, it is what the formula gives. Neither raises what the function does not raise.

use std::path::Path;

use std::fmt::Write;

use crate::common::{Scratch, each, generate, head};
use adtape_generate::ir::functions;
use adtape_generate::ir::{Function, Type};
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

/// Arguments at which functions or their partials have poles, kinks and ends of their range.
const GRID: &str = "0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.0000001, -3.0, 2.0, 20.5, 700.0, SMALL, -SMALL, TINY, -TINY, \
                    LITTLE, -LITTLE, LARGE, -LARGE, HUGE, -HUGE";

/// A function at one width: its name in the driver, and which arguments are differentiated.
struct Tried {
    function: Function,
    names: Vec<&'static str>,
    active: Vec<&'static str>,
}

impl Tried {
    /// None for what has no derivative, or one that nobody can compute near 0: that of Bessel functions of the second kind
    /// leaves the range of numbers long before they do.
    fn of(function: Function) -> Option<Tried> {
        let names: Vec<_> = ["a", "b", "c"].into_iter().take(function.arity()).collect();
        let flows = |at: &usize| !function.partial_is_zero(*at);
        let active: Vec<_> = (0..names.len()).filter(flows).map(|at| names[at]).collect();
        let left_out = ["y0", "y1", "yn"].contains(&function.name);
        (matches!(function.result_type(), Type::Float { .. }) && !active.is_empty() && !left_out).then_some(Tried {
            function,
            names,
            active,
        })
    }

    fn name(&self) -> String {
        format!("of_{}", self.function.c_name())
    }

    fn ty(&self) -> &'static str {
        if self.function.bits == 32 { "float" } else { "double" }
    }

    fn type_of(&self, at: usize) -> &'static str {
        match self.function.param_type(at) {
            Some(Type::Float { .. }) => self.ty(),
            Some(Type::Int { bits: 64, .. }) => "long",
            _ => "int",
        }
    }

    fn prototype(&self) -> String {
        let list: Vec<_> =
            self.names.iter().enumerate().map(|(at, name)| format!("{} {name}", self.type_of(at))).collect();
        format!("{} {}({})", self.ty(), self.name(), list.join(", "))
    }

    fn model(&self) -> String {
        format!("{} {{ return {}({}); }}\n", self.prototype(), self.function.c_name(), self.names.join(", "))
    }

    /// Tries all points of the grid with seeds 0 and 1.
    fn driver(&self) -> String {
        let (name, ty) = (self.name(), self.ty());
        let (mut loops, mut shadows) = (String::new(), String::new());
        for (at, argument) in self.names.iter().enumerate() {
            let of = self.type_of(at);
            let grid = match of {
                "int" | "long" => "-1100, -2, 0, 1, 3, 1100".to_owned(),
                "float" => GRID.replace("SMALL", "1.0e-42f").replace("TINY", "1.0e-30f").replace("LITTLE", "1.0e-20f"),
                _ => GRID.replace("SMALL", "1.0e-310").replace("TINY", "1.0e-200").replace("LITTLE", "1.0e-160"),
            };
            let [large, huge] = if of == "float" { ["1.0e25f", "3.0e38f"] } else { ["1.0e200", "1.7e308"] };
            let grid = grid.replace("LARGE", large).replace("HUGE", huge);
            let _ = writeln!(loops, "    const {of} of_{argument}[] = {{ {grid} }};");
            let _ = writeln!(
                loops,
                "    for (unsigned i_{argument} = 0; i_{argument} < sizeof of_{argument} / sizeof *of_{argument}; i_{argument}++) {{\n\
                 const {of} {argument} = of_{argument}[i_{argument}];"
            );
        }
        for argument in &self.active {
            let _ = write!(shadows, "{ty} {argument}_b = 0; ");
        }
        let shown = |at: usize| self.names.get(at).map_or("0.0".into(), |name| format!("(double){name}"));
        let point = format!("{}, {}", shown(0), shown(1));
        let each = |text: &dyn Fn(&str) -> String| -> Vec<String> {
            let list = self.names.iter().flat_map(|name| {
                let own = self.active.contains(name).then(|| text(name));
                [Some((*name).to_string()), own].into_iter().flatten()
            });
            list.collect()
        };
        let adjoint = each(&|name| format!("&{name}_b")).join(", ");
        let mut tangents = String::new();
        for (at, argument) in self.active.iter().enumerate() {
            let along = each(&|name| format!("({ty}){}", if name == *argument { "seed" } else { "0" })).join(", ");
            let _ = write!(
                tangents,
                "{ty} value_d{at} = 0; {name}_d({along}, &value_d{at}); quiet(\"{name}: tangent by {argument}\", {point});\n\
                 same(\"{name} by {argument}\", {point}, (double){argument}_b, (double)value_d{at}, seed);\n"
            );
        }
        format!(
            "static void try_{name}(void) {{\n{loops}feclearexcept(FE_ALL_EXCEPT); volatile {ty} value = {name}({args}); (void)value;\n\
             if (fetestexcept(RAISED)) continue;\nfor (int seed = 0; seed < 2; seed++) {{ {shadows}\n\
             feclearexcept(FE_ALL_EXCEPT); {name}_b({adjoint}, ({ty})seed); quiet(\"{name}: adjoint\", {point});\n{tangents}}}\n{ends}}}\n",
            args = self.names.join(", "),
            ends = "}".repeat(self.names.len()),
        )
    }
}

/// `hypot(0, 0)`, `pow(1e-310, 0.5)`, `atan(1e200)`: all functions over a grid of such points, for double and float. The
/// partial of `atan2` was 0 where its squares overflowed, and infinite where they vanished.
#[test]
fn derivatives_raise_nothing_where_no_function_does() {
    let all: Vec<Tried> = functions::all().flat_map(|of| [of, of.at(32)]).filter_map(Tried::of).collect();
    assert!(all.len() > 80, "{}", all.len());
    let prototypes: String = all.iter().map(|of| of.prototype() + ";\n").collect();
    let text: String = all.iter().map(Tried::model).collect();
    let folder = Scratch::new("steep-grid");
    let source = folder.write("all.c", &format!("#define _GNU_SOURCE\n#include <math.h>\n{prototypes}{text}"));
    let heads: Vec<_> = all.iter().map(|of| head(&format!("{0}({0})/({1})", of.name(), of.active.join(" ")))).collect();
    generate::both_of(&folder, &source, &heads, &Choices::default());
    let mut driver = String::from(
        "#define _GNU_SOURCE\n#include <fenv.h>\n#include <math.h>\n#include <stdio.h>\n#include \"model_b.h\"\n#include \"model_d.h\"\n\
         enum { RAISED = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW };\n\
         static void quiet(const char *of, double a, double b) {\n\
         if (fetestexcept(RAISED)) printf(\"%s at %g, %g raises %x\\n\", of, a, b, (unsigned)fetestexcept(RAISED));\n\
         feclearexcept(FE_ALL_EXCEPT); }\n\
         static void same(const char *of, double a, double b, double adjoint, double tangent, int seed) {\n\
         if (seed ? adjoint != tangent && !(isnan(adjoint) && isnan(tangent)) : adjoint != 0.0 || tangent != 0.0) {\n\
         printf(\"%s at %g, %g with %d: %g, %g\\n\", of, a, b, seed, adjoint, tangent); }\n\
         feclearexcept(FE_ALL_EXCEPT); }\n\
         static void near(double found, double expected) {\n\
         if (!(fabs(found / expected - 1.0) < 1e-14)) printf(\"atan2: %g, not %g\\n\", found, expected); }\n",
    );
    driver += &prototypes;
    all.iter().for_each(|of| driver += &of.driver());
    driver += "int main(void) {\n    fedisableexcept(FE_ALL_EXCEPT);\n";
    all.iter().for_each(|of| driver += &format!("    try_{}();\n", of.name()));
    for (a, b, by_a, by_b) in [
        ("1e-170", "1e-170", "5e169", "-5e169"),
        ("1e-200", "3e-200", "3e199", "-1e199"),
        ("1e200", "-1e200", "-5e-201", "-5e-201"),
    ] {
        driver += &format!("    {{ double a_b = 0, b_b = 0; of_atan2_b({a}, &a_b, {b}, &b_b, 1.0); near(a_b, {by_a});");
        driver += &format!(" near(b_b, {by_b}); }}\n");
    }
    folder.write("driver.c", &(driver + "    return 0;\n}\n"));
    let files = ["driver.c", "model.c", "model_b.c", "model_d.c"];
    generate::build(
        &folder,
        "gcc",
        &[&["-O1", "-fno-builtin", "-Wl,--allow-multiple-definition", "-o", "t"][..], &files].concat(),
    );
    let said = generate::run(&folder, "t");
    assert!(said.is_empty(), "{said}");
}
