! fourdvar.f90: variational data assimilation with the model, on synthetic observations (an identical twin: the
! model run from the truth gives them, so that the answer is known), and the tests of its derivatives.
!
!   J(w) = 1/2 |w|^2 + 1/2 |(H(w) - y) / sigma_o|^2
!
! w: controls, the deviation of the initial state from the background in units of its standard deviation;
! H: initial state, model, observation (run); y: observations.
module shallow_water_fourdvar
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  use adtape
  use shallow_water_support, only: dp, clock_seconds, fail
  use shallow_water_vectors, only: noise
  use shallow_water_model
  use shallow_water_tangent
  use shallow_water_adjoint
  implicit none
  private

  public :: fourdvar_create, cost, cost_and_gradient, taylor_test, dot_product_test, error_of_state
  public :: cost_of_run, cost_of_step_b, bytes_on_tape ! parts of cost_and_gradient

  integer, parameter, public :: taylor_steps = 12

  type, public :: fourdvar_t
    type(grid_t) :: g
    type(fields_t) :: f, fb             ! primal, adjoint
    real(dp) :: sigma_o = 0.01_dp
    real(dp), allocatable :: y(:)        ! observations
    real(dp), allocatable :: truth(:)    ! the control that the observations come from
    real(dp), allocatable :: observed(:) ! H(w)
    real(dp), allocatable :: observedb(:)
    ! what the evaluations took: the least of all, and the first, in which the tape's memory is new
    integer :: gradients = 0
    real(dp) :: primal_seconds = huge(1.0_dp), forward_seconds = huge(1.0_dp), reverse_seconds = huge(1.0_dp)
    real(dp) :: first_forward_seconds = 0
    integer(c_int64_t) :: tape_bytes = 0 ! on the tape between forward and reverse sweep
  end type

  ! What a test of derivatives is about, while it runs.
  type(fourdvar_t), pointer :: tested => null()
  type(fields_t) :: tested_fd
  real(dp), allocatable :: tested_w(:)

contains

  ! The problem and its observations.
  subroutine fourdvar_create(p, nx, ny, steps, observe_every, ok)
    type(fourdvar_t), intent(out) :: p
    integer, intent(in) :: nx, ny, steps, observe_every
    logical, intent(out) :: ok
    integer :: stat
    call grid_create(p%g, nx, ny, steps, observe_every, ok)
    if (ok) call fields_create(p%g, p%f, ok)
    if (ok) call fields_create(p%g, p%fb, ok)
    if (.not. ok) return
    allocate (p%y(p%g%observed), p%observed(p%g%observed), p%observedb(p%g%observed), p%truth(p%g%controls), stat=stat)
    ok = stat == 0
    if (.not. ok) return
    call set_truth(p%g, p%truth)
    call run(p%g, p%f, p%truth, p%observed)
    call noise(20261, p%y)
    p%y = p%observed + sqrt(3.0_dp)*p%sigma_o*p%y ! of standard deviation sigma_o
  end subroutine

  ! The control that leads from the background to the truth.
  subroutine set_truth(g, truth)
    type(grid_t), intent(in) :: g
    real(dp), intent(out) :: truth(g%nx, g%ny, 3)
    integer :: i, j
    real(dp) :: h, u, v
    do j = 2, g%ny + 1
      do i = 2, g%nx + 1
        call analytic_state((i - 1.5_dp)/g%nx, (j - 1.5_dp)/g%ny, .true., h, u, v)
        truth(i-1, j-1, 1) = (h - g%h0(i, j))/g%sigma_h
        truth(i-1, j-1, 2) = (u - g%u0(i, j))/g%sigma_u
        truth(i-1, j-1, 3) = (v - g%v0(i, j))/g%sigma_u
      end do
    end do
  end subroutine

  ! J(w); huge if the model left the region where it is valid.
  subroutine cost(p, w, j)
    type(fourdvar_t), intent(inout) :: p
    real(dp), intent(in) :: w(:)
    real(dp), intent(out) :: j
    real(dp) :: start
    start = clock_seconds()
    call run(p%g, p%f, w, p%observed)
    p%primal_seconds = min(p%primal_seconds, clock_seconds() - start)
    j = huge(j)
    if (run_was_valid(p%g, p%f)) j = cost_of_run(p, w)
  end subroutine

  ! The same and the gradient: forward sweep, reverse sweep.
  subroutine cost_and_gradient(p, w, j, gradient)
    type(fourdvar_t), intent(inout) :: p
    real(dp), intent(in) :: w(:)
    real(dp), intent(out) :: j, gradient(:)
    real(dp) :: start, turn
    type(adtape_mark) :: mark
    start = clock_seconds()
    call mark_take(mark)
    call run_fwd(p%g, p%f, w, p%observed)
    turn = clock_seconds()
    if (.not. run_was_valid(p%g, p%f)) then
      call mark_reset(mark) ! nothing is to be reversed
      gradient = 0.0_dp
      j = huge(j)
      return
    end if
    if (p%gradients == 0) p%first_forward_seconds = turn - start
    p%gradients = p%gradients + 1
    p%forward_seconds = min(p%forward_seconds, turn - start)
    p%tape_bytes = bytes_on_tape()
    j = cost_of_run(p, w)
    call cost_of_run_b(p, 1, p%g%observed)
    turn = clock_seconds()
    call reverse(p, gradient)
    p%reverse_seconds = min(p%reverse_seconds, clock_seconds() - turn)
    gradient = gradient + w
  end subroutine

  ! J from the controls and from what was observed.
  function cost_of_run(p, w) result(j)
    type(fourdvar_t), intent(in) :: p
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

  ! The derivative of J by some of the observations.
  subroutine cost_of_run_b(p, first, last)
    type(fourdvar_t), intent(inout) :: p
    integer, intent(in) :: first, last
    p%observedb(first:last) = (p%observed(first:last) - p%y(first:last))/(p%sigma_o*p%sigma_o)
  end subroutine

  ! The derivative of J by what was observed at the end of a step, if anything was.
  subroutine cost_of_step_b(p, step)
    type(fourdvar_t), intent(inout) :: p
    integer, intent(in) :: step
    integer :: first
    if (mod(step, p%g%observe_every) /= 0) return
    first = first_observation(p%g, step)
    call cost_of_run_b(p, first, first + (p%g%nx/4)*(p%g%ny/4) - 1)
  end subroutine

  ! Reverses the run that run_fwd recorded; takes p%observedb.
  subroutine reverse(p, gradient)
    type(fourdvar_t), intent(inout) :: p
    real(dp), intent(out) :: gradient(:)
    call run_bwd(p%g, p%f, p%fb, gradient, p%observedb)
    if (bytes_on_tape() /= 0) call fail('values are left on the tape after the reverse sweep')
  end subroutine

  function bytes_on_tape() result(bytes)
    integer(c_int64_t) :: bytes
    type(adtape_stats) :: stats
    call tape_stats(stats)
    bytes = stats%bytes + (stats%pending_bits + 7)/8
  end function

  ! ---- the tests of the derivatives are the library's: these are what it calls ----------------------------------------

  function cost_call(w) result(j)
    real(c_double), intent(in) :: w(:)
    real(c_double) :: j
    call cost(tested, w, j)
  end function

  subroutine tangent_call(d, observedd)
    real(c_double), intent(in) :: d(:)
    real(c_double), intent(inout) :: observedd(:)
    call run_d(tested%g, tested%f, tested_fd, tested_w, d, tested%observed, observedd)
  end subroutine

  subroutine adjoint_call(y, wb)
    real(c_double), intent(in) :: y(:)
    real(c_double), intent(inout) :: wb(:)
    call run_fwd(tested%g, tested%f, tested_w, tested%observed)
    tested%observedb = y
    call reverse(tested, wb)
  end subroutine

  ! The gradient at w against J in the direction d.
  subroutine taylor_test(p, w, d, report)
    type(fourdvar_t), target, intent(inout) :: p
    real(dp), intent(in) :: w(:), d(:)
    type(adtape_test_report), intent(out) :: report
    real(dp), allocatable :: gradient(:)
    real(dp) :: j
    allocate (gradient(size(w)))
    call cost_and_gradient(p, w, j, gradient)
    tested => p
    ! The first step is so large that rounding is far away. Some of the cells lie at a kink: see README.md.
    call test_gradient(cost_call, w, report, gradient, direction=d, first_step=0.1_dp, tolerance=1e-6_dp, &
                       steps=taylor_steps, search_runs=-1)
    nullify (tested)
  end subroutine

  ! (y, H' d) by the tangent program and (H'^T y, d) by the adjoint, for a random y.
  subroutine dot_product_test(p, w, d, report)
    type(fourdvar_t), target, intent(inout) :: p
    real(dp), intent(in) :: w(:), d(:)
    type(adtape_test_report), intent(out) :: report
    real(dp), allocatable :: y(:)
    logical :: ok
    call fields_create(p%g, tested_fd, ok)
    if (.not. ok) call fail('no memory for the tangent program')
    allocate (y(p%g%observed))
    call noise(4711, y)
    tested => p
    tested_w = w
    call test_dot(tangent_call, adjoint_call, w, y, report, direction=d, weights=y, search_runs=-1)
    nullify (tested)
    deallocate (tested_w)
  end subroutine

  ! Root mean square error of the initial depth (m) and of the initial velocity vector (m/s) against the truth.
  subroutine error_of_state(p, w, depth, velocity)
    type(fourdvar_t), intent(in) :: p
    real(dp), intent(in) :: w(:)
    real(dp), intent(out) :: depth, velocity
    integer :: third
    third = size(w)/3
    depth = p%g%sigma_h*sqrt(sum((w(:third) - p%truth(:third))**2)/third)
    velocity = p%g%sigma_u*sqrt(sum((w(third+1:) - p%truth(third+1:))**2)/third)
  end subroutine

end module shallow_water_fourdvar
