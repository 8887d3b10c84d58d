! Random programs over the kit's Fortran spelling, with repeat regions, against a naive model: the calls have implicit
! interfaces, as in generated adjoints.
!
!   random_f PROGRAMS STEPS SEED
!
! Entries of the model are a kind, a count and a seed from which the contents follow.
program random_f
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64, real128, error_unit
  implicit none

  integer, parameter :: most_entries = 500, most_levels = 4, most_count = 1500, kinds = 26
  type :: model_t
    integer :: kind(most_entries), count(most_entries), seed(most_entries)
    integer :: entries = 0
  end type
  type(model_t) :: now, saved(most_levels)
  integer :: level, programs, steps, first_seed, program_number, step, left
  integer(int64) :: state

  programs = argument(1, 20)
  steps = argument(2, 2000)
  first_seed = argument(3, 1)
  do program_number = 0, programs - 1
    state = 88172645463325252_int64 + 7919_int64*(first_seed + program_number)
    level = 0
    do step = 1, steps
      select case (below(100))
      case (0:49)
        call push_one()
      case (50:91)
        call pop_one()
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

  subroutine failed(what, kind)
    character(len=*), intent(in) :: what
    integer, intent(in) :: kind
    write (error_unit, '(a,i0,a,i0,3a,i0)') 'seed ', first_seed + program_number, ', step ', step, ': ', what, &
      ' of kind ', kind
    stop 1
  end subroutine

  subroutine push_one()
    integer :: kind, n, seed
    if (now%entries == most_entries) return
    kind = below(kinds)
    n = 1
    if (kind >= 15) n = 1 + below(merge(most_count, 12, below(12) == 0))
    seed = below(1000000)
    call move(.true., kind, n, seed)
    now%entries = now%entries + 1
    now%kind(now%entries) = kind
    now%count(now%entries) = n
    now%seed(now%entries) = seed
  end subroutine

  subroutine pop_one()
    if (now%entries == 0) return
    call move(.false., now%kind(now%entries), now%count(now%entries), now%seed(now%entries))
    now%entries = now%entries - 1
  end subroutine

  recursive subroutine checkpoint(depth)
    integer, intent(in) :: depth
    integer :: i, n
    n = 1 + below(40)
    do i = 1, n
      call push_one()
    end do
    if (depth > 0) call checkpoint(depth - 1)
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

  ! Pushes n values of a kind, or pops them and compares.
  subroutine move(push, kind, n, seed)
    logical, intent(in) :: push
    integer, intent(in) :: kind, n, seed
    select case (kind)
    case (0:14)
      call move_scalar(push, kind, seed)
    case default
      call move_array(push, kind, n, seed)
    end select
  end subroutine

  subroutine move_scalar(push, kind, seed)
    logical, intent(in) :: push
    integer, intent(in) :: kind, seed
    external :: pushinteger4, popinteger4, pushinteger8, popinteger8, pushreal4, popreal4, pushreal8, popreal8
    external :: pushreal16, popreal16, pushcomplex8, popcomplex8, pushcomplex16, popcomplex16
    external :: pushcharacter, popcharacter, pushboolean, popboolean
    external :: pushcontrol1b, popcontrol1b, pushcontrol2b, popcontrol2b, pushcontrol3b, popcontrol3b
    external :: pushcontrol4b, popcontrol4b, pushcontrol5b, popcontrol5b, pushcontrol6b, popcontrol6b
    external :: pushcontrol7b, popcontrol7b, pushcontrol8b, popcontrol8b
    integer(int32) :: i4
    integer(int64) :: i8
    real(real32) :: r4
    real(real64) :: r8
    real(real128) :: r16
    complex(real32) :: c8
    complex(real64) :: c16
    character :: s
    logical :: l
    integer :: cc, width
    select case (kind)
    case (0)
      i4 = seed
      if (push) call pushinteger4(i4)
      if (.not. push) then
        call popinteger4(i4)
        if (i4 /= seed) call failed('integer4', kind)
      end if
    case (1)
      i8 = -3_int64*10_int64**12 - seed
      if (push) call pushinteger8(i8)
      if (.not. push) then
        i8 = 0
        call popinteger8(i8)
        if (i8 /= -3_int64*10_int64**12 - seed) call failed('integer8', kind)
      end if
    case (2)
      r4 = seed*0.5
      if (push) call pushreal4(r4)
      if (.not. push) then
        r4 = 0
        call popreal4(r4)
        if (r4 /= seed*0.5) call failed('real4', kind)
      end if
    case (3)
      r8 = seed/3d0
      if (push) call pushreal8(r8)
      if (.not. push) then
        r8 = 0
        call popreal8(r8)
        if (r8 /= seed/3d0) call failed('real8', kind)
      end if
    case (4)
      r16 = seed/3.0_real128
      if (push) call pushreal16(r16)
      if (.not. push) then
        r16 = 0
        call popreal16(r16)
        if (r16 /= seed/3.0_real128) call failed('real16', kind)
      end if
    case (5)
      c8 = cmplx(seed, -0.25*seed)
      if (push) call pushcomplex8(c8)
      if (.not. push) then
        c8 = 0
        call popcomplex8(c8)
        if (c8 /= cmplx(seed, -0.25*seed)) call failed('complex8', kind)
      end if
    case (6)
      c16 = cmplx(seed/3d0, -seed/7d0, real64)
      if (push) call pushcomplex16(c16)
      if (.not. push) then
        c16 = 0
        call popcomplex16(c16)
        if (c16 /= cmplx(seed/3d0, -seed/7d0, real64)) call failed('complex16', kind)
      end if
    case (7)
      s = achar(32 + modulo(seed, 90))
      if (push) call pushcharacter(s)
      if (.not. push) then
        s = ' '
        call popcharacter(s)
        if (s /= achar(32 + modulo(seed, 90))) call failed('character', kind)
      end if
    case (8)
      l = modulo(seed, 2) == 1
      if (push) call pushboolean(l)
      if (.not. push) then
        l = modulo(seed, 2) == 0
        call popboolean(l)
        if (l .neqv. modulo(seed, 2) == 1) call failed('boolean', kind)
      end if
    case default
      width = 1 + modulo(seed, 8)
      cc = modulo(seed/8, 2**width)
      if (push) then
        call push_control(cc, width)
      else
        call pop_control(cc, width)
        if (cc /= modulo(seed/8, 2**width)) call failed('control', width)
      end if
    end select
  end subroutine

  subroutine push_control(cc, width)
    integer, intent(in) :: cc, width
    external :: pushcontrol1b, pushcontrol2b, pushcontrol3b, pushcontrol4b
    external :: pushcontrol5b, pushcontrol6b, pushcontrol7b, pushcontrol8b
    select case (width)
    case (1)
      call pushcontrol1b(cc)
    case (2)
      call pushcontrol2b(cc)
    case (3)
      call pushcontrol3b(cc)
    case (4)
      call pushcontrol4b(cc)
    case (5)
      call pushcontrol5b(cc)
    case (6)
      call pushcontrol6b(cc)
    case (7)
      call pushcontrol7b(cc)
    case (8)
      call pushcontrol8b(cc)
    end select
  end subroutine

  subroutine pop_control(cc, width)
    integer, intent(out) :: cc
    integer, intent(in) :: width
    external :: popcontrol1b, popcontrol2b, popcontrol3b, popcontrol4b
    external :: popcontrol5b, popcontrol6b, popcontrol7b, popcontrol8b
    cc = -1
    select case (width)
    case (1)
      call popcontrol1b(cc)
    case (2)
      call popcontrol2b(cc)
    case (3)
      call popcontrol3b(cc)
    case (4)
      call popcontrol4b(cc)
    case (5)
      call popcontrol5b(cc)
    case (6)
      call popcontrol6b(cc)
    case (7)
      call popcontrol7b(cc)
    case (8)
      call popcontrol8b(cc)
    end select
  end subroutine

  subroutine move_array(push, kind, n, seed)
    logical, intent(in) :: push
    integer, intent(in) :: kind, n, seed
    external :: pushinteger4array, popinteger4array, pushinteger8array, popinteger8array
    external :: pushreal4array, popreal4array, pushreal8array, popreal8array, pushreal16array, popreal16array
    external :: pushcomplex8array, popcomplex8array, pushcomplex16array, popcomplex16array
    external :: pushcharacterarray, popcharacterarray, pushbooleanarray, popbooleanarray
    integer(int32) :: i4(n)
    integer(int64) :: i8(n)
    real(real32) :: r4(n)
    real(real64) :: r8(n)
    real(real128) :: r16(n)
    complex(real32) :: c8(n)
    complex(real64) :: c16(n)
    character(len=n) :: s
    logical :: l(n)
    integer :: i
    select case (kind)
    case (15)
      i4 = [(seed + i, i=1, n)]
      if (push) call pushinteger4array(i4, n)
      if (.not. push) then
        i4 = 0
        call popinteger4array(i4, n)
        if (any(i4 /= [(seed + i, i=1, n)])) call failed('integer4 array', n)
      end if
    case (16)
      i8 = [(seed*10_int64**9 + i, i=1, n)]
      if (push) call pushinteger8array(i8, n)
      if (.not. push) then
        i8 = 0
        call popinteger8array(i8, n)
        if (any(i8 /= [(seed*10_int64**9 + i, i=1, n)])) call failed('integer8 array', n)
      end if
    case (17)
      r4 = [(seed*0.5 + i, i=1, n)]
      if (push) call pushreal4array(r4, n)
      if (.not. push) then
        r4 = 0
        call popreal4array(r4, n)
        if (any(r4 /= [(seed*0.5 + i, i=1, n)])) call failed('real4 array', n)
      end if
    case (18:20)
      r8 = [(seed/3d0 + i, i=1, n)]
      if (push) call pushreal8array(r8, n)
      if (.not. push) then
        r8 = 0
        call popreal8array(r8, n)
        if (any(r8 /= [(seed/3d0 + i, i=1, n)])) call failed('real8 array', n)
      end if
    case (21)
      r16 = [(seed/3.0_real128 + i, i=1, n)]
      if (push) call pushreal16array(r16, n)
      if (.not. push) then
        r16 = 0
        call popreal16array(r16, n)
        if (any(r16 /= [(seed/3.0_real128 + i, i=1, n)])) call failed('real16 array', n)
      end if
    case (22)
      c8 = [(cmplx(seed, i), i=1, n)]
      if (push) call pushcomplex8array(c8, n)
      if (.not. push) then
        c8 = 0
        call popcomplex8array(c8, n)
        if (any(c8 /= [(cmplx(seed, i), i=1, n)])) call failed('complex8 array', n)
      end if
    case (23)
      c16 = [(cmplx(seed/3d0, i, real64), i=1, n)]
      if (push) call pushcomplex16array(c16, n)
      if (.not. push) then
        c16 = 0
        call popcomplex16array(c16, n)
        if (any(c16 /= [(cmplx(seed/3d0, i, real64), i=1, n)])) call failed('complex16 array', n)
      end if
    case (24)
      s = repeat(achar(33 + modulo(seed, 90)), n)
      if (push) call pushcharacterarray(s, n)
      if (.not. push) then
        s = ' '
        call popcharacterarray(s, n)
        if (s /= repeat(achar(33 + modulo(seed, 90)), n)) call failed('character array', n)
      end if
    case default
      l = [(modulo(seed + i, 3) == 1, i=1, n)]
      if (push) call pushbooleanarray(l, n)
      if (.not. push) then
        l = .false.
        call popbooleanarray(l, n)
        if (any(l .neqv. [(modulo(seed + i, 3) == 1, i=1, n)])) call failed('boolean array', n)
      end if
    end select
  end subroutine

end program
