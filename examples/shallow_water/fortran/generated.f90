! generated.f90: the gradient of the model by the adjoint that `adtape adjoint` writes beside the one by hand: do they
! agree, and how long does each take? demo.mk writes the former, from a copy of model.f90 and ghosts.f90 whose modules
! have names of their own.
!
!   generated [NX NY STEPS RUNS]
program generated
  use, intrinsic :: iso_fortran_env, only: error_unit
  use shallow_water_support, only: dp
  use shallow_water_grid
  use shallow_water_model, only: run
  use shallow_water_adjoint, only: run_fwd, run_bwd
  use generated_model, only: run_b
  implicit none
  integer :: sizes(4) = [192, 108, 24, 5]
  type(grid_t) :: g
  type(fields_t) :: f, fb
  real(dp), allocatable :: w(:), by_hand(:), by_generator(:), observed(:), observedb(:)
  real(dp) :: seconds(3), started, difference
  logical :: ok(3)
  integer :: i
  do i = 1, min(size(sizes), command_argument_count())
    sizes(i) = argument(i)
  end do
  call grid_create(g, sizes(1), sizes(2), sizes(3), max(1, sizes(3)/4), ok(1))
  call fields_create(g, f, ok(2))
  call fields_create(g, fb, ok(3))
  if (.not. all(ok)) error stop 'no memory'
  allocate (w(g%controls), by_hand(g%controls), by_generator(g%controls), observed(g%observed), observedb(g%observed))
  w = [(sin(0.37_dp*i), i=1, g%controls)]
  observed = 0
  seconds = huge(seconds)
  do i = 1, sizes(4)
    call start()
    call run(g, f, w, observed)
    call stop_clock(1)
    ! The adjoints of the fields are 0 before and after either sweep.
    observedb = 1
    call start()
    call run_fwd(g, f, w, observed)
    call run_bwd(g, f, fb, by_hand, observedb)
    call stop_clock(2)
    observedb = 1
    by_generator = 0
    call start()
    call run_b(g, f, fb, w, by_generator, observed, observedb)
    call stop_clock(3)
  end do
  difference = maxval(abs(by_generator - by_hand))/maxval(abs(by_hand))
  print '(a, es8.1)', 'difference of the gradients, by the largest component: ', difference
  print '(a, 3f9.4)', 'seconds: the model, its adjoint by hand, generated:  ', seconds
  print '(a, f6.2, a, f6.2)', 'the generated adjoint takes', seconds(3)/seconds(2), ' of the time of the one by hand,', &
    seconds(3)/seconds(1)
  if (.not. difference <= 1.0e-12_dp) then
    write (error_unit, '(a)') 'generated: the gradients differ'
    error stop 1
  end if

contains

  integer function argument(position)
    integer, intent(in) :: position
    character(20) :: text
    call get_command_argument(position, text)
    read (text, *) argument
  end function

  subroutine start()
    call cpu_time(started)
  end subroutine

  ! The least processor time of all runs.
  subroutine stop_clock(of)
    integer, intent(in) :: of
    real(dp) :: now
    call cpu_time(now)
    seconds(of) = min(seconds(of), now - started)
  end subroutine

end program
