//! Directives of OpenMP: the sweeps run on one thread, and say so.

use crate::common::Scratch;
use crate::programs::check_driver;
use std::process::Command;

/// A model that means with any team what it means on one thread: regions, reductions, private copies, merged parts.
const MODEL: &str = "#include \"divided.h\"
static void squares(int n, double *y, const double *x) {
#pragma omp for
    for (int i = 0; i < n; i++) y[i] = x[i] * x[i];
}
double f(int n, const double *x) {
    double y[8], h[2] = {0.0}, s = 0.0, m = 100.0, t, last = 0.0;
    int i, j, seen = 0;
#pragma omp parallel default(shared) private(i, j, t)
    {
        double mine = 0.0;
        squares(n, y, x);
#pragma omp for nowait
        for (i = 0; i < n; i++) {
            t = y[i] * x[i];
            mine += t;
            if (t > 1.0) seen = 1;
        }
#pragma omp critical
        s += mine;
#pragma omp barrier
#pragma omp single
        s *= 2.0;
#pragma omp for collapse(2) reduction(+ : s)
        for (i = 0; i < n; i++)
            for (j = 0; j < 2; j++) s += j * x[i];
    }
#pragma omp parallel for lastprivate(last) reduction(min : m) reduction(+ : h[:2])
    for (i = 0; i < n; i++) {
        last = x[i] * x[i];
        m = last < m ? last : m;
        h[i % 2] += last;
    }
    DIVIDED for (i = 1; i < n; i += 2) y[i] = y[i - 1] * x[i];
    return s * m + last * h[0] * h[1] + y[1] * seen;
}
";

const HEADER: &str = "#define DIVIDED _Pragma(\"omp parallel for\")\n";

const DRIVER: &str = "#include \"model_b.h\"
int main(void) {
    double x[5] = {1.1, 0.9, 1.3, 0.8, 1.2}, x_b[5] = {0.0};
    f_b(5, x, x_b, 1.0);
    return x_b[0] == 0.0;
}
";

#[test]
fn directives_that_the_sweeps_lack_are_named_with_their_lines() {
    let folder = Scratch::new("openmp");
    folder.write("divided.h", HEADER);
    folder.write("model.c", MODEL);
    folder.write("driver.c", DRIVER);
    check_driver(&folder, "f(f)/(x)");
    for mode in ["adjoint", "tangent"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
        let said =
            command.current_dir(&folder.0).args([mode, "model.c", "--head", "f(f)/(x)"]).output().expect("it runs");
        let said = String::from_utf8_lossy(&said.stderr).into_owned();
        let lines: Vec<&str> = MODEL.lines().collect();
        let directive = |(at, line): (usize, &&str)| line.contains("#pragma").then(|| format!("model.c:{}:1", at + 1));
        let mut expected: Vec<String> = lines.iter().enumerate().filter_map(directive).collect();
        let macro_line = lines.iter().position(|line| line.contains("DIVIDED for")).expect("the macro's line");
        expected.push(format!("model.c:{}:5", macro_line + 1));
        let places: Vec<String> = said
            .lines()
            .filter_map(|line| Some(line.split_once(": warning: the derivative runs on")?.0.into()))
            .collect();
        assert_eq!(places, expected, "{said}");
        assert_eq!(said.lines().count(), expected.len(), "{said}");
        assert!(said.contains(
            "model.c:13:1: warning: the derivative runs on one thread: it has no '#pragma omp for nowait'\n"
        ));
    }
}

/// A syntax tree that clang wrote without -fopenmp has no directives.
#[test]
fn directives_beside_a_stored_tree_are_refused() {
    let folder = Scratch::new("openmp-tree");
    folder.write("divided.h", HEADER);
    folder.write("model.c", MODEL);
    let dump = ["-Xclang", "-ast-dump=json", "-fsyntax-only", "-w", "model.c"];
    let tree = Command::new("clang").current_dir(&folder.0).args(dump).output().expect("clang runs").stdout;
    std::fs::write(folder.0.join("model.json"), tree).expect("a tree");
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    command.current_dir(&folder.0).args(["adjoint", "model.c", "--ast", "model.json", "--head", "f(f)/(x)"]);
    let said = command.output().expect("it runs");
    let text = String::from_utf8_lossy(&said.stderr).into_owned();
    assert_eq!(said.status.code(), Some(3), "{text}");
    let first = "model.c:3:1: error: refused: a syntax tree has no directives of OpenMP, and they may change what the function means\n";
    assert!(text.starts_with(first), "{text}");
    assert!(text.contains("\n  also at model.c:9:1: 2 places in all\n"), "{text}");
}

/// Directives in what the compiler leaves out, in texts, and in functions that nobody calls are none.
#[test]
fn directives_that_nothing_reaches_are_not_mentioned() {
    let folder = Scratch::new("openmp-unreached");
    let model = "#include <stdio.h>
double f(int n, const double *x) {
    double s = 0.0;
#if 0
#pragma omp parallel for private(s)
#endif
#ifdef _OPENMP
#pragma omp parallel for private(s)
#endif
    for (int i = 0; i < n; i++) s += x[i] * x[i]; /* #pragma omp parallel */
    if (s < 0.0) puts(\"#pragma omp parallel\");
    return s;
}
static double last;
#pragma omp threadprivate(last)
double g(int n) {
#pragma omp parallel num_threads(4)
    last += n;
    return last;
}
";
    folder.write("model.c", model);
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    let said =
        command.current_dir(&folder.0).args(["adjoint", "model.c", "--head", "f(f)/(x)"]).output().expect("it runs");
    assert_eq!((said.status.code(), String::from_utf8_lossy(&said.stderr).as_ref()), (Some(0), ""));
}
