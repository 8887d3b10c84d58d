! support.f90: the C helpers of common/ (problem size and memory, progress bar, clock), for Fortran; and output.
module shallow_water_support
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: output_unit, error_unit
  implicit none
  private

  public :: reversal_t, reversal_least_steps, reversal_units, reversal_write
  public :: setup_t, setup_choose, memory_peak_resident_bytes, clock_seconds
  public :: progress_start, progress_label, progress_add, progress_clear
  public :: line, fail, quit, bytes_text, integer_text, real_text, from_c

  integer, parameter, public :: dp = c_double

  ! common/setup.h, where the members are explained
  type, bind(c) :: setup_t
    integer(c_int32_t) :: nx, ny, steps, observe_every, iterations, shrunk, budget_of_tape, reserved
    integer(c_int64_t) :: budget_bytes, tape_bytes
    character(kind=c_char) :: size_name(16), budget_source(64), asked(96)
  end type

  ! common/reversal.h
  type, bind(c) :: reversal_t
    integer(c_int64_t) :: steps = 0, snapshots = 0, state_bytes = 0, snapshot_bytes = 0, tape_bytes = 0, extra_steps = 0
    real(c_double) :: seconds = 0
  end type

  interface
    ! int64_t reversal_least_steps(int64_t steps, int64_t snapshots);
    function reversal_least_steps(steps, snapshots) bind(c) result(least)
      import :: c_int64_t
      integer(c_int64_t), value :: steps, snapshots
      integer(c_int64_t) :: least
    end function
    ! int64_t reversal_units(int64_t steps, int64_t snapshots);
    function reversal_units(steps, snapshots) bind(c) result(units)
      import :: c_int64_t
      integer(c_int64_t), value :: steps, snapshots
      integer(c_int64_t) :: units
    end function
    ! void reversal_write(const reversal_t *r, const char *language, double primal_seconds);
    subroutine reversal_write(r, language, primal_seconds) bind(c)
      import :: reversal_t, c_char, c_double
      type(reversal_t), intent(in) :: r
      character(kind=c_char), intent(in) :: language(*)
      real(c_double), value :: primal_seconds
    end subroutine
    ! void setup_choose(setup_t *s, int64_t limit_bytes);
    subroutine setup_choose(s, limit_bytes) bind(c)
      import :: setup_t, c_int64_t
      type(setup_t), intent(out) :: s
      integer(c_int64_t), value :: limit_bytes
    end subroutine
    ! int64_t memory_peak_resident_bytes(void);
    function memory_peak_resident_bytes() bind(c) result(bytes)
      import :: c_int64_t
      integer(c_int64_t) :: bytes
    end function
    ! void progress_start(int64_t units);
    subroutine progress_start(units) bind(c)
      import :: c_int64_t
      integer(c_int64_t), value :: units
    end subroutine
    ! void progress_add(int32_t units);
    subroutine progress_add(units) bind(c)
      import :: c_int32_t
      integer(c_int32_t), value :: units
    end subroutine
    ! void progress_clear(void);
    subroutine progress_clear() bind(c)
    end subroutine
    ! double clock_seconds(void);
    function clock_seconds() bind(c) result(seconds)
      import :: c_double
      real(c_double) :: seconds
    end function
    subroutine c_progress_label(label) bind(c, name="progress_label")
      import :: c_char
      character(kind=c_char), intent(in) :: label(*)
    end subroutine
    subroutine c_format_bytes(text, bytes) bind(c, name="format_bytes")
      import :: c_char, c_int64_t
      character(kind=c_char), intent(out) :: text(16)
      integer(c_int64_t), value :: bytes
    end subroutine
    ! void exit(int status); `stop` would add a line of its own
    subroutine c_exit(status) bind(c, name="exit")
      import :: c_int
      integer(c_int), value :: status
    end subroutine
  end interface

contains

  subroutine progress_label(label)
    character(*), intent(in) :: label
    call c_progress_label(label // c_null_char)
  end subroutine

  ! Prints a line where the progress bar may be.
  subroutine line(text)
    character(*), intent(in) :: text
    call progress_clear()
    write (output_unit, '(a)') text
    flush (output_unit)
  end subroutine

  subroutine fail(what)
    character(*), intent(in) :: what
    call progress_clear()
    write (error_unit, '(a)') 'shallow_water: ' // what
    call quit(1)
  end subroutine

  subroutine quit(status)
    integer, intent(in) :: status
    flush (output_unit)
    flush (error_unit)
    call c_exit(int(status, c_int))
  end subroutine

  ! The characters of a C string.
  pure function from_c(characters) result(text)
    character(kind=c_char), intent(in) :: characters(:)
    character(:), allocatable :: text
    integer :: i
    text = ''
    do i = 1, size(characters)
      if (characters(i) == c_null_char) exit
      text = text // characters(i)
    end do
  end function

  function bytes_text(bytes) result(text)
    integer(c_int64_t), intent(in) :: bytes
    character(:), allocatable :: text
    character(kind=c_char) :: characters(16)
    call c_format_bytes(characters, bytes)
    text = from_c(characters)
  end function

  pure function integer_text(i) result(text)
    integer, intent(in) :: i
    character(:), allocatable :: text
    character(12) :: digits
    write (digits, '(i0)') i
    text = trim(digits)
  end function

  ! x with so many decimals, and a zero before the point where there is no other digit.
  pure function real_text(x, decimals) result(text)
    real(dp), intent(in) :: x
    integer, intent(in) :: decimals
    character(:), allocatable :: text
    character(40) :: digits
    write (digits, '(f40.' // integer_text(decimals) // ')') x
    text = trim(adjustl(digits))
  end function

end module shallow_water_support
