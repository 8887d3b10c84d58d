union number { double real; int whole; };
struct cell { int kind; union number as; };
double f(const struct cell *cell, double x) {
    return cell->as.real * x;
}
