! shallow_water_mpi: the adjoint of the demo's model on many ranks. See README.md.
!
!     mpiexec -n 4 shallow_water_mpi_fortran [FILE [DIRECTORY]]
!
! checks the gradient: beside what the serial program wrote to FILE or, without a file, by a Taylor test; and the one by
! a driver with five checkpoints beside that with the whole tape. With a directory the driver's checkpoints are in files
! there, and its gradient is the only one: killed at any moment and started again, the program goes on.
module shallow_water_checks
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  use mpi_f08
  use adtape
  use adtape_mpi
  use shallow_water_support, only: dp
  use shallow_water_problem
  use shallow_water_by_driver
  implicit none
  private

  public :: fail, line, sum_of_all, fingerprint, agrees_with_serial, taylor_test, agrees_with_driver, nothing_is_left

  integer, parameter, public :: checkpoints = 5

  type(problem_t), target, public :: p

  interface
    ! uint64_t bits_at(int64_t place, double x);     common/bits.h
    pure function bits_at(place, x) bind(c) result(bits)
      import :: c_double, c_int64_t
      integer(c_int64_t), value :: place
      real(c_double), value :: x
      integer(c_int64_t) :: bits
    end function
  end interface

contains

  ! Rank 0 prints.
  subroutine line(text)
    character(*), intent(in) :: text
    if (p%d%rank /= 0) return
    write (output_unit, '(a)') text
    flush (output_unit)
  end subroutine

  subroutine fail(what)
    character(*), intent(in) :: what
    write (error_unit, '(a)') 'shallow_water_mpi: ' // what
    flush (error_unit)
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine

  pure function verdict(ok) result(text)
    logical, intent(in) :: ok
    character(:), allocatable :: text
    text = trim(merge('passed', 'FAILED', ok))
  end function

  function sum_of_all(mine) result(total)
    real(dp), intent(in) :: mine
    real(dp) :: total
    call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, p%d%comm)
  end function

  ! Of all bits of the gradient of the whole channel.
  function fingerprint(gradient) result(all_bits)
    real(dp), intent(in) :: gradient(:)
    integer(c_int64_t) :: mine, all_bits
    integer :: c
    mine = 0
    do c = 1, size(gradient)
      mine = ieor(mine, bits_at(whole_control(p, c) - 1, gradient(c)))
    end do
    call MPI_Allreduce(mine, all_bits, 1, MPI_INTEGER8, MPI_BXOR, p%d%comm)
  end function

  ! The largest difference between the gradients, as a part of the largest derivative.
  function agrees_with_serial(path, j, gradient) result(ok)
    character(*), intent(in) :: path
    real(dp), intent(in) :: j, gradient(:)
    logical :: ok
    real(dp), allocatable :: serial(:), expected(:)
    real(dp) :: serial_j, most(2)
    character(100) :: text
    integer(c_int64_t) :: bytes
    integer :: unit, stat, c
    allocate (serial(3*p%d%part%whole_nx*p%d%part%whole_ny))
    open (newunit=unit, file=path, access='stream', form='unformatted', status='old', action='read', iostat=stat)
    bytes = -1
    if (stat == 0) inquire (unit, size=bytes)
    if (bytes == 8*(size(serial) + 1)) read (unit, iostat=stat) serial_j, serial
    if (bytes /= 8*(size(serial) + 1) .or. stat /= 0) then
      call fail('what the serial program wrote cannot be read, or is of another size')
    end if
    close (unit)
    expected = [(serial(whole_control(p, c)), c=1, size(gradient))]
    call MPI_Allreduce([maxval(abs(gradient - expected)), maxval(abs(expected))], most, 2, MPI_DOUBLE_PRECISION, MPI_MAX, &
                       p%d%comm)
    ok = abs(j/serial_j - 1) <= 1e-13_dp .and. most(1) <= 1e-12_dp*most(2)
    write (text, '(a,es7.1e2,a,es7.1e2)') 'cost differs by ', abs(j/serial_j - 1), ', gradient by ', most(1)/most(2)
    call line('beside the serial program: ' // trim(text) // ', relative: ' // verdict(ok))
  end function

  function cost_call(w) result(j)
    real(c_double), intent(in) :: w(:)
    real(c_double) :: j
    j = adtape_mpi_test_value(cost(p, w))
  end function

  ! Each rank has its part of the controls, and the library's test comes to one verdict on all ranks.
  function taylor_test(gradient) result(ok)
    real(dp), intent(in) :: gradient(:)
    logical :: ok
    type(adtape_test_report) :: report
    character(100) :: text
    call test_gradient(cost_call, p%w, report, gradient, direction=p%direction, first_step=0.1_dp, steps=12, &
                       tolerance=1e-6_dp, search_runs=-1, product=adtape_mpi_test_product_f64)
    ok = report%passed
    write (text, '(a,f6.4,a,es7.1e2)') 'order ', report%order, ', slope relative to differences ', report%error
    call line('Taylor test: ' // trim(text) // ': ' // verdict(ok))
  end function

  ! With five checkpoints the gradient has the same bits.
  function agrees_with_driver(bits) result(ok)
    integer(c_int64_t), intent(in) :: bits
    logical :: ok
    type(adtape_progress) :: done
    real(dp) :: j, gradient(p%g%controls)
    character(100) :: text
    call cost_and_gradient_by_driver(p, checkpoints, j, gradient, done)
    ok = fingerprint(gradient) == bits
    write (text, '(a,i0,a,f4.2)') 'by a driver with ', checkpoints, ' checkpoints: ', &
      real(done%forward_steps - done%steps, dp)/real(done%steps, dp)
    call line(trim(text) // ' forward runs extra, the same bits: ' // verdict(ok))
  end function

  function nothing_is_left() result(ok)
    logical :: ok
    type(adtape_stats) :: stats
    character(40) :: text
    real(dp) :: left
    call tape_stats(stats)
    left = sum_of_all(real(stats%bytes + stats%pending_bits, dp))
    write (text, '(a,i0)') 'bytes left on the tapes: ', nint(left, c_int64_t)
    call line(trim(text))
    ok = left == 0
  end function

end module shallow_water_checks

program shallow_water_mpi
  use, intrinsic :: iso_c_binding
  use adtape
  use adtape_mpi
  use shallow_water_support, only: dp, integer_text, quit
  use shallow_water_experiment
  use shallow_water_domain
  use shallow_water_problem
  use shallow_water_by_driver
  use shallow_water_checks
  implicit none
  type(experiment_t) :: e
  type(adtape_progress) :: done
  real(dp), allocatable :: gradient(:)
  real(dp) :: j
  integer(c_int64_t) :: bits
  character(1000) :: file, directory
  character(100) :: text
  logical :: ok, passed
  e = experiment_choose()
  call adtape_MPI_Init()
  call domain_create(p%d, e%nx, e%ny, ok)
  if (.not. ok) call fail('the channel has fewer blocks of four cells than there are ranks')
  call problem_create(p, e, ok)
  if (.not. ok) call fail('no memory')
  call line('channel: ' // integer_text(e%nx) // ' x ' // integer_text(e%ny) // ' cells, ' // integer_text(e%steps) // ' steps')
  call line('ranks: ' // integer_text(p%d%ranks) // ', as ' // integer_text(p%d%count(1)) // ' x ' // &
            integer_text(p%d%count(2)) // ' parts')
  allocate (gradient(p%g%controls))
  call get_command_argument(1, file)
  call get_command_argument(2, directory)
  if (directory /= '') then
    call cost_and_gradient_by_driver(p, checkpoints, j, gradient, done, trim(directory))
    write (text, '(a,i0,a,i0,a)') 'by a driver: ', done%forward_steps, ' forward steps, ', done%resumed_steps, &
      ' of them before a kill'
    call line(trim(text))
  else
    call cost_and_gradient(p, j, gradient)
  end if
  write (text, '(a,es21.15e2)') 'cost: ', j
  call line(trim(text))
  write (text, '(a,es21.15e2)') 'norm of the gradient: ', sqrt(sum_of_all(sum(gradient**2)))
  call line(trim(text))
  bits = fingerprint(gradient)
  write (text, '(a,z16.16)') 'all bits of the gradient: ', bits
  call line(trim(text))
  passed = nothing_is_left()
  if (file /= '') then
    ok = agrees_with_serial(trim(file), j, gradient)
  else
    ok = taylor_test(gradient)
  end if
  passed = passed .and. ok
  if (directory == '') then
    ok = agrees_with_driver(bits)
    passed = passed .and. ok
  end if
  if (passed) call line('all checks passed')
  if (.not. passed) call line('FAILED')
  call problem_destroy(p)
  call adtape_MPI_Finalize()
  if (.not. passed) call quit(1)
end program
