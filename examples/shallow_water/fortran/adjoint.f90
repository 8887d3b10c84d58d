! adjoint.f90: forward and reverse sweep of model.f90: the step, the initial state, the observations, the time
! loop. The loops over the grid are in adjoint_loops.f90, where the style is explained.
module shallow_water_adjoint
  use adtape
  use shallow_water_support, only: dp, progress_add
  use shallow_water_ghosts, only: fill_ghosts_fwd, fill_ghosts_b
  use shallow_water_model
  use shallow_water_adjoint_loops
  implicit none
  private

  public :: run_fwd, run_bwd
  ! What they consist of: the initial state, and one step of the time loop.
  public :: set_initial_fwd, run_step_fwd, run_step_bwd, set_initial_bwd

contains

  ! ---- a step -----------------------------------------------------------------------------------------

  subroutine rate_of_change_fwd(g, h, m, n, p)
    type(grid_t), intent(in) :: g
    real(dp), intent(inout), dimension(0:g%nx+3, 0:g%ny+3) :: h, m, n
    type(rate_t), intent(inout) :: p
    call fill_ghosts_fwd(g, h, 1.0_dp)
    call fill_ghosts_fwd(g, m, 1.0_dp)
    call fill_ghosts_fwd(g, n, -1.0_dp)
    p%kh = 0.0_dp
    p%km = 0.0_dp
    p%kn = 0.0_dp
    call limited_slopes_fwd(g, 1, h, p%sh)
    call limited_slopes_fwd(g, 1, m, p%sm)
    call limited_slopes_fwd(g, 1, n, p%sn)
    call add_fluxes_fwd(g, 1, h, m, n, p%sh, p%sm, p%sn, p%kh, p%km, p%kn, p%fastest)
    call limited_slopes_fwd(g, g%row, h, p%sh)
    call limited_slopes_fwd(g, g%row, n, p%sn)
    call limited_slopes_fwd(g, g%row, m, p%sm)
    call add_fluxes_fwd(g, g%row, h, n, m, p%sh, p%sn, p%sm, p%kh, p%kn, p%km, p%fastest)
    call add_forces_fwd(g, h, m, n, p%km, p%kn)
  end subroutine

  subroutine rate_of_change_bwd(g, h, hb, mb, nb, pb)
    type(grid_t), intent(in) :: g
    real(dp), intent(in) :: h(0:g%nx+3, 0:g%ny+3)
    real(dp), intent(inout), dimension(0:g%nx+3, 0:g%ny+3) :: hb, mb, nb
    type(rate_t), intent(inout) :: pb
    call add_forces_bwd(g, h, hb, mb, nb, pb%km, pb%kn)
    call add_fluxes_bwd(g, g%row, hb, nb, mb, pb%sh, pb%sn, pb%sm, pb%kh, pb%kn, pb%km)
    call limited_slopes_bwd(g, g%row, mb, pb%sm)
    call limited_slopes_bwd(g, g%row, nb, pb%sn)
    call limited_slopes_bwd(g, g%row, hb, pb%sh)
    call add_fluxes_bwd(g, 1, hb, mb, nb, pb%sh, pb%sm, pb%sn, pb%kh, pb%km, pb%kn)
    call limited_slopes_bwd(g, 1, nb, pb%sn)
    call limited_slopes_bwd(g, 1, mb, pb%sm)
    call limited_slopes_bwd(g, 1, hb, pb%sh)
    pb%kn = 0.0_dp
    pb%km = 0.0_dp
    pb%kh = 0.0_dp
    call fill_ghosts_b(g, nb, -1.0_dp)
    call fill_ghosts_b(g, mb, 1.0_dp)
    call fill_ghosts_b(g, hb, 1.0_dp)
  end subroutine

  ! The fields are pushed without their ghost cells: sections that are not contiguous, without a copy.
  subroutine one_step_fwd(g, f)
    type(grid_t), intent(in) :: g
    type(fields_t), intent(inout) :: f
    call rate_of_change_fwd(g, f%h, f%m, f%n, f%rate)
    call push(f%h1(2:g%nx+1, 2:g%ny+1))
    call first_stage(g, f)
    call rate_of_change_fwd(g, f%h1, f%m1, f%n1, f%rate)
    call push(f%h(2:g%nx+1, 2:g%ny+1))
    call second_stage(g, f)
  end subroutine

  subroutine one_step_bwd(g, f, fb)
    type(grid_t), intent(in) :: g
    type(fields_t), intent(inout) :: f, fb
    fb%h = 0.5_dp*fb%h
    fb%m = 0.5_dp*fb%m
    fb%n = 0.5_dp*fb%n
    fb%h1 = fb%h1 + fb%h
    fb%m1 = fb%m1 + fb%m
    fb%n1 = fb%n1 + fb%n
    fb%rate%kh = fb%rate%kh + g%dt*fb%h
    fb%rate%km = fb%rate%km + g%dt*fb%m
    fb%rate%kn = fb%rate%kn + g%dt*fb%n
    call pop(f%h(2:g%nx+1, 2:g%ny+1))
    call rate_of_change_bwd(g, f%h1, fb%h1, fb%m1, fb%n1, fb%rate)
    fb%h = fb%h + fb%h1
    fb%m = fb%m + fb%m1
    fb%n = fb%n + fb%n1
    fb%rate%kh = fb%rate%kh + g%dt*fb%h1
    fb%rate%km = fb%rate%km + g%dt*fb%m1
    fb%rate%kn = fb%rate%kn + g%dt*fb%n1
    fb%h1 = 0.0_dp
    fb%m1 = 0.0_dp
    fb%n1 = 0.0_dp
    call pop(f%h1(2:g%nx+1, 2:g%ny+1))
    call rate_of_change_bwd(g, f%h, fb%h, fb%m, fb%n, fb%rate)
  end subroutine

  ! ---- initial state, observations, time loop -----------------------------------------------------------

  subroutine set_initial_fwd(g, f, w)
    type(grid_t), intent(in) :: g
    type(fields_t), intent(inout) :: f
    real(dp), intent(in) :: w(g%nx, g%ny, 3)
    integer :: i, j
    real(dp) :: u, v
    u = 0.0_dp; v = 0.0_dp
    do j = 2, g%ny + 1
      do i = 2, g%nx + 1
        call push(u)
        u = g%u0(i, j) + g%sigma_u*w(i-1, j-1, 2)
        call push(v)
        v = g%v0(i, j) + g%sigma_u*w(i-1, j-1, 3)
        f%h(i, j) = g%h0(i, j) + g%sigma_h*w(i-1, j-1, 1)
        f%m(i, j) = f%h(i, j)*u
        f%n(i, j) = f%h(i, j)*v
      end do
    end do
    call push(u)
    call push(v)
  end subroutine

  subroutine set_initial_bwd(g, f, fb, wb)
    type(grid_t), intent(in) :: g
    type(fields_t), intent(in) :: f
    type(fields_t), intent(inout) :: fb
    real(dp), intent(out) :: wb(g%nx, g%ny, 3)
    integer :: i, j
    real(dp) :: u, v
    call pop(v)
    call pop(u)
    do j = g%ny + 1, 2, -1
      do i = g%nx + 1, 2, -1
        fb%h(i, j) = fb%h(i, j) + (u*fb%m(i, j) + v*fb%n(i, j))
        wb(i-1, j-1, 1) = g%sigma_h*fb%h(i, j)
        wb(i-1, j-1, 3) = g%sigma_u*f%h(i, j)*fb%n(i, j)
        call pop(v)
        wb(i-1, j-1, 2) = g%sigma_u*f%h(i, j)*fb%m(i, j)
        call pop(u)
        fb%h(i, j) = 0.0_dp
        fb%m(i, j) = 0.0_dp
        fb%n(i, j) = 0.0_dp
      end do
    end do
  end subroutine

  subroutine observe_b(g, hb, observedb)
    type(grid_t), intent(in) :: g
    real(dp), intent(inout) :: hb(0:g%nx+3, 0:g%ny+3)
    real(dp), intent(inout) :: observedb(g%nx/4, g%ny/4)
    hb(4:g%nx:4, 4:g%ny:4) = hb(4:g%nx:4, 4:g%ny:4) + observedb
    observedb = 0.0_dp
  end subroutine

  subroutine run_step_fwd(g, f, step, observed)
    type(grid_t), intent(in) :: g
    type(fields_t), intent(inout) :: f
    integer, intent(in) :: step
    real(dp), intent(inout) :: observed(g%observed)
    call one_step_fwd(g, f)
    if (mod(step, g%observe_every) == 0) call observe(g, f%h, observed(first_observation(g, step)))
  end subroutine

  subroutine run_step_bwd(g, f, fb, step, observedb)
    type(grid_t), intent(in) :: g
    type(fields_t), intent(inout) :: f, fb
    integer, intent(in) :: step
    real(dp), intent(inout) :: observedb(g%observed)
    if (mod(step, g%observe_every) == 0) call observe_b(g, fb%h, observedb(first_observation(g, step)))
    call one_step_bwd(g, f, fb)
  end subroutine

  ! Forward sweep of run.
  subroutine run_fwd(g, f, w, observed)
    type(grid_t), intent(in) :: g
    type(fields_t), intent(inout) :: f
    real(dp), intent(in) :: w(g%controls)
    real(dp), intent(inout) :: observed(g%observed)
    integer :: step
    f%rate%fastest = 0.0_dp
    call set_initial_fwd(g, f, w)
    do step = 1, g%steps
      call run_step_fwd(g, f, step, observed)
      call progress_add(3)
    end do
  end subroutine

  ! Reverse sweep of run. Takes observedb, the derivative of something by `observed`; gives wb, its derivative by
  ! w. fb: all zero before and after.
  subroutine run_bwd(g, f, fb, wb, observedb)
    type(grid_t), intent(in) :: g
    type(fields_t), intent(inout) :: f, fb
    real(dp), intent(out) :: wb(g%controls)
    real(dp), intent(inout) :: observedb(g%observed)
    integer :: step
    do step = g%steps, 1, -1
      call run_step_bwd(g, f, fb, step, observedb)
      call progress_add(4)
    end do
    call set_initial_bwd(g, f, fb, wb)
  end subroutine

end module shallow_water_adjoint
