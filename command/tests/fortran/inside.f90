! Procedures inside of procedures, which name their own arguments, constants of their host and variables of the module.
module inside
  implicit none
  private
  public :: inner, other
  real(8) :: scale = 0.5d0
contains
  subroutine inner(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer, parameter :: order = 2
    real(8), parameter :: weights(3) = [0.25d0, 0.5d0, 0.25d0]
    integer :: i
    scale = 0.5d0
    do i = 2, n - 1
      call smooth(x(i - 1:i + 1), y(i))
    end do
    x(1) = power(y(n))*scale
  contains
    subroutine smooth(u, v)
      real(8), intent(in) :: u(3)
      real(8), intent(inout) :: v
      integer :: i
      do i = 1, 3
        v = v + weights(i)*power(u(i))
      end do
      scale = scale*v
    end subroutine
    real(8) function power(u)
      real(8), intent(in) :: u
      power = u**order*scale
    end function
  end subroutine

  subroutine other(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer :: i
    do i = 1, n
      y(i) = power(y(i), x(i))
    end do
  contains
    real(8) function power(u, v)
      real(8), intent(in) :: u, v
      power = u*v*sin(v)
    end function
  end subroutine
end module
