/* Objects apart from those of the process. */
#include "check.h"

static void objects_of_their_own_are_apart_from_those_of_the_process(void) {
    adtape_objects_t *other = NULL;
    double x;
    adtape_range_t range;
    CHECK_OK(adtape_objects_create(&other));
    CHECK(other != NULL);
    CHECK_U64(adtape_live_add(other, &x, sizeof x, ADTAPE_KIND_STACK, "x"), 1);
    CHECK_OK(adtape_live_find(other, &x, &range));
    CHECK_FAILS(adtape_live_find(NULL, &x, &range), ADTAPE_STATUS_NO_RANGE, "no range");
    CHECK_OK(adtape_objects_destroy(other));
    CHECK_OK(adtape_objects_destroy(NULL));
    CHECK_FAILS(adtape_objects_create(NULL), ADTAPE_STATUS_NULL_POINTER, "is NULL");
}

int main(void) {
    objects_of_their_own_are_apart_from_those_of_the_process();
    return 0;
}
