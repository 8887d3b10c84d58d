! addresses.f90: live map, ranges, rebase map, pointers and pairs, on the thread's tape and by handle.
module addresses_tests
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  implicit none
  private
  public :: test_allocatable, test_list, test_pairs, test_waiting, test_tables, test_move_alloc, test_recursion, test_errors

  type, bind(c) :: node
    real(c_double) :: value
    type(c_ptr) :: next
  end type

contains

  ! An allocatable is deallocated and comes back elsewhere, with an adjoint in double precision.
  subroutine test_allocatable(t)
    type(adtape_tape), intent(in) :: t
    real(c_float), allocatable, target :: x(:), hole(:)
    real(c_double), allocatable, target :: xb(:)
    type(c_ptr) :: p, pb
    type(adtape_range) :: range
    integer :: i
    allocate (x(20))
    call live_add(c_loc(x), 80, ADTAPE_KIND_ALLOCATABLE, 'x (real(4), 20)  ')
    do i = 1, 20
      call push_pointer(t, c_loc(x(i)))
      call push_pointer(c_loc(x(i)))
    end do
    call live_end(t, c_loc(x))
    deallocate (x)
    call live_begin_reverse()
    allocate (hole(20))
    call pop_range(t, range)
    call check(range%bytes == 80 .and. range%kind == ADTAPE_KIND_ALLOCATABLE, 'a range')
    call check(range_label(range) == 'x (real(4), 20)', 'a label without its trailing blanks')
    allocate (x(range%bytes/4), xb(range%bytes/4))
    call rebase_add(range, c_loc(x), c_loc(xb), 8*size(xb))
    do i = 20, 1, -1
      call pop_pointer(p, pb)
      call check(c_associated(p, c_loc(x(i))) .and. c_associated(pb, c_loc(xb(i))), 'a pointer and its adjoint')
      call pop_pointer(t, p)
      call check(c_associated(p, c_loc(x(i))), 'a pointer by handle')
    end do
    call rebase_remove(c_loc(x))
    hole = 0
  end subroutine

  subroutine test_list(t)
    type(adtape_tape), intent(in) :: t
    real(c_double), target :: x(4), y
    type(adtape_range) :: ranges(5), range
    type(adtape_live_stats) :: counts
    integer(c_int64_t) :: count
    integer(c_int32_t) :: stat
    call live_add(c_loc(x), 32_c_int64_t, ADTAPE_KIND_STACK, 'x')
    call live_add(c_loc(y), 8, ADTAPE_KIND_STACK)
    call live_set_adjoint(c_loc(x), c_loc(x), 32)
    call live_set_adjoint(c_loc(y), c_loc(y), 8_c_int64_t)
    call live_list(ranges, count)
    call check(count == 2 .and. all(ranges(1:2)%bytes + ranges(2:1:-1)%bytes == 40), 'a list of two')
    call live_find(c_loc(x(3)), range)
    call check(c_associated(range%base, c_loc(x)) .and. c_associated(range%adjoint_base, c_loc(x)), 'a range found')
    call live_stats(counts)
    call check(counts%ranges == 2 .and. counts%bytes == 40 .and. counts%waiting == 0, 'counts')
    call live_end(t, c_loc(x))
    call live_end(c_loc(y))
    call live_find(c_loc(x(3)), range, stat)
    call check(stat == ADTAPE_STATUS_NO_RANGE .and. index(adtape_error_message(), 'no range') > 0, 'a range that ended')
    call pop_range(range)
    call check(c_associated(range%base, c_loc(y)) .and. range_label(range) == '', 'a range without a label')
    call pop_range(t, range)
    call check(c_associated(range%base, c_loc(x)), 'a range by handle')
  end subroutine

  subroutine test_pairs(t)
    type(adtape_tape), intent(in) :: t
    real(c_double), target :: x(4), y(4), yb(4)
    type(adtape_pair) :: pair
    type(adtape_range) :: range
    type(c_ptr) :: p, pb
    pair = adtape_pair_add(pair, 8_c_int64_t)
    call check(.not. c_associated(pair%base) .and. pair%offset == 0, 'NULL plus 8')
    call live_add(c_loc(x), 32, ADTAPE_KIND_STACK, 'x')
    pair%base = c_loc(x)
    pair = adtape_pair_add(adtape_pair_add(pair, 80_c_int64_t), -8_c_int64_t)
    call push_pair(t, pair%base, pair%offset)
    call push_pair(c_null_ptr, 0_c_int64_t)
    call live_end(c_loc(x))
    call live_begin_reverse()
    call pop_range(range)
    call rebase_add(range, c_loc(y), c_loc(yb), 32_c_int64_t)
    call pop_pair(pair)
    call check(.not. c_associated(pair%base) .and. pair%offset == 0, 'a NULL pair')
    call pop_pair(t, pair, p, pb)
    call check(c_associated(pair%base, c_loc(y)) .and. pair%offset == 72, 'a pair')
    call check(transfer(p, 0_c_intptr_t) == transfer(c_loc(y), 0_c_intptr_t) + 72, 'its pointer')
    call check(transfer(pb, 0_c_intptr_t) == transfer(c_loc(yb), 0_c_intptr_t) + 72, 'its adjoint')
    call rebase_remove(c_loc(y))
  end subroutine

  ! A list of two nodes that point at each other is destroyed from its head: what points back is restored first.
  subroutine test_waiting(t)
    type(adtape_tape), intent(in) :: t
    type(node), pointer :: one, two
    type(c_ptr) :: variables(2)
    type(adtape_range) :: range
    integer(c_int64_t) :: count
    allocate (one, two)
    one = node(1, c_loc(two))
    two = node(2, c_loc(one))
    call live_add(c_loc(one), 16, ADTAPE_KIND_HEAP, 'one')
    call live_add(c_loc(two), 16, ADTAPE_KIND_HEAP, 'two')
    call push_pointer(t, one%next)
    call live_end(t, c_loc(one))
    deallocate (one)
    call push_pointer(t, two%next)
    call live_end(t, c_loc(two))
    deallocate (two)
    call live_begin_reverse()
    call pop_range(t, range)
    allocate (two)
    call rebase_add(range, c_loc(two))
    call pop_pointer(t, two%next)
    call live_list_waiting(variables, count)
    call check(count == 1 .and. c_associated(variables(1), c_loc(two%next)), 'a pointer that waits')
    call check(.not. c_associated(two%next), 'NULL while it waits')
    call pop_range(t, range)
    allocate (one)
    call rebase_add(range, c_loc(one))
    call pop_pointer(t, one%next)
    call check(c_associated(two%next, c_loc(one)) .and. c_associated(one%next, c_loc(two)), 'pointers that waited')
    call rebase_pointer(range%base, variables(1), variables(2))
    call check(c_associated(variables(1), c_loc(one)) .and. .not. c_associated(variables(2)), 'a raw address')
    call rebase_remove(c_loc(one))
    call rebase_remove(c_loc(two))
    deallocate (one, two)
  end subroutine

  ! A table of pointers to rows, some of them null, is freed before its rows and after them; its sections are pushed, too.
  subroutine test_tables(t)
    type(adtape_tape), intent(in) :: t
    real(8), allocatable, target :: rows(:, :), moved(:, :), adjoint(:, :)
    type(c_ptr), allocatable, target :: table(:, :), table_b(:, :)
    type(c_ptr) :: one
    type(adtape_range) :: range
    integer :: i, j
    integer(c_int64_t) :: count
    type(c_ptr) :: variables(1)
    allocate (rows(4, 6), moved(4, 6), adjoint(4, 6))
    allocate (table(-1:1, 2))
    call live_add(rows, ADTAPE_KIND_HEAP, 'rows')
    do j = 1, 2
      do i = -1, 1
        table(i, j) = c_loc(rows(i + 3, 3*j + i - 1))
      end do
    end do
    table(0, 2) = c_null_ptr
    one = table(1, 1)
    call push_pointers(table(1:-1:-2, :))
    call push_pointers(t, table)
    call push_pointers(table(:, 2:1))                ! no elements
    call push_pointers(one)
    call live_end(t, c_loc(rows))
    deallocate (rows)
    call push_pointers(t, table)
    deallocate (table)
    call live_begin_reverse()
    allocate (table(-1:1, 2), table_b(-1:1, 2))
    call pop_pointers(t, table, table_b)
    call live_list_waiting(variables, count)
    call check(count == 10, 'five and their adjoints wait')
    call pop_range(t, range)
    call rebase_add(range, moved, adjoint)
    call check_table('that waited')
    table = c_null_ptr
    table_b = c_null_ptr
    call pop_pointers(one)
    call check(c_associated(one, c_loc(moved(4, 3))), 'a scalar')
    call pop_pointers(table(:, 2:1), table_b(:, 2:1))
    call pop_pointers(t, table, table_b)
    call check_table('popped')
    table(-1, 1) = c_null_ptr
    table(1, 2) = c_null_ptr
    call pop_pointers(table(1:-1:-2, :))
    call check_table('of a section')
    call rebase_remove(c_loc(moved))
  contains
    subroutine check_table(what)
      character(*), intent(in) :: what
      logical :: right
      right = .true.
      do j = 1, 2
        do i = -1, 1
          if (i == 0 .and. j == 2) cycle
          right = right .and. c_associated(table(i, j), c_loc(moved(i + 3, 3*j + i - 1)))
          right = right .and. c_associated(table_b(i, j), c_loc(adjoint(i + 3, 3*j + i - 1)))
        end do
      end do
      right = right .and. .not. (c_associated(table(0, 2)) .or. c_associated(table_b(0, 2)))
      call check(right, 'a table of pointers '//what)
    end subroutine
  end subroutine

  ! What move_alloc moves keeps its address: nothing to tell but the name.
  subroutine test_move_alloc(t)
    type(adtape_tape), intent(in) :: t
    real(c_double), allocatable, target :: x(:), y(:)
    type(adtape_range) :: range
    type(c_ptr) :: p
    allocate (x(5))
    call live_add(c_loc(x), 40, ADTAPE_KIND_ALLOCATABLE, 'x')
    call push_pointer(t, c_loc(x(2)))
    call move_alloc(x, y)
    call push_pointer(t, c_loc(y(3)))
    call live_end(t, c_loc(y))
    deallocate (y)
    call live_begin_reverse()
    call pop_range(t, range)
    allocate (y(5))
    call rebase_add(range, y)
    call pop_pointer(t, p)
    call check(c_associated(p, c_loc(y(3))), 'after move_alloc')
    call move_alloc(y, x)
    call pop_pointer(t, p)
    call check(c_associated(p, c_loc(x(2))), 'before move_alloc')
    call rebase_remove(c_loc(x))
  end subroutine

  ! Stack variables whose addresses are taken, in frames of different depth in the two sweeps.
  subroutine test_recursion()
    type(c_ptr) :: marked
    marked = c_null_ptr
    call descend(1, marked)
    call live_begin_reverse()
    call ascend(1, marked)
  end subroutine

  recursive subroutine descend(depth, marked)
    integer, intent(in) :: depth
    type(c_ptr), intent(inout) :: marked
    real(c_double), target :: local
    local = depth
    call live_add(c_loc(local), 8, ADTAPE_KIND_STACK, 'local')
    call push_pointer(marked)
    marked = c_loc(local)
    if (depth < 30) call descend(depth + 1, marked)
    call live_end(c_loc(local))
  end subroutine

  recursive subroutine ascend(depth, marked)
    integer, intent(in) :: depth
    type(c_ptr), intent(inout) :: marked
    real(c_double), target :: local, unused(7), local_adjoint
    real(c_double), pointer :: value
    type(adtape_range) :: range
    type(c_ptr) :: marked_adjoint
    unused = depth
    local = unused(depth/5 + 1)
    local_adjoint = 0
    call pop_range(range)
    call rebase_add(range, c_loc(local), c_loc(local_adjoint), 8)
    if (depth < 30) call ascend(depth + 1, marked)
    if (depth < 30) call check(c_associated(marked, c_loc(local)), 'a pointer into an outer frame')
    call pop_pointer(marked, marked_adjoint)
    call check(c_associated(marked) .eqv. depth > 1, 'NULL in the outermost frame')
    call check(c_associated(marked_adjoint) .eqv. depth > 1, 'NULL for its adjoint')
    if (depth > 1) then
      call c_f_pointer(marked, value)
      call check(value == depth - 1, 'a variable of the frame outside')
    end if
    call rebase_remove(c_loc(local))
  end subroutine

  subroutine test_errors()
    type(adtape_range) :: range
    type(adtape_live_stats) :: counts
    integer(c_int32_t) :: stat
    call live_find(c_null_ptr, range, stat)
    call check(stat == ADTAPE_STATUS_NO_RANGE, 'NULL is in no range')
    call live_stats(counts, stat)
    call check(stat == ADTAPE_STATUS_OK .and. counts%ranges == 0, 'nothing is left alive')
  end subroutine

end module addresses_tests

program addresses
  use, intrinsic :: iso_c_binding
  use adtape
  use addresses_tests
  use support
  implicit none
  type(adtape_tape) :: t
  call adtape_create(t)
  call test_allocatable(t)
  call test_list(t)
  call test_pairs(t)
  call test_waiting(t)
  call test_tables(t)
  call test_move_alloc(t)
  call test_recursion()
  call test_errors()
  call check_nothing_left(t)
  call adtape_destroy(t)
  call finish('addresses')
end program addresses
