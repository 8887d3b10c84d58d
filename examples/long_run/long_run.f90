! long_run.f90: the gradient of a million time steps in bounded memory, by a driver, in a process that may be killed.
!
!     long_run [small|large] [DIRECTORY SECONDS]
!
! Burgers' equation on a ring; the energy at the end, differentiated with respect to the initial state and to the
! viscosity. With a directory, the driver leaves a point there every so many seconds: killed at any moment and started
! again, the program goes on from the last one.
module ring
  use, intrinsic :: iso_c_binding
  use adtape
  implicit none
  real(8), parameter :: c = 0.05d0
  real(8), target :: viscosity = 0.1d0, viscosity_adjoint
  integer :: cells = 512
  integer(8) :: steps = 20000
  ! The state from 1 to cells, and one cell more at each end, equal to that at the other.
  real(8), allocatable, target :: state(:), adjoint(:)
  real(8), allocatable :: next(:)
  type(adtape_progress) :: done

contains

  subroutine close_ring(x)
    real(8), intent(inout) :: x(0:)
    x(0) = x(cells)
    x(cells + 1) = x(1)
  end subroutine

  subroutine start
    integer :: i
    state(1:cells) = [(0.5d0 + 0.4d0*sin(6.283185307179586d0*(i - 1)/cells) + 0.1d0*cos(0.7d0*i), i = 1, cells)]
  end subroutine

  function step(k, user) bind(c) result(flow)
    integer(c_int64_t), value :: k
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    integer :: n
    n = cells
    call close_ring(state)
    next = state
    state(1:n) = next(1:n) - c*next(1:n)*(next(2:n+1) - next(0:n-1)) &
                 + viscosity*(next(0:n-1) - 2*next(1:n) + next(2:n+1))
    flow = ADTAPE_FLOW_CONTINUE
  end function

  function adjoint_step(k, first, user) bind(c) result(flow)
    integer(c_int64_t), value :: k
    logical(c_bool), value :: first
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    integer :: n
    n = cells
    call push(state(1:n))                ! forward, recorded
    flow = step(k, user)
    if (first) then                 ! after the loop: J = sum(state**2)/2
      adjoint = state
      viscosity_adjoint = 0
    end if
    call pop(state(1:n))                 ! reverse
    call close_ring(state)
    next(1:n) = adjoint(1:n)
    call close_ring(next)
    adjoint(1:n) = next(1:n)*(1 - c*(state(2:n+1) - state(0:n-1)) - 2*viscosity) &
                   + next(0:n-1)*(viscosity - c*state(0:n-1)) + next(2:n+1)*(viscosity + c*state(2:n+1))
    viscosity_adjoint = viscosity_adjoint + sum(next(1:n)*(state(0:n-1) - 2*state(1:n) + state(2:n+1)))
  end function

  ! The energy after all steps, without an adjoint, of a complex viscosity: for the library's test.
  function energy(viscosities) result(sum_of_squares)
    complex(8), intent(in) :: viscosities(:)
    complex(8) :: sum_of_squares
    complex(8), allocatable :: x(:), old(:)
    integer(8) :: k
    integer :: n
    n = cells
    allocate (x(0:n + 1), old(0:n + 1))
    call start
    x = state
    do k = 1, steps
      x(0) = x(n)
      x(n + 1) = x(1)
      old = x
      x(1:n) = old(1:n) - c*old(1:n)*(old(2:n+1) - old(0:n-1)) &
               + viscosities(1)*(old(0:n-1) - 2*old(1:n) + old(2:n+1))
    end do
    sum_of_squares = sum(x(1:n)**2)/2
  end function

  ! Of all bits.
  function fingerprint(x) result(hash)
    real(8), intent(in) :: x(:)
    integer(8) :: hash
    integer :: i
    hash = 0
    do i = 1, size(x)
      hash = ieor(ishftc(hash, 7), transfer(x(i), hash))
    end do
  end function
end module

program long_run
  use ring
  implicit none
  integer(8), parameter :: snapshots = 305
  type(adtape_driver) :: driver
  type(adtape_schedule) :: schedule
  type(adtape_prediction) :: cost
  type(adtape_store) :: files
  type(adtape_test_report) :: report
  character(1000) :: argument
  real(8) :: seconds
  integer(8) :: state_bytes
  call get_command_argument(1, argument)
  if (argument == 'large') then
    cells = 8192
    steps = 1000000
  else if (argument /= 'small' .and. argument /= '') then
    error stop 'usage: long_run [small|large] [DIRECTORY SECONDS]'
  end if
  allocate (state(0:cells+1), adjoint(0:cells+1), next(0:cells+1))
  state_bytes = 8_8*cells

  call driver_create(driver)
  call driver_set_calls(driver, step, adjoint_step, show_progress=.true.)
  call driver_register(driver, state(1:cells), 'state')
  call driver_register_adjoint(driver, adjoint(1:cells), 'adjoint')
  call driver_register_adjoint(driver, viscosity_adjoint, 'viscosity_adjoint')
  call driver_register_parameter(driver, viscosity, 'viscosity')
  if (command_argument_count() == 3) then
    call get_command_argument(3, argument)
    read (argument, *) seconds
    call get_command_argument(2, argument)
    call store_create_files(files, trim(argument), 'long_run')
    call driver_set_store(driver, files, 'point', seconds)
    call store_destroy(files)
  end if
  call driver_create_schedule(driver, steps, snapshots*state_bytes, schedule)
  call schedule_predict(schedule, cost)
  print '(i0,a,i0,a)', steps, ' steps, a state of ', state_bytes, ' bytes'
  print '(a,f0.1,a)', 'snapshots in memory: ', snapshots*state_bytes/1d6, ' MB at most'
  print '(a,f0.2,a)', 'forward runs extra: ', real(cost%extra_steps, 8)/steps, ' predicted'

  call start
  call driver_run(driver, schedule, done)
  if (done%resumed_steps > 0) print '(a,i0,a)', 'went on after ', done%resumed_steps, ' forward steps'
  print '(a,z16.16,1x,es24.16)', 'gradient: ', fingerprint(adjoint(1:cells)), viscosity_adjoint
  call schedule_destroy(schedule)
  call driver_destroy(driver)               ! and with it the point

  call test_complex(energy, [viscosity], report, [viscosity_adjoint], output=1)
  if (.not. report%passed) error stop 'FAILED'
  print '(a)', 'all checks passed'
end program
