/* Loops of which nothing is reversed, that never run, or that count in an unusual way. */
#include <math.h>
#include <stdlib.h>

/* The last loop has no derivative, but overwrites what a condition reads. */
double condition(int n, const double *y, const double *q) {
    double sum = q[5], t[9];
    for (int i = 0; i < 9; i++) t[i] = sin(y[i]);
    if (n > 3) {
        for (int i = n - 1; i >= 1; i--) {
            if (t[0] < 0.0) sum -= q[n + 1] * q[i];
        }
    }
    for (int i = 0; i < 6; i++) t[i] += 0.3 * y[2];
    return sum;
}

double never(int n, double *y) {
    unsigned k = 0;
    while (0) {
        k += (unsigned)n;
        y[k] = 0.1;
    }
    return 0.5;
}

void table(double *x, double *q) {
    double t[10];
    for (int i = 1; i < 0; i++) x[0] = t[i];
    double first = q[0];
    t[0] = first;
    q[0] = x[0];
}

/* The arm that never runs overwrites an element beside the one that the other arm reads. */
double arm(const double *x, const double *q) {
    double sum = 1.0, t[9];
    t[0] = x[0];
    if (0.25) {
        if (t[0] > 0.0) sum += q[0];
    } else {
        t[1] = 0.0;
    }
    for (int i = 0; i < 6; i++) t[i] = 0.3;
    return sum;
}

/* The step of the counter is unsigned arithmetic. */
void unsigned_step(int n, double *y) {
    unsigned k = 0;
    while (k < 3) {
        k += ((unsigned)(n + n) % 3u) + 1;
        y[k % 10u] = y[0] * y[1];
    }
}

/* An array whose size is a product of unsigned numbers. */
double unsigned_size(int n, const double *q) {
    unsigned rows = (unsigned)n, columns = rows * 2;
    double sum = 0.0, m[rows * columns];
    for (unsigned i = 0; i < rows * columns; i++) m[i] = q[i % 10u];
    for (unsigned i = 0; i < rows * columns; i++) sum += m[i] * m[i];
    return sum;
}

/* A pointer goes up while the index goes down. */
void downwards(int n, const double *y, double *q) {
    double *out = q;
    for (int i = n - 1; i >= 0; i--) *out++ = y[i] * y[i];
    for (unsigned i = (unsigned)n; i-- > 0u;) *out++ = y[i] * y[0];
    for (unsigned i = (unsigned)n; i != 0; i--) *out++ = y[i - 1] * y[1];
}

/* Bits that a pass turns over are turned back. */
double turned(int n, const double *y) {
    int bits = 5, sign = 1;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += y[i] * sum * sign + y[i];
        bits ^= i * 3;
        sign = ~sign;
        sum *= bits;
    }
    return sum;
}

/* The last step of the loop ends below n. */
double behind_a_stride(int n, const double *y, int *w) {
    int k = w[n];
    for (int i = 0; i < n; i += 3) w[i] = 0;
    return y[k];
}

/* Loops that run at least once, whatever n is: what the first pass overwrites comes back. */
double run_once(int n, const double *y) {
    unsigned char small = (unsigned char)n, last = 3;
    double sum = 0.0, t = 0.0, *at = &t;
    t = tanh(y[0]);
    for (int k = small; k >= 0; k -= 2) t = 0.5 * y[1];
    sum += t * t;
    t = tanh(y[2]);
    for (unsigned short k = 0; k < 5; k = (unsigned short)(k + 2)) t = 0.25 * y[k];
    sum += t * *at;
    t = tanh(y[3]);
    while (last-- > 0) t = y[last] * y[last];
    if (n <= 0) return sum;
    t += tanh(y[4]);
    for (int k = 0; k < n; k++) t = 0.0;
    return sum + t;
}

/* A power whose value is overwritten: its adjoint is 0. */
double overwritten_power(const double *y) {
    double t = pow(2.0 * y[0], y[1]), *at = &t;
    t = 0.5;
    return *at * y[1];
}

/* A loop that never runs and would end by a jump. */
double never_left(int n, const double *y, double *q) {
    double t[4] = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0 - 1; 0; i = 1) {
        q[0] = 1.0;
        t[0] = t[i];
        break;
    }
    for (int i = 0; 0; i++) {
        q[n & 3] = tanh(q[0]);
        goto done;
    }
done:
    return t[0] + q[0] * y[0];
}

/* Integers that come back in front of a loop of which nothing is reversed, in a pass of another loop. */
double marked(int n, const double *y, int *w) {
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        sum += y[w[0]] * y[w[1]];
        for (int i = 0; i < n - 1; i++) w[i] = k;
    }
    return sum;
}

/* A block in an arm of a pass: nothing of it is there in front of the arm. */
double block_in_arm(int n, double *y) {
    int k = 1;
    while (k < 4) {
        if (n < 5) {
            double *b = malloc((size_t)(n + 4) * sizeof(double));
            free(b);
        }
        y[0] = 0.0;
        k += 1;
    }
    return y[1];
}

/* A number of 8 bits comes back from one of 16 that was made of it. */
double narrowed(const double *y, int *w) {
    unsigned char k = (unsigned char)w[0];
    short wide = k;
    double t[4], sum = 0.0;
    for (int i = 0; i < 4; i++) t[i] = y[i];
    if (t[k] > 0.5) {
        sum = y[4];
        w[0] = 0;
    }
    return sum + y[wide];
}

/* What is known of a subscript grows behind the store. */
double masked(int n, double *y) {
    int k = (int)((unsigned)n & 3u);
    double t[4] = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i; i++) y[k] = tanh(y[0]);
    while (0) {
        if (t[k] > 0.0) k = k + 0;
    }
    return y[1];
}

/* A loop that is left in its first pass. */
double left_at_once(const double *y, const int *w) {
    double first = 0.0;
    int k = w[0];
    for (int i = 0; 1; i++) {
        if (k == w[0]) {
            first = y[i] * y[i];
            break;
        }
    }
    return first;
}

/* A loop that never runs, and that a flag would end, too. */
double never_with_a_flag(const double *y) {
    double t[4] = {0.0, 0.0, 0.0, 0.0}, s = 0.0;
    for (int i = 0 - 1; i >= 0; i -= 1) {
        for (int k = 0; k; k++) t[0] = t[i];
        if (s > 0.0) break;
    }
    return t[0] * y[0];
}

/* A subscript that both arms of a branch in a loop leave as it is. */
double kept_in_both_arms(int n, double *x, const double *y) {
    double s = 0.25 - y[5], t[5];
    int k = (int)((unsigned)n & 3u);
    for (int i = 0; i < 5; i++) t[i] = y[i] * s;
    double d = tanh(cos(s) + sin(t[k]));
    if (1.5 > -0.2) {
        s -= 0.25 * y[k];
    } else {
        for (int i = 2; i <= n - 1; i++) {
            x[n] = atan(t[k + 1] * (d * d));
            t[k] = atan(1.5);
            if (s * s > -0.2) goto done;
        }
        x[k + 2] *= cos(x[n + 2]);
        int c = 0;
        while (fabs(d) > 0.05 && c < 6) {
            c++;
            d *= 0.5;
            if (sin(t[k + 1]) > 0.5) k = k;
        }
    }
    k = 1;
    for (int i = 0; i < n - 1; i++) t[1] += 0.3 * sin(s * t[i]);
done:
    return cos(x[n]) - t[k] * y[k];
}

/* The test says of `l` only what its lowest bits are. */
double low_bits(long l, const double *y) {
    double t = y[1];
    if ((int)l == 0) t = y[l];
    return t * t;
}

/* One number, as signed and as unsigned. */
double both_signs(const int *w, const double *y) {
    const unsigned *u = (const unsigned *)w;
    long a = w[0], b = u[0];
    return y[a] + 2.0 * y[b];
}

/* Old elements of a local array come back as a row, in front of the passes that read them. */
double squared_in_place(int n, const double *y) {
    double w[100], s = 0.0;
    for (int i = 0; i < n; i++) w[i] = y[i];
    for (int i = 0; i < n; i++) w[i] = w[i] * w[i];
    for (int i = 0; i < n; i++) s += w[i];
    return s;
}

/* Passes read elements that later ones overwrite. */
double times_the_next(int n, const double *y) {
    double *w = malloc((unsigned)(n + 1) * sizeof *w), s = 0.0;
    for (int i = 0; i <= n; i++) w[i] = y[i];
    for (int i = 0; i < n; i++) w[i] = w[i] * w[i + 1];
    for (int i = 0; i < n; i++) s += w[i];
    free(w);
    return s;
}

/* Passes read elements that earlier ones have overwritten. */
double times_the_last(int n, const double *y) {
    double w[100], s = 0.0;
    for (int i = 0; i < n; i++) w[i] = y[i];
    for (int i = 1; i < n; i++) w[i] = w[i] * w[i - 1];
    for (int i = 0; i < n; i++) s += w[i] * w[i];
    return s;
}

/* An arm that never runs, in one where its condition is known. */
double known_twice(const int *k, const double *y) {
    double s = 0.0;
    if (!k[0]) {
        if (!k[0])
            s = y[0];
        else
            s = 1.0 / (y[1] * y[k[0] + 1]);
    }
    return s * y[0];
}

/* The condition always holds, and its arm writes what it reads. */
double a_step_apart(int *k, double *y) {
    int end = k[0] + 1;
    if (k[0] < end) {
        k[0] = 5;
        y[0] = y[0] * y[0];
    }
    return y[0];
}

/* A pointer moves in each pass but that which leaves the loop. */
double moves_until_it_stops(int n, double *y) {
    double a = y[0], s = 0.0, *to = y;
    int i = 0;
    while (i < n) {
        double t = sin(a);
        if (t > 0.999) break;
        a = a - 0.1 * t * y[i];
        *to++ = a;
        i++;
    }
    for (i = 0; i < n; i++) s += y[i] * y[i];
    return s;
}

/* An array is named first where a pointer has led into it in a loop. */
void named_behind_the_loop(int n, const int *at, double *x, double *q) {
    double *p = q;
    for (int i = 0; i < n; i++) {
        p[0] = 0.0;
        p = x;
    }
    x[at[0]] = 2.0 * q[1];
}

/* The first index is a number without a sign. */
void down_from_unsigned(unsigned m, double *x) {
    for (int i = (int)(m - 1); i >= 0; i--) {
        x[0] = x[0] * x[i];
        x[2 * i + 1] = x[i] * x[0];
    }
}
