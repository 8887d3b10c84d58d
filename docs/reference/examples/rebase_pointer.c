adtape_t *t = adtape_self();
double x[4];
struct {
    int n;
    double *p;
} node = {4, &x[1]};
adtape_live_add(NULL, x, sizeof x, ADTAPE_KIND_STACK, "x");
adtape_push_bytes(t, &node, sizeof node);
node.p = NULL;
adtape_live_begin_reverse(NULL);
adtape_pop_bytes(t, &node, sizeof node);
adtape_rebase_pointer(NULL, node.p, (void **)&node.p, NULL);
assert(node.p == &x[1]);
