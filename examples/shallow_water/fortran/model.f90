! model.f90: the primal: a shallow-water model in a channel that is periodic in x and has walls in y;
!   h_t + m_x + n_y = 0,   m_t + (m u + g h^2/2)_x + (m v)_y =  f n - c |(u,v)| u,   n likewise,
! for the depth h and the momenta m = h u, n = h v, by finite volumes: limited (minmod) linear reconstruction,
! upwinded fluxes (Rusanov; the transverse velocity comes from the side the water comes from), Heun's two stages
! in time.
!
! Names of derivative code, as generators give them:
!   x     a variable of the primal          run        the primal
!   xd    its tangent                       run_d      tangent program: primal and tangent
!   xb    its adjoint                       run_fwd    forward sweep: primal, pushes what it overwrites
!                                           run_bwd    reverse sweep: pops, accumulates adjoints
!
! A field has nx x ny cells and two ghost cells on every side, q(0:nx+3, 0:ny+3); the cells of the channel are
! 2 <= i <= nx+1, 2 <= j <= ny+1. Loops that serve both directions see it as a vector: cell (i, j) is element
! j*row + i, and the neighbours of k are k - stride and k + stride.
module shallow_water_model
  use shallow_water_support, only: dp, progress_add
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

  subroutine grid_create(g, nx, ny, steps, observe_every, ok)
    type(grid_t), intent(out) :: g
    integer, intent(in) :: nx, ny, steps, observe_every
    logical, intent(out) :: ok
    integer :: i, j, stat
    g%nx = nx
    g%ny = ny
    g%row = nx + 4
    g%cells = g%row*(ny + 4)
    g%steps = steps
    g%observe_every = observe_every
    g%observed = (nx/4)*(ny/4)*(steps/observe_every)
    g%controls = 3*nx*ny
    g%dx = 128.0e3_dp/nx
    g%dt = 0.4_dp*g%dx/12.5_dp ! gravity waves of 10.5 m/s on a current of up to 2 m/s
    allocate (g%h0(0:nx+3, 0:ny+3), g%u0(0:nx+3, 0:ny+3), g%v0(0:nx+3, 0:ny+3), stat=stat)
    ok = stat == 0
    if (.not. ok) return
    do j = 0, ny + 3
      do i = 0, nx + 3
        call analytic_state((i - 1.5_dp)/nx, (j - 1.5_dp)/ny, .false., g%h0(i, j), g%u0(i, j), g%v0(i, j))
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

  ! ---- the model --------------------------------------------------------------------------------------

  ! Periodic in x; in y the mirror image, with wall_sign -1 for the momentum across the wall.
  subroutine fill_ghosts(g, q, wall_sign)
    type(grid_t), intent(in) :: g
    real(dp), intent(inout) :: q(0:g%nx+3, 0:g%ny+3)
    real(dp), intent(in) :: wall_sign
    integer :: i, j, nx, ny
    nx = g%nx
    ny = g%ny
    do j = 2, ny + 1
      q(0, j) = q(nx, j)
      q(1, j) = q(nx+1, j)
      q(nx+2, j) = q(2, j)
      q(nx+3, j) = q(3, j)
    end do
    do i = 2, nx + 1
      q(i, 0) = wall_sign*q(i, 3)
      q(i, 1) = wall_sign*q(i, 2)
      q(i, ny+2) = wall_sign*q(i, ny+1)
      q(i, ny+3) = wall_sign*q(i, ny)
    end do
  end subroutine

  ! s: half the minmod slope of q along the direction in which neighbours are `stride` elements apart.
  subroutine limited_slopes(g, stride, q, s)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: stride
    real(dp), intent(in) :: q(0:g%cells-1)
    real(dp), intent(inout) :: s(0:g%cells-1)
    integer :: i, j, k, over_x, over_y
    real(dp) :: left, right
    over_x = merge(1, 0, stride == 1)
    over_y = 1 - over_x
    do j = 2 - over_y, g%ny + 1 + over_y
      do i = 2 - over_x, g%nx + 1 + over_x
        k = j*g%row + i
        left = q(k) - q(k-stride)
        right = q(k+stride) - q(k)
        if (left > 0.0_dp .and. right > 0.0_dp) then
          s(k) = 0.5_dp*min(left, right)
        else if (left < 0.0_dp .and. right < 0.0_dp) then
          s(k) = 0.5_dp*max(left, right)
        else
          s(k) = 0.0_dp
        end if
      end do
    end do
  end subroutine

  ! Adds what flows through the faces across one direction to kh, kq, kr. q: momentum in that direction, r: the
  ! other one; sh, sq, sr their half slopes. The face k lies between the cells a = k - stride and k; l and r at
  ! the end of a name are its two sides.
  subroutine add_fluxes(g, stride, h, q, r, sh, sq, sr, kh, kq, kr, fastest)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: stride
    real(dp), intent(in), dimension(0:g%cells-1) :: h, q, r, sh, sq, sr
    real(dp), intent(inout), dimension(0:g%cells-1) :: kh, kq, kr
    real(dp), intent(inout) :: fastest
    integer :: i, j, k, a, over_x, over_y
    real(dp) :: rdx, hl, hr, ql, qr, ul, ur, cl, cr, speed, fh, fq, fr, v
    over_x = merge(1, 0, stride == 1)
    over_y = 1 - over_x
    rdx = 1.0_dp/g%dx
    do j = 2, g%ny + 1 + over_y
      do i = 2, g%nx + 1 + over_x
        k = j*g%row + i
        a = k - stride
        hl = h(a) + sh(a)
        hr = h(k) - sh(k)
        ql = q(a) + sq(a)
        qr = q(k) - sq(k)
        ul = ql/hl
        ur = qr/hr
        cl = sqrt(g%gravity*hl)
        cr = sqrt(g%gravity*hr)
        if (abs(ul) + cl > abs(ur) + cr) then
          if (ul >= 0.0_dp) then
            speed = cl + ul
          else
            speed = cl - ul
          end if
        else
          if (ur >= 0.0_dp) then
            speed = cr + ur
          else
            speed = cr - ur
          end if
        end if
        fh = 0.5_dp*(ql + qr - speed*(hr - hl))
        fq = 0.5_dp*(ql*ul + qr*ur + 0.5_dp*g%gravity*(hl*hl + hr*hr) - speed*(qr - ql))
        if (fh >= 0.0_dp) then
          v = (r(a) + sr(a))/hl
        else
          v = (r(k) - sr(k))/hr
        end if
        fr = fh*v
        kh(a) = kh(a) - rdx*fh
        kh(k) = kh(k) + rdx*fh
        kq(a) = kq(a) - rdx*fq
        kq(k) = kq(k) + rdx*fq
        kr(a) = kr(a) - rdx*fr
        kr(k) = kr(k) + rdx*fr
        fastest = max(fastest, speed)
      end do
    end do
  end subroutine

  ! Adds rotation and bottom friction.
  subroutine add_forces(g, h, m, n, km, kn)
    type(grid_t), intent(in) :: g
    real(dp), intent(in), dimension(0:g%nx+3, 0:g%ny+3) :: h, m, n
    real(dp), intent(inout), dimension(0:g%nx+3, 0:g%ny+3) :: km, kn
    integer :: i, j
    real(dp) :: u, v, square, speed
    do j = 2, g%ny + 1
      do i = 2, g%nx + 1
        u = m(i, j)/h(i, j)
        v = n(i, j)/h(i, j)
        square = u*u + v*v
        if (square > 0.0_dp) then
          speed = sqrt(square)
          km(i, j) = km(i, j) - g%drag*speed*u
          kn(i, j) = kn(i, j) - g%drag*speed*v
        end if
        km(i, j) = km(i, j) + g%coriolis*n(i, j)
        kn(i, j) = kn(i, j) - g%coriolis*m(i, j)
      end do
    end do
  end subroutine

  ! p: the rate of change of the state (h, m, n).
  subroutine rate_of_change(g, h, m, n, p)
    type(grid_t), intent(in) :: g
    real(dp), intent(inout), dimension(0:g%nx+3, 0:g%ny+3) :: h, m, n
    type(rate_t), intent(inout) :: p
    call fill_ghosts(g, h, 1.0_dp)
    call fill_ghosts(g, m, 1.0_dp)
    call fill_ghosts(g, n, -1.0_dp)
    p%kh = 0.0_dp
    p%km = 0.0_dp
    p%kn = 0.0_dp
    call limited_slopes(g, 1, h, p%sh)
    call limited_slopes(g, 1, m, p%sm)
    call limited_slopes(g, 1, n, p%sn)
    call add_fluxes(g, 1, h, m, n, p%sh, p%sm, p%sn, p%kh, p%km, p%kn, p%fastest)
    call limited_slopes(g, g%row, h, p%sh)
    call limited_slopes(g, g%row, n, p%sn)
    call limited_slopes(g, g%row, m, p%sm)
    call add_fluxes(g, g%row, h, n, m, p%sh, p%sn, p%sm, p%kh, p%kn, p%km, p%fastest)
    call add_forces(g, h, m, n, p%km, p%kn)
  end subroutine

  ! The two updates of Heun's method, which are linear: the same for a field and for its tangent.
  subroutine first_stage(g, f)
    type(grid_t), intent(in) :: g
    type(fields_t), intent(inout) :: f
    f%h1 = f%h + g%dt*f%rate%kh
    f%m1 = f%m + g%dt*f%rate%km
    f%n1 = f%n + g%dt*f%rate%kn
  end subroutine
  subroutine second_stage(g, f)
    type(grid_t), intent(in) :: g
    type(fields_t), intent(inout) :: f
    f%h = 0.5_dp*(f%h + f%h1 + g%dt*f%rate%kh)
    f%m = 0.5_dp*(f%m + f%m1 + g%dt*f%rate%km)
    f%n = 0.5_dp*(f%n + f%n1 + g%dt*f%rate%kn)
  end subroutine

  ! The depth at the observed cells.
  subroutine observe(g, h, observed)
    type(grid_t), intent(in) :: g
    real(dp), intent(in) :: h(0:g%nx+3, 0:g%ny+3)
    real(dp), intent(out) :: observed(g%nx/4, g%ny/4)
    observed = h(4:g%nx:4, 4:g%ny:4)
  end subroutine

  ! The first of the observations at the time of a step.
  pure function first_observation(g, step) result(o)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: step
    integer :: o
    o = (step/g%observe_every - 1)*(g%nx/4)*(g%ny/4) + 1
  end function

  ! The initial state: background plus the control w, of which h, u and v take a third each.
  subroutine set_initial(g, f, w)
    type(grid_t), intent(in) :: g
    type(fields_t), intent(inout) :: f
    real(dp), intent(in) :: w(g%nx, g%ny, 3)
    integer :: i, j
    real(dp) :: u, v
    do j = 2, g%ny + 1
      do i = 2, g%nx + 1
        u = g%u0(i, j) + g%sigma_u*w(i-1, j-1, 2)
        v = g%v0(i, j) + g%sigma_u*w(i-1, j-1, 3)
        f%h(i, j) = g%h0(i, j) + g%sigma_h*w(i-1, j-1, 1)
        f%m(i, j) = f%h(i, j)*u
        f%n(i, j) = f%h(i, j)*v
      end do
    end do
  end subroutine

  ! One step of run's loop, 1 <= step <= steps.
  subroutine run_step(g, f, step, observed)
    type(grid_t), intent(in) :: g
    type(fields_t), intent(inout) :: f
    integer, intent(in) :: step
    real(dp), intent(inout) :: observed(g%observed)
    call rate_of_change(g, f%h, f%m, f%n, f%rate)
    call first_stage(g, f)
    call rate_of_change(g, f%h1, f%m1, f%n1, f%rate)
    call second_stage(g, f)
    if (mod(step, g%observe_every) == 0) call observe(g, f%h, observed(first_observation(g, step)))
  end subroutine

  ! w: controls. observed: depth at the observed cells and times.
  subroutine run(g, f, w, observed)
    type(grid_t), intent(in) :: g
    type(fields_t), intent(inout) :: f
    real(dp), intent(in) :: w(g%controls)
    real(dp), intent(inout) :: observed(g%observed)
    integer :: step
    f%rate%fastest = 0.0_dp
    call set_initial(g, f, w)
    do step = 1, g%steps
      call run_step(g, f, step, observed)
      call progress_add(2)
    end do
  end subroutine

end module shallow_water_model
