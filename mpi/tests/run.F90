! run.F90: checkpoints of all ranks, a driver on all ranks, and statistics, from Fortran. run DIRECTORY
!
! The model is a ring: x <- x + 0.1 (x of the rank on the left)**2; its result is the sum of all ranks' x.
module ring
  use, intrinsic :: iso_c_binding
  use adtape
  use adtape_mpi
  use mpi_f08
  implicit none
  integer :: me, ranks, left, right
  real(8), target :: x(1), xb(1), came(1), cameb(1)
contains
  subroutine start()
    x = 0.3d0 + 0.1d0*me
    xb = 0
  end subroutine
  function step(k, user) bind(c) result(flow)
    integer(c_int64_t), value :: k
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    call MPI_Sendrecv(x, 1, MPI_DOUBLE_PRECISION, right, 0, came, 1, MPI_DOUBLE_PRECISION, left, 0, MPI_COMM_WORLD, &
      MPI_STATUS_IGNORE)
    x = x + 0.1d0*came**2
    flow = ADTAPE_FLOW_CONTINUE
  end function
  function adjoint_step(k, first, user) bind(c) result(flow)
    integer(c_int64_t), value :: k
    logical(c_bool), value :: first
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    call push(x)
    call adtape_MPI_Sendrecv(x, 1, MPI_DOUBLE_PRECISION, right, 0, came, 1, MPI_DOUBLE_PRECISION, left, 0, &
      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    if (first) xb = 1
    cameb = 0.2d0*came*xb
    call adtape_MPI_Sendrecv_b()
    call pop(x)
    flow = ADTAPE_FLOW_CONTINUE
  end function
  function write_part(c, user) bind(c) result(status)
    type(c_ptr), value :: c, user
    integer(c_int32_t) :: status
    type(adtape_checkpoint) :: checkpoint
    checkpoint%handle = c
    call checkpoint_write(checkpoint, 'x', x, stat=status)
  end function
  function read_part(c, user) bind(c) result(status)
    type(c_ptr), value :: c, user
    integer(c_int32_t) :: status
    type(adtape_checkpoint) :: checkpoint
    checkpoint%handle = c
    call checkpoint_read(checkpoint, 'x', x, stat=status)
  end function
  function read_another(c, user) bind(c) result(status)
    type(c_ptr), value :: c, user
    integer(c_int32_t) :: status
    type(adtape_checkpoint) :: checkpoint
    checkpoint%handle = c
    call checkpoint_read(checkpoint, merge('y', 'x', me == ranks - 1), x, stat=status)
  end function
  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (.not. condition) then
      write (*, '(a,i0,3a)') 'rank ', me, ': check failed: ', what, ': '//adtape_error_message()
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end if
  end subroutine
end module

program run
  use ring
  use adtape_mpi_run
  implicit none
  integer(8), parameter :: steps = 20
  type(adtape_store) :: store
  type(adtape_driver) :: driver
  type(adtape_schedule) :: schedule
  type(adtape_mpi_checkpoints) :: checkpoints
  type(adtape_mpi_driver) :: all
  type(adtape_mpi_statistic) :: statistics(2)
  type(adtape_progress), target :: done
  character(1000) :: directory
  real(8) :: plus, minus, total, expected, gradient
  integer(c_int32_t) :: status, flow
  integer(8) :: k, part
  call adtape_MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  left = modulo(me - 1, ranks)
  right = modulo(me + 1, ranks)
  call get_command_argument(1, directory)
  call live_add(x, ADTAPE_KIND_STATIC, 'x')
  call live_set_adjoint(x, xb)
  call live_add(came, ADTAPE_KIND_STATIC, 'came')
  call live_set_adjoint(came, cameb)
  call adtape_mpi_store_create_files(MPI_COMM_WORLD, directory, 'run', store%handle)

  call adtape_mpi_checkpoints_create(MPI_COMM_WORLD, store%handle, 'state', checkpoints)
  call check(adtape_mpi_checkpoints_epoch(checkpoints) == 0, 'nothing is there')
  call adtape_mpi_checkpoints_load(checkpoints, read_part, stat=status)
  call check(status == ADTAPE_STATUS_NOT_FOUND, 'nothing can be read')
  call start()
  call adtape_mpi_checkpoints_save(checkpoints, write_part)
  call check(adtape_mpi_checkpoints_epoch(checkpoints) == 1, 'the first epoch')
  expected = x(1)
  x = 0
  call adtape_mpi_checkpoints_load(checkpoints, read_part)
  call check(x(1) == expected, 'what was written')
  call adtape_mpi_checkpoints_load(checkpoints, read_another, stat=status)
  call check(status == ADTAPE_STATUS_MISMATCH .and. index(adtape_error_message(), 'its part') > 0, 'the error of one rank')
  call adtape_mpi_checkpoints_remove(checkpoints)
  call adtape_mpi_checkpoints_destroy(checkpoints)

  call driver_create(driver)
  call driver_register(driver, x, 'x')
  call driver_register_adjoint(driver, xb, 'xb')
  call adtape_mpi_driver_create(MPI_COMM_WORLD, driver%handle, all, step, adjoint_step)
  call adtape_mpi_driver_set_store(all, store%handle, 'point', 0d0)
  call adtape_mpi_driver_create_schedule(all, steps, 8_8*merge(3, 9, me == 0), schedule%handle)
  call start()
  call adtape_mpi_driver_run(all, schedule%handle, c_loc(done))
  call check(done%steps == steps .and. done%forward_steps > steps, 'what was done')
  gradient = xb(1)
  call adtape_mpi_driver_destroy(all)
  call schedule_destroy(schedule)
  call driver_destroy(driver)
  ! Beside a difference quotient by the state of rank 0.
  plus = 0
  minus = 0
  do k = 1, 2
    call start()
    if (me == 0) x = x + merge(1d-6, -1d-6, k == 1)
    do part = 1, steps
      flow = step(part, c_null_ptr)
    end do
    call MPI_Allreduce(x, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    if (k == 1) plus = total
    if (k == 2) minus = total
  end do
  call check(me /= 0 .or. abs(gradient/((plus - minus)/2d-6) - 1) < 1d-6, 'the gradient')
  call check(tape_is_empty(), 'the tape is empty')

  call adtape_mpi_statistics(MPI_COMM_WORLD, [real(me, 8), 2d0], statistics)
  call check(statistics(1)%most_rank == ranks - 1 .and. statistics(2)%mean == 2d0, 'statistics')
  call adtape_mpi_share_memory_limit(MPI_COMM_WORLD, 2_8**30, part)
  call check(part == 2_8**30/ranks, 'a part of the memory')
  call adtape_mpi_print_statistics(MPI_COMM_WORLD)
  call store_destroy(store)
  if (me == 0) print '(a)', 'all right'
  call adtape_MPI_Finalize()
end program
