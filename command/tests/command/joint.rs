//! Several sources whose files cannot be included one behind the other.

use std::path::PathBuf;
use std::process::Command;

use crate::common::{flags, include, quick, root};

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
    command.args(["--check", "driver.c"]).env("ADTAPE_FLAGS", quick().join(" "));
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

/// Writes `a.c`, `b.c` and `shared.h`, generates the adjoint of `f(double)` and checks it at 1; its text.
#[track_caller]
fn adjoint_at_one(name: &str, texts: [&str; 3], expected: f64) -> String {
    let folder = folder(name);
    for (file, text) in ["a.c", "b.c", "shared.h"].iter().zip(texts) {
        std::fs::write(folder.join(file), text).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    command.current_dir(&folder).args(["adjoint", "a.c", "b.c", "--head", "f(f)/(x)"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let driver = format!(
        "#include \"a_b.h\"\nint main(void) {{ double b = 0.0; f_b(1.0, &b, 1.0); return b != {expected:?}; }}\n"
    );
    std::fs::write(folder.join("main.c"), driver).unwrap();
    let mut build = Command::new("cc");
    build.current_dir(&folder).args(["-std=c99", "a_b.c", "main.c", "-o", "main"]).args(flags());
    let built = build.output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    assert!(Command::new(folder.join("main")).status().unwrap().success());
    let text = std::fs::read_to_string(folder.join("a_b.c")).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    text
}

/// Both files can be included one behind the other, but then the macro of the first one is that of the second one.
#[test]
fn macro_of_one_source_does_not_change_another_one() {
    let first = "#define SCALE 2.0\ndouble g(double x);\ndouble f(double x) { return SCALE * g(x); }\n";
    let second =
        "#ifndef SCALE\n#define SCALE 3.0\n#endif\ndouble g(double x);\ndouble g(double x) { return SCALE * x; }\n";
    adjoint_at_one("macro", [first, second, ""], 6.0);
}

/// A table of a header is one table in the generated file, and its functions are written once.
#[test]
fn sources_that_use_one_table_of_a_header_are_included() {
    let header = "#ifndef SHARED_H\n#define SHARED_H\nstatic const double table[2] = {2.0, 3.0};\n\
                  static inline double scaled(double x, int k) { return x * x * table[k]; }\ndouble g(double x);\n#endif\n";
    let first = "#include \"shared.h\"\ndouble f(double x);\ndouble f(double x) { return g(x) + scaled(x, 0); }\n";
    let second = "#include \"shared.h\"\ndouble g(double x) { return x * table[1] + scaled(x, 1); }\n";
    let text = adjoint_at_one("table", [first, second, header], 13.0);
    assert!(text.contains("#include \"a.c\"\n#include \"b.c\"\n"), "{text}");
    assert!(text.contains("/* shared.h:4 */") || text.contains("/* ./shared.h:4 */"), "{text}");
    assert_eq!(text.matches("double scaled_fwd(adtape_t *tape, double x, int k) {").count(), 1, "{text}");
}

/// Compilers warn where a macro gets another definition.
#[test]
fn macro_with_another_definition_in_each_source_gives_no_warning() {
    let first = "#define LIMIT 2\ndouble g(double x);\ndouble f(double x);\n\
                 double f(double x) { return LIMIT * g(x); }\n";
    let second = "#define LIMIT 3\ndouble g(double x) { return LIMIT * x * x; }\n";
    let text = adjoint_at_one("macros", [first, second, ""], 12.0);
    assert!(text.contains("#include \"a.c\"\n#undef LIMIT\n#include \"b.c\"\n"), "{text}");
}

/// Each source has its own variable of a header, also if the header has a guard.
#[test]
fn static_variable_of_a_header_is_one_for_each_source() {
    let header = "#ifndef SHARED_H\n#define SHARED_H\nstatic double larger;\n\
                  #define SQUARE(a) (larger = (a), larger * larger)\ndouble g(double x);\n#endif\n";
    let first = "#include \"shared.h\"\ndouble f(double x);\n\
                 double f(double x) { double y = SQUARE(3.0 * x); return g(x) + y * larger; }\n";
    let second = "#include \"shared.h\"\ndouble g(double x) { return SQUARE(x); }\n";
    let text = adjoint_at_one("variable", [first, second, header], 83.0);
    assert!(text.contains("larger_2"), "{text}");
}

/// A source may declare by typedefs of its own what another one defines without.
#[test]
fn typedefs_of_one_type_declare_what_another_source_defines() {
    let first = "typedef double real;\ntypedef real number;\nextern number scale[];\nextern number limit(number *);\n\
                 double f(double x);\ndouble f(double x) { real y = x; return y * limit(&y) * scale[1]; }\n";
    let second = "typedef float real;\ndouble scale[2] = {1.0, 3.0};\ndouble limit(double *x);\n\
                  double limit(double *x) { real two = 2; return *x * two; }\n";
    adjoint_at_one("typedefs", [first, second, ""], 12.0);
}
