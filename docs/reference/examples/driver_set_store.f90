! example: whole
module squares_in_files
  use, intrinsic :: iso_c_binding
  use adtape
  implicit none
  real(8), target :: z
  real(8) :: z_adjoint
contains
  function square_z(step, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    z = z*z
    flow = ADTAPE_FLOW_CONTINUE
  end function
  function adjoint_of_z(step, first, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    logical(c_bool), value :: first
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    if (first) z_adjoint = 1
    z_adjoint = 2*z*z_adjoint
    flow = ADTAPE_FLOW_CONTINUE
  end function
end module

program main
  use adtape
  use squares_in_files
  implicit none
  type(adtape_driver) :: driver
  type(adtape_schedule) :: schedule
  type(adtape_store) :: store
  type(adtape_progress) :: done
  z = 1.001d0
  call store_create_memory(store, 0_8)  ! or store_create_files
  call driver_create(driver)
  call driver_set_calls(driver, square_z, adjoint_of_z)
  call driver_register(driver, z)
  call driver_set_store(driver, store)
  call schedule_create(schedule, ADTAPE_SCHEDULE_BINOMIAL, 10_8, 1_8, 2_8)  ! one snapshot in memory, two in the store
  call driver_run(driver, schedule, done)
  if (done%snapshot_bytes /= 8) error stop
  if (abs(z_adjoint/(1024*1.001d0**1023) - 1) > 1d-12) error stop
  call schedule_destroy(schedule)
  call driver_destroy(driver)
  call store_destroy(store)
end program
