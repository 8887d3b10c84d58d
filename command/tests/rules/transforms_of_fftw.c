/* Transforms as programs use them: plans in variables, at file scope and in structs, in place, of one to three
 * dimensions, with FFTW's memory and with arrays. */
#include <fftw3.h>
#include <math.h>

struct filter {
    fftw_plan there, back;
    fftw_complex *spectrum;
    double *values;
    int n;
};

static fftw_plan rotation;
static fftw_complex turned[6];

static double smooth(struct filter *filter, const double *k) {
    double power = 0.0;
    fftw_execute(filter->there);
    for (int i = 0; i <= filter->n / 2; i++) {
        power += filter->spectrum[i][0] * filter->spectrum[i][0] * k[i] + filter->spectrum[i][1];
        filter->spectrum[i][0] *= k[i];
        filter->spectrum[i][1] *= k[i] / filter->n;
    }
    fftw_execute(filter->back);
    for (int i = 0; i < filter->n; i++) filter->values[i] = sin(filter->values[i]) / filter->n;
    return power;
}

static double planes(const double *u, const double *k) {
    double plane[12], block[24];
    fftw_complex half[12], whole[12];
    double sum = 0.0;
    for (int i = 0; i < 12; i++) plane[i] = u[i % 8] * k[(5 * i) % 8];
    fftw_plan wide = fftw_plan_dft_r2c_2d(4, 3, plane, half, FFTW_ESTIMATE);
    fftw_execute(wide);
    for (int i = 0; i < 8; i++) half[i][0] *= half[i][1] + u[i], sum += half[i][0] * k[i];
    fftw_plan again = fftw_plan_dft_c2r_2d(4, 3, half, plane, FFTW_ESTIMATE);
    fftw_execute(again);
    for (int i = 0; i < 12; i++) whole[i][0] = plane[i] * plane[i], whole[i][1] = u[i % 8] + plane[i];
    fftw_plan deep = fftw_plan_dft_3d(2, 3, 2, whole, whole, FFTW_BACKWARD, FFTW_ESTIMATE);
    fftw_execute_dft(deep, whole, whole);
    for (int i = 0; i < 12; i++) sum += whole[i][0] * whole[i][1] * 1e-3;
    for (int i = 0; i < 24; i++) block[i] = u[i % 8];
    fftw_plan cube = fftw_plan_dft_r2c_3d(2, 3, 4, block, whole, FFTW_ESTIMATE);
    fftw_complex room[18];
    fftw_execute_dft_r2c(cube, block, room);
    for (int i = 0; i < 18; i++) sum += room[i][0] * room[i][1] * k[i % 8];
    fftw_destroy_plan(again);
    return sum;
}

/* One row of reals in the memory of its transform. */
static double in_place(int n, const double *u) {
    double row[10], sum = 0.0;
    for (int i = 0; i < n; i++) row[i] = u[i] * u[i];
    fftw_plan p = fftw_plan_dft_r2c_1d(n, row, (fftw_complex *)row, FFTW_ESTIMATE);
    fftw_execute(p);
    for (int i = 0; i < n / 2 + 1; i++) sum += row[2 * i] * row[2 * i + 1] * u[i];
    return sum;
}

double f(int n, const double *u, const double *k) {
    double *values = fftw_alloc_real(n), sum = 0.0;
    struct filter filter;
    filter.n = n;
    filter.values = values;
    filter.spectrum = (fftw_complex *)fftw_malloc(sizeof(fftw_complex) * (n / 2 + 1));
    filter.there = fftw_plan_dft_r2c_1d(n, values, filter.spectrum, FFTW_ESTIMATE);
    filter.back = fftw_plan_dft_c2r_1d(n, filter.spectrum, values, FFTW_MEASURE);
    rotation = fftw_plan_dft_1d(6, turned, turned, FFTW_FORWARD, FFTW_ESTIMATE);
    for (int i = 0; i < n; i++) values[i] = u[i] * u[i];
    for (int t = 0; t < 3; t++) sum += smooth(&filter, k);
    for (int i = 0; i < n; i++) sum += values[i] * u[i];
    for (int i = 0; i < 6; i++) turned[i][0] = u[i], turned[i][1] = k[i] * u[i];
    fftw_execute(rotation);
    for (int i = 0; i < 6; i++) sum += turned[i][0] * turned[i][1];
    fftw_free(values);
    fftw_free(filter.spectrum);
    sum += planes(u, k);
    return sum + in_place(n, u);
}
