//! The command as its users run it: files, messages, exit status.

use crate::common::Scratch;
use std::process::Command;

/// A folder with a model.
fn folder(name: &str, model: &str) -> Scratch {
    let folder = Scratch::new(&format!("command-{name}"));
    folder.write("model.c", model);
    folder
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
    let folder = folder("written", MODEL);
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

/// gcc brings its own `omp.h`, clang has it from another package.
#[test]
fn header_of_openmp_that_is_missing_is_named_with_its_package() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("openmp", MODEL);
    let says = "model.c:1:10: fatal error: 'omp.h' file not found";
    let script =
        format!("#!/bin/sh\n[ $1 = --version ] && echo clang version 14.0.6 && exit\necho \"{says}\" >&2\nexit 1\n");
    folder.write("clang", &script);
    std::fs::set_permissions(folder.0.join("clang"), PermissionsExt::from_mode(0o755)).unwrap();
    let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)", "--clang", "./clang"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(3) && said.contains(says), "{said}");
    assert!(said.contains("help: install clang's header of OpenMP (on Debian libomp-dev)"), "{said}");
}

/// No name of a macro starts with a digit.
#[test]
fn source_named_by_a_number_has_a_header_that_compiles() {
    let folder = folder("digit", MODEL);
    folder.write("2mm.c", MODEL);
    let output = folder.run(&["adjoint", "2mm.c", "--head", "f(f)/(x)"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let compile = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c", "2mm_b.h"];
    let built = Command::new("cc").current_dir(&folder.0).args(compile).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

/// `adtape ... | head` closes the pipe early.
#[test]
fn reader_that_leaves_is_no_error_but_a_full_disk_is() {
    let folder = folder("unread", MODEL);
    folder.write("refused.c", "void f(double *x) { asm(\"\"); x[0] = x[0] * x[0]; }\n");
    let closed = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        writer
    };
    let command = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
        command.current_dir(&folder.0).args(args);
        command
    };
    let explain = ["adjoint", "model.c", "--head", "f(f)/(x)", "--explain"];
    let output = command(&explain).stdout(closed()).output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    let refused = command(&["adjoint", "refused.c", "--head", "f(x)/(x)"]).stderr(closed()).output().unwrap();
    assert_eq!(refused.status.code(), Some(3));
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = command(&explain).stdout(full).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("the output cannot be written: No space left on device"), "{said}");
}

#[test]
fn explanations_say_who_reads_and_what_comes_back() {
    let model = "double f(int n, double *x) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        int k = 2 * i;
        x[k] = x[k] * x[k + 1];
        s += x[k];
    }
    return s * s;
}
";
    let folder = folder("explained", model);
    let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)", "--explain", "--explain-html", "page.html"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let has = |line: &str, what: &str, why: &str| {
        let found = said.lines().any(|text| text.contains(line) && text.contains(what) && text.contains(why));
        assert!(found, "no line with '{line}', '{what}', '{why}' in:\n{said}");
    };
    has("model.c:5:", " x[k] ", "stored before it is overwritten; read by line 5  8 bytes");
    has("model.c:4:", " k ", "computed again: 2 * i");
    has("model.c:3:", " loop ", "its passes are known from i and its bounds");
    has("model.c:3:", " s ", "stored: it is what the loop left; the result reads it  8 bytes");
    let page = folder.read("page.html");
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"), "{page}");
    assert!(page.contains("x[k] = x[k] * x[k + 1];") && page.contains("i &lt; n"), "{page}");
    assert!(page.contains("stored before it is overwritten; read by line 5"), "{page}");
}

/// What `--explain` says of a model, and the page.
pub(crate) fn explained(name: &str, model: &str, inputs: &str) -> (String, String) {
    let folder = folder(name, model);
    let head = format!("f(f)/({inputs})");
    let output = folder.run(&["adjoint", "model.c", "--head", &head, "--explain", "--explain-html", "page.html"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    (String::from_utf8_lossy(&output.stdout).into_owned(), folder.read("page.html"))
}

/// The lines about `t` did not say which `t` they mean, nor which one another value is computed from.
#[test]
fn explanations_tell_values_of_one_name_apart() {
    let model = "#include <math.h>
double f(double *x, double u) {
    double t = x[0] * u, other = u;
    double s = sin(t);
    t = cos(s * x[1]); s = sin(t); s = sin(s * x[1]);
    other = s * t;
    x[0] = t * s * other;
    t = t * x[0] + s;
    return t * t;
}
";
    let (said, page) = explained("one-name", model, "x u");
    for (place, what) in [("3:", "t (line 3)"), ("5:", "t (line 5)"), ("8:", "t (line 8)"), ("4:", "s (line 4)")] {
        let found = said.lines().any(|line| line.contains(&format!("model.c:{place}")) && line.contains(what));
        assert!(found && page.contains(&format!("<b>{what}</b>")), "no '{what}' in:\n{said}");
    }
    // Two on one line.
    assert!(said.contains(" s (line 5, column "), "{said}");
    assert!(said.contains("computed again: s * t, with s (line 5), t (line 5)"), "{said}");
    // One value of its name that is explained needs no line.
    assert!(said.lines().any(|line| line.contains("model.c:6:") && line.contains(" other   ")), "{said}");
}

/// A callee may read what no line of its caller reads.
#[test]
fn explanations_say_that_a_callee_may_read_memory() {
    let model = "static double square(int n, const double *x) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += x[i] * x[i];
    return s;
}
double f(int n, double *x) {
    double s = square(n, x);
    x[0] = 3.0 * s;
    return s + square(n, x);
}
";
    let (said, page) = explained("callee-reads", model, "x");
    let why = "stored before it is overwritten: no line here reads it, a function that is called may";
    assert!(said.lines().any(|line| line.contains("model.c:8:5") && line.contains(why)), "{said}");
    assert!(page.contains(why), "{page}");
}

/// `k` could be computed from what the pass before left; that would have to be kept instead.
#[test]
fn explanations_say_what_the_plan_keeps_instead() {
    let model = "double f(int n, double *x) {
    double s = 1.0;
    int k = 0;
    for (int i = 0; i < n; i++) {
        k += 3;
        s *= x[k % 5];
        k = 2 * k + 1;
        s *= x[k % 7];
    }
    return s * k;
}
";
    let (said, page) = explained("kept-instead", model, "x");
    let why = "stored: the plan keeps it instead of what it is computed from; read by lines 6, 8";
    let of_k = |line: &str| line.contains("model.c:5:9") && line.contains("k (line 5)") && line.contains(why);
    assert!(said.lines().any(of_k), "{said}");
    assert!(said.contains("computed again: 2 * k + 1, with k (line 5)"), "{said}");
    assert!(page.contains(why), "{page}");
}

#[test]
fn options_reach_the_compiler_and_a_stored_tree_replaces_it() {
    let model =
        "#ifdef SQUARE\ndouble f(double x) { return x * x; }\n#else\ndouble f(double x) { return 3 * x; }\n#endif\n";
    let folder = folder("options", model);
    let head = ["adjoint", "model.c", "--head", "f(f)/(x)"];
    let run = |more: &[&str]| {
        let output = folder.run(&[&head[..], more].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(run(&["-DSQUARE", "-o", "square.c"]).0, Some(0));
    assert_eq!(run(&["-DSQUARE", "-USQUARE", "--std", "c99", "-o", "three.c"]).0, Some(0));
    assert!(folder.read("square.c").contains("x * ") && !folder.read("three.c").contains("x * "));
    assert_eq!(run(&["--std", "pascal"]).0, Some(3));
    let mut clang = Command::new("clang");
    clang.current_dir(&folder.0).args(["-Xclang", "-ast-dump=json", "-fsyntax-only", "model.c"]);
    std::fs::write(folder.0.join("model.json"), clang.output().unwrap().stdout).unwrap();
    let (status, said) = run(&["--ast", "model.json", "--clang", "/no/such/clang", "-o", "three.c"]);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(run(&["--ast", "model.json", "--ast", "model.json"]).0, Some(2));
    let (status, said) = run(&["--ast", "missing.json"]);
    assert!(status == Some(2) && said.contains("cannot read the syntax tree missing.json"), "{said}");
}

#[test]
fn split_sweeps_are_exported() {
    let folder = folder("split", MODEL);
    assert_eq!(folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)", "--split"]).status.code(), Some(0));
    let header = folder.read("model_b.h");
    assert!(header.contains("double f_fwd(adtape_t *tape, int n, const double *x);"), "{header}");
    assert!(header.contains("void f_rev(adtape_t *tape"), "{header}");
}

#[test]
fn several_adjoints_have_a_file_of_their_own_and_no_check() {
    let folder = folder("vector", MODEL);
    let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)", "--vector", "4"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(folder.read("model_bv.h").contains("void f_bv(int n, const double *x, double (*x_b)[4], double f_bv[4]);"));
    assert!(folder.read("model_bv.c").contains("static void f_revv("));
    assert!(folder.read("model_b.c").is_empty());
    for wrong in [["--vector", "0"], ["--vector", "4096"]] {
        let output = folder.run(&[&["adjoint", "model.c", "--head", "f(f)/(x)"][..], &wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
    let both = ["adjoint", "model.c", "--head", "f(f)/(x)", "--vector", "4", "--check", "driver.c"];
    assert_eq!(folder.run(&both).status.code(), Some(2));
}

#[test]
fn names_that_the_sources_use_are_refused_where_they_are_written() {
    let model = "static double f_NAME = 2.0;\ndouble f(double x) {\n    return f_NAME * x * x;\n}\n";
    let calls = [("b", &["adjoint"][..]), ("bv", &["adjoint", "--vector", "4"]), ("d", &["tangent"])];
    for (taken, wanted) in calls {
        let folder = folder(&format!("taken_{taken}"), &model.replace("NAME", taken));
        for (suffix, options) in calls {
            let output = folder.run(&[options, &["model.c", "--head", "f(f)/(x)"]].concat());
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let refused = suffix == taken;
            assert_eq!(output.status.code(), Some(if refused { 3 } else { 0 }), "{taken} {suffix}: {said}");
            let line = format!("model.c:1:1: error: refused: 'f_{taken}' is the name of the {} of 'f'", wanted[0]);
            assert_eq!(said.contains(&line), refused, "{taken} {suffix}: {said}");
        }
    }
}

#[test]
fn what_is_refused_leaves_no_file_and_says_where() {
    let model = "double ext(double);\nunion u { int i; double d; };
double f(double x) {\n    union u v;\n    v.d = x;\n    return ext(x) + v.d;\n}\n";
    let folder = folder("refused", model);
    let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("model.c:4:"), "{said}");
    assert!(said.contains("refused: ") && said.contains("help: "), "{said}");
    assert_eq!(folder.read("model_b.c"), "");
}

#[test]
fn check_of_what_is_refused_leaves_no_file() {
    let folder = folder("check-refused", "double ext(double);\ndouble f(double x) { return ext(x); }\n");
    let driver = "#include \"model_b.h\"\nint main(void) { double x_b = 0; f_b(1, &x_b, 1); return 0; }\n";
    std::fs::write(folder.0.join("driver.c"), driver).unwrap();
    let run = ["adjoint", "model.c", "--head", "f(f)/(x)", "--explain-html", "page.html", "--check", "driver.c"];
    let output = folder.run(&run);
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let files = std::fs::read_dir(&folder.0).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut files: Vec<String> = files.collect();
    files.sort();
    assert_eq!(files, ["driver.c", "model.c"]);
}

#[test]
fn what_is_refused_in_a_header_is_quoted_from_there() {
    let folder = folder("header", "#include \"g.h\"\ndouble f(double x) { return g(x); }\n");
    let header = "static inline double g(double x) {\n    volatile double y[1] = {x};\n    return y[0];\n}\n";
    std::fs::write(folder.0.join("g.h"), header).unwrap();
    let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(
        said.contains("g.h:2:5: error: refused: 'y' is volatile\n      volatile double y[1] = {x};\n      ^\n"),
        "{said}"
    );
}

#[test]
fn sources_in_another_encoding_keep_their_bytes_in_order() {
    // What is no UTF-8 in comments and strings takes one byte a letter: positions in the text stay right.
    let folder = folder("latin", "");
    let model =
        b"/* \xe9t\xe9 */\ndouble f(double x) {\n    /* \xfc */ const char *s = \"\xe4\";\n    x = x * x; /* \xdf */\n\
        return s[0] == 0 ? x : x * x;\n}\n";
    std::fs::write(folder.0.join("model.c"), model).unwrap();
    let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)", "--split"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let text = folder.read("model_b.c");
    assert!(text.contains("    x = x * x; /* ? */\n") && text.contains("choice = x * x;"), "{text}");
}

#[test]
fn wrong_command_lines_end_with_status_2() {
    let folder = folder("usage", MODEL);
    for args in [
        &["adjoint", "model.c"][..],
        &["adjoint", "model.c", "--head", "f"],
        &["adjoint", "missing.c", "--head", "f(f)/(x)"],
        &["adjoint", "model.c", "--head", "g(g)/(x)"],
        &["adjoint", "model.c", "--head", "f(f)/(z)"],
        &["adjoint", "model.c", "--head", "f(f)/(x)", "-o", "out.txt"],
        &["adjoint", ".", "--head", "f(f)/(x)"],
        &["adjoint", "model.c", "--head", "f(f)/(x)", "--again", "g"],
        &["adjoint", "model.c", "--head", "f(f)/(x)", "--again", "f:z"],
        &["adjoint", "model.c", "--head", "f(f)/(x)", "-o", "model\"_b.c"],
        &["integrate"],
    ] {
        let output = folder.run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(folder.read("model_b.c"), "");
}

/// `-o model.c` wrote the adjoint over the model.
#[test]
fn sources_and_headers_are_not_overwritten() {
    let folder =
        folder("overwrite", "#include \"own.h\"\n#include \"later_b.h\"\ndouble f(double x) { return SQUARE(x); }\n");
    folder.write("own.h", "#define SQUARE(x) ((x) * (x))\n");
    folder.write("later_b.h", "");
    for (name, read) in [("model.c", "model.c"), ("./model.c", "model.c"), ("own.c", "./own.h")] {
        let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)", "-o", name]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains(&format!("{read} is read, so it cannot be written: name another file with -o")),
            "{said}"
        );
    }
    assert!(folder.read("model.c").ends_with("return SQUARE(x); }\n"));
    assert_eq!(folder.read("own.c"), "");
    folder.write("later_b.h", "/* later_b.h: the adjoint of f, written by adtape. */\n");
    let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)", "-o", "later_b.c"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn head_that_names_no_parameter_lists_those_that_there_are() {
    let folder = folder("listed", "double f(int n, const double *x) { return x[n] * x[n]; }\n");
    let output = folder.run(&["adjoint", "model.c", "--head", "f(y)/(x)"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("help: name one of these: n, x, f\n"));
}

#[test]
fn check_builds_and_runs_a_driver() {
    let folder = folder("check", &MODEL.replace("s = 0.0", "s = 1.0"));
    let driver = "#include \"model_b.h\"\nint main(void) { double x[3] = {1, 2, 3}, x_b[3] = {0}; f_b(3, x, x_b, 1.0); return 0; }\n";
    std::fs::write(folder.0.join("driver.c"), driver).unwrap();
    let flags = crate::common::flags().join(" ");
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

#[test]
fn names_in_any_script_are_heads_and_checked() {
    let model = "struct λ { double α, β[2]; };\n\
                 void größe(const struct λ *s, double *ж) {\n    double ñ = s->α * s->β[1];\n    *ж += ñ * ñ;\n}\n";
    let folder = folder("script", model);
    let driver = "#include \"model_b.h\"\nstruct λ { double α, β[2]; };\nint main(void) {\n    \
                  struct λ s = {2, {3, 4}}, s_b = {0};\n    double ж = 0, ж_b = 1;\n    größe_b(&s, &s_b, &ж, &ж_b);\n    \
                  return s_b.α != 64 || s_b.β[1] != 32;\n}\n";
    std::fs::write(folder.0.join("driver.c"), driver).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    command.current_dir(&folder.0).args(["adjoint", "model.c", "--head", "größe(ж)/(s)", "--check", "driver.c"]);
    let output = command.env("ADTAPE_FLAGS", crate::common::flags().join(" ")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains(" operands compared, 0 wrong"), "{said}");
}

/// Blanks and quotes in the names of directories and of the compiler, which were taken for ends of words.
#[test]
fn check_takes_blanks_and_quotes_in_names() {
    let scratch = folder("quotes", "");
    let folder = scratch.0.join("it's a \"model\"");
    let prefix = scratch.0.join("my \"own\" library's");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::create_dir_all(&prefix).unwrap();
    std::os::unix::fs::symlink(crate::common::root().join("include"), prefix.join("include")).unwrap();
    std::fs::write(folder.join("square.h"), "#define SQUARE(x) ((x) * (x))\n").unwrap();
    std::fs::write(folder.join("model.c"), "#include \"square.h\"\ndouble f(double x) { return SQUARE(x); }\n")
        .unwrap();
    let driver = "#include \"model_b.h\"\nint main(void) { double x_b = 0; f_b(3.0, &x_b, 1.0); return x_b != 6.0; }\n";
    std::fs::write(folder.join("driver.c"), driver).unwrap();
    // A compiler in front of the compiler, as ccache is.
    let before = prefix.join("before.sh");
    std::fs::write(&before, "#!/bin/sh\nexec \"$@\"\n").unwrap();
    std::fs::set_permissions(&before, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let escaped = |path: &std::path::Path| {
        let special = |c: char| if " '\"".contains(c) { format!("\\{c}") } else { c.to_string() };
        path.to_string_lossy().chars().map(special).collect::<String>()
    };
    let compilers =
        ["gcc -O3".to_string(), format!("{} gcc -O3", escaped(&before)), format!("{} 'gcc'", escaped(&before))];
    let libraries = crate::common::flags()[1..].join(" ");
    for compiler in &compilers {
        let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
        command.current_dir(&folder).args(["adjoint", "model.c", "--head", "f(f)/(x)", "--check", "driver.c"]);
        command.env("CC", compiler).env("TMPDIR", &folder);
        command.env("ADTAPE_FLAGS", format!("-I{} -O0 {libraries}", escaped(&prefix.join("include"))));
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.contains("check: f: differences "), "{compiler}: {said}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    command.current_dir(&folder).args(["adjoint", "model.c", "--head", "f(f)/(x)", "--check", "driver.c"]);
    let output = command.env("CC", "gcc '-O3").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "adtape: CC has no second ': gcc '-O3\n");
    assert_eq!(output.status.code(), Some(1));
}

/// The last line and the status say that something could not be compared: here the function ends beside its input.
#[test]
fn check_that_is_incomplete_has_a_status_of_its_own() {
    let model = "#include <stdlib.h>\ndouble f(double x) {\n    if (x != 2.0) exit(0);\n    return x * x;\n}\n";
    let folder = folder("incomplete", model);
    let driver = "#include \"model_b.h\"\nint main(void) { double x_b = 0; f_b(2.0, &x_b, 1.0); return 0; }\n";
    std::fs::write(folder.0.join("driver.c"), driver).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    command.current_dir(&folder.0).args(["adjoint", "model.c", "--head", "f(f)/(x)", "--check", "driver.c"]);
    let output = command.env("ADTAPE_FLAGS", crate::common::quick().join(" ")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
    let end = "check: 0 operands compared, 0 wrong; 1 comparison could not be made\n\
               adtape: the check with driver.c is incomplete: see 'not compared' above\n";
    assert!(said.ends_with(end), "{said}");
}

/// Such a program is the usual example of a library: its `main` was linked, and the library was not there.
#[test]
fn check_needs_no_library_that_the_main_of_the_sources_calls() {
    let library = "int solver_run(double (*f)(int, const double *));\n";
    let cases: String = (1..9).map(|k| format!("case {k}: return solver_run(f) + {};\n", k * k)).collect();
    let run = format!("static int run(int n) {{ switch (n) {{ {cases} }} return 0; }}\n");
    let main = format!("{run}int main(int n, char **words) {{ (void)words; return run(n); }}\n");
    let folder = folder("no-library", &format!("{library}{MODEL}{main}"));
    let driver = "#include \"model_b.h\"\nint main(void) { double x[3] = {1, 2, 3}, x_b[3] = {0}; f_b(3, x, x_b, 1.0); return 0; }\n";
    std::fs::write(folder.0.join("driver.c"), driver).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    command.current_dir(&folder.0).args(["adjoint", "model.c", "--head", "f(f)/(x)", "--check", "driver.c"]);
    let output = command.env("ADTAPE_FLAGS", crate::common::quick().join(" ")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
