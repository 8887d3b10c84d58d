//! Generated files beside others: adjoint and tangent of several heads in one file, and headers in C++.

use crate::common::{Scratch, flags, include};
use std::process::Command;

/// Names of parameters that are words of C++, and parameters that only C has.
const MODEL: &str = "#include <math.h>
double scale = 2.0;
double f(int n, const double *restrict x, double y[static 2]) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += scale * x[i] * sin(x[i]);
    y[0] = s * s;
    return s;
}
double g(int n, double a[n][n], _Bool new) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += a[i][i] * a[i][0];
    return new ? s : 0.0;
}
double h(int new, const double *restrict this) {
    return this[0] * new;
}
";

/// With C++17, whose headers come first.
const USER: &str = "#include <cmath>
#include <vector>
#include \"model_b.h\"
int main() {
    std::vector<double> x = {0.5, 1.5}, x_b = {0.0, 0.0}, x_d = {1.0, 0.0}, y(2), y_b(2), y_d(2);
    double f_dot = 0.0, own_b = 0.0;
    f_b(2, x.data(), x_b.data(), y.data(), y_b.data(), 1.0);
    f_d(2, x.data(), x_d.data(), y.data(), y_d.data(), &f_dot);
    h_b(3, x.data(), &own_b, 1.0);
    scale_b = scale_d = 0.0;
    return std::fabs(x_b[0] - f_dot) > 1e-12 || own_b != 3.0;
}
";

fn adtape(folder: &Scratch, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    let output = command.current_dir(&folder.0).args(arguments).output().expect("the command runs");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn adjoint_and_tangent_of_several_heads_are_one_file_for_c_and_cplusplus() {
    let folder = Scratch::new("linkage");
    folder.write("model.c", MODEL);
    folder.write("user.cpp", USER);
    let heads = "f(f y)/(x scale) g(g)/(a) h(h)/(this)";
    let (status, said) = adtape(&folder, &["adjoint", "model.c", "--tangent", "--head", heads]);
    assert_eq!((status, said.as_str()), (Some(0), ""));
    let run = |command: &mut Command| {
        let output = command.current_dir(&folder.0).output().expect("it runs");
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    for (c, cplusplus) in [("gcc", "g++"), ("clang", "clang++")] {
        let warnings = ["-Wall", "-Wextra", "-Werror"];
        run(Command::new(c).args(["-std=c99", "-Wconversion", "-c", "model_b.c"]).args(warnings).arg(include()));
        let mut link = Command::new(cplusplus);
        link.args(["-std=c++17", "user.cpp", "model_b.o", "-o", "user"]).args(warnings);
        run(link.args(flags()));
        run(&mut Command::new(folder.0.join("user")));
    }
    // The header alone is C, too, with the parameters that only C has.
    let alone = ["-std=c99", "-pedantic", "-Wall", "-Werror", "-fsyntax-only", "-x", "c"];
    run(Command::new("gcc").args(alone).arg("model_b.h"));
}

#[test]
fn sources_in_other_languages_are_named() {
    let folder = Scratch::new("languages");
    for (file, says) in [
        ("model.cpp", "adtape: model.cpp is C++, and adtape reads C and Fortran\n"),
        ("model.cu", "adtape: model.cu is code for a device, "),
    ] {
        folder.write(file, "end\n");
        let (status, said) = adtape(&folder, &["adjoint", file, "--head", "f(f)/(x)"]);
        assert!(status == Some(2) && said.starts_with(says), "{file}: {status:?} {said}");
    }
}

/// The tangent is differentiated instead.
#[test]
fn adjoint_of_an_adjoint_is_refused_and_that_of_a_tangent_is_not() {
    let folder = Scratch::new("second");
    folder.write("model.c", "double f(double x) { return x * x * x; }\n");
    for mode in ["adjoint", "tangent"] {
        assert_eq!(adtape(&folder, &[mode, "model.c", "--head", "f(f)/(x)"]), (Some(0), String::new()));
    }
    let (status, said) = adtape(&folder, &["adjoint", "model_b.c", "--head", "f_b(x_b)/(x)"]);
    let help = "help: for second derivatives write the tangent first, and then the adjoint of its file\n";
    assert_eq!((status, said), (Some(3), format!("adtape: error: refused: model_b.c is an adjoint\n{help}")));
    let second = ["adjoint", "model_d.c", &include(), "--head", "f_d(f_d)/(x)"];
    assert_eq!(adtape(&folder, &second), (Some(0), String::new()));
}

/// Eight were the limit.
#[test]
fn pointers_may_lead_to_many_functions() {
    let folder = Scratch::new("functions");
    let mut model = String::from("struct model { double (*law)(double); };\nstatic struct model models[27];\n");
    for k in 0..27 {
        model += &format!("static double law_{k}(double x) {{ return {k}.0 * x * x; }}\n");
    }
    model += "double f(int i, double x) {\n";
    (0..27).for_each(|k| model += &format!("    models[{k}].law = law_{k};\n"));
    model += "    return models[i].law(x);\n}\n";
    folder.write("model.c", &model);
    folder.write(
        "driver.c",
        "#include \"model_b.h\"\nint main(void) {\n    double x_b = 0.0;\n    f_b(26, 0.5, &x_b, 1.0);\n    \
         return x_b != 26.0;\n}\n",
    );
    crate::programs::check_driver(&folder, "f(f)/(x)");
}
