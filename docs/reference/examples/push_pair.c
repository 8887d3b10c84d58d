adtape_t *t = adtape_self();
double x[4], *p;
adtape_pair_t pair = {x, 0};
adtape_live_add(NULL, x, sizeof x, ADTAPE_KIND_STACK, "x");
pair = adtape_pair_add(pair, 10 * (int64_t)sizeof *x); /* marches past the end */
adtape_push_pair(t, NULL, pair.base, pair.offset);
pair.base = NULL;
adtape_pop_pair(t, NULL, &pair, (void **)&p, NULL);
assert(pair.base == x && pair.offset == 80 && (intptr_t)p == (intptr_t)x + 80);
