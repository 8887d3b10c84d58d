! control.f90: branch numbers and loop counters, of both integer kinds, on the thread's tape and by handle, also
! between values.
module control_tests
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  implicit none
  private
  public :: test_widths, test_wide_bits, test_only_low_bits, test_mixed_with_values, test_packing, test_counts
  public :: test_count_bytes

contains

  ! Every width, of each kind, with a pattern that shows which bits came back.
  subroutine test_widths(t)
    type(adtape_tape), intent(in) :: t
    integer(8), parameter :: pattern = int(z'5A96C3F0E1D2B487', 8)
    integer(4), parameter :: short_pattern = int(z'35A96C3F', 4)
    integer(8) :: long, expected
    integer(4) :: short
    integer :: bits
    do bits = 1, 64
      call push_control(t, iand(pattern, maskr(bits, 8)), bits)
      call push_control(iand(pattern, maskr(bits, 8)), bits)
      if (bits <= 32) then
        call push_control(t, iand(short_pattern, maskr(bits, 4)), bits)
        call push_control(iand(short_pattern, maskr(bits, 4)), bits)
      end if
    end do
    do bits = 64, 1, -1
      if (bits <= 32) then
        expected = iand(int(short_pattern, 8), maskr(bits, 8))
        call pop_control(t, short, bits)
        call check(iand(int(short, 8), 2_8**32 - 1) == expected, 'control of integer(4) by handle')
        call pop_control(short, bits)
        call check(iand(int(short, 8), 2_8**32 - 1) == expected, 'control of integer(4)')
      end if
      expected = iand(pattern, maskr(bits, 8))
      call pop_control(t, long, bits)
      call check(long == expected, 'control of integer(8) by handle')
      call pop_control(long, bits)
      call check(long == expected, 'control of integer(8)')
    end do
  end subroutine

  ! The number of bits in an integer(8), as a literal is under -fdefault-integer-8.
  subroutine test_wide_bits(t)
    type(adtape_tape), intent(in) :: t
    integer(4) :: short
    integer(8) :: long
    call push_control(5_4, 3_8)
    call push_control(t, 6_4, 3_8)
    call push_control(2_8**40 + 1, 41_8)
    call push_control(t, 2_8**41 + 2, 42_8)
    call pop_control(t, long, 42_8)
    call check(long == 2_8**41 + 2, '42 bits of an integer(8) by handle')
    call pop_control(long, 41_8)
    call check(long == 2_8**40 + 1, '41 bits of an integer(8)')
    call pop_control(t, short, 3_8)
    call check(short == 6, '3 bits of an integer(4) by handle')
    call pop_control(short, 3_8)
    call check(short == 5, '3 bits of an integer(4)')
  end subroutine

  subroutine test_only_low_bits
    integer :: value
    call push_control(iand(-1, 7), 3)
    call push_control(-1, 32)
    call pop_control(value, 32)
    call check(value == -1, 'all bits of an integer(4)')
    call pop_control(value, 3)
    call check(value == 7, 'the low bits of a negative number')
  end subroutine

  ! One order for bits, counts and values.
  subroutine test_mixed_with_values
    integer, parameter :: n = 2000
    real(8) :: x
    integer :: i, branch, count
    logical :: flag
    do i = 1, n
      call push_control(mod(i, 5), 3)
      if (mod(i, 3) == 0) call push(real(i, 8))
      if (mod(i, 7) == 0) call push_count(i*1000)
      if (mod(i, 11) == 0) call push(mod(i, 2) == 0)
    end do
    do i = n, 1, -1
      if (mod(i, 11) == 0) then
        call pop(flag)
        call check(flag .eqv. mod(i, 2) == 0, 'a logical between bits')
      end if
      if (mod(i, 7) == 0) then
        call pop_count(count)
        call check(count == i*1000, 'a count between bits')
      end if
      if (mod(i, 3) == 0) then
        call pop(x)
        call check(x == i, 'a value between bits')
      end if
      call pop_control(branch, 3)
      call check(branch == mod(i, 5), 'bits between values')
    end do
  end subroutine

  subroutine test_packing
    type(adtape_stats) :: before, after
    integer :: i, value
    call tape_stats(before)
    do i = 1, 620
      call push_control(1, 1)
    end do
    call tape_stats(after)
    call check(after%bytes - before%bytes + after%pending_bits/8 <= 88, '620 bits take at most 11 words')
    do i = 1, 620
      call pop_control(value, 1)
      call check(value == 1, 'a bit')
    end do
  end subroutine

  subroutine test_counts(t)
    type(adtape_tape), intent(in) :: t
    integer(8) :: numbers(10), long
    integer(4) :: short
    integer :: i
    numbers = [0_8, 1_8, 127_8, 128_8, 16383_8, 16384_8, huge(1_4) + 0_8, -1_8, huge(1_8), -huge(1_8)]
    do i = 1, 10
      call push_count(numbers(i))
      call push_count(t, numbers(i))
      if (i <= 8) then
        call push_count(int(numbers(i), 4))
        call push_count(t, int(numbers(i), 4))
      end if
    end do
    do i = 10, 1, -1
      if (i <= 8) then
        call pop_count(t, short)
        call check(short == numbers(i), 'count of integer(4) by handle')
        call pop_count(long)
        call check(long == numbers(i), 'count pushed as integer(4), popped as integer(8)')
      end if
      call pop_count(t, long)
      call check(long == numbers(i), 'count of integer(8) by handle')
      if (i <= 8) then
        call pop_count(short)
        call check(short == numbers(i), 'count pushed as integer(8), popped as integer(4)')
      else
        call pop_count(long)
        call check(long == numbers(i), 'count of integer(8)')
      end if
    end do
  end subroutine

  subroutine test_count_bytes
    type(adtape_stats) :: before, after
    integer :: value
    call tape_stats(before)
    call push_count(100)
    call tape_stats(after)
    call check(after%bytes - before%bytes == 1, 'a small count takes a byte')
    call push_count(10000)
    call tape_stats(before)
    call check(before%bytes - after%bytes == 2, 'a count of two factors of 128 takes two bytes')
    call pop_count(value)
    call pop_count(value)
    call check(value == 100, 'a small count')
  end subroutine

end module control_tests

program control
  use adtape
  use control_tests
  use support
  implicit none
  type(adtape_tape) :: t
  call adtape_create(t)
  call test_widths(t)
  call test_wide_bits(t)
  call test_only_low_bits
  call test_mixed_with_values
  call test_packing
  call test_counts(t)
  call test_count_bytes
  call adtape_destroy(t)
  call finish('control')
end program control
