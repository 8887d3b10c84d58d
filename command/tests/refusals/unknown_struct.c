struct hidden;
struct hidden *open_it(void);
double f(struct hidden *h, double x) {
    (void)h;
    return x * (open_it() == h);
}
