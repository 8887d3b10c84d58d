! tapes.F90: several tapes, handles, tapes of threads, a tape handed from thread to thread.
module tapes_tests
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  implicit none
  private
  public :: test_two_tapes, test_self_by_handle, test_handles, test_release_of_self, test_threads_alone, &
            test_hand_over, test_pipeline

contains

  ! Tapes do not see each other, whatever the order of pushes.
  subroutine test_two_tapes
    type(adtape_tape) :: a, b
    real(8) :: x
    real(4) :: v(7)
    integer :: i, n
    call adtape_create(a)
    call adtape_create(b)
    do i = 1, 1000
      call push(a, real(i, 8))
      call push(b, [(real(i, 4), n = 1, 7)])
      call push(i)
      if (mod(i, 2) == 0) call push_control(b, i, 10)
    end do
    do i = 1000, 1, -1
      call pop(n)
      call check(n == i, 'the thread''s tape beside two others')
    end do
    do i = 1000, 1, -1
      call pop(a, x)
      call check(x == i, 'the first tape')
    end do
    do i = 1000, 1, -1
      if (mod(i, 2) == 0) then
        call pop_control(b, n, 10)
        call check(n == i, 'bits on the second tape')
      end if
      call pop(b, v)
      call check(all(v == i), 'the second tape')
    end do
    call adtape_destroy(a)
    call adtape_destroy(b)
  end subroutine

  subroutine test_self_by_handle
    type(adtape_tape) :: self
    real(8) :: x
    self = adtape_self()
    call push(1d0)
    call push(self, 2d0)
    call push(adtape_self(), [3d0])
    call pop(x)
    call check(x == 3, 'the last of three ways')
    call pop(x)
    call check(x == 2, 'pushed by handle')
    call pop(self, x)
    call check(x == 1, 'popped by handle')
  end subroutine

  subroutine test_handles
    type(adtape_tape) :: t, none
    integer(c_int32_t) :: stat
    type(adtape_stats) :: stats
    call adtape_destroy(none, stat)
    call check(stat == ADTAPE_STATUS_OK, 'freeing no tape')
    call tape_stats(none, stats, stat)
    call check(stat == ADTAPE_STATUS_NULL_HANDLE, 'a handle that is not a tape')
    call adtape_create(t, stat)
    call check(stat == ADTAPE_STATUS_OK .and. c_associated(t%handle), 'a new tape')
    call push(t, 1d0)
    call adtape_acquire(t, stat)
    call check(stat == ADTAPE_STATUS_RELEASED, 'acquiring a tape that is not released')
    call adtape_release(t, t)
    call tape_stats(t, stats, stat)
    call check(stat == ADTAPE_STATUS_RELEASED, 'a released tape')
    call check(index(adtape_error_message(), 'adtape_acquire') > 0, 'what to do with a released tape')
    call adtape_release(t, t, stat)
    call check(stat == ADTAPE_STATUS_RELEASED, 'releasing twice')
    call adtape_acquire(t)
    call tape_stats(t, stats)
    call check(stats%bytes == 8, 'a tape after release and acquire')
    call adtape_destroy(t, stat)
    call check(stat == ADTAPE_STATUS_OK .and. .not. c_associated(t%handle), 'a tape with values freed')
  end subroutine

  ! Release takes the contents of the thread's tape along; the thread starts over.
  subroutine test_release_of_self
    type(adtape_tape) :: t
    type(adtape_stats) :: stats
    real(8) :: x
    call push(7d0)
    call adtape_release(adtape_self(), t)
    call tape_stats(stats)
    call check(stats%bytes == 0, 'the thread starts over')
    call push(8d0)
    call adtape_acquire(t)
    call pop(t, x)
    call check(x == 7, 'the contents that were taken along')
    call pop(x)
    call check(x == 8, 'the thread''s new tape')
    call adtape_destroy(t)
  end subroutine

  ! Many threads, each with its own tape; teams that come and go.
  subroutine test_threads_alone
    integer :: team, i, k, thread
    real(8) :: x, row(20), sums(0:7)
    do team = 1, 8
      sums = 0
      !$omp parallel do num_threads(team) private(i, k, x, row) schedule(static, 1)
      do thread = 0, 7
        do i = 1, 300
          call push(real(i*thread, 8))
          call push([(real(i + k, 8), k = 1, 20)])
          call push_control(mod(i, 4), 2)
        end do
        do i = 300, 1, -1
          call pop_control(k, 2)
          call pop(row(20:1:-1))
          call pop(x)
          if (k == mod(i, 4) .and. row(1) == i + 20 .and. x == i*thread) sums(thread) = sums(thread) + 1
        end do
      end do
      call check(all(sums == 300), 'each thread pops what it pushed')
    end do
  end subroutine

  ! One thread pushes, the next pops and pushes, and so on.
  subroutine test_hand_over
    type(adtape_tape) :: t
    type(adtape_stats) :: stats
    integer :: turn, i, wrong
    integer(c_int32_t) :: stat
    real(8) :: x
    call adtape_create(t)
    call push(t, 1d0)
    call adtape_release(t, t)
    wrong = 0
    !$omp parallel do ordered num_threads(4) private(i, x, stat, stats) schedule(static, 1) reduction(+:wrong)
    do turn = 1, 12
      !$omp ordered
      call tape_stats(t, stats, stat)
      if (stat /= ADTAPE_STATUS_RELEASED) wrong = wrong + 1
      call adtape_acquire(t)
      call pop(t, x)
      if (x /= turn) wrong = wrong + 1
      do i = 1, 2000
        call push(t, real(turn*i, 8))
      end do
      do i = 2000, 1, -1
        call pop(t, x)
        if (x /= turn*i) wrong = wrong + 1
      end do
      call push(t, real(turn + 1, 8))
      call adtape_release(t, t)
      !$omp end ordered
    end do
    call check(wrong == 0, 'a tape that goes from thread to thread')
    call adtape_acquire(t)
    call pop(t, x)
    call check(x == 13, 'a tape that comes back')
    call adtape_destroy(t)
  end subroutine

  ! The forward sweep of each chunk on one thread, its reverse sweep on another.
  subroutine test_pipeline
    integer, parameter :: chunks = 6
    type(adtape_tape) :: record(chunks)
    integer :: chunk, i, wrong
    real(8) :: x
    !$omp parallel do num_threads(3) private(i) schedule(dynamic, 1)
    do chunk = 1, chunks
      do i = 1, 500
        call push(real(chunk*i, 8))
      end do
      call adtape_release(adtape_self(), record(chunk))
    end do
    wrong = 0
    !$omp parallel do num_threads(2) private(i, x) schedule(dynamic, 1) reduction(+:wrong)
    do chunk = chunks, 1, -1
      call adtape_acquire(record(chunk))
      do i = 500, 1, -1
        call pop(record(chunk), x)
        if (x /= chunk*i) wrong = wrong + 1
      end do
      call adtape_destroy(record(chunk))
    end do
    call check(wrong == 0, 'chunks reversed by other threads')
  end subroutine

end module tapes_tests

program tapes
  use support
  use tapes_tests
  implicit none
  call test_two_tapes
  call test_self_by_handle
  call test_handles
  call test_release_of_self
  call test_threads_alone
  call test_hand_over
  call test_pipeline
  call finish('tapes')
end program tapes
