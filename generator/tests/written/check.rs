//! `--check`: what is right passes; a lost pop, a wrong recipe, a wrong derivative and overlapping arguments are named.

use std::process::Command;

use adtape_generate::emit::{self, Options};
use adtape_generate::flow::Head;
use adtape_generate::front::{self, Input};
use adtape_generate::transform::{Choices, adjoint, tangent};

use crate::common::quick;

const MODEL: &str = "#include <math.h>
#include <stdlib.h>
struct model { int n; double scale; double *w; };
double f(struct model *m, double a, const double *x, double *y, int n);
double f(struct model *m, double a, const double *x, double *y, int n) {
    double s = 0.0;
    double *t = malloc((size_t)n * sizeof *t);
    for (int i = 0; i < n; i++)
        t[i] = sin(x[i] * a) * m->w[i % m->n];
    for (int i = 1; i < n; i++) {
        int k = 2 * i - n;
        y[i] = y[i - 1] * t[i] * m->w[k < 0 ? 0 : 1];
        y[i] = 0.1 * y[i] * y[i] + a;
        s += y[i] * m->scale;
    }
    free(t);
    return s;
}
";

const DRIVER: &str = "\
#include \"model_b.h\"
int main(void) {
    double w[3] = {1, 2, 3}, w_b[3] = {0}, x[8], x_b[8] = {0}, y[8] = {1}, y_b[8] = {0}, a_b = 0;
    struct model m = {3, 0.5, w}, m_b = {0, 0, w_b};
    for (int i = 0; i < 8; i++) x[i] = 0.1 * i + 0.3;
    CALL;
    return 0;
}
";
const CALL: &str = "f_b(&m, &m_b, 1.3, &a_b, x, x_b, y, y_b, 8, 1.0)";

/// Builds the model's check, changed by `damage`, with a driver that makes `call`; its exit status and what it said.
fn checked(name: &str, call: &str, damage: impl Fn(String) -> String) -> (Option<i32>, String) {
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    let head = Head { proc: "f".into(), dependents: names(&["f", "y"]), independents: names(&["m", "a", "x", "y"]) };
    checked_model(name, MODEL, &DRIVER.replace("CALL", call), head, damage)
}

/// Builds the check of any model with the head `f` with a driver; its exit status and what it said.
fn checked_model(
    name: &str,
    model: &str,
    driver: &str,
    head: Head,
    damage: impl Fn(String) -> String,
) -> (Option<i32>, String) {
    let folder = std::env::temp_dir().join(format!("adtape-check-test-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |file: &str, text: &str| std::fs::write(folder.join(file), text).unwrap();
    write("model.c", model);
    let files = vec![folder.join("model.c").to_string_lossy().into_owned()];
    let program = front::read(&Input { files, heads: vec!["f".into()], ..Input::default() });
    let program = program.unwrap_or_else(|what| panic!("{what:#?}"));
    let heads = [head];
    let choices = Choices { check: true, ..Choices::default() };
    let sweeps = adjoint(&program, &heads, &choices).unwrap_or_else(|what| panic!("{what:#?}"));
    let tangents = tangent(&program, &heads, &choices).unwrap_or_else(|what| panic!("{what:#?}"));
    let options = Options { file: "model_b.c".into(), includes: vec!["model.c".into()] };
    let output = emit::checked(&sweeps, &tangents, &options).unwrap_or_else(|what| panic!("{what:#?}"));
    write("model_b.c", &damage(output.source));
    write("model_b.h", &output.header);
    write("check.c", &output.check);
    write("driver.c", driver);
    let mut build = Command::new("gcc");
    build.current_dir(&folder).args(["-std=gnu99", "-fsanitize=address,undefined"]);
    build.args(["-Wall", "-Wextra", "-Wconversion", "-Werror", "-fno-sanitize-recover=all"]);
    let built = build.args(["-o", "t", "driver.c", "model_b.c", "check.c"]).args(quick()).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let mut run = Command::new("timeout");
    run.arg("60").arg(folder.join("t")).env("ASAN_OPTIONS", "detect_leaks=0:exitcode=4");
    let run = run.output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    (run.status.code(), String::from_utf8_lossy(&run.stderr).into_owned())
}

/// Replaces the only or first `old` in the text behind `from`.
fn replaced(text: &str, from: &str, old: &str, new: &str) -> String {
    let at = text.find(from).unwrap_or_else(|| panic!("no {from} in:\n{text}"));
    assert!(text[at..].contains(old), "no {old} in:\n{}", &text[at..]);
    format!("{}{}", &text[..at], text[at..].replacen(old, new, 1))
}

#[test]
fn right_adjoint_passes_and_agrees_with_tangent_and_differences() {
    let (status, said) = checked("right", CALL, |text| text);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains(" operands compared, 0 wrong") && !said.contains("check: 0 operands"), "{said}");
    assert!(said.contains("check: f: tangent-adjoint product ") && said.contains("check: f: differences "), "{said}");
}

/// The reverse sweep leaves a value on the tape: what it reads instead is another one.
#[test]
fn lost_pop_is_named() {
    let (status, said) = checked("pop", CALL, |text| {
        let at = text.rfind("adtape_pop_f64(tape, &y[i").unwrap_or_else(|| panic!("{text}"));
        let end = at + text[at..].find(';').unwrap();
        format!("{}(void)0{}", &text[..at], &text[end..])
    });
    assert_eq!(status, Some(4), "{said}");
    assert!(said.contains("model.c:13: 'y[i]' has not the value that it had in the forward sweep"), "{said}");
    assert!(said.contains("bytes are left on the tape"), "{said}");
}

/// An index that is computed again in another way than the forward sweep did.
#[test]
fn wrong_recipe_is_named() {
    let (status, said) = checked("recipe", CALL, |text| {
        let at = text.rfind("f_rev(adtape_t *tape").unwrap();
        format!("{}{}", &text[..at], replaced(&text[at..], "2 * i", "2 * i", "3 * i"))
    });
    assert_eq!(status, Some(4), "{said}");
    assert!(said.contains("model.c:12: ") && said.contains("has not the value that it had"), "{said}");
}

/// Every operand is right, the rule is wrong: only the tangent notices.
#[test]
fn wrong_derivative_is_found_by_the_tangent() {
    let (status, said) = checked("rule", CALL, |text| {
        let at = text.rfind("f_rev(adtape_t *tape").unwrap();
        format!("{}{}", &text[..at], replaced(&text[at..], "cos(", "cos(", "0.5 * cos("))
    });
    assert_eq!(status, Some(4), "{said}");
    assert!(said.contains("check: f: adjoint and tangent differ: products "), "{said}");
    assert!(said.contains("check: f: adjoint and differences differ: "), "{said}");
}

/// `f` writes `y`, so its adjoint is right only if `x` is other memory.
#[test]
fn overlapping_arguments_are_named() {
    let call = CALL.replace("x, x_b, y, y_b, 8", "x, x_b, x + 2, y_b, 4");
    let (status, said) = checked("overlap", &call.replace(", 1.0", ", (double)(y[0] > 0)"), |text| text);
    assert_eq!(status, Some(4), "{said}");
    assert!(said.contains("some of its arguments 'x' and 'y' overlap: pass different memory"), "{said}");
}

#[test]
fn driver_that_calls_no_adjoint_fails() {
    let (status, said) = checked("none", &format!("if (x[0] < 0) {CALL}"), |text| text);
    assert_eq!(status, Some(4), "{said}");
    assert!(said.contains("check: the driver called no adjoint"), "{said}");
}

const SCALAR_DRIVER: &str = "#include \"model_b.h\"
int main(void) {
    double x_b = 0;
    f_b(2.0, &x_b, 1.0);
    return !(x_b == DERIVATIVE);
}
";

fn scalar(name: &str, model: &str, derivative: &str) -> (Option<i32>, String) {
    let head = Head { proc: "f".into(), dependents: vec!["f".into()], independents: vec!["x".into()] };
    checked_model(name, model, &SCALAR_DRIVER.replace("DERIVATIVE", derivative), head, |text| text)
}

/// No memory of the caller has an adjoint: the sanitizers stopped the child, which wrote no words from NULL.
#[test]
fn head_without_pointers_is_compared_with_its_tangent() {
    let (status, said) = scalar("scalar", "double f(double x);\ndouble f(double x) { return x * x; }\n", "4.0");
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("check: f: tangent-adjoint product "), "{said}");
}

/// Both operands of the maximum are 2 here: the mean of the slopes 1 and 3 was taken for an error of the adjoint.
#[test]
fn kink_is_compared_with_differences_on_one_side() {
    let model = "double f(double x);\ndouble f(double x) { return x > 3 * x - 4 ? x : 3 * x - 4; }\n";
    let (status, said) = scalar("kink", model, "3.0");
    assert_eq!(status, Some(0), "{said}");
    let slopes = said.split("the function has a kink here, its slopes are ").nth(1).unwrap_or_else(|| panic!("{said}"));
    let slopes: Vec<f64> = slopes.lines().next().unwrap().split(" and ").map(|slope| slope.parse().unwrap()).collect();
    assert!((slopes[0] / slopes[1] - 3.0).abs() < 1e-6, "{said}");
}

/// Rows lie as far behind their table as those of the adjoint do, and were taken for a part of the table, which the
/// function does not write.
#[test]
fn memory_behind_pointers_to_pointers_belongs_to_no_argument() {
    let model = "void f(double **a);\nvoid f(double **a) { a[0][0] *= a[1][1]; }\n";
    let driver = "#include \"model_b.h\"
int main(void) {
    static struct { double *rows[2], reals[4]; } a = {{0, 0}, {1, 2, 3, 4}}, b = {{0, 0}, {1, 1, 1, 1}};
    a.rows[0] = a.reals, a.rows[1] = a.reals + 2, b.rows[0] = b.reals, b.rows[1] = b.reals + 2;
    f_b(a.rows, b.rows);
    return !(b.reals[0] == 4 && b.reals[3] == 2);
}
";
    let head = Head { proc: "f".into(), dependents: vec!["a".into()], independents: vec!["a".into()] };
    let (status, said) = checked_model("rows", model, driver, head, |text| text);
    assert_eq!(status, Some(5), "{said}");
    assert!(said.ends_with("0 wrong; 1 comparison could not be made\n"), "{said}");
    assert!(said.contains("f: not compared with its tangent: it reaches memory of no argument"), "{said}");
}

/// A result of 1e90 does not change with the input, as far as its digits go, and that was taken for its derivative.
#[test]
fn large_result_is_not_compared_with_differences() {
    let (status, said) = scalar("large", "double f(double x);\ndouble f(double x) { return 1e90 + x * x; }\n", "4.0");
    assert_eq!(status, Some(5), "{said}");
    assert!(said.ends_with("0 wrong; 1 comparison could not be made\n"), "{said}");
    assert!(said.contains("check: f: tangent-adjoint product "), "{said}");
    assert!(said.contains("check: f: not compared with differences: results are too large"), "{said}");
}

#[test]
fn function_that_ends_beside_its_inputs_is_not_compared_with_differences() {
    let model = "#include <stdlib.h>\ndouble f(double x);\n\
                 double f(double x) {\n    if (x != 2.0) exit(0);\n    return x * x;\n}\n";
    let (status, said) = scalar("ended", model, "4.0");
    assert_eq!(status, Some(5), "{said}");
    assert!(said.ends_with("0 wrong; 1 comparison could not be made\n"), "{said}");
    assert!(said.contains("check: f: tangent-adjoint product "), "{said}");
    assert!(said.contains("check: f: not compared with differences: the function did not end"), "{said}");
}

#[test]
fn call_of_an_adjoint_that_does_nothing_counts() {
    let head = Head { proc: "f".into(), dependents: vec!["y".into()], independents: vec!["x".into()] };
    let model = "void f(double *x, double *y);\nvoid f(double *x, double *y) { (void)x, (void)y; }\n";
    let driver = "#include \"model_b.h\"\nint main(void) {\n    double x = 1, y = 2;\n    f_b(&x, &x, &y, &y);\n    return 0;\n}\n";
    let (status, said) = checked_model("nothing", model, driver, head, |text| text);
    assert_eq!(status, Some(5), "{said}");
    assert!(said.ends_with("0 wrong; 1 comparison could not be made\n"), "{said}");
    assert!(said.contains("check: f: no derivative flows"), "{said}");
    assert!(said.contains("f: not compared with differences: it has no sweeps"), "{said}");
}

/// The program of the model and the driver each have a `main`.
#[test]
fn model_may_have_a_main() {
    let model = "double f(double x);\ndouble f(double x) { return x * x; }\nint main(void) { return f(1.0) < 0; }\n";
    let (status, said) = scalar("main", model, "4.0");
    assert_eq!(status, Some(0), "{said}");
}

/// A pass that runs again with other values than the first time: reverse sweep and second run agree with each other, so
/// only what the first run left tells.
#[test]
fn pass_that_computes_something_else_when_it_is_run_again_is_named() {
    let model = "#include <math.h>
double f(int n, const double *x);
double f(int n, const double *x) {
    double s = 0.0;
#pragma adjoint again
    for (int i = 0; i < n; i++) {
        double p = sin(x[i]);
        s += p * p * p;
    }
    return s;
}
";
    let driver = "#include \"model_b.h\"
int main(void) {
    double x[3] = {1, 2, 3}, x_b[3] = {0};
    f_b(3, x, x_b, 1.0);
    return 0;
}
";
    let head = || Head { proc: "f".into(), dependents: vec!["f".into()], independents: vec!["x".into()] };
    let (status, said) = checked_model("again-right", model, driver, head(), |text| text);
    assert_eq!(status, Some(0), "{said}");
    let (status, said) = checked_model("again-wrong", model, driver, head(), |text| {
        let at = text.rfind("f_rev(adtape_t *tape").unwrap();
        format!("{}{}", &text[..at], replaced(&text[at..], "sin(", "sin(", "0.5 * sin("))
    });
    assert_eq!(status, Some(4), "{said}");
    assert!(said.contains("model.c:6: 'a pass of the loop' has other operands than in the forward sweep"), "{said}");
}

/// Replaces what the reverse sweep and the tangent compute, as a wrong analysis would: they agree with each other.
fn in_both(text: &str, old: &str, new: &str) -> String {
    let at = text.find("f_rev(adtape_t *tape").unwrap_or_else(|| panic!("{text}"));
    assert!(text[at..].matches(old).count() >= 2, "no two {old} in:\n{}", &text[at..]);
    format!("{}{}", &text[..at], text[at..].replace(old, new))
}

/// Tangent and adjoint are both 0: the check was content with "no derivative but 0 was met".
#[test]
fn zero_of_tangent_and_adjoint_is_compared_with_differences() {
    let model = "#include <math.h>\ndouble f(double x);\ndouble f(double x) { return sin(x); }\n";
    let head = || Head { proc: "f".into(), dependents: vec!["f".into()], independents: vec!["x".into()] };
    let driver = SCALAR_DRIVER.replace("!(x_b == DERIVATIVE)", "0");
    let (status, said) = checked_model("zero", model, &driver, head(), |text| in_both(&text, "cos(", "0.0 * cos("));
    assert_eq!(status, Some(4), "{said}");
    assert!(said.contains("check: f: no derivative but 0 was met"), "{said}");
    assert!(said.contains("check: f: adjoint and differences differ: 0 and "), "{said}");
    // A derivative that is 0 for good: results keep their bits.
    let model = "double f(double x);\ndouble f(double x) { return x < 0.0 ? x * x : 3.0; }\n";
    let (status, said) = checked_model("zero-right", model, &driver, head(), |text| text);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("check: f: differences 0"), "{said}");
    // One that is 0 at this point alone.
    let model = "double f(double x);\ndouble f(double x) { return (x - 2.0) * (x - 2.0) * (x - 2.0) + 3.0; }\n";
    let (status, said) = checked_model("zero-here", model, &driver, head(), |text| text);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("check: f: differences 0"), "{said}");
}

/// A part of the gradient is lost that vanishes beside the rest, as far as differences along all inputs can tell.
#[test]
fn lost_zero_beside_large_derivatives_is_found() {
    let model = "#include <math.h>
double f(const double *x, double a);
double f(const double *x, double a) { return 1e3 * exp(x[0]) + 1e-2 * a * sin(x[1]) + x[2] * x[3]; }
";
    let driver = "#include \"model_b.h\"
int main(void) {
    double x[4] = {1, 0.5, 2, 0}, x_b[4] = {0}, a_b = 0;
    f_b(x, x_b, 1.3, &a_b, 1.0);
    return 0;
}
";
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    let head = || Head { proc: "f".into(), dependents: names(&["f"]), independents: names(&["x", "a"]) };
    let (status, said) = checked_model("lost-right", model, driver, head(), |text| text);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("check: f: differences 0, along element 2 of 'x', whose adjoint is 0"), "{said}");
    let (status, said) = checked_model("lost", model, driver, head(), |text| in_both(&text, "cos(", "0.0 * cos("));
    assert_eq!(status, Some(4), "{said}");
    assert!(said.contains(", along element 1 of 'x' and 1 more inputs whose adjoint is 0"), "{said}");
    assert!(!said.contains("adjoint and tangent differ"), "{said}");
}

/// An input that met no derivative is not compared, and the last line says so.
#[test]
fn input_without_an_adjoint_makes_the_check_incomplete() {
    let model = "double f(const double *x, const double *t);
double f(const double *x, const double *t) { return x[0] * x[0] + (t[0] > 0.5 ? 1.0 : 2.0); }
";
    let driver = "#include \"model_b.h\"
int main(void) {
    double x = 2, x_b = 0, t = 1, t_b = 0;
    f_b(&x, &x_b, &t, &t_b, 1.0);
    return STATUS;
}
";
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    let head = || Head { proc: "f".into(), dependents: names(&["f"]), independents: names(&["x", "t"]) };
    let (status, said) = checked_model("met", model, &driver.replace("STATUS", "0"), head(), |text| text);
    assert_eq!(status, Some(5), "{said}");
    assert!(said.contains("not compared with differences: no call met an adjoint of an element of 't'"), "{said}");
    assert!(said.ends_with(" operands compared, 0 wrong; 1 comparison could not be made\n"), "{said}");
    // An error of the driver counts more.
    let (status, said) = checked_model("met-status", model, &driver.replace("STATUS", "7"), head(), |text| text);
    assert_eq!(status, Some(7), "{said}");
}

/// Only the first of two calls was compared, and the check passed: children of the second one ended, as those of a
/// process without memory may.
#[test]
fn call_whose_child_ends_makes_the_check_incomplete() {
    let model = "double f(double x);\ndouble f(double x) { return x * x; }\n";
    let driver = "#include <pthread.h>
#include <unistd.h>
#include \"model_b.h\"
static void end(void) { _exit(9); }
int main(void) {
    double x_b = 0;
    f_b(2.0, &x_b, 1.0);
    pthread_atfork(NULL, NULL, end);
    f_b(2.0, &x_b, 1.0);
    return x_b != 8;
}
";
    let head = Head { proc: "f".into(), dependents: vec!["f".into()], independents: vec!["x".into()] };
    let (status, said) = checked_model("child", model, driver, head, |text| text);
    assert_eq!(status, Some(5), "{said}");
    assert!(said.contains("check: f: differences "), "{said}");
    let why = "check: f: not compared: the run of both sweeps did not end in a child of the process (status 9)\n";
    assert!(said.contains(why) && said.ends_with(" 0 wrong; 1 comparison could not be made\n"), "{said}");
}

/// The pointer in a struct one past the end of an array was read, which the function never does.
#[test]
fn struct_past_the_end_is_not_read() {
    let model = "struct stage { double *gain; };
struct chain { struct stage *begin, *end; double last; };
double f(struct chain *c, double x);
double f(struct chain *c, double x) {
    double product = x;
    for (struct stage *s = c->begin; s != c->end; s++) product *= s->gain[0];
    c->last = c->end[-1].gain[0];
    return product;
}
";
    let driver = "#include <stdlib.h>
#include \"model_b.h\"
int main(void) {
    double gains[3] = {2, 3, 4}, gains_b[3] = {0}, x_b = 0;
    struct stage *stages = malloc(3 * sizeof *stages), *stages_b = malloc(3 * sizeof *stages_b);
    for (int k = 0; k < 3; k++) stages[k].gain = gains + k, stages_b[k].gain = gains_b + k;
    struct chain c = {stages, stages + 3, 0}, c_b = {stages_b, stages_b + 3, 0};
    f_b(&c, &c_b, 5.0, &x_b, 1.0);
    return !(x_b == 24 && gains_b[0] == 60);
}
";
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    let head = Head { proc: "f".into(), dependents: names(&["f"]), independents: names(&["x", "c"]) };
    let (status, said) = checked_model("past", model, driver, head, |text| text);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("check: f: tangent-adjoint product ") && said.contains("check: f: differences "), "{said}");
}
