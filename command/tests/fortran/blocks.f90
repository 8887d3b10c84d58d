! Blocks of a module and of its procedures, and jumps beside loops of today.
module blocks
  implicit none
  integer, parameter :: m = 3
  real(8) :: a(m), b
  common /blk/ a, b
  private :: fill
contains
  subroutine cornered(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer :: i
    do i = 1, n
      call fill(x(i))
      y(i) = y(i)*a(2) + b
      b = b*y(i)
      x(i) = b
    end do
  end subroutine
  subroutine fill(t)
    real(8), intent(in) :: t
    real(8) :: c(2, 2)
    common /blk/ c
    c(1, 1) = t
    c(2, 1) = t*t
    c(1, 2) = c(1, 1)*c(2, 1)
    c(2, 2) = sin(t)
  end subroutine
  subroutine paired(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    real(8) :: r(2), s
    integer :: i, j(4), k
    equivalence (r(2), s), (j(2), k)
    common /other/ r, j
    do i = 1, n
      r(1) = x(i)
      s = r(1)*y(i)
      j = i
      k = k + mod(i, 2)
      x(i) = x(i)*s + r(2)*j(2)
      y(i) = y(i)*r(1)*j(1)
    end do
  end subroutine
  subroutine leaving(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer :: i
    x = x*y
    do i = 1, n
      if (x(i) > 1) goto 10
      if (i == 4) go to 20
      y(i) = y(i)*x(i)
10    x(i) = x(i)*0.5d0
    end do
20  call fill(x(i))
    y(1) = a(1)*b
    do 30 while (x(1) > 0.02d0)
      x(1) = x(1)*0.5d0*y(2)
30  continue
    inner: do i = n, 1, -2
      if (y(i) > 1.5d0) cycle inner
      if (y(i) < 0.001d0) exit
      y(i) = y(i)*y(1)
    end do inner
  end subroutine
end module
