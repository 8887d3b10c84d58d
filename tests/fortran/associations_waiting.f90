! associations_waiting.f90: pointers whose target is not there: those that wait for it, and those that are refused.
module waiting_tests
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  implicit none
  private
  public :: test_waiting, test_waiting_component, test_stale, test_refusals

  type :: holder
    real(8), pointer :: view(:) => null()
    real(8), allocatable :: part(:)
  end type

contains

  ! A pointer that is pushed when its target is gone waits for it in the reverse sweep.
  subroutine test_waiting(t)
    type(adtape_tape), intent(in) :: t
    real(8), allocatable, target :: x(:), xb(:)
    real(8), pointer :: matrix(:, :), p(:, :), pb(:, :), q(:), s, sb
    type(adtape_live_stats) :: counts
    allocate (x(24), source=2d0)
    call live_add(x, ADTAPE_KIND_ALLOCATABLE, 'x')
    matrix(0:3, 1:3) => x(:12)
    p(0:, 5:) => matrix(3:0:-1, :)
    q => x(24:2:-2)
    s => x(3)
    call deallocate_save(x)
    call push_pointer(p)
    call push_pointer(t, q)
    call push_pointer(s)
    nullify (p, pb, q, sb)
    call live_begin_reverse()
    call pop_pointer(s, sb)
    call pop_pointer(t, q)
    call pop_pointer(p, pb)
    call check(.not. (associated(p) .or. associated(pb) .or. associated(q)), 'null while they wait')
    call check(.not. (associated(s) .or. associated(sb)), 'pointers to scalars, too')
    call live_stats(counts)
    call check(counts%waiting == 5, 'five variables wait')
    call undo_deallocate(x, xb)
    call check(associated(q, x(24:2:-2)) .and. all(q == 2), 'a pointer that waited')
    call check(associated(s, x(3)) .and. associated(sb, xb(3)), 'a pointer to a scalar that waited')
    call check(all(shape(p) == [4, 3]) .and. all(lbound(p) == [0, 5]) .and. all(lbound(pb) == [0, 5]), 'its bounds')
    p(0, 7) = 4
    pb(2, 6) = 3
    call check(x(12) == 4 .and. xb(6) == 3, 'its elements')
    call undo_allocate(x, xb)
  end subroutine

  ! p => a(2:3); the memory of a is b's; p => b: what is pushed is a pointer into b, as far as anybody can know. It stayed
  ! there when a was back, and the derivative was lost.
  subroutine test_stale(t)
    type(adtape_tape), intent(in) :: t
    real(8), target :: memory(4), elsewhere(4), ab(4), bb(4)
    real(8), pointer :: p(:), pb(:), s
    type(adtape_live_stats) :: counts
    type(adtape_range) :: range
    type(c_ptr) :: address
    nullify (pb)
    elsewhere = 3
    ab = 0
    bb = 0
    call live_add(memory, ADTAPE_KIND_HEAP, 'a')
    p(5:) => memory(3:2:-1)
    s => memory(4)
    address = c_loc(memory(2))
    call live_end(t, c_loc(memory))
    call live_add(memory, ADTAPE_KIND_HEAP, 'b')
    call push_pointer(t, address)
    call push_pointer(t, s)
    call push_pointer(t, p)
    p => memory
    call live_begin_reverse()
    call live_set_adjoint(memory, bb)
    call pop_pointer(t, p, pb)
    call pop_pointer(t, s)
    call pop_pointer(t, address)
    call check(associated(p, memory(3:2:-1)) .and. associated(pb, bb(3:2:-1)), 'into b')
    call live_stats(counts)
    call check(counts%waiting == 0, 'nothing waits')
    call rebase_remove(c_loc(memory))
    call pop_range(t, range)
    call rebase_add(range, c_loc(elsewhere), c_loc(ab), 32)
    call check(associated(p, elsewhere(3:2:-1)) .and. associated(pb, ab(3:2:-1)), 'back to a')
    call check(lbound(p, 1) == 5 .and. associated(s, elsewhere(4)), 'its bounds, and a scalar')
    call check(c_associated(address, c_loc(elsewhere(2))), 'an address')
    pb = pb + 2*p
    call check(sum(ab) == 12 .and. all(bb == 0), 'the derivative is that of a')
    call rebase_remove(c_loc(elsewhere))
  end subroutine

  ! A pointer that is a component waits with the object that it is in, or not at all if that goes again.
  subroutine test_waiting_component()
    type(holder), pointer :: a, other
    real(8), allocatable, target :: x(:)
    type(adtape_live_stats) :: counts
    allocate (x(5))
    call live_add(x, ADTAPE_KIND_ALLOCATABLE, 'x')
    allocate (a, other)
    call live_add(c_loc(a), int(storage_size(a)/8), ADTAPE_KIND_HEAP, 'a')
    a%view => x(2:4)
    other%view => x(3:)
    call deallocate_save(x)
    call push_pointer(a%view)
    call push_pointer(other%view)
    call live_begin_reverse()
    call pop_pointer(other%view)
    call pop_pointer(a%view)
    call live_stats(counts)
    call check(counts%waiting == 2, 'two components wait')
    call rebase_remove(c_loc(a))
    deallocate (a)
    call live_stats(counts)
    call check(counts%waiting == 1, 'one is gone')
    call undo_deallocate(x)
    call check(associated(other%view, x(3:)), 'the other was set')
    call undo_allocate(x)
    deallocate (other)
  end subroutine

  ! Refusals through stat, each of which changes nothing.
  subroutine test_refusals(t)
    type(adtape_tape), intent(in) :: t
    real(8), target :: x(100)
    real(8), allocatable, target :: y(:)
    real(8), allocatable :: never(:)
    real(4), allocatable, target :: w(:), wb(:)
    real(8), pointer :: p(:), p2(:, :)
    real(4), pointer :: q(:), v(:), vb(:)
    type(adtape_stats) :: before, after
    type(adtape_range) :: range
    type(adtape_pair) :: pair
    type(c_ptr) :: address
    integer(c_int32_t) :: stat
    nullify (q, p2, vb)
    call live_add(x(1:50), ADTAPE_KIND_STATIC, 'x (real(8), 50)')
    p => x(40:60)
    call tape_stats(t, before)
    call push_pointer(t, p, stat)
    call check(stat == ADTAPE_STATUS_NO_RANGE .and. said('312 to 480 bytes') .and. said('`x` (real(8), 50)'), 'beyond')
    p => x(60:70)
    call push_pointer(t, p, stat)
    call check(stat == ADTAPE_STATUS_NO_RANGE .and. said('72 bytes past the end of `x`'), 'outside every range')
    allocate (y(8))
    p => y
    call push_pointer(t, p, stat)
    call check(stat == ADTAPE_STATUS_NO_RANGE .and. said('in no range'), 'unknown')
    call push_pointer(adtape_tape(), p, stat)
    call check(stat == ADTAPE_STATUS_NULL_HANDLE, 'no tape')
    call tape_stats(t, after)
    call check(before%bytes == after%bytes, 'nothing was pushed')

    p => x(1:9:2)
    call push_pointer(t, p)
    call pop_pointer(t, q, stat=stat)
    call check(stat == ADTAPE_STATUS_MISMATCH .and. said('a pointer to f64 of rank 1') .and. said('f32 of rank 1'), 'kind')
    call pop_pointer(t, p2, stat=stat)
    call check(stat == ADTAPE_STATUS_MISMATCH .and. said('of rank 2'), 'rank')
    call undo_deallocate(t, never, stat=stat)
    call check(stat == ADTAPE_STATUS_MISMATCH .and. said('a deallocated array'), 'no array was deallocated')
    call pop_pointer(t, p, stat=stat)
    call check(stat == ADTAPE_STATUS_OK .and. associated(p, x(1:9:2)), 'it is still there')
    call pop_pointer(t, p, stat=stat)
    call check(any(stat == [ADTAPE_STATUS_UNDERFLOW, ADTAPE_STATUS_MISMATCH]), 'an empty tape')

    ! An adjoint in double precision that is popped into a pointer in single precision.
    allocate (w(6), wb(12))
    call live_add(w, ADTAPE_KIND_ALLOCATABLE, 'w (real(4), 6)')
    call live_set_adjoint(w, wb)
    v => w(2:)
    call push_pointer(t, v)
    call pop_pointer(t, v, vb, stat)
    call check(stat == ADTAPE_STATUS_UNEVEN .and. said('`w` (real(4), 6)') .and. said('48 bytes'), 'uneven')
    call pop_pointer(t, v)
    call live_remove(c_loc(w))

    ! A record of another sort on top.
    call push_pointer(t, c_loc(x))
    call pop_pointer(t, p, stat=stat)
    call check(any(stat == [ADTAPE_STATUS_CORRUPT, ADTAPE_STATUS_MISMATCH, ADTAPE_STATUS_UNDERFLOW]), 'an address')
    call push_pair(t, c_loc(x), 8_8)
    call pop_pair(t, pair)
    call pop_pointer(t, address)
    call check(pair%offset == 8 .and. c_associated(address, c_loc(x)), 'the tape is as it was')
    call live_find(c_loc(x), range)
    call check(range%bytes == 400, 'and so are the ranges')
    call live_remove(c_loc(x))
  end subroutine

end module waiting_tests

program associations_waiting
  use adtape
  use waiting_tests
  use support
  implicit none
  type(adtape_tape) :: t
  call adtape_create(t)
  call test_waiting(t)
  call test_waiting_component()
  call test_stale(t)
  call test_refusals(t)
  call check_nothing_left(t)
  call adtape_destroy(t)
  call finish('associations_waiting')
end program associations_waiting
