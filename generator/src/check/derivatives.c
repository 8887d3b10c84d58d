/* ---- derivatives of rules ---------------------------------------------------------------------------------------- */

static uint64_t bit(int param) { return (uint64_t)1 << param; }

static uint64_t all_adjoints(void) {
    uint64_t all = 0;
    for (int k = 0; k < tried->count; k++) {
        all |= tried->params[k].has_adjoint ? bit(k) : 0;
    }
    return all;
}

/* Whether the derivative gets the adjoint of what a box has, or of the argument by value -1 - n. */
static int has_bar(int n) {
    int has = 0;
    for (int k = 0; k < tried->count; k++) {
        const @_param *p = &tried->params[k];
        has |= p->has_adjoint && (n < 0 ? k == -1 - n && p->kind == 1 : box_of[k] == n && boxes[n].is_real);
    }
    return has;
}

/* The adjoint of an element behind the call. */
static double bar_of(int n, size_t at) {
    if (n < count_of_boxes && (boxes[n].does[at] & LOST)) {
        return 0;
    }
    return pseudo_random(7919u * (uint64_t)(n + 1) + 31u * at);
}

/* A box whose needs are taken the other way round, before for after; -1: none. */
static int turned = -1;

static int is_single(int k) {
    return k == tried->count ? tried->bytes_of_result == 4 : tried->params[k].kind == 1 && tried->params[k].bytes == 4;
}

/* Where the argument points in the memory of a box. */
static char *moved(const box *b, char *memory, int k) { return memory + MARGIN * b->bytes + (firsts[k] - b->low); }

/* Runs the derivative. `added`: what the adjoints in the box `raised`, or of the argument -1 - `raised`, have besides.
   What the derivative does not need with these adjoints is spoilt in the box `spoilt`, or in all boxes (-2). */
static void run_reverse(uint64_t adjoints, int spoilt, int raised, double added) {
    void *passed[PARAMS + 1];
    float single[PARAMS + 1];
    for (int n = 0; n < count_of_boxes; n++) {
        const box *b = &boxes[n];
        for (size_t at = 0; at < b->count; at++) {
            const int is_before = ((b->does[at] & BEFORE) != 0) != (turned == n);
            memcpy(element(b, b->own, at), element(b, is_before ? b->before : b->after, at), (size_t)b->bytes);
            const int is_needed = (b->does[at] & (BEFORE | AFTER)) && (b->when[at] & (adjoints | bit(63)));
            if ((spoilt == n || spoilt == -2) && !is_needed) {
                spoil(b, at);
            }
            if (b->is_real) {
                set(element(b, b->bar, at), 8 * b->bytes, bar_of(n, at) + (n == raised && !(b->does[at] & LOST) ? added : 0));
            }
        }
    }
    for (int k = 0; k <= tried->count; k++) {
        const box *b = k < tried->count && box_of[k] >= 0 ? &boxes[box_of[k]] : NULL;
        bars_of_values[k] = bar_of(PARAMS, (size_t)k) + (raised == -1 - k ? added : 0);
        single[k] = (float)bars_of_values[k];
        if (k < tried->count && !(adjoints & bit(k))) {
            passed[k] = NULL;
        } else if (b != NULL) {
            passed[k] = moved(b, b->bar, k);
        } else {
            passed[k] = is_single(k) ? (void *)&single[k] : &bars_of_values[k];
        }
    }
    tried->reverse(passed);
    for (int k = 0; k < tried->count; k++) {
        bars_of_values[k] = is_single(k) ? single[k] : bars_of_values[k];
    }
}

static double bar_at(const box *b, const char *bars, size_t at) { return get(bars + at * (size_t)b->bytes, 8 * b->bytes); }

static int is_near(double one, double other, int bytes) {
    const double near = (bytes == 4 ? 1e-3 : 1e-10) * (1 + fabs(one) + fabs(other));
    return fabs(one - other) <= near || (isnan(one) && isnan(other));
}

/* What the derivative leaves of the adjoints: a box, or an argument by value -1 - k. */
static double left_at(int n, size_t at) { return n >= 0 ? bar_at(&boxes[n], boxes[n].bar, at) : bars_of_values[-1 - n]; }

/* Keeps what the derivative has left. */
static double kept_values[PARAMS + 1];
static void keep(void) {
    for (int n = 0; n < count_of_boxes; n++) {
        memcpy(boxes[n].bar_after, boxes[n].bar, boxes[n].count * (size_t)boxes[n].bytes);
    }
    memcpy(kept_values, bars_of_values, sizeof kept_values);
}

/* Whether the last run left the adjoints that were kept, but for those of the argument `but`; NULL, or where not. */
static const char *other_adjoint(int but) {
    for (int n = 0; n < count_of_boxes; n++) {
        const box *b = &boxes[n];
        for (size_t at = 0; at < b->count && has_bar(n) && (but < 0 || box_of[but] != n); at++) {
            if (!is_near(bar_at(b, b->bar, at), bar_at(b, b->bar_after, at), b->bytes)) {
                return element_name(b, at);
            }
        }
    }
    for (int k = 0; k < tried->count; k++) {
        const int has = tried->params[k].kind == 1 && tried->params[k].has_adjoint && k != but;
        if (has && !is_near(bars_of_values[k], kept_values[k], tried->params[k].bytes)) {
            return tried->params[k].name;
        }
    }
    return NULL;
}

/* Whether adjoints are left alone, set and added to as the clauses have it. */
static int try_adjoints(void) {
    const double added = 0.625;
    for (int n = -1 - tried->count; n < count_of_boxes; n++) {
        const box *b = n >= 0 ? &boxes[n] : NULL;
        const int k = -1 - n;
        if (!has_bar(n)) {
            continue;
        }
        run_reverse(all_adjoints(), -1, n, added);
        for (size_t at = 0; at < (n < 0 ? 1 : b->count); at++) {
            const int does = n < 0 ? READS : b->does[at], bytes = n < 0 ? tried->params[k].bytes : b->bytes;
            const double was = n < 0 ? kept_values[k] : bar_at(b, b->bar_after, at), now = left_at(n, at);
            const char *name = n < 0 ? tried->params[k].name : element_name(b, at);
            if (!(does & (READS | KILLS | MAY)) && fabs(now - (bar_of(n, at) + added)) > (bytes == 4 ? 1e-6 : 0)) {
                return fault("'%s_rev' changes the adjoint of %s, which no clause names", tried->name, name);
            }
            if ((does & KILLS) && !(does & READS) && now != 0) {
                return fault("'%s_rev' leaves an adjoint of %s, which '%s' overwrites: set it to 0", tried->name, name,
                             tried->name);
            }
            if (does == (does & (READS | BEFORE | AFTER)) && (does & READS) && !is_near(now - was, added, bytes)) {
                return fault("'%s_rev' does not add to the adjoint of %s", tried->name, name);
            }
        }
    }
    return 1;
}

/* What the derivative reads besides its needs: with all adjoints, and where one of what is only read is NULL. */
static int try_needs(void) {
    for (int n = 0; n < count_of_boxes; n++) {
        char name[120];
        snprintf(name, sizeof name, "%s", boxes[n].count ? element_name(&boxes[n], MARGIN) : "");
        name[strcspn(name, "[")] = 0;
        doing("while what 'needs' does not name of '%s' had another value", name);
        run_reverse(all_adjoints(), n, n + PARAMS, 0);
        const char *other = boxes[n].count ? other_adjoint(-1) : NULL;
        if (other != NULL) {
            return fault("'%s_rev' reads elements of '%s' that 'needs' does not name: they change the adjoint of %s",
                         tried->name, name, other);
        }
    }
    for (int k = 0; k < tried->count; k++) {
        const box *b = box_of[k] >= 0 ? &boxes[box_of[k]] : NULL;
        int is_written = 0;
        for (size_t at = 0; b != NULL && at < b->count; at++) {
            is_written |= b->does[at] & (KILLS | MAY);
        }
        if (!tried->params[k].has_adjoint || is_written || (b != NULL && b->params != 1)) {
            continue;
        }
        doing("while nobody wanted the adjoint of '%s': it is NULL then", tried->params[k].name);
        run_reverse(all_adjoints() & ~bit(k), -2, PARAMS, 0);
        const char *other = other_adjoint(k);
        if (other != NULL) {
            return fault("'%s_rev' gives %s another adjoint where nobody wants that of '%s', or reads what it needs "
                         "for that alone", tried->name, other, tried->params[k].name);
        }
    }
    return 1;
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* The direction of an element of what moves: a box, or an argument by value -1 - k. */
static double along(int n, size_t at, double value) {
    return pseudo_random(104729u * (uint64_t)(n + PARAMS + 2) + 17u * at) * (value == 0 ? 1 : fabs(value));
}

static double value_of(int k) { return get(tried->params[k].at, 8 * tried->params[k].bytes); }

/* The product of the adjoints behind the call with what results are where a box, or an argument, moves by a step. */
static double moved_product(int n, double by, double *scale) {
    double sum = 0;
    char was[8];
    memcpy(was, n < 0 ? tried->params[-1 - n].at : "       ", n < 0 ? (size_t)tried->params[-1 - n].bytes : sizeof was);
    for (int m = 0; m < count_of_boxes; m++) {
        const box *b = &boxes[m];
        memcpy(b->own, b->before, b->count * (size_t)b->bytes);
        for (size_t at = 0; at < b->count && m == n; at++) {
            const double here = bar_at(b, b->before, at);
            if (b->does[at] & READS) {
                set(element(b, b->own, at), 8 * b->bytes, here + by * along(n, at, here));
            }
        }
    }
    if (n < 0) {
        const int k = -1 - n;
        set(tried->params[k].at, 8 * tried->params[k].bytes, value_of(k) + by * along(n, 0, value_of(k)));
    }
    tried->primal();
    for (int m = 0; m < count_of_boxes; m++) {
        const box *b = &boxes[m];
        for (size_t at = 0; at < b->count && has_bar(m); at++) {
            if ((b->does[at] & (KILLS | MAY)) && !(b->does[at] & LOST)) {
                const double term = bar_of(m, at) * (bar_at(b, b->own, at) - bar_at(b, b->after, at));
                sum += term, *scale += fabs(term);
            }
        }
    }
    if (tried->is_real_result) {
        const int bits = 8 * tried->bytes_of_result;
        const double change = get(tried->result, bits) - get(first_result, bits);
        sum += bar_of(PARAMS, (size_t)tried->count) * change, *scale += fabs(change);
    }
    if (n < 0) {
        memcpy(tried->params[-1 - n].at, was, (size_t)tried->params[-1 - n].bytes);
    }
    return sum;
}

/* The product of a direction with the adjoints in front of the call, less that with those of what stays. */
static double reverse_product(int n, double *scale) {
    if (n < 0) {
        const double before = bar_of(PARAMS, (size_t)(-1 - n));
        const double term = along(n, 0, value_of(-1 - n)) * (kept_values[-1 - n] - before);
        *scale += fabs(term);
        return term;
    }
    const box *b = &boxes[n];
    double sum = 0;
    for (size_t at = 0; at < b->count; at++) {
        if (b->does[at] & READS) {
            const double stays = b->does[at] & (KILLS | MAY) ? 0 : bar_of(n, at);
            const double term = along(n, at, bar_at(b, b->before, at)) * (bar_at(b, b->bar_after, at) - stays);
            sum += term, *scale += fabs(term);
        }
    }
    return sum;
}

/* Whether the tangent along a box, or an argument by value, gives the product that the adjoint gives. */
static int try_tangent(int n, const char *name, double product, double near) {
    void *passed[PARAMS + 1];
    double tangents[PARAMS + 1] = {0}, sum = 0;
    float single[PARAMS + 1];
    doing("in the tangent by '%s'", name);
    for (int m = 0; m < count_of_boxes; m++) {
        const box *b = &boxes[m];
        memcpy(b->own, b->before, b->count * (size_t)b->bytes);
        for (size_t at = 0; at < b->count && b->is_real; at++) {
            const double moves = m == n && (b->does[at] & READS) ? along(n, at, bar_at(b, b->before, at)) : 0;
            set(element(b, b->bar, at), 8 * b->bytes, moves);
        }
    }
    for (int k = 0; k <= tried->count; k++) {
        tangents[k] = k == -1 - n ? along(n, 0, value_of(k)) : 0;
        single[k] = (float)tangents[k];
        const box *b = k < tried->count && box_of[k] >= 0 ? &boxes[box_of[k]] : NULL;
        passed[k] = b != NULL ? moved(b, b->bar, k) : is_single(k) ? (void *)&single[k] : &tangents[k];
    }
    tried->tangent(passed);
    for (int m = 0; m < count_of_boxes; m++) {
        const box *b = &boxes[m];
        for (size_t at = 0; at < b->count; at++) {
            const int is_written = b->does[at] & (KILLS | MAY);
            if (b->is_real && is_written && !(b->does[at] & LOST) && !is_near(bar_at(b, b->own, at), bar_at(b, b->after, at), b->bytes)) {
                return fault("'%s_d' gives %s another value than '%s'", tried->name, element_name(b, at), tried->name);
            }
            sum += is_written && has_bar(m) ? bar_of(m, at) * bar_at(b, b->bar, at) : 0;
        }
    }
    if (tried->is_real_result) {
        const int bytes = tried->bytes_of_result, is_float = is_single(tried->count);
        if (!is_near(get(tried->result, 8 * bytes), get(first_result, 8 * bytes), bytes)) {
            return fault("'%s_d' gives another result than '%s'", tried->name, tried->name);
        }
        sum += bar_of(PARAMS, (size_t)tried->count) * (is_float ? single[tried->count] : tangents[tried->count]);
    }
    return fabs(sum - product) <= near ||
           fault("'%s_d' gives another tangent by '%s' than the adjoint: products %.9g and %.9g", tried->name, name, sum,
                 product);
}

/* Whether the derivative is right where it finds what a box holds before the call in place of what it holds after it, or
   the other way round: what to say then. */
static const char *other_needs(int n, double slope, double near) {
    static char text[160];
    text[0] = 0;
    for (turned = 0; turned < count_of_boxes; turned++) {
        const box *b = &boxes[turned];
        size_t at = 0;
        double scale = 0;
        while (at < b->count && !((b->does[at] & (KILLS | MAY)) && (b->does[at] & (BEFORE | AFTER)))) {
            at++;
        }
        if (at == b->count) {
            continue;
        }
        run_reverse(all_adjoints(), -1, PARAMS, 0);
        keep();
        if (fabs(reverse_product(n, &scale) - slope) <= near) {
            const char *name = element_name(b, at);
            snprintf(text, sizeof text, ": needs(%.*s %s) is meant", (int)strcspn(name, "["), name,
                     b->does[at] & BEFORE ? "after" : "before");
            break;
        }
    }
    turned = -1;
    return text;
}

/* Whether the derivative gives the products that differences give, along one argument after the other. */
static int try_products(void) {
    for (int n = -1 - tried->count; n < count_of_boxes; n++) {
        const box *b = n >= 0 ? &boxes[n] : NULL;
        if (!has_bar(n) || (b != NULL && b->count == 0)) {
            continue;
        }
        const int bytes = b != NULL ? b->bytes : tried->params[-1 - n].bytes;
        const double steps[] = {bytes == 4 ? 1e-2 : 1e-5, bytes == 4 ? 3e-3 : 1e-6};
        double scale = 0, slopes[2];
        char name[120];
        snprintf(name, sizeof name, "%s", b != NULL ? element_name(b, MARGIN) : tried->params[-1 - n].name);
        name[strcspn(name, "[")] = 0;
        doing("beside the values of '%s'", name);
        for (int k = 0; k < 2; k++) {
            double size = 0;
            slopes[k] = (moved_product(n, steps[k], &size) - moved_product(n, -steps[k], &size)) / (2 * steps[k]);
            scale = fmax(scale, size / steps[k]);
        }
        const double product = reverse_product(n, &scale), near = (bytes == 4 ? 2e-2 : 1e-5) * scale;
        if (!isfinite(slopes[0]) || !isfinite(slopes[1]) || fabs(slopes[0] - slopes[1]) > 10 * near) {
            outcome->left_out++;
        } else if (!(fabs(product - slopes[0]) <= near || fabs(product - slopes[1]) <= near)) {
            return fault("'%s_rev' gives another derivative by '%s' than differences: products %.9g and %.9g%s",
                         tried->name, name, product, slopes[1], other_needs(n, slopes[1], near));
        } else if (tried->tangent != NULL && !try_tangent(n, name, product, near)) {
            return 0;
        }
    }
    return 1;
}

/* ---- trials of rules --------------------------------------------------------------------------------------------- */

/* All that is tried of a call, in a child. */
static void try_call(void) {
    feclearexcept(FE_ALL_EXCEPT);
    fenv_t traps;
    feholdexcept(&traps);
    tried->sections();
    if (!make_boxes()) {
        outcome->left_out++;
        return;
    }
    is_marking = 1;
    tried->sections();
    for (int k = 0; k < tried->count; k++) {
        if (box_of[k] >= 0) {
            char *place = moved(&boxes[box_of[k]], boxes[box_of[k]].own, k);
            memcpy(tried->params[k].at, &place, sizeof place);
        }
    }
    try_function();
    const int status = tried->status;
    if (outcome->faults != 0 || tried->has_state || tried->reverse == NULL ||
        (status >= 0 && *(int *)(void *)moved(&boxes[box_of[status]], boxes[box_of[status]].after, status) != 0)) {
        return;
    }
    doing("in its derivative", "");
    run_reverse(all_adjoints(), -1, PARAMS, 0);
    keep();
    if (try_adjoints() && try_needs()) {
        try_products();
    }
}

/* What tells calls of a rule apart: characters, flags, numbers. */
static uint64_t kind_of_call(const @_rule *rule) {
    uint64_t sum = 14695981039346656037u;
    for (int k = 0; k < rule->count; k++) {
        const @_param *p = &rule->params[k];
        const unsigned char *bytes = p->at;
        if (p->kind == 3 && p->is_constant && *(void *const *)p->at != NULL) {
            bytes = *(unsigned char *const *)p->at;
        } else if (p->kind != 0) {
            continue;
        }
        for (int j = 0; j < p->bytes; j++) {
            sum = (sum ^ bytes[j]) * 1099511628211u;
        }
    }
    return sum;
}

void @_try(@_rule *rule) {
    const uint64_t kind = kind_of_call(rule);
    int before = 0;
    for (int k = 0; k < rule->calls; k++) {
        before += rule->kinds[k] == kind;
    }
    if (is_child || before >= 2 || rule->calls >= @_CALLS) {
        return;
    }
    rule->kinds[rule->calls++] = kind;
    outcome = shared(sizeof *outcome);
    if (outcome == NULL) {
        leave_out(rule->name, "", "no memory that processes share");
        return;
    }
    tried = rule;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        said = fdopen(dup(2), "w");
        dup2(nowhere, 1);
        dup2(nowhere, 2);
        is_child = 1;
        for (int k = 0; k < rule->count; k++) {
            firsts[k] = rule->params[k].kind >= 2 ? *(char **)rule->params[k].at : NULL;
        }
        alarm(60);
        try_call();
        outcome->is_done = 1;
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        leave_out(rule->name, " with its rule", "it cannot run in a child of the process");
    } else if (outcome->faults != 0) {
        wrong += (unsigned long)outcome->faults;
        rule->calls = @_CALLS;
    } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
        leave_out(rule->name, " with its rule", "it did not end %s", outcome->doing);
    } else if (!outcome->is_done) {
        wrong++;
        rule->calls = @_CALLS;
        fprintf(stderr, "check: %s: '%s' or its derivative ended the process %s\n", rule->where, rule->name,
                outcome->doing);
    } else {
        left_out += (unsigned long)(outcome->left_out != 0);
        if (outcome->left_out != 0) {
            fprintf(stderr, "check: %s: not compared with differences: two steps disagree\n", rule->name);
        }
    }
    munmap(outcome, sizeof *outcome);
}

void @_no_tangent(void) {
    own.is_without = own.is_done = 1;
    answers[trial] = own;
    _exit(0);
}
