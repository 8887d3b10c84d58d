/* A program that uses 1 KB of tape has under 1 MB of resident memory on its account. */
#include <fcntl.h>
#include <unistd.h>

#include "check.h"

/* A figure of /proc/self in KiB, without the heap. smaps_rollup counts exactly what VmRSS of status rounds. */
static long figure_of(const char *file, const char *name) {
    static char text[8192];
    const int descriptor = open(file, O_RDONLY);
    if (descriptor < 0) {
        return -1;
    }
    ssize_t have = 0, n;
    while ((n = read(descriptor, text + have, sizeof text - 1 - (size_t)have)) > 0) {
        have += n;
    }
    close(descriptor);
    text[have] = '\0';
    const char *line = strstr(text, name);
    return line == NULL ? -1 : strtol(line + strlen(name), NULL, 10);
}

static long resident_kib(void) {
    const long exact = figure_of("/proc/self/smaps_rollup", "\nRss:");
    const long rounded = figure_of("/proc/self/status", "\nVmRSS:");
    CHECK(exact > 0 || rounded > 0);
    return exact > 0 ? exact : rounded;
}

static void use_one_kilobyte(adtape_t *t) {
    for (int i = 0; i < 100; i++) {
        adtape_push_f64(t, i);
        adtape_push_control(t, (uint64_t)i & 15, 4);
        adtape_push_count(t, i);
    }
}

static void give_back_one_kilobyte(adtape_t *t) {
    for (int i = 99; i >= 0; i--) {
        double x = -1;
        CHECK_I64(adtape_pop_count(t), i);
        CHECK_U64(adtape_pop_control(t, 4), (uint64_t)i & 15);
        adtape_pop_f64(t, &x);
        CHECK_F64(x, i);
    }
}

int main(void) {
    (void)resident_kib(); /* what it touches itself does not count */
    const long before = resident_kib();
    use_one_kilobyte(adtape_self());
    give_back_one_kilobyte(adtape_self());
    use_one_kilobyte(adtape_self());
    const long own = resident_kib() - before;
    const uint64_t bytes = stats_of(adtape_self()).bytes;
    give_back_one_kilobyte(adtape_self());

    /* The first tape's share has the pages of the library in it; what one more costs, only a later one shows. */
    adtape_t *tapes[3];
    long more[3];
    for (int i = 0; i < 3; i++) {
        const long without = resident_kib();
        tapes[i] = new_tape();
        use_one_kilobyte(tapes[i]);
        more[i] = resident_kib() - without;
    }
    printf("resident: %ld KiB before the first push, %ld KiB more with 1 KB of tape, %ld KiB for each further tape\n",
           before, own, more[2]);
    CHECK(bytes > 900 && bytes < 1100);
    CHECK(own < (environment_has("ADTAPE_PROFILE") ? 1500 : 1000)); /* a profile has tables of its own */
    CHECK(more[2] < 100);
    for (int i = 0; i < 3; i++) {
        give_back_one_kilobyte(tapes[i]);
        CHECK_OK(adtape_destroy(tapes[i]));
    }
    return 0;
}
