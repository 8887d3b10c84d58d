! A sparse matrix that grows while it is assembled; sparse_matrix.c in Fortran.
!
! y = x' A x, with the entries of A functions of x. A pointer to the row's entries is kept while the row is assembled, and
! moves along when the array does. Fortran has no realloc: a larger array is allocated, what there is is copied, and
! move_alloc gives the larger one the name. So it is twice, with the same original:
!
!   over allocatables   the array is the language's; deallocate_save keeps its contents, needed or not. With an identity
!                       map the row is looked for where it was, where no array is any more if that came back elsewhere
!   over blocks         those of blocks.f90, over maps and over the stable heap. As in C, what was copied is not
!                       pushed: the old contents are the first part of the new ones
module sparse_matrix_sweeps
  use, intrinsic :: iso_c_binding
  use adtape
  use blocks
  implicit none
  private
  public :: original, forward_of_allocatables, adjoint_of_allocatables, forward_of_blocks, adjoint_of_blocks

  integer, public :: reborn = 0, moved = 0               ! allocatables that came back, and of them those elsewhere
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

  ! ---- over allocatables -----------------------------------------------------------------------------

  subroutine push_row(row)
    real(c_double), pointer, intent(in) :: row(:)
    type(c_ptr) :: address
    if (identity_of_pointers) then
      address = c_null_ptr
      if (associated(row)) address = c_loc(row)
      call push(address)
    end if
    call push_pointer(row)
  end subroutine

  subroutine pop_row(row, rowb)
    real(c_double), pointer, intent(inout) :: row(:), rowb(:)
    type(c_ptr) :: address
    type(adtape_range) :: range
    integer(c_int32_t) :: stat
    call pop_pointer(row, rowb)
    if (.not. identity_of_pointers) return
    call pop(address)
    if (.not. c_associated(address)) return
    call live_find(address, range, stat)
    if (stat /= ADTAPE_STATUS_OK) error stop 'there is no array where the row was'
    call c_f_pointer(moved_by(range%adjoint_base, bytes_between(range%base, address)), rowb, [1])
  end subroutine

  function bytes_between(p, q) result(bytes)
    type(c_ptr), intent(in) :: p, q
    integer(c_int64_t) :: bytes
    bytes = transfer(q, 0_c_intptr_t) - transfer(p, 0_c_intptr_t)
  end function

  ! Where the array lies is pushed only so that the adjoint can tell that it lies elsewhere.
  real(c_double) function forward_of_allocatables(x) result(y)
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
      call push_row(row)
      row => a(used + 1:)
      do j = 1, in_row
        grows = used == size(a)
        if (grows) then
          allocate (grown(2*used), source=0d0)
          call live_add(grown, ADTAPE_KIND_ALLOCATABLE, 'a')
          grown(:used) = a
          call push_row(row)
          call push(c_loc(a))
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
    call push_row(row)
    call push(c_loc(a))
    call deallocate_save(a)
  end function

  ! The adjoint of the copy is put aside before the array comes back, and lies where that lay if freed addresses are given
  ! out at once.
  subroutine adjoint_of_allocatables(x, xb)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(inout) :: xb(:)
    real(c_double), allocatable, target :: a(:), ab(:), grown(:), grownb(:)
    real(c_double), allocatable :: aside(:)
    real(c_double), pointer :: row(:), rowb(:)
    integer :: i, j, used, grows
    call live_begin_reverse()
    call undo_deallocate(a, ab)
    call note_place(a)
    call pop_row(row, rowb)
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
        call note_place(a)
        call pop_row(row, rowb)
        ab = ab + aside
        call undo_allocate(grown, grownb)
      end do
      call pop_row(row, rowb)
    end do
    call undo_allocate(a, ab)
  end subroutine

  subroutine note_place(a)
    real(c_double), intent(in), target :: a(:)
    type(c_ptr) :: was
    call pop(was)
    reborn = reborn + 1
    if (.not. c_associated(was, c_loc(a))) moved = moved + 1
  end subroutine

  ! ---- over blocks -----------------------------------------------------------------------------------

  function entries(link, count) result(a)
    type(c_ptr), intent(in) :: link
    integer, intent(in) :: count
    real(c_double), pointer :: a(:)
    call c_f_pointer(link, a, [count])
  end function

  function bytes_of(count) result(bytes)
    integer, intent(in) :: count
    integer(c_int64_t) :: bytes
    bytes = 8_c_int64_t*count
  end function

  real(c_double) function forward_of_blocks(x) result(y)
    real(c_double), intent(in) :: x(:)
    type(c_ptr) :: array, larger_one, row
    real(c_double), pointer :: a(:), first(:)
    integer :: i, j, room, used
    logical :: grows
    room = first_room
    array = birth(bytes_of(room), 'a')
    a => entries(array, room)
    row = c_null_ptr
    used = 0
    do i = 1, size(x)
      call push_link(row)
      row = moved_by(array, bytes_of(used))
      do j = 1, in_row
        grows = used == room
        if (grows) then
          larger_one = birth(bytes_of(2*room), 'a')
          first => entries(larger_one, room)
          first = a
          call push_link(row)
          call push_link(array)
          call death(array)
          array = larger_one
          row = moved_by(array, bytes_of((i - 1)*in_row))
          room = 2*room
          a => entries(array, room)
        end if
        call push_control(merge(1, 0, grows), 1)
        used = used + 1
        a(used) = sin(x(i)*j)
        if (j == 1) cycle
        first => entries(row, 1)
        a(used) = a(used) + first(1)
      end do
    end do
    y = product_with(a, x)
    call push_count(int(room, c_int64_t))
    call push_link(row)
    call push_link(array)
    call push(a(:used))
    call death(array)
  end function

  subroutine adjoint_of_blocks(x, xb)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(inout) :: xb(:)
    type(c_ptr), target :: array, arrayb, row, rowb
    type(c_ptr) :: block, blockb, larger_one
    real(c_double), pointer :: a(:), ab(:), grown(:), grownb(:), firstb(:)
    integer(c_int64_t) :: count
    integer :: i, j, room, used, grows
    call turn()
    used = size(x)*in_row
    call rebirth(block, blockb)
    a => entries(block, used)
    call pop(a)
    call pop_link(array, arrayb)
    call pop_link(row, rowb)
    call pop_count(count)
    room = int(count)
    a => entries(array, room)
    ab => entries(arrayb, room)
    call product_with_b(a, ab, x, xb)
    do i = size(x), 1, -1
      do j = in_row, 1, -1
        xb(i) = xb(i) + j*cos(x(i)*j)*ab(used)
        if (j > 1) then
          firstb => entries(rowb, 1)
          firstb(1) = firstb(1) + ab(used)
        end if
        ab(used) = 0
        used = used - 1
        call pop_control(grows, 1)
        if (grows == 0) cycle
        larger_one = array
        grown => a
        grownb => ab
        call rebirth(block, blockb)
        call pop_link(array, arrayb)
        call pop_link(row, rowb)
        room = room/2
        a => entries(array, room)
        ab => entries(arrayb, room)
        a = grown(:room)
        ab = ab + grownb(:room)
        call unborn(larger_one)
      end do
      call pop_link(row, rowb)
    end do
    call unborn(array)
  end subroutine

end module sparse_matrix_sweeps

program sparse_matrix
  use, intrinsic :: iso_c_binding
  use adtape
  use example
  use blocks
  use sparse_matrix_sweeps
  implicit none
  real(c_double), parameter :: step = 1d-5, tolerance = 1d-7
  integer :: n, i
  n = 20000
  call choose_memory(n)
  call check_allocatables([(1 + noise(i), i=1, n)], [(noise(i + 31), i=1, n)])
  call check_over_both(original, forward_of_blocks, adjoint_of_blocks, [(1 + noise(i), i=1, n)], step, tolerance)
  call finish()

contains

  subroutine check_allocatables(x, direction)
    real(c_double), intent(in) :: x(:), direction(:)
    real(c_double) :: xb(size(x)), value
    type(adtape_live_stats) :: counts
    print '(a)', '-- over allocatables'
    xb = 0
    value = forward_of_allocatables(x)
    call check_close('the forward sweep computes what the original computes', value, original(x), abs(value), 1d-14)
    call report_count('tape bytes', tape_bytes())
    call adjoint_of_allocatables(x, xb)
    call check_tape_empty('bytes on the tape after the adjoint')
    call live_stats(counts)
    call check_count('ranges left alive', counts%ranges, 0_c_int64_t)
    call check_count('pointers left waiting', counts%waiting, 0_c_int64_t)
    call report_count('allocatables that came back', int(reborn, c_int64_t))
    call report_count('allocatables that came back elsewhere', int(moved, c_int64_t))
    call check_close('the gradient against finite differences', dot_product(xb, direction), &
      (original(x + step*direction) - original(x - step*direction))/(2*step), sum(abs(xb*direction)), tolerance)
  end subroutine

end program sparse_matrix
