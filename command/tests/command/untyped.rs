//! Memory that the source calls by no type, or by several.

use crate::common::Scratch;
use crate::programs::check_model;

/// A union has pointers to structs of different types, of which the function reads the one that is there. It was refused.
#[test]
fn pointers_of_a_union_are_read() {
    let model = "#include <math.h>
struct near_model { double a, e, work[3]; };
struct deep_model { int n; double b[4], c; };
struct sat { int kind; union { struct near_model *near; struct deep_model *deep; } prop; double epoch; };
static double near_at(struct near_model *m, double t) {
    for (int i = 0; i < 3; i++) m->work[i] = m->a * sin(t * (i + 1)) * m->e;
    return m->work[0] * m->work[1] + m->work[2];
}
static double deep_at(const struct deep_model *m, double t) {
    double s = m->c;
    for (int i = 0; i < m->n; i++) s += m->b[i] * cos(i * t) * m->b[i];
    return s;
}
double f(struct sat *s, double t);
double f(struct sat *s, double t) {
    double r = s->kind ? deep_at(s->prop.deep, t) : near_at(s->prop.near, t - s->epoch);
    return r * r;
}
";
    let driver = "#include \"model_b.h\"
int main(void) {
    struct near_model n = {1.2, 0.3, {0.0}}, n_b = {0.0, 0.0, {0.0}};
    struct deep_model d = {3, {0.4, 0.5, 0.6, 0.7}, 0.2}, d_b = {0, {0.0}, 0.0};
    struct sat s[2] = {{0, {&n}, 0.5}, {1, {.deep = &d}, 0.0}};
    struct sat s_b[2] = {{0, {&n_b}, 0.0}, {0, {.deep = &d_b}, 0.0}};
    double t_b = 0.0;
    f_b(&s[0], &s_b[0], 0.7, &t_b, 1.0);
    f_b(&s[1], &s_b[1], 0.7, &t_b, 1.0);
    return n_b.a == 0.0 || d_b.b[1] == 0.0 || t_b == 0.0;
}
";
    check_model("union", model, driver, "f(f)/(s t)");
}

/// A pointer of a union is set, in the caller's memory, in a variable, by a function; or two of them may lead to one memory:
/// the analyses take the members for pointers of their own.
#[test]
fn pointers_of_a_union_that_may_be_one_are_refused() {
    let folder = Scratch::new("union-refused");
    for (declared, body) in [
        ("struct s { union { struct near *n; struct deep *d; } u; };", "s->u.n = n; return s->u.n->a * x;"),
        ("struct s { union { struct near *n; struct wide *w; } u; };", "s->u.n->a *= x; return s->u.w->n.a * x;"),
        ("struct s { union { double *n, *w; } u; };", "s->u.n[0] *= x; return s->u.w[0] * x;"),
        (
            "struct s { union { struct near *n; struct deep *d; } u; };",
            "struct s t = *s; t.u.n = n; return t.u.d->b * x;",
        ),
        (
            "struct s { union { struct near *n; struct deep *d; } u; }; static void set(struct s *s, struct near *n) { s->u.n = n; }",
            "struct s t; set(&t, n); return t.u.d->b * x;",
        ),
    ] {
        let model = format!(
            "struct near {{ double a; }};\nstruct deep {{ double b, c; }};\nstruct wide {{ struct near n; double b; \
             }};\n{declared}\ndouble f(struct s *s, struct near *n, double x) {{\n    (void)n;\n    {body}\n}}\n"
        );
        folder.write("model.c", &model);
        let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)"]);
        assert_eq!(output.status.code(), Some(3), "{body}");
    }
}

/// A pointer of no type holds a block: the number of bytes says what its elements are. It was refused.
#[test]
fn pointers_of_no_type_hold_blocks() {
    let model = "#include <stdlib.h>
struct obj { void *data; int n; };
struct pair { double a, b; };
double g(const double *x, int n);
double g(const double *x, int n) {
    struct obj o;
    o.data = malloc(n * sizeof(double));
    double *d = o.data, s = 0.0;
    for (int i = 0; i < n; i++) d[i] = x[i] * x[i];
    for (int i = 0; i < n; i++) s += d[i] * x[i];
    free(o.data);
    return s;
}
static struct obj *obj_new(int n) {
    struct obj *o = malloc(sizeof *o);
    o->data = calloc(n, sizeof(struct pair));
    o->n = n;
    return o;
}
static void obj_free(struct obj *o) {
    free(o->data);
    free(o);
}
double h(const double *x, int n);
double h(const double *x, int n) {
    struct obj *o = obj_new(n);
    struct pair *d = o->data;
    double s = 0.0;
    for (int i = 0; i < o->n; i++) d[i].a = x[i] * x[i];
    for (int i = 0; i < n; i++) s += d[i].a * x[i] + d[i].b;
    obj_free(o);
    return s;
}
double k(const double *x, int n);
double k(const double *x, int n) {
    void *room = malloc((size_t)n * sizeof *x);
    double *d = room, s = 0.0;
    for (int i = 0; i < n; i++) d[i] = x[i] * x[i];
    for (int i = 0; i < n; i++) s += ((double *)room)[i] * d[n - 1 - i];
    free(room);
    return s;
}
";
    let driver = "#include \"model_b.h\"
int main(void) {
    double x[5] = {0.3, 0.6, 0.2, 0.8, 0.5}, x_b[5] = {0.0};
    g_b(x, x_b, 5, 1.0);
    h_b(x, x_b, 5, 1.0);
    k_b(x, x_b, 5, 1.0);
    return x_b[0] == 0.0;
}
";
    check_model("blocks-of-no-type", model, driver, "g(g)/(x) h(h)/(x) k(k)/(x)");
}

/// The block is accessed as something else than its number of bytes says.
#[test]
fn a_block_of_other_elements_is_refused() {
    let folder = Scratch::new("block-of-others");
    let model = "#include <stdlib.h>
struct obj { void *data; int n; };
double f(const double *x, int n) { struct obj o; o.data = malloc(n * sizeof(double)); float *d = o.data; double s = 0; for (int i = 0; i < n; i++) d[i] = (float)x[i]; for (int i = 0; i < n; i++) s += d[i]; free(o.data); return s; }
";
    folder.write("model.c", model);
    assert_eq!(folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)"]).status.code(), Some(3));
}
