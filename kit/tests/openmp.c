/* OpenMP loops in both sweeps: static and dynamic schedules, 1 to 8 threads, threads without iterations, run-time
 * threads that are kept between regions, and teams that shrink.
 *
 *   openmp            everything that balances
 *   openmp shrink     a team of 4 records, a team of 2 replays: what the others hold must be reported */
#include <dirent.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calls.h"

void getstaticschedule_(int *lo, int *hi, int *stride, int *threadlo, int *threadhi);
void initdynamicschedule_(void);
void recorddynamicschedule_(int *counter, int *stride);
void finalizedynamicschedule_(void);

enum { MOST = 1200 };

static double x[MOST], y[MOST], xb[MOST];
static int seen[MOST];

static void fail(const char *what, int threads, int n) {
    fprintf(stderr, "failed with %d threads, %d iterations: %s\n", threads, n, what);
    exit(1);
}

static int threads_of_process(void) {
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    if (tasks == NULL) {
        fail("no list of threads", 0, 0);
    }
    for (const struct dirent *task = readdir(tasks); task != NULL; task = readdir(tasks)) {
        count += task->d_name[0] != '.';
    }
    closedir(tasks);
    return count;
}

/* A thread says what it leaves when it ends; a program that ends first cuts it short. */
static void wait_for_threads_to_end(int left) {
    const struct timespec moment = {.tv_nsec = 1000000};
    for (int i = 0; threads_of_process() > left; i++) {
        if (i == 10000) {
            fail("threads that a smaller team does not need stay", left, 0);
        }
        nanosleep(&moment, NULL);
    }
}

/* The trip of iteration i of a loop from lo to hi by stride. */
static void forward(int i) {
    double v = x[i];
    int count = 0;
    pushReal8(v);
    while (v < 50) {
        pushReal8(v);
        v = v * v + 1;
        count++;
    }
    pushInteger4(count);
    pushControl2b(i % 4);
    y[i] = v;
}
static void backward(int i) {
    int count, branch;
    double v, vb = 1;
    popControl2b(&branch);
    popInteger4(&count);
    if (branch != i % 4) {
        fail("the control value of another iteration", omp_get_num_threads(), i);
    }
    for (int k = 0; k < count; k++) {
        popReal8(&v);
        vb = 2 * v * vb;
    }
    popReal8(&v);
    if (v != x[i]) {
        fail("the value of another iteration", omp_get_num_threads(), i);
    }
    xb[i] += vb;
#pragma omp atomic
    seen[i]++;
}

static void static_loop(int threads, int lo, int hi, int stride, int fortran) {
    omp_set_num_threads(threads);
    for (int sweep = 0; sweep < 2; sweep++) {
#pragma omp parallel
        {
            int from, to;
            if (fortran) {
                getstaticschedule_(&lo, &hi, &stride, &from, &to);
            } else {
                getStaticSchedule(lo, hi, stride, &from, &to);
            }
            if (sweep == 0) {
                for (int i = from; stride > 0 ? i <= to : i >= to; i += stride) {
                    forward(i);
                }
            } else {
                for (int i = to; stride > 0 ? i >= from : i <= from; i -= stride) {
                    backward(i);
                }
            }
        }
    }
}

static void dynamic_forward(int n, int fortran) {
    const int stride = 1;
#pragma omp parallel
    {
        if (fortran) {
            initdynamicschedule_();
        } else {
            initDynamicSchedule();
        }
#pragma omp for schedule(dynamic, 3)
        for (int i = 0; i < n; i++) {
            if (fortran) {
                recorddynamicschedule_(&i, (int *)&stride);
            } else {
                recordDynamicSchedule(i, stride);
            }
            forward(i);
        }
        if (fortran) {
            finalizedynamicschedule_();
        } else {
            finalizeDynamicSchedule();
        }
    }
}
static void dynamic_backward(void) {
#pragma omp parallel
    {
        int chunks, from, to;
        popInteger4(&chunks);
        for (int c = 0; c < chunks; c++) {
            popInteger4(&to);
            popInteger4(&from);
            for (int i = to; i >= from; i--) {
                backward(i);
            }
        }
    }
}

/* Chunk boundaries lie below the values of their chunk's successors: record pushes them when the next chunk begins,
 * so that the reverse sweep pops those of a chunk just before its values, except for the last, which finalize pushes. */
static void dynamic_loop(int threads, int n, int fortran) {
    omp_set_num_threads(threads);
    dynamic_forward(n, fortran);
    dynamic_backward();
}

static void check(int threads, int n, int lo, int hi, int stride) {
    for (int i = lo; stride > 0 ? i <= hi : i >= hi; i += stride) {
        double v = x[i], vb = 1, values[64];
        int count = 0;
        while (v < 50) {
            values[count++] = v;
            v = v * v + 1;
        }
        while (count > 0) {
            /* in the order of the reverse sweep */
            vb = 2 * values[--count] * vb;
        }
        if (seen[i] != 1) {
            fail("an iteration that did not run exactly once in the reverse sweep", threads, n);
        }
        if (xb[i] != vb) {
            fail("a derivative that differs from the serial one", threads, n);
        }
    }
    omp_set_num_threads(8);
#pragma omp parallel
    if (adStack_getCurrentStackSize() != 0) {
        fail("a thread's stack that is not balanced", threads, n);
    }
    memset(seen, 0, sizeof seen);
    memset(xb, 0, sizeof xb);
}

int main(int argc, char **argv) {
    for (int i = 0; i < MOST; i++) {
        x[i] = 0.1 + i * 0.001;
    }
    if (argc > 1 && strcmp(argv[1], "shrink") == 0) {
        omp_set_num_threads(4);
#pragma omp parallel
        {
            initDynamicSchedule();
#pragma omp for schedule(static, 1)
            for (int i = 0; i < 40; i++) {
                recordDynamicSchedule(i, 1);
                forward(i);
            }
            finalizeDynamicSchedule();
        }
        omp_set_num_threads(2);
        dynamic_backward();
        wait_for_threads_to_end(2);
        return 0;
    }
    for (int threads = 1; threads <= 8; threads++) {
        for (int fortran = 0; fortran < 2; fortran++) {
            static const int sizes[] = {0, 1, 3, 7, 8, 64, 1000};
            for (int k = 0; k < 7; k++) {
                const int n = sizes[k];
                static_loop(threads, 0, n - 1, 1, fortran);
                check(threads, n, 0, n - 1, 1);
                static_loop(threads, n, 1, -1, fortran);
                check(threads, n, n, 1, -1);
                static_loop(threads, 2, n, 3, fortran);
                check(threads, n, 2, n, 3);
                dynamic_loop(threads, n, fortran);
                check(threads, n, 0, n - 1, 1);
            }
        }
    }
    adStack_showPeakSize();
    adStack_showTotalTraffic();
    return 0;
}
