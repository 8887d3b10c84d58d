double x;
adtape_push_f64(adtape_self(), 0.5);
adtape_pop_f64(adtape_self(), &x);
assert(x == 0.5);
