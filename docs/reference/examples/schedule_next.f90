type(adtape_schedule) :: schedule
type(adtape_instruction) :: what
integer :: turned
turned = 0
call schedule_create(schedule, ADTAPE_SCHEDULE_BINOMIAL, 10_8, 3_8)
do
  call schedule_next(schedule, what)
  select case (what%action)
  case (ADTAPE_ACTION_DONE)
    exit
  case (ADTAPE_ACTION_TURN)
    if (what%step /= 9 - turned .or. (what%first) .neqv. (turned == 0)) error stop
    turned = turned + 1
  end select
end do
if (turned /= 10) error stop
call schedule_destroy(schedule)
