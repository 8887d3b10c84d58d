//! Generated files that declare what the sources define: `--without-source`.

use std::process::Command;

use crate::common::{Scratch, flags, include};

/// What other files may name, constants and functions without a state that they may not, a state behind a function.
const MODEL: &str = "#include <math.h>
#include \"part.h\"
#define HALF 0.5
static const double weights[] = {1.5, 2.0, HALF};
static double weighted(int i, double a);
double scale = 2.0, table[] = {0.25, 0.75};
int calls = 0;
static int inner = 0;
void count(void) {
    inner++;
    calls = inner;
}
static double weighted(int i, double a) {
    return weights[i % 3] * a;
}
static int odd(int i) {
    return i % 2;
}
double f(int n, const double *x, part *p) {
    double s = 0.0;
    count();
    for (int i = 0; i < n; i++) s += scale * weighted(i, x[i]) * sin(x[i]) + table[odd(i)] * x[i];
    p->y = s * p->x;
    return s * HALF;
}
double g(double u) {
    return scale * u * u;
}
";
const PART: &str = "#ifndef PART_H\n#define PART_H\ntypedef struct { double x, y; } part;\n#endif\n";

/// The gradient beside the tangent, and the model itself.
const USER: &str = "#include \"f_b.h\"
#include \"f_d.h\"
#include \"g_b.h\"
#ifdef __cplusplus
extern \"C\" {
#endif
double f(int n, const double *x, part *p);
extern int calls;
extern double scale;
#ifdef __cplusplus
}
#endif
int main(void) {
    double x[3] = {0.5, 1.5, 2.5}, x_b[3] = {0.0, 0.0, 0.0}, sum = 0.0, f_dot = 0.0, u_b = 0.0;
    part p = {3.0, 0.0}, p_b = {0.0, 0.0}, p_d = {0.0, 0.0};
    scale = 3.0;
    f_b(3, x, x_b, &p, &p_b, 1.0);
    for (int i = 0; i < 3; i++) {
        double x_d[3] = {0.0, 0.0, 0.0};
        x_d[i] = 1.0;
        f_d(3, x, x_d, &p, &p_d, &f_dot);
        if (f_dot == 0.0) return 1;
        sum += (f_dot - x_b[i]) * (f_dot - x_b[i]);
    }
    g_b(2.0, &u_b, 1.0);
    return !(sum < 1e-24) || f(3, x, &p) == 0.0 || u_b != 12.0 || calls != 5;
}
";

fn adtape(folder: &Scratch, arguments: &[&str]) -> (Option<i32>, String) {
    let output = folder.run(arguments);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn run(folder: &Scratch, command: &mut Command) {
    let output = command.current_dir(&folder.0).output().expect("it runs");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Adjoint and tangent of one model both brought the source along, so they did not link.
#[test]
fn adjoint_tangent_and_another_head_link_beside_the_model() {
    let folder = Scratch::new("beside");
    folder.write("model.c", MODEL);
    folder.write("part.h", PART);
    for user in ["user.c", "user.cpp"] {
        folder.write(user, USER);
    }
    let head = "f(f p)/(x)";
    for [what, head, file] in [["adjoint", head, "f_b.c"], ["tangent", head, "f_d.c"], ["adjoint", "g(g)/(u)", "g_b.c"]]
    {
        let command = [what, "model.c", "--head", head, "--without-source", "-o", file];
        assert_eq!(adtape(&folder, &command), (Some(0), String::new()));
        let text = folder.read(file);
        assert!(!text.contains("#include \"model.c\"") && text.contains("extern double scale, table[]"), "{text}");
    }
    // Nothing of the model is defined twice, and nothing is copied that no sweep needs.
    assert!(!folder.read("g_b.c").contains("weights[] = "), "{}", folder.read("g_b.c"));
    for (c, cplusplus) in [("gcc", "g++"), ("clang", "clang++")] {
        let warnings = ["-Wall", "-Wextra", "-Werror"];
        run(
            &folder,
            Command::new(c).args(["-std=c99", "-c", "model.c", "f_b.c", "f_d.c", "g_b.c", &include()]).args(warnings),
        );
        for (compiler, user) in [(c, ["-std=c99", "user.c"]), (cplusplus, ["-std=c++17", "user.cpp"])] {
            let mut link = Command::new(compiler);
            link.args(user).args(["model.o", "f_b.o", "f_d.o", "g_b.o", "-o", "user"]).args(warnings);
            run(&folder, link.args(flags()));
            run(&folder, &mut Command::new(folder.0.join("user")));
        }
    }
    for file in ["f_b.c", "f_d.c"] {
        let (status, said) = adtape(&folder, &["adjoint", "--verify", file]);
        assert_eq!(status, Some(0), "{said}");
    }
}

#[test]
fn check_brings_the_source_along_also_where_the_output_does_not() {
    let folder = Scratch::new("beside-check");
    folder.write("model.c", MODEL);
    folder.write("part.h", PART);
    folder.write(
        "driver.c",
        "#include \"model_b.h\"\nint main(void) {\n    double x[2] = {0.5, 1.5}, x_b[2] = {0.0, 0.0};\n    \
         part p = {1.0, 0.0}, p_b = {0.0, 0.0};\n    f_b(2, x, x_b, &p, &p_b, 1.0);\n    return 0;\n}\n",
    );
    let flags = flags().join(" ");
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    command.current_dir(&folder.0).env("ADTAPE_FLAGS", &flags).args(["adjoint", "model.c", "--without-source"]);
    let output = command.args(["--head", "f(f p)/(x)", "--check", "driver.c"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stdout));
    assert!(folder.read("model_b.c").contains("double f(int n, const double *x, part *p);"));
}

/// What is static and has a state, or an address that is needed, is in the model's object file alone.
#[test]
fn static_things_out_of_reach_are_refused_with_their_line_and_the_way_round() {
    let cases = [
        (
            "static double work = 2.0;\nvoid set(double to) { work = to; }\n",
            "x * work",
            "'work' is a static variable of",
        ),
        (
            "static int seen;\nstatic int count(void) { return ++seen; }\n",
            "x * x * count()",
            "'seen' is a static variable of",
        ),
        (
            "static int count(void) {\n    static int seen = 0;\n    return ++seen;\n}\n",
            "x * x * count()",
            "'count' is a static function of the source that keeps values from call to call",
        ),
        (
            "static double twice(double a) { return 2.0 * a; }\nstruct law { double (*of)(double); };\n",
            "x * l.of(x)",
            "'twice' is a static function of the source, and its address is needed",
        ),
    ];
    for (declared, value, what) in cases {
        let folder = Scratch::new("beside-static");
        let law = if value.contains("l.of") { "    struct law l = {twice};\n" } else { "" };
        folder.write("model.c", &format!("\n{declared}double f(double x) {{\n{law}    return {value};\n}}\n"));
        for [command, file] in [["adjoint", "model_b.c"], ["tangent", "model_d.c"]] {
            let (status, said) = adtape(&folder, &[command, "model.c", "--head", "f(f)/(x)", "--without-source"]);
            assert!(status == Some(3) && said.starts_with("model.c:2:") && said.contains(what), "{command}: {said}");
            assert!(
                said.contains("help: declare it without static, or leave --without-source out: --tangent "),
                "{said}"
            );
            assert!(!folder.0.join(file).exists());
        }
        // With the source in the file nothing stands in the way.
        let (status, said) = adtape(&folder, &["adjoint", "model.c", "--tangent", "--head", "f(f)/(x)"]);
        assert_eq!(status, Some(0), "{said}");
    }
}
