/* z = phi(z, x) to convergence; phi = 0.5 z + x. Adjoint: zb = 0.5 zb + yb, with the last step's values. */
adtape_t *t = adtape_self();
double z = 2.0, dphi_dz, yb = 1.0, zb = 0.0, old;
adtape_push_f64(t, z);   /* what lies below the step */
adtape_push_f64(t, 0.5); /* the last step's partial derivative */
must(adtape_repeat_start(t));
for (;;) {
    adtape_pop_f64(t, &dphi_dz);
    old = zb;
    zb = dphi_dz * zb + yb;
    if (zb - old < 1e-12) {
        break;
    }
    must(adtape_repeat_reset(t));
}
must(adtape_repeat_end(t));
adtape_pop_f64(t, &z);
assert(z == 2.0 && zb > 2.0 - 1e-11 && zb <= 2.0);
