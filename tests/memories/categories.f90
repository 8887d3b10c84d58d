! Figures 1 and 2 of the paper, and one program for each of its categories of memory references, in the style of generated
! code; categories.c in Fortran, whose blocks are allocatables and what Fortran pointers allocate.
!
!   C1.a  a named variable                             the adjoint has a name
!   C1.b  through a pointer that is set once           its assignment is repeated
!   C2    the same with an offset that varies          the offset is recovered
!   C3    named memory on the heap: an allocatable     its size is recovered, and it is allocated again
!   C4    a computed address on the stack              Alg. 2
!   C5    unnamed memory on the heap                   Alg. 2
!
! Each has n inputs and one output, the sum of what it computes of two neighbours. A trailing `b` is an adjoint. No call
! of the library but push and pop is needed up to C3.
module categories_parts
  use, intrinsic :: iso_c_binding
  use adtape
  implicit none
  private
  public :: c1a, c1a_f, c1a_b, c1b, c1b_f, c1b_b, c2, c2_f, c2_b, c3, c3_f, c3_b, c4, c4_f, c4_b, c5, c5_f, c5_b

  integer, public :: moved = 0                           ! variables and blocks that came back elsewhere

contains

  ! ---- C1.a: Fig. 1, x(3) ------------------------------------------------------------------------------

  real(c_double) function c1a(u, v) result(y)
    real(c_double), intent(in) :: u, v
    real(c_double) :: x(10)
    x(3) = sin(u)
    y = x(3)*v
    x(3) = x(3)**2
    y = y + x(3)
  end function

  real(c_double) function c1a_f(u, v) result(y)
    real(c_double), intent(in) :: u, v
    real(c_double) :: x(10)
    call push(u)
    call push(v)
    x(3) = sin(u)
    y = x(3)*v
    call push(x(3))
    x(3) = x(3)**2
    y = y + x(3)
  end function

  subroutine c1a_b(yb, ub, vb)
    real(c_double), intent(in) :: yb
    real(c_double), intent(inout) :: ub, vb
    real(c_double) :: x(10), xb(10), u, v
    xb = 0
    xb(3) = xb(3) + yb
    call pop(x(3))
    xb(3) = 2*x(3)*xb(3)
    call pop(v)
    call pop(u)
    xb(3) = xb(3) + v*yb
    vb = vb + x(3)*yb
    ub = ub + cos(u)*xb(3)
  end subroutine

  ! ---- C1.b: Fig. 1, f00(p) ------------------------------------------------------------------------------

  real(c_double) function f00(p)
    real(c_double), pointer, intent(in) :: p
    f00 = p*p*2
  end function

  subroutine f00_b(p, pb, rb)
    real(c_double), pointer, intent(in) :: p, pb
    real(c_double), intent(in) :: rb
    pb = pb + 4*p*rb
  end subroutine

  real(c_double) function c1b(u, v) result(y)
    real(c_double), intent(in) :: u, v
    real(c_double), target :: x(2)
    real(c_double), pointer :: p, q
    x = [u, v]
    p => x(1)
    q => x(2)
    y = f00(p)*f00(q)
  end function

  real(c_double) function c1b_f(u, v) result(y)
    real(c_double), intent(in) :: u, v
    call push(u)
    call push(v)
    y = c1b(u, v)
  end function

  subroutine c1b_b(yb, ub, vb)
    real(c_double), intent(in) :: yb
    real(c_double), intent(inout) :: ub, vb
    real(c_double), target :: x(2), xb(2)
    real(c_double), pointer :: p, q, pb, qb
    call pop(x(2))
    call pop(x(1))
    xb = 0
    p => x(1)                                            ! the assignments are repeated
    q => x(2)
    pb => xb(1)
    qb => xb(2)
    call f00_b(p, pb, f00(q)*yb)
    call f00_b(q, qb, f00(p)*yb)
    ub = ub + xb(1)
    vb = vb + xb(2)
  end subroutine

  ! ---- C2: Fig. 2, a(i) = r(i) ---------------------------------------------------------------------------

  pure integer function index_of(u)
    real(c_double), intent(in) :: u
    index_of = mod(int(abs(u)*1000), 10) + 1
  end function

  real(c_double) function c2(u, v) result(y)
    real(c_double), intent(in) :: u, v
    real(c_double) :: a(10), r(10)
    integer :: i, j
    a = 0
    r = [(u*i, i=1, 10)]
    do j = 0, 2
      i = mod(index_of(u) + j*index_of(v), 10) + 1
      a(i) = r(i)*(a(i) + v)
    end do
    y = sum(a)
  end function

  real(c_double) function c2_f(u, v) result(y)
    real(c_double), intent(in) :: u, v
    real(c_double) :: a(10), r(10)
    integer :: i, j
    a = 0
    r = [(u*i, i=1, 10)]
    do j = 0, 2
      i = mod(index_of(u) + j*index_of(v), 10) + 1
      call push(a(i))
      a(i) = r(i)*(a(i) + v)
      call push(i)
    end do
    call push(r)
    call push(v)
    y = sum(a)
  end function

  subroutine c2_b(yb, ub, vb)
    real(c_double), intent(in) :: yb
    real(c_double), intent(inout) :: ub, vb
    real(c_double) :: a(10), ab(10), r(10), rb(10), v
    integer :: i, j
    ab = yb
    rb = 0
    call pop(v)
    call pop(r)
    do j = 2, 0, -1
      call pop(i)                                        ! recover i
      call pop(a(i))
      rb(i) = rb(i) + (a(i) + v)*ab(i)
      vb = vb + r(i)*ab(i)
      ab(i) = r(i)*ab(i)
    end do
    do i = 1, 10
      ub = ub + i*rb(i)
    end do
  end subroutine

  ! ---- C3: Fig. 2, allocate (x(n)) -----------------------------------------------------------------------

  real(c_double) function c3(u, v) result(y)
    real(c_double), intent(in) :: u, v
    real(c_double), allocatable :: x(:)
    integer :: j
    allocate (x(index_of(v)))
    do j = 1, size(x)
      x(j) = u*v + j
    end do
    y = sum(x**2)
  end function

  real(c_double) function c3_f(u, v) result(y)
    real(c_double), intent(in) :: u, v
    real(c_double), allocatable :: x(:)
    integer :: j
    allocate (x(index_of(v)))
    do j = 1, size(x)
      x(j) = u*v + j
    end do
    y = sum(x**2)
    call push(x)
    call push_count(size(x, kind=c_int64_t))
    deallocate (x)
    call push(u)
    call push(v)
  end function

  subroutine c3_b(yb, ub, vb)
    real(c_double), intent(in) :: yb
    real(c_double), intent(inout) :: ub, vb
    real(c_double), allocatable :: x(:), xb(:)
    real(c_double) :: u, v
    integer(c_int64_t) :: n
    call pop(v)
    call pop(u)
    call pop_count(n)                                    ! recover n
    allocate (xb(n), x(n))
    call pop(x)
    xb = 2*x*yb
    ub = ub + v*sum(xb)
    vb = vb + u*sum(xb)
    deallocate (x, xb)
  end subroutine

  ! ---- C4: a computed address on the stack -----------------------------------------------------------------

  real(c_double) function c4(u, v) result(y)
    real(c_double), intent(in) :: u, v
    y = max(u, v)**2
  end function

  real(c_double) function c4_f(u, v) result(y)
    real(c_double), intent(in) :: u, v
    real(c_double), target :: a, b
    real(c_double), pointer :: p
    a = u
    b = v
    call live_add(c_loc(a), 8, ADTAPE_KIND_STACK, 'a')   ! line 3
    call live_add(c_loc(b), 8, ADTAPE_KIND_STACK, 'b')
    p => b
    if (a > b) p => a
    y = p**2
    call push_pointer(c_loc(p))                          ! 18: p is needed, and goes
    call push(a)
    call push(b)
    call live_end(c_loc(b))                              ! 4
    call live_end(c_loc(a))
  end function

  ! Its frame has other variables, and lies elsewhere.
  subroutine c4_b(yb, ub, vb)
    real(c_double), intent(in) :: yb
    real(c_double), intent(inout) :: ub, vb
    real(c_double), target :: ab, a, bb, b
    real(c_double), pointer :: p, pb
    real(c_double), volatile :: others(32)
    type(c_ptr), target :: q, qb
    type(adtape_range) :: range
    ab = 0
    bb = 0
    others = 0
    call pop_range(range)                                ! 6
    call rebase_add(range, c_loc(a), c_loc(ab), 8)
    if (.not. c_associated(range%base, c_loc(a))) moved = moved + 1
    call pop_range(range)
    call rebase_add(range, c_loc(b), c_loc(bb), 8)
    call pop(b)
    call pop(a)
    call pop_pointer(q, qb)                              ! 20
    call c_f_pointer(q, p)
    call c_f_pointer(qb, pb)
    pb = pb + 2*p*yb
    call rebase_remove(c_loc(b))                         ! 7
    call rebase_remove(c_loc(a))
    ub = ub + ab
    vb = vb + bb
  end subroutine

  ! ---- C5: unnamed memory on the heap ----------------------------------------------------------------------

  real(c_double) function c5(u, v) result(y)
    real(c_double), intent(in) :: u, v
    real(c_double), pointer :: x(:), p
    allocate (x(10))
    p => x(index_of(v))
    p = u*v
    y = p**2
    deallocate (x)
  end function

  real(c_double) function c5_f(u, v) result(y)
    real(c_double), intent(in) :: u, v
    real(c_double), pointer :: x(:), p
    allocate (x(10))
    call live_add(c_loc(x), 80, ADTAPE_KIND_HEAP, 'x (real(8), 10)') ! line 10
    x = 0
    p => x(index_of(v))
    p = u*v
    y = p**2
    call push_pointer(c_loc(p))                          ! 18
    call push(x)
    call live_end(c_loc(x))                              ! 13
    deallocate (x)
    call push(u)
    call push(v)
  end function

  subroutine c5_b(yb, ub, vb)
    real(c_double), intent(in) :: yb
    real(c_double), intent(inout) :: ub, vb
    real(c_double), pointer :: x(:), xb(:), p, pb
    real(c_double) :: u, v
    type(c_ptr), target :: q, qb
    type(adtape_range) :: range
    call pop(v)
    call pop(u)
    call pop_range(range)                                ! 14
    allocate (xb(range%bytes/8))                         ! first, so that it gets the block's old address
    allocate (x(range%bytes/8))
    xb = 0
    call rebase_add(range, c_loc(x), c_loc(xb), range%bytes)
    if (.not. c_associated(range%base, c_loc(x))) moved = moved + 1
    call pop(x)
    call pop_pointer(q, qb)                              ! 20
    call c_f_pointer(q, p)
    call c_f_pointer(qb, pb)
    pb = pb + 2*p*yb
    ub = ub + v*pb
    vb = vb + u*pb
    call rebase_remove(c_loc(x))                         ! 11
    deallocate (x, xb)
  end subroutine

end module categories_parts

program categories
  use, intrinsic :: iso_c_binding
  use adtape
  use example
  use categories_parts
  implicit none

  abstract interface
    real(c_double) function part(u, v)
      import :: c_double
      real(c_double), intent(in) :: u, v
    end function
    subroutine adjoint_part(yb, ub, vb)
      import :: c_double
      real(c_double), intent(in) :: yb
      real(c_double), intent(inout) :: ub, vb
    end subroutine
  end interface

  real(c_double), allocatable :: x(:)
  integer :: i
  ! Not near to where an index or a branch changes.
  x = [((floor(1000*noise(i)) + 0.5d0)/1000, i=1, argument(1, 10000))]
  call check('C1.a: a named variable', c1a, c1a_f, c1a_b, .false.)
  call check('C1.b: through a pointer that is set once', c1b, c1b_f, c1b_b, .false.)
  call check('C2: with an offset that varies', c2, c2_f, c2_b, .false.)
  call check('C3: named memory on the heap', c3, c3_f, c3_b, .false.)
  call check('C4: a computed address on the stack', c4, c4_f, c4_b, .true.)
  call check('C5: unnamed memory on the heap', c5, c5_f, c5_b, .true.)
  call finish()

contains

  real(c_double) function total(f, values) result(y)
    procedure(part) :: f
    real(c_double), intent(in) :: values(:)
    integer :: k
    y = 0
    do k = 1, size(values)
      y = y + f(values(k), values(mod(k, size(values)) + 1))
    end do
  end function

  subroutine check(heading, original, forward_sweep, adjoint, addresses)
    character(*), intent(in) :: heading
    procedure(part) :: original, forward_sweep
    procedure(adjoint_part) :: adjoint
    logical, intent(in) :: addresses
    real(c_double), parameter :: h = 1.0d-5
    real(c_double) :: xb(size(x)), direction(size(x)), value
    type(adtape_live_stats) :: counts
    integer :: k
    print '(2a)', '---- ', heading
    value = total(forward_sweep, x)
    call check_close('the forward sweep computes what the original computes', value, total(original, x), abs(value), 1d-14)
    xb = 0
    call live_begin_reverse()
    do k = size(x), 1, -1
      call adjoint(1d0, xb(k), xb(mod(k, size(x)) + 1))
    end do
    call check_tape_empty('bytes on the tape after the adjoint')
    direction = [(noise(k + 31), k=1, size(x))]
    call check_close('the gradient against finite differences', dot_product(xb, direction), &
      (total(original, x + h*direction) - total(original, x - h*direction))/(2*h), sum(abs(xb*direction)), 1d-8)
    if (.not. addresses) return
    call live_stats(counts)
    call check_count('ranges left alive', counts%ranges, 0_c_int64_t)
    call check_count('some came back elsewhere', int(min(moved, 1), c_int64_t), 1_c_int64_t)
    moved = 0
  end subroutine

end program categories
