! Each public procedure takes n, x(n), y(n). Functions that return derived types, and operators of such types.
module vectors
  implicit none
  private
  integer, parameter, public :: wp = kind(1.0d0)
  type, public :: vector
    real(wp) :: x = 0, y = 0, z = 0
  end type
  type, public :: body
    type(vector) :: r, v
    real(wp) :: mass(2) = 1
  end type
  interface operator(+)
    module procedure plus, moved
  end interface
  interface operator(*)
    module procedure scaled
  end interface
  interface operator(-)
    module procedure minus
  end interface
  interface operator(.dot.)
    module procedure dot
  end interface
  public :: operator(+), operator(*), operator(-), operator(.dot.), pulled
contains
  elemental function plus(a, b) result(c)
    type(vector), intent(in) :: a, b
    type(vector) :: c
    c%x = a%x + b%x
    c%y = a%y + b%y
    c%z = a%z + b%z
  end function

  pure type(body) function moved(a, b)
    type(body), intent(in) :: a
    type(vector), intent(in) :: b
    moved%r = a%r + b
    moved%v = a%v
    moved%mass = a%mass*2
  end function

  elemental function scaled(s, a) result(c)
    real(wp), intent(in) :: s
    type(vector), intent(in) :: a
    type(vector) :: c
    c = vector(s*a%x, s*a%y, s*a%z)
  end function

  elemental function minus(a) result(c)
    type(vector), intent(in) :: a
    type(vector) :: c
    c = (-1.0_wp)*a
  end function

  pure real(wp) function dot(a, b)
    type(vector), intent(in) :: a, b
    dot = a%x*b%x + a%y*b%y + a%z*b%z
  end function

  ! Some components keep their first values.
  function pulled(r) result(a)
    type(vector), intent(in) :: r
    type(vector) :: a
    real(wp) :: d
    if (r%x > 100) return
    d = sqrt(r .dot. r)
    a = -(1/d**3)*r
    a%z = a%z*0.5_wp
  end function
end module

module operators
  use vectors
  implicit none
  private
  public :: steps, called, elements, lists
contains
  subroutine steps(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    type(vector) :: r, v
    integer :: k
    r = vector(x(1), x(2), x(3))
    v = vector(y(1), y(2), y(3))
    do k = 1, 4
      v = v + 0.05_wp*pulled(r)
      r = r + 0.05_wp*v
    end do
    x(1) = r%x
    x(2) = r%y
    y(3) = v%z + (r .dot. v)*2
    if ((r .dot. v) > 0) y(4) = y(4)*(r + v .dot. v)
  end subroutine

  subroutine called(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    type(vector) :: a
    type(body) :: b
    a = pulled(vector(x(1), x(2), z=x(3)))
    y(1) = a%x*y(2)
    b%r = a
    b%mass = x(1:2)
    b%v = pulled(-(b%r + a))
    b = b + vector(x(4), 1.0_wp, 2.0_wp)
    b = b + b%v
    y(2) = norm(b%r, pulled(b%v)) + sum(b%mass)
    a = pulled(vector(1000.0_wp, x(1), x(2)))
    y(3) = a%x + x(2)*y(3)
  end subroutine

  real(wp) function norm(a, b)
    type(vector), intent(in) :: a, b
    norm = sqrt(a .dot. a) + (b .dot. a)
  end function

  subroutine elements(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    type(vector) :: a(3), b(3)
    integer :: i
    do i = 1, 3
      a(i) = vector(x(i), y(i), x(i)*y(i))
    end do
    b = a + 2.0_wp*a
    b(2:3) = x(1:2)*(a(1:2) + a(2))
    b(1) = b(2) + b(1)
    x(1:3) = b%x*b%y
    y(1) = b(1) .dot. b(3)
  end subroutine

  subroutine lists(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    type(vector) :: a
    a = vector(x(1), y(1), 1.0_wp)
    y = y*listed(a + a)
    x = listed(2.0_wp*pulled(a))*y
  end subroutine

  function listed(a) result(list)
    type(vector), intent(in) :: a
    real(wp) :: list(8)
    list = [a%x, a%y, a%z, a%x*a%y, a%x, a%y, a%z, a%z]
  end function
end module
