/* Jumps into statements: arms of an `if`, loops, parts that other jumps run again. */
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

/* Parts that leave can change places: nothing here runs twice. */
double f_parts_in_any_order(int n, double *x, int *ia, double *w) {
    double s = x[0], t = w[0];
    int k;
    if (ia[0] == 1) goto far;
    if (ia[0] == 2) goto middle;
near:
    s = s * t + x[1];
    goto end;
middle:
    s = sin(s) * t;
    goto end;
far:
    t = exp(-s * s);
    for (k = 0; k < n; k++) {
        s *= x[k];
        if (s > 2.0) goto near;
    }
    if (ia[1] == 3) goto middle;
    goto near;
end:
    w[1] = t;
    return s * t;
}

double f_into_loops(int n, double *x, int *ia, double *w) {
    double s = w[0], t = 1.0;
    int i = 1, tries = 0;
    if (ia[0] == 1) goto inside;
    for (i = 0; i < n; i++) {
        s += x[i] * x[i];
        t *= s;
    inside:
        s = cos(s) * x[i] + t;
        if (ia[i % 3] == 2 && tries++ < 2) goto deep;
    }
    while (tries < 3) {
        do {
            tries++;
            s *= x[0];
        deep:
            t += s * s;
        } while (t < 1.0 && tries < 3);
        if (ia[1] == 5 && i < n) goto inside;
        s -= t;
    }
    return s * t;
}

/* A loop with two entries. */
double f_two_entries(int n, double *x, int *ia, double *w) {
    double s = w[0];
    int i = 0;
    if (ia[0] == 1) goto second;
first:
    s = s * x[i] + 1.0;
    if (++i >= n) goto end;
second:
    s = sin(s) + x[i] * s;
    if (++i < n) goto first;
end:
    return s * x[0];
}

double f_both_ways(int n, double *x, int *ia, double *w) {
    double s = w[0];
    int i = 0;
    if (ia[0] == 1) {
        s += x[0];
    first:
        s *= x[i] + 0.5;
        if (++i < n && ia[i % 3] != 2) goto second;
    } else {
        s -= x[1];
    second:
        s = s * s - x[i];
        if (++i < n) goto first;
    }
    if (s < 0.3 && i < n - 1) goto first;
    return s;
}
