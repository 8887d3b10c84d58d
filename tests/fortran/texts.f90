! texts.f90: characters of deferred length, pointers and allocatables, in both sweeps.
module texts_tests
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  implicit none
  private
  public :: test_scalars, test_arrays, test_components, test_memory_of_pointers, test_waiting, test_refused

  type :: entry
    character(:), allocatable :: key
    character(:), pointer :: part => null(), parts(:) => null()
  end type

contains

  ! Of every length, none among them; what is null or not allocated; by handle and on the thread's tape.
  subroutine test_scalars(t)
    type(adtape_tape), intent(in) :: t
    character(:), allocatable, target :: name, empty, never
    character(:), pointer :: part, whole, nothing, null_part
    name = 'adjoint'
    empty = ''
    call live_add(c_loc(name), len(name), ADTAPE_KIND_ALLOCATABLE, 'name')
    part => name(3:5)
    whole => name
    nothing => name(4:3)
    nullify (null_part)
    call push_pointer_text(part)
    call push_pointer_text(t, whole)
    call push_pointer_text(nothing)
    call push_pointer_text(t, null_part)
    call deallocate_save_text(t, name)
    call deallocate_save_text(empty)
    call deallocate_save_text(never)
    call check(.not. (allocated(name) .or. allocated(empty)), 'deallocated')
    name = 'another, longer than the first'
    part => name
    whole => name(2:4)
    nothing => name
    null_part => name
    call live_begin_reverse()
    deallocate (name)
    call undo_deallocate_text(never)
    call undo_deallocate_text(empty)
    call undo_deallocate_text(t, name)
    call check(.not. allocated(never), 'what was not allocated')
    call check(allocated(empty) .and. len(empty) == 0, 'no characters')
    call check(name == 'adjoint' .and. len(name) == 7, 'characters')
    call pop_pointer_text(t, null_part)
    call pop_pointer_text(nothing)
    call pop_pointer_text(t, whole)
    call pop_pointer_text(part)
    call check(.not. associated(null_part), 'a null pointer')
    call check(len(nothing) == 0, 'a pointer to no characters')
    call check(c_associated(c_loc(whole), c_loc(name)) .and. whole == 'adjoint' .and. len(whole) == 7, 'a whole character')
    call check(c_associated(c_loc(part), c_loc(name(3:3))) .and. part == 'joi' .and. len(part) == 3, 'a part')
    part = 'JOI'
    call check(name == 'adJOInt', 'the part lies in the whole')
    call undo_allocate_text(name)
    call check(.not. allocated(name), 'never allocated')
    deallocate (empty)
  end subroutine

  ! Bounds, strides, and the parts of elements. Sections begin with the first element: gfortran 12 lets others of an array of
  ! deferred length begin there, too. And `save`, as it warns of what it initializes itself.
  subroutine test_arrays(t)
    type(adtape_tape), intent(in) :: t
    character(:), allocatable, target, save :: x(:, :)
    character(:), pointer, save :: column(:), all_of(:, :), ends(:)
    integer :: i, j
    allocate (character(6) :: x(-1:2, 3))
    do j = 1, 3
      do i = -1, 2
        write (x(i, j), '(a, i2, i1, a)') '<', i, j, ' >'
      end do
    end do
    call live_add(x, ADTAPE_KIND_ALLOCATABLE, 'x (character(6), -1:2 3)')
    column(7:) => x(-1:2:2, 1)
    all_of(0:, 0:) => x
    ends => x(:, 1)(2:4)
    call push_pointer_text(t, column)
    call push_pointer_text(all_of)
    call push_pointer_text(ends)
    call deallocate_save_text(t, x)
    nullify (column, all_of, ends)
    call live_begin_reverse()
    call undo_deallocate_text(t, x)
    call check(len(x) == 6 .and. all(lbound(x) == [-1, 1]) .and. all(ubound(x) == [2, 3]), 'length and bounds')
    call check(x(-1, 1) == '<-11 >' .and. x(2, 3) == '< 23 >', 'values')
    call pop_pointer_text(ends)
    call pop_pointer_text(all_of)
    call pop_pointer_text(t, column)
    call check(associated(all_of, x) .and. all(lbound(all_of) == 0) .and. len(all_of) == 6, 'all')
    call check(lbound(column, 1) == 7 .and. size(column) == 2 .and. len(column) == 6, 'bounds of a section')
    call check(column(7) == '<-11 >' .and. column(8) == '< 11 >', 'every second')
    call check(len(ends) == 3 .and. size(ends) == 4, 'parts of elements')
    call check(ends(1) == '-11' .and. ends(4) == ' 21', 'values of parts of elements')
    call undo_allocate_text(x)
    call check(.not. allocated(x), 'never allocated')
  end subroutine

  ! Of arrays of a derived type; lengths that lie in the object.
  subroutine test_components()
    type(entry), target :: table(3)
    integer :: i
    do i = 1, 3
      table(i)%key = repeat('abc', i)
      call live_add(c_loc(table(i)%key), len(table(i)%key), ADTAPE_KIND_ALLOCATABLE, 'key')
    end do
    do i = 1, 3
      table(i)%part => table(mod(i, 3) + 1)%key(2:)
      call push_pointer_text(table(i)%part)
      call push_pointer_text(table(i)%parts)
    end do
    do i = 1, 3
      call deallocate_save_text(table(i)%key)
      nullify (table(i)%part)
    end do
    call live_begin_reverse()
    do i = 3, 1, -1
      call undo_deallocate_text(table(i)%key)
      call check(table(i)%key == repeat('abc', i) .and. len(table(i)%key) == 3*i, 'a component')
    end do
    do i = 3, 1, -1
      call pop_pointer_text(table(i)%parts)
      call pop_pointer_text(table(i)%part)
      call check(len(table(i)%part) == 3*(mod(i, 3) + 1) - 1, 'the length of a pointer component')
      call check(table(i)%part == table(mod(i, 3) + 1)%key(2:), 'a pointer component')
      call check(.not. associated(table(i)%parts), 'a null component')
    end do
    do i = 3, 1, -1
      call undo_allocate_text(table(i)%key)
    end do
  end subroutine

  subroutine test_memory_of_pointers(t)
    type(adtape_tape), intent(in) :: t
    character(:), pointer, save :: one, many(:)
    allocate (character(9) :: one)
    allocate (character(2) :: many(0:3))
    one = 'nine char'
    many = ['ab', 'cd', 'ef', 'gh']
    call live_add(c_loc(one), len(one), ADTAPE_KIND_HEAP, 'one')
    call live_add(many, ADTAPE_KIND_HEAP, 'many')
    call deallocate_save_text(one)
    call deallocate_save_text(t, many)
    call check(.not. (associated(one) .or. associated(many)), 'deallocated')
    call live_begin_reverse()
    call undo_deallocate_text(t, many)
    call undo_deallocate_text(one)
    call check(one == 'nine char' .and. len(one) == 9, 'memory of a pointer')
    call check(len(many) == 2 .and. lbound(many, 1) == 0 .and. size(many) == 4, 'an array')
    call check(many(0) == 'ab' .and. many(3) == 'gh', 'values of an array')
    call undo_allocate_text(many)
    call undo_allocate_text(one)
    call check(.not. (associated(one) .or. associated(many)), 'never allocated')
  end subroutine

  ! What is popped before its target is back.
  subroutine test_waiting(t)
    type(adtape_tape), intent(in) :: t
    character(:), allocatable, target, save :: x, y(:)
    character(:), pointer, save :: p, q(:)
    type(entry), target :: e
    integer(c_int64_t) :: count
    type(c_ptr) :: variables(4)
    x = 'waited for'
    allocate (character(4) :: y(5))
    y = 'none'
    y(1) = 'last'
    call live_add(c_loc(x), len(x), ADTAPE_KIND_ALLOCATABLE, 'x')
    call live_add(y, ADTAPE_KIND_ALLOCATABLE, 'y')
    p => x(8:)
    e%part => x(1:6)
    q(3:) => y(1:5:2)
    call deallocate_save_text(t, y)
    call deallocate_save_text(t, x)
    call push_pointer_text(p)
    call push_pointer_text(e%part)
    call push_pointer_text(t, q)
    p => null()
    call live_begin_reverse()
    call pop_pointer_text(t, q)
    call pop_pointer_text(e%part)
    call pop_pointer_text(p)
    call check(.not. (associated(p) .or. associated(q) .or. associated(e%part)), 'null')
    call live_list_waiting(variables, count)
    call check(count == 3, 'three wait')
    call undo_deallocate_text(t, x)
    call undo_deallocate_text(t, y)
    call check(p == 'for' .and. len(p) == 3, 'a scalar that waited')
    call check(e%part == 'waited' .and. len(e%part) == 6, 'a component that waited')
    call check(lbound(q, 1) == 3 .and. size(q) == 3 .and. len(q) == 4, 'an array that waited')
    call check(q(3) == 'last' .and. q(5) == 'none', 'values of an array that waited')
    call undo_allocate_text(y)
    call undo_allocate_text(x)
  end subroutine

  subroutine test_refused(t)
    type(adtape_tape), intent(in) :: t
    character(:), allocatable, target :: x, other
    character(:), pointer, save :: p, q(:)
    character(5), pointer :: fixed
    integer(c_int32_t) :: stat
    x = 'abcdefgh'
    call live_add(c_loc(x), 4, ADTAPE_KIND_ALLOCATABLE, 'x')
    p => x(2:7)
    call push_pointer_text(t, p, stat)
    call check(stat == ADTAPE_STATUS_NO_RANGE, 'beyond the end of its range')
    p => x(2:4)
    call push_pointer_text(t, p)
    nullify (q, fixed)
    call pop_pointer_text(t, q, stat)
    call check(stat == ADTAPE_STATUS_MISMATCH .and. .not. associated(q), 'another rank')
    call pop_pointer(t, fixed, stat)
    call check(stat == ADTAPE_STATUS_MISMATCH .and. .not. associated(fixed), 'another length')
    call undo_deallocate_text(t, other, stat)
    call check(stat == ADTAPE_STATUS_MISMATCH .and. .not. allocated(other), 'no allocatable')
    p => null()
    call pop_pointer_text(t, p, stat)
    call check(stat == ADTAPE_STATUS_OK .and. p == 'bcd', 'and then the right one')
    call pop_pointer_text(t, p, stat)
    call check(stat /= ADTAPE_STATUS_OK .and. p == 'bcd' .and. len(p) == 3, 'nothing left')
    call deallocate_save_text(t, x, stat)
    call check(stat == ADTAPE_STATUS_BAD_ARGUMENT .and. len(x) == 8, 'a range of another size')
    call undo_allocate_text(other, stat)
    call check(stat == ADTAPE_STATUS_NULL_POINTER, 'not allocated')
    call live_remove(c_loc(x))
    call deallocate_save_text(t, x, stat)
    x = 'there'
    call undo_deallocate_text(t, x, stat)
    call check(stat == ADTAPE_STATUS_BAD_ARGUMENT .and. x == 'there' .and. len(x) == 5, 'allocated already')
    deallocate (x)
    call undo_deallocate_text(t, x, stat)
    call check(stat == ADTAPE_STATUS_OK .and. x == 'abcdefgh', 'without a range')
  end subroutine

end module texts_tests

program texts
  use adtape
  use support
  use texts_tests
  implicit none
  type(adtape_tape) :: t
  call adtape_create(t)
  call test_scalars(t)
  call test_arrays(t)
  call test_components()
  call test_memory_of_pointers(t)
  call test_waiting(t)
  call test_refused(t)
  call check_nothing_left(t)
  call adtape_destroy(t)
  call finish('texts')
end program texts
