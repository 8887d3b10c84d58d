! problem.f90: the cost of examples/shallow_water/fortran/fourdvar.f90 and its gradient, on many ranks. Each rank has the
! controls and the observations of its part, and J is a sum over all ranks.
module shallow_water_problem
  use, intrinsic :: iso_c_binding, only: c_int64_t, c_loc
  use mpi_f08
  use adtape
  use adtape_mpi
  use shallow_water_support, only: dp
  use shallow_water_vectors, only: noise
  use shallow_water_domain, only: domain_t
  use shallow_water_experiment, only: experiment_t
  use shallow_water_ghosts, only: halo_create, halo_destroy
  use shallow_water_model
  use shallow_water_adjoint
  implicit none
  private

  public :: problem_create, problem_destroy, cost, cost_and_gradient, whole_control
  public :: cost_of_run, cost_of_run_b, cost_of_step_b ! parts of cost_and_gradient

  type, public :: problem_t
    type(domain_t) :: d
    type(grid_t) :: g
    type(fields_t) :: f, fb                       ! primal, adjoint
    real(dp) :: sigma_o = 0.01_dp
    real(dp), allocatable :: y(:)                 ! observations
    real(dp), allocatable :: observed(:), observedb(:) ! H(w), its adjoint
    real(dp), allocatable :: w(:)         ! controls at which the gradient is taken: half way to the truth, with some noise
    real(dp), allocatable :: direction(:) ! for its test
    ! The part of the cost, its sum over all ranks, and their adjoints, of one element each.
    real(dp) :: part(1) = 0, partb(1) = 0, total(1) = 0, totalb(1) = 0
  end type

contains

  ! ---- what of the whole is here ------------------------------------------------------------------------------------

  ! The place of a control of this part in the vector of the whole channel, both counted from 1.
  pure integer(c_int64_t) function whole_control(p, control)
    type(problem_t), intent(in) :: p
    integer, intent(in) :: control
    integer :: third, c, i, j
    third = p%g%nx*p%g%ny
    c = mod(control - 1, third)
    i = p%d%part%x + mod(c, p%g%nx)
    j = p%d%part%y + c/p%g%nx
    whole_control = (int((control - 1)/third, c_int64_t)*p%d%part%whole_ny + j)*p%d%part%whole_nx + i + 1
  end function

  pure integer(c_int64_t) function whole_observation(p, observation)
    type(problem_t), intent(in) :: p
    integer, intent(in) :: observation
    integer :: row, once, o, i, j, whole_row, whole_once
    row = p%g%nx/4
    once = row*(p%g%ny/4)
    whole_row = p%d%part%whole_nx/4
    whole_once = whole_row*(p%d%part%whole_ny/4)
    o = mod(observation - 1, once)
    i = p%d%part%x/4 + mod(o, row)
    j = p%d%part%y/4 + o/row
    whole_observation = int((observation - 1)/once, c_int64_t)*whole_once + j*whole_row + i + 1
  end function

  ! The control that leads from the background to the truth.
  subroutine set_truth(p, truth)
    type(problem_t), intent(in) :: p
    real(dp), intent(out) :: truth(p%g%nx, p%g%ny, 3)
    integer :: i, j
    real(dp) :: h, u, v
    do j = 2, p%g%ny + 1
      do i = 2, p%g%nx + 1
        call analytic_state((p%d%part%x + i - 1.5_dp)/p%d%part%whole_nx, (p%d%part%y + j - 1.5_dp)/p%d%part%whole_ny, &
                            .true., h, u, v)
        truth(i-1, j-1, 1) = (h - p%g%h0(i, j))/p%g%sigma_h
        truth(i-1, j-1, 2) = (u - p%g%u0(i, j))/p%g%sigma_u
        truth(i-1, j-1, 3) = (v - p%g%v0(i, j))/p%g%sigma_u
      end do
    end do
  end subroutine

  ! The truth, observations of it, and from it the point and the direction. Noise is that of the whole channel.
  subroutine set_experiment(p)
    type(problem_t), intent(inout) :: p
    real(dp), allocatable :: of_all(:)
    integer :: c, o
    call set_truth(p, p%direction)
    call run(p%g, p%f, p%direction, p%observed)
    allocate (of_all((p%g%steps/p%g%observe_every)*(p%d%part%whole_nx/4)*(p%d%part%whole_ny/4)))
    call noise(20261, of_all)
    p%y = p%observed + sqrt(3.0_dp)*p%sigma_o*[(of_all(whole_observation(p, o)), o=1, p%g%observed)]
    deallocate (of_all)
    allocate (of_all(3*p%d%part%whole_nx*p%d%part%whole_ny))
    call noise(1, of_all)
    p%w = 0.5_dp*p%direction + 0.01_dp*[(of_all(whole_control(p, c)), c=1, p%g%controls)]
    call noise(2, of_all)
    p%direction = p%direction + 0.1_dp*[(of_all(whole_control(p, c)), c=1, p%g%controls)]
  end subroutine

  ! ---- creation -----------------------------------------------------------------------------------------------------

  ! Says where a field is that is sent, and where its adjoint is.
  subroutine register_field(q, qb, label)
    real(dp), intent(inout), target, contiguous :: q(:,:), qb(:,:)
    character(*), intent(in) :: label
    call live_add(q, ADTAPE_KIND_HEAP, label)
    call live_set_adjoint(q, qb)
  end subroutine

  ! Collective; p%d is made.
  subroutine problem_create(p, e, ok)
    type(problem_t), target, intent(inout) :: p
    type(experiment_t), intent(in) :: e
    logical, intent(out) :: ok
    integer :: stat
    call grid_create(p%g, p%d%nx, p%d%ny, e%steps, e%observe_every, ok, p%d%part)
    if (ok) call fields_create(p%g, p%f, ok)
    if (ok) call fields_create(p%g, p%fb, ok)
    if (.not. ok) return
    allocate (p%y(p%g%observed), p%observed(p%g%observed), p%observedb(p%g%observed), p%w(p%g%controls), &
              p%direction(p%g%controls), stat=stat)
    ok = stat == 0
    if (.not. ok) return
    call halo_create(p%d, p%g)
    call register_field(p%f%h, p%fb%h, 'h')
    call register_field(p%f%m, p%fb%m, 'm')
    call register_field(p%f%n, p%fb%n, 'n')
    call register_field(p%f%h1, p%fb%h1, 'h1')
    call register_field(p%f%m1, p%fb%m1, 'm1')
    call register_field(p%f%n1, p%fb%n1, 'n1')
    call live_add(p%part, ADTAPE_KIND_STATIC, 'part of the cost')
    call live_set_adjoint(p%part, p%partb)
    call live_add(p%total, ADTAPE_KIND_STATIC, 'cost')
    call live_set_adjoint(p%total, p%totalb)
    call set_experiment(p)
  end subroutine

  subroutine problem_destroy(p)
    type(problem_t), target, intent(inout) :: p
    call live_remove(c_loc(p%f%h))
    call live_remove(c_loc(p%f%m))
    call live_remove(c_loc(p%f%n))
    call live_remove(c_loc(p%f%h1))
    call live_remove(c_loc(p%f%m1))
    call live_remove(c_loc(p%f%n1))
    call live_remove(c_loc(p%part))
    call live_remove(c_loc(p%total))
    call halo_destroy()
  end subroutine

  ! ---- cost and gradient --------------------------------------------------------------------------------------------

  function part_of_cost(p, w) result(j)
    type(problem_t), intent(in) :: p
    real(dp), intent(in) :: w(:)
    real(dp) :: j, misfit, d
    integer :: o
    misfit = 0.0_dp
    do o = 1, p%g%observed
      d = (p%observed(o) - p%y(o))/p%sigma_o
      misfit = misfit + d*d
    end do
    j = 0.5_dp*dot_product(w, w) + 0.5_dp*misfit
  end function

  ! J(x). Collective, as what follows.
  function cost(p, x) result(j)
    type(problem_t), intent(inout) :: p
    real(dp), intent(in) :: x(:)
    real(dp) :: j
    call run(p%g, p%f, x, p%observed)
    call MPI_Allreduce(part_of_cost(p, x), j, 1, MPI_DOUBLE_PRECISION, MPI_SUM, p%d%comm)
  end function

  ! J(w) from what was observed.
  subroutine cost_of_run(p)
    type(problem_t), target, intent(inout) :: p
    p%part = part_of_cost(p, p%w)
    call adtape_MPI_Allreduce(p%part, p%total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, p%d%comm)
  end subroutine

  ! Each rank has the cost; it is one of these that is differentiated.
  subroutine cost_of_run_b(p)
    type(problem_t), target, intent(inout) :: p
    p%totalb = merge(1.0_dp, 0.0_dp, p%d%rank == 0)
    p%partb = 0.0_dp
    call adtape_MPI_Allreduce_b()
  end subroutine

  ! The derivative of J by what was observed at the end of a step, if anything was.
  subroutine cost_of_step_b(p, step)
    type(problem_t), intent(inout) :: p
    integer, intent(in) :: step
    integer :: first, last
    if (mod(step, p%g%observe_every) /= 0) return
    first = first_observation(p%g, step)
    last = first + (p%g%nx/4)*(p%g%ny/4) - 1
    p%observedb(first:last) = p%partb(1)*(p%observed(first:last) - p%y(first:last))/(p%sigma_o*p%sigma_o)
  end subroutine

  ! J(w) and its gradient, with the tape of all steps.
  subroutine cost_and_gradient(p, j, gradient)
    type(problem_t), target, intent(inout) :: p
    real(dp), intent(out) :: j, gradient(:)
    integer :: step
    call run_fwd(p%g, p%f, p%w, p%observed)
    call cost_of_run(p)
    call cost_of_run_b(p)
    do step = 1, p%g%steps
      call cost_of_step_b(p, step)
    end do
    call run_bwd(p%g, p%f, p%fb, gradient, p%observedb)
    gradient = gradient + p%partb(1)*p%w
    j = p%total(1)
  end subroutine

end module shallow_water_problem
