! adjoint_loops.f90: forward and reverse sweep of the loops of model.f90, in the style a generator emits:
!
!   forward sweep: the primal, and before a value is overwritten that the adjoint will need, it is pushed;
!                  which way a branch went is pushed as control bits;
!   reverse sweep: the statements in the opposite order; each first uses the values it was computed with, then
!                  pops what it overwrote.
!
! What is needed is decided as in to-be-recorded analysis: the slopes, the ghost cells and both updates are
! linear, so that m, n and the slopes are never pushed, and h only because bottom friction reads it.
!
! Local variables of a loop live on from one iteration to the next, so that their values of the last iteration
! are pushed at the end of the forward sweep's procedure and popped at the start of the reverse sweep's.
module shallow_water_adjoint_loops
  use adtape
  use shallow_water_support, only: dp
  use shallow_water_model
  implicit none
  private

  public :: limited_slopes_fwd, limited_slopes_bwd
  public :: add_fluxes_fwd, add_fluxes_bwd
  public :: add_forces_fwd, add_forces_bwd

  integer, parameter :: slope_zero = 0, slope_left = 1, slope_right = 2, slope_bits = 2

contains

  ! ---- slopes ---------------------------------------------------------------------------------------

  subroutine limited_slopes_fwd(g, stride, q, s)
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
        if ((left > 0.0_dp .and. right > 0.0_dp .and. left < right) .or. &
            (left < 0.0_dp .and. right < 0.0_dp .and. left > right)) then
          s(k) = 0.5_dp*left
          call push_control(slope_left, slope_bits)
        else if ((left > 0.0_dp .and. right > 0.0_dp) .or. (left < 0.0_dp .and. right < 0.0_dp)) then
          s(k) = 0.5_dp*right
          call push_control(slope_right, slope_bits)
        else
          s(k) = 0.0_dp
          call push_control(slope_zero, slope_bits)
        end if
      end do
    end do
  end subroutine

  subroutine limited_slopes_bwd(g, stride, qb, sb)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: stride
    real(dp), intent(inout), dimension(0:g%cells-1) :: qb, sb
    integer :: i, j, k, over_x, over_y, branch
    real(dp) :: halfb
    over_x = merge(1, 0, stride == 1)
    over_y = 1 - over_x
    do j = g%ny + 1 + over_y, 2 - over_y, -1
      do i = g%nx + 1 + over_x, 2 - over_x, -1
        k = j*g%row + i
        halfb = 0.5_dp*sb(k)
        call pop_control(branch, slope_bits)
        select case (branch)
        case (slope_left)
          qb(k) = qb(k) + halfb
          qb(k-stride) = qb(k-stride) - halfb
        case (slope_right)
          qb(k+stride) = qb(k+stride) + halfb
          qb(k) = qb(k) - halfb
        end select
        sb(k) = 0.0_dp
      end do
    end do
  end subroutine

  ! ---- fluxes -----------------------------------------------------------------------------------------

  subroutine add_fluxes_fwd(g, stride, h, q, r, sh, sq, sr, kh, kq, kr, fastest)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: stride
    real(dp), intent(in), dimension(0:g%cells-1) :: h, q, r, sh, sq, sr
    real(dp), intent(inout), dimension(0:g%cells-1) :: kh, kq, kr
    real(dp), intent(inout) :: fastest
    integer :: i, j, k, a, over_x, over_y
    real(dp) :: rdx, hl, hr, ql, qr, ul, ur, cl, cr, speed, fh, fq, fr, v
    hl = 0.0_dp; hr = 0.0_dp; ql = 0.0_dp; qr = 0.0_dp; ul = 0.0_dp; ur = 0.0_dp
    cl = 0.0_dp; cr = 0.0_dp; speed = 0.0_dp; fh = 0.0_dp; v = 0.0_dp
    over_x = merge(1, 0, stride == 1)
    over_y = 1 - over_x
    rdx = 1.0_dp/g%dx
    do j = 2, g%ny + 1 + over_y
      do i = 2, g%nx + 1 + over_x
        k = j*g%row + i
        a = k - stride
        call push(hl)
        hl = h(a) + sh(a)
        call push(hr)
        hr = h(k) - sh(k)
        call push(ql)
        ql = q(a) + sq(a)
        call push(qr)
        qr = q(k) - sq(k)
        call push(ul)
        ul = ql/hl
        call push(ur)
        ur = qr/hr
        call push(cl)
        cl = sqrt(g%gravity*hl)
        call push(cr)
        cr = sqrt(g%gravity*hr)
        call push(speed)
        if (abs(ul) + cl > abs(ur) + cr) then
          if (ul >= 0.0_dp) then
            speed = cl + ul
            call push_control(0, 2)
          else
            speed = cl - ul
            call push_control(1, 2)
          end if
        else
          if (ur >= 0.0_dp) then
            speed = cr + ur
            call push_control(2, 2)
          else
            speed = cr - ur
            call push_control(3, 2)
          end if
        end if
        call push(fh)
        fh = 0.5_dp*(ql + qr - speed*(hr - hl))
        fq = 0.5_dp*(ql*ul + qr*ur + 0.5_dp*g%gravity*(hl*hl + hr*hr) - speed*(qr - ql))
        call push(v)
        if (fh >= 0.0_dp) then
          v = (r(a) + sr(a))/hl
          call push_control(1, 1)
        else
          v = (r(k) - sr(k))/hr
          call push_control(0, 1)
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
    call push(hl)
    call push(hr)
    call push(ql)
    call push(qr)
    call push(ul)
    call push(ur)
    call push(cl)
    call push(cr)
    call push(speed)
    call push(fh)
    call push(v)
  end subroutine

  subroutine add_fluxes_bwd(g, stride, hb, qb, rb, shb, sqb, srb, khb, kqb, krb)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: stride
    real(dp), intent(inout), dimension(0:g%cells-1) :: hb, qb, rb, shb, sqb, srb
    real(dp), intent(in), dimension(0:g%cells-1) :: khb, kqb, krb
    integer :: i, j, k, a, over_x, over_y, branch
    real(dp) :: rdx, hl, hr, ql, qr, ul, ur, cl, cr, speed, fh, v
    real(dp) :: hlb, hrb, qlb, qrb, ulb, urb, clb, crb, speedb, fhb, halfhb, halfqb, frb, tempb
    over_x = merge(1, 0, stride == 1)
    over_y = 1 - over_x
    rdx = 1.0_dp/g%dx
    call pop(v)
    call pop(fh)
    call pop(speed)
    call pop(cr)
    call pop(cl)
    call pop(ur)
    call pop(ul)
    call pop(qr)
    call pop(ql)
    call pop(hr)
    call pop(hl)
    do j = g%ny + 1 + over_y, 2, -1
      do i = g%nx + 1 + over_x, 2, -1
        k = j*g%row + i
        a = k - stride
        frb = rdx*(krb(k) - krb(a))
        halfqb = 0.5_dp*rdx*(kqb(k) - kqb(a))
        fhb = rdx*(khb(k) - khb(a))
        hlb = 0.0_dp
        hrb = 0.0_dp
        clb = 0.0_dp
        crb = 0.0_dp
        ! fr = fh*v
        fhb = fhb + v*frb
        call pop_control(branch, 1)
        if (branch == 1) then
          tempb = fh*frb/hl
          rb(a) = rb(a) + tempb
          srb(a) = srb(a) + tempb
          hlb = hlb - v*tempb
        else
          tempb = fh*frb/hr
          rb(k) = rb(k) + tempb
          srb(k) = srb(k) - tempb
          hrb = hrb - v*tempb
        end if
        call pop(v)
        ! fq
        qlb = (ul + speed)*halfqb
        qrb = (ur - speed)*halfqb
        ulb = ql*halfqb
        urb = qr*halfqb
        hlb = hlb + g%gravity*hl*halfqb
        hrb = hrb + g%gravity*hr*halfqb
        speedb = -(qr - ql)*halfqb
        ! fh
        halfhb = 0.5_dp*fhb
        qlb = qlb + halfhb
        qrb = qrb + halfhb
        hlb = hlb + speed*halfhb
        hrb = hrb - speed*halfhb
        speedb = speedb - (hr - hl)*halfhb
        call pop(fh)
        call pop_control(branch, 2)
        select case (branch)
        case (0)
          clb = clb + speedb
          ulb = ulb + speedb
        case (1)
          clb = clb + speedb
          ulb = ulb - speedb
        case (2)
          crb = crb + speedb
          urb = urb + speedb
        case default
          crb = crb + speedb
          urb = urb - speedb
        end select
        call pop(speed)
        hrb = hrb + 0.5_dp*g%gravity/cr*crb
        call pop(cr)
        hlb = hlb + 0.5_dp*g%gravity/cl*clb
        call pop(cl)
        qrb = qrb + urb/hr
        hrb = hrb - ur*urb/hr
        call pop(ur)
        qlb = qlb + ulb/hl
        hlb = hlb - ul*ulb/hl
        call pop(ul)
        qb(k) = qb(k) + qrb
        sqb(k) = sqb(k) - qrb
        call pop(qr)
        qb(a) = qb(a) + qlb
        sqb(a) = sqb(a) + qlb
        call pop(ql)
        hb(k) = hb(k) + hrb
        shb(k) = shb(k) - hrb
        call pop(hr)
        hb(a) = hb(a) + hlb
        shb(a) = shb(a) + hlb
        call pop(hl)
      end do
    end do
  end subroutine

  ! ---- forces -----------------------------------------------------------------------------------------

  subroutine add_forces_fwd(g, h, m, n, km, kn)
    type(grid_t), intent(in) :: g
    real(dp), intent(in), dimension(0:g%nx+3, 0:g%ny+3) :: h, m, n
    real(dp), intent(inout), dimension(0:g%nx+3, 0:g%ny+3) :: km, kn
    integer :: i, j
    real(dp) :: u, v, square, speed
    u = 0.0_dp; v = 0.0_dp; speed = 0.0_dp
    do j = 2, g%ny + 1
      do i = 2, g%nx + 1
        call push(u)
        u = m(i, j)/h(i, j)
        call push(v)
        v = n(i, j)/h(i, j)
        square = u*u + v*v
        if (square > 0.0_dp) then
          call push(speed)
          speed = sqrt(square)
          km(i, j) = km(i, j) - g%drag*speed*u
          kn(i, j) = kn(i, j) - g%drag*speed*v
          call push_control(1, 1)
        else
          call push_control(0, 1)
        end if
        km(i, j) = km(i, j) + g%coriolis*n(i, j)
        kn(i, j) = kn(i, j) - g%coriolis*m(i, j)
      end do
    end do
    call push(u)
    call push(v)
    call push(speed)
  end subroutine

  subroutine add_forces_bwd(g, h, hb, mb, nb, kmb, knb)
    type(grid_t), intent(in) :: g
    real(dp), intent(in), dimension(0:g%nx+3, 0:g%ny+3) :: h, kmb, knb
    real(dp), intent(inout), dimension(0:g%nx+3, 0:g%ny+3) :: hb, mb, nb
    integer :: i, j, branch
    real(dp) :: u, v, speed, ub, vb, speedb, squareb
    call pop(speed)
    call pop(v)
    call pop(u)
    do j = g%ny + 1, 2, -1
      do i = g%nx + 1, 2, -1
        ub = 0.0_dp
        vb = 0.0_dp
        mb(i, j) = mb(i, j) - g%coriolis*knb(i, j)
        nb(i, j) = nb(i, j) + g%coriolis*kmb(i, j)
        call pop_control(branch, 1)
        if (branch == 1) then
          speedb = -g%drag*(u*kmb(i, j) + v*knb(i, j))
          squareb = 0.5_dp/speed*speedb
          ub = 2.0_dp*u*squareb - g%drag*speed*kmb(i, j)
          vb = 2.0_dp*v*squareb - g%drag*speed*knb(i, j)
          call pop(speed)
        end if
        nb(i, j) = nb(i, j) + vb/h(i, j)
        hb(i, j) = hb(i, j) - v*vb/h(i, j)
        call pop(v)
        mb(i, j) = mb(i, j) + ub/h(i, j)
        hb(i, j) = hb(i, j) - u*ub/h(i, j)
        call pop(u)
      end do
    end do
  end subroutine

end module shallow_water_adjoint_loops
