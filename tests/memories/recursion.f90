! Local variables whose addresses are taken, in a recursion; recursion.c in Fortran.
!
!   u_d = sin(2 x_d + best / 2),   best = max(best, u_d),   y = sum of u_d * best
!
! `best` is a pointer to a variable of this frame or of one that called it (category C4 of the paper). Three ways to run the
! reverse sweep: in routines of their own; in the routine of the forward sweep, by a switch; and on another thread's stack.
! Threads are those of POSIX, which Fortran reaches as C does. Addresses are type(c_ptr); a Fortran pointer is made of one
! by c_f_pointer where it is used.
module recursion_sweeps
  use, intrinsic :: iso_c_binding
  use adtape
  implicit none
  private
  public :: original, forward_sweep, separate, encapsulated, on_thread, forward_thread, reverse_thread

  type(adtape_tape), public :: t
  real(c_double), allocatable, public :: x(:), xb(:)
  integer(c_int64_t), public :: frames = 0, moved = 0    ! that came back, and of them those that lie elsewhere
  logical, public :: identity = .false.                  ! takes addresses of the forward sweep for ones of now: wrong
  real(c_double), public :: value = 0                    ! of the forward sweep
  type(c_ptr), target :: ignored

  ! Of <pthread.h>, with attributes in as many bytes as any system has for them.
  interface
    integer(c_int) function pthread_attr_init(attributes) bind(c)
      import :: c_int, c_int64_t
      integer(c_int64_t), intent(out) :: attributes(32)
    end function
    integer(c_int) function pthread_attr_setstacksize(attributes, bytes) bind(c)
      import :: c_int, c_int64_t, c_size_t
      integer(c_int64_t), intent(inout) :: attributes(32)
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function pthread_create(thread, attributes, routine, argument) bind(c)
      import :: c_int, c_int64_t, c_funptr, c_ptr
      type(c_ptr), intent(out) :: thread
      integer(c_int64_t), intent(in) :: attributes(32)
      type(c_funptr), value :: routine
      type(c_ptr), value :: argument
    end function
    integer(c_int) function pthread_join(thread, result) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: thread, result
    end function
  end interface

contains

  real(c_double) function at(p)
    type(c_ptr), intent(in) :: p
    real(c_double), pointer :: v
    at = 0
    if (.not. c_associated(p)) return
    call c_f_pointer(p, v)
    at = v
  end function

  subroutine add(p, increment)
    type(c_ptr), intent(in) :: p
    real(c_double), intent(in) :: increment
    real(c_double), pointer :: v
    if (.not. c_associated(p)) return
    call c_f_pointer(p, v)
    v = v + increment
  end subroutine

  ! ---- the original ------------------------------------------------------------------------------------

  recursive real(c_double) function original(values, d, best) result(y)
    real(c_double), intent(in) :: values(:)
    integer, intent(in) :: d
    real(c_double), intent(in), target, optional :: best
    real(c_double), pointer :: largest
    real(c_double), target :: u
    u = 2*values(d)
    largest => u
    if (present(best)) u = u + 0.5d0*best
    u = sin(u)
    if (present(best)) then
      if (u <= best) largest => best
    end if
    y = u*largest
    if (d < size(values)) y = y + original(values, d + 1, largest)
  end function

  ! ---- the forward sweep, Alg. 2 lines 3, 4, 18 ----------------------------------------------------------

  subroutine push_best(best)
    type(c_ptr), intent(in) :: best
    if (identity) call push(t, best)
    call push_pointer(t, best)
  end subroutine

  recursive real(c_double) function forward_sweep(d, best) result(y)
    integer, intent(in) :: d
    type(c_ptr), intent(in) :: best
    type(c_ptr) :: largest
    real(c_double), target :: u
    call live_add(c_loc(u), 8, ADTAPE_KIND_STACK, 'u')
    u = sin(2*x(d) + 0.5d0*at(best))
    call push_best(best)
    largest = best
    if (.not. c_associated(best) .or. u > at(best)) largest = c_loc(u)
    y = u*at(largest)
    if (d < size(x)) y = y + forward_sweep(d + 1, largest)
    call push_best(largest)
    call push(t, u)
    call live_end(t, c_loc(u))
  end function

  ! ---- the reverse sweep in a routine of its own, lines 6, 7, 20 -----------------------------------------

  subroutine pop_best(best, bestb)
    type(c_ptr), intent(inout), target :: best, bestb
    if (identity) then
      call pop_pointer(t, ignored, bestb)
      call pop(t, best)
    else
      call pop_pointer(t, best, bestb)
    end if
  end subroutine

  subroutine enter_frame(u, ub)
    real(c_double), intent(inout), target :: u, ub
    type(adtape_range) :: range
    call pop_range(t, range)
    call rebase_add(range, c_loc(u), c_loc(ub), 8)
    frames = frames + 1
    if (.not. c_associated(range%base, c_loc(u))) moved = moved + 1
    call pop(t, u)
  end subroutine

  recursive subroutine separate(d)
    integer, intent(in) :: d
    real(c_double), target :: u, ub
    real(c_double) :: slope
    type(c_ptr), target :: best, bestb, was, wasb
    ub = 0
    call enter_frame(u, ub)
    call pop_best(best, bestb)
    if (d < size(x)) call separate(d + 1)
    ub = ub + at(best)
    call add(bestb, u)
    call pop_best(was, wasb)
    slope = cos(2*x(d) + 0.5d0*at(was))*ub
    xb(d) = xb(d) + 2*slope
    call add(wasb, 0.5d0*slope)
    call rebase_remove(c_loc(u))
  end subroutine

  ! ---- both sweeps in one routine ------------------------------------------------------------------------

  recursive real(c_double) function encapsulated(reverse, d, best) result(y)
    logical, intent(in) :: reverse
    integer, intent(in) :: d
    type(c_ptr), intent(in) :: best
    type(c_ptr), target :: largest, largestb
    real(c_double), target :: u, ub
    real(c_double) :: slope
    y = 0
    if (.not. reverse) then
      call live_add(c_loc(u), 8, ADTAPE_KIND_STACK, 'u')
      u = sin(2*x(d) + 0.5d0*at(best))
      call push_best(best)
      largest = best
      if (.not. c_associated(best) .or. u > at(best)) largest = c_loc(u)
      y = u*at(largest)
      if (d < size(x)) y = y + encapsulated(.false., d + 1, largest)
      call push_best(largest)
      call push(t, u)
      call live_end(t, c_loc(u))
    else
      ub = 0
      call enter_frame(u, ub)
      call pop_best(largest, largestb)
      if (d < size(x)) slope = encapsulated(.true., d + 1, c_null_ptr)
      ub = ub + at(largest)
      call add(largestb, u)
      call pop_best(largest, largestb)
      slope = cos(2*x(d) + 0.5d0*at(largest))*ub
      xb(d) = xb(d) + 2*slope
      call add(largestb, 0.5d0*slope)
      call rebase_remove(c_loc(u))
    end if
  end function

  ! ---- each sweep on the stack of another thread -----------------------------------------------------------

  type(c_ptr) function forward_thread(unused) bind(c)
    type(c_ptr), value :: unused
    call adtape_acquire(t)
    value = forward_sweep(1, c_null_ptr)
    call adtape_release(t, t)
    forward_thread = unused
  end function

  type(c_ptr) function reverse_thread(unused) bind(c)
    type(c_ptr), value :: unused
    call adtape_acquire(t)
    call live_begin_reverse()
    call separate(1)
    call adtape_release(t, t)
    reverse_thread = unused
  end function

  subroutine on_thread(sweep, stack_bytes)
    interface
      type(c_ptr) function sweep(unused) bind(c)
        import :: c_ptr
        type(c_ptr), value :: unused
      end function
    end interface
    integer(c_size_t), intent(in) :: stack_bytes
    integer(c_int64_t) :: attributes(32)
    type(c_ptr) :: thread
    if (pthread_attr_init(attributes) /= 0) error stop 'no attributes of a thread'
    if (pthread_attr_setstacksize(attributes, stack_bytes) /= 0) error stop 'no stack of this size'
    if (pthread_create(thread, attributes, c_funloc(sweep), c_null_ptr) /= 0) error stop 'no thread'
    if (pthread_join(thread, c_null_ptr) /= 0) error stop 'the thread cannot be joined'
  end subroutine

end module recursion_sweeps

program recursion
  use, intrinsic :: iso_c_binding
  use adtape
  use example
  use recursion_sweeps
  implicit none
  real(c_double), allocatable :: first(:)
  real(c_double) :: ignored
  integer(c_size_t), parameter :: mebibyte = 2**20
  character(16) :: word
  integer :: n, i
  n = 2000
  do i = 1, command_argument_count()
    call get_command_argument(i, word)
    identity = identity .or. word == 'identity'
    if (word /= 'identity') n = argument(i, n)
  end do
  x = [(noise(i), i=1, n)]
  allocate (xb(n))

  t = adtape_self()
  call begin('separate adjoint')
  value = forward_sweep(1, c_null_ptr)
  call live_begin_reverse()
  call separate(1)
  call check()
  call check_count('of them elsewhere', min(moved, 1_c_int64_t), 1_c_int64_t)
  first = xb

  call begin('encapsulated adjoint')
  value = encapsulated(.false., 1, c_null_ptr)
  call live_begin_reverse()
  ignored = encapsulated(.true., 1, c_null_ptr)
  call check()
  call check_same_bits('the gradient of the separate adjoint, bit for bit', xb, first)

  call begin('sweeps on the stacks of two threads')
  call adtape_create(t)
  call adtape_release(t, t)
  call on_thread(forward_thread, 4*mebibyte)
  call on_thread(reverse_thread, 7*mebibyte)
  call adtape_acquire(t)
  call check()
  call check_count('of them elsewhere', min(moved, 1_c_int64_t), 1_c_int64_t)
  call check_same_bits('the gradient of the separate adjoint, bit for bit', xb, first)
  call adtape_destroy(t)
  call finish()

contains

  subroutine begin(heading)
    character(*), intent(in) :: heading
    print '(2a)', '-- ', heading
    frames = 0
    moved = 0
    xb = 0
  end subroutine

  ! After both sweeps, one of the ways.
  subroutine check()
    real(c_double), parameter :: h = 1.0d-5
    real(c_double) :: direction(n)
    type(adtape_live_stats) :: counts
    type(adtape_stats) :: stats
    call check_close('the forward sweep computes what the original computes', value, original(x, 1), abs(value), 1d-13)
    call tape_stats(t, stats)
    call check_count('bytes on the tape after the adjoint', stats%bytes, 0_c_int64_t)
    call live_stats(counts)
    call check_count('ranges left alive', counts%ranges, 0_c_int64_t)
    call check_count('frames that came back', frames, int(n, c_int64_t))
    direction = [(noise(i + 31), i=1, n)]
    call check_close('the gradient against finite differences', dot_product(xb, direction), &
      (original(x + h*direction, 1) - original(x - h*direction, 1))/(2*h), sum(abs(xb*direction)), 1.0d-8)
  end subroutine

end program recursion
