! components.f90: components x%v of arrays that are allocatable, pointers, polymorphic or of assumed shape.
!
! gfortran 12 passes x%v to an assumed shape of a bind(c) procedure by moving the address in x itself to that of v: the
! values pushed were right, and x was another array from there on. Module procedures and externals get a temporary array,
! and class(*) the descriptor of x, which is refused.
module components_tests
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  implicit none
  private
  public :: test_tape, test_shapes, test_checkpoint, test_kept, test_addresses

  type :: cell
    integer(8) :: id = 0
    real(8) :: v = 0
    complex(8) :: z = 0
    character(5) :: label = ''
    logical :: wet = .false.
    type(c_ptr) :: next = c_null_ptr
  end type

  type, extends(cell) :: large_cell
    real(8) :: more = 0
  end type

contains

  elemental type(cell) function numbered(i)
    integer, intent(in) :: i
    numbered = cell(i, 1.5d0*i, cmplx(i, -i, 8), 'abc'//achar(96 + i), mod(i, 2) == 0, c_null_ptr)
  end function

  ! Whether x is as it was made, which says that it is where it was made.
  logical function is_numbered(x)
    type(cell), intent(in) :: x(:)
    integer :: i
    is_numbered = all(x%id == [(i, i = 1, size(x))]) .and. all(x%v == 1.5d0*x%id) .and. all(x%z%im == -x%id) .and. &
                  all(x%label(4:4) == achar(96 + x%id)) .and. all(x%wet .eqv. mod(x%id, 2_8) == 0)
  end function

  subroutine test_tape
    type(cell), allocatable :: x(:)
    type(cell), pointer :: p(:)
    class(cell), allocatable :: c(:)
    type(adtape_tape) :: t
    integer :: i
    allocate (x(4), p(0:3))
    allocate (large_cell :: c(4))
    x = numbered([1, 2, 3, 4])
    p = x
    do i = 1, 4
      c(i)%v = 1.5d0*i
    end do
    call adtape_create(t)
    call push(x%v)
    call push(x%wet)
    call push(x%z%im)
    call push(t, x%label)
    call push(t, x(:)%id)
    call push(p%v)
    call push(p%label(4:4))
    call push(c%v)
    call check(is_numbered(x) .and. is_numbered(p) .and. all(c%v == [1.5d0, 3d0, 4.5d0, 6d0]), 'push moves no array')
    x%v = 0; x%wet = .false.; x%z%im = 0; x%label = ''; x%id = 0
    p%v = 0; p%label(4:4) = ' '
    c%v = 0
    call pop(c%v)
    call pop(p%label(4:4))
    call pop(p%v)
    call pop(t, x(:)%id)
    call pop(t, x%label)
    call pop(x%z%im)
    call pop(x%wet)
    call pop(x%v)
    call check(is_numbered(x), 'components of an allocatable array come back')
    call check(is_numbered(p), 'components of a pointer come back')
    call check(all(c%v == [1.5d0, 3d0, 4.5d0, 6d0]), 'components of a polymorphic array come back')
    call adtape_destroy(t)
    deallocate (p)
  end subroutine

  subroutine test_shapes
    type(cell), allocatable, target :: x(:, :)
    type(cell) :: y(4)
    real(8), pointer :: v(:)
    allocate (x(2, 2))
    x = reshape(numbered([1, 2, 3, 4]), [2, 2])
    y = numbered([1, 2, 3, 4])
    call push(x%v)
    call push(x(2, :)%id)
    call through_dummies(y, y)
    v => x(2, :)%v
    call push_and_pop(v)
    call check(is_numbered([x]) .and. is_numbered(y), 'push moves no matrix and no dummy argument')
    x%v = 0
    x(2, :)%id = 0
    call pop(x(2, :)%id)
    call pop(x%v)
    call check(is_numbered([x]), 'components of a matrix come back')
  end subroutine

  subroutine through_dummies(x, c)
    type(cell), intent(in) :: x(:)
    class(cell), intent(in) :: c(:)
    real(8) :: back(4)
    call push(x%v)
    call push(c%v)
    call push(c(4:1:-1)%v)
    call pop(back)
    call check(all(back == x(4:1:-1)%v), 'components of a section of a polymorphic array')
    call pop(back)
    call check(all(back == x%v), 'components of a polymorphic dummy argument')
    call pop(back)
    call check(all(back == x%v), 'components of an assumed shape')
  end subroutine

  subroutine push_and_pop(v)
    real(8), pointer, intent(in) :: v(:)
    call push(v)
    v = 0
    call pop(v)
  end subroutine

  subroutine test_checkpoint
    type(cell), allocatable :: x(:)
    type(adtape_store) :: s
    type(adtape_checkpoint) :: c
    allocate (x(4))
    x = numbered([1, 2, 3, 4])
    call store_create_memory(s, 0_c_int64_t)
    call checkpoint_create(c, s, 'x')
    call checkpoint_write(c, 'v', x%v)
    call checkpoint_write(c, 'label', x%label)
    call checkpoint_write(c, 'one', x(2)%v)
    call checkpoint_commit(c)
    call check(is_numbered(x), 'checkpoint_write moves no array')
    x%v = 0
    x%label = ''
    call checkpoint_open(c, s, 'x')
    call checkpoint_read(c, 'v', x%v)
    call checkpoint_read(c, 'label', x%label)
    x(2)%v = 0
    call checkpoint_read(c, 'one', x(2)%v)
    call checkpoint_close(c)
    call store_destroy(s)
    call check(is_numbered(x), 'components come back with a checkpoint')
  end subroutine

  ! What keeps the address takes a pointer to the component, on every compiler.
  subroutine test_kept
    type(cell), allocatable, target :: x(:)
    real(8), pointer :: v(:)
    type(adtape_driver) :: driver
    type(adtape_schedule) :: schedule
    allocate (x(4))
    x = numbered([1, 2, 3, 4])
    v => x(:)%v
    call driver_create(driver)
    call driver_register(driver, v)
    call driver_register(driver, x(1)%z)
    call driver_set_calls(driver, double, add_up, user=c_loc(x))
    call schedule_create(schedule, ADTAPE_SCHEDULE_BINOMIAL, 5_c_int64_t, 2_c_int64_t)
    call driver_run(driver, schedule)
    call check(all(x%v == 1.5d0*[1, 2, 3, 4]), 'the driver loads the state before the first step')
    call check(x(4)%id == 31 + 4, 'each step sees its own state')
    call schedule_destroy(schedule)
    call driver_destroy(driver)
  end subroutine

  function double(step, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    type(cell), pointer :: x(:)
    call c_f_pointer(user, x, [4])
    x%v = 2*x%v
    flow = merge(ADTAPE_FLOW_CONTINUE, ADTAPE_FLOW_STOP, step < 5)
  end function

  function add_up(step, first, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    logical(c_bool), value :: first
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    type(cell), pointer :: x(:)
    call c_f_pointer(user, x, [4])
    x(4)%id = x(4)%id + nint(x(2)%v/3)
    flow = merge(ADTAPE_FLOW_CONTINUE, ADTAPE_FLOW_STOP, step < 5 .and. (first .eqv. step == 4))
  end function

  subroutine test_addresses
    type(cell), allocatable, target :: x(:)
    type(c_ptr), pointer :: next(:)
    integer :: i
    allocate (x(3))
    x%id = [1, 2, 3]
    call live_add(x, ADTAPE_KIND_HEAP, 'x')
    do i = 1, 3
      x(i)%next = c_loc(x(4 - i))
    end do
    call push_pointers(x%next)
    call check(all(x%id == [1, 2, 3]), 'push_pointers moves no array')
    x%next = c_null_ptr
    next => x(:)%next
    call live_begin_reverse()
    call pop_pointers(next)
    call check(all([(c_associated(x(i)%next, c_loc(x(4 - i))), i = 1, 3)]), 'addresses in components come back')
    call rebase_remove(c_loc(x))
  end subroutine

end module components_tests

program components
  use components_tests
  use adtape, only: adtape_self
  use support
  implicit none
  call test_tape
  call test_shapes
  call test_checkpoint
  call test_kept
  call test_addresses
  call check_nothing_left(adtape_self())
  call finish('components')
end program components
