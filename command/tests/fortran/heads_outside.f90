! A procedure that no module contains keeps its source.
subroutine outside(n, m, x, a, y)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: x(n), a(-1:n - 2, m)
  real(8), intent(inout) :: y(m)
  integer :: i, j
  do j = 1, m
    do i = 1, n
      y(j) = y(j)*0.5d0 + x(i)*a(i - 2, j)**2
    end do
  end do
end subroutine
