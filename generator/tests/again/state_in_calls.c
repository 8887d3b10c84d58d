/* A call of each pass changes a state row by row, and hands a pointer on from what it has filled itself to these rows. */
#include <math.h>
#include <stdlib.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

static void cell(int b, const double *a, double *hidden, double *memory, const double *in) {
    for (int i = 0; i < b; i++) {
        memory[i] = sin(memory[i]) * in[i] + a[i];
        hidden[i] = tanh(memory[i]) * hidden[i];
    }
}

static void predict(int layers, int b, const double *a, double *state, const double *in, double *out) {
    for (int i = 0; i < b; i++) out[i] = in[i] * a[i];
    double *from = out;
    for (int i = 0; i <= 2 * layers * b - 1; i += 2 * b) {
        cell(b, a, &state[i], &state[i + b], from);
        from = &state[i];
    }
    for (int i = 0; i < b; i++) out[i] = from[i] * a[i] + a[b + i];
}

double f(int n, double *x, int *ia, double *w) {
    (void)ia;
    int b = 3, layers = 2;
    double s = 0.0;
    const double *in = x;
    double *out = malloc((unsigned long)b * sizeof(double));
    for (int i = 0; i < 12; i++) w[i] = 0.1 * x[i + 20];
    for (int t = 0; t <= (n / b - 2) * b - 1; t += b) {
        predict(layers, b, x, w, in, out);
        in = &x[t + b];
        for (int i = 0; i < b; i++) s += in[i] * out[i];
    }
    free(out);
    return s;
}

void tables(int *ia) {
    ia[0] = 0;
}
