! Each public procedure takes n, x(n), y(n): x is read and written, y added to. Calls of all kinds, constants, state of
! modules, bounds that change.
module calls
  implicit none
  private
  public :: by_reference, recursion, counters, copies, statement, steps, decided, bounds, constants, mixed, nested, names, &
    & once, entered
  integer, parameter :: wp = kind(1.0d0)
  real(wp), parameter :: pi = 4.0_wp*atan(1.0_wp)
  integer, parameter :: order(3) = [3, 1, 2]
  real(wp), parameter :: weights(3) = [0.25_wp, 0.5_wp, 0.25_wp]
  integer :: extent = 3, index_of = 0
  real(wp) :: total = 0.0_wp
contains
  subroutine add(a, b)
    real(wp), intent(inout) :: a
    real(wp), intent(in) :: b
    a = a + b*b
    call twice(a)
  end subroutine

  subroutine twice(a)
    real(wp) :: a
    if (a > 0.1_wp) a = 2*a
  end subroutine

  subroutine split(a, low, high)
    real(wp), intent(in) :: a
    real(wp), intent(out) :: low, high
    low = a - sin(a)
    high = a + low
  end subroutine

  subroutine by_reference(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp) :: s, t, u
    integer :: i
    s = 0
    do i = 1, n
      call add(s, x(i))
      call add(y(i), s)
      call split(x(i), u, t)
      x(i) = u
      y(i) = y(i) + t
    end do
  end subroutine

  recursive function power_of(a, k) result(p)
    real(wp), intent(in) :: a
    integer, intent(in) :: k
    real(wp) :: p
    if (k == 0) then
      p = 1
    else if (mod(k, 2) == 0) then
      p = power_of(a*a, k/2)
    else
      p = a*power_of(a, k - 1)
    end if
  end function

  subroutine recursion(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    integer :: i
    do i = 1, n
      y(i) = y(i) + power_of(x(i), i) + power_of(cos(x(i)), 3)
    end do
  end subroutine

  subroutine counters(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    total = 0
    do index_of = 1, n
      call account(x)
      y(index_of) = y(index_of)*total
    end do
    y(1) = y(1) + index_of*x(1)
    do index_of = n, 1, -max(1, n/4)
      call account(x)
      y(2) = y(2)*total
    end do
    y(3) = y(3) + index_of*x(3)
  end subroutine

  subroutine account(v)
    real(wp), intent(in) :: v(*)
    total = total + v(index_of)**2
  end subroutine

  subroutine scale(m, v, f)
    integer, intent(in) :: m
    real(wp), intent(inout) :: v(m)
    real(wp), intent(in) :: f
    v = v*f + v(1)
  end subroutine

  subroutine copies(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    integer :: order_of(3)
    order_of = [2, 5, 3]
    call scale(n/2, x(n:1:-2), 1.5_wp)
    call scale(2, y(1:n:n - 1), x(2))
    call scale(3, x(4:6), y(1))
    y(1:3) = y(1:3) + x(order_of)
  end subroutine

  subroutine statement(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp) :: cube, t, u
    integer :: i
    cube(t, u) = t*t*t + u
    do i = 1, n
      y(i) = y(i) + cube(x(i), y(i)) - cube(sin(x(i)), 1.0_wp)
    end do
  end subroutine

  subroutine steps(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    integer :: i, j, k, last
    do k = -3, 3, 2
      do i = merge(1, n, k > 0), merge(n, 1, k > 0), k
        y(i) = y(i) + x(i)*k
      end do
      y(1) = y(1)*(1 + 0.01_wp*i)
    end do
    last = n
    do i = 1, last, 2
      last = last - 2
      do j = i, last
        y(i) = y(i) + x(j)*x(i)
      end do
    end do
    y(2) = y(2) + last*x(2)
  end subroutine

  logical function is_large(a)
    real(wp), intent(in) :: a
    is_large = a > 0.6_wp
  end function

  subroutine decided(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    integer :: i
    logical :: seen
    seen = .false.
    do i = 1, n
      if (i > 1 .and. is_large(x(i))) then
        y(i) = y(i)*x(i)
        seen = .true.
      end if
      if (.not. seen .or. (i == n .eqv. is_large(y(i)))) y(i) = y(i) - x(i)**3
      sorted: select case (nint(10*x(i)))
      case (:3)
        if (seen) exit sorted
        y(i) = y(i) + 1
      case (4, 6:8)
        y(i) = exp(-x(i))
      end select sorted
    end do
  end subroutine

  subroutine shrink(m, v)
    integer :: m
    real(wp) :: v(m, extent)
    integer :: i, j
    m = m - 1
    do j = 1, extent
      do i = 1, m
        v(i, j) = v(i, j)*v(i + 1, j)
      end do
    end do
  end subroutine

  subroutine bounds(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp) :: a(2:3, extent), b(-n:n)
    integer :: m
    a = reshape_like(x, 6)
    a(:, 1) = x(1:2)
    a(2, :) = a(2, :)*y(1:3)
    m = 2
    call shrink(m, a)
    b = 0
    b(-2:n - 3) = x*y
    y(m) = y(m) + sum(a) + sum(b*b) + b(-1)*b(1)
  end subroutine

  real(wp) function reshape_like(v, m)
    integer, intent(in) :: m
    real(wp), intent(in) :: v(m)
    reshape_like = v(1) + v(m)*v(2)
  end function

  subroutine constants(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    integer, parameter :: back(0:2, 2) = reshape([1, 2, 3, 3, 2, 1], [3, 2])
    real(wp), parameter :: own(*) = [1.5_wp, 2.0_wp], small = epsilon(1.0_wp)
    integer :: i, k
    do i = 1, 2
      y(back(i, 2)) = y(back(i, 2)) + own(i)*x(back(i - 1, i))
    end do
    y(1:2) = y(1:2)*own + small
    do i = 1, 3
      k = order(i)
      y(k) = y(k) + weights(i)*sin(pi*x(k))
    end do
  end subroutine

  subroutine mixed(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    integer :: i, j
    integer(2) :: small
    integer(8) :: large
    real(4) :: single
    small = 3_2
    large = 10_8**3
    do i = 1, n
      single = 0.5
      j = i/2 - (-i)/2 + mod(-i, 3) + modulo(-i, 3) + ishft_like(i)
      y(i) = y(i) + j*x(i) + single*x(i)/large + small*x(i) + abs(-j)*x(i) + sign(j, -i)*x(i)
      y(i) = y(i)*(1 + dim(x(i), 0.5_wp)) + atan2(x(i), y(i) + 2) + hypot(x(i), 1.0_wp) + log10(x(i) + 1)
      y(i) = y(i) + tanh(x(i))*floor(2.5_wp*i) + ceiling(x(i))*x(i) + int(2.7_wp*i)*x(i) + min(i, 3)*x(i)
      y(i) = y(i) + mod(x(i), 0.3_wp) + modulo(-x(i), 0.7_wp) + anint(x(i)) + erf(x(i)) + asinh(x(i))
    end do
  end subroutine

  integer function ishft_like(k)
    integer, intent(in) :: k
    ishft_like = iand(k, 3) + ior(k, 4) - ieor(k, 1)
  end function

  subroutine nested(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    integer :: i
    do i = 2, n
      y(i) = y(i) + reshape_like(y, i)*reshape_like(x, max(2, i - 1))
    end do
    associate (first => x(1), last => y(n), half => 0.5_wp*x(2))
      first = first*last
      last = last + first*half
    end associate
    block
      real(wp) :: w(n)
      w = x*y
      y = y + w*w(n:1:-1)
    end block
  end subroutine

  real(wp) function drawn(v)
    real(wp), intent(in) :: v(:)
    total = total + 1
    drawn = v(1)*total
  end function

  subroutine once(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    total = 0
    y = y/sum(y) + drawn(x)*x
    y(2:n) = y(1:n - 1)*total
    x(2:n) = x(1:n - 1)*x(2:n)
    x = x - norm2(x)*0.1_wp
    where (x > sum(x)/n) y = y*drawn(y)
    y(1) = y(1)*total
  end subroutine

  subroutine names(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp) :: push, Pop, exp_of, x_b, seed
    integer :: I
    do i = 1, N
      PUSH = X(i)*2
      pop = push*push
      Exp_Of = exp(pop*0.1_wp)
      x_b = exp_of + push
      seed = x_b*pop
      y(i) = Y(I) + seed
    end do
  end subroutine

  ! What begins at the top passes the ENTRY.
  subroutine entered(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    y = y*x
    entry behind(n, x, y)
    x = x*y(1)
  end subroutine
end module
