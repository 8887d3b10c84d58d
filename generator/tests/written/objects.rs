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
static double summed(const double *from, int first, int by) {
    double s = 0.0;
    for (int i = 0; i < 2; i++) s += from[first + by * i];
    return s;
}
double by_argument(double *a, double *end, double x) {
    for (int i = 0; i < 3; i++) a[i] = x * x;
    return summed(end, -2, 1) * x;
}
static double handed(const double *from, int n) { return summed(from, n - 3, 1) + summed(from, 0, 1); }
double by_two_calls(double *a, double *end, double x) {
    for (int i = 0; i < 6; i++) a[i] = x * x;
    return handed(end, 1) * x;
}
double by_factor(double *a, double *end, double x) {
    for (int i = 0; i < 3; i++) a[i] = x * x;
    return summed(end, -1, -1) * x;
}
double multiplied(double *a, double *end, int n, double x) {
    double s = 0.0;
    for (int i = 0; i < n; i++) a[i] = x * x;
    for (int i = 1; i <= n; i++) s += end[-1 * i];
    return s * x;
}
static double back(const double *from, int n) { return n == 0 ? 0.0 : from[-1] + back(from - 1, n - 1); }
double by_recursion(double *a, double *end, double x) {
    for (int i = 0; i < 3; i++) a[i] = x * x;
    return back(end, 3) * x;
}
/* What is one with a pointer that leads below lies in that object, too. */
double third(double *first, double *middle, double *last, double x) {
    first[0] = 1.0;
    first[3] = x * x;
    if (middle < last) return middle[-1] * last[0] * x;
    return 0.0;
}
";

/// By function: the arguments of its adjoint but for the last ones, and its value at `x`.
const CALLS: [(&str, &str, &str); 18] = [
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
    ("by_argument", "a, b, a + 3, b + 3", "2 * x * x * x"),
    ("by_two_calls", "a, b, a + 3, b + 3", "4 * x * x * x"),
    ("by_factor", "a, b, a + 3, b + 3", "2 * x * x * x"),
    ("multiplied", "a, b, a + 3, b + 3, 3", "3 * x * x * x"),
    ("by_recursion", "a, b, a + 3, b + 3", "3 * x * x * x"),
    ("third", "a, b, a + 1, b + 1, a + 3, b + 3", "x * x * x"),
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
pub(crate) fn checked(model: &str, heads: &str, driver: &str) -> (Option<i32>, String, String) {
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

/// Nothing in these says that two pointers lead into one object.
const APART: &str = "\
#include <stdlib.h>
struct two { double *p, *q; int n; };
struct holder { struct two *inside; double **row; };
double table[4];
static void set(double *to, double x) { *to = x * x; }
static double get(const double *from) {
    return
        *from;
}
double members(struct two *t, double x) {
    for (int i = 0; i < t->n; i++) t->p[i] = x * x;
    return
        t->q[0] * x;
}
double nested(struct holder *h, double x) {
    set(&h->inside->p[1], x);
    return get(h->inside->q) * x;
}
double behind(struct holder *h, double x) {
    set(h->row[1], x);
    return get(h->inside->q) * x;
}
double at_file_scope(double *p, double x) {
    table[2] = x * x;
    return
        *p * x;
}
double one_function(double *a, double *b, double x) {
    set(a, x);
    set(b, 2.0 * x);
    return a[0] + b[0];
}
double counts(int *n, int *m, double x) {
    *n = 2;
    int k = *m;
    return k * x;
}
double only_read(const double *a, const double *b, double x) { return a[0] * b[0] * x; }
double blocks(const double *a, int n, double x) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        double *t = malloc(2 * sizeof *t), *u = malloc(2 * sizeof *u);
        if (t == NULL || u == NULL) abort();
        set(t, x);
        set(i % 2 ? u : t, a[0]);
        s += get(t) * x;
        free(t);
        free(u);
    }
    return s;
}
static int index_of(const int *m) {
    static const int at[3] = {0, 2, 1};
    int sum = 0;
    for (int i = 0; i < 2; i++) sum += at[m[i]];
    return sum;
}
double tabled(int *n, const int *m, double x) {
    n[0] = 2;
    int k = index_of(m);
    return k * x;
}
";

/// By function: the arguments of its adjoint but for the last ones, and what the check finds.
const FOUND: [(&str, &str, &str); 9] = [
    ("members", "&t", "'*t->p' at LINE:11 and '*t->q' at LINE:12"),
    ("nested", "&h", "'*h->inside->p' at LINE:5 and '*h->inside->q' at LINE:7"),
    ("behind", "&h", "'**h->row' at LINE:5 and '*h->inside->q' at LINE:7"),
    ("at_file_scope", "table + 2", "'table' at LINE:24 and '*p' at LINE:25"),
    ("one_function", "a, b, a, c", "'*a' at LINE:5 and '*b' at LINE:5"),
    ("counts", "&n, &n", "'*n' at LINE:34 and '*m' at LINE:35"),
    ("only_read", "a, a", ""),
    ("blocks", "a, 4", ""),
    ("tabled", "k, k", "'*n' at LINE:59 and '*m' at LINE:55"),
];

/// The check compared arguments alone: not what members of structs and pointers behind pointers lead to. What a `return`
/// reads was said to be at the line of its function.
#[test]
fn each_address_belongs_to_one_of_the_objects_that_the_analysis_tells_apart() {
    let mut driver = "\
#include \"model_b.h\"
extern double table[4];
int main(void) {
    double a[4] = {1, 2, 3, 4}, b[4] = {0}, c[4] = {0}, x = 1.5, x_b = 0;
    struct two t = {a, a + 1, 2};
    double *row[2] = {a, a + 1};
    struct holder h = {&t, row};
    int n = 1, k[2] = {1, 1};
"
    .to_string();
    let mut heads = String::new();
    for (name, arguments, _) in FOUND {
        heads += &format!("{name}({name})/(x) ");
        driver += &format!("    {name}_b({arguments}, x, &x_b, 1.0);\n");
    }
    let (status, said, _) = checked(APART, heads.trim(), &(driver + "    return 0;\n}\n"));
    assert_eq!(status, Some(4), "{said}");
    for (name, _, found) in FOUND {
        let said: Vec<&str> = said
            .lines()
            .filter(|line| line.starts_with(&format!("check: {name}: ")) && line.contains(" one address"))
            .collect();
        let found = found.replace("LINE", "model.c");
        assert_eq!(said.len(), usize::from(!found.is_empty()), "{name}: {said:#?}");
        assert!(said.iter().all(|line| names_both(line, &found)), "{name}: {said:#?}");
    }
}

/// Functions that have no second copy, and reach memory of the caller.
const UNSEEN: &str = "\
#include <stdarg.h>
#include <stdio.h>
struct model { int steps; };
static void told(const struct model *m, const char *text, ...) {
    va_list list;
    if (m->steps < 3) return;
    va_start(list, text);
    vfprintf(stderr, text, list);
    va_end(list);
}
static void said(const char *text, ...) {
    va_list list;
    va_start(list, text);
    vfprintf(stderr, text, list);
    va_end(list);
}
static void counted(const int *n) {
    static int calls;
    calls += *n;
    if (calls > 100) puts(\"many\");
}
double list(const struct model *m, double x) {
    told(m, \"%d\\n\", 1);
    return x * x;
}
double reported(const int *n, double x) {
    counted(n);
    return x * x;
}
static int next(const int *n) {
    static int at;
    at = (at + *n) % 3;
    return at;
}
double kept(const int *n, double x) {
    int k = next(n);
    return x * x * k;
}
double neither(double x) {
    said(\"%d\\n\", 1);
    return x * x;
}
";

/// They were passed over, and the check said that it had compared everything.
#[test]
fn functions_that_are_not_watched_are_named() {
    let heads = ["list", "kept", "reported", "neither"].map(|name| format!("{name}({name})/(x) ")).concat();
    let driver = "\
#include \"model_b.h\"
int main(void) {
    struct model m = {1};
    int n = 1;
    double x = 1.5, x_b = 0;
    list_b(&m, x, &x_b, 1.0);
    list_b(&m, x, &x_b, 1.0);
    kept_b(&n, x, &x_b, 1.0);
    reported_b(&n, x, &x_b, 1.0);
    neither_b(x, &x_b, 1.0);
    return 0;
}
";
    let (status, said, _) = checked(UNSEEN, heads.trim(), driver);
    assert_eq!(status, Some(5), "{said}");
    for line in [
        "check: list: not compared, address by address: 'told' has a variable number of arguments, so nothing says which \
         memory it reaches",
        "check: kept: not compared, address by address: 'next' keeps a static variable from call to call, so nothing says which \
         memory it reaches",
        " 0 wrong; 2 comparisons could not be made",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
}

/// Whether a message names two objects at two lines; it has the path of the source in front of its name.
pub(crate) fn names_both(line: &str, found: &str) -> bool {
    let mut parts = found.split(" and ");
    parts.all(|part| {
        let (object, at) = part.split_once(" at ").expect("an object and its line");
        line.contains(&format!("{object} at ")) && line.contains(&format!("/{at} "))
    })
}

/// Numbers that look random.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: u64) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit).expect("a small number")
    }
}

/// A function of four pointers into one array, in order, that says so of neighbours, each time in one of the ways that
/// there are. Its statements write through some pointers what they read through others.
fn random_function(random: &mut Random, name: &str) -> String {
    let mut text =
        format!("double {name}(double *p0, double *p1, double *p2, double *p3, double x) {{\n    double s = 0;\n");
    for k in 1..4 {
        let (low, high) = (format!("p{}", k - 1), format!("p{k}"));
        let c = 1 + random.below(9);
        text += &match random.below(6) {
            0 => format!("    for (double *q = {low}; q != {high}; q++) *q = *q * x + 0.{c};\n"),
            1 => format!("    if ({low} < {high}) s += {high}[-1] * 0.{c};\n"),
            2 => format!(
                "    for (int i = 0, m = (int)({high} - {low}); i < m; i++) {low}[i] += x * {high}[i - m] + 0.{c};\n"
            ),
            3 => format!("    s += filled({low}, {high}, x);\n"),
            4 => format!("    for (double *q = {high}; q-- > {low};) *q = sin(*q + x);\n"),
            _ => format!("    if ((void *){high} == (void *){low}) return {low}[0] * x;\n"),
        };
        for _ in 0..2 {
            let [to, from, other] = [4, 4, 4].map(|all| random.below(all));
            // All but the first have two elements in front of them.
            let [i, j, l] =
                [to, from, other].map(|p| random.below(3 + 2 * u64::from(p > 0)) as i64 - 2 * i64::from(p > 0));
            let [to, from, other] = [to, from, other].map(|p| format!("p{p}"));
            text +=
                &format!("    {to}[{i}] = {from}[{j}] * x + 0.1 * {other}[{l}];\n    s += {other}[{l}] * {to}[{i}];\n");
        }
    }
    // Each of them has an adjoint: one that only bounds a loop would have none.
    text + "    return s + 0.1 * (p0[0] + p1[0] + p2[0] + p3[0]);\n}\n"
}

/// Adjoint and tangent of each give one product; `PROGRAMS` says how many there are.
#[test]
fn random_functions_of_pointers_into_one_array_are_right() {
    let programs = std::env::var("PROGRAMS").map_or(12, |text| text.parse().expect("a number of programs"));
    let mut random = Random(20_261_129);
    let mut model = "\
#include <math.h>
static double filled(double *p, double *end, double x) {
    double last = *p;
    while (p != end) last = *p++ *= x;
    return last;
}
"
    .to_string();
    let mut heads = String::new();
    let mut driver = "#include \"model_b.h\"\nint main(void) {\n    double x = 0.75;\n".to_string();
    for k in 0..programs {
        let name = format!("f{k}");
        model += &random_function(&mut random, &name);
        heads += &format!("{name}({name})/(x) ");
        let mut at = 0;
        let places = [0, 2, 2, 2].map(|least| {
            at += least + usize::from(least > 0) * random.below(2);
            at
        });
        let arguments = places.map(|at| format!("a + {at}, b + {at}, ")).concat();
        driver += &format!(
            "    {{\n        double a[18], b[18], x_b = 0;\n        for (int i = 0; i < 18; i++) a[i] = 0.1 * i + 0.3, b[i] = \
             0;\n        {name}_b({arguments}x, &x_b, 1.0);\n    }}\n"
        );
    }
    let (status, said, _) = checked(&model, heads.trim(), &(driver + "    return 0;\n}\n"));
    assert_eq!(status, Some(0), "{said}\n{model}");
    assert_eq!(said.matches("tangent-adjoint product").count(), programs, "{said}\n{model}");
}
