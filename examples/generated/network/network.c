#include <math.h>

/* A network with one hidden layer. */
typedef struct {
    int inputs, hidden, classes;
    double *first, *second; /* weights, row by row; the last of a row is the bias */
} network;

double loss(const network *net, int samples, const double *x, const int *label, double *layer, double *score);

static double affine(int n, const double *row, const double *x) {
    double sum = row[n];
    for (int k = 0; k < n; k++) {
        sum += row[k] * x[k];
    }
    return sum;
}

/* Cross entropy of the samples. */
double loss(const network *net, int samples, const double *x, const int *label, double *layer, double *score) {
    double sum = 0.0;
    for (int s = 0; s < samples; s++, x += net->inputs) {
        double largest = -INFINITY, total = 0.0;
        for (int h = 0; h < net->hidden; h++) {
            layer[h] = tanh(affine(net->inputs, net->first + h * (net->inputs + 1), x));
        }
        for (int c = 0; c < net->classes; c++) {
            score[c] = affine(net->hidden, net->second + c * (net->hidden + 1), layer);
            largest = fmax(largest, score[c]);
        }
        for (int c = 0; c < net->classes; c++) {
            total += exp(score[c] - largest);
        }
        sum += log(total) + largest - score[label[s]];
    }
    return sum / samples;
}
