adtape_t *t = adtape_self();
double x, *p = &x;
void *variables[1];
int64_t count;
adtape_range_t range;
adtape_live_add(NULL, &x, sizeof x, ADTAPE_KIND_STACK, "x");
adtape_live_end(t, NULL, &x);
adtape_push_pointer(t, NULL, p); /* dangling */
adtape_live_begin_reverse(NULL);
adtape_pop_pointer(t, NULL, (void **)&p, NULL);
must(adtape_live_list_waiting(NULL, variables, 1, &count));
assert(p == NULL && count == 1 && variables[0] == &p);
adtape_pop_range(t, NULL, &range);
adtape_rebase_add(NULL, &range, &x, NULL, 0);
assert(p == &x);
