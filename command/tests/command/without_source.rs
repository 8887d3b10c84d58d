//! Functions without source: the driver defines them.

use crate::common::Scratch;
use crate::programs::check_driver;

/// The output statements of a translator from Fortran. Their functions were refused.
#[test]
fn output_statements_of_fortran_print_in_the_forward_sweep() {
    let folder = Scratch::new("fortran-output");
    let model = "typedef struct { int error, unit, end; char *format; int record; } control;
extern int s_wsfe(control *), e_wsfe(void), do_fio(int *, char *, int);
extern int s_wsle(control *), e_wsle(void), do_lio(int *, int *, char *, int);
static int c_1 = 1, c_5 = 5;
static char format[] = \"(1X,I4)\";
int f_(int *n, double *x, double *y);
int f_(int *n, double *x, double *y) {
    static control io_1 = {0, 6, 0, format, 0}, io_2 = {0, 6, 0, 0, 0};
    static int i;
    double s = 0.0;
    for (i = 0; i < *n; ++i) {
        s += x[i] * x[i];
        if (s > 2.0) {
            s_wsfe(&io_1);
            do_fio(&c_1, (char *)&i, (int)sizeof(int));
            e_wsfe();
        }
        s_wsle(&io_2);
        do_lio(&c_5, &c_1, (char *)&x[i], (int)sizeof(double));
        e_wsle();
        x[i] *= s;
    }
    *y = s * x[*n - 1];
    return 0;
}
";
    let driver = "#include \"model_b.h\"
static int lines;
int s_wsfe(void *control) { return control == 0; }
int s_wsle(void *control) { return control == 0; }
int do_fio(int *count, char *from, int bytes) { return *count != 1 || *(int *)from < 1 || bytes != 4; }
int do_lio(int *type, int *count, char *from, int bytes) { return *type != 5 || *count != 1 || !from || bytes != 8; }
int e_wsfe(void) { return ++lines; }
int e_wsle(void) { return ++lines; }
int main(void) {
    int n = 3;
    double x[3] = {1.0, 1.5, 0.5}, x_b[3] = {0}, y, y_b = 1.0;
    f__b(&n, x, x_b, &y, &y_b);
    return lines < 5 || x_b[0] == 0.0;
}
";
    folder.write("model.c", model);
    folder.write("driver.c", driver);
    check_driver(&folder, "f_(y)/(x)");
}

/// The handler cannot write a variable of the source whose address nobody takes. It was refused.
#[test]
fn error_handlers_leave_static_variables_of_macros_alone() {
    let folder = Scratch::new("handler");
    let model = "static double t;
#define SQUARE(a) ((t = (a)) == 0.0 ? 0.0 : t * t)
void stop_with(char text[]);
double f(int n, double x);
double f(int n, double x) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        if (x < 0.0) stop_with(\"negative\");
        s += SQUARE(0.3 * x + i);
        if (s > 1.0) stop_with(\"large\");
        s *= SQUARE(s) / 10.0;
    }
    return s;
}
";
    let driver = "#include \"model_b.h\"
static int calls;
void stop_with(char text[]) { calls += text[0] == 'l'; }
int main(void) {
    double x_b = 0.0;
    f_b(3, 1.1, &x_b, 1.0);
    return !calls || x_b == 0.0;
}
";
    folder.write("model.c", model);
    folder.write("driver.c", driver);
    check_driver(&folder, "f(f)/(x)");
}

/// What does not come back writes nothing that anybody reads. All three ways to say so were refused beside a variable at
/// file scope.
#[test]
fn functions_that_do_not_come_back_need_no_source() {
    let folder = Scratch::new("never-back");
    let model = "_Noreturn void fail(const char *why);
void stop(int code) __attribute__((noreturn));
extern __attribute__((__noreturn__)) void dump(int n, double *x);
static double scale[2];
static double g(int n, double *x) {
    if (x[0] < 0.0) fail(\"negative\");
    if (n > 9) stop(n);
    if (x[1] > 1e6) dump(n, x);
    x[1] = scale[0] * x[0] * x[0];
    return x[1] * scale[0];
}
double f(double p, int n, double *x);
double f(double p, int n, double *x) {
    scale[0] = p;
    return g(n, x);
}
";
    let driver = "#include \"model_b.h\"
#include <stdlib.h>
_Noreturn void fail(const char *why) { exit(why[0]); }
void stop(int code) { exit(code); }
void dump(int n, double *x) { exit(x[n - 1] > 0.0); }
int main(void) {
    double x[2] = {1.5, 2.0}, x_b[2] = {0.0}, p_b = 0.0;
    f_b(0.5, &p_b, 2, x, x_b, 1.0);
    return p_b == 0.0 || x_b[0] == 0.0 || x_b[1] != 0.0;
}
";
    folder.write("model.c", model);
    folder.write("driver.c", driver);
    check_driver(&folder, "f(f)/(p x)");
}
