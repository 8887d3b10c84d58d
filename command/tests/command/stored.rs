//! Syntax trees that were written before, `--ast`: those of the source as it is, and no others.

use crate::common::Scratch;
use std::process::Command;

const MODEL: &str = "#include \"own.h\"\nstatic double scale(double a) { return a * GAIN; }\n\
                     double f(int n, const double *x) {\n    double s = 0.0;\n    \
                     for (int i = 0; i < n; i++) {\n        if (x[i] > 0.5) s += scale(x[i]) * x[i];\n        \
                     s = -s / 3;\n    }\n    return s * own(s);\n}\n/* more                                    */\n";
const OWN: &str = "#define GAIN 2.5\n#define PLUS +\n#define FUNCTION(name) static inline double name(double a)\n\
                   #define EACH(i, n) for (int i = 0; i < n; i++)\nFUNCTION(own) {\n    \
                   double b = 010 + 1.5e-1f PLUS a;\n    EACH(i, 2) b -= \\\n        i;\n    \
                   return a * 0x10 * b;\n}\n";

/// Writes the tree of a source.
fn tree(folder: &Scratch, source: &str, tree: &str) {
    let mut clang = Command::new("clang");
    clang.current_dir(&folder.0).args(["-Xclang", "-ast-dump=json", "-fsyntax-only", "-w", source]);
    std::fs::write(folder.0.join(tree), clang.output().unwrap().stdout).unwrap();
}

fn adjoint(folder: &Scratch, source: &str) -> (Option<i32>, String) {
    let command =
        ["adjoint", source, "--head", "f(f)/(x)", "--ast", "tree.json", "--clang", "/no/such/clang", "-o", "out.c"];
    let output = folder.run(&command);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// A tree of another source, or one of yesterday, gave the gradient of what it was made of, in a file that includes
/// something else.
#[test]
fn tree_of_another_text_is_refused() {
    let folder = Scratch::new("stored-stale");
    folder.write("model.c", MODEL);
    folder.write("own.h", OWN);
    tree(&folder, "model.c", "tree.json");
    assert_eq!(adjoint(&folder, "model.c"), (Some(0), String::new()));
    let help = "help: write it again: clang -Xclang -ast-dump=json -fsyntax-only model.c > tree.json\n";
    let changes = [
        ("> 0.5", "< 0.5"),
        ("a * GAIN", "a + GAIN"),
        ("0.0;", "1.0;"),
        ("-s / 3", "+s / 3"),
        ("-s / 3", "-s / 5"),
        ("s += scale", "s -= scale"),
        (") * x[i]", ") - x[i]"),
        ("if (x", "    x"),
        ("double s", "double r"),
        ("scale(x[i])", "other(x[i])"),
        ("    double s", "        double s"),
        ("/* more                                    */", "double g(double a) { return a; } /* and more */"),
        ("    return s * own(s);\n}\n", ""),
    ];
    for (old, new) in changes {
        let text = MODEL.replacen(old, new, 1);
        assert_ne!(text, MODEL, "{old}");
        folder.write("model.c", &text);
        std::fs::remove_file(folder.0.join("out.c")).ok();
        let (status, said) = adjoint(&folder, "model.c");
        let first = "adtape: tree.json is the syntax tree of another text than that of model.c: ";
        assert!(
            status == Some(2) && said.starts_with(first) && said.ends_with(help),
            "{old} -> {new}: {status:?} {said}"
        );
        assert!(!folder.0.join("out.c").exists(), "{old} -> {new}");
    }
    folder.write("model.c", MODEL);
    for (old, new) in [("2.5", "3.5"), ("0x10", "0x11"), ("(own)", "(oxn)")] {
        folder.write("own.h", &OWN.replacen(old, new, 1));
        let (status, said) = adjoint(&folder, "model.c");
        let first = "adtape: tree.json is the syntax tree of another text than that of ./own.h: ";
        assert!(status == Some(2) && said.starts_with(first), "{old} -> {new}: {status:?} {said}");
    }
    folder.write("own.h", OWN);
    assert_eq!(adjoint(&folder, "model.c"), (Some(0), String::new()));
}

#[test]
fn tree_of_another_source_is_refused() {
    let folder = Scratch::new("stored-other");
    folder.write("model.c", MODEL);
    folder.write("own.h", OWN);
    folder.write("other.c", MODEL);
    folder.write("outer.c", "#include \"other.c\"\ndouble g(double x) { return x; }\n");
    tree(&folder, "model.c", "tree.json");
    let (status, said) = adjoint(&folder, "other.c");
    assert!(
        status == Some(2) && said.starts_with("adtape: tree.json is not the syntax tree of other.c: it names "),
        "{said}"
    );
    assert!(said.contains("model.c"), "{said}");
    tree(&folder, "outer.c", "tree.json");
    let (status, said) = adjoint(&folder, "./other.c");
    let first = "adtape: tree.json is the syntax tree of outer.c, which includes ./other.c\n";
    assert!(status == Some(2) && said.starts_with(first), "{said}");
}
