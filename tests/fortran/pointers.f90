! pointers.f90: pointers to scalars, to components and to derived types, which wait for their targets where they are.
module objects
  implicit none
  type :: node
    real(8) :: u = 0
    integer :: id = 0
    type(node), pointer :: next => null(), prev => null()
    type(leaf), pointer :: leaves(:) => null()
    real(8), pointer :: value => null(), row(:, :) => null()
    character(4), pointer :: names(:) => null()
  end type

  type :: leaf
    real(8) :: x = 0
    integer(1) :: mark = 0
    type(node), pointer :: owner => null()
  end type

  ! Adjoints: only what is active, and the pointers that lead there.
  type :: node_b
    real(8) :: u = 0
    type(node_b), pointer :: next => null(), prev => null()
    type(leaf_b), pointer :: leaves(:) => null()
    real(8), pointer :: value => null(), row(:, :) => null()
  end type

  type :: leaf_b
    real(8) :: x = 0
  end type
end module objects

module node_pointers
  use objects, only: adtape_object => node, adtape_adjoint => node_b
  include 'adtape_derived.inc'
end module node_pointers

module leaf_pointers
  use objects, only: adtape_object => leaf, adtape_adjoint => leaf_b
  include 'adtape_derived.inc'
end module leaf_pointers

module pointers_tests
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  use objects
  use node_pointers
  use leaf_pointers
  implicit none
  private
  public :: test_addresses_wait, test_scalars_wait, test_components_that_were_null, test_list, test_arrays_of_objects, test_refusals

  integer, parameter :: r16 = selected_real_kind(33)

  ! A scalar of each kind, as one object.
  type :: scalars
    integer(1) :: i1 = 1
    integer(2) :: i2 = 2
    integer(4) :: i4 = 3
    integer(8) :: i8 = 4
    logical(1) :: l1 = .true.
    logical(2) :: l2 = .true.
    logical(4) :: l4 = .true.
    logical(8) :: l8 = .true.
    real(4) :: r4 = 5
    real(8) :: r8 = 6
    real(r16) :: r16 = 7
    complex(4) :: z4 = 8
    complex(8) :: z8 = 9
    complex(r16) :: z16 = 10
    character(5) :: c5 = 'seven'
  end type

contains

  ! Pushed when the target is gone, popped before it is back: on the thread's tape and by handle.
  subroutine test_scalars_wait(t)
    type(adtape_tape), intent(in) :: t
    type(scalars), pointer :: a, ab
    integer(1), pointer :: i1
    integer(2), pointer :: i2
    integer(4), pointer :: i4
    integer(8), pointer :: i8
    logical(1), pointer :: l1
    logical(2), pointer :: l2
    logical(4), pointer :: l4
    logical(8), pointer :: l8
    real(4), pointer :: r4, r4b
    real(8), pointer :: r8, r8b
    real(r16), pointer :: q, qb
    complex(4), pointer :: z4, z4b
    complex(8), pointer :: z8, z8b
    complex(r16), pointer :: z16, z16b
    character(5), pointer :: c5
    type(adtape_range) :: range
    type(adtape_live_stats) :: counts
    allocate (a)
    call live_add(c_loc(a), int(storage_size(a)/8), ADTAPE_KIND_HEAP, 'a (scalars)')
    i1 => a%i1
    i2 => a%i2
    i4 => a%i4
    i8 => a%i8
    l1 => a%l1
    l2 => a%l2
    l4 => a%l4
    l8 => a%l8
    r4 => a%r4
    r8 => a%r8
    q => a%r16
    z4 => a%z4
    z8 => a%z8
    z16 => a%z16
    c5 => a%c5
    call live_end(c_loc(a))
    call push_pointer(i1)
    call push_pointer(t, i2)
    call push_pointer(i4)
    call push_pointer(t, i8)
    call push_pointer(l1)
    call push_pointer(t, l2)
    call push_pointer(l4)
    call push_pointer(t, l8)
    call push_pointer(r4)
    call push_pointer(t, r8)
    call push_pointer(q)
    call push_pointer(t, z4)
    call push_pointer(z8)
    call push_pointer(t, z16)
    call push_pointer(c5)
    deallocate (a)
    nullify (i1, i2, i4, i8, l1, l2, l4, l8, r4, r8, q, z4, z8, z16, c5, r4b, r8b, qb, z4b, z8b, z16b)
    call live_begin_reverse()
    call pop_pointer(c5)
    call pop_pointer(t, z16, z16b)
    call pop_pointer(z8, z8b)
    call pop_pointer(t, z4, z4b)
    call pop_pointer(q, qb)
    call pop_pointer(t, r8, r8b)
    call pop_pointer(r4, r4b)
    call pop_pointer(t, l8)
    call pop_pointer(l4)
    call pop_pointer(t, l2)
    call pop_pointer(l1)
    call pop_pointer(t, i8)
    call pop_pointer(i4)
    call pop_pointer(t, i2)
    call pop_pointer(i1)
    call live_stats(counts)
    call check(counts%waiting == 21, 'fifteen pointers and six adjoints wait')
    call check(.not. (associated(r8) .or. associated(r8b) .or. associated(c5) .or. associated(z16)), 'null until then')
    call pop_range(range)
    allocate (a, ab)
    call rebase_add(range, c_loc(a), c_loc(ab), range%bytes)
    call check(associated(i1, a%i1) .and. associated(i2, a%i2) .and. associated(i4, a%i4), 'integers')
    call check(associated(i8, a%i8) .and. associated(l1, a%l1) .and. associated(l2, a%l2), 'and logicals')
    call check(associated(l4, a%l4) .and. associated(l8, a%l8) .and. associated(c5, a%c5), 'and a character')
    call check(associated(r4, a%r4) .and. associated(r4b, ab%r4), 'real(4)')
    call check(associated(r8, a%r8) .and. associated(r8b, ab%r8), 'real(8)')
    call check(associated(q, a%r16) .and. associated(qb, ab%r16), 'real(16)')
    call check(associated(z4, a%z4) .and. associated(z4b, ab%z4), 'complex(4)')
    call check(associated(z8, a%z8) .and. associated(z8b, ab%z8), 'complex(8)')
    call check(associated(z16, a%z16) .and. associated(z16b, ab%z16), 'complex(16)')
    call check(c5 == 'seven' .and. i4 == 3 .and. r8 == 6, 'values')
    r8b = 3
    call check(ab%r8 == 3, 'an adjoint')
    call rebase_remove(c_loc(a))
    deallocate (a, ab)
  end subroutine

  ! Addresses in an array, each by itself.
  subroutine test_addresses_wait(t)
    type(adtape_tape), intent(in) :: t
    real(8), allocatable, target :: x(:), xb(:)
    type(c_ptr), target :: table(3), tableb(3)
    type(adtape_live_stats) :: counts
    integer :: i
    allocate (x(3), source=4d0)
    call live_add(x, ADTAPE_KIND_ALLOCATABLE, 'x')
    table = [c_loc(x(3)), c_null_ptr, c_loc(x(1))]
    call deallocate_save(x)
    do i = 1, 3
      call push_pointer(t, table(i))
    end do
    call live_begin_reverse()
    do i = 3, 1, -1
      call pop_pointer(t, table(i), tableb(i))
    end do
    call live_stats(counts)
    call check(counts%waiting == 4, 'two addresses and two of adjoints wait')
    call undo_deallocate(x, xb)
    call check(same(table(1), c_loc(x(3))) .and. same(tableb(1), c_loc(xb(3))), 'an address in an array')
    call check(same(table(3), c_loc(x(1))) .and. same(tableb(3), c_loc(xb(1))), 'and another')
    call check(.not. (c_associated(table(2)) .or. c_associated(tableb(2))), 'and none')
    call undo_allocate(x, xb)
  end subroutine

  ! Components that `=> null()` alone has touched, in objects that are younger than what they point to, and older.
  subroutine test_components_that_were_null(t)
    type(adtape_tape), intent(in) :: t
    type(node), pointer :: n
    type(node_b), pointer :: nb
    type(scalars), target :: s, sb
    real(8), allocatable, target :: x(:, :), xb(:, :)
    character(4), allocatable, target :: names(:)
    integer :: waits
    do waits = 0, 1
      allocate (x(3, 4), source=1d0)
      names = ['adam', 'bert']
      call live_add(x, ADTAPE_KIND_ALLOCATABLE, 'x')
      call live_add(names, ADTAPE_KIND_ALLOCATABLE, 'names')
      call live_add(c_loc(s), int(storage_size(s)/8), ADTAPE_KIND_STACK, 's')
      call live_set_adjoint(c_loc(s), c_loc(sb), int(storage_size(sb)/8))
      allocate (n)
      n%value => s%r8
      n%row => x(::2, 2:)
      n%names => names(2:1:-1)
      if (waits == 1) then
        call deallocate_save(x)
        call deallocate_save(names)
      end if
      call push_pointer(n%value)
      call push_pointer(n%row)
      call push_pointer(t, n%names)
      deallocate (n)
      if (waits == 0) then
        call deallocate_save(x)
        call deallocate_save(names)
      end if
      call live_begin_reverse()
      if (waits == 0) then
        call undo_deallocate(names)
        call undo_deallocate(x, xb)
      end if
      allocate (n, nb)
      call pop_pointer(t, n%names)
      call pop_pointer(n%row, nb%row)
      call pop_pointer(n%value, nb%value)
      if (waits == 1) then
        call check(.not. (associated(n%names) .or. associated(n%row) .or. associated(nb%row)), 'components wait')
        call undo_deallocate(names)
        call undo_deallocate(x, xb)
      end if
      call check(associated(n%value, s%r8) .and. associated(nb%value, sb%r8), 'a scalar component')
      call check(associated(n%row, x(::2, 2:)) .and. associated(nb%row, xb(::2, 2:)), 'a section')
      call check(all(shape(nb%row) == [2, 3]) .and. all(n%row == 1) .and. all(nb%row == 0), 'with its elements')
      call check(associated(n%names, names(2:1:-1)) .and. n%names(1) == 'bert', 'characters')
      call undo_allocate(x, xb)
      call undo_allocate(names)
      call live_remove(c_loc(s))
      deallocate (n, nb)
    end do
  end subroutine

  ! A doubly linked list, destroyed from its head: what pointed back is pushed dangling, and waits.
  subroutine test_list(t)
    type(adtape_tape), intent(in) :: t
    integer, parameter :: length = 50
    type(node), pointer :: head, p
    type(node_b), pointer :: headb, pb
    type(adtape_range) :: range
    type(adtape_live_stats) :: counts
    integer :: i
    nullify (head, headb, pb)
    do i = 1, length
      allocate (p)
      call live_add(p, ADTAPE_KIND_HEAP, 'node')
      p%u = i
      p%next => head
      if (associated(head)) head%prev => p
      call push_pointer(head)
      head => p
    end do
    do while (associated(head))
      p => head
      head => p%next
      call push(t, p%u)
      call push_pointer(p%next)
      call push_pointer(t, p%prev)
      call live_end(c_loc(p))
      deallocate (p)
    end do
    call live_begin_reverse()
    do i = 1, length
      call pop_range(range)
      allocate (p, pb)
      call rebase_add(range, p, pb)
      call pop_pointer(t, p%prev, pb%prev)
      call pop_pointer(p%next, pb%next)
      call pop(t, p%u)
      pb%u = 100*p%u
      head => p
      headb => pb
      if (i < length) call check(.not. associated(p%prev), 'the node before is not back')
    end do
    call live_stats(counts)
    call check(counts%waiting == 0, 'nothing waits any more')
    p => head
    pb => headb
    do i = length, 1, -1
      call check(p%u == i .and. pb%u == 100*i, 'the list is whole')
      if (i > 1) then
        call check(associated(p%next%prev, p) .and. associated(pb%next%prev, pb), 'forwards and backwards')
        p => p%next
        pb => pb%next
      end if
    end do
    call check(.not. (associated(p%next) .or. associated(pb%next)), 'it ends')
    do i = length, 1, -1
      p => head
      pb => headb
      call pop_pointer(head, headb)
      call rebase_remove(c_loc(p))
      deallocate (p, pb)
    end do
    call check(.not. (associated(head) .or. associated(headb)), 'at first there was none')
  end subroutine

  ! Sections of objects, whose adjoints have another size.
  subroutine test_arrays_of_objects(t)
    type(adtape_tape), intent(in) :: t
    type(leaf), pointer :: leaves(:), q(:), one, square(:, :)
    type(leaf_b), pointer :: leavesb(:), qb(:), oneb, squareb(:, :)
    type(node), pointer :: n
    type(node_b), pointer :: nb
    type(adtape_range) :: range
    integer :: i
    allocate (leaves(0:11), n)
    call live_add(leaves, ADTAPE_KIND_HEAP, 'leaves (leaf, 0:11)')
    do i = 0, 11
      leaves(i)%x = i
    end do
    n%leaves => leaves
    q(-1:) => leaves(9:2:-3)
    one => leaves(7)
    square(1:3, 2:5) => leaves
    call push_pointer(q)
    call push_pointer(t, one)
    call push_pointer(square)
    call live_end(c_loc(leaves))
    call push_pointer(n%leaves)                      ! dangling
    deallocate (leaves, n)
    nullify (q, qb, one, oneb, square, squareb)
    call live_begin_reverse()
    allocate (n, nb)
    call pop_pointer(n%leaves, nb%leaves)
    call check(.not. (associated(n%leaves) .or. associated(nb%leaves)), 'a component that waits')
    call pop_range(range)
    allocate (leaves(0:11), leavesb(0:11))
    call rebase_add(range, c_loc(leaves), c_loc(leavesb), int(12*storage_size(leavesb)/8))
    call pop_pointer(square, squareb)
    call pop_pointer(t, one, oneb)
    call pop_pointer(q, qb)
    call check(associated(n%leaves, leaves) .and. associated(nb%leaves, leavesb), 'it is set')
    call check(lbound(n%leaves, 1) == 0 .and. ubound(nb%leaves, 1) == 11, 'with its bounds')
    call check(associated(q, leaves(9:2:-3)) .and. lbound(q, 1) == -1 .and. size(qb) == 3, 'a section')
    call check(same(c_loc(qb(-1)), c_loc(leavesb(9))) .and. same(c_loc(qb(1)), c_loc(leavesb(3))), 'of smaller adjoints')
    call check(associated(one, leaves(7)) .and. associated(oneb, leavesb(7)), 'an element')
    call check(same(c_loc(square(3, 5)), c_loc(leaves(11))) .and. same(c_loc(squareb(2, 3)), c_loc(leavesb(4))), 'rank 2')
    nb%leaves(4)%x = 2
    call check(squareb(2, 3)%x == 2, 'one adjoint under two names')
    call rebase_remove(c_loc(leaves))
    deallocate (leaves, leavesb, n, nb)
  end subroutine

  ! What is no pointer to this type is refused, and stays on the tape.
  subroutine test_refusals(t)
    type(adtape_tape), intent(in) :: t
    type(node), pointer :: n, other, several(:)
    type(node_b), pointer :: nb
    type(leaf), pointer :: l
    integer(c_int32_t) :: stat
    allocate (n, other, nb)
    nullify (l, several)
    call live_add(n, ADTAPE_KIND_HEAP, 'n (node)')
    call push_pointer(t, other, stat)
    call check(stat == ADTAPE_STATUS_NO_RANGE .and. said('`n` (node)'), 'outside every range')
    call push_pointer(t, n)
    call pop_pointer(t, l, stat=stat)
    call check(stat == ADTAPE_STATUS_MISMATCH .and. said('a derived type of'), 'of another size')
    call pop_pointer(t, several, stat=stat)
    call check(stat == ADTAPE_STATUS_MISMATCH .and. said('of rank 1'), 'of another rank')
    call live_set_adjoint(c_loc(n), c_loc(nb), int(storage_size(nb)/8) - 8)
    call pop_pointer(t, n, nb, stat)
    call check(stat == ADTAPE_STATUS_UNEVEN .and. said('`n` (node)'), 'an adjoint of another size')
    call pop_pointer(t, n, stat=stat)
    call check(stat == ADTAPE_STATUS_OK, 'it is still there')
    call live_remove(c_loc(n))
    deallocate (n, other, nb)
  end subroutine

  logical function same(p, q)
    type(c_ptr), intent(in) :: p, q
    same = c_associated(p, q)
  end function

end module pointers_tests

program pointers
  use, intrinsic :: iso_c_binding
  use adtape
  use pointers_tests
  use support
  implicit none
  type(adtape_tape) :: t
  type(adtape_stats) :: stats
  type(adtape_live_stats) :: counts
  call adtape_create(t)
  call test_addresses_wait(t)
  call test_scalars_wait(t)
  call test_components_that_were_null(t)
  call test_list(t)
  call test_arrays_of_objects(t)
  call test_refusals(t)
  call tape_stats(t, stats)
  call check(stats%bytes == 0, 'nothing is left on the tape')
  call tape_stats(stats)
  call check(stats%bytes == 0, 'nothing is left on the thread''s tape')
  call live_stats(counts)
  call check(counts%ranges == 0 .and. counts%waiting == 0, 'nothing is left alive')
  call adtape_destroy(t)
  call finish('pointers')
end program pointers
