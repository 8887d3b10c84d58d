! errors.F90: provokes an error: `errors <case>` with the default error handler, `errors <case> handler` with one of its
! own, which prints the name of the status and the message and stops with code 9. errors.txt says what each case is to
! print. A comment "!@name" marks a call whose line the message must name. Cases of maps and heaps are in errors_addresses.F90.
module errors_cases
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use adtape
  use errors_addresses
  implicit none
  private
  public :: provoke, handler, returning_handler

  type :: point
    real(8) :: x(3) = 1
    integer :: id = 7
  end type

  interface
    subroutine push_wrong_length() bind(c)
    end subroutine
    subroutine pop_overlapping() bind(c)
    end subroutine
    subroutine push_too_many() bind(c)
    end subroutine
  end interface

contains

  subroutine handler(status, message, user) bind(c)
    integer(c_int32_t), value :: status
    type(c_ptr), value :: message, user
    integer, pointer :: calls
    call c_f_pointer(user, calls)
    calls = calls + 1
    write (error_unit, '(4a,i0)') adtape_status_name(status), ': ', adtape_text(message), ' calls: ', calls
    flush (error_unit)
    error stop 9
  end subroutine

  subroutine returning_handler(status, message, user) bind(c)
    integer(c_int32_t), value :: status
    type(c_ptr), value :: message, user
    if (status /= ADTAPE_STATUS_OK .and. c_associated(message) .and. .not. c_associated(user)) then
      write (error_unit, '(a)') 'the handler returns'
      flush (error_unit)
    end if
  end subroutine

  subroutine write_assumed_size(x)
    real(8), intent(in) :: x(4, *)
    type(adtape_checkpoint) :: c
    call checkpoint_write(c, 'x', x) !@assumed_size
  end subroutine

  subroutine provoke(name)
    character(*), intent(in) :: name
    type(adtape_tape) :: t
    type(adtape_mark) :: here, there
    type(adtape_traffic) :: traffic
    type(adtape_stats) :: stats
    real(8) :: x, a(10), b(4, 4)
    real(8), allocatable :: none(:), none2(:, :), big(:)
    real(8), pointer :: nowhere(:)
    type(point) :: points(3)
    integer :: n, i
    integer(8) :: long
    integer(c_int32_t) :: order
    logical :: flag
    character(4) :: text
    complex(8) :: z

    a = 1
    b = 1
    z = 0
    nullify (nowhere)
    select case (name)

    ! ---- popping past the bottom
    case ('underflow_scalar')
      call pop(x) !@underflow_scalar
    case ('underflow_logical')
      call pop(flag) !@underflow_logical
    case ('underflow_array')
      call push(1d0)
      call pop(a) !@underflow_array
    case ('underflow_section')
      call push(a(1:3))
      call pop(b(::3, ::3)) !@underflow_section
    case ('underflow_by_handle')
      call adtape_create(t)
      call push(1d0)
      call pop(t, x) !@underflow_by_handle
    case ('underflow_text')
      call pop(text) !@underflow_text
    case ('underflow_bytes')
      call pop_bytes(a, 80) !@underflow_bytes
    case ('underflow_control')
      call push_control(1, 1)
      call pop_control(n, 2) !@underflow_control
    case ('underflow_count')
      call pop_count(n) !@underflow_count

    ! ---- handles and addresses
    case ('null_handle_scalar')
      call push(t, 1d0) !@null_handle_scalar
    case ('null_handle_logical')
      call pop(t, flag) !@null_handle_logical
    case ('null_handle_array')
      call push(t, a) !@null_handle_array
    case ('null_handle_section')
      call push(t, a(::2)) !@null_handle_section
    case ('null_handle_control')
      call push_control(t, 1, 1) !@null_handle_control
    case ('null_handle_count')
      call pop_count(t, long) !@null_handle_count
    case ('null_handle_mark')
      call mark_take(t, here) !@null_handle_mark
    case ('not_allocated')
      call push(none) !@not_allocated
    case ('not_allocated_pop')
      call pop(none2) !@not_allocated_pop
    case ('not_associated')
      call push(nowhere) !@not_associated
    case ('null_bytes')
      call push_bytes(c_null_ptr, 8) !@null_bytes

    ! ---- arguments
    case ('derived_type')
      call push(points) !@derived_type
    case ('assumed_size')
      call write_assumed_size(b)
    case ('wrong_length')
      call push_wrong_length()
    case ('overlapping')
      call push(1d0)
      call pop_overlapping()
    case ('too_many')
      call push_too_many()
    case ('bits_0')
      call push_control(1, 0) !@bits_0
    case ('bits_33')
      call push_control(1, 33) !@bits_33
    case ('bits_33_pop')
      call push_control(1_8, 33)
      call pop_control(n, 33) !@bits_33_pop
    case ('bits_65')
      call push_control(1_8, 65) !@bits_65
    case ('bits_negative')
      call pop_control(long, -1) !@bits_negative
    case ('count_too_large')
      call push_count(5000000000_8)
      call pop_count(n) !@count_too_large
    case ('bytes_negative')
      call push_bytes(a, -8) !@bytes_negative
    case ('bytes_absurd')
      call pop_bytes(a, huge(1_8)) !@bytes_absurd
    case ('corrupt')
      call push(0d0)
      call pop_control(n, 3) !@corrupt
    case ('trim_how')
      call adtape_trim(5) !@trim_how
    case ('traffic_type')
      call stats_traffic(77, ADTAPE_OPERATION_PUSH, traffic) !@traffic_type
    case ('limit_negative')
      call process_set_memory_limit(-1_8) !@limit_negative

    ! ---- repeat regions and marks
    case ('repeat_end')
      call repeat_end() !@repeat_end
    case ('repeat_reset')
      call adtape_create(t)
      call repeat_start(t)
      call repeat_end(t)
      call repeat_reset(t) !@repeat_reset
    case ('mark_foreign')
      call adtape_create(t)
      call mark_take(t, here)
      call mark_reset(here) !@mark_foreign
    case ('mark_compare')
      call adtape_create(t)
      call mark_take(t, here)
      call mark_take(there)
      call mark_compare(here, there, order) !@mark_compare
    case ('mark_above_top')
      call push(1d0)
      call mark_take(here)
      call pop(x)
      call mark_reset(here) !@mark_above_top

    ! ---- memory
    case ('memory_limit')
      allocate (big(1000000))
      big = 1
      do i = 1, 100
        call push(big) !@memory_limit
      end do
    case ('memory_limit_scalar')
      call process_set_memory_limit(3000000_8)
      do i = 1, 10000000
        call push(real(i, 8)) !@memory_limit_scalar
      end do
    case ('out_of_memory')
      allocate (big(1000000))
      big = 1
      do i = 1, 1000
        call push(big) !@out_of_memory
      end do
    case ('full_disk')
      call stats_print() !@full_disk
    case ('bad_environment')
      call push(1d0) !@bad_environment

    ! ---- check mode
    case ('mismatch_type')
      call push(1d0) !@mismatch_type_push
      call pop(long) !@mismatch_type_pop
    case ('mismatch_logical')
      call push(.true.) !@mismatch_logical_push
      call pop(n) !@mismatch_logical_pop
    case ('mismatch_count')
      call push(a) !@mismatch_count_push
      call pop(a(1:9)) !@mismatch_count_pop
    case ('mismatch_section')
      call push(b(::3, :)) !@mismatch_section_push
      call pop(b(:, ::3)) ! as many elements: matches
      call push(b(::3, ::3)) !@mismatch_section_push_2
      call pop(z) !@mismatch_section_pop
    case ('mismatch_by_handle')
      call adtape_create(t)
      call push(t, points%id) !@mismatch_by_handle_push
      call pop(t, a(1:3)) !@mismatch_by_handle_pop
    case ('mismatch_text')
      call push('abc') !@mismatch_text_push
      call pop(text) !@mismatch_text_pop
    case ('mismatch_bytes')
      call push_bytes(a, 16) !@mismatch_bytes_push
      call pop_bytes(a, 8) !@mismatch_bytes_pop
    case ('mismatch_control')
      call push_control(3, 2) !@mismatch_control_push
      call pop_control(n, 3) !@mismatch_control_pop
    case ('mismatch_long_control')
      call push_control(3_8, 40) !@mismatch_long_control_push
      call pop_count(n) !@mismatch_long_control_pop
    case ('mismatch_count_number')
      call push_count(1000) !@mismatch_count_number_push
      call pop(n) !@mismatch_count_number_pop
    case ('mismatch_nothing')
      call pop(a(::2)) !@mismatch_nothing

    ! ---- threads and hand-over
    case ('wrong_thread')
      call adtape_create(t)
      call push(t, 1d0)
      call use_on_another_thread(t)
    case ('wrong_thread_stat')
      call adtape_create(t)
      call free_on_another_thread(t)
    case ('released_scalar')
      call adtape_create(t)
      call push(t, 1d0)
      call adtape_release(t, t)
      call pop(t, x) !@released_scalar
    case ('released_array')
      call adtape_create(t)
      call adtape_release(t, t)
      call push(t, a) !@released_array
    case ('released_stats')
      call adtape_create(t)
      call adtape_release(t, t)
      call tape_stats(t, stats) !@released_stats
    case ('acquire_unreleased')
      call adtape_create(t)
      call adtape_acquire(t) !@acquire_unreleased

    case default
      call provoke_address(name)
    end select
    write (error_unit, '(2a)') 'no error in case ', name
    if (stats%bytes + traffic%bytes + order < 0) print *, a, b, z, x, flag, text, n, long
    stop 4
  end subroutine

  subroutine use_on_another_thread(t)
    type(adtape_tape), intent(in) :: t
    integer :: i
    !$omp parallel do num_threads(2) schedule(static, 1)
    do i = 1, 2
      if (i == 2) call push(t, [1d0, 2d0]) !@wrong_thread
    end do
  end subroutine

  subroutine free_on_another_thread(t)
    type(adtape_tape), intent(inout) :: t
    integer :: i
    !$omp parallel do num_threads(2) schedule(static, 1)
    do i = 1, 2
      if (i == 2) call adtape_destroy(t) !@wrong_thread_stat
    end do
  end subroutine

end module errors_cases

program errors
  use, intrinsic :: iso_c_binding
  use adtape
  use errors_cases
  implicit none
  character(40) :: name, how
  integer, target :: calls = 0
  call get_command_argument(1, name)
  call get_command_argument(2, how)
  select case (how)
  case ('handler')
    call process_set_error_handler(handler, c_loc(calls))
  case ('returning')
    call process_set_error_handler(returning_handler)
  case ('default')
    call process_set_error_handler(handler, c_loc(calls))
    call process_set_error_handler()
  end select
  call provoke(trim(name))
end program errors
