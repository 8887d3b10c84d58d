! tangent.f90: the tangent program of model.f90, which is run beside the primal and takes the same branches.
module shallow_water_tangent
  use shallow_water_support, only: dp, progress_add
  use shallow_water_model
  implicit none
  private

  public :: run_d

contains

  subroutine limited_slopes_d(g, stride, q, qd, s, sd)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: stride
    real(dp), intent(in), dimension(0:g%cells-1) :: q, qd
    real(dp), intent(inout), dimension(0:g%cells-1) :: s, sd
    integer :: i, j, k, over_x, over_y
    real(dp) :: left, right, leftd, rightd
    logical :: take_left
    over_x = merge(1, 0, stride == 1)
    over_y = 1 - over_x
    do j = 2 - over_y, g%ny + 1 + over_y
      do i = 2 - over_x, g%nx + 1 + over_x
        k = j*g%row + i
        leftd = qd(k) - qd(k-stride)
        left = q(k) - q(k-stride)
        rightd = qd(k+stride) - qd(k)
        right = q(k+stride) - q(k)
        if (left > 0.0_dp .and. right > 0.0_dp) then
          take_left = left < right
        else if (left < 0.0_dp .and. right < 0.0_dp) then
          take_left = left > right
        else
          sd(k) = 0.0_dp
          s(k) = 0.0_dp
          cycle
        end if
        sd(k) = 0.5_dp*merge(leftd, rightd, take_left)
        s(k) = 0.5_dp*merge(left, right, take_left)
      end do
    end do
  end subroutine

  subroutine add_fluxes_d(g, stride, h, hd, q, qd, r, rd, sh, shd, sq, sqd, sr, srd, kh, khd, kq, kqd, kr, krd)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: stride
    real(dp), intent(in), dimension(0:g%cells-1) :: h, hd, q, qd, r, rd, sh, shd, sq, sqd, sr, srd
    real(dp), intent(inout), dimension(0:g%cells-1) :: kh, khd, kq, kqd, kr, krd
    integer :: i, j, k, a, over_x, over_y
    real(dp) :: rdx, hl, hr, ql, qr, ul, ur, cl, cr, speed, fh, fq, fr, v
    real(dp) :: hld, hrd, qld, qrd, uld, urd, cld, crd, speedd, fhd, fqd, frd, vd
    over_x = merge(1, 0, stride == 1)
    over_y = 1 - over_x
    rdx = 1.0_dp/g%dx
    do j = 2, g%ny + 1 + over_y
      do i = 2, g%nx + 1 + over_x
        k = j*g%row + i
        a = k - stride
        hld = hd(a) + shd(a)
        hl = h(a) + sh(a)
        hrd = hd(k) - shd(k)
        hr = h(k) - sh(k)
        qld = qd(a) + sqd(a)
        ql = q(a) + sq(a)
        qrd = qd(k) - sqd(k)
        qr = q(k) - sq(k)
        ul = ql/hl
        uld = (qld - ul*hld)/hl
        ur = qr/hr
        urd = (qrd - ur*hrd)/hr
        cl = sqrt(g%gravity*hl)
        cld = 0.5_dp*g%gravity/cl*hld
        cr = sqrt(g%gravity*hr)
        crd = 0.5_dp*g%gravity/cr*hrd
        if (abs(ul) + cl > abs(ur) + cr) then
          if (ul >= 0.0_dp) then
            speedd = cld + uld
            speed = cl + ul
          else
            speedd = cld - uld
            speed = cl - ul
          end if
        else
          if (ur >= 0.0_dp) then
            speedd = crd + urd
            speed = cr + ur
          else
            speedd = crd - urd
            speed = cr - ur
          end if
        end if
        fhd = 0.5_dp*(qld + qrd - speedd*(hr - hl) - speed*(hrd - hld))
        fh = 0.5_dp*(ql + qr - speed*(hr - hl))
        fqd = 0.5_dp*(qld*ul + ql*uld + qrd*ur + qr*urd + g%gravity*(hl*hld + hr*hrd) &
                      - speedd*(qr - ql) - speed*(qrd - qld))
        fq = 0.5_dp*(ql*ul + qr*ur + 0.5_dp*g%gravity*(hl*hl + hr*hr) - speed*(qr - ql))
        if (fh >= 0.0_dp) then
          v = (r(a) + sr(a))/hl
          vd = (rd(a) + srd(a) - v*hld)/hl
        else
          v = (r(k) - sr(k))/hr
          vd = (rd(k) - srd(k) - v*hrd)/hr
        end if
        frd = fhd*v + fh*vd
        fr = fh*v
        khd(a) = khd(a) - rdx*fhd
        khd(k) = khd(k) + rdx*fhd
        kqd(a) = kqd(a) - rdx*fqd
        kqd(k) = kqd(k) + rdx*fqd
        krd(a) = krd(a) - rdx*frd
        krd(k) = krd(k) + rdx*frd
        kh(a) = kh(a) - rdx*fh
        kh(k) = kh(k) + rdx*fh
        kq(a) = kq(a) - rdx*fq
        kq(k) = kq(k) + rdx*fq
        kr(a) = kr(a) - rdx*fr
        kr(k) = kr(k) + rdx*fr
      end do
    end do
  end subroutine

  subroutine add_forces_d(g, h, hd, m, md, n, nd, km, kmd, kn, knd)
    type(grid_t), intent(in) :: g
    real(dp), intent(in), dimension(0:g%nx+3, 0:g%ny+3) :: h, hd, m, md, n, nd
    real(dp), intent(inout), dimension(0:g%nx+3, 0:g%ny+3) :: km, kmd, kn, knd
    integer :: i, j
    real(dp) :: u, ud, v, vd, square, squared, speed, speedd
    do j = 2, g%ny + 1
      do i = 2, g%nx + 1
        u = m(i, j)/h(i, j)
        ud = (md(i, j) - u*hd(i, j))/h(i, j)
        v = n(i, j)/h(i, j)
        vd = (nd(i, j) - v*hd(i, j))/h(i, j)
        squared = 2.0_dp*(u*ud + v*vd)
        square = u*u + v*v
        if (square > 0.0_dp) then
          speed = sqrt(square)
          speedd = 0.5_dp/speed*squared
          kmd(i, j) = kmd(i, j) - g%drag*(speedd*u + speed*ud)
          km(i, j) = km(i, j) - g%drag*speed*u
          knd(i, j) = knd(i, j) - g%drag*(speedd*v + speed*vd)
          kn(i, j) = kn(i, j) - g%drag*speed*v
        end if
        kmd(i, j) = kmd(i, j) + g%coriolis*nd(i, j)
        km(i, j) = km(i, j) + g%coriolis*n(i, j)
        knd(i, j) = knd(i, j) - g%coriolis*md(i, j)
        kn(i, j) = kn(i, j) - g%coriolis*m(i, j)
      end do
    end do
  end subroutine

  subroutine rate_of_change_d(g, h, hd, m, md, n, nd, p, pd)
    type(grid_t), intent(in) :: g
    real(dp), intent(inout), dimension(0:g%nx+3, 0:g%ny+3) :: h, hd, m, md, n, nd
    type(rate_t), intent(inout) :: p, pd
    call fill_ghosts(g, hd, 1.0_dp)
    call fill_ghosts(g, h, 1.0_dp)
    call fill_ghosts(g, md, 1.0_dp)
    call fill_ghosts(g, m, 1.0_dp)
    call fill_ghosts(g, nd, -1.0_dp)
    call fill_ghosts(g, n, -1.0_dp)
    pd%kh = 0.0_dp
    p%kh = 0.0_dp
    pd%km = 0.0_dp
    p%km = 0.0_dp
    pd%kn = 0.0_dp
    p%kn = 0.0_dp
    call limited_slopes_d(g, 1, h, hd, p%sh, pd%sh)
    call limited_slopes_d(g, 1, m, md, p%sm, pd%sm)
    call limited_slopes_d(g, 1, n, nd, p%sn, pd%sn)
    call add_fluxes_d(g, 1, h, hd, m, md, n, nd, p%sh, pd%sh, p%sm, pd%sm, p%sn, pd%sn, &
                      p%kh, pd%kh, p%km, pd%km, p%kn, pd%kn)
    call limited_slopes_d(g, g%row, h, hd, p%sh, pd%sh)
    call limited_slopes_d(g, g%row, n, nd, p%sn, pd%sn)
    call limited_slopes_d(g, g%row, m, md, p%sm, pd%sm)
    call add_fluxes_d(g, g%row, h, hd, n, nd, m, md, p%sh, pd%sh, p%sn, pd%sn, p%sm, pd%sm, &
                      p%kh, pd%kh, p%kn, pd%kn, p%km, pd%km)
    call add_forces_d(g, h, hd, m, md, n, nd, p%km, pd%km, p%kn, pd%kn)
  end subroutine

  subroutine set_initial_d(g, f, fd, w, wd)
    type(grid_t), intent(in) :: g
    type(fields_t), intent(inout) :: f, fd
    real(dp), intent(in), dimension(g%nx, g%ny, 3) :: w, wd
    integer :: i, j
    real(dp) :: u, ud, v, vd
    do j = 2, g%ny + 1
      do i = 2, g%nx + 1
        ud = g%sigma_u*wd(i-1, j-1, 2)
        u = g%u0(i, j) + g%sigma_u*w(i-1, j-1, 2)
        vd = g%sigma_u*wd(i-1, j-1, 3)
        v = g%v0(i, j) + g%sigma_u*w(i-1, j-1, 3)
        fd%h(i, j) = g%sigma_h*wd(i-1, j-1, 1)
        f%h(i, j) = g%h0(i, j) + g%sigma_h*w(i-1, j-1, 1)
        fd%m(i, j) = fd%h(i, j)*u + f%h(i, j)*ud
        f%m(i, j) = f%h(i, j)*u
        fd%n(i, j) = fd%h(i, j)*v + f%h(i, j)*vd
        f%n(i, j) = f%h(i, j)*v
      end do
    end do
  end subroutine

  subroutine run_d(g, f, fd, w, wd, observed, observedd)
    type(grid_t), intent(in) :: g
    type(fields_t), intent(inout) :: f, fd
    real(dp), intent(in), dimension(g%controls) :: w, wd
    real(dp), intent(inout), dimension(g%observed) :: observed, observedd
    integer :: step, o
    call set_initial_d(g, f, fd, w, wd)
    do step = 1, g%steps
      call rate_of_change_d(g, f%h, fd%h, f%m, fd%m, f%n, fd%n, f%rate, fd%rate)
      call first_stage(g, fd)
      call first_stage(g, f)
      call rate_of_change_d(g, f%h1, fd%h1, f%m1, fd%m1, f%n1, fd%n1, f%rate, fd%rate)
      call second_stage(g, fd)
      call second_stage(g, f)
      if (mod(step, g%observe_every) == 0) then
        o = first_observation(g, step)
        call observe(g, fd%h, observedd(o))
        call observe(g, f%h, observed(o))
      end if
      call progress_add(4)
    end do
  end subroutine

end module shallow_water_tangent
