//! Macros of the sources, and what generated code needs beside them.

use crate::common::{Scratch, flags};
use crate::programs::check_driver;
use std::process::Command;

/// The headers of C that generated code includes had the macros of the sources' headers: they did not compile.
#[test]
fn macros_of_headers_change_no_other_header() {
    let folder = Scratch::new("own-macros");
    folder.write("own.h", "#define abs(x) ((x) >= 0 ? (x) : -(x))\n#define count 3\n#define passes 2\n");
    let text = "#include <math.h>\n#include \"own.h\"\n\
                double f(int n, const double *x) {\n    double sum = 0.0;\n    int k = 0;\n    \
                for (int i = 0; i < n; i++) sum += abs(x[i]) * x[i] * count;\n    \
                while (sum > passes && k < n) sum *= 0.5 + x[k++];\n    return sum;\n}\n";
    folder.write("own.c", text);
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    command.current_dir(&folder.0).args(["adjoint", "own.c", "--head", "f(f)/(x)"]);
    assert!(command.status().unwrap().success());
    let mut build = Command::new("gcc");
    build.current_dir(&folder.0).args(["-Wall", "-Wextra", "-Wconversion", "-Werror", "-c", "own_b.c", &flags()[0]]);
    let built = build.output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

/// A macro under the name of a function of `math.h` changed the derivative; others did not compile.
#[test]
fn macros_with_names_that_generated_code_uses_leave_gradients_right() {
    let folder = Scratch::new("hiding-macros");
    let text = "#include <math.h>\n#define sin(a) sin((a) * 0.5)\n#define cos(a) cos((a) * 0.5)\n#define tape 3\n\
                #define y (s->u)\n#define unused __attribute__((unused))\n#define log(...) ((void)0)\n#define LAST 2\n\
                #ifndef INFINITY\n#define INFINITY 1e300\n#endif\nstruct state {\n    double u;\n};\ndouble f(const double *x, int n unused) {\n    \
                static const double t[LAST] = {0.5, LAST};\n    struct state q = {x[0]}, *s = &q;\n    \
                y = y * sin(x[1]) + tape * cos(x[2]);\n    log(\"f\");\n    \
                return y * pow(1.5 + y * y, x[2]) * t[LAST - 1];\n}\n";
    folder.write("model.c", text);
    let driver = "#include \"model_b.h\"\nint main(void) {\n    double x[3] = {0.4, 0.7, 1.1}, x_b[3] = {0.0};\n    \
                  f_b(x, x_b, 1, 1.0);\n    return 0;\n}\n";
    folder.write("driver.c", driver);
    let said = check_driver(&folder, "f(f)/(x)");
    assert!(said.contains("check: f: differences "), "{said}");
}

/// Behind the sources, `bool` is the header's, which holds no 2.
#[test]
fn number_that_the_source_calls_bool_counts_on() {
    for own in ["typedef int bool;", "#define bool int", "#define true 2\ntypedef int bool;"] {
        let folder = Scratch::new("own-bool");
        let text = format!(
            "{own}\ndouble f(const double *x) {{\n    double s = 0.0;\n    bool k = 0;\n    \
             for (int i = 0; i < 4; i++) if (x[i] > 0.5) k += 1;\n    \
             for (int i = 0; i < k; i++) s += x[i] * x[i];\n    return s;\n}}\n"
        );
        folder.write("model.c", &text);
        let driver = "#include \"model_b.h\"\nint main(void) {\n    \
                      double x[4] = {1.0, 1.0, 1.0, 1.0}, x_b[4] = {0.0};\n    f_b(x, x_b, 1.0);\n    \
                      return x_b[3] != 2.0;\n}\n";
        folder.write("driver.c", driver);
        let said = check_driver(&folder, "f(f)/(x)");
        assert!(said.contains("check: f: differences "), "{own}: {said}");
    }
}

/// In copied text, a name that a header behind the sources declares or defines lost its meaning, a macro with the name of
/// a variable or a member was expanded twice, and a function declared inside of another one had no declaration.
#[test]
fn names_of_the_sources_mean_behind_them_what_they_meant() {
    let folder = Scratch::new("taken");
    let text = "enum { BUFSIZ = 3 };\nstruct state {\n    double v[BUFSIZ];\n};\n\
                static double random(int k) { return 0.5 + 0.25 * k; }\n\
                static double scale = 4.0;\n#define scale (0.5 * scale)\n#define v (state->v)\n#define half(a) (0.5 * (a))\n\
                static double div(const struct state *state, int k) { return half(v[k % BUFSIZ]) * random(k); }\n\
                double f(const double *x, int n) {\n    void stop_with(const char text[]);\n    \
                struct state own = {{0.0}}, *state = &own;\n    double s = 0.0;\n    \
                if (n < 0) stop_with(\"nothing\");\n    \
                for (int k = 0; k < n; k++) v[k % BUFSIZ] += x[k] * x[k] * scale;\n    \
                for (int k = 0; k < n; k++) s += div(state, k) * x[k];\n    return s;\n}\n";
    folder.write("model.c", text);
    let driver = "#include \"model_b.h\"\nvoid stop_with(const char text[]);\n\
                  void stop_with(const char text[]) { (void)text; }\nint main(void) {\n    \
                  double x[4] = {0.4, 0.7, 1.1, 0.3}, x_b[4] = {0.0};\n    f_b(x, x_b, 4, 1.0);\n    return 0;\n}\n";
    folder.write("driver.c", driver);
    let said = check_driver(&folder, "f(f)/(x)");
    assert!(said.contains("check: f: differences "), "{said}");
}

/// The forward sweep names macros, the reverse sweep had their values of yesterday: the gradient was that of neither.
#[test]
fn adjoint_is_not_compiled_with_other_values_than_it_was_written_with() {
    let folder = Scratch::new("asserted");
    let own = "#define GAIN 2.0\n#define SQUARE(a) ((a) * (a) * 0.5)\n#define TWICE 2 *\n#define HALF (GAIN / 4.0)\n\
               #define REAL double\n#define X (s->x)\n#define BITS 0xFUL\nenum { FIRST = 4, NEXT };\n#define CHANGING 1\n";
    folder.write("own.h", own);
    let text = "#include \"own.h\"\nstruct s { double x; };\n#undef CHANGING\n#define CHANGING 2.0\n\
                double f(double x, const struct s *s) {\n    REAL a = TWICE X * CHANGING;\n    \
                for (int i = 0; i < (int)NEXT + N; i++) a = HALF * SQUARE(a) * x + (double)BITS;\n    \
                return GAIN * a * x;\n}\n";
    folder.write("model.c", text);
    let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)", "-DN=3"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let compiled = |compiler: &str, define: &str| {
        let mut build = Command::new(compiler);
        build.current_dir(&folder.0).args([
            "-std=gnu99",
            "-Wall",
            "-Wextra",
            "-Wconversion",
            "-Werror",
            "-fsyntax-only",
        ]);
        let built = build.args(["-ffast-math", define, "model_b.c", &flags()[0]]).output().unwrap();
        (built.status.success(), String::from_utf8_lossy(&built.stderr).into_owned())
    };
    let changes = [
        ("GAIN 2.0", "GAIN 3.0", "GAIN"),
        ("* 0.5", "* 0.25", "SQUARE"),
        ("GAIN / 4.0", "GAIN / 8.0", "HALF"),
        ("0xFUL", "0xEUL", "BITS"),
        ("FIRST = 4", "FIRST = 5", "NEXT"),
    ];
    for compiler in ["gcc", "clang"] {
        assert_eq!(compiled(compiler, "-DN=3"), (true, String::new()), "{compiler}");
        let (done, said) = compiled(compiler, "-DN=4");
        assert!(!done && said.contains("N has changed: run adtape again"), "{compiler}: {said}");
        for (old, new, name) in changes {
            folder.write("own.h", &own.replace(old, new));
            let (done, said) = compiled(compiler, "-DN=3");
            assert!(
                !done && said.contains(&format!("{name} has changed: run adtape again")),
                "{compiler}, {name}: {said}"
            );
        }
        folder.write("own.h", own);
    }
}

/// A condition inside of a function, or around one, whose macro changed at compile time left the adjoint of another model.
#[test]
fn adjoint_is_not_compiled_where_conditions_in_its_functions_take_other_arms() {
    let folder = Scratch::new("conditions");
    let model = "#include \"config.h\"
#ifdef DEBUG
void tell(double);
#endif
#ifdef CUBE
static double power(double x) { return x * x * x; }
#else
static double power(double x) { return x * x; }
#endif
double f(double x) {
    double s = power(x);
#if defined(FAST) && FAST > 1 /* not
                                 here */
    s = 2.0 * s;
#elif LEVEL == 2
# ifdef TWICE // there
    s = s + s;
# endif
#endif
#ifdef __GNUC__
    s = s + 0.0;
#endif
    return s;
}
double other(double x) {
#ifdef OTHER
    return -x;
#endif
    return x;
}
";
    folder.write("model.c", model);
    let config = "#ifndef CONFIG_H\n#define CONFIG_H\n#define LEVEL 2\n#endif\n";
    folder.write("config.h", config);
    let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)", "-DTWICE"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let compiled = |arguments: &[&str], what: &str| {
        for compiler in ["gcc", "clang"] {
            let mut build = Command::new(compiler);
            build.current_dir(&folder.0).args(["-Wall", "-Werror", "-fsyntax-only", "model_b.c", &flags()[0]]);
            let built = build.args(arguments).output().unwrap();
            let said = String::from_utf8_lossy(&built.stderr);
            let is_right = if what.is_empty() { built.status.success() } else { said.contains(what) };
            assert!(is_right, "{compiler} {arguments:?}: {said}");
        }
    };
    // What stands outside of the functions, and in others, is free.
    for arguments in [&["-DTWICE"][..], &["-DTWICE", "-DDEBUG"], &["-DTWICE", "-DOTHER"], &["-DTWICE", "-DFAST=1"]] {
        compiled(arguments, "");
    }
    compiled(&[], "TWICE has changed: run adtape again");
    compiled(&["-DTWICE", "-DFAST=2"], "one of FAST, LEVEL has changed: run adtape again");
    compiled(&["-DTWICE", "-DCUBE"], "CUBE has changed: run adtape again");
    folder.write("config.h", &config.replace("LEVEL 2", "LEVEL 3"));
    compiled(&["-DTWICE"], "one of FAST, LEVEL has changed: run adtape again");
}
