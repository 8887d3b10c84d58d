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
module shallow_water_model
  use shallow_water_support, only: dp, progress_add
  use shallow_water_grid
  use shallow_water_ghosts, only: fill_ghosts
  implicit none
  public

contains

  ! ---- the model --------------------------------------------------------------------------------------

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
