! Compares three directions of adjoints: the first with differences, the third with the sum of the first two.
program main
  use heads
  implicit none
  interface
    subroutine outside(n, m, x, a, y)
      integer, intent(in) :: n, m
      real(8), intent(in) :: x(n), a(-1:n - 2, m)
      real(8), intent(inout) :: y(m)
    end subroutine
    subroutine outside_bv(n, m, x, x_b, a, a_b, y, y_b)
      integer, intent(in) :: n, m
      real(8), intent(in) :: x(n), a(-1:n - 2, m)
      real(8), intent(inout) :: x_b(3, n), a_b(3, -1:n - 2, m), y(m), y_b(3, m)
    end subroutine
  end interface
  real(8), parameter :: h = 1d-6, w(3) = [1d0, -0.4d0, 0.6d0], dx(6) = [0.3d0, -0.2d0, 0.5d0, 0.1d0, -0.6d0, 0.2d0]
  real(8) :: x(6), xb(3, 6), a(6, 2), ab(3, 6, 2), da(6, 2), y(2), yb(3, 2), scale_b(3), low(2), high(2)
  integer :: i
  do i = 1, 6
    x(i) = 0.3d0 + 0.1d0*i
    a(i, :) = [0.4d0 + 0.1d0*mod(i, 3), 0.9d0 - 0.1d0*mod(i, 4)]
    da(i, :) = [0.3d0*mod(i, 2), 0.5d0 - 0.1d0*i]
  end do
  xb = 0
  scale_b = 0
  call total_bv(x(1:6:2), xb(:, 1:6:2), 1.1d0, scale_b, w)
  high(1) = total(x(1:6:2) + h*dx(1:6:2), 1.1d0 + h*0.4d0)
  low(1) = total(x(1:6:2) - h*dx(1:6:2), 1.1d0 - h*0.4d0)
  call say('total', matmul(xb(:, 1:6:2), dx(1:6:2)) + scale_b*0.4d0, (high(1) - low(1))/(2*h))
  state = [0.5d0, 0.25d0]
  y = 0.5d0
  ab = 0
  scale_b = 0
  do i = 1, 2
    yb(:, i) = w
    state_b(:, i) = w*i
  end do
  call mixed_bv(a, ab, y, yb, 2, 0.9d0, scale_b)
  call try(h, high)
  call try(-h, low)
  call say('mixed', [(sum(ab(i, :, :)*da) + 0.3d0*sum(yb(i, :)) + 0.2d0*state_b(i, 1) + 0.1d0*state_b(i, 2), i=1, 3)] &
    + scale_b*0.4d0, sum(high - low)/(2*h))
  xb = 0
  ab = 0
  y = 0.5d0
  do i = 1, 2
    yb(:, i) = w
  end do
  call outside_bv(6, 2, x, xb, a, ab, y, yb)
  high = 0.5d0 + h*0.3d0
  call outside(6, 2, x + h*dx, a + h*da, high)
  low = 0.5d0 - h*0.3d0
  call outside(6, 2, x - h*dx, a - h*da, low)
  call say('outside', [(sum(ab(i, :, :)*da) + 0.3d0*sum(yb(i, :)), i=1, 3)] + matmul(xb, dx), sum(high - low)/(2*h))
contains
  subroutine try(step, result)
    real(8), intent(in) :: step
    real(8), intent(out) :: result(2)
    state = [0.5d0, 0.25d0] + step*[0.2d0, 0.1d0]
    y = 0.5d0 + step*0.3d0
    call mixed(a + step*da, y, 2, 0.9d0 + step*0.4d0)
    result = y + [1, 2]*state
  end subroutine

  subroutine say(name, found, expected)
    character(*), intent(in) :: name
    real(8), intent(in) :: found(3), expected
    if (abs(found(1) - expected) <= 1d-7*abs(expected) .and. &
        abs(found(3) - found(1) - found(2)) <= 1d-13*abs(found(1))) then
      print '(a)', 'right '//name
    else
      print '(a, 4es24.15)', 'WRONG '//name, found, expected
    end if
  end subroutine
end program
