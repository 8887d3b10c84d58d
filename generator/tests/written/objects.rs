//! Two pointers of the caller may lead into one object: what the program says of that, and what the check finds.

use std::process::Command;

use adtape_generate::emit::{self, Options};
use adtape_generate::front::{self, Input};
use adtape_generate::transform::{Choices, adjoint, tangent};

use crate::common::{Scratch, head, quick};

/// Each function gets several pointers into one array, and writes through one what it reads through another.
const MODEL: &str = "\
struct span { double *begin, *middle, *end; };
struct holder { int kind; struct span inside; };
struct layer { double *w; };
double table[8];

/* The forms in which a program says that two pointers lead into one array: it compares them, */
double compared(struct span *s, double x) {
    for (double *p = s->begin; p != s->end; p++) *p = x * x;
    return s->end[-1] * x;
}
double in_order(struct span *s, double x) {
    for (double *p = s->begin; p < s->middle; p++) *p = x * x;
    for (double *p = s->middle; p < s->end; p++) *p = p[-1] * x;
    return s->begin[2] + s->end[-1];
}
double once(double *first, double *last, double x) {
    first[1] = x * x;
    if (first < last) return last[-1] * x;
    return last[0];
}
double as_bytes(void *first, void *last, double x) {
    double *from = first, *to = last;
    if ((char *)first >= (char *)last) return 0.0;
    from[0] = x * x;
    return to[-1] * x;
}
static double filled(double *p, double *end, double x) {
    while (p != end) *p++ = x * x;
    return end[-1];
}
double nested(struct holder *h, double x) { return filled(h->inside.begin, h->inside.end, x) * x; }
double rows(double **row, double x) {
    for (double *p = row[0]; p != row[1]; p++) *p = x * x;
    return row[1][-1] * x;
}
double behind(struct layer *first, struct layer *last, double x) {
    for (struct layer *l = first; l != last; l++) l->w[0] = x * x;
    return last[-1].w[0] * x;
}
double at_file_scope(double *p, double x) {
    while (p != table + 8) *p++ = x * x;
    return table[7] * x;
}
/* it subtracts one from the other, */
double counted(double *first, double *last, double x) {
    int n = (int)(last - first);
    for (int i = 0; i < n; i++) first[i] = x * x * i;
    return last[-1] * x;
}
/* or it reads in front of one that nobody advanced. */
double alone(double *a, double *end, double x) {
    a[2] = x * x;
    return end[-1] * x;
}
static double last_of(const double *end) { return end[-1]; }
double by_callee(double *a, int n, double *end, double x) {
    for (int i = 0; i < n; i++) a[i] = x * x;
    return last_of(end) * x;
}
double downwards(double *a, double *end, int n, double x) {
    for (int i = 0; i < n; i++) a[i] = x;
    while (n-- > 0) *--end *= x;
    return a[0] * x;
}
";

/// By function: the arguments of its adjoint but for the last ones, and its value at `x`.
const CALLS: [(&str, &str, &str); 12] = [
    ("compared", "&s, &s_b", "x * x * x"),
    ("in_order", "&s, &s_b", "x * x * x + x * x * x * x"),
    ("once", "a, b, a + 2, b + 2", "x * x * x"),
    ("as_bytes", "a, b, a + 1, b + 1", "x * x * x"),
    ("nested", "&h, &h_b", "x * x * x"),
    ("rows", "row, row_b", "x * x * x"),
    ("behind", "layer, layer_b, layer + 2, layer_b + 2", "x * x * x"),
    ("at_file_scope", "table + 3, table_b + 3", "x * x * x"),
    ("counted", "a, b, a + 4, b + 4", "3 * x * x * x"),
    ("alone", "a, b, a + 3, b + 3", "x * x * x"),
    ("by_callee", "a, b, 4, a + 4, b + 4", "x * x * x"),
    ("downwards", "a, b, a + 3, b + 3, 3", "x * x * x"),
];

const DRIVER: &str = "\
#include <math.h>
#include <stdio.h>
#include <string.h>
#include \"model_b.h\"
extern double table[8];
int main(void) {
    double a[8] = {0.5, 0.25, 0.125, 2, 3, 4, 5, 6}, b[8] = {0};
    struct span s = {a, a + 2, a + 4}, s_b = {b, b + 2, b + 4};
    struct holder h = {1, s}, h_b = {0, s_b};
    struct layer layer[3] = {{a}, {a + 1}, {a + 2}}, layer_b[3] = {{b}, {b + 1}, {b + 2}};
    double *row[2] = {a, a + 3}, *row_b[2] = {b, b + 3}, x = 1.3;
    (void)a, (void)s_b, (void)h_b, (void)layer, (void)layer_b, (void)row, (void)row_b, (void)h;
";

/// Builds a check of a model with a driver; its exit status, what it said, and the generated file.
fn checked(model: &str, heads: &str, driver: &str) -> (Option<i32>, String, String) {
    let folder = Scratch::new("objects");
    let file = folder.write("model.c", model).to_string_lossy().into_owned();
    let heads: Vec<_> = heads.split_inclusive(")/(x)").map(|one| head(one.trim())).collect();
    let names = heads.iter().map(|head| head.proc.clone()).collect();
    let program = front::read(&Input { files: vec![file], heads: names, ..Input::default() });
    let program = program.unwrap_or_else(|what| panic!("{what:#?}"));
    let choices = Choices { check: true, ..Choices::default() };
    let sweeps = adjoint(&program, &heads, &choices).unwrap_or_else(|what| panic!("{what:#?}"));
    let tangents = tangent(&program, &heads, &choices).unwrap_or_else(|what| panic!("{what:#?}"));
    let options = Options { file: "model_b.c".into(), includes: vec!["model.c".into()] };
    let output = emit::checked(&sweeps, &tangents, &options).unwrap_or_else(|what| panic!("{what:#?}"));
    folder.write("model_b.c", &output.source);
    folder.write("model_b.h", &output.header);
    folder.write("check.c", &output.check);
    folder.write("driver.c", driver);
    let mut build = Command::new("gcc");
    build.current_dir(&folder.0).args(["-std=gnu99", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
    build.args(["-Wall", "-Wextra", "-Wconversion", "-Werror", "-Wno-missing-prototypes", "-o", "t"]);
    let built = build.args(["driver.c", "model_b.c", "check.c"]).args(quick()).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let mut run = Command::new("timeout");
    run.arg("60").arg(folder.0.join("t")).env("ASAN_OPTIONS", "detect_leaks=0:exitcode=4");
    let run = run.output().unwrap();
    (run.status.code(), String::from_utf8_lossy(&run.stderr).into_owned(), output.source)
}

/// The gradient was 0: what was written through one pointer was not what another one read.
#[test]
fn what_has_meaning_within_one_object_makes_two_pointers_one() {
    let (mut heads, mut driver) = (String::new(), DRIVER.to_string());
    for (name, arguments, value) in CALLS {
        heads += &format!("{name}({name})/(x) ");
        driver += &format!(
            "    {{
        double x_b = 0, step = 1e-3, up, down, at = x;
        memset(b, 0, sizeof b), memset(table_b, 0, sizeof table_b);
        x = at + step, up = {value}, x = at - step, down = {value}, x = at;
        {name}_b({arguments}, x, &x_b, 1.0);
        if (fabs(x_b - (up - down) / (2 * step)) > 1e-4) return fprintf(stderr, \"{name}: %g\\n\", x_b), 7;
    }}
"
        );
    }
    let (status, said, text) = checked(MODEL, heads.trim(), &(driver + "    return 0;\n}\n"));
    // Rows are compared with the derivative alone: the check takes them for memory of no argument.
    assert_eq!(status, Some(5), "{said}");
    assert!(said.contains(" 0 wrong; 1 comparison could not be made"), "{said}");
    for given in [
        "/* compared_b takes these for different memory: *s, *s->begin, *s->end; but these may be parts of one object, their",
        "*s->middle with *s->begin; *s->end with *s->begin, *s->middle. */",
        "*last->w with *first->w",
        "*p with table",
    ] {
        assert!(text.contains(given), "{given}\n{}", &text[..4000.min(text.len())]);
    }
}
