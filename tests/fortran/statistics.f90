! statistics.f90: sizes, peak, traffic by type and operation, memory of the process, names.
module statistics_tests
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  implicit none
  private
  public :: test_sizes, test_traffic, test_profile_of_self, test_memory, test_trim, test_names

contains

  subroutine test_sizes(t)
    type(adtape_tape), intent(in) :: t
    type(adtape_stats) :: stats
    real(8), allocatable :: a(:, :)
    allocate (a(1000, 100))
    a = 1
    call tape_stats(t, stats)
    call check(stats%bytes == 0 .and. stats%repeat_depth == 0 .and. stats%spilled_bytes == 0, 'an empty tape')
    call push(t, a)
    call push(t, 1_1)
    call push_control(t, 1, 5)
    call tape_stats(t, stats)
    call check(stats%bytes == 800001 .and. stats%pending_bits == 5, 'bytes and bits')
    call check(stats%committed_bytes >= stats%bytes .and. stats%reserved_bytes >= stats%committed_bytes, &
               'memory and address space')
    call mark_down
    call pop(t, a)
    call tape_stats(t, stats)
    call check(stats%bytes == 0, 'bytes after the pops')
    call check(stats%peak_bytes >= 800001 .and. stats%peak_bytes <= 817000 + 4096, 'peak')
    call check(stats%slow_calls > 0, 'slow calls')
    call stats_reset(t)
    call tape_stats(t, stats)
    call check(stats%peak_bytes < 800000, 'peak after a reset')

  contains

    subroutine mark_down
      integer(1) :: one
      integer :: branch
      call pop_control(t, branch, 5)
      call pop(t, one)
      call check(branch == 1 .and. one == 1, 'what was pushed last')
    end subroutine

  end subroutine

  subroutine test_traffic(t)
    type(adtape_tape), intent(in) :: t
    type(adtape_traffic) :: traffic
    type(adtape_stats) :: stats
    real(8) :: x, a(10)
    integer :: n, i
    integer(c_int32_t) :: stat
    call stats_set_profile(t, .true.)
    call stats_reset(t)
    a = 2
    do i = 1, 5
      call push(t, 1d0)
      call push(t, a(::3))
      call push(t, i)
    end do
    call push_control(t, 1, 2)
    call push_count(t, 300)
    call stats_traffic(t, ADTAPE_TYPE_F64, ADTAPE_OPERATION_PUSH, traffic)
    call check(traffic%calls == 10 .and. traffic%elements == 25 .and. traffic%bytes == 200, 'traffic of real(8)')
    call stats_traffic(t, ADTAPE_TYPE_I32, ADTAPE_OPERATION_PUSH, traffic)
    call check(traffic%calls == 5 .and. traffic%elements == 5 .and. traffic%bytes == 20, 'traffic of integer(4)')
    call stats_traffic(t, ADTAPE_TYPE_CONTROL, ADTAPE_OPERATION_PUSH, traffic)
    call check(traffic%calls == 1 .and. traffic%elements == 2, 'traffic of bits')
    call stats_traffic(t, ADTAPE_TYPE_F64, ADTAPE_OPERATION_POP, traffic)
    call check(traffic%calls == 0, 'nothing popped yet')
    call pop_count(t, n)
    call pop_control(t, n, 2)
    do i = 5, 1, -1
      call pop(t, n)
      call pop(t, a(::3))
      call pop(t, x)
    end do
    call stats_traffic(t, ADTAPE_TYPE_F64, ADTAPE_OPERATION_POP, traffic)
    call check(traffic%calls == 10 .and. traffic%elements == 25 .and. traffic%bytes == 200, 'traffic of pops')
    call stats_traffic(t, 0, ADTAPE_OPERATION_POP, traffic, stat)
    call check(stat == ADTAPE_STATUS_OK .and. traffic%calls == 17, 'traffic of all types')
    call tape_stats(t, stats)
    call check(stats%peak_bytes >= 222 .and. stats%peak_bytes <= 222 + 4096, 'peak in profile mode')
    call stats_reset(t)
    call stats_traffic(t, 0, ADTAPE_OPERATION_POP, traffic)
    call check(traffic%calls == 0 .and. traffic%bytes == 0, 'traffic after a reset')
    call stats_traffic(t, 99, ADTAPE_OPERATION_POP, traffic, stat)
    call check(stat == ADTAPE_STATUS_BAD_ARGUMENT, 'traffic of no type')
    call stats_traffic(t, 0, 2, traffic, stat)
    call check(stat == ADTAPE_STATUS_BAD_ARGUMENT, 'traffic of no operation')
    call check(index(adtape_error_message(), 'ADTAPE_OPERATION_PUSH') > 0, 'the message of no operation')
    call stats_set_profile(t, .false.)
  end subroutine

  subroutine test_profile_of_self
    type(adtape_traffic) :: traffic
    integer(c_int32_t) :: stat
    character(3) :: text
    call stats_set_profile(.true., stat)
    call check(stat == ADTAPE_STATUS_OK, 'stat of profile mode')
    call push('abc')
    call push([.true., .false.])
    call stats_traffic(ADTAPE_TYPE_CHAR, ADTAPE_OPERATION_PUSH, traffic)
    call check(traffic%calls == 1 .and. traffic%elements == 3, 'traffic of characters')
    call stats_traffic(ADTAPE_TYPE_LOGICAL32, ADTAPE_OPERATION_PUSH, traffic)
    call check(traffic%calls == 1 .and. traffic%bytes == 8, 'traffic of logicals')
    call stats_print(stat)
    call check(stat == ADTAPE_STATUS_OK, 'a report')
    call take_back
    call pop(text)
    call stats_reset()
    call stats_set_profile(.false.)

  contains

    subroutine take_back
      logical :: flags(2)
      call pop(flags)
      call check(flags(1) .and. .not. flags(2), 'logicals in profile mode')
    end subroutine

  end subroutine

  subroutine test_memory(t)
    type(adtape_tape), intent(in) :: t
    type(adtape_memory) :: memory, later
    integer(c_int32_t) :: stat
    real(8), allocatable :: a(:)
    allocate (a(200000))
    a = 1
    call process_memory(memory)
    call check(memory%limit_bytes > 0, 'memory of the process')
    call push(t, a)
    call push(t, a)
    call process_memory(later, stat)
    call check(stat == ADTAPE_STATUS_OK .and. later%committed_bytes >= 3200000, 'memory after 3.2 MB')
    call check(later%peak_committed_bytes >= later%committed_bytes, 'peak memory')
    call check(later%reserved_bytes >= later%committed_bytes, 'reserved memory')
    call process_set_memory_limit(1000000000_8, stat)
    call process_memory(memory)
    call check(stat == ADTAPE_STATUS_OK .and. memory%limit_bytes == 1000000000_8, 'the memory limit')
    call process_set_memory_limit(0_8)
    call pop(t, a)
    call pop(t, a)
    call check(all(a == 1), 'what was pushed under a limit')
  end subroutine

  subroutine test_trim(t)
    type(adtape_tape), intent(in) :: t
    type(adtape_stats) :: before, after
    integer(c_int32_t) :: stat
    call tape_stats(t, before)
    call adtape_trim(t, ADTAPE_TRIM_SOFT)
    call adtape_trim(ADTAPE_TRIM_SOFT)
    call adtape_trim(t, ADTAPE_TRIM_HARD, stat)
    call tape_stats(t, after)
    call check(stat == ADTAPE_STATUS_OK .and. after%committed_bytes < before%committed_bytes, 'memory given back')
    call adtape_trim(t, 7, stat)
    call check(stat == ADTAPE_STATUS_BAD_ARGUMENT, 'trim in no way')
  end subroutine

  subroutine test_names
    call check(adtape_type_name(ADTAPE_TYPE_COMPLEX_F128) == 'complex_f128', 'the name of a type')
    call check(adtape_status_name(ADTAPE_STATUS_IO) == 'ADTAPE_STATUS_IO', 'the name of a status')
    call check(adtape_status_name(-3) == 'unknown status', 'the name of no status')
    call check(adtape_text(c_null_ptr) == '', 'the text of no address')
  end subroutine

end module statistics_tests

program statistics
  use adtape
  use statistics_tests
  use support
  implicit none
  type(adtape_tape) :: t
  call adtape_create(t)
  call test_sizes(t)
  call test_traffic(t)
  call test_profile_of_self
  call test_memory(t)
  call test_trim(t)
  call test_names
  call adtape_destroy(t)
  call finish('statistics')
end program statistics
