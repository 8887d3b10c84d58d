! Allocatable variables of a module and arguments, COMMON: what a check registers beside plain arguments.
module store
  implicit none
  real(8), allocatable :: w(:), table(:, :), gain
end module
module model
  use store
  implicit none
contains
  subroutine f(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: y
    integer :: i
    w = w*x
    do i = 1, n
      table(i, 2) = table(i, 1)*w(i - 1)
    end do
    y = y + sum(table(:, 2)**2)*gain
  end subroutine
  subroutine g(t, y)
    real(8), allocatable, intent(inout) :: t(:)
    real(8), intent(inout) :: y
    integer :: i
    do i = lbound(t, 1) + 1, ubound(t, 1)
      t(i) = t(i)*t(i - 1)
    end do
    y = sum(t)
  end subroutine
  subroutine h(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: y
    real(8) :: a, b(3)
    common /blk/ a, b
    a = a*x(1)
    b = b*a + x(1:3)
    call inner(y)
  end subroutine
  subroutine inner(y)
    real(8), intent(inout) :: y
    real(8) :: p, q(3)
    common /blk/ p, q
    y = y*p + sum(q*q)
  end subroutine
end module
