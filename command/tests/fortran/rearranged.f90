! Each public procedure takes n, x(n), y(n). Elements at other places than those that are assigned: FORALL, sections under
! a name of their own, shifts, masks that select, places of the largest element.
module rearranged
  implicit none
  private
  public :: before, views, strided, shifts, selected, places, along
  integer, parameter :: wp = kind(1.0d0)
contains
  ! Values and masks are those of the beginning.
  subroutine before(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    integer :: i, k
    real(wp) :: a(3, 4)
    forall (i = 2:n) x(i) = x(i - 1)*y(i) + x(i)
    forall (i = 2:n, x(i - 1) > 0.4_wp) x(i) = y(i)*0.1_wp
    forall (i = 1:n, y(i) > 0.6_wp)
      y(i) = y(i)*0.5_wp
      x(i) = x(i)*y(i)
    end forall
    a = reshape([x, y], [3, 4])
    forall (i = 3:1:-1, k = 1:3, i /= k) a(i, k) = a(k, i)*a(i, k + 1)
    x(1:4) = a(1, :)
    y(1:4) = a(2, :)*a(3, :)
  end subroutine

  subroutine views(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp) :: a(2, 0:3)
    integer :: k
    associate (inner => y(2:n - 1), total => sum(x), twice => 2*x)
      inner = inner*x(1:n - 2) + total
      x = x*total*twice
      inner(2) = y(3)*inner(1)
      call halved(inner)
    end associate
    a = reshape(x, [2, 4])
    k = 2
    associate (column => a(:, k), part => a(2, 1:))
      k = 3
      column = column*y(1:2)
      part(2) = part(2)*part(3)
      associate (last => part(2:))
        last = last(2:1:-1)*y(3)
      end associate
    end associate
    x = reshape(a, [n])
  end subroutine

  subroutine halved(a)
    real(wp), intent(inout) :: a(:)
    integer :: i
    do i = 2, size(a)
      a(i) = 0.5_wp*a(i)*a(i - 1)
    end do
  end subroutine

  ! Elements with gaps are copied for a call.
  subroutine strided(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    associate (odd => x(1::2), back => y(n:1:-1))
      odd = odd*y(1:n/2)
      call halved(odd)
      back(1:3) = back(2:4)*x(1:3)
      y(2) = sum(back)*odd(3)
    end associate
  end subroutine

  subroutine shifts(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp) :: a(4, 2)
    y = y*eoshift(x, 1)
    x = eoshift(x, -2, boundary=y(1))*y
    a = reshape(x, [4, 2])
    a = eoshift(a, 1, dim=2) + eoshift(a, -1, 0.5_wp)
    x = x*reshape(a, [8])
    y = eoshift(y, n)*x + y
  end subroutine

  subroutine selected(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    integer :: k(n), m, i
    real(wp) :: p(n)
    k = [(mod(i, 3), i = 1, n)]
    m = count(k > 0)
    p(1:m) = pack(x, k > 0)
    y(1:m) = y(1:m)*p(1:m)
    x = unpack(p(1:m)*2, k > 0, y)*sum(pack(y, y > 0.5_wp))
    y = y + pack(x*y, x > 0.7_wp, vector=y**2)
  end subroutine

  subroutine places(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp) :: a(2, 4)
    integer :: at(2)
    a = reshape(x*y, [2, 4])
    at = maxloc(a)
    y(1) = a(at(1), at(2))*x(2)
    at = minloc(a, mask=a > 0.2_wp)
    y(2) = a(at(1), at(2))*x(2)
    at = maxloc(a, a > 100)
    y(3) = y(3)*sum(at) + y(2)
  end subroutine

  subroutine along(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp) :: a(2, 4)
    integer :: at(4), k
    a = reshape(x*y, [2, 4])
    at = maxloc(a, dim=1)
    do k = 1, 4
      y(k) = a(at(k), k)*x(k)
    end do
    at(1:2) = minloc(a, 2)
    x(1) = a(1, at(1))*a(2, at(2))
  end subroutine
end module
