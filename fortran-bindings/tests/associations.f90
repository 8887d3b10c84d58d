! associations.f90: Fortran pointers and allocatables in both sweeps, on the thread's tape and by handle.
module associations_tests
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  implicit none
  private
  public :: test_kinds, test_sections, test_components, test_single_precision, test_waiting, test_waiting_component
  public :: test_nowhere, test_allocatables, test_pointer_memory, test_reallocation, test_move_alloc
  public :: test_refusals

  type :: cell
    integer :: id = 0
    real(8) :: value = 0
    complex(8) :: phase = 0
    character(3) :: name = '...'
  end type

  type :: holder
    real(8), pointer :: view(:) => null()
    real(8), allocatable :: part(:)
  end type

contains

  ! A pointer of every kind, whose target moves.
  subroutine test_kinds(t)
    type(adtape_tape), intent(in) :: t
    integer(1), allocatable, target :: i1(:)
    integer(2), allocatable, target :: i2(:)
    integer(4), allocatable, target :: i4(:)
    integer(8), allocatable, target :: i8(:)
    logical(1), allocatable, target :: l1(:)
    logical(4), allocatable, target :: l4(:)
    complex(4), allocatable, target :: z4(:)
    complex(8), allocatable, target :: z8(:), z8b(:)
    real(kind=selected_real_kind(33)), allocatable, target :: r16(:)
    character(5), allocatable, target :: c5(:)
    integer(1), pointer :: pi1(:)
    integer(2), pointer :: pi2(:)
    integer(4), pointer :: pi4(:)
    integer(8), pointer :: pi8(:)
    logical(1), pointer :: pl1(:)
    logical(4), pointer :: pl4(:), null_l4(:, :)
    complex(4), pointer :: pz4(:)
    complex(8), pointer :: pz8(:), pz8b(:)
    real(kind=selected_real_kind(33)), pointer :: pr16(:)
    character(5), pointer :: pc5(:)
    integer :: i
    allocate (i1, source=[(int(i, 1), i=1, 9)])
    allocate (i2, source=[(int(i, 2), i=1, 9)])
    allocate (i4, source=[(i, i=1, 9)])
    allocate (i8, source=[(int(i, 8), i=1, 9)])
    allocate (l1, source=[(logical(mod(i, 3) == 0, 1), i=1, 9)])
    allocate (l4, source=[(mod(i, 2) == 0, i=1, 9)])
    allocate (z4, source=[(cmplx(i, -i), i=1, 9)])
    allocate (z8, source=[(cmplx(i, -i, 8), i=1, 9)])
    allocate (r16, source=[(real(i, kind(r16)), i=1, 9)])
    allocate (c5, source=[(digit_string(i)//'xy', i=1, 9)])
    call live_add(i1, ADTAPE_KIND_ALLOCATABLE, 'i1')
    call live_add(i2, ADTAPE_KIND_ALLOCATABLE, 'i2')
    call live_add(i4, ADTAPE_KIND_ALLOCATABLE, 'i4')
    call live_add(i8, ADTAPE_KIND_ALLOCATABLE, 'i8')
    call live_add(l1, ADTAPE_KIND_ALLOCATABLE, 'l1')
    call live_add(l4, ADTAPE_KIND_ALLOCATABLE, 'l4')
    call live_add(z4, ADTAPE_KIND_ALLOCATABLE, 'z4')
    call live_add(z8, ADTAPE_KIND_ALLOCATABLE, 'z8')
    call live_add(r16, ADTAPE_KIND_ALLOCATABLE, 'r16')
    call live_add(c5, ADTAPE_KIND_ALLOCATABLE)
    pi1(0:) => i1(2:)
    pi2(0:) => i2(2:8:2)
    pi4(0:) => i4(9:1:-4)
    pi8(-4:) => i8
    pl1 => l1(3:)
    pl4 => l4(::2)
    pz4 => z4(5:5)
    pz8(7:) => z8(3:9:3)
    pr16 => r16(8:2:-3)
    pc5(2:) => c5(2:4)
    nullify (null_l4)
    call push_pointer(pi1)
    call push_pointer(t, pi2)
    call push_pointer(pi4)
    call push_pointer(t, pi8)
    call push_pointer(pl1)
    call push_pointer(t, pl4)
    call push_pointer(pz4)
    call push_pointer(t, pz8)
    call push_pointer(pr16)
    call push_pointer(t, pc5)
    call push_pointer(null_l4)
    call deallocate_save(i1)
    call deallocate_save(t, i2)
    call deallocate_save(i4)
    call deallocate_save(t, i8)
    call deallocate_save(l1)
    call deallocate_save(t, l4)
    call deallocate_save(z4)
    call deallocate_save(t, z8)
    call deallocate_save(r16)
    call deallocate_save(t, c5)
    call check(.not. (allocated(i1) .or. allocated(z8) .or. allocated(c5)), 'deallocated')
    nullify (pi1, pi2, pi4, pi8, pl1, pl4, pz4, pz8, pz8b, pr16, pc5)
    allocate (null_l4(2, 3))
    deallocate (null_l4)
    call begin_reverse()
    call undo_deallocate(t, c5)
    call undo_deallocate(r16)
    call undo_deallocate(t, z8, z8b)
    call undo_deallocate(z4)
    call undo_deallocate(t, l4)
    call undo_deallocate(l1)
    call undo_deallocate(t, i8)
    call undo_deallocate(i4)
    call undo_deallocate(t, i2)
    call undo_deallocate(i1)
    call check(all(i1 == [1, 2, 3, 4, 5, 6, 7, 8, 9]) .and. c5(9) == '009xy' .and. all(z8b == 0), 'values')
    call pop_pointer(null_l4)
    call pop_pointer(t, pc5)
    call pop_pointer(pr16)
    call pop_pointer(t, pz8, pz8b)
    call pop_pointer(pz4)
    call pop_pointer(t, pl4)
    call pop_pointer(pl1)
    call pop_pointer(t, pi8)
    call pop_pointer(pi4)
    call pop_pointer(t, pi2)
    call pop_pointer(pi1)
    call check(.not. associated(null_l4), 'a null pointer')
    call check(associated(pc5, c5(2:4)) .and. lbound(pc5, 1) == 2, 'character')
    call check(associated(pr16, r16(8:2:-3)), 'real(16)')
    call check(associated(pz8, z8(3:9:3)) .and. associated(pz8b, z8b(3:9:3)) .and. lbound(pz8b, 1) == 7, 'complex(8)')
    call check(associated(pz4, z4(5:5)), 'complex(4)')
    call check(associated(pl4, l4(::2)) .and. associated(pl1, l1(3:)), 'logical')
    call check(associated(pi8, i8) .and. lbound(pi8, 1) == -4 .and. ubound(pi8, 1) == 4, 'integer(8)')
    call check(associated(pi4, i4(9:1:-4)) .and. lbound(pi4, 1) == 0 .and. all(pi4 == [9, 5, 1]), 'integer(4)')
    call check(associated(pi2, i2(2:8:2)) .and. associated(pi1, i1(2:)), 'integer(1, 2)')
    call undo_allocate(i1)
    call undo_allocate(i2)
    call undo_allocate(i4)
    call undo_allocate(i8)
    call undo_allocate(l1)
    call undo_allocate(l4)
    call undo_allocate(z4)
    call undo_allocate(z8, z8b)
    call undo_allocate(r16)
    call undo_allocate(c5)
    call check(.not. (allocated(i1) .or. allocated(z8) .or. allocated(z8b) .or. allocated(c5)), 'never allocated')
  end subroutine

  ! Sections of every rank, with strides up and down, of an array that moves.
  subroutine test_sections(t)
    type(adtape_tape), intent(in) :: t
    real(8), allocatable, target :: x(:, :, :), xb(:, :, :)
    real(8), pointer :: s, sb, p1(:), p1b(:), p2(:, :), p2b(:, :), p3(:, :, :), p3b(:, :, :)
    real(8), pointer :: p7(:, :, :, :, :, :, :), p7b(:, :, :, :, :, :, :)
    allocate (x(4, 5, 6), source=1d0)
    call live_add(x, ADTAPE_KIND_ALLOCATABLE, 'x (real(8), 4 5 6)')
    s => x(2, 3, 4)
    p1(-3:) => x(4, 5:1:-2, 3)
    p2(2:, 0:) => x(1:4:3, 2, 6:2:-2)
    p3 => x(2:3, 2:4, 3:5)
    p7(1:2, 1:2, 1:3, 1:1, 1:5, 1:1, 1:2) => x
    call push_pointer(t, s)
    call push_pointer(t, p1)
    call push_pointer(p2)
    call push_pointer(p3)
    call push_pointer(p7)
    call deallocate_save(x)
    nullify (s, p1, p2, p3, p7, sb, p1b, p2b, p3b, p7b)
    call begin_reverse()
    call undo_deallocate(x, xb)
    call pop_pointer(p7, p7b)
    call pop_pointer(p3, p3b)
    call pop_pointer(p2, p2b)
    call pop_pointer(t, p1, p1b)
    call pop_pointer(t, s, sb)
    call check(associated(s, x(2, 3, 4)) .and. associated(sb, xb(2, 3, 4)), 'a scalar')
    call check(associated(p1, x(4, 5:1:-2, 3)) .and. associated(p1b, xb(4, 5:1:-2, 3)), 'a negative stride')
    call check(lbound(p1, 1) == -3 .and. lbound(p1b, 1) == -3, 'a lower bound')
    call check(associated(p2, x(1:4:3, 2, 6:2:-2)) .and. associated(p2b, xb(1:4:3, 2, 6:2:-2)), 'rank 2')
    call check(all(lbound(p2) == [2, 0]) .and. all(ubound(p2b) == [3, 2]), 'bounds of rank 2')
    call check(associated(p3, x(2:3, 2:4, 3:5)) .and. associated(p3b, xb(2:3, 2:4, 3:5)), 'rank 3')
    call check(all(shape(p7) == [2, 2, 3, 1, 5, 1, 2]) .and. associated(p7b), 'rank 7')
    p7b(2, 2, 3, 1, 5, 1, 2) = 7
    p2b(3, 2) = 5
    call check(xb(4, 5, 6) == 7 .and. xb(4, 2, 2) == 5 .and. sum(xb) == 12, 'adjoints are in their place')
    call undo_allocate(x, xb)
  end subroutine

  ! Components of an array of derived type: strides that no number of elements makes.
  subroutine test_components()
    type(cell), allocatable, target :: cells(:, :), cellsb(:, :)
    real(8), pointer :: v(:), vb(:), w(:, :), wb(:, :)
    integer, pointer :: id(:)
    character(3), pointer :: name(:)
    complex(8), pointer :: phase(:)
    real(8), pointer :: imaginary(:)
    type(adtape_range) :: range
    integer :: i
    allocate (cells(6, 2))
    do i = 1, 6
      cells(i, 1)%id = i
      cells(i, 2)%id = -i
    end do
    call live_add(cells, ADTAPE_KIND_ALLOCATABLE, 'cells (cell, 6 2)')
    v(10:) => cells(2:6:2, 2)%value
    w => cells(6:1:-5, :)%value
    id(0:) => cells(:, 1)%id
    name => cells(3:, 1)%name
    phase => cells(1, :)%phase
    imaginary => cells(::3, 2)%phase%im
    call push_pointer(v)
    call push_pointer(w)
    call push_pointer(id)
    call push_pointer(name)
    call push_pointer(phase)
    call push_pointer(imaginary)
    call live_end(c_loc(cells))
    deallocate (cells)
    nullify (v, vb, w, wb, id, name, phase, imaginary)
    call begin_reverse()
    allocate (cells(6, 2), cellsb(6, 2))
    call pop_range(range)
    call rebase_add(range, c_loc(cells), c_loc(cellsb), range%bytes)
    call pop_pointer(imaginary)
    call pop_pointer(phase)
    call pop_pointer(name)
    call pop_pointer(id)
    call pop_pointer(w, wb)
    call pop_pointer(v, vb)
    v = [1, 2, 3]
    vb = [4, 5, 6]
    w(2, 1) = 9
    wb(1, 2) = 8
    id = [1, 2, 3, 4, 5, 6]
    name = ['aaa', 'bbb', 'ccc', 'ddd']
    phase = (1d0, 2d0)
    imaginary(2) = 7
    call check(all(cells(2:6:2, 2)%value == [1, 2, 3]) .and. lbound(v, 1) == 10, 'a component')
    call check(cells(1, 1)%value == 9 .and. cellsb(2, 2)%value == 4, 'a component in two dimensions')
    call check(cellsb(6, 2)%value == 8 .and. cellsb(4, 2)%value == 5, 'its adjoint')
    call check(all(cells(:, 1)%id == [1, 2, 3, 4, 5, 6]) .and. ubound(id, 1) == 5, 'an integer component')
    call check(all(cells(3:, 1)%name == ['aaa', 'bbb', 'ccc', 'ddd']), 'a character component')
    call check(all(cells(1, :)%phase == (1d0, 2d0)) .and. cells(4, 2)%phase%im == 7, 'parts of complex numbers')
    call rebase_remove(c_loc(cells))
  end subroutine

  ! A target in single precision whose adjoint is in double precision.
  subroutine test_single_precision(t)
    type(adtape_tape), intent(in) :: t
    real(4), allocatable, target :: x(:)
    real(8), allocatable, target :: xb(:)
    real(4), pointer :: p(:), s
    real(8), pointer :: pb(:), sb
    complex(4), allocatable, target :: z(:)
    complex(8), allocatable, target :: zb(:)
    complex(4), pointer :: q(:)
    complex(8), pointer :: qb(:)
    allocate (x(0:9), z(5))
    call live_add(x, ADTAPE_KIND_ALLOCATABLE, 'x')
    call live_add(z, ADTAPE_KIND_ALLOCATABLE, 'z')
    p(3:) => x(8:1:-3)
    s => x(5)
    q => z(2:4:2)
    call push_pointer(p)
    call push_pointer(t, s)
    call push_pointer(q)
    call deallocate_save(x)
    call deallocate_save(t, z)
    nullify (pb, sb, qb)
    call begin_reverse()
    call undo_deallocate(t, z, zb)
    call undo_deallocate(x, xb)
    call pop_pointer(q, qb)
    call pop_pointer(t, s, sb)
    call pop_pointer(p, pb)
    call check(associated(p, x(8:1:-3)) .and. associated(pb, xb(8:1:-3)) .and. lbound(pb, 1) == 3, 'real')
    call check(associated(s, x(5)) .and. associated(sb, xb(5)), 'a scalar in single precision')
    call check(associated(q, z(2:4:2)) .and. associated(qb, zb(2:4:2)), 'complex')
    call undo_allocate(z, zb)
    call undo_allocate(x, xb)
  end subroutine

  ! A pointer that is pushed when its target is gone waits for it in the reverse sweep.
  subroutine test_waiting(t)
    type(adtape_tape), intent(in) :: t
    real(8), allocatable, target :: x(:), xb(:)
    real(8), pointer :: matrix(:, :), p(:, :), pb(:, :), q(:), s
    type(adtape_live_counts) :: counts
    type(adtape_mark) :: here
    integer(c_int32_t) :: stat
    allocate (x(24), source=2d0)
    call live_add(x, ADTAPE_KIND_ALLOCATABLE, 'x')
    matrix(0:3, 1:3) => x(:12)
    p(0:, 5:) => matrix(3:0:-1, :)
    q => x(24:2:-2)
    s => x(3)
    call deallocate_save(x)
    call push_pointer(p)
    call push_pointer(t, q)
    call mark_take(here)
    call push_pointer(s)
    nullify (p, pb, q)
    call begin_reverse()
    call pop_pointer(s, stat=stat)
    call check(stat == ADTAPE_STATUS_NO_RANGE .and. index(adtape_error_message(), 'scalar cannot wait') > 0, &
               'a pointer to a scalar cannot wait')
    call mark_reset(here)
    call pop_pointer(t, q)
    call pop_pointer(p, pb)
    call check(.not. (associated(p) .or. associated(pb) .or. associated(q)), 'null while they wait')
    call live_stats(counts)
    call check(counts%waiting == 3, 'three variables wait')
    call undo_deallocate(x, xb)
    call check(associated(q, x(24:2:-2)) .and. all(q == 2), 'a pointer that waited')
    call check(all(shape(p) == [4, 3]) .and. all(lbound(p) == [0, 5]) .and. all(lbound(pb) == [0, 5]), 'its bounds')
    p(0, 7) = 4
    pb(2, 6) = 3
    call check(x(12) == 4 .and. xb(6) == 3, 'its elements')
    call undo_allocate(x, xb)
  end subroutine

  ! A pointer that is a component waits with the object that it is in, or not at all if that goes again.
  subroutine test_waiting_component()
    type(holder), pointer :: a, other
    real(8), allocatable, target :: x(:)
    type(adtape_live_counts) :: counts
    allocate (x(5))
    call live_add(x, ADTAPE_KIND_ALLOCATABLE, 'x')
    allocate (a, other)
    call live_add(c_loc(a), int(storage_size(a)/8), ADTAPE_KIND_HEAP, 'a')
    a%view => x(2:4)
    other%view => x(3:)
    call deallocate_save(x)
    call push_pointer(a%view)
    call push_pointer(other%view)
    call begin_reverse()
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

  ! Sections without elements point nowhere, and are associated all the same.
  subroutine test_nowhere(t)
    type(adtape_tape), intent(in) :: t
    real(8), allocatable, target :: x(:), xb(:), none(:)
    real(8), pointer :: p(:), q(:, :), qb(:, :), r(:)
    allocate (x(10), none(0))
    call live_add(x, ADTAPE_KIND_ALLOCATABLE, 'x')
    call live_add(none, ADTAPE_KIND_ALLOCATABLE, 'none')
    p(5:) => x(11:10)
    q(1:3, -2:-3) => x
    r => none
    call push_pointer(t, p)
    call push_pointer(q)
    call push_pointer(r)
    call deallocate_save(t, none)
    call deallocate_save(t, x)
    nullify (p, q, qb, r)
    call begin_reverse()
    call undo_deallocate(t, x, xb)
    call undo_deallocate(t, none)
    call check(allocated(none) .and. size(none) == 0, 'an array without elements is allocated')
    call pop_pointer(r)
    call pop_pointer(q, qb)
    call pop_pointer(t, p)
    call check(associated(p) .and. size(p) == 0, 'no elements')
    call check(associated(q) .and. associated(qb) .and. all(shape(q) == [3, 0]) .and. all(shape(qb) == [3, 0]), 'rank 2')
    call check(associated(r) .and. size(r) == 0, 'of an array without elements')
    call undo_allocate(none)
    call undo_allocate(x, xb)
  end subroutine

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
    call begin_reverse()
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
    call begin_reverse()
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
    call begin_reverse()
    allocate (xb(20), source=0d0)
    call live_adjoint(x, xb)
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
    call begin_reverse()
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
    real(8), target :: x(100), stray(4)
    real(8), allocatable, target :: a(:), ab(:), b(:)
    real(4), allocatable :: single(:)
    real(8), pointer :: p(:), p2(:, :)
    real(4), pointer :: q(:)
    real(8), allocatable, target :: y(:)
    real(4), allocatable, target :: w(:), wb(:)
    real(4), pointer :: v(:), vb(:)
    type(adtape_stats) :: before, after
    type(adtape_range) :: range
    type(adtape_pair) :: pair
    integer(c_int32_t) :: stat
    stray = 0
    nullify (q, p2, vb)
    call live_add(x(1:50), ADTAPE_KIND_STATIC, 'x (real(8), 50)')
    p => x(40:60)
    call stats_get(t, before)
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
    call stats_get(t, after)
    call check(before%bytes == after%bytes, 'nothing was pushed')

    p => x(1:9:2)
    call push_pointer(t, p)
    call pop_pointer(t, q, stat=stat)
    call check(stat == ADTAPE_STATUS_MISMATCH .and. said('a pointer to f64 of rank 1') .and. said('f32 of rank 1'), 'kind')
    call pop_pointer(t, p2, stat=stat)
    call check(stat == ADTAPE_STATUS_MISMATCH .and. said('of rank 2'), 'rank')
    call undo_deallocate(t, b, stat=stat)
    call check(stat == ADTAPE_STATUS_MISMATCH .and. said('a deallocated array'), 'no array was deallocated')
    call pop_pointer(t, p, stat=stat)
    call check(stat == ADTAPE_STATUS_OK .and. associated(p, x(1:9:2)), 'it is still there')
    call pop_pointer(t, p, stat=stat)
    call check(any(stat == [ADTAPE_STATUS_UNDERFLOW, ADTAPE_STATUS_MISMATCH]), 'an empty tape')

    ! An adjoint in double precision that is popped into a pointer in single precision.
    allocate (w(6), wb(12))
    call live_add(w, ADTAPE_KIND_ALLOCATABLE, 'w (real(4), 6)')
    call live_adjoint(w, wb)
    v => w(2:)
    call push_pointer(t, v)
    call pop_pointer(t, v, vb, stat)
    call check(stat == ADTAPE_STATUS_UNEVEN .and. said('`w` (real(4), 6)') .and. said('48 bytes'), 'uneven')
    call pop_pointer(t, v)
    call live_remove(c_loc(w))

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
    call undo_allocate(b, stat=stat)
    call check(stat == ADTAPE_STATUS_NULL_POINTER .and. said('not allocated'), 'there is none')
    p => x(1:9:2)
    call deallocate_save(t, p, stat)
    call check(stat == ADTAPE_STATUS_BAD_ARGUMENT .and. said('not contiguous'), 'a section')
    p => x(1:10)
    call deallocate_save(t, p, stat)
    call check(stat == ADTAPE_STATUS_BAD_ARGUMENT .and. said('80 bytes') .and. said('400 bytes'), 'a part')

    ! A record of another sort on top.
    call push_pointer(t, c_loc(x))
    call pop_pointer(t, p, stat=stat)
    call check(any(stat == [ADTAPE_STATUS_CORRUPT, ADTAPE_STATUS_MISMATCH, ADTAPE_STATUS_UNDERFLOW]), 'an address')
    call push_pair(t, c_loc(x), 8_8)
    call pop_pair(t, pair)
    call check(pair%offset == 8, 'the tape is as it was')
    call live_find(c_loc(x), range)
    call check(range%bytes == 400, 'and so are the ranges')
    call live_remove(c_loc(x))
  end subroutine

  logical function said(text)
    character(*), intent(in) :: text
    said = index(adtape_error_message(), text) > 0
  end function

end module associations_tests

program associations
  use, intrinsic :: iso_c_binding
  use adtape
  use associations_tests
  use support
  implicit none
  type(adtape_tape) :: t, other
  type(adtape_stats) :: stats
  type(adtape_live_counts) :: counts
  call adtape_new(t)
  call test_kinds(t)
  call test_sections(t)
  call test_components()
  call test_single_precision(t)
  call test_waiting(t)
  call test_waiting_component()
  call test_nowhere(t)
  call test_allocatables(t)
  call test_pointer_memory(t)
  call test_reallocation(t)
  call test_move_alloc(t)
  call stats_get(t, stats)
  call check(stats%bytes == 0, 'nothing is left on the tape')
  call stats_get(stats)
  call check(stats%bytes == 0, 'nothing is left on the thread''s tape')
  call live_stats(counts)
  call check(counts%ranges == 0 .and. counts%waiting == 0, 'nothing is left alive')
  call adtape_new(other)
  call test_refusals(other)
  call adtape_free(other)
  call adtape_free(t)
  call finish('associations')
end program associations
