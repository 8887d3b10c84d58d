//! What `--explain` says of the form that a program is brought into.

use crate::command::explained;

/// Each thing that is done to a program before its sweeps are made.
#[test]
fn explanations_name_what_is_written_anew() {
    let header = "#include <stdlib.h>\n";
    let has = |name: &str, model: &str, lines: &[[&str; 3]]| {
        let (said, page) = explained(name, &format!("{header}{model}"), "x");
        for [place, what, how] in lines {
            let is = |line: &str| line.contains(place) && line.contains(&format!(" {what} ")) && line.ends_with(how);
            assert!(said.lines().any(is), "no line with '{place}', '{what}', '{how}' in:\n{said}");
            assert!(page.contains(how), "{how}\n{page}");
        }
    };
    let made = "static double *row(int n) { return malloc(n * sizeof(double)); }
double f(int n, double *x) {
    double *w = row(n), s = 0.0;
    for (int i = 0; i < n; i++) w[i] = x[i] * x[i];
    for (int i = 0; i < n; i++) s += w[i] * w[i];
    free(w);
    return s;
}
";
    has(
        "inlined",
        made,
        &[["model.c:4:", "row", "written where it is called: it makes or frees memory for its caller"]],
    );
    let list = "struct node { double value; struct node *next; };
double f(int n, double *x) {
    struct node *list = NULL;
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        struct node *new = malloc(sizeof *new);
        new->value = x[i] * x[i];
        new->next = list;
        list = new;
    }
    while (list != NULL) {
        struct node *next = list->next;
        s += list->value * list->value;
        free(list);
        list = next;
    }
    return s;
}
";
    has("moved", list, &[["model.c:7:", "new", "block on the stable heap: it may outlive the code that makes it"]]);
    let small = "struct vec { double a, b; };
static struct vec twice(struct vec v) { struct vec w = {2.0 * v.a, 2.0 * v.b}; return w; }
double f(double *x) {
    struct vec v = {x[0] * x[0], x[1]};
    v = twice(v);
    return v.a * v.b;
}
";
    let why = "written where it is called: it is small, and takes or returns structs by value";
    has("small", small, &[["model.c:6:", "twice", why]]);
    let patterns = "static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1]; }
double f(double *x, double *c) { return dot(x, x) * dot(x, c); }
";
    let why = "2 copies: calls differ in which arguments have derivatives";
    has("patterns", patterns, &[["model.c:2:", "dot", why]]);
    let early = "double f(int n, double *x) {
    double *w = malloc(n * sizeof *w), s = 0.0;
    for (int i = 0; i < n; i++) w[i] = x[i] * x[i];
    if (n > 3) {
        free(w);
        return 0.0;
    }
    for (int i = 0; i < n; i++) s += w[i] * w[i];
    free(w);
    return s;
}
";
    has("later", early, &[["model.c:6:", "free", "block freed where the code ends that makes it"]]);
    let untouched = "double f(double *x) { return x[0] * x[0]; }\n";
    let (said, _) = explained("untouched", untouched, "x");
    assert!(said.lines().all(|line| !line.contains("copies:") && !line.contains("written where")), "{said}");
}
