double f(double x, int n) {
    if (n > 9) goto inside;
    switch (n) {
    case 1:
        x *= x;
        break;
    default:
    inside:
        x += 1.0;
    }
    return x;
}
