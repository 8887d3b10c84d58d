! Procedures as arguments: of modules, inside of others, of the compiler, handed on.
module solvers
  implicit none
  private
  public :: integral, root, steps, best
  integer, parameter :: wp = kind(0d0)
  real(wp), parameter :: half = 0.5_wp
  abstract interface
    real(8) function of_one(x)
      real(8), intent(in) :: x
    end function
  end interface
contains
  real(wp) function integral(f, a, b, n) result(total)
    procedure(of_one) :: f
    real(wp), intent(in) :: a, b
    integer, intent(in) :: n
    integer :: i
    total = half*(f(a) + f(b))
    do i = 1, n - 1
      total = total + f(a + i*(b - a)/n)
    end do
    total = total*(b - a)/n
  end function

  ! The procedure is called by one that is inside.
  subroutine root(f, x, tolerance)
    external f
    real(wp), intent(inout) :: x
    real(wp), intent(in), optional :: tolerance
    real(wp) :: limit
    integer :: i
    limit = 1d-14
    if (present(tolerance)) limit = tolerance
    do i = 1, 40
      if (is_there()) exit
    end do
  contains
    logical function is_there()
      real(wp) :: y, dy
      call f(x, y, dy)
      x = x - y/dy
      is_there = abs(y) < limit
    end function
  end subroutine

  ! Handed on, and left out.
  subroutine steps(right_side, n, y, t, count, force)
    interface
      subroutine right_side(n, t, y, dy)
        integer, intent(in) :: n
        real(8), intent(in) :: t, y(n)
        real(8), intent(out) :: dy(n)
      end subroutine
    end interface
    integer, intent(in) :: n, count
    real(wp), intent(inout) :: y(n)
    real(wp), intent(in) :: t
    procedure(of_one), optional :: force
    integer :: i
    do i = 1, count
      call one_step(right_side, n, y, t + 0.1_wp*i)
      if (present(force)) y(1) = y(1) + force(y(2))
    end do
  end subroutine

  subroutine one_step(right_side, n, y, t)
    external right_side
    integer, intent(in) :: n
    real(wp), intent(inout) :: y(n)
    real(wp), intent(in) :: t
    real(wp) :: k1(n), k2(n)
    call right_side(n, t, y, k1)
    call right_side(n, t + 0.05_wp, y + 0.05_wp*k1, k2)
    y = y + 0.1_wp*k2
  end subroutine

  recursive function best(f, a, b, depth) result(s)
    procedure(of_one) :: f
    real(wp), intent(in) :: a, b
    integer, intent(in) :: depth
    real(wp) :: s
    if (depth == 0) then
      s = (b - a)*f(half*(a + b))
    else
      s = best(f, a, half*(a + b), depth - 1) + best(f, half*(a + b), b, depth - 1)
    end if
  end function
end module

module procedures
  use solvers
  implicit none
  real(8) :: width = 0.3d0
contains
  subroutine of_modules(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer :: i
    y(1) = y(1)*integral(density, x(1), x(2), 7)
    y(2) = integral(other, x(3), x(4), n) + best(density, x(5), x(6), 3)
    y(3) = y(3) + integral(other, y(1), x(4), 3)
    do i = 1, 3
      y(4) = y(4) + spread_of(i, x(i))
    end do
  end subroutine

  ! An extent that is rounded.
  real(8) function spread_of(k, x)
    integer, intent(in) :: k
    real(8), intent(in) :: x
    real(8) :: w(2*ceiling(k/2d0) + floor(k/2d0))
    w = x*k
    spread_of = sum(w**2)
  end function

  subroutine of_the_compiler(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    intrinsic :: dsin, dexp
    y(1) = scale(y(1), n - 6) + integral(dsin, x(1), x(2), 5)
    y(2) = y(2)*integral(dexp, x(3), x(1), 5)
  end subroutine

  subroutine inside(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    real(8) :: z
    z = x(1)
    call root(square, z)
    y(1) = y(1)*z
    z = x(2)
    call root(square, z, 1d-13)
    x(2) = z
    y(2) = integral(line, x(3), x(4), 4) + twice(line)
    y(3) = y(3) + integral(density, x(3), x(4), 4)
  contains
    subroutine square(at, value, slope)
      real(8), intent(in) :: at
      real(8), intent(out) :: value, slope
      value = at*at - x(7)*y(8)
      slope = 2*at
    end subroutine
    real(8) function line(at)
      real(8), intent(in) :: at
      line = at*x(5) + sin(at*y(5))
    end function
    real(8) function twice(f)
      real(8), external :: f
      twice = 2*integral(f, x(5), x(6), 3) + f(x(7))
    end function
  end subroutine

  subroutine only_read(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    call reads(n, x, y)
    x(1) = x(1)*y(1)
  end subroutine

  ! What is inside names an array that must not be written.
  subroutine reads(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: y(n)
    y(1) = y(1) + integral(weighted, 0.1d0, 0.9d0, 4)
    y(2) = y(2)*weighted(x(2))
  contains
    real(8) function weighted(at)
      real(8), intent(in) :: at
      weighted = sum(x*at**2) + x(3)
    end function
  end subroutine

  subroutine handed_on(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    call steps(swing, n, y, x(1), 3)
    call steps(decay, n, x, y(2), 2, density)
  contains
    subroutine decay(m, t, z, dz)
      integer, intent(in) :: m
      real(8), intent(in) :: t, z(m)
      real(8), intent(out) :: dz(m)
      dz = -z*t*y(3)
    end subroutine
  end subroutine

  subroutine swing(n, t, y, dy)
    integer, intent(in) :: n
    real(8), intent(in) :: t, y(n)
    real(8), intent(out) :: dy(n)
    integer :: i
    do i = 1, n - 1
      dy(i) = y(i + 1) - 0.1d0*t*y(i)
    end do
    dy(n) = -sin(y(1))
  end subroutine

  real(8) function density(x)
    real(8), intent(in) :: x
    density = width*exp(-x*x)
  end function

  real(8) function other(x)
    real(8), intent(in) :: x
    other = 1/(1 + x*x)
  end function
end module
