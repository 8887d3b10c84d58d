/* ---- runs ------------------------------------------------------------------------------------------------------- */

/* One child: its number there, 0 in the parent. */
static int run(int which) {
    static const char *const names[] = {"", "both sweeps", "the adjoint", "the tangent", "the function"};
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, 1);
        dup2(nowhere, 2);
        is_child = 1;
        trial = which;
        memset(&own, 0, sizeof own);
        is_learning = which == LEARN;
        is_watching = which == WATCH;
        if (which != LEARN) {
            /* Beside the caller's inputs, and in other directions, a model may raise what it does not raise here. */
            fenv_t traps;
            feholdexcept(&traps);
        }
        prepare();
        return which;
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        leave_out(current->head, "", "cannot run %s in a child of the process", names[which < HERE ? which : HERE]);
    } else if (!answers[which].is_done && (which < HERE || which == WATCH)) {
        char text[160];
        const int is_signal = WIFSIGNALED(status), how = is_signal ? WTERMSIG(status) : WEXITSTATUS(status);
        snprintf(text, sizeof text, "the run of %s did not end in a child of the process (%s %d)",
                 which == WATCH ? "the function whose addresses are watched" : names[which],
                 is_signal ? "signal" : "status", how);
        if (which == LEARN || which == WATCH) {
            leave_out(current->head, "", "%s", text);
        } else if (may_say()) {
            fprintf(stderr, "check: %s: %s\n", current->head, text);
        }
    }
    return 0;
}

void @_add(@_head *head, @_block block) {
    if (head->count < @_BLOCKS) {
        head->blocks[head->count++] = block;
    }
}

/* Nothing is known of the memory that such a head reads. */
void @_nothing(const char *head) {
    calls++;
    fprintf(stderr, "check: %s: no derivative flows, so its adjoint leaves everything alone\n", head);
    leave_out(head, " with differences", "it has no sweeps that say what it reads");
}

/* Memory that all processes share, filled with 0; NULL without. */
static void *shared(size_t bytes) {
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return block == MAP_FAILED ? NULL : block;
}

/* Makes room for what children answer. */
static int begin_trials(@_head *head) {
    current = head;
    count_of_words = count_of_pointers = 0;
    if (answers == NULL) {
        answers = shared((WATCH + 1) * sizeof *answers);
    }
    if (answers == NULL) {
        leave_out(head->head, "", "no memory that processes share");
        return 0;
    }
    memset(answers, 0, (WATCH + 1) * sizeof *answers);
    return 1;
}

static int begin_parts(const @_head *head) {
    count_of_parts = count_of_words + 1 + @_BLOCKS;
    parts = shared(count_of_parts * sizeof *parts);
    if (parts == NULL) {
        leave_out(head->head, "", "no memory that processes share");
    }
    return parts != NULL;
}

int @_learn(@_head *head, const void *frame) {
    calls++;
    learned = NULL;
    count_of_words = count_of_pointers = 0;
    if (head->calls++ >= 20 || !begin_trials(head)) {
        return OWN;
    }
    top_of_sweeps = frame;
    bottom_of_sweeps = (char *)frame;
    learned = tmpfile();
    if (learned == NULL) {
        leave_out(head->head, "", "no temporary file");
        return OWN;
    }
    if (run(LEARN)) {
        return LEARN;
    }
    const int is_learned = answers[LEARN].is_done;
    if (is_learned && !read_learned()) {
        leave_out(head->head, "", "the temporary file is short: the disk is full");
    }
    fclose(learned);
    learned = NULL;
    return OWN;
}

int @_trial(@_head *head) {
    if (answers == NULL || !answers[LEARN].is_done || head->calls > 20) {
        return OWN;
    }
    classify(head);
    compare_arguments(head);
    note_inputs(head);
    if (can_watch()) {
        if (run(WATCH)) {
            return WATCH;
        }
        say_clashes(head);
    }
    if (head->calls > 2 || !begin_parts(head)) {
        return OWN;
    }
    for (int which = ADJOINT; which <= LAST; which++) {
        const struct answer a = answers[ADJOINT];
        if (which == ZERO && (a.zeros == 0 || a.zeros == a.inputs)) {
            break;
        }
        if (run(which)) {
            return which;
        }
    }
    say_products(head);
    munmap(parts, count_of_parts * sizeof *parts);
    return OWN;
}

/* Behind the caller's own run. */
void @_end(@_head *head, adtape_t *tape) {
    adtape_stats_t stats;
    if (depth != 0) {
        fprintf(stderr, "check: %s: %zu operands of the forward sweep were not read again\n", head->head, depth);
        wrong++;
        depth = 0;
    }
    if (adtape_stats(tape, &stats) == ADTAPE_STATUS_OK && stats.bytes != 0) {
        fprintf(stderr, "check: %s: %llu bytes are left on the tape\n", head->head, (unsigned long long)stats.bytes);
        wrong++;
    }
    for (size_t k = 0; k < count_of_words; k++) {
        const word *w = &words[k];
        const double value = get(w->place, w->bits);
        if (w->block >= 0 && !head->blocks[w->block].is_written && memcmp(&value, &w->old_value, sizeof value) != 0 &&
            may_say()) {
            fprintf(stderr, "check: %s: element %td of '%s' has changed, and the function does not write there\n",
                    head->head, (w->place - (const char *)head->blocks[w->block].primal) / (w->bits / 8),
                    head->blocks[w->block].name);
        }
    }
    count_of_words = 0;
    head->count = 0;
}
