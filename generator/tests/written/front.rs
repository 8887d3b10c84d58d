//! The C front end: programs in C and what they are in the intermediate representation.

use adtape_generate::flow::{Head, order};
use adtape_generate::front::{Input, read};
use adtape_generate::ir::{Program, print, validate};
use adtape_generate::refuse::{Class, Refusal};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

static NUMBER: AtomicUsize = AtomicUsize::new(0);

fn lower(source: &str) -> Result<Program, Vec<Refusal>> {
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("adtape-front-{}-{number}.c", std::process::id()));
    std::fs::write(&path, source).unwrap();
    let file = path.to_str().unwrap().to_string();
    let result = read(&Input { files: vec![file], heads: vec!["f".to_string()], ..Input::default() });
    std::fs::remove_file(&path).unwrap();
    let head = Head { proc: "f".to_string(), dependents: Vec::new(), independents: Vec::new() };
    order::settled(&result?, &[head], &|_| BTreeSet::new()).map(|program| program.into_owned())
}

/// The text of `f` without its head and the braces around it.
fn body(source: &str) -> String {
    let program = lower(source).unwrap_or_else(|refusals| panic!("refused: {refusals:#?}"));
    validate::program(&program).unwrap_or_else(|errors| panic!("not valid: {errors:#?}\n{}", print::program(&program)));
    let proc = program.procs.iter().position(|proc| proc.name == "f").unwrap();
    let text = print::program(&program);
    let text = text.split("\n\n").find(|part| part.starts_with("proc f(")).unwrap_or_else(|| panic!("{proc}: {text}"));
    let lines = text.lines().skip(1).filter(|line| {
        let word = line.trim().split(' ').next().unwrap_or_default();
        !matches!(word, "var" | "temporary" | "flag" | "declare" | "renamed")
    });
    let lines: Vec<_> = lines.map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
    lines.join("\n").trim_end_matches('}').trim_end().to_string()
}

#[track_caller]
fn check(source: &str, expected: &str) {
    let indent =
        expected.lines().filter(|line| !line.trim().is_empty()).map(|line| line.len() - line.trim_start().len());
    let indent = indent.min().unwrap_or(0);
    let expected: Vec<_> = expected.lines().map(|line| line.get(indent..).unwrap_or("")).collect();
    assert_eq!(body(source), expected.join("\n").trim());
}

#[test]
fn arm_that_leaves_gives_the_rest_to_the_other_arm() {
    check(
        "void f(int n, double *x) { for (int i = 0; i < n; i++) { if (x[i] > 0) continue; x[i] = 1; } }",
        "
        let i.0 = 0
        loop before i.1 < n.0
          carry i.1 = i.0 | i.2 -> i.3
        {
          if x.0[i.1] > 0.0 {
          } else {
            store x.0[i.1] = 1.0
          }
          let i.2 = i.1 + 1
        }
        ",
    );
}

#[test]
fn break_sets_a_flag_and_the_step_goes_to_the_other_arm() {
    check(
        "double f(int n, double *x) { int i; for (i = 0; i < n; i++) if (x[i] > 1) break; return x[i]; }",
        "
        let i.0 = 0
        let left.0 = 0
        loop before !left.2 && i.1 < n.0
          carry i.1 = i.0 | i.3 -> i.4
          carry left.2 = left.0 | left.3 -> left.4
        {
          if x.0[i.1] > 1.0 {
            let left.1 = 1
          } else {
            let i.2 = i.1 + 1
          }
          join i.3 = i.1 | i.2
          join left.3 = left.1 | left.2
        }
        return x.0[i.4]
        ",
    );
}

#[test]
fn test_that_assigns_is_tested_at_the_head_and_assigns_in_the_body_and_behind() {
    check(
        "int f(int n, double *x) { while (n--) x[n] = 0; return n; }",
        "
        loop before n.1
          carry n.1 = n.0 | n.2 -> n.3
        {
          let n.2 = n.1 - 1
          store x.0[n.2] = 0.0
        }
        let n.4 = n.3 - 1
        return n.4
        ",
    );
}

#[test]
fn value_of_an_assignment_is_kept_before_memory_changes() {
    check(
        "double f(double *x) { double a = x[0] = x[0] + 1; return a; }",
        "
        let assigned.0 = x.0[0] + 1.0
        store x.0[0] = assigned.0
        let a.0 = assigned.0
        return a.0
        ",
    );
}

#[test]
fn struct_without_address_is_kept_as_scalars() {
    check(
        "typedef struct { double x, y; } point; double f(double a) { point p = {a}, q = p; q.y += p.x; return q.y; }",
        "
        let p_x.0 = a.0
        let p_y.0 = 0.0
        let q_y.0 = p_y.0
        let q_y.1 = q_y.0 + p_x.0
        return q_y.1
        ",
    );
}

#[test]
fn pointer_to_an_element_is_taken_apart_again() {
    check(
        "double f(int n, double a[n][n], int i) { return *(a[i] + 2) + (*(a + i))[3] + *(&a[0][0] + 1); }",
        "return a.0[i.0, 2 of n.0] + a.0[i.0, 3 of n.0] + a.0[0, 1 of n.0]",
    );
}

/// Each refused with the class, the line (from 1), and a part of the message.
const REFUSED: &[(&str, Class, u32, &str)] = &[
    (
        "double f(double x) {\n return g(x); }\ndouble g(double x) { return x; }",
        Class::Language,
        0,
        "conflicting types",
    ),
    (
        "double f(double x) {\n return g(x); }\nint g(int x) { return x; }",
        Class::Type,
        2,
        "other types than it is defined",
    ),
    (
        "union u { double d; long l; };\ndouble f(union u *p) { return p->d; }",
        Class::Type,
        2,
        "member 'd' of 'union u *'",
    ),
    ("struct s { int a : 3; };\nint f(struct s *p) {\n return p->a; }", Class::Type, 3, "bit-field"),
    ("double f(volatile double *p) {\n return *p; }", Class::Type, 1, "volatile"),
    ("double f(double x) {\n volatile double v[1] = {x}; return v[0]; }", Class::Type, 2, "'v' is volatile"),
    ("double f(double x) {\n _Complex double c = x; return 1; }", Class::Type, 2, "'c' is a complex number"),
    ("double f(double (*g)(double), double x) {\n return g(x); }", Class::Control, 2, "through a pointer"),
    (
        "double f(double (*g)(double), double x) {\n double (*h)(double) = 0;\n h = g;\n return h(x); }",
        Class::Control,
        3,
        "gets a function",
    ),
    (
        "#include <setjmp.h>\njmp_buf e;\nint f(void) {\n return setjmp(e); }",
        Class::Control,
        4,
        "jumps between functions",
    ),
    ("double f(double x) {\n __asm__(\"nop\"); return x; }", Class::Language, 2, "inline assembly"),
    ("int f(int n) {\n void *l = &&a; goto *l; a: return n; }", Class::Control, 2, "computed"),
    (
        "int f(int n) {\n if (n) goto in; for (int i = 0; i < 9; i++) { in: n++; } return n; }",
        Class::Control,
        2,
        "behind the declaration that begins it",
    ),
    ("#include <stdio.h>\ndouble f(double x) {\n scanf(\"%lf\", &x); return x; }", Class::NoSource, 3, "reads data"),
    (
        "#include <stdarg.h>\ndouble g(int n, ...) { va_list l; va_start(l, n); return va_arg(l, double); }\ndouble f(double x) \
         { return g(1, x); }",
        Class::Language,
        2,
        "variable number",
    ),
    (
        "double g(double);\ndouble f(double x) {\n return g(x); }",
        Class::NoSource,
        3,
        "'g' is called here and its source",
    ),
    (
        "#include <stdlib.h>\nvoid f(double **x) {\n void *p = malloc(8); *x = p; }",
        Class::Pointer,
        3,
        "type of the elements",
    ),
    (
        "#include <stdlib.h>\nint f(double **x) {\n return posix_memalign((void **)x, 8, 64); }",
        Class::Pointer,
        3,
        "where the block of 'posix_memalign' goes is not known",
    ),
    (
        "#include <stdlib.h>\ndouble f(int n) {\n double *x = malloc(n); return x[0]; }",
        Class::Pointer,
        3,
        "not a multiple",
    ),
    ("#include <string.h>\nvoid f(double *x) {\n memset(x, 1, 8); }", Class::Pointer, 3, "memset of other memory"),
    ("double f(double *x) {\n return *(long *)x; }", Class::Pointer, 2, "cast to 'long *'"),
    ("double f(long a) {\n return *(double *)a; }", Class::Pointer, 2, "from an integer"),
    (
        "double g(double *x) { return x[0] = 1; }\ndouble f(double *x) {\n return x[0] + g(x); }",
        Class::Order,
        3,
        "C leaves open",
    ),
    (
        "double g(double *x) { return x[0] += 1; }\ndouble f(double *x) {\n return g(x) * g(x); }",
        Class::Order,
        3,
        "C leaves open",
    ),
    ("int f(int i) { return i++ + i; }", Class::Order, 1, "unsequenced"),
    ("double f(double x) {\n    double a = x;\n    return (a++) * a;\n}", Class::Order, 3, "unsequenced"),
    ("int f(int n) { return n +; }", Class::Language, 0, "expected expression"),
    ("int f(int n) {\n switch (n) { case 1 ... 3: return 1; } return 0; }", Class::Language, 2, "range of values"),
    (
        "int f(int n) {\n switch (n) { case 0: while (n < 3) { case 1: n++; } } return n; }",
        Class::Control,
        2,
        "case label within",
    ),
    (
        "#include <math.h>\ndouble f(double x) {\n return nexttoward(x, 2.0L); }",
        Class::Derivative,
        3,
        "'nexttoward' is not supported",
    ),
    ("int g(int n) { return n; }", Class::Head, 0, "do not define the head 'f'"),
    (
        "int f(int n, double *x) { n = n + 1; double a[n]; n = n + 1;\n double b[n]; return b - a; }",
        Class::Type,
        2,
        "have the extent 'n'",
    ),
    (
        "double f(double x) { double y = 0;\n y += ({ if (x > 1) return x; x; }); return y; }",
        Class::Control,
        2,
        "jump out of an expression",
    ),
];

#[test]
fn enumerators_have_the_values_that_the_compiler_computes() {
    // Those behind a conversion were counted on from the one before.
    let source =
        "enum { ONE = 1U << 0, FOUR = 1U << 2, FIVE, MINUS = -3, /** about it */ LESS, BYTE = (unsigned char)300 };
        int f(int n) { return n * FOUR + n % FIVE + n / LESS + (n ^ BYTE) + (n | ONE); }";
    let text = print::program(&lower(source).unwrap());
    for part in ["* 4", "% 5", "/ -2", "^ 44", "| 1"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn what_is_not_supported_is_refused_with_its_line() {
    for (source, class, line, message) in REFUSED {
        let refusals = match lower(source) {
            Ok(program) => panic!("not refused: {source}\n{}", print::program(&program)),
            Err(refusals) => refusals,
        };
        let fits =
            |refusal: &Refusal| refusal.class == *class && refusal.span.line == *line && refusal.what.contains(message);
        assert!(refusals.iter().any(fits), "{source}\n{refusals:#?}");
    }
}

#[test]
fn calls_that_write_only_their_own_memory_may_stand_in_one_expression() {
    // A function that calls another with the address of its own variable was taken for one that writes its caller's.
    let source = "static void set(double *r, double a) { *r = a; }
        static double g(double a) { double r; set(&r, a); return r; }
        double f(double a) { return g(a) * g(a + 1); }";
    assert!(lower(source).is_ok());
    // A struct that is passed by value may hold a pointer to the caller's memory.
    let source = "struct s { double *p; };
        static double set(struct s s) { return *s.p += 1; }
        static double g(double *x) { struct s s = {x}; return set(s); }
        double f(double *x) { return g(x) * g(x); }";
    assert_eq!(lower(source).unwrap_err()[0].class, Class::Order);
}

#[test]
fn every_reason_is_given_at_once() {
    let refusals =
        lower("double g(double); double f(double x) {\n x = g(x);\n volatile int v[1] = {1};\n return g(x + v[0]); }")
            .unwrap_err();
    let lines: Vec<_> = refusals.iter().map(|refusal| refusal.span.line).collect();
    assert_eq!(lines, [2, 3, 4]);
}
