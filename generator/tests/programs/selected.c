/* What the type of an operand selects, and members of members without a name. */
#include <math.h>

static float square_of_float(float x) { return x * x; }
static double square_of_double(double x) { return x * x; }
#define SQUARE(x) _Generic((x), float: square_of_float, double: square_of_double)(x)

double f_generic(int n, double *x, int *ia, double *w) {
    double sum = 0.0;
    (void)ia;
    (void)w;
    for (int i = 0; i < n; i++)
        sum += SQUARE(x[i]) * SQUARE(2.0f) * _Generic(i, default: x[0], double: 1.0);
    return sum;
}

typedef struct {
    union {
        struct {
            double x, y, z;
        };
        double at[3];
    };
} vector;

static vector cross(vector a, const vector *b) {
    return (vector){{{a.y * b->z - a.z * b->y, a.z * b->x - a.x * b->z, a.x * b->y - a.y * b->x}}};
}

double f_unnamed(int n, double *x, int *ia, double *w) {
    vector a = {.at = {x[0], x[1] * x[1], x[2]}}, b = (vector){.at = {x[1], 2.0, x[0] * x[3]}};
    (void)n;
    (void)ia;
    (void)w;
    a.at[1] *= b.x;
    b = cross(a, &b);
    for (int i = 0; i < 3; i++) b.at[i] *= b.at[2 - i];
    return b.x * a.y + b.z;
}
