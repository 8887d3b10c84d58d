//! Static variables that keep what was computed of the last arguments.

use crate::common::Scratch;
use crate::programs::{check_model, checked};

/// Two results with a flag, a table with two keys and an arm for what is kept, a key with a derivative, an early return.
/// Each was refused.
#[test]
fn what_is_kept_of_the_last_arguments_is_computed_in_each_call() {
    let model = "#include <math.h>
static void nutation(double jd, double *dpsi, double *deps) {
    static int first = 1;
    static double last, psi, eps;
    if (first || jd != last) {
        double t = (jd - 2451545.0) / 36525.0, sum = 0.0;
        for (int k = 1; k <= 4; k++) sum += sin(k * t) / k;
        psi = 0.1 * sum;
        eps = 0.2 * cos(t) + psi;
        last = jd;
        first = 0;
    }
    *dpsi = psi;
    *deps = eps;
}
double f(const double *x, int n, double jd);
double f(const double *x, int n, double jd) {
    double s = 0.0, a, b;
    for (int i = 0; i < n; i++) {
        nutation(jd + i / 2, &a, &b);
        s += a * x[i] * x[i] + b * sin(x[i]);
    }
    return s;
}
static double weight(int n, double c, int k) {
    static double table[8], c_last = -1.0;
    static int n_last = 0;
    if (n == n_last && c == c_last) {
    } else {
        table[0] = 1.0;
        for (int i = 1; i < 8; i++) table[i] = c * (i % (n + 1)) + i;
        n_last = n;
        c_last = c;
    }
    return table[k];
}
double g(const double *x, int n, double c);
double g(const double *x, int n, double c) {
    double s = 0.0;
    for (int i = 0; i < 8; i++) s += weight(n, c, i) * x[i] * x[i] + weight(n + 1, c, 7 - i) * x[i];
    return s;
}
static double bell(double t) {
    static double last = -1e300, value;
    if (last != t) {
        value = exp(-t * t);
        last = t;
    }
    return value;
}
double h(const double *x, int n);
double h(const double *x, int n) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += bell(x[i]) * bell(x[i] * 0.5) + bell(x[0]);
    return s;
}
static double moon(double tjd) {
    static double tsave = -1.0, saved;
    if (tjd == tsave) return saved;
    double t = tjd * 0.1;
    saved = sin(t) + t * t;
    tsave = tjd;
    return saved;
}
double k(double x, double tjd);
double k(double x, double tjd) { return x * x * moon(tjd) + x * moon(tjd + 1.0); }
";
    let driver = "#include \"model_b.h\"
int main(void) {
    double x[8] = {0.3, 0.8, 0.6, 0.2, 0.9, 0.4, 0.1, 0.7}, x_b[8] = {0.0}, t_b = 0.0;
    for (int r = 0; r < 3; r++) {
        f_b(x, x_b, 8, 2451545.0 + 1000 * r, 1.0);
        g_b(x, x_b, 2 + r, 0.5, 1.0);
        h_b(x, x_b, 8, 1.0);
        k_b(0.3, x_b, 3.0 + r, &t_b, 1.0);
    }
    return t_b == 0.0;
}
";
    check_model("memo", model, driver, "f(f)/(x) g(g)/(x) h(h)/(x) k(k)/(x tjd)");
}

/// What is kept is no function of the last arguments: within a tolerance, of another argument, changed behind the branch,
/// of what was kept before, given on a condition only, under another key, of a variable that others set, under a rounded
/// key, of a count.
#[test]
fn other_variables_that_last_from_call_to_call_are_refused() {
    let folder = Scratch::new("memo-refused");
    for (kept, branch) in [
        ("double last = -1, c", "if (fabs(t - last) > 1e-8) { c = cos(t); last = t; }"),
        ("double last = -1, c", "if (t != last) { c = cos(t) * y; last = t; }"),
        ("double last = -1, c", "if (t != last) { c = cos(t); last = t; } c += 0.1;"),
        ("double last = -1, c", "if (t != last) { c = 0.5 * c + cos(t); last = t; }"),
        ("double last = -1, c", "if (t != last) { if (t > 0) c = cos(t); last = t; }"),
        ("double last = -1, c", "if (t != last) { c = cos(t); last = t + 1; }"),
        ("double last = -1, c", "if (t != last) { c = gain * cos(t); last = t; }"),
        ("float last = -1; static double c", "if (t != last) { c = cos(t); last = (float)t; }"),
        ("double last = -1, c; static int n", "if (t != last) { n++; c = cos(t) * n; last = t; }"),
    ] {
        let model = format!(
            "#include <math.h>\nstatic double gain = 1;\nvoid set(double to) {{ gain = to; }}\ndouble f(double t, double x, \
             double y) {{\n    static {kept};\n    {branch}\n    return c * x * x * y;\n}}\n"
        );
        folder.write("model.c", &model);
        let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)"]);
        assert_eq!(output.status.code(), Some(3), "{branch}");
    }
}

/// A first call with the first value of the key finds what the variable begins with: the head of the file says what is taken
/// for true, `--check` finds where it is not, and a flag does without.
#[test]
fn first_values_are_taken_for_computed_which_is_said_and_checked() {
    let folder = Scratch::new("memo-first");
    folder.write("driver.c", "#include \"model_b.h\"\nint main(void) {\n    double x_b = 0.0;\n    f_b(0.0, 2.0, &x_b, 1.0);\n    return x_b == 0.0;\n}\n");
    for (kept, test, is_said, is_right) in [
        ("double last = 0.0, c = 1.0", "t != last", true, true),
        ("double last = 0.0, c = 5.0", "t != last", true, false),
        ("int first = 1; static double last, c", "first || t != last", false, true),
    ] {
        let ends = if is_said { "" } else { "first = 0;" };
        let model = format!(
            "#include <math.h>\ndouble f(double t, double x);\ndouble f(double t, double x) {{\n    static {kept};\n    \
             if ({test}) {{ c = cos(t); last = t; {ends} }}\n    return c * x * x;\n}}\n"
        );
        folder.write("model.c", &model);
        let made = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)"]);
        assert_eq!(made.status.code(), Some(0), "{}", String::from_utf8_lossy(&made.stderr));
        let text = std::fs::read_to_string(folder.0.join("model_b.c")).unwrap();
        let said = "f keeps what it computed last. What it keeps at first, for last = 0, is taken for computed, too.";
        assert_eq!(text.contains(said), is_said, "{kept}");
        let checked = checked(&folder, "f(f)/(x)");
        assert_eq!(checked.status.success(), is_right, "{kept}: {}", String::from_utf8_lossy(&checked.stderr));
    }
}
