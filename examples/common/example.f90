! example.f90: what the example programs do around their adjoints; example.h in Fortran.
!
! Reproducible data (the same in C and in Fortran), checks that decide the exit status, and the state of the tape.
! Output is one fact a line, `label: value`, so that people and tests read the same text.
module example
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan
  use, intrinsic :: iso_fortran_env, only: int64, real64, error_unit
  use adtape
  implicit none
  private
  public :: noise, argument, seconds, larger, report_count, report_real
  public :: check_error, check_close, check_count, check_same_bits, finish, tape_bytes, check_tape_empty
  public :: check_nothing_left, check_against_function, error_of_complex_step

  integer :: failures = 0

contains

  ! ---- data --------------------------------------------------------------------------------------

  ! The k-th of a sequence spread evenly over [-1, 1): multiples of the golden ratio modulo 1. No seed and no state, so
  ! that a program in another language has the same numbers.
  pure real(real64) function noise(k)
    integer, intent(in) :: k
    real(real64) :: turns
    turns = k*0.618033988749894903d0
    noise = 2.0d0*(turns - floor(turns, int64)) - 1.0d0
  end function

  ! The program's argument number i as a count of at least 1, or what is used without it.
  integer function argument(i, otherwise)
    integer, intent(in) :: i, otherwise
    character(32) :: text
    integer :: status
    argument = otherwise
    if (i > command_argument_count()) return
    call get_command_argument(i, text)
    read (text, *, iostat=status) argument
    if (status /= 0 .or. argument < 1) then
      write (error_unit, '(a,i0,3a)') 'argument ', i, ' is "', trim(text), '", not a positive count'
      stop 2, quiet=.true.
    end if
  end function

  real(real64) function seconds()
    integer(int64) :: count, rate
    call system_clock(count, rate)
    seconds = real(count, real64)/real(rate, real64)
  end function

  ! ---- results -----------------------------------------------------------------------------------

  ! The larger of two errors; a NaN, once met, stays.
  pure real(real64) function larger(a, b)
    real(real64), intent(in) :: a, b
    larger = b
    if (ieee_is_nan(a) .or. a >= b) larger = a
  end function

  subroutine report_count(label, value)
    character(*), intent(in) :: label
    integer(int64), intent(in) :: value
    print '(2a,i0)', label, ': ', value
  end subroutine

  subroutine report_real(label, value)
    character(*), intent(in) :: label
    real(real64), intent(in) :: value
    character(16) :: text
    write (text, '(es16.5)') value
    print '(3a)', label, ': ', trim(adjustl(text))
  end subroutine

  ! `error` is at most `tolerance`; a NaN is not.
  subroutine check_error(label, error, tolerance)
    character(*), intent(in) :: label
    real(real64), intent(in) :: error, tolerance
    character(6) :: verdict
    verdict = 'passed'
    if (.not. error <= tolerance) then
      verdict = 'FAILED'
      failures = failures + 1
    end if
    print '(4a,es7.1,a,es7.1)', label, ': ', verdict, ', error ', error, ', allowed ', tolerance
  end subroutine

  ! Two numbers agree relative to `scale`, the sum of the magnitudes that were added up to form them.
  subroutine check_close(label, got, expected, scale, tolerance)
    character(*), intent(in) :: label
    real(real64), intent(in) :: got, expected, scale, tolerance
    if (abs(got - expected) <= 0.0d0) then
      call check_error(label, 0.0d0, tolerance)
    else
      call check_error(label, abs(got - expected)/scale, tolerance)
    end if
  end subroutine

  subroutine check_count(label, got, expected)
    character(*), intent(in) :: label
    integer(int64), intent(in) :: got, expected
    if (got == expected) then
      print '(2a,i0,a)', label, ': ', got, ', as expected'
    else
      failures = failures + 1
      print '(2a,i0,a,i0)', label, ': ', got, ', FAILED, expected ', expected
    end if
  end subroutine

  subroutine check_same_bits(label, a, b)
    character(*), intent(in) :: label
    real(real64), intent(in) :: a(:), b(:)
    logical :: same
    integer :: i
    same = size(a) == size(b)
    do i = 1, min(size(a), size(b))
      same = same .and. transfer(a(i), 0_int64) == transfer(b(i), 0_int64)
    end do
    if (.not. same) failures = failures + 1
    print '(3a)', label, ': ', merge('passed', 'FAILED', same)
  end subroutine

  ! Ends the program, with the exit status that the checks ask for.
  subroutine finish()
    if (failures /= 0) then
      print '(a)', 'SOME CHECKS FAILED'
      stop 1, quiet=.true.
    end if
    print '(a)', 'all checks passed'
  end subroutine

  ! ---- the tape ----------------------------------------------------------------------------------

  ! Bytes on the tape now, control bits that do not yet fill a word counted in whole bytes.
  integer(int64) function tape_bytes()
    type(adtape_stats) :: stats
    call tape_stats(stats)
    tape_bytes = stats%bytes + (stats%pending_bits + 7)/8
  end function

  ! Between two sweeps that match the tape is empty.
  subroutine check_tape_empty(label)
    character(*), intent(in) :: label
    call check_count(label, tape_bytes(), 0_int64)
  end subroutine

  ! And nothing is alive that the forward sweep made, and no pointer waits.
  subroutine check_nothing_left()
    type(adtape_live_stats) :: counts
    call check_tape_empty('bytes on the tape after the adjoint')
    call live_stats(counts)
    call check_count('ranges left alive', counts%ranges, 0_int64)
    call check_count('pointers left waiting', counts%waiting, 0_int64)
  end subroutine

  ! ---- the gradient ------------------------------------------------------------------------------

  ! A gradient against its function: along a direction in which every component changes, by the remainders of many steps.
  subroutine check_against_function(original, x, xb, tolerance)
    procedure(adtape_test_function_f64) :: original
    real(real64), intent(in) :: x(:), xb(:), tolerance
    type(adtape_test_report) :: report
    call test_gradient(original, x, report, xb, tolerance=tolerance)
    if (report%passed) then
      call check_error('the gradient against its function', report%error, tolerance)
    else
      call check_error('the gradient against its function', huge(tolerance), tolerance)
      print '(a)', test_text()
    end if
  end subroutine

  ! A gradient against its function in complex arithmetic, in a direction (or where all components change): an imaginary
  ! part that carries the derivative leaves nothing but rounding. The error, huge if the library's test fails.
  real(real64) function error_of_complex_step(original, x, xb, tolerance, direction) result(error)
    procedure(adtape_test_complex_f64) :: original
    real(real64), intent(in) :: x(:), xb(:), tolerance
    real(real64), intent(in), optional :: direction(:)
    type(adtape_test_report) :: report
    call test_complex(original, x, report, xb, direction=direction, tolerance=tolerance)
    error = report%error
    if (report%passed) return
    error = huge(error)
    print '(a)', test_text()
  end function

end module
