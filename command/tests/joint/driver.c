#include "model_b.h"

int main(void) {
    double x[3] = {0.3, -0.7, 1.1}, x_b[3] = {0.0};
    model_b(3, x, x_b, 1.0);
    return x_b[0] == 0.0;
}
