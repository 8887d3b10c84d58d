type(adtape_schedule) :: schedule
type(adtape_prediction) :: multistage, disk, mixed
call schedule_create(schedule, ADTAPE_SCHEDULE_BINOMIAL, 1000_8, 15_8, 5_8)
call schedule_predict(schedule, multistage)
call schedule_destroy(schedule)
call schedule_create(schedule, ADTAPE_SCHEDULE_DISK_REVOLVE, 1000_8, 5_8, save_cost=20d0, load_cost=10d0)
call schedule_predict(schedule, disk)
call schedule_destroy(schedule)
call schedule_create(schedule, ADTAPE_SCHEDULE_MIXED, 1000_8, 20_8)
call schedule_predict(schedule, mixed)
call schedule_destroy(schedule)
if (mixed%extra_steps >= multistage%extra_steps .or. disk%disk_saves == 0) error stop
