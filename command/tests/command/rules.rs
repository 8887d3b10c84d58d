//! Functions whose derivative is given, and functions without one.

use crate::common::Scratch;
use crate::programs::check_driver;
use std::path::Path;

const HEAD: &str = "f(f x y)/(x y)";

/// A folder with a program of `tests/rules` as the model, its library and its driver.
fn folder(name: &str, model: &str) -> Scratch {
    let folder = Scratch::new(&format!("rules-{name}"));
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    for (file, to) in [("rules.h", "rules.h"), ("library.c", "library.c"), ("driver.c", "driver.c"), (model, "model.c")]
    {
        folder.write(to, &std::fs::read_to_string(from.join(file)).unwrap());
    }
    folder
}

fn runs(folder: &Scratch, level: &str) {
    let warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"];
    folder.builds_and_runs(&[&warnings[..], &[level, "model_b.c", "driver.c"]].concat());
}

#[test]
fn given_derivatives_make_the_gradient() {
    for (model, rules) in
        [("vectors.c", "add_scaled, draw, exponentials, inner, squares"), ("matrices.c", "product, solve_")]
    {
        let folder = folder(&model[..4], model);
        let said = folder.printed(&["adjoint", "model.c", "--head", HEAD, "--explain"]);
        assert!(said.contains(&format!(" procedures proved given the rules of {rules}, 0 ")), "{said}");
        assert!(!said.contains("not proved"), "{said}");
        runs(&folder, "-O0");
        runs(&folder, "-O2");
    }
}

/// Passes with rules may run again, one at a time or from snapshots; not those of a function with a state.
#[test]
fn passes_with_rules_run_again() {
    let folder = folder("again", "steps.c");
    for (option, said) in [("--again", "its passes are run again"), ("--checkpoint", "from 2 snapshots at most")] {
        let loops = if option == "--again" { "f:t" } else { "f:t=2" };
        let explained = folder.printed(&["adjoint", "model.c", "--head", HEAD, option, loops, "--explain"]);
        assert!(explained.contains(said) && !explained.contains("not proved"), "{explained}");
        runs(&folder, "-O1");
    }
    folder.write("rules.h", &folder.read("rules.h").replace("needs(x before)", "needs(x before) state(seed)"));
    let refused = folder.run(&["adjoint", "model.c", "--head", HEAD, "--checkpoint", "f:t=2"]);
    assert_eq!(refused.status.code(), Some(3), "{}", String::from_utf8_lossy(&refused.stderr));
}

/// The tangent calls those that are given, too; `--check` compares both.
#[test]
fn given_tangents_and_adjoints_agree() {
    let folder = folder("check", "vectors.c");
    check_driver(&folder, HEAD);
}

/// What the derivatives need is pushed where the program overwrites it, and nothing else: the factors that a solver
/// leaves are read where they are.
#[test]
fn needs_are_kept_and_nothing_else() {
    let folder = folder("needs", "vectors.c");
    let model = "#include \"rules.h\"
double f(int n, double *x, double *y) {
    double a[16];
    int pivots[4], info, one = 1, four = 4;
    for (int i = 0; i < 16; i++) a[i] = x[i % 4] * (i % 5 == 0 ? 4.0 : 0.1 * i);
    solve_(&four, &one, a, &four, pivots, y, &four, &info);
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += y[i] * y[i];
    return sum;
}
";
    folder.write("model.c", model);
    folder.printed(&["adjoint", "model.c", "--head", HEAD, "--explain"]);
    let written = folder.read("model_b.c");
    let sweep = |name: &str| {
        let text = written.split(&format!("{name}(adtape_t *tape")).nth(2).and_then(|text| text.split("\n}\n").next());
        text.expect("a forward sweep").matches("adtape_push").count()
    };
    // The matrix and the pivots, where they end, and what the two numbers lie in.
    assert_eq!([sweep("solve__fwd"), sweep("f_fwd")], [0, 4], "{written}");
    runs(&folder, "-O1");
}

/// By its directive or by the command line; source gives way to the word of the program.
#[test]
fn no_derivative_passes_through_passive_functions() {
    let folder = Scratch::new("rules-passive");
    let model = "double trace(int n, const double *x, double y);
void log_1(const char *what, int *count);
void log_22(int step);
static int steps;
static double factor(double x) { return steps++, 2.0 + 0.0 * x; }
double f(int n, double *x) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        int done = i;
        s += x[i] * x[i] * factor(x[i]) + 0.0 * trace(n, x, s);
        log_1(\"step\", &done);
        log_22(done);
    }
    return s;
}
";
    folder.write("model.c", model);
    let refused = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)"]);
    assert_eq!(refused.status.code(), Some(3));
    let passive = ["--passive", "trace", "--passive", "log_*", "--passive", "factor"];
    folder.printed(&[&["adjoint", "model.c", "--head", "f(f)/(x)"][..], &passive].concat());
    let written = folder.read("model_b.c");
    let given = "/* No derivative passes through these, which leave memory alone: factor, log_1, log_22, trace. */";
    assert!(written.contains(given), "{written}");
    folder.write(
        "model.c",
        &format!(
            "#pragma adjoint passive log_* trace\n{}",
            model.replace("static double factor", "#pragma adjoint passive\nstatic double factor")
        ),
    );
    folder.printed(&["adjoint", "model.c", "--head", "f(f)/(x)"]);
    let driver = "#include \"model_b.h\"
double trace(int n, const double *x, double y) { return x[n - 1] + y; }
static int lines;
void log_1(const char *what, int *count) { lines += what[0] == 's' && *count < 3; }
void log_22(int step) { lines += step; }
int main(void) {
    double x[3] = {1.0, 2.0, 3.0}, x_b[3] = {0.0};
    f_b(3, x, x_b, 1.0);
    return x_b[0] != 4.0 || x_b[1] != 8.0 || x_b[2] != 12.0 || lines != 6;
}
";
    folder.write("driver.c", driver);
    runs(&folder, "-O1");
}

#[test]
fn rules_that_say_too_little_are_refused_with_what_is_missing() {
    let program = |rules: &str| {
        let folder = Scratch::new("rules-refused");
        folder.write("rules.h", rules);
        folder.write(
            "model.c",
            "#include \"rules.h\"\ndouble f(int n, double *x, double *y, double t) {\n    \
             fill(n, x, y, t);\n    return y[0];\n}\n",
        );
        let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x t)"]);
        assert_eq!(output.status.code(), Some(3), "{rules}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let function = "void fill(int n, const double *x, double *y, double t);\n";
    let derivative =
        "void fill_rev(int n, const double *x, double *x_b, double *y, double *y_b, double t, double *t_b);\n";
    let given = |rule: &str| program(&format!("#pragma adjoint rule {rule}\n{function}{derivative}"));
    let said = |said: &str, all: [&str; 2]| all.iter().for_each(|text| assert!(said.contains(text), "{said}"));
    said(&given("raeds(x[0:n])"), ["rules.h:1:22: error: refused: there is no clause 'raeds'", "reads(x[0:n])"]);
    said(&given("reads(x[0:n) writes(y[0:n])"), ["rules.h:1:29: error: refused: a ']' is missing", "docs/rules.md"]);
    said(&given("reads(x[0:n] z[0:n]) writes(y[0:n])"), ["'fill' has no parameter 'z'", "rules.h:1"]);
    said(
        &given("reads(x[0:n])"),
        ["the rule of 'fill' does not say how much of 'y' it writes: writes(y[0:n])", "rules.h:1"],
    );
    said(&given("writes(x[0:n] y[0:n])"), ["'x' of 'fill' is constant and cannot be written", "rules.h:1"]);
    said(
        &given("reads(x[0:m]) writes(y[0:n])"),
        ["rules.h:2:6: error: refused: the clauses of the rule of 'fill' are no C", "'m'"],
    );
    let alone = program(&format!("#pragma adjoint rule reads(x[0:n]) writes(y[0:n])\n{function}"));
    said(
        &alone,
        [
            "'fill' has a rule and no 'fill_rev' is declared",
            "declare void fill_rev(int n, const double *x, double *x_b, double *y, double *y_b, double t, double *t_b);",
        ],
    );
    let without = derivative.replace(", double *t_b", "");
    let passive = program(&format!("#pragma adjoint rule reads(x[0:n]) writes(y[0:n])\n{function}{without}"));
    said(
        &passive,
        ["'t' of 'fill' depends on the inputs here, and 'fill_rev' has no adjoint for it", "'t_b' behind 't'"],
    );
    let named = program(&format!("#pragma adjoint passive fill writes(y[0:n])\n{function}"));
    said(
        &named,
        ["rules.h:1:17: error: refused: clauses are about the declaration behind them", "leave out the names"],
    );
    let nothing = program("#pragma adjoint rule reads(x[0:1])\nint i;\n");
    said(&nothing, ["no declaration of a function stands behind the directive", "rules.h:1"]);
}

/// A derivative by members of a struct was lost without a word.
#[test]
fn structs_that_depend_on_the_inputs_are_refused() {
    let program = |law: &str, constant: &str, first: &str| {
        let folder = Scratch::new("rules-structs");
        let text = format!(
            "{law}
#pragma adjoint rule reads(x[0:n]) writes(y[0:n])
void apply(int n, {constant}struct law *law, const double *x, double *y);
void apply_rev(int n, {constant}struct law *law, const double *x, double *x_b, double *y, double *y_b);
double f(int n, const double *x) {{
    struct law law = {first};
    double y[4];
    apply(4, &law, x, y);
    return y[0] * n;
}}
"
        );
        folder.write("model.c", &text);
        let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)"]);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let plain = "struct law { double a; int kind; };";
    let nested = "struct inner { int i; double v[2][2]; }; struct law { struct inner in; };";
    for (law, first) in [(plain, "{x[0], 1}"), (nested, "{{1, {{x[0], 0}, {0, 0}}}}")] {
        let (status, said) = program(law, "const ", first);
        assert_eq!(status, Some(3), "{said}");
        assert!(said.contains("'law' of 'apply' depends on the inputs here, and 'apply_rev' has no adjoint"), "{said}");
    }
    let (status, said) = program(plain, "const ", "{2.0, 1}");
    assert_eq!(status, Some(0), "{said}");
    let (status, said) = program(plain, "", "{2.0, 1}");
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("'law' of 'apply' leads to a struct with reals that it may write: make it const"), "{said}");
}

#[test]
fn a_tangent_needs_one_and_several_adjoints_at_once_are_refused() {
    let folder = folder("tangent", "matrices.c");
    let output = folder.run(&["tangent", "model.c", "--head", HEAD]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("'product' has a rule and no tangent") && said.contains("declare 'product_d'"), "{said}");
    let output = folder.run(&["adjoint", "model.c", "--head", HEAD, "--vector", "3"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("'product_rev' computes one adjoint at a time"), "{said}");
}

/// The header of the rules is an input of the generated file.
#[test]
fn a_changed_rule_makes_the_adjoint_stale() {
    let folder = folder("stale", "vectors.c");
    folder.printed(&["adjoint", "model.c", "--head", HEAD]);
    assert_eq!(folder.run(&["adjoint", "--verify", "model_b.c"]).status.code(), Some(0));
    folder.write("rules.h", &folder.read("rules.h").replace("needs(y)", "needs(x y)"));
    assert_eq!(folder.run(&["adjoint", "--verify", "model_b.c"]).status.code(), Some(4));
}

/// BLAS and LAPACK need no word: their rules are the generator's own. All options, with strides of both signs, by
/// rows and by columns.
#[test]
fn rules_of_blas_and_lapack_are_known() {
    let programs = [
        ("vectors_of_blas.c", "rules_blas.h"),
        ("matrices_of_blas.c", "rules_blas.h"),
        ("solvers_of_lapack.c", "rules_blas.h"),
        ("calls_of_cblas.c", "rules_cblas.h"),
        ("banded_of_lapack.c", "rules_solvers.h"),
    ];
    for (model, header) in programs {
        let folder = folder(&model[..6], model);
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
        for file in ["blas.h", "blas.c", "cblas.h", "cblas.c", "solvers.h", "solvers.c"] {
            folder.write(file, &std::fs::read_to_string(from.join(file)).unwrap());
        }
        folder.write("driver.c", &std::fs::read_to_string(from.join("options.c")).unwrap());
        let said = folder.printed(&["adjoint", "model.c", "--head", "f(f)/(x y)", "--explain"]);
        assert!(said.contains(" procedures proved given the rules of ") && !said.contains("not proved"), "{said}");
        assert!(folder.read("model_b.c").contains(&format!("#include <adtape/{header}>")));
        runs(&folder, "-O1");
    }
}

/// Subroutines without source, in a module that is not there and outside of modules.
#[test]
fn sweeps_of_fortran_leave_passive_subroutines_out() {
    let folder = Scratch::new("rules-fortran");
    let model = "subroutine step (n, x)
  use timers, only: timer_start
  implicit none
  integer, intent(in) :: n
  double precision, intent(inout) :: x(n)
  integer :: i
  call timer_start ('step')
  do i = 2, n
    x(i) = x(i) * x(i - 1)
  end do
  call Trace (n, x)
end subroutine step
";
    folder.write("model.f90", model);
    let refused = folder.run(&["adjoint", "model.f90", "--head", "step(x)/(x)"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(3), "{said}");
    assert!(said.contains("'timer_start' comes from 'timers'") && said.contains("'trace' is called here"), "{said}");
    folder.printed(&["adjoint", "model.f90", "--head", "step(x)/(x)", "--passive", "timer_*", "--passive", "TRACE"]);
    let written = folder.read("model_b.f90").to_lowercase();
    assert!(!written.contains("call timer_start") && !written.contains("call trace"), "{written}");
}

/// A header that two sources include, with a type of its own; and a rule in the second source only.
#[test]
fn several_sources_share_rules() {
    let folder = Scratch::new("rules-shared");
    folder.write(
        "shared.h",
        "#ifndef SHARED_H\n#define SHARED_H\ntypedef double real;\n\
         #pragma adjoint rule updates(x[0:n]) needs(x before)\nvoid squares(int n, real *x);\n\
         void squares_rev(int n, real *x, real *x_b);\n#endif\n",
    );
    folder.write("model.c", "#include \"shared.h\"\nreal part(int n, real *x);\nreal f(int n, real *x) { squares(n, x); return part(n, x); }\n");
    let second = "#include \"shared.h\"
typedef double value;
#pragma adjoint rule reads(x[0:n]) needs()
value total(int n, const value *x);
void total_rev(int n, const value *x, value *x_b, value total_b);
real part(int n, real *x) { squares(n, x); return total(n, x) * x[0]; }
";
    folder.write("second.c", second);
    let said = folder.printed(&["adjoint", "model.c", "second.c", "--head", "f(f)/(x)", "--explain"]);
    assert!(said.contains("4 of 4 procedures proved given the rules of squares, total, 0 "), "{said}");
    let driver = "#include \"model_b.h\"
#include <math.h>
void squares(int n, double *x) { for (int i = 0; i < n; i++) x[i] *= x[i]; }
void squares_rev(int n, double *x, double *x_b) { for (int i = 0; i < n; i++) x_b[i] *= 2.0 * x[i]; }
double total(int n, const double *x) { double s = 0.0; for (int i = 0; i < n; i++) s += x[i]; return s; }
void total_rev(int n, const double *x, double *x_b, double total_b) {
    for (int i = 0; i < n && x; i++) x_b[i] += total_b;
}
int main(void) {
    double x[2] = {1.1, 1.2}, x_b[2] = {0.0};
    f_b(2, x, x_b, 1.0);
    const double a = pow(1.1, 4), b = pow(1.2, 4);
    return !(fabs(x_b[0] - 4.0 * pow(1.1, 3) * (2.0 * a + b)) < 1e-12 && fabs(x_b[1] - 4.0 * pow(1.2, 3) * a) < 1e-12);
}
";
    folder.write("driver.c", driver);
    runs(&folder, "-O1");
}

/// The adjoint of what lies in a block of the stable heap has no parameter of its own in the sweeps.
#[test]
fn derivatives_get_adjoints_of_what_lists_hold() {
    let folder = Scratch::new("rules-blocks");
    folder.write(
        "model.c",
        "#include <stdlib.h>
#pragma adjoint rule reads(x[0:n]) needs(x)
double squares_of(int n, const double *x);
void squares_of_rev(int n, const double *x, double *x_b, double squares_of_b);
struct node { double v[3]; struct node *next; };
double f(int n, const double *x) {
    struct node *head = NULL;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        struct node *node = malloc(sizeof *node);
        for (int k = 0; k < 3; k++) node->v[k] = k * x[i];
        node->next = head;
        head = node;
    }
    while (head) {
        struct node *node = head;
        sum += squares_of(3, node->v);
        head = node->next;
        free(node);
    }
    return sum;
}
",
    );
    folder.write(
        "driver.c",
        "#include \"model_b.h\"
double squares_of(int n, const double *x) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sum;
}
void squares_of_rev(int n, const double *x, double *x_b, double squares_of_b) {
    if (x_b) {
        for (int i = 0; i < n; i++) x_b[i] += 2.0 * x[i] * squares_of_b;
    }
}
int main(void) {
    double x[2] = {1.0, 3.0}, x_b[2] = {0.0};
    f_b(2, x, x_b, 1.0);
    return x_b[0] != 10.0 || x_b[1] != 30.0;
}
",
    );
    folder.printed(&["adjoint", "model.c", "--head", "f(f)/(x)"]);
    runs(&folder, "-O0");
    runs(&folder, "-O2");
}
