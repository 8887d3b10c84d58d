adtape_t *t = adtape_self();
const double h = 0.3;
double flux;
if (h > 1.0) {
    flux = h * h;
    adtape_push_control(t, 2, 2);
} else if (h > 0.0) {
    flux = h;
    adtape_push_control(t, 1, 2);
} else {
    flux = 0.0;
    adtape_push_control(t, 0, 2);
}
assert(flux == h && adtape_pop_control(t, 2) == 1);
