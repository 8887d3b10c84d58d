/* The gradient of the loss with respect to all weights. */
#include "network_b.h"
#include "../common.h"

enum { INPUTS = 4, HIDDEN = 8, CLASSES = 3, SAMPLES = 50, FIRST = HIDDEN * (INPUTS + 1), SECOND = CLASSES * (HIDDEN + 1) };

double loss(const network *net, int samples, const double *x, const int *label, double *layer, double *score);

static double x[SAMPLES * INPUTS], layer[HIDDEN], score[CLASSES];
static int label[SAMPLES];

/* Weights are those of the first layer, then those of the second. */
static void unpack(const double *weights, double *first, double *second) {
    memcpy(first, weights, FIRST * sizeof *first);
    memcpy(second, weights + FIRST, SECOND * sizeof *second);
}

static double function(int64_t n, const double *weights, void *user) {
    double first[FIRST], second[SECOND];
    const network net = {INPUTS, HIDDEN, CLASSES, first, second};
    (void)n, (void)user;
    unpack(weights, first, second);
    return loss(&net, SAMPLES, x, label, layer, score);
}

static void gradient(int64_t n, const double *weights, double *weights_b, void *user) {
    double first[FIRST], second[SECOND], layer_b[HIDDEN] = {0}, score_b[CLASSES] = {0};
    const network net = {INPUTS, HIDDEN, CLASSES, first, second};
    network net_b = {0, 0, 0, weights_b, weights_b + FIRST};
    (void)n, (void)user;
    unpack(weights, first, second);
    loss_b(&net, &net_b, SAMPLES, x, label, layer, layer_b, score, score_b, 1.0);
}

int main(void) {
    double weights[FIRST + SECOND];
    for (int k = 0; k < SAMPLES * INPUTS; k++) x[k] = sin(0.7 * k);
    for (int k = 0; k < SAMPLES; k++) label[k] = k % CLASSES;
    for (int k = 0; k < FIRST; k++) weights[k] = 0.3 * cos(1.3 * k);
    for (int k = 0; k < SECOND; k++) weights[FIRST + k] = 0.3 * sin(2.1 * k);
    return tested(function, gradient, FIRST + SECOND, weights, SAMPLES, "sample");
}
