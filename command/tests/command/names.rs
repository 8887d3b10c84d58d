//! Names that sources have and generated code needs: what it makes avoids them, or the clash is refused where it is.

use crate::common::{Scratch, each, include};
use std::process::Command;

/// What a source may have a name as: its kind, how it is declared, and how it is used; `@` is the name.
const KINDS: [(&str, &str, &str); 12] = [
    ("function", "double @(double a) { return a + 1.0; }\n", "@(1.0)"),
    ("static function", "static double @(double a) { return a + 1.0; }\n", "@(1.0)"),
    ("prototype", "void @(int, int, int);\n", "1.0"),
    ("type", "typedef struct { double q; } @;\n", "(double)sizeof(@)"),
    ("tag", "struct @ { double q; };\n", "(double)sizeof(struct @)"),
    ("enumerator", "enum { @ = 5 };\n", "@"),
    ("variable", "double @ = 2.0;\n", "@"),
    ("static variable", "static double @ = 2.0;\n", "@"),
    ("macro", "#define @ 7\n", "@"),
    ("macro with arguments", "#define @(a) ((a) + 7)\n", "@(1.0)"),
    ("member", "struct own { double @; };\n", "((struct own){ 2.0 }).@"),
    ("local", "", "(2.0 * @)"),
];

/// Names that the output has for other files, or that its headers have: refused as whatever is at file scope.
const REFUSED: [&str; 7] =
    ["f_b", "adtape_t", "adtape_self", "adtape_push_f64", "ADTAPE_TAPE_H", "ADTAPE_OWN_TYPES", "adtape_not_cos"];
/// Names of C that generated code needs: another meaning is refused.
const OF_C: [&str; 7] = ["calloc", "abort", "uint64_t", "size_t", "NULL", "NAN", "stderr"];
/// All others.
const AVOIDED: [&str; 18] = [
    "f_fwd",
    "f_rev",
    "x_b",
    "g_b",
    "tape",
    "seed",
    "passes",
    "pass",
    "MODEL_B_H",
    "APART",
    "allocate_or_abort",
    "zero_or_product",
    "check_operands",
    "s_s",
    "unused",
    "_fwd",
    "b",
    "f_b_1",
];

/// A model that has this name.
fn model(name: &str, (kind, declared, used): (&str, &str, &str)) -> String {
    let declared = declared.replace('@', name);
    let local = if kind == "local" { format!("    double {name} = s * s;\n") } else { String::new() };
    format!(
        "double sin(double), exp(double), pow(double, double);\nstatic double g;\n{declared}\
         double f(const double *x) {{\n    double s = x[0];\n    g = 1.5;\n{local}    \
         for (int i = 1; i < 5; i++) {{\n        s = s * x[i] + sin(x[i]) * {};\n        g *= pow(s, x[i]);\n    }}\n    \
         while (s > 100.0) s = exp(-s) * s;\n    return s * g;\n}}\n",
        used.replace('@', name)
    )
}

/// Whether a compiler takes a file without a word but for those about what is not used.
fn compiles(folder: &Scratch, file: &str) -> Result<(), String> {
    let mut compiler = Command::new("gcc");
    compiler.current_dir(&folder.0).args(["-std=gnu99", "-Wall", "-Wextra", "-Wno-unused", "-fsyntax-only"]);
    let output = compiler
        .args(["-Wno-builtin-declaration-mismatch", "-Wno-pointer-sign", "-Wno-cpp", &include(), file])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() && !said.contains("warning") { Ok(()) } else { Err(said) }
}

/// `f_b` as prototype, type or macro, names of `adtape.h`, and names of C under another meaning made files that no
/// compiler takes; `enum { NAN = 5 }` became what C calls so, without a word.
#[test]
fn names_of_the_sources_are_avoided_or_refused_whatever_they_name() {
    try_names(13);
}

mod matrix {
    #[test]
    fn all_names_of_the_sources_are_avoided_or_refused() {
        super::try_names(1);
    }
}

/// Tries one of so many pairs of a name and a kind: all names and all kinds are among every 13th.
fn try_names(of: usize) {
    let names = REFUSED.iter().chain(&OF_C).chain(&AVOIDED);
    let all = names.flat_map(|name| KINDS.iter().map(move |kind| (*name, *kind)));
    let some: Vec<(&str, (&str, &str, &str))> = all.step_by(of).collect();
    each(&some, |(name, kind)| {
        let folder = Scratch::new("names");
        folder.write("model.c", &model(name, *kind));
        let is_function =
            ["calloc", "abort"].contains(name) && ["function", "static function", "prototype"].contains(&kind.0);
        if compiles(&folder, "model.c").is_err() {
            return;
        }
        for (command, output) in [("adjoint", "model_b.c"), ("tangent", "model_d.c")] {
            let output = (folder.run(&[command, "model.c", "--head", "f(f)/(x)"]), output);
            let said = String::from_utf8_lossy(&output.0.stderr).into_owned();
            let what = format!("{command}, {name} as {}", kind.0);
            // A macro of the library's headers changes members, too.
            let is_free = kind.0 == "member" && !name.starts_with("ADTAPE_")
                || matches!(kind.0, "tag" | "local") && *name == "f_b";
            let in_tangent = command == "tangent" && *name == "f_b";
            if REFUSED.contains(name) && !is_free && !in_tangent {
                let line = said.lines().next().unwrap_or_default();
                assert!(
                    output.0.status.code() == Some(3) && line.contains(&format!("refused: '{name}' is ")),
                    "{what}: {said}"
                );
                assert!(line.starts_with("model.c:") && said.contains("help: give it another name"), "{what}: {said}");
            } else if OF_C.contains(name) && output.0.status.code() == Some(3) {
                // clang does not take for a variable what it knows as a function.
                if said.contains("clang does not accept model.c") {
                    continue;
                }
                let why = if is_function {
                    format!("'{name}' has the type ")
                } else {
                    format!("generated code needs '{name}' as C's library has it")
                };
                assert!(said.contains(&why), "{what}: {said}");
            } else {
                assert!(output.0.status.success(), "{what}: {said}");
                let compiled = compiles(&folder, output.1);
                assert!(compiled.is_ok(), "{what}: {}", compiled.unwrap_err());
            }
        }
    });
}

/// A static `log` of the source's own was called for that of C in the derivative of `pow`.
#[test]
fn function_of_the_source_is_not_called_for_that_of_c() {
    let own = "static double log(double a) { return a - 1.0; }\n";
    let text = |own: &str, body: &str| {
        format!("double pow(double, double);\n{own}double f(double x, double y) {{\n{body}}}\n")
    };
    let cases = [
        ("adjoint", text(own, "    return pow(x, y) * log(x);\n")),
        ("tangent", text(own, "    return pow(x, y) * log(x);\n")),
        ("adjoint", text("static double log = 2.0;\n", "    return pow(x, y) * log;\n")),
        ("adjoint", text("enum { log = 2 };\n", "    return pow(x, y) * log;\n")),
    ];
    for (command, model) in &cases {
        let folder = Scratch::new("own-log");
        folder.write("model.c", model);
        let output = folder.run(&[command, "model.c", "--head", "f(f)/(x y)"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{command}: {model}{said}");
        assert!(said.contains("refused: generated code needs 'log' as C's library has it"), "{said}");
    }
    // Where nothing calls the function of C, the source's own is a function as others are.
    let folder = Scratch::new("own-log-alone");
    folder.write("model.c", &text(own, "    return x * y * log(x);\n"));
    let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x y)"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(compiles(&folder, "model_b.c"), Ok(()));
}

/// glibc's header of mathematics did not compile behind a source that declares its functions itself.
#[test]
fn sources_may_declare_functions_of_mathematics_themselves() {
    for function in ["cos", "sin", "exp", "log", "tanh", "atan", "sqrt", "cbrt", "erf", "fabs"] {
        let folder = Scratch::new("own-prototype");
        let declared =
            format!("double {function}(double);\nfloat {function}f(float);\nextern double pow(double x, double y);\n");
        folder.write(
            "model.c",
            &format!(
                "{declared}double f(double x) {{ return pow(x, 3.0) * {function}(x) * {function}f((float)x); }}\n"
            ),
        );
        let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for compiler in ["gcc", "clang"] {
            let mut build = Command::new(compiler);
            build.current_dir(&folder.0).args([
                "-std=gnu99",
                "-O2",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-c",
                "model_b.c",
                "-o",
                "/dev/null",
            ]);
            let built = build.arg(include()).output().unwrap();
            assert!(built.status.success(), "{function}, {compiler}: {}", String::from_utf8_lossy(&built.stderr));
        }
    }
}

/// With C's header behind these declarations, no compiler took the generated file.
#[test]
fn function_of_c_with_another_type_is_refused_where_it_is_declared() {
    let model = |declared: &str, refused: Option<&str>| {
        let folder = Scratch::new("other-type");
        let text = format!("{declared}\ndouble f(double x) {{\n    return x * x * x;\n}}\n");
        folder.write("model.c", &text);
        for (command, file) in [("adjoint", "model_b.c"), ("tangent", "model_d.c")] {
            let output = folder.run(&[command, "model.c", "--head", "f(f)/(x)"]);
            let said = String::from_utf8_lossy(&output.stderr);
            match refused {
                Some(what) => {
                    let is_there = said.starts_with("model.c:2:") && said.contains(&format!(" refused: {what}"));
                    assert!(output.status.code() == Some(3) && is_there, "{declared}: {said}");
                    assert!(!folder.0.join(file).exists(), "{declared}");
                }
                None => {
                    assert!(output.status.success(), "{declared}: {said}");
                    assert_eq!(compiles(&folder, file), Ok(()), "{declared}");
                }
            }
        }
    };
    let refused = [
        (
            "void *calloc(int, int);",
            "'calloc' has the type 'void *(int, int)' here and 'void *(unsigned long, unsigned",
        ),
        ("char *malloc();", "'malloc' has the type 'char *()' here"),
        ("void free(char *);", "'free' has the type 'void (char *)' here"),
        ("void exit(long);", "'exit' has the type 'void (long)' here"),
        ("int abort(void);", "'abort' has the type 'int (void)' here"),
        ("static int abort(int why) { return why; }", "'abort' has the type 'int (int)' here"),
        ("float sin(float);", "'sin' has the type 'float (float)' here and 'double (double)' in C's library"),
        ("double pow(double, int);", "'pow' has the type 'double (double, int)' here"),
    ];
    for (declared, what) in refused {
        model(&format!("typedef unsigned long size_t;\n{declared}"), Some(what));
    }
    for declared in [
        "void *calloc(size_t n, const size_t bytes);\nvoid *memcpy(void *restrict to, const void *restrict from, size_t);",
        "void exit();\nvoid abort();\nvoid free();\ndouble pow();",
        "_Noreturn void exit(int);\nvoid *malloc(unsigned long);",
        "#include <stdio.h>\nint fprintf(FILE *restrict, const char *restrict, ...);\nfloat sinf(float);",
        // What generated code does not need has another name in C's headers.
        "int atoi(double);\ndouble atof(double);",
    ] {
        model(&format!("typedef unsigned long size_t;\n{declared}"), None);
    }
}

/// A macro was judged by parts of its text: `finite` had `inf`, and `(0x0p0 / zero())` nothing of a number that is none.
#[test]
fn macros_of_c_are_judged_by_their_values() {
    let model = |defined: &str, refused: Option<&str>| {
        let folder = Scratch::new("own-constants");
        let text = format!("#define ZERO 0.0\n{defined}\ndouble f(double x) {{\n    return x * x * x;\n}}\n");
        folder.write("model.c", &text);
        let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)"]);
        let said = String::from_utf8_lossy(&output.stderr);
        match refused {
            Some(name) => {
                let what = format!(" refused: generated code needs '{name}' as C's library has it");
                let is_there = said.starts_with("model.c:2:") && said.contains(&what);
                assert!(output.status.code() == Some(3) && is_there, "{defined}: {said}");
            }
            None => {
                assert!(output.status.success(), "{defined}: {said}");
                assert_eq!(compiles(&folder, "model_b.c"), Ok(()), "{defined}");
            }
        }
    };
    for (name, value) in [
        ("NAN", "10000.0"),
        ("NAN", "banana"),
        ("INFINITY", "1000"),
        ("INFINITY", "(-1.0 / ZERO)"),
        ("INFINITY", "finite"),
        ("NULL", "(void *)4"),
        ("NULL", "0.0"),
        ("stderr", "profile"),
        ("stderr", "2"),
    ] {
        model(&format!("#define {name} {value}"), Some(name));
    }
    for defined in [
        "#define NAN (ZERO / ZERO)",
        "#define NAN (-__builtin_nanf(\"\"))",
        "#define INFINITY (1.0 / ZERO)",
        "#define INFINITY 1e999",
        "#define NULL ((void *)(ZERO > 1.0))",
        "#include <stdio.h>\n#undef stderr\n#define stderr (stderr)",
    ] {
        model(defined, None);
    }
}

/// The adjoint subtracted a pointer to `char` from one to `signed char`, and the tangent wrote through a pointer to
/// constants whose cast was lost.
#[test]
fn pointers_that_the_source_converts_are_converted_in_the_output() {
    let signs = |declared: &str, from: &str| {
        format!(
            "struct table {{ {declared}args; }};\ndouble f(double x, const struct table *t, {declared}other) {{\n    \
             {from}double s = 1;\n    (void)other;\n    for (;;) {{\n        int n = *p++;\n        if (n < 0) break;\n        \
             for (int i = 0; i < n; i++) {{\n            int m = *p++;\n            if (m) s = s * x * m + *p++;\n        }}\n    }}\n    \
             return s;\n}}\n"
        )
    };
    let step = "struct sim { int warned; double last; };\nstruct run { const struct sim *sim; };\n";
    let through = |how: &str, given: &str| {
        format!(
            "{step}static void step({how}, double *x) {{\n    if (*x > 2.0) ((struct sim *){given})->warned |= 1;\n    \
             if (*x > 3.0) ((struct sim *){given})->last = *x;\n    *x = *x * *x;\n}}\n\
             double f(double x, {how}) {{\n    double t = x;\n    step({}, &t);\n    return t;\n}}\n",
            given.split('-').next().unwrap_or_default()
        )
    };
    let models = [
        signs("char *", "signed char *p = (signed char *)t->args;\n    "),
        signs("char *", "signed char *p = (signed char *)other;\n    "),
        signs("unsigned char *", "signed char *p = (signed char *)t->args;\n    "),
        signs("unsigned *", "int *p = (int *)t->args;\n    "),
        signs("const char *", "const signed char *p = (const signed char *)t->args;\n    "),
        through("const struct sim *r", "r"),
        through("const struct run *r", "r->sim"),
        through("struct sim const *const r", "r"),
    ];
    for model in &models {
        let folder = Scratch::new("converted");
        folder.write("model.c", model);
        for (command, file) in [("adjoint", "model_b.c"), ("tangent", "model_d.c")] {
            let output = folder.run(&[command, "model.c", "--head", "f(f)/(x)"]);
            assert!(output.status.success(), "{model}{}", String::from_utf8_lossy(&output.stderr));
            let compiled = compiles(&folder, file);
            assert!(compiled.is_ok(), "{model}{}", compiled.unwrap_err());
        }
    }
}
