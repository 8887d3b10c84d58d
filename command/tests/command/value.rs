//! `--value`: the adjoint gives the result of the function, too, in C and in Fortran.

use crate::common::{Scratch, flags, fortran_module, quick};
use std::process::Command;

const MODEL: &str = "#include <math.h>
struct pair { double a, b; };
double plain(int n, const double *x);
double plain(int n, const double *x) {
    double s = 0.0;
    for (int i = 0; i < n; i++) { double r = x[i] - 1.0; s += r * r * x[i]; }
    return s;
}
void kept(int n, const double *x, double *y);
void kept(int n, const double *x, double *y) {
    *y = 0.0;
    for (int i = 0; i < n; i++) *y += sin(x[i]);
    *y = 0.5 * *y + x[0];
}
double total;
void summed(int n, const double *x);
void summed(int n, const double *x) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s = s * x[i] + x[i];
    total = s;
}
struct pair both(double x);
struct pair both(double x) {
    struct pair p = {x * x, sin(x)};
    return p;
}
float single(float x, double y);
float single(float x, double y) { return x * (float)y; }
int status(int n, double *x, double *y);
int status(int n, double *x, double *y) {
    for (int i = 0; i < n; i++) { x[i] = exp(x[i]); y[i] = x[i] * x[i]; }
    return n + 1;
}
double step(double x);
double step(double x) { return (double)(int)(3.0 * x); }
";
const HEADS: &str = "plain(plain)/(x) kept(y)/(x) summed(total)/(x) single(single)/(x y) status(y)/(x)";
/// No check compares structs that are returned.
const STRUCT: &str = "both(both)/(x)";

/// Compares values with those of the functions, and adjoints with differences.
const DRIVER: &str = "#include <math.h>
#include \"model_b.h\"
double plain(int n, const double *x);
void kept(int n, const double *x, double *y);
void summed(int n, const double *x);
float single(float x, double y);
extern double total;
#ifdef BOTH
struct pair both(double x);
#endif
enum { N = 4 };
static double value_of(int which, double *x) {
    double y;
    if (which == 0) return plain(N, x);
    if (which == 1) return kept(N, x, &y), y;
    return summed(N, x), total;
}
int main(void) {
    for (int which = 0; which < 3; which++) {
        double x[N] = {0.3, 0.7, 1.4, 0.9}, x_b[N] = {0.0}, y = 7.0, y_b = 1.0, value;
        if (which == 0) value = plain_b(N, x, x_b, 1.0);
        else if (which == 1) kept_b(N, x, x_b, &y, &y_b), value = y;
        else total_b = 1.0, summed_b(N, x, x_b), value = total;
        if (value != value_of(which, x)) return 1 + which;
        for (int i = 0; i < N; i++) {
            double at = x[i], above, below;
            x[i] = at + 1e-6, above = value_of(which, x);
            x[i] = at - 1e-6, below = value_of(which, x);
            x[i] = at;
            if (fabs(x_b[i] - (above - below) / 2e-6) > 1e-7) return 11 + which;
        }
    }
    double w_b = 0.0;
    float v_b = 0.0f;
#ifdef BOTH
    double u_b = 0.0;
    struct pair seed = {1.0, 2.0}, p = both_b(0.4, &u_b, seed), q = both(0.4);
    if (p.a != q.a || p.b != q.b || fabs(u_b - 0.8 - 2.0 * cos(0.4)) > 1e-12) return 21;
#endif
    if (single_b(1.5f, &v_b, 2.0, &w_b, 1.0f) != single(1.5f, 2.0) || v_b != 2.0f || w_b != 1.5) return 22;
    double x[2] = {0.5, 0.25}, x_b[2] = {0.0}, y[2], y_b[2] = {1.0, 1.0};
    if (status_b(2, x, x_b, y, y_b) != 3 || y[1] != exp(0.25) * exp(0.25)) return 23;
    return fabs(x_b[0] - 2.0 * exp(1.0)) > 1e-12;
}
";

#[test]
fn adjoint_gives_value_and_gradient_in_c() {
    let folder = Scratch::new("value");
    folder.write("model.c", MODEL);
    folder.write("driver.c", DRIVER);
    for options in [&["--tangent"][..], &[]] {
        folder.printed(&[&["adjoint", "model.c", "--value", "--head", HEADS, "--head", STRUCT], options].concat());
        for level in ["-O0", "-O2"] {
            let warnings =
                ["-Wall", "-Wextra", "-Wconversion", "-Werror", "-Wno-unused-function", "-ffp-contract=off", "-DBOTH"];
            folder.builds_and_runs(&[&warnings[..], &[level, "model_b.c", "driver.c"]].concat());
        }
    }
    assert!(folder.read("model_b.h").contains("double plain_b(int n, const double *x, double *x_b, double plain_b);"));
}

#[test]
fn adjoint_that_checks_itself_gives_the_value() {
    let folder = Scratch::new("value-check");
    folder.write("model.c", MODEL);
    folder.write("driver.c", DRIVER);
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    command.current_dir(&folder.0).args(["adjoint", "model.c", "--value", "--head", HEADS, "--check", "driver.c"]);
    let output = command.env("ADTAPE_FLAGS", quick().join(" ")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains(" operands compared, 0 wrong"), "{said}");
}

/// A head without sweeps runs the function; several directions share one value.
#[test]
fn value_comes_without_sweeps_and_with_several_directions() {
    let folder = Scratch::new("value-others");
    folder.write("model.c", MODEL);
    folder.printed(&["adjoint", "model.c", "--value", "--head", "step(step)/(x)", "-o", "step_b.c"]);
    folder.printed(&[
        "adjoint",
        "model.c",
        "--value",
        "--vector",
        "2",
        "--head",
        "plain(plain)/(x)",
        "--without-source",
        "--split",
    ]);
    let driver = "#include \"step_b.h\"
#include \"model_bv.h\"
double plain(int n, const double *x);
int main(void) {
    double u_b = 0.0, x[2] = {0.3, 0.7}, x_b[2][2] = {{0.0}}, seed[2] = {1.0, -2.0};
    if (step_b(1.1, &u_b, 1.0) != 3.0 || u_b != 0.0) return 1;
    if (plain_bv(2, x, x_b, seed) != plain(2, x)) return 2;
    return x_b[0][0] == 0.0 || x_b[0][1] != -2.0 * x_b[0][0];
}
";
    folder.write("driver.c", driver);
    folder.builds_and_runs(&["-Wall", "-Wextra", "-Werror", "step_b.c", "model_bv.c", "driver.c"]);
}

/// A result that the reverse sweep overwrites is no value, and a pointer may lead nowhere.
#[test]
fn values_that_the_reverse_sweep_changes_are_refused() {
    let folder = Scratch::new("value-refused");
    let model = "void again(int n, double *x, double *y) { for (int i = 0; i < n; i++) *y = *y * *y * x[i]; }
double *leads(double *x) { x[0] *= x[0]; return x; }
double g;
void global(double x) { g = x; for (int i = 0; i < 3; i++) g = g * g * x; }
static void inner(double *y, double x) { *y = *y * *y * x; }
void handed(double x, double *y) { *y = x; inner(y, x); }
";
    folder.write("model.c", model);
    for (head, what) in [
        ("again(y)/(x)", "changes 'y' again, so its value is lost"),
        ("leads(x)/(x)", "'leads' returns a pointer"),
        ("global(g)/(x)", "changes 'g' again, so its value is lost"),
        ("handed(y)/(x)", "changes 'y' again, so its value is lost"),
    ] {
        let output = folder.run(&["adjoint", "model.c", "--value", "--head", head]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(3) && said.contains(what) && said.contains("help: "), "{head}: {said}");
        assert!(folder.run(&["adjoint", "model.c", "--head", head]).status.success(), "{head}");
    }
    assert_eq!(folder.run(&["adjoint", "model.c", "--value", "--derivatives-only"]).status.code(), Some(2));
}

const MODULE: &str = "module model
contains
  function cost(n, x) result(j)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: j
    integer :: i
    j = 0
    do i = 1, n
      j = j + sin(x(i)) * x(i)
    end do
  end function
  subroutine sums(n, x, j)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: j
    integer :: i
    j = 0
    do i = 1, n
      j = j + exp(x(i)) * x(i)
    end do
  end subroutine
end module
";

const PROGRAM: &str = "program main
  use model
  implicit none
  integer, parameter :: n = 4
  real(8) :: x(n), x_b(n), value, j, j_b, at, above, below
  integer :: i
  x = [0.3d0, 0.7d0, 1.4d0, 0.9d0]
  x_b = 0
  value = cost_b(n, x, x_b, 1d0)
  if (value /= cost(n, x)) error stop 1
  do i = 1, n
    at = x(i)
    x(i) = at + 1d-6
    above = cost(n, x)
    x(i) = at - 1d-6
    below = cost(n, x)
    x(i) = at
    if (abs(x_b(i) - (above - below) / 2d-6) > 1d-7) error stop 2
  end do
  x_b = 0
  j_b = 1
  call sums_b(n, x, x_b, j, j_b)
  call sums(n, x, value)
  if (j /= value) error stop 3
  if (abs(x_b(2) - exp(x(2)) * (1 + x(2))) > 1d-12) error stop 4
end program
";

#[test]
fn adjoint_gives_value_and_gradient_in_fortran() {
    let folder = Scratch::new("value-fortran");
    folder.write("model.f90", MODULE);
    folder.write("main.f90", PROGRAM);
    let heads = "cost(j)/(x) sums(j)/(x)";
    let library = fortran_module().join("libadtape_fortran.a");
    folder.printed(&["adjoint", "model.f90", "--value", "--tangent", "--head", heads]);
    for level in ["-O0", "-O2"] {
        let mut compiler = Command::new("gfortran");
        compiler.current_dir(&folder.0).args([
            level,
            "-ffp-contract=off",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-compare-reals",
            "-I",
        ]);
        compiler.arg(fortran_module()).args(["model_b.f90", "main.f90", "-o", "program"]).arg(&library).args(flags());
        let built = compiler.output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        assert!(Command::new(folder.0.join("program")).status().unwrap().success());
    }
    let own = [format!("-I{}", fortran_module().display()), library.display().to_string()];
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    command.current_dir(&folder.0).args(["adjoint", "model.f90", "--value", "--head", heads, "--check", "main.f90"]);
    let output = command.env("ADTAPE_FLAGS", [&own[..], &flags()].concat().join(" ")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains(" operands compared, 0 wrong"), "{said}");
}
