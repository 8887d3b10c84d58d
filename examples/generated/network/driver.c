/* The gradient of the loss with respect to all weights. */
#include "network_b.h"
#include "../common.h"

enum { INPUTS = 4, HIDDEN = 8, CLASSES = 3, SAMPLES = 50, FIRST = HIDDEN * (INPUTS + 1), SECOND = CLASSES * (HIDDEN + 1) };

double loss(const network *net, int samples, const double *x, const int *label, double *layer, double *score);

static double x[SAMPLES * INPUTS], first[FIRST], second[SECOND], layer[HIDDEN], score[CLASSES];
static int label[SAMPLES];
static const network net = {INPUTS, HIDDEN, CLASSES, first, second};

static void check(const char *what, double *weight, double gradient) {
    const double value = *weight;
    *weight = value + 1e-5;
    const double above = loss(&net, SAMPLES, x, label, layer, score);
    *weight = value - 1e-5;
    const double below = loss(&net, SAMPLES, x, label, layer, score);
    *weight = value;
    compare(what, gradient, (above - below) / 2e-5);
}

int main(void) {
    double first_b[FIRST] = {0}, second_b[SECOND] = {0}, layer_b[HIDDEN] = {0}, score_b[CLASSES] = {0};
    network net_b = {0, 0, 0, first_b, second_b};
    for (int k = 0; k < SAMPLES * INPUTS; k++) x[k] = sin(0.7 * k);
    for (int k = 0; k < SAMPLES; k++) label[k] = k % CLASSES;
    for (int k = 0; k < FIRST; k++) first[k] = 0.3 * cos(1.3 * k);
    for (int k = 0; k < SECOND; k++) second[k] = 0.3 * sin(2.1 * k);
    loss_b(&net, &net_b, SAMPLES, x, label, layer, layer_b, score, score_b, 1.0);
    check("first[0]", &first[0], first_b[0]);
    check("first[39]", &first[39], first_b[39]);
    check("second[13]", &second[13], second_b[13]);
    check("second[26]", &second[26], second_b[26]);
    return finish(SAMPLES, "sample");
}
