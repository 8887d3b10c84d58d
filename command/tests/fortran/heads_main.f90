! Compares tangents of heads with differences.
program main
  use heads
  implicit none
  interface
    subroutine outside(n, m, x, a, y)
      integer, intent(in) :: n, m
      real(8), intent(in) :: x(n), a(-1:n - 2, m)
      real(8), intent(inout) :: y(m)
    end subroutine
    subroutine outside_d(n, m, x, x_d, a, a_d, y, y_d)
      integer, intent(in) :: n, m
      real(8), intent(in) :: x(n), x_d(n), a(-1:n - 2, m), a_d(-1:n - 2, m)
      real(8), intent(inout) :: y(m), y_d(m)
    end subroutine
  end interface
  real(8), parameter :: h = 1d-6
  real(8) :: x(6), xd(6), a(6, 2), ad(6, 2), y(2), yd(2), low(2), high(2), value, along, scale_d
  integer :: i
  do i = 1, 6
    x(i) = 0.3d0 + 0.1d0*i
    xd(i) = 0.7d0 - 0.2d0*i
    a(i, :) = [0.4d0 + 0.1d0*mod(i, 3), 0.9d0 - 0.1d0*mod(i, 4)]
    ad(i, :) = [0.3d0*mod(i, 2), 0.5d0 - 0.1d0*i]
  end do
  scale_d = 0.4d0
  value = total_d(x(1:6:2), xd(1:6:2), 1.1d0, scale_d, along)
  high(1) = total(x(1:6:2) + h*xd(1:6:2), 1.1d0 + h*scale_d)
  low(1) = total(x(1:6:2) - h*xd(1:6:2), 1.1d0 - h*scale_d)
  call say('total', [along], [(high(1) - low(1))/(2*h)], abs(value - total(x(1:6:2), 1.1d0)) <= 0)
  state = [0.5d0, 0.25d0] + h*[0.2d0, 0.1d0]
  y = 0.5d0 + h*0.3d0
  call mixed(a + h*ad, y, 2, 0.9d0 + h*scale_d)
  high = y + state
  state = [0.5d0, 0.25d0] - h*[0.2d0, 0.1d0]
  y = 0.5d0 - h*0.3d0
  call mixed(a - h*ad, y, 2, 0.9d0 - h*scale_d)
  low = y + state
  state = [0.5d0, 0.25d0]
  state_d = [0.2d0, 0.1d0]
  y = 0.5d0
  yd = 0.3d0
  call mixed_d(a, ad, y, yd, 2, 0.9d0, scale_d)
  call say('mixed', yd + state_d, (high - low)/(2*h), .true.)
  y = 0.5d0
  yd = 0.3d0
  call outside_d(6, 2, x, xd, a, ad, y, yd)
  high = 0.5d0 + h*0.3d0
  call outside(6, 2, x + h*xd, a + h*ad, high)
  low = 0.5d0 - h*0.3d0
  call outside(6, 2, x - h*xd, a - h*ad, low)
  call say('outside', yd, (high - low)/(2*h), .true.)
contains
  subroutine say(name, found, expected, others)
    character(*), intent(in) :: name
    real(8), intent(in) :: found(:), expected(:)
    logical, intent(in) :: others
    if (others .and. all(abs(found - expected) <= 1d-7*max(1d0, abs(expected)))) then
      print '(a)', 'right '//name
    else
      print '(a, 4es24.15)', 'WRONG '//name, found, expected
    end if
  end subroutine
end program
