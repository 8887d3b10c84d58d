//! Libraries whose functions have rules: LAPACK's factors, GSL, FFTW. `scripts/setup.sh test` installs them.

use crate::common::{Scratch, root};
use std::path::Path;

/// A folder with a model and its driver of `tests/rules`.
fn folder(name: &str, model: &str, driver: &str) -> Scratch {
    let folder = Scratch::new(name);
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    for (file, to) in [(model, "model.c"), (driver, "driver.c")] {
        folder.write(to, &std::fs::read_to_string(from.join(file)).unwrap());
    }
    folder
}

/// Factors that are used twice and read, and eigenvalues; with LAPACK itself, whose blocks are 64 columns wide.
#[test]
fn factors_and_eigenvalues_of_lapack_are_known() {
    let folder = folder("rules-factors", "factors_of_lapack.c", "factors.c");
    let said = folder.printed(&["adjoint", "model.c", "--head", "f(f)/(x)", "--explain"]);
    assert!(
        said.contains("10 of 10 procedures proved given the rules of dgbtrf_, dgbtrs_, dsyev_, dsytrf_, dsytrs_, ")
    );
    let flags = ["-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"];
    folder.builds_and_runs(&[&flags[..], &["model_b.c", "driver.c", "-llapack", "-lblas"]].concat());

    // A turn among the vectors of two equal eigenvalues has no derivative.
    folder.write(
        "model.c",
        "void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
            const int *lwork, int *info);
double f(const double *x, int turns) {
    double a[9] = {x[0], 0.0, 0.0, 0.0, x[0], 0.0, 0.0, 0.0, x[1]}, w[3], work[64];
    int n = 3, size = 64, info;
    dsyev_(\"V\", \"L\", &n, a, &n, w, work, &size, &info);
    return w[0] * w[0] + w[1] * w[1] + w[2] + (turns ? a[3] : a[0]) * w[2];
}
",
    );
    folder.write(
        "driver.c",
        "#include \"model_b.h\"
#include <signal.h>
#include <stdlib.h>
static void ends(int signal) { exit(signal != SIGABRT); }
int main(void) {
    double x[2] = {1.0, 2.0}, x_b[2] = {0.0};
    f_b(x, x_b, 0, 1.0);
    if (x_b[0] != 4.0 || x_b[1] != 2.0) return 1;
    signal(SIGABRT, ends);
    f_b(x, x_b, 1, 1.0);
    return 1;
}
",
    );
    folder.printed(&["adjoint", "model.c", "--head", "f(f)/(x)"]);
    folder.builds_and_runs(&["-O1", "model_b.c", "driver.c", "-llapack", "-lblas"]);
}

/// All special functions of GSL with a known derivative, beside differences; and what is refused.
#[test]
fn special_functions_of_gsl_are_known() {
    let folder = folder("rules-gsl", "special_of_gsl.c", "special.c");
    let said = folder.printed(&["adjoint", "model.c", "--head", "f(f)/(x y)", "--explain"]);
    assert!(said.contains("161 of 161 procedures proved given the rules of gsl_pow_2, "), "{said}");
    folder.printed(&["tangent", "model.c", "--head", "f(f)/(x y)"]);
    // Both generated files have the function itself.
    let flags = ["-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-Wl,-z,muldefs"];
    folder.builds_and_runs(&[&flags[..], &["model_b.c", "model_d.c", "driver.c", "-lgsl", "-lgslcblas"]].concat());

    folder.write(
        "model.c",
        "#include <gsl/gsl_sf_bessel.h>\ndouble f(double x, double nu) { return gsl_sf_bessel_Jnu(nu, x); }\n",
    );
    folder.printed(&["adjoint", "model.c", "--head", "f(f)/(x)"]);
    let refused = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x nu)"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(3), "{said}");
    assert!(said.contains("'order' of 'gsl_sf_bessel_Jnu' depends on the inputs here"), "{said}");
}

/// Plans in variables, at file scope and in structs; transforms in place, of one to three dimensions, in float and in
/// double precision.
#[test]
fn transforms_of_fftw_are_known() {
    let folder = folder("rules-fftw", "transforms_of_fftw.c", "transforms.c");
    let header = root().join("include/adtape/fftw");
    let include = ["-I", header.to_str().unwrap()];
    let head = ["model.c", "--head", "f(f)/(u k)"];
    let warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-O2"];
    let files = ["model_b.c", "driver.c"];
    let said = folder.printed(&[&["adjoint"], &head[..], &include, &["--explain"]].concat());
    assert!(said.contains("replay       proved, given adtape_fftw_r2c_rev"), "{said}");
    folder.builds_and_runs(&[&warnings[..], &include, &files, &["-lfftw3"]].concat());
    folder.printed(&[&["tangent"], &head[..], &include].concat());
    folder
        .builds_and_runs(&[&["-O1", "-w", "-DTANGENT"][..], &include, &["model_d.c", "driver.c", "-lfftw3"]].concat());

    for file in ["model.c", "driver.c"] {
        folder.write(file, &folder.read(file).replace("double", "float").replace("fftw_", "fftwf_"));
    }
    folder.printed(&[&["adjoint"], &head[..], &include].concat());
    folder.builds_and_runs(&[&["-O1", "-w", "-DSINGLE"][..], &include, &files, &["-lfftw3f"]].concat());
}
