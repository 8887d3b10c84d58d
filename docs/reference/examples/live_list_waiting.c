const adtape_objects_t *s = NULL;
adtape_t *t = adtape_self();
double x, *p = &x;
void *variables[1];
int64_t count;
adtape_range_t range;
adtape_live_add(s, &x, sizeof x, ADTAPE_KIND_STACK, "x");
adtape_live_end(t, s, &x);
adtape_push_pointer(t, s, p); /* dangling */
adtape_live_begin_reverse(s);
adtape_pop_pointer(t, s, (void **)&p, NULL);
must(adtape_live_list_waiting(s, variables, 1, &count));
assert(p == NULL && count == 1 && variables[0] == &p);
adtape_pop_range(t, s, &range);
adtape_rebase_add(s, &range, &x, NULL, 0);
assert(p == &x);
