/* The benchmark program: runs rounds of the figure that a line of its input asks for.
 *
 *   input    <figure> <count> <bytes> <rounds>
 *   output   a line "<forward> <reverse> <reference forward> <reference reverse>" in ns for each round
 *
 * The first round of a figure meets cold caches and fresh pages and is not reported. */
#include "bench.h"

#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)
/* The program's values begin at an address that the tape and the reference's memory do not share modulo any power of
 * two: processors take addresses that agree in their low bits for the same. */
#define AWAY ((size_t)21 * 1024 + 64)

double clock_cost;

static void time_the_clock(void) {
    double least = 1e9;
    for (int i = 0; i < 1000; i++) {
        double cost;
        TIMED(cost, (void)0);
        least = cost < least ? cost : least;
    }
    clock_cost = least;
}

char *warm_memory(size_t bytes) {
    const size_t whole = (bytes + 2 * HUGE_PAGE) / HUGE_PAGE * HUGE_PAGE + HUGE_PAGE;
    char *mapped = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    char *start;
    if (mapped == MAP_FAILED) {
        fprintf(stderr, "bench: no memory for %zu bytes\n", bytes);
        exit(2);
    }
    /* Both ends go back, so that what is freed later is known by its start. */
    start = mapped + (HUGE_PAGE - (uintptr_t)mapped % HUGE_PAGE) % HUGE_PAGE;
    if (start > mapped) {
        munmap(mapped, (size_t)(start - mapped));
    }
    munmap(start + whole - HUGE_PAGE, (size_t)(mapped + HUGE_PAGE - start));
    (void)madvise(start, whole - HUGE_PAGE, MADV_HUGEPAGE);
    memset(start, 1, bytes);
    return start;
}

static size_t values_bytes(const work_t *w) { return (size_t)w->bytes + BLOCK * sizeof(double) + AWAY; }

static void drop_memory(char *start, size_t bytes) {
    munmap(start, (bytes + 2 * HUGE_PAGE) / HUGE_PAGE * HUGE_PAGE);
}

static const figure_t *find(const char *name) {
    const figure_t *const parts[] = {scalar_figures, array_figures, section_figures, touch_figures,
                                     heap_figures,   stencil_figures, kit_figures,   lto_figures};
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++) {
        for (const figure_t *figure = parts[part]; figure != NULL && figure->name != NULL; figure++) {
            if (strcmp(figure->name, name) == 0) {
                return figure;
            }
        }
    }
    fprintf(stderr, "bench: there is no figure \"%s\"\n", name);
    exit(2);
}

static void run(const figure_t *figure, const work_t *w, times_t *ours, times_t *reference) {
    /* Which side is first alternates: what one leaves in the caches is to the advantage of neither. */
    static int turn;
    if (++turn % 2 == 0) {
        figure->ours(w, ours);
        figure->reference(w, reference);
    } else {
        figure->reference(w, reference);
        figure->ours(w, ours);
    }
}

int main(void) {
    char name[64], last[64] = "";
    long long count, bytes, rounds;
    work_t w = {0};
    static char small_pages[2 << 20];
    size_t allocated = 0;
    time_the_clock();
    while (scanf("%63s %lld %lld %lld", name, &count, &bytes, &rounds) == 4) {
        const figure_t *figure = find(name);
        times_t ours, reference;
        if (strcmp(name, last) != 0 || w.count != count || w.bytes != bytes) {
            if (w.tape != NULL) {
                drop_memory(w.memory, allocated);
                drop_memory((char *)w.values - AWAY, values_bytes(&w));
                expect_ok(adtape_destroy(w.tape));
            }
            w.count = count;
            w.bytes = bytes;
            allocated = (size_t)count * (size_t)bytes + 64;
            w.memory = warm_memory(allocated);
            w.values = (double *)(warm_memory(values_bytes(&w)) + AWAY);
            /* Memory that was touched and freed comes quickly: a tape takes small pages where huge ones come slowly. */
            drop_memory(warm_memory(allocated), allocated);
            expect_ok(adtape_create(&w.tape));
            /* The rounds are above the part of a tape that has small pages. */
            adtape_push_bytes(w.tape, small_pages, (int64_t)sizeof small_pages);
            strcpy(last, name);
            run(figure, &w, &ours, &reference);
        }
        for (long long round = 0; round < rounds; round++) {
            run(figure, &w, &ours, &reference);
            printf("%.0f %.0f %.0f %.0f\n", ours.forward, ours.reverse, reference.forward, reference.reverse);
        }
        fflush(stdout);
    }
    return EXIT_SUCCESS;
}
