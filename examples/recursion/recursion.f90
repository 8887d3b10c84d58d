! Local variables whose addresses are taken, in a recursion; recursion.c in Fortran.
!
!   u_d = sin(2 x_d + best / 2),   best = max(best, u_d),   y = sum of u_d * best
!
! `best` is a pointer to a variable of this frame or of one that called it (category C4 of the paper). Addresses are
! type(c_ptr); a Fortran pointer is made of one by c_f_pointer where it is used.
module recursion_sweeps
  use, intrinsic :: iso_c_binding
  use adtape
  implicit none
  private
  public :: original, forward_sweep, reverse_sweep

  real(c_double), allocatable, public :: x(:), xb(:)
  integer(c_int64_t), public :: moved = 0                ! frames that lie elsewhere

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

  real(c_double) function original(values) result(y)
    real(c_double), intent(in) :: values(:)
    y = recurse(values, 1)
  end function

  recursive real(c_double) function recurse(values, d, best) result(y)
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
    if (d < size(values)) y = y + recurse(values, d + 1, largest)
  end function

  ! ---- the forward sweep, Alg. 2 lines 3, 4, 18 ----------------------------------------------------------

  recursive real(c_double) function forward_sweep(d, best) result(y)
    integer, intent(in) :: d
    type(c_ptr), intent(in) :: best
    type(c_ptr) :: largest
    real(c_double), target :: u
    call live_add(c_loc(u), 8, ADTAPE_KIND_STACK, 'u')
    u = sin(2*x(d) + 0.5d0*at(best))
    call push_pointer(best)
    largest = best
    if (.not. c_associated(best) .or. u > at(best)) largest = c_loc(u)
    y = u*at(largest)
    if (d < size(x)) y = y + forward_sweep(d + 1, largest)
    call push_pointer(largest)
    call push(u)
    call live_end(c_loc(u))
  end function

  ! ---- the reverse sweep in a routine of its own, lines 6, 7, 20 -----------------------------------------

  recursive subroutine reverse_sweep(d)
    integer, intent(in) :: d
    real(c_double), target :: u, ub
    real(c_double) :: slope
    type(c_ptr), target :: best, bestb, was, wasb
    type(adtape_range) :: range
    ub = 0
    call pop_range(range)
    call rebase_add(range, c_loc(u), c_loc(ub), 8)
    if (.not. c_associated(range%base, c_loc(u))) moved = moved + 1
    call pop(u)
    call pop_pointer(best, bestb)
    if (d < size(x)) call reverse_sweep(d + 1)
    ub = ub + at(best)
    call add(bestb, u)
    call pop_pointer(was, wasb)
    slope = cos(2*x(d) + 0.5d0*at(was))*ub
    xb(d) = xb(d) + 2*slope
    call add(wasb, 0.5d0*slope)
    call rebase_remove(c_loc(u))
  end subroutine

end module recursion_sweeps

program recursion
  use, intrinsic :: iso_c_binding
  use adtape
  use example
  use recursion_sweeps
  implicit none
  real(c_double) :: y
  integer :: i
  x = [(noise(i), i=1, argument(1, 2000))]
  allocate (xb(size(x)), source=0d0)
  y = forward_sweep(1, c_null_ptr)
  call check_close('the forward sweep computes what the original computes', y, original(x), abs(y), 1d-13)
  call report_count('tape bytes', tape_bytes())
  call live_begin_reverse()
  call reverse_sweep(1)
  call check_count('some frames elsewhere', min(moved, 1_c_int64_t), 1_c_int64_t)
  call check_nothing_left()
  call check_against_function(original, x, xb, 1d-7)
  call finish()
end program recursion
