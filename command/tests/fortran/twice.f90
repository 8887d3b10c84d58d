! Each public procedure takes n, x(n), y(n). One variable is passed to two arguments that nothing writes.
module twice
  implicit none
  private
  public :: arrays, further, outside
  integer, parameter :: wp = kind(1.0d0)
  type :: vector
    real(wp) :: x, y
  end type
  real(wp) :: state(4) = 0
contains
  subroutine pair(a, b, c)
    real(wp), intent(in) :: a(3), b(3)
    real(wp), intent(out) :: c
    c = a(1)*b(1) + a(2)*b(2) + a(3)*b(3)
  end subroutine

  real(wp) function dot(a, b)
    type(vector), intent(in) :: a, b
    dot = a%x*b%x + a%y*b%y
  end function

  subroutine arrays(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp) :: t
    type(vector) :: v
    call pair(x, x, t)
    y(1) = t
    call pair(x(1:3), x(2:4), t)
    y(2) = t
    v = vector(x(1), y(2))
    y(3) = dot(v, v)*y(3)
  end subroutine

  subroutine on(a, b, c)
    real(wp), intent(in) :: a(3), b(3)
    real(wp), intent(out) :: c
    real(wp) :: t
    call pair(a, b, t)
    c = t*b(1)
  end subroutine

  subroutine further(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp) :: t
    call on(x, x, t)
    y(1) = t
  end subroutine

  ! The callee names it, too.
  subroutine with_state(a, c)
    real(wp), intent(in) :: a(4)
    real(wp), intent(out) :: c
    c = a(1)*state(1) + a(2)*state(2) + a(3)*state(3)
  end subroutine

  subroutine outside(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp) :: t
    state = x(1:4)
    call with_state(state, t)
    y(1) = t
    y(2) = state(2)
  end subroutine
end module
