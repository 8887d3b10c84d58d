! allocations.f90: allocatables, and memory that pointers are allocated with, in both sweeps: deallocated, reallocated,
! moved.
module allocations_tests
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  implicit none
  private
  public :: test_allocatables, test_pointer_memory, test_reallocation, test_move_alloc, test_refusals

contains

  ! Bounds, values and state of allocatables of several ranks, registered and not.
  subroutine test_allocatables(t)
    type(adtape_tape), intent(in) :: t
    real(8), allocatable, target :: x(:, :), xb(:, :)
    real(8), allocatable :: plain(:, :, :), never(:), s, sb
    logical, allocatable :: mask(:)
    character(7), allocatable :: names(:, :)
    integer :: i
    allocate (x(-1:3, 0:2), plain(2, 3, 4), names(2, -1:1))
    x = reshape([(real(i, 8), i=1, 15)], shape(x))
    plain = reshape([(real(i, 8), i=1, 24)], shape(plain))
    allocate (mask, source=[.true., .false., .true.])
    names = 'adjoint'
    s = 4.5d0
    call live_add(x, ADTAPE_KIND_ALLOCATABLE, 'x')
    call deallocate_save(x)
    call deallocate_save(t, plain)
    call deallocate_save(never)
    call deallocate_save(mask)
    call deallocate_save(t, names)
    call deallocate_save(s)
    call check(.not. (allocated(x) .or. allocated(plain) .or. allocated(mask) .or. allocated(s)), 'deallocated')
    call live_begin_reverse()
    call undo_deallocate(s, sb)
    call undo_deallocate(t, names)
    call undo_deallocate(mask)
    call undo_deallocate(never)
    call undo_deallocate(t, plain)
    call undo_deallocate(x, xb)
    call check(s == 4.5d0 .and. sb == 0, 'a scalar')
    call check(all(names == 'adjoint') .and. lbound(names, 2) == -1 .and. size(names) == 6, 'characters')
    call check(size(mask) == 3 .and. all(mask .eqv. [.true., .false., .true.]), 'a mask')
    call check(.not. allocated(never), 'what was never allocated')
    call check(all(plain == reshape([(real(i, 8), i=1, 24)], [2, 3, 4])), 'values without a range')
    call check(all(lbound(x) == [-1, 0]) .and. all(ubound(xb) == [3, 2]) .and. all(xb == 0), 'bounds')
    call check(all(x == reshape([(real(i, 8), i=1, 15)], [5, 3])), 'values')
    x = x(:, 2:0:-1)
    call check(x(-1, 0) == 11, 'it is an allocatable like any other')
    call undo_allocate(x, xb)
  end subroutine

  ! Memory that a pointer was allocated with, and a pointer into the middle of it.
  subroutine test_pointer_memory(t)
    type(adtape_tape), intent(in) :: t
    real(8), pointer :: p(:, :), pb(:, :), q(:), qb(:)
    allocate (p(2:3, 0:4), source=3d0)
    call live_add(p, ADTAPE_KIND_HEAP, 'p')
    q => p(2, 4:0:-2)
    call push_pointer(q)
    q => p(:, 1)
    call deallocate_save(t, p)
    call check(.not. associated(p), 'deallocated')
    nullify (pb, q, qb)
    call live_begin_reverse()
    call undo_deallocate(t, p, pb)
    call check(all(lbound(p) == [2, 0]) .and. all(shape(pb) == [2, 5]) .and. all(p == 3), 'bounds and values')
    call pop_pointer(q, qb)
    call check(associated(q, p(2, 4:0:-2)) .and. associated(qb, pb(2, 4:0:-2)), 'a pointer into it')
    call undo_allocate(p, pb)
    call check(.not. (associated(p) .or. associated(pb)), 'never allocated')
  end subroutine

  ! An assignment that allocates anew: the old array ends, another begins, often at the same address.
  subroutine test_reallocation(t)
    type(adtape_tape), intent(in) :: t
    real(8), allocatable, target :: x(:), xb(:)
    real(8), pointer :: p(:), pb(:)
    integer :: n
    nullify (pb)
    do n = 1, 20
      call deallocate_save(t, x)
      allocate (x(n))
      x = n
      call live_add(x, ADTAPE_KIND_ALLOCATABLE, 'x')
      p => x(n:1:-1)
      call push_pointer(p)
    end do
    call live_begin_reverse()
    allocate (xb(20), source=0d0)
    call live_set_adjoint(x, xb)
    do n = 20, 1, -1
      call pop_pointer(p, pb)
      call check(associated(p, x(n:1:-1)) .and. associated(pb, xb(n:1:-1)) .and. all(p == n), 'a pointer')
      call undo_allocate(x, xb)
      call undo_deallocate(t, x, xb)
    end do
    call check(.not. allocated(x) .and. .not. allocated(xb), 'at first there was none')
  end subroutine

  ! move_alloc takes the object along with its address: only what `to` was before is pushed.
  subroutine test_move_alloc(t)
    type(adtape_tape), intent(in) :: t
    real(8), allocatable, target :: x(:), y(:), xb(:), yb(:)
    real(8), pointer :: p(:), pb(:)
    allocate (x(5), source=1d0)
    allocate (y(7), source=2d0)
    call live_add(x, ADTAPE_KIND_ALLOCATABLE, 'x')
    call live_add(y, ADTAPE_KIND_ALLOCATABLE, 'y')
    p => x(2:5)
    call deallocate_save(t, y)
    call move_alloc(x, y)
    call push_pointer(t, p)
    p => y(3:3)
    call deallocate_save(t, y)
    nullify (pb)
    call live_begin_reverse()
    call undo_deallocate(t, y, yb)
    call pop_pointer(t, p, pb)
    call check(associated(p, y(2:5)) .and. associated(pb, yb(2:5)), 'before the object went')
    pb = 6
    call move_alloc(y, x)
    call move_alloc(yb, xb)
    call undo_deallocate(t, y, yb)
    call check(size(y) == 7 .and. all(y == 2) .and. all(yb == 0) .and. all(x == 1), 'both are back')
    call check(sum(xb) == 24, 'the adjoint moved along')
    call undo_allocate(y, yb)
    call undo_allocate(x, xb)
  end subroutine

  ! Refusals through stat, each of which changes nothing.
  subroutine test_refusals(t)
    type(adtape_tape), intent(in) :: t
    real(8), target :: x(100)
    real(8), allocatable, target :: a(:), ab(:)
    real(8), allocatable :: never(:)
    real(4), allocatable :: single(:)
    real(8), pointer :: p(:)
    integer(c_int32_t) :: stat
    ! An array that is allocated where its deallocation is to be undone, and an adjoint that is.
    allocate (a(3), source=1d0)
    call deallocate_save(t, a)
    allocate (a(4))
    call undo_deallocate(t, a, stat=stat)
    call check(stat == ADTAPE_STATUS_BAD_ARGUMENT .and. said('is allocated') .and. size(a) == 4, 'allocated')
    deallocate (a)
    allocate (ab(3))
    call undo_deallocate(t, a, ab, stat)
    call check(stat == ADTAPE_STATUS_BAD_ARGUMENT .and. said('adjoint that is allocated') .and. .not. allocated(a), 'adjoint')
    deallocate (ab)
    call undo_deallocate(t, single, stat=stat)
    call check(stat == ADTAPE_STATUS_MISMATCH .and. .not. allocated(single), 'of another kind')
    call undo_deallocate(t, a, ab, stat)
    call check(stat == ADTAPE_STATUS_OK .and. all(a == 1) .and. all(ab == 0), 'it comes back')
    call undo_allocate(a, ab, stat)
    call check(stat == ADTAPE_STATUS_NO_RANGE .and. allocated(a) .and. allocated(ab), 'it was not registered')
    call undo_allocate(never, stat=stat)
    call check(stat == ADTAPE_STATUS_NULL_POINTER .and. said('not allocated'), 'there is none')

    ! A pointer to what deallocate cannot take.
    call live_add(x(1:50), ADTAPE_KIND_STATIC, 'x (real(8), 50)')
    p => x(1:9:2)
    call deallocate_save(t, p, stat)
    call check(stat == ADTAPE_STATUS_BAD_ARGUMENT .and. said('not contiguous'), 'a section')
    p => x(1:10)
    call deallocate_save(t, p, stat)
    call check(stat == ADTAPE_STATUS_BAD_ARGUMENT .and. said('80 bytes') .and. said('400 bytes'), 'a part')
    call live_remove(c_loc(x))
  end subroutine

end module allocations_tests

program allocations
  use adtape
  use allocations_tests
  use support
  implicit none
  type(adtape_tape) :: t
  call adtape_create(t)
  call test_allocatables(t)
  call test_pointer_memory(t)
  call test_reallocation(t)
  call test_move_alloc(t)
  call test_refusals(t)
  call check_nothing_left(t)
  call adtape_destroy(t)
  call finish('allocations')
end program allocations
