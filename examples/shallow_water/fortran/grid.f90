! grid.f90: the channel of model.f90 and its fields.
!
! A field has nx x ny cells and two ghost cells on every side, q(0:nx+3, 0:ny+3); the cells of the channel are
! 2 <= i <= nx+1, 2 <= j <= ny+1. Loops that serve both directions see it as a vector: cell (i, j) is element
! j*row + i, and the neighbours of k are k - stride and k + stride.
module shallow_water_grid
  use shallow_water_support, only: dp
  implicit none
  public

  ! What does not change while the model runs.
  type :: grid_t
    integer :: nx, ny, row, cells      ! row = nx + 4; cells = row (ny + 4), the elements of a field
    integer :: steps, observe_every
    integer :: observed                ! observations: depth, every fourth cell both ways, every observe_every steps
    integer :: controls                ! 3 nx ny: deviations of h, u, v at time 0 from the background, in units of sigma
    real(dp) :: dx, dt
    real(dp) :: gravity = 9.81_dp, coriolis = 1.0e-4_dp, drag = 2.5e-3_dp
    real(dp) :: sigma_h = 0.1_dp, sigma_u = 0.1_dp
    real(dp), allocatable :: h0(:,:), u0(:,:), v0(:,:) ! background: the first guess of the initial state
  end type

  ! Where a part of the channel lies: cells of the whole, and before it.
  type :: part_t
    integer :: whole_nx, whole_ny, x = 0, y = 0
  end type

  ! What a state changes by, and what is needed on the way.
  type :: rate_t
    real(dp), allocatable :: kh(:,:), km(:,:), kn(:,:) ! rate of change
    real(dp), allocatable :: sh(:,:), sm(:,:), sn(:,:) ! half the limited slope in the direction of the sweep
    real(dp) :: fastest = 0                            ! largest signal speed seen, for the CFL check (primal only)
  end type

  ! What changes: one set for the primal, one for its tangent, one for its adjoint.
  type :: fields_t
    real(dp), allocatable :: h(:,:), m(:,:), n(:,:)    ! state
    real(dp), allocatable :: h1(:,:), m1(:,:), n1(:,:) ! after Heun's first stage
    type(rate_t) :: rate
  end type

  real(dp), parameter, private :: pi = 3.14159265358979323846_dp

contains

  ! ---- set-up ---------------------------------------------------------------------------------------

  ! A smooth state; `truth` is that of the twin experiment, else the background. x, y in [0, 1].
  pure subroutine analytic_state(x, y, truth, h, u, v)
    real(dp), intent(in) :: x, y
    logical, intent(in) :: truth
    real(dp), intent(out) :: h, u, v
    real(dp) :: rx, ry, hump, phase
    rx = (x - merge(0.35_dp, 0.40_dp, truth))/0.10_dp
    ry = (y - merge(0.55_dp, 0.45_dp, truth))/0.18_dp
    hump = merge(0.9_dp, 0.5_dp, truth)
    phase = merge(0.4_dp, 0.1_dp, truth)
    h = 10.0_dp + hump*exp(-rx*rx - ry*ry) + 0.10_dp*sin(2.0_dp*pi*x + phase)*cos(pi*y) + 0.05_dp*y
    u = 0.30_dp*cos(pi*y + 0.3_dp) + 0.20_dp*sin(4.0_dp*pi*x + 2.0_dp*phase)
    v = 0.25_dp*sin(pi*y)*cos(2.0_dp*pi*x + phase)
  end subroutine

  ! A grid of nx x ny cells: the whole channel or, for a program on several processes, a part of it.
  subroutine grid_create(g, nx, ny, steps, observe_every, ok, part)
    type(grid_t), intent(out) :: g
    integer, intent(in) :: nx, ny, steps, observe_every
    logical, intent(out) :: ok
    type(part_t), intent(in), optional :: part
    type(part_t) :: own
    integer :: i, j, stat
    own = part_t(nx, ny)
    if (present(part)) own = part
    g%nx = nx
    g%ny = ny
    g%row = nx + 4
    g%cells = g%row*(ny + 4)
    g%steps = steps
    g%observe_every = observe_every
    g%observed = (nx/4)*(ny/4)*(steps/observe_every)
    g%controls = 3*nx*ny
    g%dx = 128.0e3_dp/own%whole_nx
    g%dt = 0.4_dp*g%dx/12.5_dp ! gravity waves of 10.5 m/s on a current of up to 2 m/s
    allocate (g%h0(0:nx+3, 0:ny+3), g%u0(0:nx+3, 0:ny+3), g%v0(0:nx+3, 0:ny+3), stat=stat)
    ok = stat == 0
    if (.not. ok) return
    do j = 0, ny + 3
      do i = 0, nx + 3
        call analytic_state((own%x + i - 1.5_dp)/own%whole_nx, (own%y + j - 1.5_dp)/own%whole_ny, .false., &
                            g%h0(i, j), g%u0(i, j), g%v0(i, j))
      end do
    end do
  end subroutine

  ! All zero.
  subroutine fields_create(g, f, ok)
    type(grid_t), intent(in) :: g
    type(fields_t), intent(out) :: f
    logical, intent(out) :: ok
    integer :: x, y, stat
    x = g%nx + 3
    y = g%ny + 3
    allocate (f%h(0:x, 0:y), f%m(0:x, 0:y), f%n(0:x, 0:y), f%h1(0:x, 0:y), f%m1(0:x, 0:y), f%n1(0:x, 0:y), &
              source=0.0_dp, stat=stat)
    ok = stat == 0
    if (.not. ok) return
    allocate (f%rate%kh(0:x, 0:y), f%rate%km(0:x, 0:y), f%rate%kn(0:x, 0:y), &
              f%rate%sh(0:x, 0:y), f%rate%sm(0:x, 0:y), f%rate%sn(0:x, 0:y), source=0.0_dp, stat=stat)
    ok = stat == 0
  end subroutine

  pure function courant_number(g, f) result(c)
    type(grid_t), intent(in) :: g
    type(fields_t), intent(in) :: f
    real(dp) :: c
    c = f%rate%fastest*g%dt/g%dx
  end function

  ! After run or run_fwd: whether the depth is positive everywhere and the Courant number at most 1/2 in each
  ! direction. False of a NaN, too.
  pure function run_was_valid(g, f) result(valid)
    type(grid_t), intent(in) :: g
    type(fields_t), intent(in) :: f
    logical :: valid
    valid = all(f%h(2:g%nx+1, 2:g%ny+1) > 0.0_dp) .and. courant_number(g, f) <= 0.5_dp
  end function

end module shallow_water_grid
