! Heads of every kind: a function with assumed shapes, arguments by value, variables of the module.
module heads
  implicit none
  real(8) :: state(2) = [0.5d0, 0.25d0]
contains
  real(8) function total(x, scale)
    real(8), intent(in) :: x(:), scale
    integer :: i
    total = 0
    do i = 1, size(x)
      total = total + sqrt(scale*x(i))*exp(x(i))
    end do
  end function

  subroutine mixed(x, y, k, scale)
    real(8), intent(in) :: x(0:, :)
    real(8), intent(inout) :: y(:)
    integer, intent(in) :: k
    real(8), intent(in) :: scale
    integer :: i, j
    do j = 1, size(x, 2)
      do i = 0, size(x, 1) - 1
        if (i == k) cycle
        y(j) = y(j) + state(1)*x(i, j)**2
        state(1) = state(1)*scale
      end do
    end do
    state(2) = state(2) + total(y, state(1))
  end subroutine
end module
