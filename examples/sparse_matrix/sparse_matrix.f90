! A sparse matrix that grows while it is assembled; over maps of addresses.
!
! y = x' A x, with the entries of A functions of x. A pointer to the row's entries is kept while the row is assembled, and
! moves along when the array does. Fortran has no realloc: a larger array is allocated, what there is is copied, and
! move_alloc gives the larger one the name. deallocate_save keeps the contents of the old array and undo_deallocate brings
! it back, elsewhere; the pointer to the row follows.
module sparse_matrix_sweeps
  use, intrinsic :: iso_c_binding
  use adtape
  implicit none
  private
  public :: original, forward_sweep, adjoint

  integer, parameter :: in_row = 7, first_room = 4

contains

  pure integer function column(n, i, j)
    integer, intent(in) :: n, i, j
    column = mod((i - 1)*j + 3*(j - 1), n) + 1
  end function

  pure real(c_double) function product_with(a, x) result(y)
    real(c_double), intent(in) :: a(:), x(:)
    integer :: i, j
    y = 0
    do i = 1, size(x)
      do j = 1, in_row
        y = y + x(i)*a((i - 1)*in_row + j)*x(column(size(x), i, j))
      end do
    end do
  end function

  pure subroutine product_with_b(a, ab, x, xb)
    real(c_double), intent(in) :: a(:), x(:)
    real(c_double), intent(inout) :: ab(:), xb(:)
    integer :: i, j, k, l
    do i = size(x), 1, -1
      do j = in_row, 1, -1
        k = column(size(x), i, j)
        l = (i - 1)*in_row + j
        xb(i) = xb(i) + a(l)*x(k)
        ab(l) = ab(l) + x(i)*x(k)
        xb(k) = xb(k) + x(i)*a(l)
      end do
    end do
  end subroutine

  ! ---- the original ----------------------------------------------------------------------------------

  real(c_double) function original(x) result(y)
    real(c_double), intent(in) :: x(:)
    real(c_double), allocatable, target :: a(:), grown(:)
    real(c_double), pointer :: row(:)
    integer :: i, j, used
    allocate (a(first_room))
    used = 0
    do i = 1, size(x)
      row => a(used + 1:)
      do j = 1, in_row
        if (used == size(a)) then
          allocate (grown(2*used))
          grown(:used) = a
          call move_alloc(grown, a)
          row => a((i - 1)*in_row + 1:)
        end if
        used = used + 1
        a(used) = sin(x(i)*j)
        if (j > 1) a(used) = a(used) + row(1)
      end do
    end do
    y = product_with(a, x)
  end function

  ! ---- the forward sweep -----------------------------------------------------------------------------

  real(c_double) function forward_sweep(x) result(y)
    real(c_double), intent(in) :: x(:)
    real(c_double), allocatable, target :: a(:), grown(:)
    real(c_double), pointer :: row(:)
    integer :: i, j, used
    logical :: grows
    allocate (a(first_room), source=0d0)
    call live_add(a, ADTAPE_KIND_ALLOCATABLE, 'a')
    row => null()
    used = 0
    do i = 1, size(x)
      call push_pointer(row)
      row => a(used + 1:)
      do j = 1, in_row
        grows = used == size(a)
        if (grows) then
          allocate (grown(2*used), source=0d0)
          call live_add(grown, ADTAPE_KIND_ALLOCATABLE, 'a')
          grown(:used) = a
          call push_pointer(row)
          call deallocate_save(a)
          call move_alloc(grown, a)                      ! the object keeps its place and its range
          row => a((i - 1)*in_row + 1:)
        end if
        call push_control(merge(1, 0, grows), 1)
        used = used + 1
        a(used) = sin(x(i)*j)
        if (j > 1) a(used) = a(used) + row(1)
      end do
    end do
    y = product_with(a, x)
    call push_pointer(row)
    call deallocate_save(a)
  end function

  ! ---- the reverse sweep -----------------------------------------------------------------------------

  subroutine adjoint(x, xb)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(inout) :: xb(:)
    real(c_double), allocatable, target :: a(:), ab(:), grown(:), grownb(:)
    real(c_double), allocatable :: aside(:)
    real(c_double), pointer :: row(:), rowb(:)
    integer :: i, j, used, grows
    call live_begin_reverse()
    call undo_deallocate(a, ab)
    call pop_pointer(row, rowb)
    call product_with_b(a, ab, x, xb)
    used = size(x)*in_row
    do i = size(x), 1, -1
      do j = in_row, 1, -1
        xb(i) = xb(i) + j*cos(x(i)*j)*ab(used)
        if (j > 1) rowb(1) = rowb(1) + ab(used)
        ab(used) = 0
        used = used - 1
        call pop_control(grows, 1)
        if (grows == 0) cycle
        call move_alloc(a, grown)
        call move_alloc(ab, grownb)
        aside = grownb(:used)
        call undo_deallocate(a, ab)
        call pop_pointer(row, rowb)
        ab = ab + aside
        call undo_allocate(grown, grownb)
      end do
      call pop_pointer(row, rowb)
    end do
    call undo_allocate(a, ab)
  end subroutine

end module sparse_matrix_sweeps

program sparse_matrix
  use, intrinsic :: iso_c_binding
  use adtape
  use example
  use sparse_matrix_sweeps
  implicit none
  real(c_double), allocatable :: x(:), xb(:)
  real(c_double) :: y
  integer :: i
  x = [(1 + noise(i), i=1, argument(1, 20000))]
  allocate (xb(size(x)), source=0d0)
  y = forward_sweep(x)
  call check_close('the forward sweep computes what the original computes', y, original(x), abs(y), 1d-14)
  call report_count('tape bytes', tape_bytes())
  call adjoint(x, xb)
  call check_nothing_left()
  call check_against_function(original, x, xb, 1d-7)
  call finish()
end program sparse_matrix
