! serial: the cost and its gradient by the demo's own program without MPI, for the program on many ranks to be compared
! with. It writes them to a file: the cost, then a derivative by each control.
!
!     serial FILE
program serial
  use shallow_water_support, only: dp, fail
  use shallow_water_vectors, only: noise
  use shallow_water_fourdvar, only: fourdvar_t, fourdvar_create, cost_and_gradient
  use shallow_water_experiment
  implicit none
  type(experiment_t) :: e
  type(fourdvar_t) :: p
  real(dp), allocatable :: about(:), gradient(:)
  real(dp) :: j
  character(1000) :: path
  integer :: unit, stat
  logical :: ok
  e = experiment_choose()
  if (command_argument_count() /= 1) call fail('usage: serial FILE')
  call get_command_argument(1, path)
  call fourdvar_create(p, e%nx, e%ny, e%steps, e%observe_every, ok)
  if (.not. ok) call fail('no memory')
  allocate (about(p%g%controls), gradient(p%g%controls))
  call noise(1, about)
  call cost_and_gradient(p, 0.5_dp*p%truth + 0.01_dp*about, j, gradient)
  open (newunit=unit, file=trim(path), access='stream', form='unformatted', status='replace', iostat=stat)
  if (stat == 0) write (unit, iostat=stat) j, gradient
  if (stat == 0) close (unit, iostat=stat)
  if (stat /= 0) call fail('the file cannot be written')
end program
