! associations.f90: Fortran pointers in both sweeps, on the thread's tape and by handle: kinds, sections, components.
module associations_tests
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  implicit none
  private
  public :: test_kinds, test_sections, test_components, test_single_precision, test_nowhere

  type :: cell
    integer :: id = 0
    real(8) :: value = 0
    complex(8) :: phase = 0
    character(3) :: name = '...'
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
    call live_begin_reverse()
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
    call live_begin_reverse()
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
    call live_begin_reverse()
    allocate (cells(6, 2), cellsb(6, 2))
    call pop_range(range)
    call rebase_add(range, cells, cellsb)
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
    call live_begin_reverse()
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
    call live_begin_reverse()
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

end module associations_tests

program associations
  use adtape
  use associations_tests
  use support
  implicit none
  type(adtape_tape) :: t
  call adtape_create(t)
  call test_kinds(t)
  call test_sections(t)
  call test_components()
  call test_single_precision(t)
  call test_nowhere(t)
  call check_nothing_left(t)
  call adtape_destroy(t)
  call finish('associations')
end program associations
