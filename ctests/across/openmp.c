/* OpenMP: each thread of a team has its own tape, which stays with it from one parallel region to the next. A team
 * that shrinks ends some of its threads: what they have taped is lost, and said to be. */
#include <dirent.h>
#include <omp.h>
#include <time.h>

#include "child.h"

enum { TEAM = 4, VALUES = 2000 };

static void push_in_team(int threads) {
#pragma omp parallel num_threads(threads)
    for (int i = 0; i < VALUES; i++) {
        adtape_push_f64(adtape_self(), omp_get_thread_num() * 1e6 + i);
        adtape_push_control(adtape_self(), (uint64_t)i & 7, 3);
    }
}

static void pop_in_team(int threads) {
#pragma omp parallel num_threads(threads)
    for (int i = VALUES - 1; i >= 0; i--) {
        double x = -1;
        CHECK_U64(adtape_pop_control(adtape_self(), 3), (uint64_t)i & 7);
        adtape_pop_f64(adtape_self(), &x);
        CHECK_F64(x, omp_get_thread_num() * 1e6 + i);
    }
}

static void balanced(void *nothing) {
    (void)nothing;
    for (int sweep = 0; sweep < 3; sweep++) {
        push_in_team(TEAM);
        push_in_team(TEAM);
        pop_in_team(TEAM);
        pop_in_team(TEAM);
    }
}

static int threads_of_process(void) {
    DIR *tasks = opendir("/proc/self/task");
    int n = -2; /* . and .. */
    CHECK(tasks != NULL);
    while (readdir(tasks) != NULL) {
        n++;
    }
    closedir(tasks);
    return n;
}

/* The values of two threads of the larger team never come back. */
static void shrinking(void *nothing) {
    (void)nothing;
    push_in_team(TEAM);
    const int all = threads_of_process();
    pop_in_team(TEAM / 2);
    push_in_team(TEAM / 2);
    pop_in_team(TEAM / 2);
    for (int tries = 0; tries < 2000 && threads_of_process() > all - TEAM / 2; tries++) {
        nanosleep(&(struct timespec){0, 5000000}, NULL); /* until the others are gone */
    }
}

static int count_of(const char *text, const char *part) {
    int n = 0;
    for (; (text = strstr(text, part)) != NULL; text++) {
        n++;
    }
    return n;
}

static void tapes_stay_with_the_threads_of_a_team(void) {
    const child_t child = in_child(balanced, NULL);
    CHECK_EXIT(child, 0);
    CHECK(child.text[0] == '\0');
}

static void team_that_shrinks_is_told_what_it_lost(void) {
    const child_t child = in_child(shrinking, NULL);
    CHECK_EXIT(child, 0);
    /* 2000 doubles and 96 full words of control bits; 48 bits are in no word yet */
    CHECK_I64(count_of(child.text, "a thread ended with 16.38 KiB (16774 bytes) on its tape"), TEAM - TEAM / 2);
    CHECK_HAS(child.text, "a team of threads that shrinks");
}

int main(void) {
    tapes_stay_with_the_threads_of_a_team();
    team_that_shrinks_is_told_what_it_lost();
    return 0;
}
