! Program units, their headers and what they contain.
module shapes
  use, intrinsic :: iso_c_binding, only: c_int, c_double
  use other, local => remote, operator(.in.) => operator(.of.)
  implicit none
  private
  public :: area, operator(+), assignment(=), read(formatted)
  integer, parameter, public :: wp = kind(1.0d0)
  type, abstract, public :: shape
    private
    integer :: id = 0
    real(wp), allocatable :: x(:), y(:)
  contains
    private
    procedure(area_of), deferred, public :: area
    procedure, pass(self) :: move => move_shape, turn
    generic, public :: operator(+) => move
    final :: destroy
  end type shape
  type, extends(shape) :: box(k, n)
    integer, kind :: k = 4
    integer, len :: n
    real(k), dimension(n) :: side
    procedure(real), pointer, nopass :: f => null()
    type(box(k, :)), pointer :: next => null()
  end type
  type, bind(c) :: pair
    sequence
    integer(c_int) :: a, b
  end type pair
  enum, bind(c)
    enumerator :: red = 1, green
    enumerator blue
  end enum
  abstract interface
    pure function area_of(self) result(a)
      import :: shape, wp
      class(shape), intent(in) :: self
      real(wp) :: a
    end function
    subroutine plain
      import, none
    end subroutine
  end interface
  interface operator(+)
    module procedure add, add_more
    procedure :: add_all
  end interface
  interface assignment(=)
    module procedure :: set
  end interface assignment(=)
  interface
    module subroutine elsewhere(x)
      real, intent(in out) :: x
    end subroutine elsewhere
  end interface
contains
  elemental impure real(wp) function area(s) result(a) bind(c, name="area")
    class(*), intent(in), optional :: s
    a = 1
  end function area
  recursive subroutine many(a, *, b)
    integer, value :: a
    character(len=*), target, contiguous :: b(:)
    entry more(a, *)
    return 1
  contains
    type(pair) function inner()
      inner = pair(1, 2)
    end function
  end subroutine
end module shapes

submodule (shapes:middle) lower
contains
  module procedure elsewhere
    x = 2
  end procedure elsewhere
  module subroutine again
  end subroutine
end submodule

block data start
  common /state/ a, b(3) // c
  data a, (b(i), i = 1, 3) / 1.0, 3*0.5 /, c / -2 /
end block data

program main
  print *, 'done'
end program main
