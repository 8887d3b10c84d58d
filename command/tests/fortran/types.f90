! Each public procedure takes n, x(n), y(n): x is read and written, y added to. Derived types of two modules.
module shapes
  implicit none
  integer, parameter :: wp = kind(1.0d0)
  type :: point
    real(wp) :: x = 0.5_wp, y = 0
    integer :: tag = 1
  end type
  type, extends(point) :: particle
    real(wp) :: mass = 1, v(0:2) = 0
    type(point) :: ends(2)
    logical :: alive = .true.
  end type
  type :: pair
    real(wp) :: a, b
  end type
  type(pair) :: shared
end module

module types
  use shapes
  implicit none
  private
  public :: scalars, inside, cells, passed, constructed, kept, sections, stored
  type :: cell
    real(wp) :: t, k(3)
    integer :: next
    character(len=8) :: label
    real(wp), allocatable :: history(:)
  end type
contains
  subroutine scalars(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    type(point) :: p, q
    integer :: i
    p%y = 0.25_wp
    do i = 1, n
      p%y = p%x*x(i) + p%y
      q = p
      q%x = sin(q%y)*p%x
      p%x = p%x + 0.1_wp*q%x*q%x
      x(i) = q%x*p%y
      y(i) = y(i) + p%x + real(q%tag, wp)
    end do
  end subroutine

  subroutine inside(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    type(particle) :: a
    integer :: i, k
    a%mass = 1.5_wp
    a%v = [x(1), x(2), x(3)]
    a%ends(1)%x = x(4)
    a%ends(2) = a%ends(1)
    a%ends%y = 0.5_wp*x(5)
    do i = 1, n
      do k = 0, 2
        a%v(k) = a%v(k)*a%mass - 0.1_wp*a%ends(1 + mod(k, 2))%y
      end do
      a%ends(2)%x = a%ends(1)%x*a%v(1)
      a%x = a%x*0.9_wp + a%ends(2)%x
      if (a%alive .and. a%v(0) > 0.0_wp) a%mass = a%mass*cos(a%v(2))
      y(i) = y(i) + sum(a%v) + dot_product(a%ends%x, a%ends%y) + a%x
      x(i) = x(i)*a%mass
    end do
  end subroutine

  subroutine cells(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    type(cell) :: grid(n), other(0:2, n)
    integer :: i, j
    do i = 1, n
      grid(i)%t = x(i)
      grid(i)%k = [0.1_wp, 0.2_wp, 0.3_wp]*x(i)
      grid(i)%next = mod(i, n) + 1
      do j = 0, 2
        other(j, i)%t = grid(i)%t*grid(i)%k(j + 1)
      end do
    end do
    do j = 1, 3
      do i = 1, n
        grid(i)%t = grid(i)%t + grid(i)%k(j)*grid(grid(i)%next)%t
        grid(grid(i)%next)%k(j) = grid(i)%k(j)*other(j - 1, i)%t
      end do
    end do
    y = y + grid%t*grid(:)%k(2)
    x(2:n) = grid(1:n - 1)%t*other(1, 2:n)%t
  end subroutine

  subroutine move(p, dt, total)
    type(particle), intent(inout) :: p
    real(wp), intent(in) :: dt
    real(wp), intent(inout) :: total
    p%x = p%x + dt*p%v(0)*p%mass
    p%y = p%y*p%x
    total = total + p%y
  end subroutine

  subroutine begin(p, k, from)
    type(particle), intent(out) :: p
    integer, intent(in) :: k
    real(wp), intent(in) :: from(k)
    p%y = from(1)
    p%mass = from(2)*from(1)
    p%v = from(k)
    p%ends = point(1.0_wp, 2.0_wp, 3)
  end subroutine

  subroutine drift(k, v, by)
    integer, intent(in) :: k
    real(wp), intent(inout) :: v(k), by
    v = v*by
    by = by*0.9_wp + v(1)*v(k)
  end subroutine

  subroutine passed(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    type(particle) :: all(3)
    integer :: i, k
    real(wp) :: total
    total = 0
    do i = 1, 3
      call begin(all(i), n, x)
    end do
    do i = 1, n
      k = 1 + mod(i, 3)
      call move(all(k), x(i), total)
      call drift(3, all(k)%v, all(k)%mass)
      call drift(3, all%x, x(i))
      y(i) = y(i) + total*all(k)%mass + all(2)%ends(1)%y
    end do
  end subroutine

  subroutine constructed(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    type(pair) :: p, q(2)
    integer :: i
    p = pair(x(1), x(2))
    do i = 1, n
      p = pair(a=p%b*x(i), b=p%a + 0.5_wp*p%b)
      q = p
      q(1)%a = q(2)%b*x(i)
      y(i) = y(i) + q(1)%a*p%a
      p = q(1)
    end do
    x(1) = p%a
  end subroutine

  subroutine kept(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    integer :: i
    shared = pair(x(1), 1.0_wp)
    do i = 1, n
      shared%b = shared%b*x(i) + shared%a
      shared%a = cos(shared%b)
    end do
    y = y + shared%a*shared%b
  end subroutine

  subroutine sections(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    type(cell) :: grid(n)
    type(pair) :: p
    integer :: i
    do i = 1, n
      grid(i)%t = x(i)
      grid(i)%k = x(n + 1 - i)
    end do
    grid(2:n)%t = grid(1:n - 1)%t*grid(2:n)%t
    grid%k(1) = grid%k(2)*grid%t
    associate (g => grid(3), k => grid(2)%k)
      g%t = g%t*k(2) + p_of(k)
      k(3) = g%t*g%t
    end associate
    p%a = maxval(grid%t)
    p%b = sum(grid(2)%k*grid(3)%k)
    where (grid%t > 0.3_wp) y = y + grid%t*p%a
    x = x + grid%k(1)*p%b
  contains_nothing: block
    x(1) = x(1)*p%b
  end block contains_nothing
  end subroutine

  function p_of(k) result(p)
    real(wp), intent(in) :: k(:)
    real(wp) :: p
    p = k(1)*k(size(k))
  end function

  subroutine stored(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    type(pair) :: window(0:3)
    integer :: i, at
    window = pair(0.0_wp, 1.0_wp)
    do i = 1, 3*n
      at = mod(i, 4)
      window(at)%a = window(at)%a*0.5_wp + x(1 + mod(i, n))*window(at)%b
      window(at)%b = tanh(window(at)%a)
      if (window(at)%b > 0.5_wp) then
        y(1 + mod(i, n)) = y(1 + mod(i, n)) + window(at)%a*window(mod(i + 1, 4))%b
      end if
    end do
  end subroutine
end module
