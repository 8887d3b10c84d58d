! sections.f90: arrays as programs have them: allocatable, pointers, components, substrings, assumed shape, none at all.
! Pushed and popped in place: compiled with warnings for array temporaries, this file has none in a push or pop but of
! components and substrings of arrays, for which gfortran always makes them.
module sections_tests
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  implicit none
  private
  public :: test_allocatable, test_pointers, test_components, test_characters, test_dummies, test_empty, &
            test_contiguous_and_section_are_one, test_bytes, test_many_elements, test_polymorphic

  type :: cell
    integer :: id = 0
    real(8) :: v = 0
    real(4) :: flux(3) = 0
    complex(8) :: z = 0
    character(5) :: label = ''
    logical :: wet = .false.
  end type

  type :: field
    real(8), allocatable :: values(:, :)
    type(cell) :: corner
  end type

contains

  subroutine test_allocatable
    real(8), allocatable :: a(:), b(:, :)
    type(field) :: f
    integer :: i
    allocate (a(-3:6), b(0:2, 5:8), f%values(3, 4))
    a = [(real(i, 8), i = 1, 10)]
    b = reshape([(real(i, 8), i = 1, 12)], [3, 4])
    f%values = 10*b
    call push(a)
    call push(b(0:2:2, 8:5:-1))
    call push(f%values)
    call push(f%values(:, 2))
    a = 0; b = 0; f%values = 0
    call pop(f%values(:, 2))
    call check(all(f%values(:, 2) == [40, 50, 60]) .and. all(f%values(:, 1) == 0), 'column of an allocatable component')
    call pop(f%values)
    call pop(b(0:2:2, 8:5:-1))
    call pop(a)
    call check(all(f%values == reshape([(10*i, i = 1, 12)], [3, 4])), 'allocatable component')
    call check(all(b(0, :) == [1, 4, 7, 10]) .and. all(b(2, :) == [3, 6, 9, 12]) .and. all(b(1, :) == 0), &
               'section of an allocatable with other lower bounds')
    call check(all(a == [(i, i = 1, 10)]) .and. lbound(a, 1) == -3, 'allocatable with another lower bound')
  end subroutine

  subroutine test_pointers
    real(8), target :: a(6, 5)
    type(cell), target :: cells(4)
    real(8), pointer :: every_other(:), corner(:, :), v(:), re(:)
    integer :: i
    a = reshape([(real(i, 8), i = 1, 30)], [6, 5])
    cells%v = [(real(i, 8), i = 1, 4)]
    cells%z = [(cmplx(i, -i, 8), i = 1, 4)]
    every_other => a(6:1:-2, 3)
    corner(0:, -1:) => a(2:3, 4:5)
    v => cells(4:1:-1)%v
    re => cells(::2)%z%re
    call push(every_other)
    call push(corner)
    call push(v)
    call push(re)
    a(:, 3:) = 0
    cells%v = 0
    cells%z = 0
    call pop(re)
    call pop(v)
    call pop(corner)
    call pop(every_other)
    call check(all(a(2:6:2, 3) == [14, 16, 18]) .and. all(a(1:5:2, 3) == 0), &
               'pointer to a section with a negative stride')
    call check(all(a(2:3, 4:5) == reshape([20, 21, 26, 27], [2, 2])) .and. a(1, 4) == 0 .and. a(4, 4) == 0, &
               'pointer to a corner of a matrix')
    call check(all(cells%v == [1, 2, 3, 4]), 'pointer to a component of an array of derived type')
    call check(all(cells%z == [cmplx(1, 0, 8), (0d0, 0d0), cmplx(3, 0, 8), (0d0, 0d0)]), 'pointer to real parts')
  end subroutine

  subroutine test_components
    type(cell) :: x(4), y(2, 3)
    integer :: i, j
    do i = 1, 4
      x(i) = cell(i, 1.5d0*i, [real(i, 4), 10.0*i, 100.0*i], cmplx(i, -2*i, 8), achar(96 + i)//'abcd', mod(i, 2) == 0)
    end do
    do j = 1, 3
      y(:, j) = x(j:j + 1)
    end do
    call push(x%v)
    call push(x(4:1:-1)%id)
    call push(x%z%im)
    call push(x%z)
    call push(x%label)
    call push(x%label(2:3))
    call push(x%wet)
    call push(x%flux(2))
    call push(y%v)
    call push(y(2, 3:1:-2)%flux(3))
    call erase
    call pop(y(2, 3:1:-2)%flux(3))
    call pop(y%v)
    call pop(x%flux(2))
    call pop(x%wet)
    call pop(x%label(4:5))
    call check(all(x%label == '   ab'), 'substrings of components')
    call pop(x%label)
    call pop(x%z)
    call check(all(x%z == [(cmplx(i, -2*i, 8), i = 1, 4)]), 'complex components')
    x%z = 0
    call pop(x%z%im)
    call check(all(x%z%re == 0) .and. all(x%z%im == [(-2*i, i = 1, 4)]), 'imaginary parts')
    call pop(x(4:1:-1)%id)
    call pop(x%v)
    call check(all(x%v == [1.5d0, 3d0, 4.5d0, 6d0]), 'real components')
    call check(all(x%id == [1, 2, 3, 4]), 'integer components, reversed')
    call check(all(x%label == ['aabcd', 'babcd', 'cabcd', 'dabcd']), 'character components')
    call check(all(x%wet .eqv. [.false., .true., .false., .true.]), 'logical components')
    call check(all(x%flux(2) == [10, 20, 30, 40]) .and. all(x%flux(1) == -1) .and. all(x%flux(3) == -1), &
               'an element of a component')
    call check(all(y%v == reshape([1.5d0, 3d0, 3d0, 4.5d0, 4.5d0, 6d0], [2, 3])), 'components of a matrix')
    call check(y(2, 3)%flux(3) == 400 .and. y(2, 1)%flux(3) == 200 .and. y(2, 2)%flux(3) == -1, &
               'an element of components of a row')
    call check(all(y%id == -1), 'components that were not popped')

  contains

    subroutine erase
      integer :: k
      do k = 1, 4
        x(k) = cell(-1, -1d0, -1.0, (-1d0, -1d0), '', .false.)
      end do
      y = cell(-1, -1d0, -1.0, (-1d0, -1d0), '', .false.)
    end subroutine

  end subroutine

  subroutine test_characters
    character(12) :: line
    character(:), allocatable :: text
    character(4) :: words(3)
    character(0) :: nothing(5)
    line = 'forward'
    text = 'a longer text, '//repeat('0123456789', 100)
    words = ['abcd', 'efgh', 'ijkl']
    call push(line)
    call push(text)
    call push(line(3:5))
    call push('literal')
    call push('')
    call push(words)
    call push(words(:)(2:3))
    call push(words(3:1:-2)(4:4))
    call push(nothing)
    line = ''
    call pop(nothing)
    words = '....'
    call pop(words(1:2)(1:1))
    call check(words(1) == 'l...' .and. words(2) == 'd...', 'a substring of a section of characters')
    words = '....'
    call pop(words(:)(3:4))
    call check(all(words == ['..bc', '..fg', '..jk']), 'substrings of characters')
    call pop(words)
    call check(all(words == ['abcd', 'efgh', 'ijkl']), 'an array of characters')
    call pop(text(1:0))
    call pop(line(1:7))
    call check(line == 'literal', 'a literal')
    call pop(line(10:12))
    call check(line == 'literal  rwa', 'a substring')
    text = repeat(' ', len(text))
    call pop(text)
    call pop(line)
    call check(text == 'a longer text, '//repeat('0123456789', 100), 'a deferred-length character')
    call check(line == 'forward', 'a character of fixed length')
  end subroutine

  ! Dummy arguments: assumed shape, explicit shape, assumed size by a section with an upper bound.
  subroutine test_dummies
    real(8) :: a(5, 4)
    integer :: i
    a = reshape([(real(i, 8), i = 1, 20)], [5, 4])
    call save_shape(a(2:4, ::3))
    call save_explicit(a, 20)
    call save_size(a, 20)
    a = 0
    call restore_size(a, 20)
    call check(all(a == reshape([(i, i = 1, 20)], [5, 4])), 'assumed size by a section')
    a = 0
    call restore_explicit(a, 20)
    call check(all(a == reshape([(i, i = 1, 20)], [5, 4])), 'explicit shape')
    a = 0
    call restore_shape(a(2:4, ::3))
    call check(all(a(2:4, 1) == [2, 3, 4]) .and. all(a(2:4, 4) == [17, 18, 19]) .and. sum(a) == 63, 'assumed shape')
  end subroutine

  subroutine save_shape(x)
    real(8), intent(in) :: x(:, 0:)
    call push(x)
  end subroutine
  subroutine restore_shape(x)
    real(8), intent(inout) :: x(:, 0:)
    call pop(x)
  end subroutine
  subroutine save_explicit(x, n)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    call push(x)
  end subroutine
  subroutine restore_explicit(x, n)
    integer, intent(in) :: n
    real(8), intent(out) :: x(n)
    call pop(x)
  end subroutine
  subroutine save_size(x, n)
    integer, intent(in) :: n
    real(8), intent(in) :: x(*)
    call push(x(1:n))
    call push_bytes(x, 8*n)
  end subroutine
  subroutine restore_size(x, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(*)
    real(8) :: y(n)
    call pop_bytes(y, 8*n)
    call pop(x(1:n))
    call check(all(x(1:n) == y), 'assumed size by bytes')
  end subroutine

  subroutine test_empty
    real(8), allocatable :: none(:), column(:, :)
    real(8) :: a(3, 4), x
    integer :: words(2:1)
    type(adtape_stats) :: before, after
    allocate (none(0), column(5, 0))
    a = 1
    call push(7d0)
    call tape_stats(before)
    call push(none)
    call push(column)
    call push(a(3:2, :))
    call push(a(:, 4:1))
    call push(words)
    call tape_stats(after)
    call check(before%bytes == after%bytes, 'arrays without elements take no bytes')
    call pop(words)
    call pop(a(:, 4:1))
    call pop(a(3:2, :))
    call pop(column)
    call pop(none)
    call pop(x)
    call check(x == 7, 'arrays without elements are not popped')
  end subroutine

  ! What lies on the tape is in array element order, whatever the strides it came from.
  subroutine test_contiguous_and_section_are_one
    real(4) :: a(9), b(3, 3), c(27)
    integer :: i
    a = [(real(i, 4), i = 1, 9)]
    c = 0
    call push(a)
    call pop(b(3:1:-1, 3:1:-1))
    call check(all(reshape(b, [9]) == a(9:1:-1)), 'pushed contiguous, popped reversed')
    call push(b(3:1:-1, 3:1:-1))
    call pop(c(27:3:-3))
    call check(all(c(27:3:-3) == a) .and. sum(c) == sum(a), 'pushed reversed, popped with another stride')
  end subroutine

  subroutine test_bytes
    type(cell), target :: x
    type(cell), pointer :: address
    type(c_ptr) :: p
    type(c_ptr) :: addresses(3), back(3)
    integer(8) :: numbers(4), again(4)
    x = cell(42, 1.25d0, [1.0, 2.0, 3.0], (1d0, 2d0), 'label', .true.)
    address => x
    p = c_loc(address)
    addresses = pointer_of([1, 2, 3])
    numbers = [1_8, -2_8, huge(1_8), 0_8]
    call push_bytes(c_loc(x), storage_size(x)/8)
    call push_bytes(p, int(storage_size(x)/8, 8))
    call push_bytes(numbers, 32)
    call push_bytes(numbers, 32_8)
    call push_bytes(addresses(3:1:-1), 24)
    x = cell()
    call pop_bytes(back, 24)
    call check(all(same_ptr(back(3:1:-1), addresses)), 'bytes of an array of addresses')
    call pop_bytes(again, 32_8)
    call check(all(again == numbers), 'bytes of integers')
    again = 0
    call pop_bytes(again, 32)
    call check(all(again == numbers), 'bytes of integers, count of default kind')
    call pop_bytes(p, int(storage_size(x)/8, 8))
    call check(x%id == 42 .and. x%v == 1.25d0 .and. x%label == 'label' .and. x%wet, 'bytes of a derived type')
    x = cell()
    call pop_bytes(c_loc(x), storage_size(x)/8)
    call check(x%id == 42 .and. all(x%flux == [1, 2, 3]) .and. x%z == (1d0, 2d0), 'bytes of a derived type by address')
  end subroutine

  ! More than what is copied inline, and than a step of the tape.
  subroutine test_many_elements
    integer, parameter :: n = 300
    real(8), allocatable :: a(:, :, :), b(:, :, :)
    integer :: i
    allocate (a(n, 20, 7))
    a = reshape([(real(i, 8), i = 1, n*20*7)], shape(a))
    b = a
    call push(a)
    call push(a(n:1:-1, ::2, 7:1:-3))
    call push(a(:, :, 2))
    call push(a(17, :, :))
    a = -1
    call pop(a(17, :, :))
    call check(all(a(17, :, :) == b(17, :, :)) .and. all(a(18, :, :) == -1), 'a plane across the storage order')
    call pop(a(:, :, 2))
    call check(all(a(:, :, 2) == b(:, :, 2)), 'a contiguous plane')
    a = -1
    call pop(a(n:1:-1, ::2, 7:1:-3))
    call check(all(a(:, ::2, 1::3) == b(:, ::2, 1::3)) .and. all(a(:, 2::2, :) == -1), 'a large section')
    call pop(a)
    call check(all(a == b), 'a large array')
  end subroutine

  ! Components of a polymorphic array, through a dummy argument and inside `select type`.
  subroutine test_polymorphic
    class(cell), allocatable :: x(:)
    integer :: i
    allocate (x(3))
    x%v = [(real(i, 8), i = 1, 3)]
    call save(x%v)
    select type (x)
    type is (cell)
      call push(x%id)
      call push(x(2)%flux)
      x%v = 0
      call pop(x(2)%flux)
      call pop(x%id)
    end select
    call restore(x%v)
    call check(all(x%v == [1, 2, 3]), 'components of a polymorphic array')
  end subroutine

  subroutine save(x)
    real(8), intent(in) :: x(:)
    call push(x)
  end subroutine
  subroutine restore(x)
    real(8), intent(inout) :: x(:)
    call pop(x)
  end subroutine

end module sections_tests

program sections
  use sections_tests
  use support
  implicit none
  call test_allocatable
  call test_pointers
  call test_components
  call test_characters
  call test_dummies
  call test_empty
  call test_contiguous_and_section_are_one
  call test_bytes
  call test_many_elements
  call test_polymorphic
  call finish('sections')
end program sections
