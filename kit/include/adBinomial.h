/* adBinomial.h: binomial checkpointing of a loop in generated adjoints. */
#ifndef ADBINOMIAL_LOADED
#define ADBINOMIAL_LOADED 1

#ifdef __cplusplus
extern "C" {
#endif

/* What adBinomial_next says: store the state, read it and keep it stored, read it for the last time, run a step, run and
 * reverse the loop's last step, run and reverse a step. */
#define PUSHSNAP 1
#define LOOKSNAP 2
#define POPSNAP 3
#define ADVANCE 4
#define FIRSTTURN 5
#define TURN 6

/* Begins the reversal of `length` steps with at most `nbSnap` snapshots. Sessions nest, for each thread. */
void adBinomial_init(int length, int nbSnap, int firstStep);

/* The next action, and its step, from 1; of a snapshot, the number of steps before it. Returns 0, with -1 for both, when
 * all is done: then the enclosing session goes on. */
int adBinomial_next(int *action, int *step);

/* The step that ADVANCE ordered last turns out to be the loop's last: FIRSTTURN reverses it next. */
void adBinomial_resize(void);

#ifdef __cplusplus
}
#endif

#endif
