adtape_t *t = adtape_self();
double x = 0.5, z[2] = {1.0, -1.0}; /* z: complex */
int32_t i = 7;
adtape_push_f64(t, x);
adtape_push_i32(t, i);
adtape_push_complex_f64(t, z);
x = z[0] = z[1] = 0.0;
i = 0;
adtape_pop_complex_f64(t, z);
adtape_pop_i32(t, &i);
adtape_pop_f64(t, &x);
assert(x == 0.5 && i == 7 && z[0] == 1.0 && z[1] == -1.0);
