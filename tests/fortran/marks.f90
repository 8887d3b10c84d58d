! marks.f90: marks and repeat regions, on the thread's tape and by handle, and what they return in `stat`.
module marks_tests
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  implicit none
  private
  public :: test_marks, test_mark_errors, test_repeat, test_nested_repeat, test_push_inside_repeat, test_fixed_point

contains

  subroutine test_marks(t)
    type(adtape_tape), intent(in) :: t
    type(adtape_mark) :: bottom, middle, top, copy
    integer(c_int32_t) :: order, stat
    integer(8) :: bytes
    real(8) :: x, a(10)
    integer :: branch
    a = 3
    call push(t, 1d0)
    call mark_take(t, bottom)
    call push_control(t, 2, 3)
    call push(t, a)
    call mark_take(t, middle, stat)
    call check(stat == ADTAPE_STATUS_OK, 'stat of a mark')
    call push(t, a(::2))
    call mark_take(t, top)
    copy = middle
    call mark_compare(bottom, top, order)
    call check(order == -1, 'a lower mark')
    call mark_compare(top, middle, order)
    call check(order == 1, 'a higher mark')
    call mark_compare(middle, copy, order, stat=stat)
    call check(order == 0 .and. stat == ADTAPE_STATUS_OK, 'a copy of a mark')
    call mark_compare(middle, top, order, bytes)
    call check(bytes == 40, 'bytes between marks')
    call mark_compare(top, middle, order, bytes, stat)
    call check(bytes == -40 .and. stat == ADTAPE_STATUS_OK, 'bytes between marks, the other way')
    call mark_reset(t, copy)
    a = 0
    call pop(t, a)
    call check(all(a == 3), 'values below a mark')
    call pop_control(t, branch, 3)
    call check(branch == 2, 'bits below a mark')
    call push(t, 5d0)
    call push_control(t, 1, 1)
    call mark_reset(t, bottom)
    call pop(t, x)
    call check(x == 1, 'the value at the bottom')
    ! The same on the thread's tape.
    call push(4d0)
    call mark_take(middle)
    call push(a)
    call mark_reset(middle)
    call pop(x)
    call check(x == 4, 'a mark on the thread''s tape')
  end subroutine

  subroutine test_mark_errors(t)
    type(adtape_tape), intent(in) :: t
    type(adtape_mark) :: here, there, nowhere
    integer(c_int32_t) :: stat, order
    integer(8) :: bytes
    real(8) :: x
    call push(t, 1d0)
    call push(t, 2d0)
    call mark_take(t, there)
    call mark_take(here)
    call mark_compare(here, there, order, stat=stat)
    call check(stat == ADTAPE_STATUS_MARK_FOREIGN, 'marks of two tapes compared')
    call check(index(adtape_error_message(), 'tape') > 0, 'the message of foreign marks')
    call mark_compare(here, there, order, bytes, stat)
    call check(stat == ADTAPE_STATUS_MARK_FOREIGN, 'bytes between marks of two tapes')
    call mark_reset(t, here, stat)
    call check(stat == ADTAPE_STATUS_MARK_FOREIGN, 'reset to a foreign mark')
    call mark_reset(t, nowhere, stat)
    call check(stat == ADTAPE_STATUS_MARK_FOREIGN, 'reset to a mark that was never taken')
    call pop(t, x)
    call mark_reset(t, there, stat)
    call check(stat == ADTAPE_STATUS_MARK_ABOVE_TOP, 'reset to a mark above the top')
    call check(adtape_status_name(stat) == 'ADTAPE_STATUS_MARK_ABOVE_TOP', 'the name of a status')
    call pop(t, x)
    call check(x == 1, 'the tape is unchanged by failed resets')
  end subroutine

  subroutine test_repeat(t)
    type(adtape_tape), intent(in) :: t
    real(8) :: a(50), x
    integer :: i, branch
    integer(c_int32_t) :: stat
    call repeat_reset(t, stat)
    call check(stat == ADTAPE_STATUS_REPEAT_UNBALANCED, 'reset without start')
    call repeat_end(stat)
    call check(stat == ADTAPE_STATUS_REPEAT_UNBALANCED, 'end without start')
    call push(t, -1d0)
    call push(t, [(real(i, 8), i = 1, 50)])
    call push_control(t, 5, 3)
    call repeat_start(t)
    do i = 1, 4
      a = 0
      call pop_control(t, branch, 3)
      call pop(t, a)
      call check(branch == 5 .and. sum(a) == 1275, 'popped several times')
      if (i < 4) call repeat_reset(t)
    end do
    call repeat_end(t, stat)
    call check(stat == ADTAPE_STATUS_OK, 'stat of an end')
    call pop(t, x)
    call check(x == -1, 'the value below a repeat region')
  end subroutine

  subroutine test_nested_repeat
    integer :: i, j, n
    real(4) :: x
    type(adtape_stats) :: stats
    do i = 1, 6
      call push(real(i, 4))
    end do
    call repeat_start()
    do i = 1, 3
      call pop(x)
      call check(x == 6, 'outer region')
      call repeat_start()
      call tape_stats(stats)
      call check(stats%repeat_depth == 2, 'depth of nested regions')
      do j = 1, 2
        do n = 5, 3, -1
          call pop(x)
          call check(x == n, 'inner region')
        end do
        if (j == 1) call repeat_reset()
      end do
      call repeat_end()
      call pop(x)
      call check(x == 2, 'below the inner region')
      if (i < 3) call repeat_reset()
    end do
    call repeat_end()
    call pop(x)
    call check(x == 1, 'below both regions')
  end subroutine

  subroutine test_push_inside_repeat
    integer :: i
    real(8) :: x
    call push(1d0)
    call push(2d0)
    call repeat_start()
    do i = 1, 3
      call pop(x)
      call check(x == 2, 'the last value before the region')
      call push(10d0*i)
      call push(20d0*i)
      call pop(x)
      call check(x == 20*i, 'pushed inside the region')
      call pop(x)
      call check(x == 10*i, 'pushed first inside the region')
      call pop(x)
      call check(x == 1, 'below what was pushed inside the region')
      if (i < 3) call repeat_reset()
    end do
    call push(30d0)
    call repeat_end()
    call pop(x)
    call check(x == 30, 'left over from the region')
  end subroutine

  ! The adjoint of a fixed-point iteration: the last step's record is read until the adjoint has converged.
  subroutine test_fixed_point
    real(8) :: z, p, zb, pb, new, slope
    integer :: i
    p = 2
    z = 1
    do i = 1, 60
      z = (z + p/z)/2
    end do
    call push(z)
    call push(p)
    call repeat_start()
    zb = 0
    do i = 1, 60
      call pop(p)
      call pop(z)
      slope = (1 - p/z**2)/2
      new = 1 + slope*zb
      pb = new/(2*z)
      if (abs(new - zb) < 1d-14) exit
      zb = new
      call repeat_reset()
    end do
    call repeat_end()
    call check(abs(pb - 1/(2*sqrt(2d0))) < 1d-12, 'derivative of a square root by its fixed point')
  end subroutine

end module marks_tests

program marks
  use adtape
  use marks_tests
  use support
  implicit none
  type(adtape_tape) :: t
  call adtape_create(t)
  call test_marks(t)
  call test_mark_errors(t)
  call test_repeat(t)
  call test_nested_repeat
  call test_push_inside_repeat
  call test_fixed_point
  call adtape_destroy(t)
  call finish('marks')
end program marks
