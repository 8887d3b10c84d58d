! example: whole
module stored_squares
  use, intrinsic :: iso_c_binding
  use adtape
  implicit none
  real(8), target :: y
  real(8) :: y_adjoint
  integer(8) :: forward_steps
contains
  function plain_square(step, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    y = y*y
    flow = ADTAPE_FLOW_CONTINUE
  end function
  function record_square(step, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    call push(y)
    flow = plain_square(step, user)
  end function
  function reverse_square(step, first, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    logical(c_bool), value :: first
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    if (first) y_adjoint = 1
    call pop(y)
    y_adjoint = 2*y*y_adjoint
    flow = ADTAPE_FLOW_CONTINUE
  end function
  function both_squares(step, first, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    logical(c_bool), value :: first
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    flow = record_square(step, user)
    flow = reverse_square(step, first, user)
  end function
  subroutine note(progress, user) bind(c)
    type(adtape_progress), intent(in) :: progress
    type(c_ptr), value :: user
    forward_steps = progress%forward_steps
  end subroutine
end module

program main
  use adtape
  use stored_squares
  implicit none
  type(adtape_driver) :: driver
  type(adtape_schedule) :: schedule
  y = 1.001d0
  call driver_create(driver)
  call driver_set_calls(driver, plain_square, both_squares, record_square, reverse_square, progress=note, &
                        show_progress=.true.)
  call driver_register(driver, y)
  call schedule_create(schedule, ADTAPE_SCHEDULE_MIXED, 10_8, 3_8)
  call driver_run(driver, schedule)
  if (abs(y_adjoint/(1024*1.001d0**1023) - 1) > 1d-12 .or. forward_steps >= 25) error stop
  call schedule_destroy(schedule)
  call driver_destroy(driver)
end program
