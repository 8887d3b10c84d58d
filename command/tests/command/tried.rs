//! Rules that say less than their functions do, and derivatives that do something else: a check names what is wrong.

use crate::common::Scratch;
use crate::programs::checked;
use std::path::Path;

/// By function, what the check says of it; nothing of a call that gives up.
const FAULTS: [(&str, &str); 14] = [
    ("writes_more", "'writes_more' writes y[4], which no 'writes' or 'updates' names"),
    ("reads_more", "'reads_more' reads elements of 'x' that no 'reads' or 'updates' names: they change y[3]"),
    ("writes_less", "'writes_less' leaves y[4] alone: 'writes' names it, 'updates' should"),
    (
        "needs_more",
        "'needs_more_rev' reads elements of 'y' that 'needs' does not name: they change the adjoint of x[0]",
    ),
    ("needs_before", "'needs_before_rev' gives another derivative by 'x' than differences: products "),
    ("sets", "'sets_rev' does not add to the adjoint of x[0]"),
    (
        "clears_nothing",
        "'clears_nothing_rev' leaves an adjoint of y[0], which 'clears_nothing' overwrites: set it to 0",
    ),
    ("doubles", "'doubles_rev' gives another derivative by 'x' than differences: products "),
    ("triples", "'triples_d' gives another tangent by 'x' than the adjoint: products "),
    ("clears_more", "'clears_more_rev' changes the adjoint of y[4], which no clause names"),
    ("wants_all", "'wants_all' or its derivative ended the process while nobody wanted the adjoint of 'z': it is NULL"),
    (
        "needs_for_both",
        "'needs_for_both_rev' gives z[0] another adjoint where nobody wants that of 'x', or reads what ",
    ),
    ("counts", "'counts' gives another y[0] when it is called once more: 'state' is missing"),
    ("takes_two", "; these share memory here: 'x', 'y'"),
];

#[test]
fn a_check_names_what_is_wrong_with_a_rule() {
    let folder = Scratch::new("rules-tried");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    for (file, to) in [("spoilt.h", "spoilt.h"), ("spoilt.c", "spoilt.c"), ("spoilt_model.c", "model.c")] {
        folder.write(to, &std::fs::read_to_string(from.join(file)).unwrap());
    }
    let driver = "#include \"spoilt.c\"
#include \"model_b.h\"
int main(void) {
    double x[4] = {0.3, 0.5, 0.7, 0.9}, x_b[4] = {0.0}, y[4] = {0.2, 0.1, 0.4, 0.6}, y_b[4] = {0.0};
    f_b(4, x, x_b, y, y_b, 1.0);
    return 0;
}
";
    folder.write("driver.c", driver);
    let output = checked(&folder, "f(f)/(x y)");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{said}");
    for (function, what) in FAULTS {
        let found = said.lines().find(|line| line.contains(&format!("'{function}")) && line.contains("spoilt.h"));
        assert!(found.is_some_and(|line| line.contains(what)), "{function}: {said}");
    }
    assert!(said.contains(": needs(x before) is meant"), "{said}");
    assert!(!said.contains("'fails"), "{said}");
}

/// Rules that are right, of the test's own and of libraries, where some tangents are missing.
#[test]
fn a_check_passes_rules_that_are_right() {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    let own = [("vectors.c", "driver.c"), ("matrices.c", "driver.c")];
    let of_libraries = [
        ("vectors_of_blas.c", "options.c"),
        ("matrices_of_blas.c", "options.c"),
        ("solvers_of_lapack.c", "options.c"),
        ("calls_of_cblas.c", "options.c"),
        ("banded_of_lapack.c", "options.c"),
    ];
    for (model, driver) in own.into_iter().chain(of_libraries) {
        let folder = Scratch::new(&format!("rules-right-{}", &model[..6]));
        for file in ["rules.h", "library.c", "blas.h", "blas.c", "cblas.h", "cblas.c", "solvers.h", "solvers.c"] {
            folder.write(file, &std::fs::read_to_string(from.join(file)).unwrap());
        }
        folder.write("model.c", &std::fs::read_to_string(from.join(model)).unwrap());
        folder.write("driver.c", &std::fs::read_to_string(from.join(driver)).unwrap());
        let heads = if driver == "driver.c" { "f(f x y)/(x y)" } else { "f(f)/(x y)" };
        let output = checked(&folder, heads);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{model}: {said}");
    }
}

/// Tangents along each input, and along none, beside differences, or beside the adjoint.
const ALONG: &str = "#include <math.h>
#include <stdio.h>
#ifdef ADJOINT
#include \"model_b.h\"
#else
#include \"model_d.h\"
#endif
double f(int n, double *x, double *y);
static double at(int k, double by) {
    double u[16];
    for (int i = 0; i < 16; i++) u[i] = 0.2 + 0.05 * ((7 * i) % 11) + (i == k ? by : 0.0);
    return f(8, u, u + 8);
}
int main(void) {
    for (int k = -1; k < 12; k++) {
        double u[16], u_d[16] = {0.0}, along = 0.0;
        for (int i = 0; i < 16; i++) u[i] = 0.2 + 0.05 * ((7 * i) % 11);
        if (k >= 0) u_d[k] = 1.0;
        f_d(8, u, u_d, u + 8, u_d + 8, &along);
        const double difference = k < 0 ? 0.0 : (at(k, 1e-5) - at(k, -1e-5)) / 2e-5;
        if (!(fabs(along - difference) <= 1e-7 * (1.0 + fabs(difference)))) return printf(\"%d: %g, %g\", k, along, difference), 1;
#ifdef ADJOINT
        double v[16], v_b[16] = {0.0};
        for (int i = 0; i < 16; i++) v[i] = 0.2 + 0.05 * ((7 * i) % 11);
        f_b(8, v, v_b, v + 8, v_b + 8, 1.0);
        if (k >= 0 && !(fabs(along - v_b[k]) <= 1e-12 * (1.0 + fabs(along)))) return printf(\"%d: %g, %g\", k, along, v_b[k]), 1;
#endif
    }
    return 0;
}
";

/// Solvers whose derivative follows from what is 0 behind their calls: by rows, and by products alone where there are
/// many unknowns.
#[test]
fn derivatives_of_solvers_follow_from_residuals() {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    let folder = Scratch::new("rules-implicit");
    for (file, to) in
        [("implicit.c", "model.c"), ("driver.c", "driver.c"), ("library.c", "library.c"), ("rules.h", "rules.h")]
    {
        folder.write(to, &std::fs::read_to_string(from.join(file)).unwrap());
    }
    let said = folder.printed(&["adjoint", "model.c", "--head", "f(f x y)/(x y)", "--explain"]);
    assert!(said.contains("6 of 6 procedures proved given the rules of advance, settle, 0 "), "{said}");
    assert!(!folder.read("model_b.h").contains("residual"), "{}", folder.read("model_b.h"));
    folder.builds_and_runs(&["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-O2", "model_b.c", "driver.c"]);
    let output = checked(&folder, "f(f x y)/(x y)");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    // The tangent follows from the residual, too; a unit perturbation of each input gives what the adjoint has.
    assert!(said.contains("check: f: tangent-adjoint product "), "{said}");
    folder.printed(&["tangent", "model.c", "--head", "f(f x y)/(x y)"]);
    assert!(!folder.read("model_d.h").contains("balance_d"), "{}", folder.read("model_d.h"));
    folder.write("along.c", ALONG);
    folder.builds_and_runs(&["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-O1", "model_d.c", "along.c"]);
    folder.printed(&["adjoint", "--tangent", "model.c", "--head", "f(f x y)/(x y)"]);
    folder.builds_and_runs(&["-O1", "-DADJOINT", "-Wno-unknown-pragmas", "model_b.c", "along.c"]);
    // A solver that stops too early has another derivative.
    let early = folder.read("model.c").replace("k < 60", "k < 1");
    folder.write("model.c", &early);
    let output = checked(&folder, "f(f x y)/(x y)");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("model.c:17: 'advance_rev' gives another derivative by "), "{said}");
}

#[test]
fn directives_of_solvers_that_say_too_little_are_refused() {
    let model = |directive: &str, residual: &str| {
        let folder = Scratch::new("rules-implicit-refused");
        folder.write(
            "model.c",
            &format!(
                "{residual}\n#pragma adjoint implicit {directive}\nvoid solve(double *y, const double *p);\n\
                 double f(double *p) {{\n    double y[2];\n    solve(y, p);\n    return y[0] * p[0];\n}}\n"
            ),
        );
        let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(p)"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{said}");
        said
    };
    let residual = "void r(const double *y, const double *p, double *out) { out[0] = y[0] - p[0]; out[1] = y[1]; }";
    let clauses = "reads(p[0:1]) writes(y[0:2])";
    for (directive, what) in [
        (format!("r(y, p, out) {clauses}"), "model.c:2:26: error: refused: what is 0 behind a call is expected here"),
        (format!("r(y, p) for y {clauses}"), "all but one, the residual, are parameters of 'solve'"),
        (format!("r(y, p, out) for q {clauses}"), "'q' is no parameter of 'solve' that 'r' gets"),
        (format!("r(y, 1, out) for y {clauses}"), "all but one, the residual"),
        ("r(y, p, out) for y reads(p[0:1:2]) writes(y[0:2])".into(), "says how long 'p' is: p[0:n]"),
        (format!("s(y, p, out) for y {clauses}"), "the sources do not define the residual 's'"),
    ] {
        let said = model(&directive, residual);
        assert!(said.contains(what), "{directive}: {said}");
    }
}
