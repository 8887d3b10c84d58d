//! Several sources whose files cannot be included one behind the other.

#[path = "../../generator/tests/common/mod.rs"]
mod common;

use std::path::PathBuf;
use std::process::Command;

use common::{flags, include, root};

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("adtape-joint-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for file in std::fs::read_dir(root().join("command/tests/joint")).unwrap() {
        let file = file.unwrap().path();
        std::fs::copy(&file, folder.join(file.file_name().unwrap())).unwrap();
    }
    folder
}

#[test]
fn sources_with_a_header_without_guard_and_equal_names_have_a_right_adjoint() {
    let folder = folder("check");
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    command.current_dir(&folder).args(["adjoint", "model.c", "other.c", "--head", "model(model)/(x)", "--explain"]);
    command.args(["--check", "driver.c"]).env("ADTAPE_FLAGS", flags().join(" "));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains(" operands compared, 0 wrong"), "{said}");
    assert!(said.contains("check: model: tangent-adjoint product "), "{said}");
    let explained = String::from_utf8_lossy(&output.stdout);
    assert!(explained.contains("other.c:1") && !explained.contains("stdin"), "{explained}");
    let text = std::fs::read_to_string(folder.join("model_b.c")).unwrap();
    assert_eq!(text.matches("typedef struct { double value, error; } result;").count(), 1, "{text}");
    assert_eq!(text.matches("static double series(").count(), 1, "{text}");
    assert!(text.contains("static const double P_2[TERMS]") && text.contains("static double calls_2;"), "{text}");
    assert!(text.contains("/* other.c:14 */"), "{text}");
    for compiler in ["gcc", "clang"] {
        let mut build = Command::new(compiler);
        build
            .current_dir(&folder)
            .args(["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-c", "model_b.c"])
            .arg(include());
        let built = build.output().unwrap();
        let errors = String::from_utf8_lossy(&built.stderr).into_owned();
        assert!(built.status.success(), "{compiler}: {errors}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Both files can be included one behind the other, but then the macro of the first one is that of the second one.
#[test]
fn macro_of_one_source_does_not_change_another_one() {
    let folder = folder("macro");
    std::fs::write(
        folder.join("a.c"),
        "#define SCALE 2.0\ndouble g(double x);\ndouble f(double x) { return SCALE * g(x); }\n",
    )
    .unwrap();
    std::fs::write(
        folder.join("b.c"),
        "#ifndef SCALE\n#define SCALE 3.0\n#endif\ndouble g(double x);\ndouble g(double x) { return SCALE * x; }\n",
    )
    .unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    command.current_dir(&folder).args(["adjoint", "a.c", "b.c", "--head", "f(f)/(x)"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let driver = "#include \"a_b.h\"\nint main(void) { double b = 0.0; f_b(1.0, &b, 1.0); return b != 6.0; }\n";
    std::fs::write(folder.join("main.c"), driver).unwrap();
    let mut build = Command::new("cc");
    build.current_dir(&folder).args(["-std=c99", "a_b.c", "main.c", "-o", "main"]).args(flags());
    let built = build.output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    assert!(Command::new(folder.join("main")).status().unwrap().success());
    std::fs::remove_dir_all(&folder).unwrap();
}
