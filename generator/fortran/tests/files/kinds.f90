! Types, kinds and values of constants, as gfortran sees them.
module precision
  use, intrinsic :: iso_fortran_env, only: int64, real64, single => real32
  use, intrinsic :: iso_c_binding, only: c_int, c_double
  implicit none
  private
  integer, parameter, public :: wp = kind(1.0d0), sp = single, long = int64
  integer, parameter, public :: quad = selected_real_kind(15, 307), small = selected_int_kind(3)
  integer, parameter, public :: many = 2**10 - 1, seven = 7, two = -7/3 + 4, off = mod(-7, 3), on = modulo(-7, 3)
  real(wp), parameter, public :: tenth = 0.1, exact = 0.1_wp, third = 1.0_wp/3, tiny1 = epsilon(1.0_wp)
  real, parameter, public :: single1 = 1.0/3.0, half = 0.5d0, big = huge(1.0), sum1 = 0.1 + 0.2, root = sqrt(2.0)
  integer, parameter, public :: table(3) = [1, seven*2, many], three = size(table), second = table(2)
  logical, parameter, public :: yes = seven > 3 .and. .not. (wp == sp), no = 1.0 == 2.0
  integer(long), parameter, public :: wide = 3000000000_long, cut = int(3.9), near = nint(-2.5)
  character(len=*), parameter, public :: word = 'ab' // 'cd'
  integer, parameter, public :: letters = len(word), code = ichar('A'), most = max(3, 5, 4)
  integer(c_int), parameter, public :: cint = 5
  enum, bind(c)
    enumerator :: red = 3, green, blue = 7, black
  end enum
  integer, parameter, public :: dark = black
  type, public :: point
    real(wp) :: x, y
    integer :: tags(4)
  end type point
  interface norm
    module procedure norm_single, norm_double, norm_vector
  end interface
  public :: norm
contains
  real function norm_single(x)
    real, intent(in) :: x
    norm_single = abs(x)
  end function
  real(wp) function norm_double(x)
    real(wp), intent(in) :: x
    norm_double = abs(x)
  end function
  function norm_vector(x) result(r)
    real(wp), intent(in) :: x(:)
    real(wp) :: r(2)
    r = sum(x)
  end function
end module precision

subroutine kinds(n, a, b, c)
  use precision, work => wp
  implicit none
  integer :: n
  real(work), intent(in) :: a(0:n, *)
  real(sp), optional :: b(:, 2:)
  complex(work), allocatable, save :: c1(:)
  double precision :: d
  real*8 :: e
  complex*16 :: f
  logical(1) :: g
  integer*2 :: h
  character(len=3) :: s
  character :: t*5
  type(point) :: p(3)
  real(work), pointer :: q(:)
  real :: c
  complex(sp) :: z
  integer(long) :: i8
  a1: associate (x => p(1)%x)
    d = x + norm(1.0) + norm(d)
  end associate a1
  c1 = norm(q) + f
  g = present(b)
  e = real(n) + real(n, work) + dble(h) + i8 + c*d + abs(z) + size(a, 1) + p(2)%tags(1)
  s = t(1:3)
contains
  subroutine inner(k)
    real(work) :: k
    integer :: n
    n = 1
    k = d
  end subroutine
end subroutine kinds
