! Pointers that leave their range: Fig. 3 of the paper, with a stride; marching.c in Fortran.
!
! In each row a pointer marches in steps of `stride` while the value is below 3. If it marched out of the row, it steps
! back and uses the value there. A Fortran pointer may not leave its target: what marches is a pair of base and offset,
! as Alg. 3 has it, of which a pointer is made where it is used.
module marching_sweeps
  use, intrinsic :: iso_c_binding
  use adtape
  use example
  implicit none
  private
  public :: original, forward_sweep, adjoint

  integer, parameter, public :: length = 12, stride = 5

  type :: row_t
    real(c_double), pointer :: v(:) => null()
  end type

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
    type(row_t) :: rows(size(x)/length)
    type(adtape_pair) :: pair
    integer :: r
    do r = 1, size(rows)
      allocate (rows(r)%v(length), source=x((r - 1)*length + 1:r*length))
      call live_add(rows(r)%v, ADTAPE_KIND_HEAP, 'row (real(8), 12)')
    end do
    y = 0
    do r = 1, size(rows)
      pair = adtape_pair(c_loc(rows(r)%v), 0)
      do while (.not. is_out(pair))
        if (at(pair) >= 3) exit
        pair = adtape_pair_add(pair, 8_c_int64_t*stride)
      end do
      call push_pair(pair%base, pair%offset)             ! line 18* of Alg. 3
      call push(is_out(pair))
      if (is_out(pair)) pair = adtape_pair_add(pair, -8_c_int64_t*stride)
      y = y + at(pair)**2*weight(r)
    end do
    do r = size(rows), 1, -1
      call push(rows(r)%v)
      call push_pointer(rows(r)%v)
      call live_end(c_loc(rows(r)%v))
      deallocate (rows(r)%v)
    end do
  end function

  ! ---- the reverse sweep -------------------------------------------------------------------------------

  subroutine adjoint(x, xb)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(inout) :: xb(:)
    type(row_t), target :: rows(size(x)/length), rowsb(size(x)/length)
    real(c_double), pointer :: v(:), vb(:)
    type(adtape_range) :: range
    type(adtape_pair), target :: pair
    integer(c_int64_t) :: right
    logical :: out
    integer :: r, k
    right = 0
    call live_begin_reverse()
    do r = 1, size(rows)
      call pop_range(range)
      allocate (v(length), vb(length))
      vb = 0
      call rebase_add(range, v, vb)
      call pop_pointer(rows(r)%v, rowsb(r)%v)
      call pop(rows(r)%v)
    end do
    do r = size(rows), 1, -1
      call pop(out)
      call pop_pair(pair)                                ! line 20*
      if (c_associated(pair%base, c_loc(rows(r)%v)) .and. (out .eqv. is_out(pair))) right = right + 1
      if (out) pair = adtape_pair_add(pair, -8_c_int64_t*stride)
      k = int(pair%offset/8) + 1
      rowsb(r)%v(k) = rowsb(r)%v(k) + 2*at(pair)*weight(r)
    end do
    call check_count('pointers that came back right', right, size(rows, kind=c_int64_t))
    do r = size(rows), 1, -1
      xb((r - 1)*length + 1:r*length) = xb((r - 1)*length + 1:r*length) + rowsb(r)%v
      call rebase_remove(c_loc(rows(r)%v))
      deallocate (rows(r)%v, rowsb(r)%v)
    end do
  end subroutine

end module marching_sweeps

program marching
  use, intrinsic :: iso_c_binding
  use adtape
  use example
  use marching_sweeps
  implicit none
  real(c_double), allocatable :: x(:), xb(:)
  real(c_double) :: y
  integer :: i
  allocate (x(length*argument(1, 10000)))
  do i = 1, size(x)
    x(i) = 2 + 1.2d0*noise(i)
    if (mod((i - 1)/length, 3) == 0) x(i) = 1            ! in every third row it marches out
  end do
  x(size(x) - length + 1:) = 1                           ! and in the last
  allocate (xb(size(x)), source=0d0)
  y = forward_sweep(x)
  call check_close('the forward sweep computes what the original computes', y, original(x), abs(y), 1d-13)
  call report_count('tape bytes', tape_bytes())
  call adjoint(x, xb)
  call check_nothing_left()
  call check_against_function(original, x, xb, 1d-7)
  call finish()
end program marching
