! Random programs over all pushes, pops and looks in the Fortran spelling, with repeat regions and nested checkpoints,
! against a naive model.
!
!   random_f PROGRAMS STEPS SEED
!
! Entries of the model are a kind, a count and a seed from which the contents follow. Kinds of scalars come before those
! of arrays. A failure prints seed and step.
program random_f
  use, intrinsic :: iso_fortran_env, only: int64, error_unit
  use arrays, only: array_kinds, bytes_kind, move_array
  use scalars, only: move_scalar, op_look, op_pop, op_push, pointer_kind, scalar_kinds
  implicit none

  integer, parameter :: kinds = scalar_kinds + array_kinds
  integer, parameter :: most_entries = 500, most_levels = 4, most_count = 1500
  type :: model_t
    integer :: kind(most_entries), count(most_entries), seed(most_entries)
    integer :: entries = 0
  end type
  type(model_t) :: now, saved(most_levels)
  integer :: level, programs, steps, first_seed, program_number, step, left
  integer :: performed(op_push:op_look, kinds) = 0
  integer(int64) :: state
  external :: adstack_startrepeat, adstack_resetrepeat, adstack_endrepeat, resetadlookstack

  programs = argument(1, 20)
  steps = argument(2, 2000)
  first_seed = argument(3, 1)
  do program_number = 0, programs - 1
    state = 88172645463325252_int64 + 7919_int64*(first_seed + program_number)
    level = 0
    do step = 1, steps
      select case (below(100))
      case (0:48)
        call push_one()
      case (49:86)
        call pop_one()
      case (87:91)
        call look()
      case (92:97)
        call repeat_region()
      case default
        call checkpoint(below(3))
      end select
    end do
    do while (level > 0)
      call adstack_endrepeat()
      level = level - 1
    end do
    left = now%entries
    do step = 1, left
      call pop_one()
    end do
  end do
  if (programs*steps >= 50000) call check_that_all_were_performed()

contains

  integer function argument(position, default)
    integer, intent(in) :: position, default
    character(len=32) :: text
    argument = default
    call get_command_argument(position, text)
    if (len_trim(text) > 0) read (text, *) argument
  end function

  integer function below(n)
    integer, intent(in) :: n
    state = ieor(state, ishft(state, 13))
    state = ieor(state, ishft(state, -7))
    state = ieor(state, ishft(state, 17))
    below = int(modulo(ishft(state, -20), int(n, int64)))
  end function

  logical function has_look(kind)
    integer, intent(in) :: kind
    has_look = all(kind /= [pointer_kind, scalar_kinds + bytes_kind])
  end function

  ! Performs an operation on one entry, and compares.
  subroutine perform(op, kind, n, seed)
    integer, intent(in) :: op, kind, n, seed
    logical :: right
    if (kind <= scalar_kinds) then
      call move_scalar(op, kind, seed, right)
    else
      call move_array(op, kind - scalar_kinds, n, seed, right)
    end if
    performed(op, kind) = performed(op, kind) + 1
    if (.not. right) then
      write (error_unit, '(4(a,i0))') 'seed ', first_seed + program_number, ', step ', step, ': wrong value of kind ', &
        kind, ', operation ', op
      stop 1
    end if
  end subroutine

  ! After runs that are long enough: chance leaves nothing out of them.
  subroutine check_that_all_were_performed()
    integer :: kind
    do kind = 1, kinds
      if (any(performed([op_push, op_pop], kind) == 0) .or. (has_look(kind) .neqv. performed(op_look, kind) > 0)) then
        write (error_unit, '(a,i0)') 'never called: kind ', kind
        stop 1
      end if
    end do
  end subroutine

  subroutine push_one()
    integer :: kind, n, seed
    if (now%entries == most_entries) return
    kind = 1 + below(kinds)
    n = 1
    if (kind > scalar_kinds) n = 1 + below(merge(most_count, 12, below(12) == 0))
    seed = below(1000000)
    call perform(op_push, kind, n, seed)
    now%entries = now%entries + 1
    now%kind(now%entries) = kind
    now%count(now%entries) = n
    now%seed(now%entries) = seed
  end subroutine

  subroutine pop_one()
    if (now%entries == 0) return
    call perform(op_pop, now%kind(now%entries), now%count(now%entries), now%seed(now%entries))
    now%entries = now%entries - 1
  end subroutine

  ! Reads a few entries without popping, twice: it starts over after a push or pop, and when told to.
  subroutine look()
    integer :: again, i, deep
    deep = 1 + below(6)
    do again = 1, 2
      do i = now%entries, max(1, now%entries - deep + 1), -1
        if (.not. has_look(now%kind(i))) exit
        call perform(op_look, now%kind(i), now%count(i), now%seed(i))
      end do
      if (below(2) == 0) then
        call resetadlookstack()
      else
        i = 1 + below(scalar_kinds)
        call perform(op_push, i, 1, 5)
        call perform(op_pop, i, 1, 5)
      end if
    end do
  end subroutine

  recursive subroutine checkpoint(depth)
    integer, intent(in) :: depth
    integer :: i, n
    n = 1 + below(40)
    do i = 1, n
      call push_one()
    end do
    do i = 1, 2
      if (depth > 0) call checkpoint(depth - 1)
    end do
    do i = 1, n
      call pop_one()
    end do
  end subroutine

  subroutine repeat_region()
    select case (below(3))
    case (0)
      if (level == most_levels) return
      call adstack_startrepeat()
      level = level + 1
      saved(level) = now
    case (1)
      if (level == 0) return
      call adstack_resetrepeat()
      now = saved(level)
    case default
      if (level == 0) return
      call adstack_endrepeat()
      level = level - 1
    end select
  end subroutine

end program
