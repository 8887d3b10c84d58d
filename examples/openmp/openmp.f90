! An OpenMP loop and its adjoint in the style that Tapenade generates, with the kit's calls: openmp.c in Fortran.
!
!   openmp [n]      n: number of cells, by default 100000
module relaxation
  implicit none

contains

  ! ---- forward sweep -----------------------------------------------------------------------------

  subroutine relax_fwd(u, rate)
    real(8), intent(inout) :: u
    real(8), intent(in) :: rate
    external :: pushreal8, pushcontrol1b, pushinteger4
    integer :: ad_count
    ad_count = 0
    do while (u > 0.5d0)
      call pushreal8(u)
      if (u > 2d0) then
        u = u/(1 + rate)
        call pushcontrol1b(0)
      else
        u = u - rate*u*u
        call pushcontrol1b(1)
      end if
      ad_count = ad_count + 1
    end do
    call pushinteger4(ad_count)
  end subroutine

  ! ---- reverse sweep -----------------------------------------------------------------------------

  subroutine relax_bwd(u, ub, rate, rateb)
    real(8), intent(inout) :: u, ub, rateb
    real(8), intent(in) :: rate
    external :: popreal8, popcontrol1b, popinteger4
    integer :: ad_count, i, branch
    call popinteger4(ad_count)
    do i = 1, ad_count
      call popcontrol1b(branch)
      call popreal8(u)
      if (branch == 0) then
        rateb = rateb - u*ub/((1 + rate)*(1 + rate))
        ub = ub/(1 + rate)
      else
        rateb = rateb - u*u*ub
        ub = ub - 2*rate*u*ub
      end if
    end do
  end subroutine

  ! ---- the loop, three ways ----------------------------------------------------------------------

  subroutine serial_b(n, u, ub, rate, rateb)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(n), ub(n), rateb
    real(8), intent(in) :: rate
    integer :: i
    do i = 1, n
      call relax_fwd(u(i), rate)
    end do
    do i = n, 1, -1
      call relax_bwd(u(i), ub(i), rate, rateb)
    end do
  end subroutine

  subroutine static_b(n, u, ub, rate, rateb)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(n), ub(n), rateb
    real(8), intent(in) :: rate
    external :: getstaticschedule
    integer :: i, chunk_start, chunk_end
    !$omp parallel shared(u, rate) private(i, chunk_start, chunk_end)
    call getstaticschedule(1, n, 1, chunk_start, chunk_end)
    do i = chunk_start, chunk_end
      call relax_fwd(u(i), rate)
    end do
    !$omp end parallel
    !$omp parallel shared(u, ub, rate) private(i, chunk_start, chunk_end) reduction(+:rateb)
    call getstaticschedule(1, n, 1, chunk_start, chunk_end)
    do i = chunk_end, chunk_start, -1
      call relax_bwd(u(i), ub(i), rate, rateb)
    end do
    !$omp end parallel
  end subroutine

  subroutine dynamic_b(n, u, ub, rate, rateb)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(n), ub(n), rateb
    real(8), intent(in) :: rate
    external :: initdynamicschedule, recorddynamicschedule, finalizedynamicschedule, popinteger4
    integer :: i, chunk_start, chunk_end, numchunks, ichunk
    !$omp parallel shared(u, rate) private(i)
    call initdynamicschedule()
    !$omp do schedule(dynamic, 64)
    do i = 1, n
      call recorddynamicschedule(i, 1)
      call relax_fwd(u(i), rate)
    end do
    call finalizedynamicschedule()
    !$omp end parallel
    !$omp parallel shared(u, ub, rate) private(i, ichunk, numchunks, chunk_start, chunk_end) reduction(+:rateb)
    call popinteger4(numchunks)
    do ichunk = 1, numchunks
      call popinteger4(chunk_end)
      call popinteger4(chunk_start)
      do i = chunk_end, chunk_start, -1
        call relax_bwd(u(i), ub(i), rate, rateb)
      end do
    end do
    !$omp end parallel
  end subroutine

  subroutine start(n, u, ub)
    integer, intent(in) :: n
    real(8), intent(out) :: u(n), ub(n)
    integer :: i
    do i = 1, n
      u(i) = 0.3d0 + 4d0*modulo((i - 1)*7919, n)/n
      ub(i) = 1
    end do
  end subroutine

end module

program openmp
  use relaxation
  use omp_lib, only: omp_set_num_threads
  implicit none
  real(8), parameter :: rate = 0.05d0
  real(8), allocatable :: u(:), ub(:), expected(:)
  real(8) :: rateb, total
  integer :: n, threads, k, failures
  logical :: good
  character(32) :: text
  character(7), parameter :: schedules(2) = ['static ', 'dynamic']

  n = 100000
  call get_command_argument(1, text)
  if (len_trim(text) > 0) read (text, *) n
  allocate (u(n), ub(n), expected(n))
  failures = 0
  rateb = 0
  call start(n, u, expected)
  call serial_b(n, u, expected, rate, rateb)
  do threads = 1, 8
    call omp_set_num_threads(threads)
    do k = 1, 2
      call start(n, u, ub)
      total = 0
      if (k == 1) call static_b(n, u, ub, rate, total)
      if (k == 2) call dynamic_b(n, u, ub, rate, total)
      ! The sum's last bits depend on the order of summation, the rest has the serial run's.
      good = all(ub == expected) .and. abs(total - rateb) <= 1d-12*abs(rateb)
      if (threads == 1) good = good .and. abs(total - rateb) <= 0d0
      if (.not. good) failures = failures + 1
      print '(i0,4a)', threads, ' threads, ', trim(schedules(k)), ' schedule: ', &
        merge('same bits as serial', 'FAILED             ', good)
    end do
  end do
  if (failures > 0) then
    print '(i0,a)', failures, ' checks FAILED'
    stop 1
  end if
  print '(a)', 'all checks passed'
end program
