#include <stdarg.h>
#include <stdio.h>
struct log {
    char text[80];
    double last;
};
static void note(struct log *to, double *value, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(to->text, sizeof(to->text), format, list);
    va_end(list);
    *value = 2.0 * *value;
}
double f(struct log *to, double x) {
    double y = x;
    note(to, &y, "%g is large", x);
    return y * y;
}
