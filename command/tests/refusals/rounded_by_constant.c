double f(double x) {
    const double turn = 6.28318530717958648, large = 6755399441055744.0;
    double turns = (x / turn + large) - large;
    int quadrant = (int)(4.0 * x + large - large);
    return (x - turns * turn) * quadrant;
}
