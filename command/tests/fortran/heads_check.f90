! Calls the adjoints of heads; the environment says what goes wrong.
program main
  use heads
  implicit none
  interface
    subroutine outside_b(n, m, x, x_b, a, a_b, y, y_b)
      integer, intent(in) :: n, m
      real(8), intent(in) :: x(n), a(-1:n - 2, m)
      real(8), intent(inout) :: x_b(n), a_b(-1:n - 2, m), y(m), y_b(m)
    end subroutine
  end interface
  real(8) :: x(6), xb(6), a(6, 2), ab(6, 2), y(2), yb(2), scale_b
  character(8) :: wrong
  integer :: i, n
  call get_environment_variable('WRONG', wrong)
  do i = 1, 6
    x(i) = 0.3d0 + 0.1d0*i
    a(i, :) = [0.4d0 + 0.1d0*mod(i, 3), 0.9d0 - 0.1d0*mod(i, 4)]
  end do
  xb = 0
  ab = 0
  yb = 1
  y = 0.5d0
  scale_b = 0
  call total_b(x(1:6:2), xb(1:6:2), 1.1d0, scale_b, 1d0)
  call mixed_b(a, ab, y, yb, 2, 0.9d0, scale_b)
  n = 6
  if (wrong == 'bounds') n = 60
  yb = 1
  if (wrong == 'overlap') then
    call outside_b(n, 2, x, xb, a, ab, x(2), yb)
  else
    call outside_b(n, 2, x, xb, a, ab, y, yb)
  end if
  print '(a)', 'done'
end program
