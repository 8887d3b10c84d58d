! heap.f90: the stable heap through C_F_POINTER: blocks, reallocation, adjoints, marks, snapshots, errors in `stat`.
module heap_tests
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  implicit none
  private
  public :: test_blocks, test_realloc, test_factor, test_checkpoint, test_errors, test_self, test_join

  type :: cell
    real(8) :: value(20)
    type(c_ptr) :: next
  end type

contains

  ! A list that grows and shrinks, reversed: each cell comes back where it was.
  subroutine test_blocks(h, t)
    type(adtape_heap), intent(in) :: h
    type(adtape_tape), intent(in) :: t
    integer, parameter :: steps = 200
    type(c_ptr) :: cells(-4:steps), back
    type(cell), pointer :: c, cb
    type(adtape_heap_stats) :: stats
    integer :: i
    do i = 1, steps
      cells(i) = heap_alloc(h, t, c_sizeof_cell()*merge(100_c_int64_t, 1_c_int64_t, mod(i, 9) == 0))
      call c_f_pointer(cells(i), c)
      c%value = i
      if (i > 5) call heap_free_save(h, t, cells(i - 5))
    end do
    call heap_begin_reverse(h)
    do i = steps, 1, -1
      if (i > 5) then
        back = heap_undo_free(h, t)
        call check(same_ptr(back, cells(i - 5)), 'the address of a block that comes back')
        call c_f_pointer(back, c)
        call check(all(c%value == i - 5), 'its contents')
        call c_f_pointer(heap_adjoint(h, back), cb)
        call check(all(cb%value == 0), 'its adjoint')
        cb%value = 1
      end if
      call heap_undo_alloc(h, t)
    end do
    call heap_end_reverse(h)
    call heap_stats(h, stats)
    call check(stats%blocks == 0 .and. stats%operations == 0 .and. stats%peak_bytes > 0, 'nothing is left')
  end subroutine

  function c_sizeof_cell() result(bytes)
    integer(c_int64_t) :: bytes
    type(cell) :: c
    bytes = storage_size(c)/8
  end function

  ! y = sum(x(i)*i) of an array that grows by realloc.
  subroutine test_realloc(h, t)
    type(adtape_heap), intent(in) :: h
    type(adtape_tape), intent(in) :: t
    integer, parameter :: n(6) = [3, 10, 400, 5000, 4, 30]
    type(c_ptr) :: p(6), back
    real(8), pointer :: x(:), xb(:)
    integer :: i, j, known
    p(1) = heap_realloc(h, t, c_null_ptr, 8_c_int64_t*n(1))
    call c_f_pointer(p(1), x, [n(1)])
    x = [(j, j=1, n(1))]
    do i = 2, 6
      p(i) = heap_realloc_save(h, t, p(i - 1), 8_c_int64_t*n(i))
      call c_f_pointer(p(i), x, [n(i)])
      call check(all(x(:min(n(i - 1), n(i))) == [(j, j=1, min(n(i - 1), n(i)))]), 'contents after realloc')
      x = [(j, j=1, n(i))]
    end do
    call heap_begin_reverse(h)
    call c_f_pointer(heap_adjoint(h, p(6)), xb, [n(6)])
    xb = [(j, j=1, n(6))]
    known = n(6)
    do i = 5, 1, -1
      back = heap_undo_realloc(h, t)
      call check(same_ptr(back, p(i)), 'the address before realloc')
      call c_f_pointer(back, x, [n(i)])
      call check(all(x == [(j, j=1, n(i))]), 'contents before realloc')
      call c_f_pointer(heap_adjoint(h, back), xb, [n(i)])
      known = min(known, n(i))
      call check(all(xb(:known) == [(j, j=1, known)]) .and. all(xb(known + 1:) == 0), 'its adjoint')
    end do
    back = heap_undo_realloc(h, t)
    call check(.not. c_associated(back), 'the realloc of NULL')
    call heap_end_reverse(h)
  end subroutine

  ! Single precision with adjoints in double precision.
  subroutine test_factor(t)
    type(adtape_tape), intent(in) :: t
    type(adtape_heap) :: h
    type(c_ptr) :: p, adjoint
    real(4), pointer :: x(:)
    real(8), pointer :: xb(:)
    type(adtape_heap_stats) :: stats
    call heap_create(h, 2, 1073741824_c_int64_t)
    p = heap_alloc_aligned(h, t, 4_c_int64_t*100, 64_c_int64_t)
    call c_f_pointer(p, x, [100])
    x = 1
    call heap_begin_reverse(h)
    call heap_find_adjoint(h, c_loc(x(50)), adjoint)
    call c_f_pointer(heap_adjoint(h, p), xb, [100])
    call check(same_ptr(adjoint, c_loc(xb(50))), 'the adjoint of an element')
    call check(.not. c_associated(heap_adjoint(h, c_null_ptr)), 'the adjoint of NULL')
    call heap_stats(h, stats)
    call check(stats%adjoint_reserved_bytes == 2*stats%reserved_bytes, 'the range of adjoints')
    call check(c_associated(stats%base) .and. c_associated(stats%adjoint_base), 'where the ranges lie')
    call heap_undo_alloc(h, t)
    call heap_trim(h)
    call heap_destroy(h)
    call check(.not. c_associated(h%handle), 'the handle of a heap that is gone')
  end subroutine

  subroutine test_checkpoint(h, t)
    type(adtape_heap), intent(in) :: h
    type(adtape_tape), intent(in) :: t
    type(adtape_heap_mark) :: first, last
    type(c_ptr) :: p, q, again
    real(8), pointer :: x(:)
    character(kind=c_char), allocatable, target :: snapshot(:)
    integer(c_int64_t) :: bytes
    integer(c_int32_t) :: stat
    call heap_set_recording(h, .false.)
    p = heap_calloc(h, t, 100_c_int64_t, 8_c_int64_t)
    call c_f_pointer(p, x, [100])
    x = 4
    call heap_mark_take(h, first)
    call heap_save(h, c_null_ptr, 0_c_int64_t, bytes)
    allocate (snapshot(bytes))
    call heap_save(h, c_loc(snapshot), bytes)
    call heap_free(h, t, p)
    q = heap_alloc(h, t, 3000_c_int64_t)
    call heap_mark_take(h, last)
    call heap_begin_reverse(h)
    call heap_mark_check(h, first, stat)
    call check(stat == ADTAPE_STATUS_HEAP_STATE, 'a mark of another state')
    call heap_restore(h, c_loc(snapshot), bytes)
    call heap_mark_check(h, first, stat)
    call check(stat == ADTAPE_STATUS_OK .and. all(x == 4), 'a snapshot')
    call heap_set_recording(h, .true.)
    call heap_free(h, t, p)
    again = heap_alloc(h, t, 3000_c_int64_t)
    call check(same_ptr(again, q), 'the address in a section that is run again')
    call heap_mark_check(h, last)
    call heap_begin_reverse(h)
    call heap_undo_alloc(h, t)
    again = heap_undo_free(h, t)
    call check(same_ptr(again, p), 'the address in the reverse sweep')
    call heap_mark_check(h, first)
    call heap_end_reverse(h)
    call heap_set_recording(h, .false.)
    call heap_free(h, t, p)
    call heap_set_recording(h, .true.)
  end subroutine

  subroutine test_errors(h)
    type(adtape_heap), intent(in) :: h
    type(adtape_heap) :: none, refused
    type(adtape_heap_stats) :: stats
    type(c_ptr) :: adjoint
    integer(c_int32_t) :: stat
    integer, target :: x
    call heap_stats(none, stats, stat)
    call check(stat == ADTAPE_STATUS_NULL_HANDLE, 'a heap that was not made')
    call heap_create(refused, -1, 0_c_int64_t, stat)
    call check(stat == ADTAPE_STATUS_BAD_ARGUMENT .and. .not. c_associated(refused%handle), 'a negative factor')
    call heap_create(refused, 1, -1_c_int64_t, stat)
    call check(stat == ADTAPE_STATUS_COUNT_RANGE, 'a negative size')
    call heap_find_adjoint(h, c_loc(x), adjoint, stat)
    call check(stat == ADTAPE_STATUS_BAD_BLOCK, 'the adjoint of a variable')
    call check(index(adtape_error_message(), 'no address of this heap') > 0, 'its message')
    call heap_acquire(h, stat)
    call check(stat == ADTAPE_STATUS_RELEASED, 'acquire of a heap that is not released')
    call heap_release(h)
    call heap_trim(h, stat)
    call check(stat == ADTAPE_STATUS_RELEASED, 'use of a released heap')
    call heap_acquire(h)
    call heap_destroy(none, stat)
    call check(stat == ADTAPE_STATUS_OK, 'the NULL handle')
  end subroutine

  ! A cell on the heap points to an array elsewhere, which is gone when the cell goes; its pointer waits in the cell.
  subroutine test_join(t)
    type(adtape_tape), intent(in) :: t
    type(adtape_heap) :: h
    type(adtape_range) :: range
    type(cell), pointer :: c, cb
    type(c_ptr), target :: p, pb
    type(c_ptr) :: q
    real(8), target :: x(10), y(10), yb(10)
    integer(c_int32_t) :: stat
    call heap_create(h, 1, 1073741824_c_int64_t)
    call heap_join(h, ADTAPE_JOIN_RANGE, 'heap')
    call heap_join(h, ADTAPE_JOIN_STATE, 'again', stat)
    call check(stat == ADTAPE_STATUS_BAD_ARGUMENT, 'a heap that joins twice')
    call live_add(c_loc(x), 80, ADTAPE_KIND_STACK, 'x')
    q = heap_alloc(h, t, c_sizeof_cell())
    call c_f_pointer(q, c)
    c%next = c_loc(x(7))
    call push_pointer(t, q)
    call live_end(t, c_loc(x))
    call push_pointer(t, c%next)
    call heap_free(h, t, q)
    call live_begin_reverse()
    call heap_begin_reverse(h)
    p = heap_undo_free(h, t)
    call c_f_pointer(p, c)
    call c_f_pointer(heap_adjoint(h, p), cb)
    call pop_pointer(t, c%next, cb%next)
    call check(.not. c_associated(c%next), 'a pointer that waits in a block')
    call pop_range(t, range)
    call rebase_add(range, c_loc(y), c_loc(yb), 80)
    call check(same_ptr(c%next, c_loc(y(7))) .and. same_ptr(cb%next, c_loc(yb(7))), 'a pointer set in a block')
    call pop_pointer(t, p, pb)
    call check(same_ptr(p, q) .and. same_ptr(pb, heap_adjoint(h, q)), 'a pointer into a block')
    call rebase_remove(c_loc(y))
    call heap_undo_alloc(h, t)
    call heap_leave(h)
    call heap_leave(h, stat)
    call check(stat == ADTAPE_STATUS_OK, 'a heap that has left')
    call heap_join(h, ADTAPE_JOIN_RANGE + ADTAPE_JOIN_STATE)
    call heap_destroy(h)
  end subroutine

  subroutine test_self()
    type(adtape_heap) :: h
    type(adtape_heap_stats) :: stats
    type(c_ptr) :: p, q
    real(8), pointer :: x(:)
    h = heap_self()
    p = heap_alloc_adjoint(h, 800_c_int64_t)
    call c_f_pointer(p, x, [100])
    call check(all(x == 0), 'a block for the reverse sweep only')
    call heap_free_adjoint(h, p)
    call test_blocks(h, adtape_self())
    p = heap_alloc(80_c_int64_t)
    p = heap_realloc(p, 8000_c_int64_t)
    q = heap_calloc(10_c_int64_t, 8_c_int64_t)
    call c_f_pointer(q, x, [10])
    call check(all(x == 0), 'a block of zeros on the thread''s heap')
    x = 3
    call heap_free_save(q)
    call heap_free(p)
    call heap_begin_reverse(h)
    call check(same_ptr(heap_undo_free(), p), 'a block that comes back on the thread''s heap')
    call check(same_ptr(heap_undo_free(), q) .and. all(x == 3), 'and its contents')
    call check(same_ptr(heap_adjoint(q), heap_adjoint(h, q)), 'the adjoint on the thread''s heap')
    call heap_undo_alloc()
    p = heap_undo_realloc()
    call heap_undo_alloc()
    call heap_end_reverse(h)
    call heap_stats(h, stats)
    call check(stats%blocks == 0 .and. stats%operations == 0, 'nothing is left on the thread''s heap')
  end subroutine

end module heap_tests

program heap_program
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  use heap_tests
  implicit none
  type(adtape_heap) :: h
  type(adtape_tape) :: t
  call heap_create(h, 1, 0_c_int64_t)
  call adtape_create(t)
  call test_blocks(h, t)
  call test_realloc(h, t)
  call test_factor(t)
  call test_checkpoint(h, t)
  call test_errors(h)
  call test_join(t)
  call test_self()
  call adtape_destroy(t)
  call heap_destroy(h)
  call finish('heap')
end program
