type(adtape_schedule) :: schedule
type(adtape_instruction) :: what
call schedule_create(schedule, ADTAPE_SCHEDULE_ONLINE, memory_snapshots=3_8)
do
  call schedule_next(schedule, what)  ! and perform it
  if (what%action == ADTAPE_ACTION_ADVANCE .and. what%to == 100) exit
end do
call schedule_end_at(schedule, 100_8)  ! converged after 100 steps
call schedule_next(schedule, what)
if (what%action /= ADTAPE_ACTION_LOAD) error stop
call schedule_destroy(schedule)
call schedule_create(schedule, ADTAPE_SCHEDULE_TWO_LEVEL, 0_8, 5_8, period=50_8)
call schedule_next(schedule, what)
if (what%action /= ADTAPE_ACTION_SAVE .or. what%level /= ADTAPE_LEVEL_DISK) error stop
call schedule_destroy(schedule)
call schedule_create(schedule, ADTAPE_SCHEDULE_STORE_ALL, 3_8)
call schedule_next(schedule, what)
if (what%action /= ADTAPE_ACTION_RECORD) error stop
call schedule_destroy(schedule)
