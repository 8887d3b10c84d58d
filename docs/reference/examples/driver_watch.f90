! example: whole
module counted
  use, intrinsic :: iso_c_binding
  use adtape
  implicit none
  real(8), allocatable, target :: y(:)
contains
  function add_one(step, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    real(8), allocatable, target :: next(:)
    allocate (next(size(y)))
    next = y + 1
    call move_alloc(next, y)               ! y = next would be right
    flow = ADTAPE_FLOW_CONTINUE
  end function
  function adjoint_of_add_one(step, first, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    logical(c_bool), value :: first
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    flow = add_one(step, user)
  end function
end module

program main
  use adtape
  use counted
  implicit none
  type(adtape_driver) :: driver
  type(adtape_schedule) :: schedule
  integer :: stat
  allocate (y(3))
  y = 0
  call driver_create(driver)
  call driver_set_calls(driver, add_one, adjoint_of_add_one)
  call driver_register(driver, y, 'y')
  call driver_watch(driver, y)
  call driver_create_schedule(driver, 10_8, 72_8, schedule)
  call driver_run(driver, schedule, stat=stat)
  if (stat /= ADTAPE_STATUS_MISMATCH .or. index(adtape_error_message(), '"y" has moved') == 0) error stop
  call schedule_destroy(schedule)
  call driver_destroy(driver)
end program
