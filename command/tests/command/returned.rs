//! Pointers that a function returns into memory of its caller.

use crate::common::Scratch;
use crate::programs::check_driver;

/// What a function returns is read behind its call: an array of the caller's struct, an argument that it has advanced, an
/// array behind two structs. They were refused.
#[test]
fn functions_return_pointers_into_the_memory_of_their_caller() {
    let folder = Scratch::new("returned");
    let model = "typedef struct { double *w, *out, *spare; int n; } layer;
typedef struct { layer *layers; int depth; } net;
static double *run(layer *s, const double *in) {
    for (int i = 0; i < s->n; i++) s->out[i] = s->w[i] * in[i] * in[i];
    return s->out;
}
static double *advanced(double *x, int n) {
    x[0] *= x[n - 1];
    return x + 1;
}
static const double *deep(net *all, const double *in) {
    run(&all->layers[0], in);
    run(&all->layers[1], all->layers[0].out);
    return all->layers[1].out;
}
double f(layer *s, double *in);
double f(layer *s, double *in) {
    double r = 0.0, *o = run(s, in);
    for (int i = 0; i < s->n; i++) r += o[i] * in[i];
    double *behind = advanced(in, s->n);
    for (int i = 0; i < s->n - 1; i++) r += behind[i] * behind[i] * o[i];
    return r + run(s, in)[1];
}
double g(net *all, const double *in);
double g(net *all, const double *in) {
    const double *o = deep(all, in);
    double r = 0.0;
    for (int i = 0; i < 3; i++) r += o[i] * o[i];
    return r;
}
";
    let driver = "#include \"model_b.h\"
int main(void) {
    double w[3] = {0.5, 0.7, 0.9}, w_b[3] = {0.0}, out[3] = {0.0}, out_b[3] = {0.0}, x[3] = {1.0, 1.5, 0.5};
    double spare[3] = {0.0}, spare_b[3] = {0.0}, x_b[3] = {0.0};
    layer s = {w, out, spare, 3}, s_b = {w_b, out_b, spare_b, 0};
    f_b(&s, &s_b, x, x_b, 1.0);
    return x_b[0] == 0.0 || x_b[2] == 0.0 || w_b[1] == 0.0;
}
";
    folder.write("model.c", model);
    folder.write("driver.c", driver);
    check_driver(&folder, "f(f)/(s in)");
    folder.printed(&["adjoint", "model.c", "--head", "g(g)/(all in)"]);
    let driver = "#include \"model_b.h\"
#include <math.h>
double g(net *all, const double *in);
int main(void) {
    double v[3] = {0.4, 0.2, 0.3}, v_b[3] = {0.0}, w[3] = {0.5, 0.7, 0.9}, w_b[3] = {0.0}, spare[3], spare_b[3];
    double hidden[3], hidden_b[3] = {0.0}, out[3], out_b[3] = {0.0}, y[3] = {1.0, 1.5, 0.5}, y_b[3] = {0.0};
    layer layers[2] = {{v, hidden, spare, 3}, {w, out, spare, 3}};
    layer layers_b[2] = {{v_b, hidden_b, spare_b, 0}, {w_b, out_b, spare_b, 0}};
    net all = {layers, 2}, all_b = {layers_b, 0};
    g_b(&all, &all_b, y, y_b, 1.0);
    int wrong = 0;
    for (int k = 0; k < 6; k++) {
        double *at = k < 3 ? &v[k] : &y[k - 3], was = *at, adjoint = k < 3 ? v_b[k] : y_b[k - 3];
        *at = was + 1e-5;
        double more = g(&all, y);
        *at = was - 1e-5;
        double less = g(&all, y);
        *at = was;
        wrong += !(fabs((more - less) / 2e-5 - adjoint) < 1e-8 && adjoint != 0.0);
    }
    return wrong;
}
";
    folder.write("driver.c", driver);
    folder.builds_and_runs(&["model_b.c", "driver.c"]);
}
