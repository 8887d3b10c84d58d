! checkpoints.f90: the gradient by a driver, which keeps some states of the run instead of the tape of every step.
module shallow_water_checkpoints
  use, intrinsic :: iso_c_binding
  use adtape
  use shallow_water_support, only: dp, reversal_t, clock_seconds, progress_add
  use shallow_water_adjoint
  use shallow_water_model
  use shallow_water_fourdvar
  implicit none
  private

  public :: cost_and_gradient_by_driver

  ! What the driver's functions work on.
  type(fourdvar_t), pointer :: p => null()
  integer(c_int64_t) :: extra_steps, tape_bytes

contains

  ! ---- the time loop: the driver counts steps from 0, the model from 1 -----------------------------------

  function step(k, user) bind(c) result(flow)
    integer(c_int64_t), value :: k
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    call run_step(p%g, p%f, int(k) + 1, p%observed)
    call progress_add(2)
    flow = ADTAPE_FLOW_CONTINUE
  end function

  function record_step(k, user) bind(c) result(flow)
    integer(c_int64_t), value :: k
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    call run_step_fwd(p%g, p%f, int(k) + 1, p%observed)
    tape_bytes = max(tape_bytes, bytes_on_tape())
    call progress_add(3)
    flow = ADTAPE_FLOW_CONTINUE
  end function

  ! Nothing comes between the loop and the cost but the observations, so the first step is like the others.
  function reverse_step(k, first, user) bind(c) result(flow)
    integer(c_int64_t), value :: k
    logical(c_bool), value :: first
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    call cost_of_step_b(p, int(k) + 1)
    call run_step_bwd(p%g, p%f, p%fb, int(k) + 1, p%observedb)
    call progress_add(4)
    flow = ADTAPE_FLOW_CONTINUE
  end function

  function adjoint_step(k, first, user) bind(c) result(flow)
    integer(c_int64_t), value :: k
    logical(c_bool), value :: first
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    flow = record_step(k, user)
    flow = reverse_step(k, first, user)
  end function

  ! ---- the gradient ---------------------------------------------------------------------------------------

  ! cost_and_gradient with so many snapshots; with 0, the tape of every step is kept, as there.
  subroutine cost_and_gradient_by_driver(problem, snapshots, w, j, gradient, r)
    type(fourdvar_t), target, intent(inout) :: problem
    integer, intent(in) :: snapshots
    real(dp), intent(in) :: w(:)
    real(dp), intent(out) :: j, gradient(:)
    type(reversal_t), intent(out) :: r
    type(adtape_driver) :: driver
    type(adtape_schedule) :: schedule
    type(adtape_progress) :: done
    real(dp) :: start
    start = clock_seconds()
    p => problem
    tape_bytes = 0
    r%steps = p%g%steps
    r%snapshots = snapshots
    r%state_bytes = 3*8*p%g%cells
    call driver_create(driver)
    call driver_set_calls(driver, step, adjoint_step, record_step, reverse_step)
    call driver_register(driver, p%f%h)
    call driver_register(driver, p%f%m)
    call driver_register(driver, p%f%n)
    if (snapshots == 0) then
      call schedule_create(schedule, ADTAPE_SCHEDULE_STORE_ALL, r%steps)
    else
      call driver_create_schedule(driver, r%steps, snapshots*r%state_bytes, schedule)
    end if
    p%f%rate%fastest = 0.0_dp
    call set_initial_fwd(p%g, p%f, w)
    call driver_run(driver, schedule, done)
    call set_initial_bwd(p%g, p%f, p%fb, gradient)
    gradient = gradient + w
    r%seconds = clock_seconds() - start
    ! Each step is run once with recording; what the schedule runs beyond that is extra.
    r%extra_steps = done%forward_steps - r%steps
    r%tape_bytes = tape_bytes
    r%snapshot_bytes = done%snapshot_bytes
    call schedule_destroy(schedule)
    call driver_destroy(driver)
    j = cost_of_run(p, w)
    nullify (p)
  end subroutine

end module shallow_water_checkpoints
