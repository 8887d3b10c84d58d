//! Generated C: it compiles without warnings, and its gradient is that of differences.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use adtape_generate::emit::{self, Options};
use adtape_generate::ir::{parse, print, validate};
use adtape_generate::plan::again::Named;
use adtape_generate::transform::{Choices, adjoint, tangent};

use crate::common::{Scratch, flags, generate, head};

/// Generates the adjoint of a program in the text form, compiles it with both compilers beside its C source and a
/// driver, and runs it: it prints nothing.
fn generated(name: &str, ir: &str, of: &str, c: &str, driver: &str) -> String {
    let program = parse::program(ir).unwrap_or_else(|what| panic!("{what}"));
    validate::program(&program).unwrap_or_else(|what| panic!("{what:#?}"));
    let adjoint = adjoint(&program, &[head(of)], &Choices::default()).unwrap_or_else(|what| panic!("{what:#?}"));
    for sweeps in &adjoint.sweeps {
        println!("{}{}", print::proc(&program, &sweeps.forward), print::proc(&program, &sweeps.reverse));
    }
    let options = Options { file: "model_b.c".into(), includes: vec!["model.c".into()] };
    let output = emit::adjoint(&adjoint, &options).unwrap_or_else(|what| panic!("{what:#?}"));
    println!("{}", output.source);
    let folder = std::env::temp_dir().join(format!("adtape-emit-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |file: &str, text: &str| std::fs::write(folder.join(file), text).unwrap();
    write("model.c", c);
    write("model_b.c", &output.source);
    write("model_b.h", &output.header);
    write(
        "driver.c",
        &format!("#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include \"model_b.h\"\n{driver}"),
    );
    for compiler in ["gcc", "clang"] {
        let mut build = Command::new(compiler);
        build.current_dir(&folder).args(["-std=gnu99", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Werror"]);
        let built = build.args(["-o", "t", "driver.c", "model_b.c"]).args(flags()).output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        // A wrong count must end in an error, not in a machine without memory.
        let mut run = Command::new("timeout");
        let run = run.arg("20").arg(folder.join("t")).env("ADTAPE_MEMORY_LIMIT", "100M").output().unwrap();
        assert!(run.status.success() && run.stdout.is_empty(), "{compiler}: {}", String::from_utf8_lossy(&run.stdout));
    }
    std::fs::remove_dir_all(&folder).unwrap();
    output.source
}

#[test]
fn gradient_of_power_is_that_of_the_formula() {
    generated(
        "power",
        "proc f(double x, int n) -> double {
           var double s
           var int i
           let s.1 = 1.0
           let i.1 = 0
           loop before i.2 < n.0
             carry s.2 = s.1 | s.3 -> s.4
             carry i.2 = i.1 | i.3 -> i.4
           {
             let s.3 = s.2 * x.0
             let i.3 = i.2 + 1
           }
           return s.4
         }",
        "f(f)/(x)",
        "double f(double x, int n);\ndouble f(double x, int n) { double s = 1.0; for (int i = 0; i < n; i++) s *= x; return s; }\n",
        "int main(void) {
  for (int n = 0; n < 6; n++) {
    double x_b = 0.25;
    f_b(1.5, &x_b, n, 2.0);
    double expected = 0.25 + 2.0 * n * pow(1.5, n - 1);
    if (fabs(x_b - expected) > 1e-13) printf(\"%d: %g, not %g\\n\", n, x_b, expected);
  }
  return 0;
}
",
    );
}

const STEPS: &str = "proc step(double* u, int n) {
  var int i
  let i.1 = 1
  loop before i.2 < n.0
    carry i.2 = i.1 | i.3 -> i.4
  {
    if u.0[i.2] > 0.0 {
      store u.0[i.2] = u.0[i.2] - 0.5 * u.0[i.2] * u.0[i.2 - 1]
    } else {
      store u.0[i.2] = sin(u.0[i.2]) * 2.0
    }
    let i.3 = i.2 + 1
  }
}
proc f(double* u, int n, int m) -> double {
  var int t
  var double old, swap, s
  let old.0 = 1.0
  let s.0 = 0.25
  let t.1 = 0
  loop before t.2 < m.0
    carry t.2 = t.1 | t.3 -> t.4
    carry old.1 = old.0 | old.2 -> old.3
    carry s.1 = s.0 | s.2 -> s.3
  {
    call step(u.0, n.0)
    let swap.0 = old.1
    let old.2 = s.1 * u.0[0]
    let s.2 = swap.0 + u.0[n.0 - 1]
    let t.3 = t.2 + 1
  }
  return s.3 * old.3
}
";

const STEPS_C: &str = "static void step(double *u, int n) {
  for (int i = 1; i < n; i++) {
    if (u[i] > 0.0) u[i] = u[i] - 0.5 * u[i] * u[i - 1];
    else u[i] = sin(u[i]) * 2.0;
  }
}
double f(double *u, int n, int m);
double f(double *u, int n, int m) {
  double old = 1.0, s = 0.25;
  for (int t = 0; t < m; t++) {
    double swap;
    step(u, n);
    swap = old;
    old = s * u[0];
    s = swap + u[n - 1];
  }
  return s * old;
}
";

#[test]
fn gradient_through_calls_and_overwritten_arrays_is_that_of_differences() {
    let mut driver = String::from("double f(double *u, int n, int m);\n");
    let _ = write!(
        driver,
        "static double at(int k, double h) {{
  double u[5] = {{ 0.3, -0.7, 0.9, 1.1, -0.2 }};
  u[k] += h;
  return f(u, 5, 4);
}}
int main(void) {{
  double u[5] = {{ 0.3, -0.7, 0.9, 1.1, -0.2 }}, u_b[5] = {{ 0 }};
  f_b(u, u_b, 5, 4, 1.0);
  for (int k = 0; k < 5; k++) {{
    double d = (at(k, 1e-5) - at(k, -1e-5)) / 2e-5;
    if (fabs(d - u_b[k]) > 1e-8) printf(\"%d: %.12g, not %.12g\\n\", k, u_b[k], d);
  }}
  if (u[0] != 0.3 || u[3] != 1.1) printf(\"the state is not restored\\n\");
  return 0;
}}
"
    );
    generated("steps", STEPS, "f(f u)/(u)", &format!("#include <math.h>\n{STEPS_C}"), &driver);
}

/// Builds the steps with the check and runs them; what the check said, and whether it was content.
fn checked(name: &str, damage: impl Fn(String) -> String) -> (String, bool) {
    let program = parse::program(STEPS).unwrap();
    let choices = Choices { check: true, ..Choices::default() };
    let adjoint = adjoint(&program, &[head("f(f u)/(u)")], &choices).unwrap();
    let includes = vec!["model.c".into()];
    let options = Options { file: "model_b.c".into(), includes };
    let tangents = tangent(&program, &[head("f(f u)/(u)")], &choices).unwrap();
    let output = emit::checked(&adjoint, &tangents, &options).unwrap();
    let folder = std::env::temp_dir().join(format!("adtape-emit-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |file: &str, text: &str| std::fs::write(folder.join(file), text).unwrap();
    write("model.c", &format!("#include <math.h>\n{STEPS_C}"));
    write("model_b.c", &damage(output.source));
    write("model_b.h", &output.header);
    write("check.c", &output.check);
    let main = "double u[5] = { 0.3, -0.7, 0.9, 1.1, -0.2 }, u_b[5] = { 0 }; f_b(u, u_b, 5, 4, 1.0); return 0;";
    write("driver.c", &format!("#include \"model_b.h\"\nint main(void) {{ {main} }}\n"));
    let mut build = Command::new("gcc");
    build.current_dir(&folder).args(["-std=gnu99", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Werror"]);
    let built = build.args(["-o", "t", "driver.c", "model_b.c", "check.c"]).args(flags()).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let mut run = Command::new("timeout");
    let run = run.arg("20").arg(folder.join("t")).env("ADTAPE_MEMORY_LIMIT", "100M").output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    (String::from_utf8_lossy(&run.stderr).into_owned(), run.status.success())
}

#[test]
fn check_names_the_operand_that_has_another_value() {
    let (said, content) = checked("content", |text| text);
    assert!(content && said.contains(" operands compared, 0 wrong"), "{said}");
    assert!(!said.contains("check: 0 operands"), "{said}");
    let pop = "adtape_pop_f64(tape, &u[i]);";
    let (said, content) = checked("damaged", |text| {
        assert!(text.contains(pop), "{text}");
        text.replace(pop, &format!("{pop} u[i] += 1e-12;"))
    });
    assert!(!content && said.contains("'u[i]' has not the value that it had in the forward sweep"), "{said}");
    let push = "adtape_push_f64(tape, s_s);";
    let (said, content) = checked("left", |text| text.replace(push, &format!("{push} {push}")));
    assert!(!content && said.contains("bytes are left on the tape"), "{said}");
}

const COMPARE: &str = "#include <math.h>
#include <stdio.h>
#include <string.h>
#include \"model_b.h\"
#include \"model_d.h\"
enum { N = 64 };
int main(void) {
  static double x[N], x_b[N], x_d[N], w[N], direction[N];
  static int ia[N];
  double product = 0, f_d_ = 0;
  for (int i = 0; i < N; i++) { x[i] = 0.5 + (i * 37 % 64) / 64.0; direction[i] = (i * 29 % 64) / 64.0 - 0.5; ia[i] = i; }
  f_b(20, x, x_b, ia, w, 1.0);
  for (int i = 0; i < N; i++) { product += x_b[i] * direction[i]; x[i] = 0.5 + (i * 37 % 64) / 64.0; }
  memcpy(x_d, direction, sizeof x_d);
  f_d(20, x, x_d, ia, w, &f_d_);
  if (!(fabs(product - f_d_) <= 1e-12 * fabs(f_d_)) || f_d_ == 0) printf(\"%.17g, tangent %.17g\\n\", product, f_d_);
  return 0;
}
";

/// Adjoint and tangent of a C program agree, and neither has warnings of its own. Returns the text of the adjoint.
fn agree(name: &str) -> String {
    let folder = Scratch::new(&format!("emit-{name}"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(format!("{name}.c"));
    let (reverse, _) = generate::both(&folder, &source, "f(f)/(x)", &Choices::default());
    folder.write("driver.c", COMPARE);
    for compiler in ["gcc", "clang"] {
        // Both files include the model.
        let allow = "-Wl,--allow-multiple-definition";
        let files = ["-o", "t", "driver.c", "model_b.c", "model_d.c"];
        let said = generate::build(&folder, compiler, &[&["-O2", "-Wconversion", allow][..], &files].concat());
        let ours = |line: &&str| line.starts_with("model_") && line.contains("warning:");
        let warnings: Vec<_> = said.lines().filter(ours).collect();
        assert!(warnings.is_empty(), "{compiler}: {said}");
        let said = generate::run(&folder, "t");
        assert!(said.is_empty(), "{compiler}: {said}");
    }
    reverse.source
}

/// A row `&a[0]` went to a parameter that is a pointer to elements.
#[test]
fn rows_of_variable_extent_and_heap_blocks_agree_with_the_tangent() {
    agree("rows_and_blocks");
}

/// The adjoint of a struct on the stack had no addresses in it; a branch on which of two arrays lies first was taken
/// again where they lay in another order; a variable `x_d` met the tangent of `x`.
#[test]
fn structs_with_pointers_and_moved_memory_agree_with_the_tangent() {
    agree("structs_with_pointers");
}

/// A `do` loop kept copies that nothing read; a tangent assigned a variable to itself.
#[test]
fn early_returns_and_counted_loops_agree_with_the_tangent() {
    agree("flags_and_counts");
}

/// A local object `rec_d` hid the tangent of the recursive function `rec`.
#[test]
fn recursion_and_exchanged_scalars_agree_with_the_tangent() {
    agree("pointers_and_recursion");
}

#[test]
fn forward_sweep_keeps_text_and_comments_that_mean_the_same_there() {
    let text = agree("copied");
    for kept in [
        "    // line comment\n    // of two lines\n    LOOP(i, n) { s += SQ(x[i]); }\n",
        "    /* in a block\n     * of its own */\n",
        "    struct pt p = { s, 1.0 }, *q = &p;\n",
        "    if (q->x > 1) { q->y = x[2]; } else { q->y = -x[2]; }\n",
        "        s += v * v; /* twice */\n",
        "        x[i] = x[j];\n",
    ] {
        assert!(text.contains(kept), "{kept}\n{text}");
    }
    // A is 3.0 at the end of the file, and the block's t is not the t around it.
    for changed in ["double s = A * x[0]", "double t = x[i] * x[i]"] {
        assert!(!text.contains(changed), "{changed}\n{text}");
    }
    assert!(text.contains("double s = 2.0 * x[0];"), "{text}");
}

/// Such statements were refused: what they read is a variable now.
#[test]
fn subscripts_and_arguments_that_a_statement_overwrites_agree_with_the_tangent() {
    agree("hoisted");
}

#[test]
fn a_copied_declaration_leaves_no_variable_that_a_loop_declares_itself() {
    // `int at = 0, l;` was copied, and the loop became `for (int l = 0; ...)`: the first l had no use.
    let folder = Scratch::new("emit-unused");
    let text = "void f(int n, const double *x, double *y) {\n    int at = 0, l;\n    for (l = 0; l < n; l++) {\n        y[at] = \
                y[at] * x[l];\n        at += l;\n    }\n}\n";
    let source = folder.write("source.c", text);
    generate::both(&folder, &source, "f(y)/(x y)", &Choices::default());
    for file in ["model_b.c", "model_d.c"] {
        let said = generate::build(&folder, "gcc", &["-c", file, "-o", "model.o", "-Wunused-variable"]);
        assert!(!said.contains("unused variable"), "{said}");
    }
}

/// Variables of a function may lie in another order in each sweep: a pass that ran again took the other arm, and a check
/// named its operands.
#[test]
fn memory_that_moves_from_variable_to_variable_asks_not_which_is_first() {
    let asks = |from: &str| {
        let folder = Scratch::new("emit-moved");
        let text = format!(
            "#include <string.h>\ndouble f(int n, const double *x) {{
    double t[8] = {{x[0], x[1]}}, u[8] = {{x[2]}}, s = 0.0;
    for (int i = 0; i < n; i++) {{ memmove(&u[1], {from}, 2 * sizeof *u); s += u[1] * u[2]; t[i] = s * x[i]; }}
    return s;
}}
"
        );
        let source = folder.write("source.c", &text);
        let (reverse, _) = generate::both(&folder, &source, "f(f)/(x)", &Choices::default());
        reverse.source.contains("if (from")
    };
    assert_eq!([asks("&t[i]"), asks("&u[i]")], [false, true]);
}

#[test]
fn rows_of_a_struct_are_passed_as_a_whole() {
    // `unit(s->m)` became `unit_fwd(tape, &s->m[0])`, which gcc takes for one row.
    let folder = Scratch::new("emit-whole");
    let text = "struct turn { double angle, m[3][3], all[2][3][3]; };
void unit(double r[3][3]) {
    for (int i = 0; i < 9; i++) r[i / 3][i % 3] = i % 4 == 0;
}
void f(double x, int k, struct turn *s) {
    s->angle = x * x;
    unit(s->m);
    unit(s->all[k]);
    s->m[1][1] *= x * s->all[1][0][0];
}
";
    let source = folder.write("source.c", text);
    generate::both(&folder, &source, "f(s)/(x s)", &Choices::default());
    for file in ["model_b.c", "model_d.c"] {
        let said = generate::build(&folder, "gcc", &["-O2", "-c", file, "-o", "model.o"]);
        assert!(!said.contains("-Wstringop-overflow"), "{said}");
    }
}

#[test]
fn the_size_of_a_block_has_no_variable_in_passes_that_run_again() {
    let folder = Scratch::new("emit-extent");
    let text = "#include <stdlib.h>\nvoid f(int n, const double *x, double *y) {\n    double *w = calloc((size_t)n, \
                sizeof(double));\n    for (int i = 0; i < n; i++) w[i] = x[i];\n    for (int k = 1; k < n; k++) {\n        for \
                (int i = 0; i < k; i++) w[i] -= w[k] * w[i];\n    }\n    y[0] = w[0];\n}\n";
    let source = folder.write("source.c", text);
    let everywhere = Named::parse("*");
    generate::both(&folder, &source, "f(y)/(x)", &Choices { again: vec![everywhere], ..Choices::default() });
    let said = generate::build(&folder, "gcc", &["-c", "model_b.c", "-o", "model.o", "-Wunused-variable"]);
    assert!(!said.contains("unused variable"), "{said}");
    // Without passes that run again there is nothing that could have it.
    assert!(
        std::fs::read_to_string(folder.0.join("model_b.c")).expect("the adjoint").contains("adtape_push_f64(tape, w")
    );
}

/// The sweeps of some C functions.
fn adjoint_text(name: &str, text: &str, head: &str) -> String {
    let folder = Scratch::new(name);
    let source = folder.write("source.c", text);
    generate::both(&folder, &source, head, &Choices::default());
    std::fs::read_to_string(folder.0.join("model_b.c")).expect("the adjoint")
}

#[test]
fn elements_that_follow_each_other_are_stored_at_once_unless_a_pass_reads_what_one_before_overwrote() {
    let with = |statement: &str| {
        let text = format!(
            "double f(int n, double *x, double *y, const double *w) {{\n    double c = 0.0;\n    for (int i = 0; i < n; i++) c \
             += x[i] * x[i];\n    for (int i = 1; i < n - 1; i++) {statement}\n    for (int i = 0; i < n; i++) c += x[i] * \
             x[i] + y[i] * y[i];\n    return c;\n}}\n"
        );
        adjoint_text("emit-runs", &text, "f(f)/(x)").contains("adtape_push_array_f64(tape, &x[1],")
    };
    assert!(with("x[i] = w[i];") && with("x[i] = x[i] * x[i + 1];"));
    assert!(!with("x[i] = x[i] * x[i - 1];") && !with("x[n - i] = w[i];") && !with("if (w[i] > 0.0) x[i] = w[i];"));
    // Other stores in the loop: of other memory, or of the same.
    assert!(with("{ x[i] = w[i]; y[i] = x[i + 1]; }") && with("{ y[i] = y[i] * x[i]; x[i] = x[i] * x[i + 1]; }"));
    assert!(!with("{ x[i] = w[i]; x[i + 1] = w[i]; }") && !with("{ x[i] = w[i]; x[i] = x[i] * x[i]; }"));
    assert!(
        !with("{ x[i] = w[i]; y[i] = x[i] * x[i]; }") && !with("{ x[i] = w[i]; if (w[i] > 0.0) y[i] *= x[i + 1]; }")
    );
}

#[test]
fn numbers_that_a_region_stores_are_one_record_unless_something_else_goes_on_the_tape_between_them() {
    let with = |between: &str| {
        let text = format!(
            "static void g(double *x) {{ x[0] = x[0] * x[0]; }}\nvoid f(int i, int j, double *x, double *y) {{\n    x[i] = \
             x[i] * x[j];\n    {between}\n    x[j] = x[i] * x[j];\n    g(y);\n}}\n"
        );
        let text = adjoint_text("emit-records", &text, "f(x y)/(x y)");
        let pushed = text.contains("adtape_push_record_f64(tape, (const double[]){x_was, x[j]}, 2);");
        assert_eq!(pushed, text.contains("x[j] = record[1];") && text.contains("x[i] = record[0];"), "{text}");
        pushed
    };
    assert!(with("") && with("if (i > j) y[1] = 0.0;"));
    assert!(!with("g(y + 1);") && !with("if (i > j) y[1] = sin(y[1] * y[1]);"));
}

#[test]
fn adjoints_of_what_is_only_read_are_written_wherever_the_const_stands() {
    for declaration in ["const double *x", "double const *x", "double const* x", "const double x[]"] {
        let text = format!("double f({declaration}) {{\n    return x[0] * x[1];\n}}\n");
        let text = adjoint_text("emit-const", &text, "f(f)/(x)");
        let signature = text.lines().find(|line| line.starts_with("void f_b(")).expect("the adjoint");
        assert_eq!(signature.matches("const").count(), 1, "{signature}");
    }
}

#[test]
fn adjoints_are_restricted_pointers_where_nothing_else_reaches_their_memory() {
    let with = |call: &str| {
        let text = format!(
            "static void g(int n, const double *a, double *b) {{\n    for (int i = 0; i < n; i++) b[i] = a[i] * b[i];\n}}\n\
             void f(int n, double *x, double *y) {{\n    {call};\n}}\n"
        );
        let text = adjoint_text("emit-restrict", &text, "f(x y)/(x y)");
        let reverse = text.lines().find(|line| line.contains(" g_rev(")).expect("its prototype");
        reverse.contains("restrict")
    };
    assert!(with("g(n, x, y)") && with("g(n, x, y), g(n, y, x)"));
    assert!(!with("g(n, x, y), g(n / 2, x, x + n / 2)"));
}

#[test]
fn a_loop_stays_in_a_function_of_its_own_unless_its_number_of_passes_is_fixed() {
    let apart = |count: &str| {
        let text = format!(
            "static double sum(int n, const double *x) {{\n    double s = 0.0;\n    for (int i = 0; i < n; i++) s += x[i] * \
             x[i];\n    return s;\n}}\ndouble f(int n, const double *x) {{\n    return n * sum({count}, x);\n}}\n"
        );
        adjoint_text("emit-apart", &text, "f(f)/(x)").contains("static APART void sum_rev(")
    };
    assert!(apart("n") && apart("3 * n"));
    assert!(!apart("3"));
}

#[test]
fn a_function_is_called_once_for_one_value_and_not_for_what_a_store_has_left() {
    let calls = |function: &str, body: &str| {
        let text = format!("#include <math.h>\nvoid f(int n, double *x, double *y) {{\n    {body}\n}}\n");
        let text = adjoint_text("emit-calls", &text, "f(x y)/(x)");
        text.rsplit("f_rev(adtape_t").next().expect("the sweep").matches(&format!("{function}(")).count()
    };
    assert_eq!(calls("exp", "for (int i = 0; i < n; i++) y[i] = 1.0 / (1.0 + exp(-x[i]));"), 1);
    assert_eq!(calls("tanh", "for (int i = 0; i < n; i++) y[i] = x[i + 1] * tanh(x[i]);"), 1);
    assert_eq!(calls("tanh", "for (int i = 0; i < n; i++) y[i] = tanh(x[i]);"), 0);
    // Between the two, x[0] gets back what it was.
    assert_eq!(calls("cos", "y[0] = sin(x[0]); x[0] = 2.0 * x[0]; y[1] = sin(x[0]);"), 2);
}
