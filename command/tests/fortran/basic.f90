! Each procedure takes n, x(n), y(n): x is read and written, y added to.
module helpers_of_basic
  implicit none
  real(8) :: weight = 1.25d0
  real(8) :: table(0:3) = [1.0d0, 2.0d0, 0.5d0, 0.25d0]
contains
  real(8) function square(a)
    real(8), intent(in) :: a
    square = a*a + 0.5d0*a
  end function

  subroutine scale(m, v, s)
    integer, intent(in) :: m
    real(8), intent(inout) :: v(m), s
    integer :: i
    do i = 1, m
      v(i) = v(i)*s
      s = s*0.9d0
    end do
  end subroutine

  subroutine shape_of(v, total)
    real(8), intent(in) :: v(0:)
    real(8), intent(out) :: total
    integer :: i
    total = 0
    do i = 0, size(v) - 1
      total = total + sin(v(i))*v(i)
    end do
  end subroutine

  subroutine plus_minus(m, k, a)
    integer, intent(in) :: m, k
    real(8), intent(inout) :: a(-1:m, k)
    integer :: i, j
    do j = 1, k
      do i = 0, m - 1
        a(i, j) = a(i, j)*a(i - 1, j) + 0.1d0*a(i + 1, j)**3
      end do
    end do
  end subroutine
end module

module basic
  use helpers_of_basic
  implicit none
  private
  public :: loops, ways_out, cases, calls, arrays, sections, masks, kinds, reductions, matrices, powers, globals
contains
  subroutine loops(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer :: i, m, j
    real(8) :: s
    do i = n, 2, -3
      y(1) = y(1) + x(i)**2*i
    end do
    y(2) = y(2)*i*x(1)
    m = n
    do i = 1, m
      m = m - 1
      x(i) = x(i)*x(n + 1 - i)
    end do
    do i = n + 5, n
      x(1) = 0
    end do
    x(2) = x(2)*m*i
    s = 1
    j = 1
    do while (s < 10 .and. j < n)
      s = s + abs(x(j)) + 0.5d0
      y(j) = y(j) + s*x(j)
      j = j + 1
    end do
    do i = 1, n, max(1, n/3)
      y(i) = y(i)*s + x(i)
    end do
  end subroutine

  subroutine ways_out(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer :: i, j
    outer: do i = 1, n
      do j = 1, n
        if (x(j) > 1.4d0) cycle outer
        if (j > i) exit
        y(i) = y(i) + x(i)*x(j)
        if (y(i) > 50) exit outer
      end do
      y(i) = y(i)*x(i)
    end do outer
    do
      x(1) = x(1)*1.5d0
      if (x(1) > 3) exit
    end do
    if (y(1) > 1000) return
    y(n) = y(n) + x(1)*x(2)
  end subroutine

  subroutine cases(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer :: i
    logical :: odd
    do i = 1, n
      odd = mod(i, 2) == 1
      select case (i)
      case (1)
        y(i) = y(i) + exp(x(i))
      case (2:3, 7)
        y(i) = y(i)*x(i)
      case default
        if (odd .and. x(i) > 0.5d0) then
          y(i) = y(i) - x(i)*x(1)
        else if (.not. odd) then
          y(i) = y(i) + sqrt(x(i))
        end if
      end select
    end do
  end subroutine

  subroutine calls(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    real(8) :: s, t
    integer :: i
    s = x(1)
    call scale(n, x, s)
    do i = 1, n
      y(i) = y(i) + square(x(i)*s)*weight
    end do
    call shape_of(x(2:n), t)
    y(1) = y(1) + t
    call shape_of(x(1:n:2), t)
    y(2) = y(2) + t*s
    call shape_of(x*y, t)
    y(3) = y(3) + t
    call scale(2, x(3), y(1))
  end subroutine

  subroutine arrays(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    real(8) :: a(n, 2), b(0:n)
    real(8), allocatable :: c(:)
    integer :: i
    allocate (c(n))
    a(:, 1) = x
    a(:, 2) = y*x + 1
    b = 0.5d0
    b(1:n) = a(:, 1)*a(:, 2)
    b(0) = b(1)*b(2)
    c = sin(b(1:n)) + b(0)
    do i = 1, n
      y(i) = y(i) + c(i)*a(i, 2)
    end do
    x(1:2) = [x(2), x(1)*y(1)]
    deallocate (c)
  end subroutine

  subroutine sections(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer :: order(n), i
    x(2:n) = x(1:n - 1)*1.5d0
    y(n:1:-1) = y + x
    y(1:n:2) = y(1:n:2)*x(1)
    do i = 1, n
      order(i) = n + 1 - i
    end do
    y = y + x(order)
    call plus_minus(3, 1, x)
  end subroutine

  subroutine masks(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer :: i
    where (x > 0.7d0)
      y = y*x
      x = x*0.5d0
    elsewhere (x > 0.4d0)
      y = y + sin(x)
    elsewhere
      y = x
    end where
    where (y > 1) y = sqrt(y)
    do concurrent (i = 1:n)
      y(i) = y(i) + x(i)**2
    end do
    y = merge(y*x, y - x, x < 0.3d0)
  end subroutine

  subroutine kinds(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    real(4) :: s
    integer(8) :: k
    integer :: i
    s = 0.1
    k = 3_8
    do i = 1, n
      y(i) = y(i) + x(i)*0.1 + dble(s)*mod(i, 3) + modulo(-i, 4)*x(i) + nint(1.6d0)*x(i) + k*x(i)**k
      y(i) = y(i) + sign(x(i), 0.3d0 - x(1)) + max(x(i), 0.6d0, y(i)) + min(x(i), y(i)) + aint(2.5d0*i)*x(i)
      k = k + 1
      if (k > 4) k = 2
    end do
  end subroutine

  subroutine reductions(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    real(8) :: a(n, n)
    integer :: i, j
    do j = 1, n
      do i = 1, n
        a(i, j) = x(i)*y(j) + i
      end do
    end do
    y(1) = y(1) + sum(a)*0.01d0 + maxval(x) + minval(y(2:n))
    y(2) = y(2) + dot_product(x, a(:, 2)) + product(x(1:3))
    y(3) = y(3) + sum(x, mask=x > 0.5d0) + sum(a(2, :)) + norm2(x)
    if (any(x > 100) .or. count(x > 0) < n) y(1) = 0
    if (all(x > 0)) y(n) = y(n)*2
  end subroutine

  subroutine matrices(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    real(8) :: a(2, 3), b(3, 2), c(2, 2), v(3)
    a = reshape_of(x)
    v = x(1:3)
    b = transpose(a)
    c = matmul(a, b)
    y(1:2) = y(1:2) + matmul(a, v)
    y(3) = y(3) + c(1, 2)*c(2, 2)
    a = spread(y(1:2), 2, 3)*a
    y(1) = y(1) + sum(a)
  end subroutine

  real(8) function reshape_of(x)
    real(8), intent(in) :: x(:)
    reshape_of = x(1)*x(2)
  end function

  subroutine powers(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer :: i
    do i = 1, n
      y(i) = y(i) + x(i)**2 + x(i)**3 - x(i)**7 + x(i)**(-2) + x(i)**i + x(i)**1.5d0 + 2.0d0**x(i)
      y(i) = y(i) + x(i)*2**(i/2) + x(i)*3**(i/3) + y(i)*(i - 3)**(2 - i)
      y(i) = y(i) + nearest(x(i), 1d0) + (1 + spacing(y(i)))*x(i)
    end do
  end subroutine

  subroutine globals(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer :: i
    weight = x(1)*2
    table(2) = x(2)
    do i = 1, n
      y(i) = y(i) + weight*table(mod(i, 4))*x(i)
      table(0) = table(0) + y(i)
    end do
    y(1) = y(1)*table(0)
    weight = 1.25d0
    table = [1.0d0, 2.0d0, 0.5d0, 0.25d0]
  end subroutine
end module
