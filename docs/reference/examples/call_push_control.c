adtape_self_push_control(5, 3);
adtape_call_push_control(adtape_self(), 1, 1);
adtape_self_push_count(1000);
adtape_call_push_count(adtape_self(), -1);
assert(adtape_call_pop_count(adtape_self()) == -1);
assert(adtape_self_pop_count() == 1000);
assert(adtape_call_pop_control(adtape_self(), 1) == 1);
assert(adtape_self_pop_control(3) == 5);
