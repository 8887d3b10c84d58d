/* Prints how often the kit's pushes and pops take the slow path, of 1000 of each kind. */
#include <stdio.h>

#include "adBuffer.h"
#include "adStack.h"

enum { TIMES = 1000 };

int main(void) {
    adtape_stats_t before, after;
    double values[3] = {1.0, 2.0, 3.0};
    int32_t way = 0;
    adtape_stats(adtape_self(), &before);
    for (int i = 0; i < TIMES; i++) {
        pushReal8(values[0]);
        pushControl1b(i & 1);
        pushReal8Array(values, 3);
    }
    for (int i = 0; i < TIMES; i++) {
        popReal8Array(values, 3);
        popControl1b(&way);
        popReal8(&values[0]);
    }
    adtape_stats(adtape_self(), &after);
    printf("%llu\n", (unsigned long long)(after.slow_calls - before.slow_calls - 1));
    return 0;
}
