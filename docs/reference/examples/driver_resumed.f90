! example: whole
module halves
  use, intrinsic :: iso_c_binding
  use adtape
  implicit none
  real(8), target :: v(2, 4), v_adjoint(4), half = 0.5d0
  integer :: turns = 0, stop_after = 0
contains
  function step_v(step, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    v(1, :) = half*v(1, :)**2 + 1
    flow = ADTAPE_FLOW_CONTINUE
  end function
  function adjoint_of_v(step, first, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    logical(c_bool), value :: first
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    if (first) v_adjoint = 1
    v_adjoint = v_adjoint*2*half*v(1, :)   ! nothing is overwritten that it needs: no tape
    turns = turns + 1
    flow = ADTAPE_FLOW_CONTINUE
    if (turns == stop_after) flow = ADTAPE_FLOW_STOP
  end function
  subroutine run(store, stat)
    type(adtape_store), intent(in) :: store
    integer(c_int32_t), intent(out) :: stat
    type(adtape_driver) :: driver
    type(adtape_schedule) :: schedule
    v(1, :) = [0.0d0, 0.1d0, 0.2d0, 0.3d0]
    v_adjoint = 0
    call driver_create(driver)
    call driver_set_calls(driver, step_v, adjoint_of_v)
    call driver_register(driver, v(1, :), 'v')
    call driver_register_adjoint(driver, v_adjoint)
    call driver_register_parameter(driver, half, 'half')
    call driver_set_store(driver, store, 'gradient', 0d0)
    call schedule_create(schedule, ADTAPE_SCHEDULE_BINOMIAL, 8_8, 3_8)
    call driver_run(driver, schedule, stat=stat)
    call schedule_destroy(schedule)
    call driver_destroy(driver)
  end subroutine
end module

program main
  use adtape
  use halves
  implicit none
  type(adtape_store) :: store
  integer :: stat
  real(8) :: expected(4)
  call store_create_memory(store, 0_8)        ! of files, where the process may really be killed
  call run(store, stat)
  expected = v_adjoint
  turns = 0
  stop_after = 5
  call run(store, stat)
  if (stat /= ADTAPE_STATUS_STOPPED) error stop
  half = 0.25d0                            ! of another parameter nothing is computed
  call run(store, stat)
  if (stat /= ADTAPE_STATUS_MISMATCH) error stop
  half = 0.5d0
  call run(store, stat)                    ! from the last point on
  if (stat /= ADTAPE_STATUS_OK .or. any(v_adjoint /= expected) .or. turns /= 9) error stop
  call store_destroy(store)
end program
