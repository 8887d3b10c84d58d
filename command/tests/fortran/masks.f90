! Each public procedure takes n, x(n), y(n). WHERE in WHERE, subscripts in lists, elemental subroutines, components that are
! arrays as first values and in constructors.
module masks
  implicit none
  private
  public :: nested, listed, elements, parts
  integer, parameter :: wp = kind(1.0d0)
  type :: layer
    real(wp) :: t = 1.5_wp, q(3) = [0.1_wp, 0.2_wp, 0.3_wp]
  end type
  type :: column
    type(layer) :: top
    real(wp) :: flux(0:2), scale
    integer :: cell(2) = 1
  end type
contains
  subroutine nested(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    where (x > 0.8_wp)
      where (y > 1.0_wp)
        y = y*x
      elsewhere (y > 0.5_wp)
        y = y + x
        x = x*2
      elsewhere
        x = x*x
      end where
      where (x > 1) x = x*y
    elsewhere (y > 0.5_wp)
      x = y*x
    end where
  end subroutine

  subroutine listed(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    integer :: k(3)
    y([3, 1, 2]) = x([1, 2, 3])*y(1)
    k = [2, 3, 4]
    y(k) = y(k) + x(k([3, 1, 2]))
  end subroutine

  elemental subroutine relax(a, b, r, count)
    real(wp), intent(inout) :: a
    real(wp), intent(in) :: b, r
    integer, intent(out) :: count
    a = a + r*(b - a)*abs(b - a)
    count = merge(1, 2, a > b)
  end subroutine

  subroutine elements(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    type(layer) :: l(4)
    integer :: k(n)
    call relax(x, 2*y, 0.3_wp, k)
    l%t = x(1:4)
    call relax(l(2:3)%t, y(1:2), sum(y), k(1:2))
    call relax(x(1), y(1), y(2), k(1))
    y(1:4) = l%t*l%q(2)*k(1:4)
  end subroutine

  subroutine parts(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    type(column) :: c(2)
    type(layer) :: l
    l%t = l%t*x(1)
    l%q = l%q*y(1)
    c(1) = column(layer(x(2), x(1:3)*y(1:3)), y(1:3), scale=2.0_wp)
    c(2) = column(top=l, flux=0.5_wp, scale=x(4), cell=[1, 2])
    c(2) = column(c(1)%top, c(2)%flux*c(2)%top%q, c(2)%top%t)
    x(1:3) = c(2)%top%q*c(2)%flux
    y(1) = c(1)%flux(2)*c(2)%scale*c(2)%top%t + sum(c(1)%cell)
  end subroutine
end module
