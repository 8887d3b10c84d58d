struct pair { double a, b; };
static double product(struct pair p) { return p.a * p.b; }
static double moved(struct pair *p) { p->a = 3.0 * p->b; return p->b; }
double f(double x)
{
    struct pair p;
    p.a = x;
    p.b = x * x;
    return product(p) * moved(&p);
}
