//! The command as its users run it: files, messages, exit status.

use std::path::PathBuf;
use std::process::{Command, Output};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, model: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("adtape-command-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("model.c"), model).unwrap();
        Folder(path)
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_adtape")).current_dir(&self.0).args(args).output().unwrap()
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.0.join(file)).unwrap_or_default()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const MODEL: &str = "#include <math.h>
double f(int n, const double *x) {
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s = s + sin(x[i]) * s;
    return s;
}
";

#[test]
fn adjoint_and_tangent_are_written_beside_their_headers() {
    let folder = Folder::new("written", MODEL);
    let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)", "--explain"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("model.c:5"));
    assert!(folder.read("model_b.c").contains("#include \"model.c\""));
    assert!(folder.read("model_b.c").contains("/* model.c:5 */"));
    assert!(folder.read("model_b.h").contains("void f_b(int n, const double *x, double *x_b, double f_b);"));
    let output = folder.run(&["tangent", "model.c", "--head", "f(f)/(x)", "-o", "other_d.c"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(folder.read("other_d.h").contains("double f_d("));
}

#[test]
fn split_sweeps_are_exported() {
    let folder = Folder::new("split", MODEL);
    assert_eq!(folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)", "--split"]).status.code(), Some(0));
    let header = folder.read("model_b.h");
    assert!(header.contains("double f_fwd(adtape_t *tape, int n, const double *x);"), "{header}");
    assert!(header.contains("void f_rev(adtape_t *tape"), "{header}");
}

#[test]
fn what_is_refused_leaves_no_file_and_says_where() {
    let model = "double ext(double);\nunion u { int i; double d; };
double f(double x) {\n    union u v;\n    v.d = x;\n    return ext(x) + v.d;\n}\n";
    let folder = Folder::new("refused", model);
    let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("model.c:4:"), "{said}");
    assert!(said.contains("refused: ") && said.contains("help: "), "{said}");
    assert_eq!(folder.read("model_b.c"), "");
}

#[test]
fn wrong_command_lines_end_with_status_2() {
    let folder = Folder::new("usage", MODEL);
    for args in [
        &["adjoint", "model.c"][..],
        &["adjoint", "model.c", "--head", "f"],
        &["adjoint", "missing.c", "--head", "f(f)/(x)"],
        &["adjoint", "model.c", "--head", "g(g)/(x)"],
        &["adjoint", "model.c", "--head", "f(f)/(z)"],
        &["adjoint", "model.c", "--head", "f(f)/(x)", "-o", "out.txt"],
        &["integrate"],
    ] {
        let output = folder.run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(folder.read("model_b.c"), "");
}

#[test]
fn check_builds_and_runs_a_driver() {
    let folder = Folder::new("check", &MODEL.replace("s = 0.0", "s = 1.0"));
    let driver = "#include \"model_b.h\"\nint main(void) { double x[3] = {1, 2, 3}, x_b[3] = {0}; f_b(3, x, x_b, 1.0); return 0; }\n";
    std::fs::write(folder.0.join("driver.c"), driver).unwrap();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let mut library = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    library.current_dir(root).args(["build", "--offline", "--locked", "--lib", "-p", "adtape"]);
    assert!(library.status().unwrap().success());
    let flags =
        format!("-I{} {} -lpthread -ldl", root.join("include").display(), target.join("debug/libadtape.a").display());
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    command.current_dir(&folder.0).args(["adjoint", "model.c", "--head", "f(f)/(x)", "--check", "driver.c"]);
    let output = command.env("ADTAPE_FLAGS", &flags).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains(" operands compared, 0 wrong"), "{said}");
    assert!(said.contains("check: f: tangent-adjoint product "), "{said}");
    // An array that is too short, a driver that fails, a driver that does not compile.
    for (driver, status) in [
        ("double *x = calloc(2, 8), *x_b = calloc(2, 8); f_b(3, x, x_b, 1.0); return 0;", 4),
        ("double x[3] = {1, 2, 3}, x_b[3] = {0}; f_b(3, x, x_b, 1.0); return 7;", 1),
        ("f_b(3); return 0;", 1),
    ] {
        let text = format!("#include <stdlib.h>\n#include \"model_b.h\"\nint main(void) {{ {driver} }}\n");
        std::fs::write(folder.0.join("driver.c"), text).unwrap();
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
