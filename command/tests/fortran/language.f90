! Each public procedure takes n, x(n), y(n): assignments of the program's own, components that the procedure allocates,
! output and files beside the computation.
module language
  implicit none
  private
  public :: assigned, components, nested, in_branches, moved, written, byval
  integer, parameter :: wp = kind(1.0d0)
  type :: pair
    real(wp) :: a, b
  end type
  type :: layer
    real(wp), allocatable :: v(:), m(:, :)
    real(wp), allocatable :: scale
    real(wp) :: total = 0
  end type
  type :: column
    type(layer) :: upper, lower
    real(wp) :: depth = 2
  end type
  interface assignment(=)
    module procedure of_number, to_number, swapped
  end interface
contains
  elemental subroutine of_number(p, r)
    type(pair), intent(out) :: p
    real(wp), intent(in) :: r
    p%a = r
    p%b = r*r
  end subroutine

  subroutine to_number(r, p)
    real(wp), intent(out) :: r
    type(pair), intent(in) :: p
    r = p%a*p%b
  end subroutine

  subroutine swapped(p, q)
    type(pair), intent(inout) :: p
    type(pair), intent(in) :: q
    p%a = q%b
    p%b = q%a
  end subroutine

  subroutine assigned(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    type(pair) :: p, q, all(n)
    integer :: i
    p = x(1)*x(2)
    q = y(1)
    p = q
    y(1) = p
    y(2) = q%a + 2*q%b
    all = x
    do i = 3, n
      y(i) = y(i)*all(i)%a
      x(i) = all(i)%b
    end do
  end subroutine

  subroutine components(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    type(layer) :: s
    integer :: status
    allocate (s%v(0:n - 1), s%m(2, n), stat=status)
    allocate (s%scale)
    s%scale = x(1)*y(2)
    s%v = x*y
    s%m(1, :) = s%v*s%scale
    s%m(2, :) = s%m(1, :)*x
    y = s%m(2, :) + s%v(0) + size(s%m, 1)*lbound(s%v, 1)
    s%total = sum(s%v)
    deallocate (s%v)
    if (.not. allocated(s%v)) s%v = y(:3)*s%total
    x(:3) = x(:3)*s%v
    x(4) = x(4)*size(s%v)
  end subroutine

  subroutine nested(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    type(column) :: c
    integer :: i
    c%upper%v = x
    allocate (c%lower%v(n), source=y)
    do i = 2, n
      c%upper%v(i) = c%upper%v(i)*c%lower%v(i - 1) + c%depth
    end do
    associate (v => c%upper%v)
      y = v*y
    end associate
    call scaled(n, c%upper%v, x)
    c%upper%v = [c%upper%v, x(1)*x(2)]
    y(1) = c%upper%v(n + 1)*size(c%upper%v)
  end subroutine

  subroutine scaled(n, v, x)
    integer, intent(in) :: n
    real(wp), intent(in) :: v(:)
    real(wp), intent(inout) :: x(n)
    x = x*v
  end subroutine

  subroutine in_branches(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    type(layer) :: s
    integer :: i
    do i = 1, n
      allocate (s%v(i))
      s%v = x(1:i)*y(i)
      y(i) = sum(s%v*s%v)
      deallocate (s%v)
      if (mod(i, 2) == 0) then
        allocate (s%v(2), source=y(i))
        x(i) = x(i)*s%v(1)
        deallocate (s%v)
      end if
    end do
  end subroutine

  subroutine moved(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    type(layer) :: s
    real(wp), allocatable :: w(:)
    allocate (w(2*n))
    w(:n) = x
    w(n + 1:) = y
    call move_alloc(w, s%v)
    y = s%v(:n)*s%v(n + 1:)
  end subroutine

  subroutine written(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp) :: s
    integer :: unit, status
    namelist /sums/ s
    s = sum(x)
    open (newunit=unit, status='scratch', iostat=status)
    write (unit, nml=sums)
    rewind (unit)
    flush (unit)
    close (unit)
    y = y*s
  end subroutine

  ! A dummy with VALUE is a variable of the procedure.
  subroutine byval(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    call bv(x(1), y(1), y(2))
    y(3) = y(3)*x(1)
  end subroutine
  subroutine bv(a, b, c)
    real(wp), value :: a, b
    real(wp), intent(inout) :: c
    a = a*b
    b = b + a
    c = c*a + b
    call add(a, c)
    c = c*a
  end subroutine
  subroutine add(u, v)
    real(wp) :: u, v
    u = u + v
  end subroutine
end module
