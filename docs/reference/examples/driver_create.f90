! example: whole
module squares
  use, intrinsic :: iso_c_binding
  use adtape
  implicit none
  real(8), target :: x
  real(8) :: x_adjoint
contains
  function square_step(step, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    x = x*x
    flow = ADTAPE_FLOW_CONTINUE
  end function
  function square_adjoint_step(step, first, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    logical(c_bool), value :: first
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    call push(x)
    flow = square_step(step, user)
    if (first) x_adjoint = 1
    call pop(x)
    x_adjoint = 2*x*x_adjoint
  end function
end module

program main
  use adtape
  use squares
  implicit none
  type(adtape_driver) :: driver
  type(adtape_schedule) :: schedule
  x = 1.001d0
  call driver_create(driver)
  call driver_set_calls(driver, square_step, square_adjoint_step)
  call driver_register(driver, x)
  call driver_create_schedule(driver, 10_8, 24_8, schedule)
  call driver_run(driver, schedule)
  if (abs(x_adjoint/(1024*1.001d0**1023) - 1) > 1d-12) error stop
  call schedule_destroy(schedule)
  call driver_destroy(driver)
end program
