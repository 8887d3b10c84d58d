! shallow_water: the adjoint of a shallow-water model, on adtape: gradient, its tests, an optimiser with it, and what
! the tape did for it. See README.md.
program shallow_water
  use, intrinsic :: iso_c_binding, only: c_int64_t, c_null_char
  use adtape
  use shallow_water_support
  use shallow_water_model, only: courant_number, run_was_valid
  use shallow_water_vectors, only: noise
  use shallow_water_fourdvar
  use shallow_water_checkpoints
  use shallow_water_optimise
  use shallow_water_replay
  implicit none
  integer, parameter :: timing_rounds = 3
  ! Snapshots to try, in the whole run and in a short one of so many observation times.
  integer, parameter :: snapshots_of_all(4) = [2, 5, 10, 50], snapshots_of_few = 1, short_run = 2
  type(setup_t) :: s
  type(adtape_memory) :: memory
  type(fourdvar_t), target :: p
  real(dp), allocatable :: w(:), gradient(:)
  real(dp) :: j, runs
  character(120) :: text
  logical :: ok

  call process_memory(memory)
  call setup_choose(s, memory%limit_bytes)
  ! Truth, gradient, Taylor test, dot-product test, optimiser, timing, checkpoints.
  call progress_start(int(s%steps, c_int64_t)*(2 + 9 + 7 + 2*(taylor_steps + 9) + 22 + 8*s%iterations + 9*timing_rounds) + &
                      checkpoint_units())
  call progress_label('truth and observations')
  call line('adtape demo in Fortran: the adjoint of a two-dimensional shallow-water model')
  call line('')
  call fourdvar_create(p, int(s%nx), int(s%ny), int(s%steps), int(s%observe_every), ok)
  if (.not. ok) call fail('no memory for the model')
  if (.not. run_was_valid(p%g, p%f)) then
    call fail('the run from the truth is not valid: depth not positive or Courant number above 1/2')
  end if
  call print_problem()

  allocate (w(p%g%controls), gradient(p%g%controls))
  w = 0.0_dp
  call progress_label('gradient')
  call cost(p, w, j)
  call cost_and_gradient(p, w, j, gradient)
  call line('at the background')
  write (text, '(a,es22.15)') '  cost               ', j
  call line(trim(text))
  write (text, '(a,es22.15)') '  gradient norm      ', norm2(gradient)
  call line(trim(text))
  call line('')

  call check_gradient(ok)
  if (ok) call improve(ok)
  call print_tape()
  call print_times(runs)
  call checkpoints(ok)
  call line('won: ' // integer_text(p%g%controls) // ' derivatives for the price of ' // real_text(runs, 1) // &
            ' runs of the model; by differences they take ' // integer_text(p%g%controls + 1) // ' runs')
  call progress_clear()
  if (.not. ok) call quit(1)

contains

  pure function verdict(passed) result(text)
    logical, intent(in) :: passed
    character(6) :: text
    text = merge('passed', 'FAILED', passed)
  end function

  subroutine print_problem()
    character(:), allocatable :: of_tape
    of_tape = ''
    if (s%budget_of_tape /= 0) of_tape = ' for the tape'
    call line('problem')
    call line('  size               ' // from_c(s%size_name) // ' (SIZE=small, default or large)')
    call line('  memory             ' // bytes_text(s%budget_bytes) // ' may be used' // of_tape // ': 85 % of ' // &
              from_c(s%budget_source))
    if (s%shrunk /= 0) then
      call line('  shrunk             to fit into that memory; SIZE=' // from_c(s%size_name) // ' is ' // from_c(s%asked))
    end if
    call line('  grid               ' // integer_text(p%g%nx) // ' x ' // integer_text(p%g%ny) // ' cells of ' // &
              integer_text(nint(p%g%dx)) // ' m; a channel, periodic along it, walls on both sides')
    call line('  time               ' // integer_text(p%g%steps) // ' steps of ' // real_text(p%g%dt, 2) // &
              ' s, two stages each; Courant number ' // real_text(courant_number(p%g, p%f), 2))
    call line('  controls           ' // integer_text(p%g%controls) // ': the initial depth and velocity h, u, v')
    call line('  observations       ' // integer_text(p%g%observed) // &
              ' of the depth, every fourth cell both ways, every ' // integer_text(p%g%observe_every) // &
              ' steps, with noise of ' // integer_text(nint(1e3_dp*p%sigma_o)) // ' mm')
    call line('')
  end subroutine

  ! At a smooth state with some noise, so that no branch sits exactly at its kink, in a smooth direction with some
  ! noise, so that every control counts.
  subroutine check_gradient(passed)
    logical, intent(out) :: passed
    real(dp), allocatable :: w(:), d(:)
    type(adtape_test_report) :: taylor, dot
    logical :: taylor_passed
    character(:), allocatable :: text_of_test
    character(160) :: text
    allocate (w(p%g%controls), d(p%g%controls))
    call noise(1, w)
    call noise(2, d)
    w = 0.5_dp*p%truth + 0.01_dp*w
    d = p%truth + 0.1_dp*d
    call progress_label('Taylor test')
    call taylor_test(p, w, d, taylor)
    taylor_passed = taylor%passed .and. abs(taylor%order - 2.0_dp) <= 0.1_dp
    call line('gradient check: Taylor test of the library, with the noise of the cost measured first')
    text_of_test = test_text()
    call line(text_of_test(:len(text_of_test) - 1))
    write (text, '(3a,es7.1,2a)') '  Taylor order       ', real_text(taylor%order, 4), &
      ' (must be 2 +- 0.1), slope relative to differences ', taylor%error, ': ', verdict(taylor_passed)
    call line(trim(text))
    call progress_label('dot-product test')
    call dot_product_test(p, w, d, dot)
    call line('gradient check: dot-product test of the library with the tangent program')
    write (text, '(a,es22.15)') "  (y, H' d)          ", dot%reference
    call line(trim(text))
    write (text, '(a,es22.15)') "  (H'^T y, d)        ", dot%slope
    call line(trim(text))
    write (text, '(a,es7.1,2a)') '  dot-product test   relative difference ', dot%error, ' (must be at most 1e-10): ', &
      verdict(logical(dot%passed))
    call line(trim(text))
    call line('')
    passed = taylor_passed .and. dot%passed
  end subroutine

  subroutine improve(went_down)
    logical, intent(out) :: went_down
    real(dp), allocatable :: w(:)
    real(dp) :: first, last, before(2), after(2)
    character(120) :: text
    allocate (w(p%g%controls))
    w = 0.0_dp
    call error_of_state(p, w, before(1), before(2))
    call progress_label('optimiser')
    call line('optimiser: L-BFGS from the background (w = 0)')
    call optimise(p, int(s%iterations), w, first, last)
    call error_of_state(p, w, after(1), after(2))
    went_down = last < first
    write (text, '(a,es22.15,a,es22.15,2a)') '  cost               ', first, ' -> ', last, ': ', &
      merge('went down      ', 'DID NOT GO DOWN', went_down)
    call line(trim(text))
    call line('  rms error          of the initial depth ' // real_text(before(1), 4) // ' -> ' // &
              real_text(after(1), 4) // ' m, of the initial velocity ' // real_text(before(2), 4) // ' -> ' // &
              real_text(after(2), 4) // ' m/s')
    call line('')
  end subroutine

  subroutine print_tape()
    type(adtape_stats) :: stats
    call tape_stats(stats)
    call line('tape of one gradient')
    call line('  tape bytes         ' // bytes_text(p%tape_bytes) // ' between forward and reverse sweep, ' // &
              bytes_text(p%tape_bytes/p%g%steps) // ' a step')
    call line('  tape peak          ' // bytes_text(stats%peak_bytes) // '; memory of the tape ' // &
              bytes_text(stats%committed_bytes) // ', of the whole program at most ' // &
              bytes_text(memory_peak_resident_bytes()))
    call print_traffic()
    call line('')
  end subroutine

  ! What is pushed, from the statistics of profile mode, in a run of few steps: profile mode takes time.
  subroutine print_traffic()
    type(fourdvar_t) :: few
    type(adtape_traffic) :: values, control
    real(dp), allocatable :: w(:), gradient(:)
    integer(c_int64_t) :: scalar_bytes, control_bytes
    integer :: steps
    real(dp) :: j, bits
    logical :: ok
    steps = p%g%observe_every
    call fourdvar_create(few, p%g%nx, p%g%ny, steps, steps, ok)
    if (.not. ok) call fail('no memory')
    allocate (w(p%g%controls), gradient(p%g%controls))
    w = 0.0_dp
    call stats_set_profile(.true.)
    call cost_and_gradient(few, w, j, gradient)
    call stats_traffic(ADTAPE_TYPE_F64, ADTAPE_OPERATION_PUSH, values)
    call stats_traffic(ADTAPE_TYPE_CONTROL, ADTAPE_OPERATION_PUSH, control)
    call stats_set_profile(.false.)
    scalar_bytes = 8*(values%calls - 2*steps) ! two sections a step, all others are scalars
    control_bytes = control%elements/62*8
    call line('  scalar share       ' // real_text(100.0_dp*scalar_bytes/few%tape_bytes, 1) // &
              ' % of the bytes are pushed as scalars (profile statistics of ' // integer_text(steps) // ' steps: ' // &
              real_text(1e-6_dp*scalar_bytes/8, 1) // ' million scalars)')
    bits = real(control%elements, dp)
    call line('  control bits       ' // real_text(1e-6_dp*bits*p%g%steps/steps, 1) // ' million, ' // &
              real_text(bits/(real(p%g%nx, dp)*p%g%ny*steps), 1) // ' a cell and step, in ' // &
              bytes_text(control_bytes*p%g%steps/steps) // ' (' // &
              real_text(100.0_dp*control_bytes/few%tape_bytes, 1) // ' %)')
  end subroutine

  ! Primal, gradient and tape alone in turn, so that what else the machine does falls on all of them, and the best of
  ! each.
  !
  ! What the pushes add to the forward sweep is measured, against the primal. The pops cannot be left out of the
  ! reverse sweep; it is assumed that of the time they take alone as much is hidden behind the arithmetic as with
  ! the pushes. `runs`: how many runs of the primal a gradient takes.
  subroutine print_times(runs)
    real(dp), intent(out) :: runs
    real(dp), dimension(timing_rounds) :: push_seconds, pop_seconds
    real(dp) :: j, sweeps, in_forward, in_reverse, pushes, pops
    real(dp), allocatable :: w(:), gradient(:)
    integer :: round
    allocate (w(p%g%controls), gradient(p%g%controls))
    w = 0.0_dp
    call progress_label('timing')
    p%primal_seconds = huge(1.0_dp)
    p%forward_seconds = huge(1.0_dp)
    p%reverse_seconds = huge(1.0_dp)
    do round = 1, timing_rounds
      call cost(p, w, j)
      call cost_and_gradient(p, w, j, gradient)
      call replay(p%g, push_seconds(round), pop_seconds(round))
    end do
    pushes = minval(push_seconds)
    pops = minval(pop_seconds)
    sweeps = p%forward_seconds + p%reverse_seconds
    in_forward = p%forward_seconds - p%primal_seconds
    in_reverse = pops*max(0.0_dp, min(1.0_dp, in_forward/pushes))
    call line('time, the best of ' // integer_text(timing_rounds))
    call row('primal', p%primal_seconds)
    call row('forward sweep', p%forward_seconds, ratio(p%forward_seconds) // ' (the first one, with new memory: ' // &
             real_text(p%first_forward_seconds, 3) // ' s)')
    call row('reverse sweep', p%reverse_seconds, ratio(p%reverse_seconds))
    call row('gradient', sweeps, ratio(sweeps))
    call row('tape in forward', in_forward, 'forward sweep minus primal; the pushes alone take ' // &
             real_text(pushes, 3) // ' s')
    call row('tape in reverse', in_reverse, 'estimate: the pops alone take ' // real_text(pops, 3) // &
             ' s, hidden as much as the pushes are')
    runs = sweeps/p%primal_seconds
    call line('  share of the tape  ' // integer_text(nint(100.0_dp*(in_forward + in_reverse)/sweeps)) // &
              ' % of the gradient: pushes, pops and the memory traffic they cause')
    call line('')
  end subroutine

  function checkpoint_units() result(units)
    integer(c_int64_t) :: units, few
    integer :: i
    few = short_run*s%observe_every
    units = 7*s%steps + reversal_units(int(s%steps, c_int64_t), 0_c_int64_t) + 9*few + reversal_units(few, 0_c_int64_t) + &
            reversal_units(few, int(snapshots_of_few, c_int64_t))
    do i = 1, size(snapshots_of_all)
      units = units + reversal_units(int(s%steps, c_int64_t), int(snapshots_of_all(i), c_int64_t))
    end do
  end function

  subroutine checkpoints(passed)
    logical, intent(inout) :: passed
    type(fourdvar_t), target :: few
    logical :: ok
    call fourdvar_create(few, p%g%nx, p%g%ny, short_run*p%g%observe_every, p%g%observe_every, ok)
    if (.not. ok) call fail('no memory')
    few%primal_seconds = p%primal_seconds*few%g%steps/p%g%steps
    call progress_label('checkpoints')
    call line('checkpoints: a driver keeps so many states (binomial) instead of the tape of every step (store-all)')
    call line('  snapshots  steps  checkpoints  most on tape  extra steps  theory  forward runs  time/store-all  gradient')
    call try_checkpoints(p, snapshots_of_all, ok)
    call try_checkpoints(few, [snapshots_of_few], ok)
    call line('  checkpoints        gradients equal in every bit, extra steps as few as there can be: ' // verdict(ok))
    call line('')
    passed = passed .and. ok
  end subroutine

  ! The gradient at the background again, with checkpoints instead of the tape of every step: first as the sweeps above
  ! computed it, then by a driver that keeps every tape, then with snapshots.
  subroutine try_checkpoints(p, snapshots, ok)
    type(fourdvar_t), target, intent(inout) :: p
    integer, intent(in) :: snapshots(:)
    logical, intent(inout) :: ok
    real(dp), allocatable :: w(:), expected(:)
    real(dp) :: j, reference_seconds
    integer :: i
    allocate (w(p%g%controls), expected(p%g%controls))
    w = 0.0_dp
    call cost_and_gradient(p, w, j, expected)
    call try_snapshots(p, 0, w, expected, reference_seconds, ok)
    do i = 1, size(snapshots)
      call try_snapshots(p, snapshots(i), w, expected, reference_seconds, ok)
    end do
  end subroutine

  ! One row: the gradient by a driver, beside `expected` in every bit and beside theory.
  subroutine try_snapshots(p, snapshots, w, expected, reference_seconds, ok)
    type(fourdvar_t), target, intent(inout) :: p
    integer, intent(in) :: snapshots
    real(dp), intent(in) :: w(:), expected(:)
    real(dp), intent(inout) :: reference_seconds
    logical, intent(inout) :: ok
    type(reversal_t) :: r
    real(dp), allocatable :: gradient(:)
    real(dp) :: j
    integer(c_int64_t) :: least
    character(9) :: name
    character(120) :: text
    logical :: equal
    allocate (gradient(size(w)))
    call cost_and_gradient_by_driver(p, snapshots, w, j, gradient, r)
    equal = all(transfer(gradient, [0_c_int64_t]) == transfer(expected, [0_c_int64_t]))
    if (snapshots == 0) reference_seconds = r%seconds
    least = reversal_least_steps(r%steps, r%snapshots)
    name = integer_text(snapshots)
    if (snapshots == 0) name = 'store-all'
    write (text, '(2x,a9,i7,2x,a11,2x,a12,i13,i8,f14.2,f16.2,2x,a)') adjustr(name), r%steps, &
      right(bytes_text(r%snapshot_bytes), 11), right(bytes_text(r%tape_bytes), 12), r%extra_steps, least, &
      real(r%extra_steps, dp)/r%steps, r%seconds/reference_seconds, merge('equal    ', 'DIFFERENT', equal)
    call line(trim(text))
    call reversal_write(r, 'Fortran' // c_null_char, p%primal_seconds)
    ok = ok .and. equal .and. r%extra_steps == least
  end subroutine

  pure function right(text, width)
    character(*), intent(in) :: text
    integer, intent(in) :: width
    character(width) :: right
    right = repeat(' ', width - len(text)) // text
  end function

  subroutine row(name, seconds, remark)
    character(*), intent(in) :: name
    real(dp), intent(in) :: seconds
    character(*), intent(in), optional :: remark
    character(30) :: text
    write (text, '(2x,a18,f8.3,a)') name // repeat(' ', 18), seconds, ' s'
    if (present(remark)) then
      call line(text // '  ' // remark)
    else
      call line(trim(text))
    end if
  end subroutine

  function ratio(seconds) result(text)
    real(dp), intent(in) :: seconds
    character(:), allocatable :: text
    text = real_text(seconds/p%primal_seconds, 2) // ' x primal'
  end function

end program shallow_water
