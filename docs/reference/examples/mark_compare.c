adtape_t *t = adtape_self();
adtape_mark_t a, b;
int32_t order;
int64_t bytes;
double x;
must(adtape_mark_take(t, &a));
adtape_push_f64(t, 1.0);
must(adtape_mark_take(t, &b));
must(adtape_mark_compare(&a, &b, &order, &bytes));
assert(order == -1 && bytes == 8);
adtape_pop_f64(t, &x);
must(adtape_mark_take(t, &b)); /* the reverse sweep has come back to a */
must(adtape_mark_compare(&a, &b, &order, NULL));
assert(order == 0);
