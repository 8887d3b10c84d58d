! by_driver.f90: the cost and its gradient with a few checkpoints, by one schedule on all ranks. Killed on whatever rank
! and started again, with a directory, it goes on.
module shallow_water_by_driver
  use, intrinsic :: iso_c_binding
  use adtape
  use adtape_mpi_run
  use shallow_water_support, only: dp
  use shallow_water_model
  use shallow_water_adjoint
  use shallow_water_problem
  implicit none
  private

  public :: cost_and_gradient_by_driver

  ! What the driver's functions work on.
  type(problem_t), pointer :: p => null()

contains

  ! ---- the time loop: the driver counts steps from 0, the model from 1 ----------------------------------------------

  function step(k, user) bind(c) result(flow)
    integer(c_int64_t), value :: k
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    call run_step(p%g, p%f, int(k) + 1, p%observed)
    flow = ADTAPE_FLOW_CONTINUE
  end function

  ! Behind the loop's last step comes the cost.
  function adjoint_step(k, first, user) bind(c) result(flow)
    integer(c_int64_t), value :: k
    logical(c_bool), value :: first
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    call run_step_fwd(p%g, p%f, int(k) + 1, p%observed)
    if (first) then
      call cost_of_run(p)
      call cost_of_run_b(p)
    end if
    call cost_of_step_b(p, int(k) + 1)
    call run_step_bwd(p%g, p%f, p%fb, int(k) + 1, p%observedb)
    flow = ADTAPE_FLOW_CONTINUE
  end function

  ! ---- the gradient -------------------------------------------------------------------------------------------------

  ! All of what one step hands to the next, and all that adjoint steps compute.
  subroutine register_variables(driver)
    type(adtape_driver), intent(in) :: driver
    call driver_register(driver, p%f%h)
    call driver_register(driver, p%f%m)
    call driver_register(driver, p%f%n)
    call driver_register_adjoint(driver, p%fb%h)
    call driver_register_adjoint(driver, p%fb%m)
    call driver_register_adjoint(driver, p%fb%n)
    call driver_register_adjoint(driver, p%observed, 'observed')
    call driver_register_adjoint(driver, p%total, 'cost')
    call driver_register_adjoint(driver, p%partb, 'seed')
  end subroutine

  ! J(w) and its gradient with so many checkpoints: in memory, or in files of a directory, where a run that was killed
  ! goes on.
  subroutine cost_and_gradient_by_driver(problem, checkpoints, j, gradient, done, directory)
    type(problem_t), target, intent(inout) :: problem
    integer, intent(in) :: checkpoints
    real(dp), intent(out) :: j, gradient(:)
    type(adtape_progress), target, intent(out) :: done
    character(*), intent(in), optional :: directory
    type(adtape_driver) :: driver
    type(adtape_mpi_driver) :: all
    type(adtape_schedule) :: schedule
    type(adtape_store) :: files
    integer(c_int64_t) :: steps
    p => problem
    steps = p%g%steps
    call driver_create(driver)
    call register_variables(driver)
    call adtape_mpi_driver_create(p%d%comm, driver%handle, all, step, adjoint_step, show_progress=present(directory))
    if (present(directory)) then
      call schedule_create(schedule, ADTAPE_SCHEDULE_BINOMIAL, steps, disk_snapshots=int(checkpoints, c_int64_t))
      call adtape_mpi_store_create_files(p%d%comm, directory, 'shallow_water', files%handle)
      call adtape_mpi_driver_set_store(all, files%handle, 'point', 0.0_dp) ! a point behind each step
    else
      call adtape_mpi_driver_create_schedule(all, steps, 3_c_int64_t*8*checkpoints*p%g%cells, schedule%handle)
    end if
    call set_initial_fwd(p%g, p%f, p%w)
    call adtape_mpi_driver_run(all, schedule%handle, c_loc(done))
    call set_initial_bwd(p%g, p%f, p%fb, gradient)
    gradient = gradient + p%partb(1)*p%w
    j = p%total(1)
    call schedule_destroy(schedule)
    call adtape_mpi_driver_destroy(all) ! and with it the point
    call driver_destroy(driver)
    if (present(directory)) call store_destroy(files)
    nullify (p)
  end subroutine

end module shallow_water_by_driver
