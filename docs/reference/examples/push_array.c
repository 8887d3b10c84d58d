adtape_t *t = adtape_self();
double a[3] = {1.0, 2.0, 3.0};
int32_t n[2] = {4, 5};
adtape_push_array_f64(t, a, 3);
adtape_push_array(t, ADTAPE_TYPE_I32, n, 2); /* the type at run time */
adtape_self_push_array(ADTAPE_TYPE_F64, NULL, 0); /* nothing */
memset(a, 0, sizeof a);
memset(n, 0, sizeof n);
adtape_self_pop_array(ADTAPE_TYPE_F64, NULL, 0);
adtape_pop_array(t, ADTAPE_TYPE_I32, n, 2);
adtape_pop_array_f64(t, a, 3);
assert(a[0] == 1.0 && a[2] == 3.0 && n[0] == 4 && n[1] == 5);
