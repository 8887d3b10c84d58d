#define TEN(a) a * a * a * a * a * a * a * a * a * a
#define HUNDRED(a) TEN(a) * TEN(a) * TEN(a) * TEN(a) * TEN(a) * TEN(a) * TEN(a) * TEN(a) * TEN(a) * TEN(a)
#define FIVE_HUNDRED(a) HUNDRED(a) * HUNDRED(a) * HUNDRED(a) * HUNDRED(a) * HUNDRED(a)

double f(double x) {
    double y = x;
    y = FIVE_HUNDRED(x) * FIVE_HUNDRED(x) * FIVE_HUNDRED(x) * FIVE_HUNDRED(x) * FIVE_HUNDRED(x) * FIVE_HUNDRED(x);
    return y;
}
