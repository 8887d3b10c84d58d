! support.f90: what the test programs share: counted checks, pseudo-random numbers, values that are known again.
module support
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, int64
  use adtape
  implicit none
  private
  public :: check, check_nothing_left, said, finish, rng, draw, same_ptr, pointer_of, digit_string

  integer :: checks = 0, failures = 0

  ! State of a generator (xorshift64*); never 0.
  type :: rng
    integer(int64) :: state = 88172645463325252_int64
  end type

contains

  ! Counts a check; names it where it fails.
  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    !$omp atomic
    checks = checks + 1
    if (holds) return
    !$omp atomic
    failures = failures + 1
    write (error_unit, '(2a)') 'failed: ', what
  end subroutine

  ! Whether the last message has this text in it.
  logical function said(text)
    character(*), intent(in) :: text
    said = index(adtape_error_message(), text) > 0
  end function

  ! Checks that nothing is left: on the tape, on the thread's own, alive or waiting.
  subroutine check_nothing_left(t)
    type(adtape_tape), intent(in) :: t
    type(adtape_stats) :: stats
    type(adtape_live_stats) :: counts
    call tape_stats(t, stats)
    call check(stats%bytes == 0, 'nothing is left on the tape')
    call tape_stats(stats)
    call check(stats%bytes == 0, 'nothing is left on the thread''s tape')
    call live_stats(counts)
    call check(counts%ranges == 0 .and. counts%waiting == 0, 'nothing is left alive or waiting')
  end subroutine

  ! Ends the program: not with success if a check failed, or if there was none.
  subroutine finish(program_name)
    character(*), intent(in) :: program_name
    if (failures > 0 .or. checks == 0) then
      write (error_unit, '(a,2(a,i0))') program_name, ': failed checks: ', failures, ' of ', checks
      error stop 1
    end if
    print '(a,a,i0)', program_name, ': checks passed: ', checks
  end subroutine

  ! A number from 0 to n - 1.
  function draw(r, n) result(value)
    type(rng), intent(inout) :: r
    integer, intent(in) :: n
    integer :: value
    r%state = ieor(r%state, ishft(r%state, -12))
    r%state = ieor(r%state, ishft(r%state, 25))
    r%state = ieor(r%state, ishft(r%state, -27))
    value = int(mod(ishft(r%state, -20), int(n, int64)))
  end function

  ! Whether two addresses are the same; c_associated is not elemental.
  elemental logical function same_ptr(a, b)
    type(c_ptr), intent(in) :: a, b
    same_ptr = transfer(a, 0_c_intptr_t) == transfer(b, 0_c_intptr_t)
  end function

  ! An address that is nobody's.
  elemental type(c_ptr) function pointer_of(i)
    integer, intent(in) :: i
    pointer_of = transfer(int(i, c_intptr_t)*1000003, c_null_ptr)
  end function

  ! Three digits that say i.
  elemental character(3) function digit_string(i)
    integer, intent(in) :: i
    digit_string = achar(48 + mod(i/100, 10))//achar(48 + mod(i/10, 10))//achar(48 + mod(i, 10))
  end function

end module support
