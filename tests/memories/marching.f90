! Pointers that leave their range: Fig. 3 of the paper, with a stride; marching.c in Fortran.
!
! In each row a pointer marches in steps of `stride` while the value is below 3. If it marched out of the row, it steps
! back and uses the value there. A Fortran pointer may not leave its target: what marches is a pair of base and offset,
! as Alg. 3 has it, of which a pointer is made where it is used. `marching alg2` pushes the bare address (Alg. 2): the
! library ends the program where that is in no range.
module marching_sweeps
  use, intrinsic :: iso_c_binding
  use adtape
  use example
  use blocks
  implicit none
  private
  public :: original, forward_sweep, adjoint

  integer, parameter, public :: length = 12, stride = 5
  logical, public :: pairs = .true.                      ! Alg. 3, else Alg. 2

contains

  ! The value at a place that is in its row.
  function at(pair) result(v)
    type(adtape_pair), intent(in) :: pair
    real(c_double), pointer :: v, row(:)
    call c_f_pointer(pair%base, row, [length])
    v => row(pair%offset/8 + 1)
  end function

  pure integer function weight(r)
    integer, intent(in) :: r
    weight = mod(r - 1, 5) + 1
  end function

  pure logical function is_out(pair)
    type(adtape_pair), intent(in) :: pair
    is_out = pair%offset >= 8*length
  end function

  ! ---- the original ------------------------------------------------------------------------------------

  real(c_double) function original(x) result(y)
    real(c_double), intent(in) :: x(:)
    integer :: r, k
    y = 0
    do r = 1, size(x)/length
      associate (row => x((r - 1)*length + 1:r*length))
        do k = 1, length, stride
          if (row(k) >= 3) exit
        end do
        if (k > length) k = k - stride
        y = y + row(k)**2*weight(r)
      end associate
    end do
  end function

  ! ---- the forward sweep -------------------------------------------------------------------------------

  real(c_double) function forward_sweep(x) result(y)
    real(c_double), intent(in) :: x(:)
    type(c_ptr) :: rows(size(x)/length)
    real(c_double), pointer :: row(:)
    type(adtape_pair) :: pair
    integer :: r
    do r = 1, size(rows)
      rows(r) = birth(8_c_int64_t*length, 'row (real(8), 12)')
      call c_f_pointer(rows(r), row, [length])
      row = x((r - 1)*length + 1:r*length)
    end do
    y = 0
    do r = 1, size(rows)
      pair = adtape_pair(rows(r), 0)
      do while (.not. is_out(pair))
        if (at(pair) >= 3) exit
        pair = adtape_pair_add(pair, 8_c_int64_t*stride)
      end do
      if (pairs) then
        call push_place(pair)
      else
        call push_link(moved_by(pair%base, pair%offset))
      end if
      call push(is_out(pair))
      if (is_out(pair)) pair = adtape_pair_add(pair, -8_c_int64_t*stride)
      y = y + at(pair)**2*weight(r)
    end do
    do r = size(rows), 1, -1
      call c_f_pointer(rows(r), row, [length])
      call push(row)
      call push_link(rows(r))
      call death(rows(r))
    end do
  end function

  ! ---- the reverse sweep -------------------------------------------------------------------------------

  subroutine adjoint(x, xb)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(inout) :: xb(:)
    type(c_ptr), target :: rows(size(x)/length), rowsb(size(x)/length)
    type(c_ptr) :: p, pb
    real(c_double), pointer :: row(:), v
    type(adtape_pair) :: pair
    integer(c_int64_t) :: right
    logical :: out
    integer :: r
    right = 0
    call turn()
    do r = 1, size(rows)
      call rebirth(p, pb)
      call pop_link(rows(r), rowsb(r))
      call c_f_pointer(rows(r), row, [length])
      call pop(row)
    end do
    do r = size(rows), 1, -1
      call pop(out)
      call pop_place(pair, pb)
      if (c_associated(pair%base, rows(r)) .and. c_associated(pb, moved_by(rowsb(r), pair%offset)) &
        .and. (out .eqv. is_out(pair))) right = right + 1
      if (out) pair = adtape_pair_add(pair, -8_c_int64_t*stride)
      v => at(adtape_pair(rowsb(r), pair%offset))
      v = v + 2*at(pair)*weight(r)
    end do
    call check_count('pointers that came back right', right, size(rows, kind=c_int64_t))
    do r = size(rows), 1, -1
      call c_f_pointer(rowsb(r), row, [length])
      xb((r - 1)*length + 1:r*length) = xb((r - 1)*length + 1:r*length) + row
      call unborn(rows(r))
    end do
  end subroutine

end module marching_sweeps

program marching
  use, intrinsic :: iso_c_binding
  use example
  use blocks
  use marching_sweeps
  implicit none
  real(c_double), allocatable :: x(:)
  real(c_double) :: value
  character(16) :: word
  integer :: rows, i
  rows = 10000
  call get_command_argument(1, word)
  pairs = word /= 'alg2'
  if (pairs) call choose_memory(rows)
  allocate (x(rows*length))
  do i = 1, size(x)
    x(i) = 2 + 1.2d0*noise(i)
    if (mod((i - 1)/length, 3) == 0) x(i) = 1            ! in every third row it marches out
  end do
  x(size(x) - length + 1:) = 1                           ! and in the last
  if (pairs) then
    call check_over_both(original, forward_sweep, adjoint, x, 1.0d-6, 1.0d-7)
    call finish()
  else
    value = forward_sweep(x)
    print '(a)', 'Alg. 2 noticed nothing: FAILED'
  end if
end program marching
