/* Jumps into an arm of a later `if`, and from one arm of an `if` to the other. */
#include <math.h>

double f_forward(int n, double *x, int *ia, double *w) {
    double s = 0.0, h;
    for (int i = 0; i < n; i++) {
        h = x[i];
        if (ia[i] == 1) {
            h *= h;
            goto reduce;
        }
        if (h > 1.0) {
            double k = h + w[i];
            s += k * x[i];
        reduce:
            k = sin(h);
            s += k * k;
            h = s * x[i];
        }
        s += h;
    }
    return s;
}

double f_second_arm(int n, double *x, int *ia, double *w) {
    double s = x[0] * x[1], t = w[0];
    if (ia[0] == 1) {
        goto far;
    }
    t += s * s;
    if (n < 3) {
        s = exp(t);
    } else {
        s = t * x[2];
        if (ia[1] == 7) {
            s *= 3.0;
        } else {
            s += 1.0;
        far:
            s = s * t + x[3];
            if (s > 100.0) return s * s;
        }
        s *= x[1];
    }
    return s * x[0];
}

double f_arm_to_first(int n, double *x, int *ia, double *w) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        double d = x[i] * w[i];
        if (d > 0.3) {
            if (ia[i] == 2) {
                s += d * d;
            } else {
            edge:
                d = d * x[0] + s;
                if (d < 0.0) continue;
                s += d;
            }
        } else {
            d += 0.25;
            if (d > 0.4) {
                goto edge;
            } else {
                s -= sin(d);
            }
        }
        s *= 1.125;
    }
    return s;
}

double f_arm_to_second(int n, double *x, int *ia, double *w) {
    double s = w[1];
    int i = 0;
again:
    if (x[i] > 0.9) {
        s += x[i] * x[i];
        if (ia[i] == 0) goto middle;
        s *= x[1];
    } else {
        s -= x[i];
    middle:
        s *= cos(x[i]);
    }
    if (++i < n) goto again;
    return s;
}

/* One end for several errors, in the block of the first one. */
double f_shared_end(int n, double *x, int *ia, double *w) {
    double s = 1.0, u = x[0];
    if (ia[1] > 5) {
        s = x[1] * u;
        if (s > 100.0) {
        failed:
            w[2] = -1.0;
            return s * u;
        }
        if (s < -100.0) goto failed;
        return s;
    }
    for (int i = 0; i < n; i++) {
        while (u < 2.0) {
            if (x[i] * u > 1.9) goto failed;
            s /= u + 1.0;
            u = u * 1.5 + x[i];
        }
        if (ia[i % 3] == 2 && s < 0.2) goto failed;
        u -= x[i];
    }
    return s * u;
}
