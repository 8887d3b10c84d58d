//! Pointers that lie in memory and move there.

use crate::common::Scratch;
use crate::programs::check_model;

/// Functions read and move a cursor at file scope, buffers there change places, a member of the caller's struct is
/// advanced behind another pointer, and so are variables by their address. Each was refused. The member has its last
/// value behind the adjoint.
#[test]
fn functions_move_pointers_that_lie_in_memory() {
    let model = "#include <math.h>
static const double *cursor;
static double *out_at;
static double next(void) { return *cursor++; }
static void emit(double v) { *out_at++ = v * v; }
static double peek(int k) { return cursor[k]; }
void f(const double *p, int n, double *y);
void f(const double *p, int n, double *y) {
    cursor = p;
    out_at = y;
    for (int i = 0; i < n; i++) {
        double a = next();
        if (a > 0.5 && i + 1 < n) { emit(a * peek(0)); } else { emit(sin(a)); }
    }
}
static double first[4], second[4];
static double *in, *out;
static void layer(const double *w) {
    for (int i = 0; i < 4; i++) {
        out[i] = 0.0;
        for (int k = 0; k < 4; k++) out[i] += w[i * 4 + k] * in[k];
        out[i] = tanh(out[i]);
    }
    double *t = in;
    in = out;
    out = t;
}
double g(const double *w, const double *x, int depth);
double g(const double *w, const double *x, int depth) {
    in = first;
    out = second;
    for (int i = 0; i < 4; i++) in[i] = x[i];
    for (int d = 0; d < depth; d++) layer(w);
    double s = 0.0;
    for (int i = 0; i < 4; i++) s += in[i] * in[i];
    return s;
}
struct part { double *data, *at; int n; };
struct whole { struct part *part; double scale; };
static void rewind_part(struct part *p) { p->at = p->data; }
static void put(struct part *p, double v) {
    *p->at = v;
    p->at++;
}
double h(struct whole *w, const double *x, int n);
double h(struct whole *w, const double *x, int n) {
    rewind_part(w->part);
    for (int i = 0; i < n; i++) put(w->part, w->scale * x[i] * x[i]);
    double s = 0.0;
    for (int i = 0; i < n; i++) s += w->part->data[i] * x[i];
    return s;
}
static double take(const double **at, int count) {
    double s = 0.0;
    while (count-- > 0) s += *(*at)++;
    return s;
}
static void skip(const double **at, int n) { *at += n; }
double k(const double *x, int n);
double k(const double *x, int n) {
    const double *p = x, *q = x + n;
    double r = 1.0;
    for (int i = 0; i < n; i++) {
        r *= 1.0 + take(&p, 1) * take(&q, 1);
        if (i % 2) skip(&q, 1);
    }
    return r;
}
";
    let driver = "#include \"model_b.h\"
int main(void) {
    double x[8] = {0.3, 0.8, 0.6, 0.2, 0.9, 0.4, 0.1, 0.7}, x_b[8] = {0.0};
    double y[8], y_b[8] = {1.0, 0.5, 0.3, 0.2, 0.1, 0.7, 0.9, 0.4};
    f_b(x, x_b, 8, y, y_b);
    double w[16], w_b[16] = {0.0};
    for (int i = 0; i < 16; i++) w[i] = 0.1 * (i % 5) - 0.15;
    g_b(w, w_b, x, x_b, 3, 1.0);
    double data[8], data_b[8] = {0.0};
    struct part p = {data, 0, 8}, p_b = {data_b, 0, 0};
    struct whole u = {&p, 1.3}, u_b = {&p_b, 0.0};
    h_b(&u, &u_b, x, x_b, 8, 1.0);
    k_b(x, x_b, 3, 1.0);
    return p.at != data + 8 || x_b[0] == 0.0;
}
";
    check_model("moved", model, driver, "f(y)/(p) g(g)/(w x) h(h)/(w x) k(k)/(x)");
}

/// One member has two names, a pointer at file scope leads into one of two arrays or nowhere, or into an array of the
/// function.
#[test]
fn a_pointer_in_memory_leads_into_several_arrays() {
    let model = "#include <stddef.h>
struct net { double *w, *act, *cur; };
double f(struct net *s, int n);
double f(struct net *s, int n) {
    struct net *t = s;
    double r = 0.0;
    for (int i = 0; i < n; i++) {
        t->cur = s->act + i;
        s->cur[0] = t->w[i] * s->w[i];
        r += *t->cur * s->act[i];
    }
    return r;
}
static double *either;
double g(double *a, double *b, int n);
double g(double *a, double *b, int n) {
    double r = 0.0;
    either = NULL;
    for (int i = 0; i < n; i++) {
        if (either) {
            r += *either * *either;
            *either *= 0.5;
        }
        either = i % 3 ? a + i : (i % 2 ? b + i : NULL);
    }
    return r + a[0] * b[1];
}
double h(const double *x, int n);
double h(const double *x, int n) {
    double own[8], r = 0.0;
    for (int i = 0; i < n; i++) {
        either = own + i;
        *either = x[i] * x[i];
    }
    for (int i = 0; i < n; i++) {
        either = own + i;
        r += *either * *either;
    }
    either = NULL;
    return r;
}
";
    let driver = "#include \"model_b.h\"
int main(void) {
    double x[8] = {0.3, 0.8, 0.6, 0.2, 0.9, 0.4, 0.1, 0.7}, x_b[8] = {0.0};
    double y[8] = {0.5, 0.3, 0.7, 0.1, 0.2, 0.6, 0.8, 0.9}, y_b[8] = {0.0}, a[8], a_b[8] = {0.0};
    struct net s = {x, a, 0}, s_b = {x_b, a_b, 0};
    f_b(&s, &s_b, 8, 1.0);
    g_b(x, x_b, y, y_b, 8, 1.0);
    h_b(x, x_b, 8, 1.0);
    return s.cur != a + 7;
}
";
    check_model("moved", model, driver, "f(f)/(s) g(g)/(a b) h(h)/(x)");
}

/// A pointer to what has a tangent may lead to a variable that has none, where nothing reads it. The tangent was refused.
#[test]
fn the_tangent_of_a_pointer_leads_to_a_variable_without_derivative() {
    let model = "static double pick(const double *p, int k) { return p[k] * p[k]; }
double f(const double *x, int n);
double f(const double *x, int n) {
    double work[4], fixed[4] = {1.0, 2.0, 3.0, 4.0}, r = 0.0;
    const double *p = fixed;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++) work[k] = x[i] * (k + 1);
        r += pick(p, i % 4) * x[i] + p[1];
        p = i % 2 ? work : fixed;
    }
    return r;
}
void g(const double *x, double *y, int n);
void g(const double *x, double *y, int n) {
    double a = 1.1, c[4] = {0.3, 0.5, 0.7, 0.9}, *p = &a, *q = c;
    for (int i = 0; i < n; i++) {
        double *z = p;
        p = q;
        q = z;
        p = &a;
        *p = *p * x[i] + 0.3 * *q;
    }
    y[0] += a + c[0];
}
";
    let driver = "#include \"model_b.h\"
int main(void) {
    double x[5] = {0.3, 0.6, 0.2, 0.8, 0.5}, x_b[5] = {0.0}, y[1] = {0.5}, y_b[1] = {1.0};
    f_b(x, x_b, 5, 1.0);
    g_b(x, x_b, y, y_b, 5);
    return 0;
}
";
    check_model("moved", model, driver, "f(f)/(x) g(y)/(x y)");
}

/// Which pointer is set where a subscript is known at run time only, what the caller left in a member, and what the call
/// before left at file scope stay refused.
#[test]
fn pointers_of_which_an_access_is_not_known_are_refused() {
    let folder = Scratch::new("moved-refused");
    for body in [
        "s[i % m].cur = s[0].act + i; s[0].cur[0] = s->w[i] * s->w[i]; r += s[i % m].cur[0];",
        "r += *s->cur * *s->cur; s->cur++;",
        "if (!keep) keep = room; *keep = s->w[i] * s->w[i]; r += *keep; keep++;",
    ] {
        let model = format!(
            "struct net {{ double *w, *act, *cur; }};\nstatic double *keep, room[64];\ndouble f(struct net *s, int n, int m) \
             {{\n    double r = 0.0;\n    for (int i = 0; i < n; i++) {{ {body} }}\n    return r;\n}}\n"
        );
        folder.write("model.c", &model);
        let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(s)"]);
        assert_eq!(output.status.code(), Some(3), "{body}");
    }
}

/// The reverse sweep set the pointers at file scope before those of the structs that they are read from: adjoints were 0
/// without a word. What else they are read from was not there.
#[test]
fn pointers_at_file_scope_are_read_from_structs() {
    let model = "typedef struct { int way, n; double *in, *out; } plan;
static plan current, other;
static double turned[6][2], second[12], third[12];
static void run(void) {
    for (int i = 0; i < 12; i++) current.out[i] = current.way * current.in[i] * current.in[i];
}
static void run_other(void) {
    for (int i = 0; i < 12; i++) other.out[i] = other.way * other.in[i] * other.in[i];
}
double f(int n, const double *u, const double *k);
double f(int n, const double *u, const double *k) {
    double sum = 0.0;
    plan here, *at = &here;
    for (int i = 0; i < 6; i++) turned[i][0] = u[i], turned[i][1] = k[i] * u[i];
    at->way = n;
    at->in = *turned;
    at->out = *turned;
    current.way = 2;
    current.in = at->in;
    current.out = at->out;
    other = ((plan){3, 12, *turned, second});
    run();
    run_other();
    for (int i = 0; i < 6; i++) sum += turned[i][0] * turned[i][1] * second[i];
    return sum;
}
static plan last;
static void run_last(void) {
    for (int i = 0; i < 12; i++) last.out[i] += last.way * last.in[i] * last.in[i];
}
double g(int n, const double *u);
double g(int n, const double *u) {
    plan many[2];
    for (int i = 0; i < 12; i++) third[i] = u[i % n];
    many[1].way = 2;
    many[1].in = third, many[1].out = third;
    if (n < 0) return 0.0;
    last = many[1];
    run_last();
    return third[0] * third[1] + third[2];
}
";
    let driver = "#include \"model_b.h\"
int main(void) {
    double u[6] = {0.3, 0.8, 0.6, 0.2, 0.9, 0.4}, k[6] = {0.5, 0.1, 0.7, 0.9, 0.2, 0.6}, u_b[6] = {0.0}, k_b[6] = {0.0};
    f_b(4, u, u_b, k, k_b, 1.0);
    if (u_b[0] == 0.0 || k_b[0] == 0.0) return 1;
    g_b(5, u, u_b, 1.0);
    return 0;
}
";
    check_model("from-structs", model, driver, "f(f)/(u k) g(g)/(u)");
}
