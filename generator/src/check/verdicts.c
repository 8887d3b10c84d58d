/* ---- verdicts --------------------------------------------------------------------------------------------------- */

/* Inputs of heads behind pointers. Whether some call has met one of their elements. */
static struct input {
    const char *head, *name;
    int is_met;
} *inputs;
static size_t count_of_inputs;

static int is_inside(const char *name, const char *argument) {
    const size_t length = strlen(argument);
    return strncmp(name, argument, length) == 0 && (name[length] == 0 || strchr(".-", name[length]) != NULL);
}

/* Remembers which inputs have words with an adjoint. */
static void note_inputs(const @_head *head) {
    for (size_t k = 0; k < head->count; k++) {
        const @_block *b = &head->blocks[k];
        size_t at = 0;
        if (!b->is_input || !b->is_argument) {
            continue;
        }
        while (at < count_of_inputs && (inputs[at].head != head->head || inputs[at].name != b->name)) {
            at++;
        }
        if (at == count_of_inputs) {
            inputs = room(inputs, (count_of_inputs + 1) * sizeof *inputs);
            inputs[count_of_inputs++] = (struct input){head->head, b->name, 0};
        }
        for (size_t w = 0; w < count_of_words && !inputs[at].is_met; w++) {
            inputs[at].is_met = words[w].block >= 0 && is_inside(head->blocks[words[w].block].name, b->name);
        }
    }
}

static void say_inputs_not_met(void) {
    for (size_t k = 0; k < count_of_inputs; k++) {
        if (!inputs[k].is_met) {
            leave_out(inputs[k].head, " with differences", "no call met an adjoint of an element of '%s'",
                      inputs[k].name);
        }
    }
}

/* What differences with a large and a small step say, and how much of it may be rounding. */
struct slopes {
    double large, small;
    double rounding, tolerance;
    double whole; /* what the adjoint gives along all inputs, beside which a part of it may vanish */
};

/* Whether the slope is 0: differences shrink with a power of the step, or hide in rounding. */
static int is_flat(struct slopes s, double shrinks) {
    const int hides = fabs(s.large) + fabs(s.small) <= 10 * s.rounding;
    return fabs(s.small) <= shrinks * fabs(s.large) || (hides && 10 * s.rounding <= s.tolerance * fabs(s.whole));
}

/* Whether a product is the slope on one side of the inputs: there may be a kink, as maximum has where its operands are
   equal, or a jump. */
static int agrees_on_one_side(struct slopes s, double product, double shrinks) {
    return product == 0 ? is_flat(s, shrinks)
                        : fabs(s.small - product) <= 10 * s.tolerance * (fabs(s.small) + fabs(product));
}

/* Compares what the adjoint gives along a direction with differences along it. `which` names the inputs that move,
   where not all do. */
static void compare_with_differences(const @_head *head, int first, double product, double whole, const char *which) {
    const struct answer *d = &answers[first];
    const double unit = head->has_single ? 1.2e-7 : 2.3e-16, tolerance = head->has_single ? 1e-2 : 1e-5;
    const double large = step(first), small = step(first + 2);
    int is_done = answers[HERE].is_done, has_changed = 0;
    double scale = 0;
    for (int k = 0; k < 4; k++) {
        is_done &= d[k].is_done;
        has_changed |= d[k].has_changed;
        scale = fmax(scale, d[k].scale);
    }
    if (!is_done) {
        leave_out(head->head, " with differences", "the function did not end beside these inputs%s", which);
        return;
    }
    if (d[0].results == 0) {
        leave_out(head->head, " with differences", "no result was met%s", which);
        return;
    }
    struct slopes across = {(d[0].sum - d[1].sum) / (2 * large), (d[2].sum - d[3].sum) / (2 * small),
                            unit * scale / small, tolerance, whole};
    struct slopes above = across, below = across;
    above.large = d[0].sum / large, above.small = d[2].sum / small;
    below.large = -d[1].sum / large, below.small = -d[3].sum / small;
    /* Across, what is left shrinks with the square of the step, on one side with the step. */
    const double square = head->has_single ? 0.5 : 0.02, linear = head->has_single ? 0.7 : 0.2;
    const double size = fabs(across.large) + fabs(across.small), apart = fabs(across.large - across.small);
    const double near = 10 * tolerance * size;
    const int agrees = fabs(across.large - product) <= near || fabs(across.small - product) <= near;
    if (!isfinite(across.large) || !isfinite(across.small)) {
        leave_out(head->head, " with differences", "a result is not finite beside these inputs%s", which);
    } else if (product == 0 && (!has_changed || is_flat(across, square))) {
        fprintf(stderr, "check: %s: differences 0%s\n", head->head, which);
    } else if (across.rounding > fmax(fabs(product), fabs(across.large))) {
        leave_out(head->head, " with differences", "results are too large%s", which);
    } else if (product != 0 && (agrees || fabs(across.large - product) <= near + 10 * apart) &&
               (agrees || apart <= tolerance * size)) {
        fprintf(stderr, "check: %s: differences %.9g%s\n", head->head, across.large, which);
    } else if (agrees_on_one_side(above, product, linear) || agrees_on_one_side(below, product, linear)) {
        const int is_kink = fabs(above.small) + fabs(below.small) <= 2 * (fabs(above.large) + fabs(below.large));
        fprintf(stderr, "check: %s: differences agree on one side%s: ", head->head, which);
        fprintf(stderr, "the function has a %s here, its slopes are %.9g and %.9g\n", is_kink ? "kink" : "jump",
                below.small, above.small);
    } else if (!(apart <= tolerance * size + (product == 0 ? 10 * across.rounding : 0))) {
        leave_out(head->head, " with differences", "two steps give %.9g and %.9g%s", across.large, across.small, which);
    } else if (fabs(above.small - below.small) > 10 * across.rounding + tolerance * size &&
               fabs(above.small - below.small) > 0.8 * fabs(above.large - below.large)) {
        leave_out(head->head, " with differences", "the function has a kink here, its slopes are %.9g and %.9g%s",
                  below.small, above.small, which);
    } else if (product == 0 && size <= 20 * across.rounding) {
        leave_out(head->head, " with differences", "results are too large%s", which);
    } else if (may_say()) {
        fprintf(stderr, "check: %s: adjoint and differences differ: %.9g and %.9g%s\n", head->head, product,
                across.large, which);
    }
}

/* Says which inputs have the adjoint 0. */
static const char *zeros(const @_head *head) {
    static char text[160];
    const size_t count = answers[ADJOINT].zeros;
    size_t at = 0;
    char place[80] = "an argument that is passed by value";
    while (at < count_of_words && !parts[at].is_zero) {
        at++;
    }
    if (at < count_of_words) {
        const @_block *b = &head->blocks[words[at].block];
        snprintf(place, sizeof place, "element %td of '%.40s'",
                 (words[at].place - (const char *)b->primal) / (words[at].bits / 8), b->name);
    }
    const int others = (int)(count - 1);
    snprintf(text, sizeof text,
             count == 1 ? ", along %s, whose adjoint is 0" : ", along %s and %d more inputs whose adjoint is 0", place,
             others);
    return text;
}

static void say_products(const @_head *head) {
    const struct answer a = answers[ADJOINT], t = answers[TANGENT];
    const double bound = head->has_single ? 1e-4 : 1e-12;
    if (!a.is_done || !t.is_done) {
        return;
    }
    if (is_foreign) {
        leave_out(head->head, " with its tangent", "it reaches memory of no argument");
        return;
    }
    if (a.inputs == 0) {
        leave_out(head->head, " with its tangent", "no input has an adjoint here");
        return;
    }
    if (!isfinite(a.sum) || (!isfinite(t.sum) && !t.is_without)) {
        leave_out(head->head, " with its tangent", "a derivative is not finite");
        return;
    }
    const double apart = fabs(a.sum - t.sum), size = fmax(a.scale, t.scale);
    if (t.is_without) {
        fprintf(stderr, "check: %s: no tangent: a function with a rule has none\n", head->head);
    } else if (size == 0) {
        fprintf(stderr, "check: %s: no derivative but 0 was met\n", head->head);
    } else if (apart > bound * size && may_say()) {
        fprintf(stderr, "check: %s: adjoint and tangent differ: products %.17g and %.17g\n", head->head, a.sum, t.sum);
    } else {
        fprintf(stderr, "check: %s: tangent-adjoint product %.17g, %.1e apart\n", head->head, a.sum, apart / size);
    }
    compare_with_differences(head, FIRST, a.sum, a.sum, "");
    if (a.zeros != 0 && a.zeros != a.inputs) {
        compare_with_differences(head, ZERO, 0, a.scale, zeros(head));
    }
}

