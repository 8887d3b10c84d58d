! random.f90: random programs on two tapes, each beside a model that says what a tape is: a list of items, of which a
! mark is a length and a repeat region a copy. An item is known by its kind, seed and shape, from which its values are made
! again at the pop. Arguments: first seed, number of programs. Prints seed and step of a program that goes wrong.
module random_tests
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  implicit none
  private
  public :: run_program

  integer, parameter :: kinds = 12, most_items = 4000, most_levels = 4, most_marks = 8

  type :: item
    integer :: what = 0, seed = 0, rows = 0, columns = 0
  end type

  ! What a tape holds, as the model sees it.
  type :: contents
    integer :: n = 0
    type(item) :: items(most_items)
    integer :: marks = 0
    integer :: mark_at(most_marks) = 0
  end type

  type :: model
    type(contents) :: now
    integer :: level = 0
    type(contents) :: start(most_levels)
    type(adtape_mark) :: marks(most_marks)
  end type

contains

  ! One program of some hundred steps; whether all pops gave what was pushed.
  logical function run_program(seed, other)
    integer, intent(in) :: seed
    type(adtape_tape), intent(in) :: other
    type(model), allocatable :: models(:)
    type(rng) :: r
    integer :: step, which, action
    allocate (models(2))
    r%state = 88172645463325252_8 + seed*1000003_8
    run_program = .true.
    do step = 1, 200 + draw(r, 400)
      which = 1 + draw(r, 2)
      action = draw(r, 100)
      associate (m => models(which))
        if (action < 52) then
          call push_some(m, r, which, other)
        else if (action < 84) then
          call pop_some(m, r, which, other, run_program)
        else if (action < 90) then
          call mark_or_reset(m, r, which, other)
        else
          call repeat_something(m, r, which, other)
        end if
      end associate
      if (.not. run_program) then
        print '(a,i0,a,i0,a,i0)', 'random: seed ', seed, ', step ', step, ', tape ', which
        return
      end if
    end do
    do which = 1, 2
      call unwind(models(which), which, other, run_program)
    end do
    if (.not. run_program) print '(a,i0,a)', 'random: seed ', seed, ', at the end'
  end function

  subroutine push_some(m, r, which, other)
    type(model), intent(inout) :: m
    type(rng), intent(inout) :: r
    integer, intent(in) :: which
    type(adtape_tape), intent(in) :: other
    type(item) :: x
    integer :: i
    do i = 0, draw(r, 4)
      if (m%now%n == most_items) return
      x%what = 1 + draw(r, kinds)
      x%seed = draw(r, 1000000)
      x%rows = draw(r, 9)
      x%columns = draw(r, 7)
      if (draw(r, 40) == 0) x%rows = 200 + draw(r, 700)
      call handle(x, which, other, .true.)
      m%now%n = m%now%n + 1
      m%now%items(m%now%n) = x
    end do
  end subroutine

  subroutine pop_some(m, r, which, other, good)
    type(model), intent(inout) :: m
    type(rng), intent(inout) :: r
    integer, intent(in) :: which
    type(adtape_tape), intent(in) :: other
    logical, intent(inout) :: good
    integer :: i
    do i = 0, draw(r, 6)
      if (m%now%n == 0) return
      call handle(m%now%items(m%now%n), which, other, .false., good)
      call shorten(m%now, m%now%n - 1)
      if (.not. good) return
    end do
  end subroutine

  ! Forgets items, and the marks above what is left.
  subroutine shorten(c, n)
    type(contents), intent(inout) :: c
    integer, intent(in) :: n
    c%n = n
    do while (c%marks > 0)
      if (c%mark_at(c%marks) <= n) exit
      c%marks = c%marks - 1
    end do
  end subroutine

  subroutine mark_or_reset(m, r, which, other)
    type(model), intent(inout) :: m
    type(rng), intent(inout) :: r
    integer, intent(in) :: which
    type(adtape_tape), intent(in) :: other
    integer :: i
    logical :: take
    take = draw(r, 3) > 0
    if (take .and. m%now%marks < most_marks) then
      m%now%marks = m%now%marks + 1
      m%now%mark_at(m%now%marks) = m%now%n
      if (which == 1) then
        call mark_take(m%marks(m%now%marks))
      else
        call mark_take(other, m%marks(m%now%marks))
      end if
    else if (m%now%marks > 0) then
      i = 1 + draw(r, m%now%marks)
      if (which == 1) then
        call mark_reset(m%marks(i))
      else
        call mark_reset(other, m%marks(i))
      end if
      m%now%n = m%now%mark_at(i)
      m%now%marks = i
    end if
  end subroutine

  ! Marks taken inside a region are forgotten when it is reset or ended; those from before it come back with the reset.
  subroutine repeat_something(m, r, which, other)
    type(model), intent(inout) :: m
    type(rng), intent(inout) :: r
    integer, intent(in) :: which
    type(adtape_tape), intent(in) :: other
    type(adtape_tape) :: t
    t = other
    if (which == 1) t = adtape_self()
    select case (draw(r, 3))
    case (0)
      if (m%level == most_levels) return
      m%level = m%level + 1
      m%now%marks = 0
      m%start(m%level) = m%now
      call repeat_start(t)
    case (1)
      if (m%level == 0) return
      call repeat_reset(t)
      m%now = m%start(m%level)
    case default
      if (m%level == 0) return
      call repeat_end(t)
      m%level = m%level - 1
      m%now%marks = 0
    end select
  end subroutine

  ! Ends all regions and pops all that is left.
  subroutine unwind(m, which, other, good)
    type(model), intent(inout) :: m
    integer, intent(in) :: which
    type(adtape_tape), intent(in) :: other
    logical, intent(inout) :: good
    type(adtape_tape) :: t
    type(adtape_stats) :: stats
    t = other
    if (which == 1) t = adtape_self()
    do while (m%level > 0)
      call repeat_end(t)
      m%level = m%level - 1
    end do
    do while (m%now%n > 0)
      call handle(m%now%items(m%now%n), which, other, .false., good)
      m%now%n = m%now%n - 1
    end do
    call tape_stats(t, stats)
    good = good .and. stats%bytes == 0 .and. stats%pending_bits == 0
  end subroutine

  ! A number from 0 to 2**31 - 1 that belongs to element i of an item.
  elemental integer function value_of(seed, i)
    integer, intent(in) :: seed, i
    integer(8), parameter :: p = 2147483647
    integer(8) :: h
    h = mod(seed*40503_8 + i*48271_8 + 977, p)
    h = mod(ieor(h, ishft(h, -13))*16807, p)
    value_of = int(mod(ieor(h, ishft(h, -17))*48271, p))
  end function

  ! Pushes an item, or pops it and compares.
  subroutine handle(x, which, other, pushing, good)
    type(item), intent(in) :: x
    integer, intent(in) :: which
    type(adtape_tape), intent(in) :: other
    logical, intent(in) :: pushing
    logical, intent(inout), optional :: good
    type(adtape_tape) :: t
    real(8), allocatable :: a(:, :), b(:, :)
    integer(1), allocatable :: bytes(:), bytes_back(:)
    complex(4) :: z
    character(20) :: text, text_back
    integer(8) :: long
    integer :: n, i, bits
    logical :: flag, same
    real(8) :: d
    real(4) :: f

    n = value_of(x%seed, 0)
    bits = 1 + mod(x%seed, 31)
    same = .true.
    t = other
    if (which == 1) t = adtape_self()
    select case (x%what)
    case (1)
      if (pushing .and. which == 1) then
        call push(real(n, 8))
      else if (pushing) then
        call push(other, real(n, 8))
      else
        call pop(t, d)
        same = d == n
      end if
    case (2)
      if (pushing) then
        call push(t, n)
      else if (which == 1) then
        call pop(i)
        same = i == n
      else
        call pop(other, i)
        same = i == n
      end if
    case (3)
      if (pushing) then
        call push(t, real(n, 4))
      else
        call pop(t, f)
        same = f == real(n, 4)
      end if
    case (4)
      if (pushing) then
        call push(t, mod(n, 2) == 0)
      else
        call pop(t, flag)
        same = flag .eqv. mod(n, 2) == 0
      end if
    case (5, 6)
      if (pushing) then
        call push_control(t, iand(n, int(2_8**bits - 1)), bits)
      else
        call pop_control(t, i, bits)
        same = i == iand(n, int(2_8**bits - 1))
      end if
    case (7)
      if (pushing) then
        call push_count(t, n/2_8**bits*3 - mod(n, 2)*n)
      else
        call pop_count(t, long)
        same = long == n/2_8**bits*3 - mod(n, 2)*n
      end if
    case (8)
      write (text, '(i10,i10)') n, x%seed
      i = 20 - mod(n, 20)
      if (pushing) then
        call push(t, text(i:))
      else
        text_back = text
        text_back(i:) = '?'
        call pop(t, text_back(i:))
        same = text == text_back
      end if
    case (9)
      bytes = [(int(mod(value_of(x%seed, i), 100), 1), i = 1, x%rows*x%columns)]
      if (pushing) then
        call push(t, bytes)
      else
        allocate (bytes_back, mold=bytes)
        call pop(t, bytes_back)
        same = all(bytes == bytes_back)
      end if
    case (10)
      z = cmplx(n, -n, 4)
      if (pushing) then
        call push(t, [z, conjg(z)])
      else
        call pop_complex_pair(t, z, same)
      end if
    case default
      a = values(x)
      if (pushing .and. x%what == 11) then
        call push(t, a)
      else if (pushing) then
        call push(t, a(x%rows:1:-2, :))
      else
        allocate (b, mold=a)
        b = -1
        if (x%what == 11) then
          call pop(t, b(:, x%columns:1:-1))
          same = all(a == b(:, x%columns:1:-1))
        else
          call pop(t, b(x%rows:1:-2, :))
          same = all(a(x%rows:1:-2, :) == b(x%rows:1:-2, :)) .and. all(b(x%rows - 1:1:-2, :) == -1)
        end if
      end if
    end select
    if (present(good)) good = good .and. same
  end subroutine

  subroutine pop_complex_pair(t, z, same)
    type(adtape_tape), intent(in) :: t
    complex(4), intent(in) :: z
    logical, intent(out) :: same
    complex(4) :: pair(2)
    call pop(t, pair)
    same = pair(1) == z .and. pair(2) == conjg(z)
  end subroutine

  function values(x) result(a)
    type(item), intent(in) :: x
    real(8) :: a(x%rows, x%columns)
    integer :: i
    a = reshape([(real(value_of(x%seed, i), 8), i = 1, x%rows*x%columns)], [x%rows, x%columns])
  end function

end module random_tests

program random
  use adtape
  use random_tests
  use support
  implicit none
  type(adtape_tape) :: other
  character(20) :: argument
  integer :: seed, first, programs
  first = 1
  programs = 300
  if (command_argument_count() >= 2) then
    call get_command_argument(1, argument)
    read (argument, *) first
    call get_command_argument(2, argument)
    read (argument, *) programs
  end if
  call adtape_create(other)
  do seed = first, first + programs - 1
    call check(run_program(seed, other), 'a random program')
  end do
  call adtape_destroy(other)
  call finish('random')
end program random
