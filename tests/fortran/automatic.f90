! automatic.f90: what the library knows by its address is an automatic or allocatable variable of a subroutine.
!
! A compiler that optimises may keep such a variable in registers over a call that, as it believes, does not keep the
! address: what is then read or written through a pointer that was popped is lost without a word. Every dummy argument
! whose address the library keeps therefore has the attribute `target`. Variables of a main program do not show it, as
! they are static.
module automatic_tests
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  implicit none
  private
  public :: test_rebase, test_alive, test_waiting, test_whole_variables, test_restoration, test_heap, test_driver

contains

  ! ---- ranges that end and come back -------------------------------------------------------------------------------

  subroutine test_rebase
    real(8) :: sums(5)
    call forward_automatic(3)
    call live_begin_reverse()
    call reverse_automatic(3, sums(1))
    call check(sums(1) == 2 + 3 + 1, 'adjoints of an automatic array, added to through a popped pointer')
    call forward_automatic(3)
    call live_begin_reverse()
    call reverse_allocatable(3, sums(2))
    call check(sums(2) == 2 + 3 + 1, 'adjoints of an allocatable array, added to through a popped pointer')
    call forward_matrix(2)
    call live_begin_reverse()
    call reverse_matrix(2, sums(3))
    call check(sums(3) == 4, 'adjoints of a matrix')
    call forward_automatic(3)
    call live_begin_reverse()
    call reverse_by_address(3, sums(4), sums(5))
    call check(sums(4) == 3 .and. sums(5) == 10 + 3, 'adjoint and variable by their addresses')
  end subroutine

  subroutine forward_automatic(n)
    integer, intent(in) :: n
    real(8), target :: a(n)
    real(8), pointer :: p(:)
    a = [1d0, 2d0, 3d0]
    call live_add(a, ADTAPE_KIND_STACK, 'a')
    p => a
    call push_pointer(p)
    call push(a)
    call live_end(c_loc(a))
  end subroutine

  subroutine reverse_automatic(n, total)
    integer, intent(in) :: n
    real(8), intent(out) :: total
    real(8), target :: a(n), ab(n)
    real(8), pointer :: p(:), pb(:)
    type(adtape_range) :: range
    nullify (p, pb)
    ab = 0
    call pop_range(range)
    call rebase_add(range, a, ab)
    call pop(a)
    call pop_pointer(p, pb)
    pb(1) = pb(1) + p(2)
    pb(2) = pb(2) + p(3)
    pb(3) = pb(3) + p(1)
    total = sum(ab)
    call rebase_remove(c_loc(a))
  end subroutine

  subroutine reverse_allocatable(n, total)
    integer, intent(in) :: n
    real(8), intent(out) :: total
    real(8), allocatable, target :: a(:), ab(:)
    real(8), pointer :: p(:), pb(:)
    type(adtape_range) :: range
    nullify (p, pb)
    allocate (a(n), ab(n))
    ab = 0
    call pop_range(range)
    call rebase_add(range, a, ab)
    call pop(a)
    call pop_pointer(p, pb)
    pb(1) = pb(1) + p(2)
    pb(2) = pb(2) + p(3)
    pb(3) = pb(3) + p(1)
    total = ab(1) + ab(2) + ab(3)
    call rebase_remove(c_loc(a))
  end subroutine

  subroutine forward_matrix(n)
    integer, intent(in) :: n
    real(8), target :: a(n, n)
    real(8), pointer :: p(:)
    call live_add(a, ADTAPE_KIND_STACK, 'a')
    p => a(:, 2)
    call push_pointer(p)
    call live_end(c_loc(a))
  end subroutine

  subroutine reverse_matrix(n, total)
    integer, intent(in) :: n
    real(8), intent(out) :: total
    real(8), target :: a(n, n), ab(n, n)
    real(8), pointer :: p(:), pb(:)
    type(adtape_range) :: range
    nullify (p, pb)
    ab = 0
    call pop_range(range)
    call rebase_add(range, a, ab)
    call pop_pointer(p, pb)
    pb = pb + 2
    total = sum(ab)
    call rebase_remove(c_loc(a))
  end subroutine

  subroutine reverse_by_address(n, total, changed)
    integer, intent(in) :: n
    real(8), intent(out) :: total, changed
    real(8), target :: a(n), ab(n)
    real(8), pointer :: p(:), pb(:)
    type(adtape_range) :: range
    nullify (p, pb)
    ab = 0
    call pop_range(range)
    call rebase_add(range, c_loc(a), c_loc(ab), 8*n)
    call pop(a)
    call pop_pointer(p, pb)
    pb(2) = pb(2) + p(3)
    p(1) = 10
    total = sum(ab)
    changed = a(1) + a(3)
    call rebase_remove(c_loc(a))
  end subroutine

  ! ---- objects alive at the reversal point ---------------------------------------------------------------------------

  subroutine test_alive
    real(8) :: sums(3)
    call alive_automatic(4, sums(1))
    call check(sums(1) == 5 + 6 + 7, 'an automatic array alive in both sweeps, and its adjoint')
    call alive_allocatable(4, sums(2), sums(3))
    call check(sums(2) == 5 + 6, 'an allocatable array alive in both sweeps')
    call check(sums(3) == 7, 'its adjoint')
  end subroutine

  subroutine alive_automatic(n, total)
    integer, intent(in) :: n
    real(8), intent(out) :: total
    real(8), target :: a(n), ab(n)
    real(8), pointer :: p(:), pb(:)
    nullify (pb)
    a = 0
    ab = 0
    call live_add(a, ADTAPE_KIND_STACK)
    p => a(2:3)
    call push_pointer(p)
    nullify (p)
    call live_begin_reverse()
    call live_set_adjoint(a, ab)
    call pop_pointer(p, pb)
    p = [5, 6]
    pb(1) = pb(1) + 7
    total = sum(a) + sum(ab)
    call rebase_remove(c_loc(a))
  end subroutine

  subroutine alive_allocatable(n, total, total_adjoint)
    integer, intent(in) :: n
    real(8), intent(out) :: total, total_adjoint
    real(8), allocatable, target :: a(:), ab(:)
    real(8), pointer :: p(:), pb(:)
    nullify (pb)
    allocate (a(n), ab(n))
    a = 0
    ab = 0
    call live_add_allocatable(a, 'a')
    p => a(2:3)
    call push_pointer(p)
    nullify (p)
    call live_begin_reverse()
    call live_set_adjoint(a, ab)
    call pop_pointer(p, pb)
    p = [5, 6]
    pb(1) = pb(1) + 7
    total = sum(a)
    total_adjoint = sum(ab)
    call rebase_remove(c_loc(a))
  end subroutine

  ! ---- pointer variables that wait -----------------------------------------------------------------------------------

  ! The target comes back last: until then the variables are null, and the library sets them by their addresses.
  subroutine test_waiting
    integer :: set
    call forward_waiting(3)
    call live_begin_reverse()
    call reverse_waiting(3, set)
    call check(set == 9, 'automatic pointer variables that waited are all set')
  end subroutine

  subroutine forward_waiting(n)
    integer, intent(in) :: n
    real(8), target :: a(n)
    type(c_ptr), target :: table(2)
    real(8), pointer :: p(:)
    a = 0
    call live_add(a, ADTAPE_KIND_STACK, 'a')
    p => a
    table = [c_loc(a(1)), c_loc(a(3))]
    call live_end(c_loc(a))
    call push_pointer(p)
    call push_pointer(c_loc(a(2)))
    call push_pointers(table)
    call push_pair(c_loc(a), 16_c_int64_t)
  end subroutine

  subroutine reverse_waiting(n, set)
    integer, intent(in) :: n
    integer, intent(out) :: set
    real(8), target :: a(n), ab(n)
    real(8), pointer :: p(:), pb(:)
    type(c_ptr), target :: one, one_b, sum, sum_b
    type(c_ptr), target :: table(2), table_b(2)
    type(adtape_pair), target :: pair
    type(adtape_range) :: range
    nullify (p, pb)
    one = c_null_ptr
    one_b = c_null_ptr
    sum = c_null_ptr
    sum_b = c_null_ptr
    call pop_pair(pair, sum, sum_b)
    call pop_pointers(table, table_b)
    call pop_pointer(one, one_b)
    call pop_pointer(p, pb)
    set = count([c_associated(one), c_associated(one_b), c_associated(sum), c_associated(sum_b), &
                 c_associated(pair%base), associated(p), associated(pb)])
    call check(set == 0, 'nothing is set yet')
    call pop_range(range)
    call rebase_add(range, a, ab)
    set = count([c_associated(one, c_loc(a(2))), c_associated(one_b, c_loc(ab(2))), c_associated(sum, c_loc(a(3))), &
                 c_associated(sum_b, c_loc(ab(3))), c_associated(pair%base, c_loc(a)), associated(p, a), &
                 associated(pb, ab), c_associated(table(2), c_loc(a(3))), c_associated(table_b(1), c_loc(ab(1)))])
    call rebase_remove(c_loc(a))
  end subroutine

  ! ---- deallocate_save and undo_deallocate ---------------------------------------------------------------------------

  subroutine test_whole_variables
    real(8) :: total
    call forward_deallocated(3)
    call live_begin_reverse()
    call reverse_deallocated(total)
    call check(total == 10 + 2 + 3 + 7, 'an allocatable that came back, changed through a pointer that waited')
  end subroutine

  subroutine forward_deallocated(n)
    integer, intent(in) :: n
    real(8), allocatable, target :: a(:)
    real(8), pointer :: p(:)
    allocate (a(n))
    a = [1, 2, 3]
    call live_add(a, ADTAPE_KIND_ALLOCATABLE, 'a')
    p => a
    call deallocate_save(a)
    call push_pointer(p)
  end subroutine

  subroutine reverse_deallocated(total)
    real(8), intent(out) :: total
    real(8), allocatable, target :: a(:), ab(:)
    real(8), pointer :: p(:), pb(:)
    nullify (p, pb)
    call pop_pointer(p, pb)
    call undo_deallocate(a, ab)
    ab(2) = 3
    p(1) = 10
    pb(2) = pb(2) + 4
    total = sum(a) + sum(ab)
    call undo_allocate(a, ab)
  end subroutine

  ! ---- checkpoints of what is alive ----------------------------------------------------------------------------------

  subroutine test_restoration
    real(8) :: restored(3), total
    call restore_automatic(3, restored, total)
    call check(all(restored == [1, 2, 3]), 'an automatic array is restored')
    call check(total == 10 + 5, 'an allocatable array that a restoration allocates')
  end subroutine

  subroutine restore_automatic(n, restored, total)
    integer, intent(in) :: n
    real(8), intent(out) :: restored(n), total
    real(8), target :: a(n)
    real(8), allocatable, target :: b(:)
    real(8), pointer :: cell
    type(c_ptr), target :: p
    type(adtape_store) :: s
    type(adtape_checkpoint) :: c
    integer :: i
    call store_create_memory(s, 0_c_int64_t)
    allocate (b(0:n))
    a = [(real(i, 8), i = 1, n)]
    b = 5
    call live_add(a, ADTAPE_KIND_STACK, 'a')
    call live_add_allocatable(b, 'b')
    call live_set_allocator('b', allocate_b, deallocate_b, c_null_ptr)
    call checkpoint_create(c, s, 'all')
    call checkpoint_write_pointer(c, 'p', c_loc(b(1)))
    call live_save(c)
    call checkpoint_commit(c)
    a = -1
    b = -1
    call checkpoint_open(c, s, 'all')
    p = c_null_ptr
    call checkpoint_read_pointer(c, 'p', p)
    call live_restore(c)
    call checkpoint_close(c)
    restored = a
    call c_f_pointer(p, cell)
    total = b(1)
    cell = 10
    total = total + b(1)
    call live_remove(c_loc(a))
    call live_remove(c_loc(b))
    call store_destroy(s)
  end subroutine

  function allocate_b(wanted, user) bind(c) result(base)
    type(adtape_wanted), intent(in) :: wanted
    type(c_ptr), value :: user
    type(c_ptr) :: base
    call check(.false., 'an object that is alive is not allocated: '//adtape_text(wanted%label))
    base = user
  end function

  subroutine deallocate_b(wanted, base, user) bind(c)
    type(adtape_wanted), intent(in) :: wanted
    type(c_ptr), value :: base, user
    call check(.false., 'an object that is alive is not deallocated: '//adtape_text(wanted%label))
    call check(c_associated(base, user), 'and not here')
  end subroutine

  ! ---- the stable heap -----------------------------------------------------------------------------------------------

  subroutine test_heap
    real(8) :: total
    call save_heap(4, total)
    call check(total == 4*2.5d0, 'a block restored from an automatic snapshot')
  end subroutine

  subroutine save_heap(n, total)
    integer, intent(in) :: n
    real(8), intent(out) :: total
    type(adtape_heap) :: h
    integer(c_int64_t) :: bytes
    real(8), pointer :: block(:)
    call heap_create(h, 1_c_int32_t, 0_c_int64_t)
    call heap_set_recording(h, .false.)
    call c_f_pointer(heap_alloc(h, adtape_self(), 8_c_int64_t*n), block, [n])
    block = 2.5d0
    call heap_save(h, c_null_ptr, 0_c_int64_t, bytes)
    call save_and_restore(bytes)
    total = sum(block)
    call heap_destroy(h)
  contains
    subroutine save_and_restore(room)
      integer(c_int64_t), intent(in) :: room
      integer(1), target :: snapshot(room)
      integer(1), allocatable, target :: copy(:)
      call heap_save(h, c_loc(snapshot), room)
      allocate (copy(room))
      copy = snapshot
      snapshot = 0
      block = 0
      call heap_restore(h, c_loc(copy), room)
    end subroutine
  end subroutine

  ! ---- drivers -------------------------------------------------------------------------------------------------------

  subroutine test_driver
    real(8) :: gradient(2), by_hand(2)
    integer :: i
    by_hand = [3d0, 0.5d0]
    do i = 5, 0, -1
      by_hand(1) = by_hand(1)*(1 + 0.5d0*i)
    end do
    by_hand(2) = by_hand(2)*2**6
    call drive(2, gradient)
    call check(all(gradient == by_hand), 'the gradient of a state that is automatic')
  end subroutine

  ! The steps know state and adjoint by their addresses only.
  subroutine drive(n, gradient)
    integer, intent(in) :: n
    real(8), intent(out) :: gradient(n)
    real(8), target :: x(n)
    real(8), allocatable, target :: xb(:)
    type(c_ptr), target :: both(2)
    type(adtape_driver) :: driver
    type(adtape_schedule) :: schedule
    allocate (xb(n))
    x = [1d0, 1d0]
    xb = 0
    both = [c_loc(x), c_loc(xb)]
    call driver_create(driver)
    call driver_register(driver, x)
    call driver_register_adjoint(driver, xb)
    call driver_set_calls(driver, step, adjoint_step, user=c_loc(both))
    call schedule_create(schedule, ADTAPE_SCHEDULE_BINOMIAL, 6_c_int64_t, 2_c_int64_t)
    call driver_run(driver, schedule)
    call schedule_destroy(schedule)
    call driver_destroy(driver)
    gradient = xb
  end subroutine

  function step(number, user) bind(c) result(flow)
    integer(c_int64_t), value :: number
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    type(c_ptr), pointer :: both(:)
    real(8), pointer :: x(:)
    call c_f_pointer(user, both, [2])
    call c_f_pointer(both(1), x, [2])
    x = [x(1)*(1 + 0.5d0*number), 2*x(2)]
    flow = ADTAPE_FLOW_CONTINUE
  end function

  function adjoint_step(number, first, user) bind(c) result(flow)
    integer(c_int64_t), value :: number
    logical(c_bool), value :: first
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    type(c_ptr), pointer :: both(:)
    real(8), pointer :: xb(:)
    call c_f_pointer(user, both, [2])
    call c_f_pointer(both(2), xb, [2])
    if (first) xb = [3d0, 0.5d0]
    xb = [xb(1)*(1 + 0.5d0*number), 2*xb(2)]
    flow = ADTAPE_FLOW_CONTINUE
  end function

end module automatic_tests

program automatic
  use automatic_tests
  use adtape, only: adtape_self
  use support
  implicit none
  call test_rebase
  call test_alive
  call test_waiting
  call test_whole_variables
  call test_restoration
  call test_heap
  call test_driver
  call check_nothing_left(adtape_self())
  call finish('automatic')
end program automatic
