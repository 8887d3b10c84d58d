double x = 0.5, y = 0.0;
adtape_self_push_f64(&x);
adtape_call_push_f64(adtape_self(), &x);
adtape_call_pop_f64(adtape_self(), &y);
adtape_self_pop_f64(&y);
assert(y == 0.5);
