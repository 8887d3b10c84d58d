/* state_not_registered.c: the step reads a velocity that is not registered, so a step from a snapshot is another one. */
#include <adtape.h>

#include <stdio.h>

enum { STEPS = 12 };

static double place[1] = {1.0}, velocity[1], place_b[1], velocity_b[1];

static int32_t step(int64_t number, void *user) {
    (void)number, (void)user;
    velocity[0] -= 0.1 * place[0];
    place[0] += 0.1 * velocity[0];
    return ADTAPE_FLOW_CONTINUE;
}

static int32_t adjoint_step(int64_t number, bool first, void *user) {
    (void)number, (void)user;
    if (first) {
        place_b[0] = 1.0;
    }
    velocity_b[0] += 0.1 * place_b[0];
    place_b[0] -= 0.1 * velocity_b[0];
    return ADTAPE_FLOW_CONTINUE;
}

int main(void) {
    const adtape_driver_calls_t calls = {.step = step, .adjoint_step = adjoint_step};
    const int64_t shape = 1;
    adtape_driver_t *driver;
    adtape_schedule_t *schedule;
    adtape_driver_create(&driver);
    adtape_driver_set_calls(driver, &calls, NULL);
    adtape_driver_register(driver, ADTAPE_ROLE_STATE, "place", ADTAPE_TYPE_F64, place, 1, &shape, NULL);
    adtape_driver_create_schedule(driver, STEPS, 3 * sizeof place, &schedule);
    const adtape_status_t status = adtape_driver_run(driver, schedule, NULL);
    if (status != ADTAPE_STATUS_OK) {
        fprintf(stderr, "%s\n", adtape_error_message());
    }
    adtape_schedule_destroy(schedule);
    adtape_driver_destroy(driver);
    return status == ADTAPE_STATUS_OK ? 0 : 1;
}
