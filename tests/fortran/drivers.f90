! drivers.f90: schedules, performed by hand and by drivers; the gradient is the same by all of them, bit for bit.
module driver_tests
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  implicit none
  private
  public :: test_schedules, test_gradients, test_resumed, test_nested, test_moved, test_budget, test_refusals

  ! The model: a map of three numbers. What its functions share is in the module, as in many programs.
  real(8), target :: x(3), stored(3, 0:1, 0:99)
  real(8) :: adjoint(3)
  integer(8) :: length, told, snapshot_bytes
  integer(c_int64_t), target :: stop_at
  real(8), target :: rows(3, 3)
  integer(8) :: turns, stop_after_turns = -1, resumed
  logical :: outer_is_first
  integer, pointer :: here(:), there(:)

contains

  subroutine forward(step)
    integer(c_int64_t), intent(in) :: step
    real(8) :: time
    time = 1d-3*real(step, 8)
    x = [0.9d0*sin(2*x(2)*(1 - x(1))), 0.5d0*x(1) + 0.3d0*cos(x(3) + time), sin(x(1)*x(2))]
  end subroutine

  function model_step(step, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    integer(c_int64_t), pointer :: stops
    call c_f_pointer(user, stops)
    call forward(step)
    flow = ADTAPE_FLOW_CONTINUE
    if (step + 1 == length) flow = ADTAPE_FLOW_ENDED
    if (step == stops) flow = ADTAPE_FLOW_STOP
  end function

  function model_record(step, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    call push(x)
    flow = model_step(step, user)
  end function

  function model_reverse(step, first, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    logical(c_bool), value :: first
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    real(8) :: a, b, first_part, last_part
    if (first) adjoint = [1, 2, 3]
    call pop(x)
    a = x(1)
    b = x(2)
    first_part = 1.8d0*cos(2*b*(1 - a))*adjoint(1)
    last_part = cos(a*b)*adjoint(3)
    adjoint = [0.5d0*adjoint(2) - b*first_part + b*last_part, (1 - a)*first_part + a*last_part, &
               -0.3d0*sin(x(3) + 1d-3*real(step, 8))*adjoint(2)]
    flow = merge(ADTAPE_FLOW_CONTINUE, ADTAPE_FLOW_STOP, c_associated(user))
  end function

  function model_adjoint_step(step, first, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    logical(c_bool), value :: first
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    flow = model_record(step, user)
    flow = model_reverse(step, first, user)
  end function

  function model_save(step, level, slot, user) bind(c) result(flow)
    integer(c_int64_t), value :: step, slot
    integer(c_int32_t), value :: level
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    stored(:, level, slot) = x
    flow = merge(ADTAPE_FLOW_CONTINUE, ADTAPE_FLOW_STOP, step >= 0 .and. c_associated(user))
  end function

  function model_load(step, level, slot, user) bind(c) result(flow)
    integer(c_int64_t), value :: step, slot
    integer(c_int32_t), value :: level
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    x = stored(:, level, slot)
    flow = merge(ADTAPE_FLOW_CONTINUE, ADTAPE_FLOW_STOP, step >= 0 .and. c_associated(user))
  end function

  subroutine model_progress(progress, user) bind(c)
    type(adtape_progress), intent(in) :: progress
    type(c_ptr), value :: user
    call check(progress%forward_steps >= told .and. progress%reversed_steps <= length, 'progress')
    call check(c_associated(user, c_loc(stop_at)), 'the user address')
    told = progress%forward_steps
  end subroutine

  ! ---- schedules by hand -----------------------------------------------------------------------------------------

  subroutine perform(schedule, steps, extra)
    type(adtape_schedule), intent(inout) :: schedule
    integer(8), intent(in) :: steps
    integer(8), intent(out) :: extra
    type(adtape_instruction) :: what
    integer(8) :: present_state, left
    present_state = 0
    left = steps
    extra = 0
    do
      call schedule_next(schedule, what)
      select case (what%action)
      case (ADTAPE_ACTION_DONE)
        exit
      case (ADTAPE_ACTION_ADVANCE)
        call check(what%step == present_state, 'advance from the present state')
        extra = extra + what%to - what%step
        present_state = what%to
      case (ADTAPE_ACTION_LOAD)
        present_state = what%step
      case (ADTAPE_ACTION_TURN)
        call check(what%step == present_state .and. what%step == left - 1, 'turn the last step left')
        call check(what%first .eqv. (left == steps), 'first turn')
        left = what%step
      end select
    end do
    call check(left == 0, 'every step is reversed')
    call schedule_destroy(schedule)
    call check(.not. c_associated(schedule%handle), 'a NULL handle after schedule_destroy')
  end subroutine

  subroutine test_schedules
    type(adtape_schedule) :: schedule
    type(adtape_prediction) :: prediction
    type(adtape_instruction) :: what
    integer(8) :: extra
    call schedule_create(schedule, ADTAPE_SCHEDULE_BINOMIAL, 1000_8, 10_8)
    call schedule_predict(schedule, prediction)
    call check(prediction%steps == 1000 .and. prediction%extra_steps == 3636, 'prediction')
    call perform(schedule, 1000_8, extra)
    call check(extra == 3636, 'extra steps of binomial')
    call schedule_create(schedule, ADTAPE_SCHEDULE_BINOMIAL, 1000_8, 3_8, 7_8)
    call schedule_predict(schedule, prediction)
    call check(prediction%disk_saves > 0 .and. prediction%memory_saves > prediction%disk_saves, 'levels')
    call perform(schedule, 1000_8, extra)
    call check(extra == 3636, 'extra steps of multi-stage')
    call schedule_create(schedule, ADTAPE_SCHEDULE_DISK_REVOLVE, 100_8, 2_8, save_cost=5d0, load_cost=2d0)
    call schedule_predict(schedule, prediction)
    call perform(schedule, 100_8, extra)
    call check(extra == prediction%extra_steps, 'extra steps of disk-revolve')
    call schedule_create(schedule, ADTAPE_SCHEDULE_TWO_LEVEL, 100_8, 2_8, period=10_8)
    call perform(schedule, 100_8, extra)
    call check(extra >= 90, 'extra steps of two-level')
    ! A loop of unknown length that ends after its third step.
    call schedule_create(schedule, ADTAPE_SCHEDULE_ONLINE, memory_snapshots=4_8)
    do
      call schedule_next(schedule, what)
      if (what%action == ADTAPE_ACTION_ADVANCE .and. what%to == 3) exit
    end do
    call schedule_end_at(schedule, 3_8)
    call schedule_next(schedule, what)
    call check(what%action == ADTAPE_ACTION_LOAD .and. what%step == 2 .and. what%level == ADTAPE_LEVEL_MEMORY, 'load')
    call schedule_destroy(schedule)
    call schedule_destroy(schedule)
  end subroutine

  ! ---- drivers -----------------------------------------------------------------------------------------------------

  subroutine gradient(schedule, registered, result)
    type(adtape_schedule), intent(inout) :: schedule
    logical, intent(in) :: registered
    real(8), intent(out) :: result(3)
    type(adtape_driver) :: driver
    type(adtape_store) :: store
    type(adtape_progress) :: done
    x = [0.3d0, 0.5d0, 0.7d0]
    told = 0
    stop_at = -1
    call driver_create(driver)
    if (registered) then
      call driver_set_calls(driver, model_step, model_adjoint_step, model_record, model_reverse, &
                            progress=model_progress, show_progress=.true., user=c_loc(stop_at))
      call driver_register(driver, x)
      call store_create_memory(store, 0_8)
      call driver_set_store(driver, store)
      call store_destroy(store)
    else
      call driver_set_calls(driver, model_step, model_adjoint_step, model_record, model_reverse, &
                            model_save, model_load, model_progress, .true., c_loc(stop_at))
    end if
    call driver_run(driver, schedule, done)
    snapshot_bytes = done%snapshot_bytes
    call check(told >= length, 'progress was told')
    result = adjoint
    call driver_destroy(driver)
    call schedule_destroy(schedule)
  end subroutine

  subroutine test_gradients
    type(adtape_schedule) :: schedule
    real(8) :: expected(3), found(3)
    integer(8) :: n
    integer :: i
    do i = 1, 3
      n = 10*i*i + 3
      length = n
      call schedule_create(schedule, ADTAPE_SCHEDULE_STORE_ALL, n)
      call gradient(schedule, .true., expected)
      call check(all(expected /= 0), 'a gradient')
      call schedule_create(schedule, ADTAPE_SCHEDULE_BINOMIAL, n, 1_8)
      call gradient(schedule, .true., found)
      call check(all(found == expected), 'binomial, 1')
      call schedule_create(schedule, ADTAPE_SCHEDULE_BINOMIAL, n, 7_8)
      call gradient(schedule, .true., found)
      call check(all(found == expected), 'binomial, 7')
      call check(snapshot_bytes == 7*24, 'seven snapshots of three numbers')
      call schedule_create(schedule, ADTAPE_SCHEDULE_MIXED, n, 5_8)
      call gradient(schedule, .true., found)
      call check(all(found == expected), 'mixed, 5')
      call schedule_create(schedule, ADTAPE_SCHEDULE_ONLINE, memory_snapshots=5_8)
      call gradient(schedule, .true., found)
      call check(all(found == expected), 'online, 5')
      call schedule_create(schedule, ADTAPE_SCHEDULE_BINOMIAL, n, 2_8, 3_8)
      call gradient(schedule, .true., found)
      call check(all(found == expected), 'multi-stage, in a store')
      call schedule_create(schedule, ADTAPE_SCHEDULE_TWO_LEVEL, n, 2_8, period=6_8)
      call gradient(schedule, .false., found)
      call check(all(found == expected), 'two-level, stored by the program')
    end do
  end subroutine

  ! ---- runs that are resumed -----------------------------------------------------------------------------------------

  ! The state is a row of a matrix, which is not contiguous.
  function row_step(step, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    x = rows(2, :)
    flow = model_step(step, user)
    rows(2, :) = x
  end function

  function row_adjoint_step(step, first, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    logical(c_bool), value :: first
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    x = rows(2, :)
    flow = model_adjoint_step(step, first, user)
    rows(2, :) = -1
    flow = ADTAPE_FLOW_CONTINUE
    turns = turns + 1
    if (turns == stop_after_turns) flow = ADTAPE_FLOW_STOP
  end function

  subroutine note_resumed(progress, user) bind(c)
    type(adtape_progress), intent(in) :: progress
    type(c_ptr), value :: user
    call check(c_associated(user, c_loc(stop_at)), 'the user address')
    resumed = progress%resumed_steps
  end subroutine

  ! In a new process, as it were: all but the store is new.
  subroutine run_again(store, steps, stat, forgetful, rate)
    type(adtape_store), intent(in) :: store
    integer(8), intent(in) :: steps
    integer(c_int32_t), intent(out) :: stat
    logical, intent(in), optional :: forgetful ! registers less than before
    real(4), intent(in), optional :: rate      ! another parameter
    real(4), target :: rates(2)
    type(adtape_driver) :: driver
    type(adtape_schedule) :: schedule
    rows = 7
    rows(2, :) = [0.3d0, 0.5d0, 0.7d0]
    adjoint = -1
    turns = 0
    resumed = 0
    call driver_create(driver)
    call driver_set_calls(driver, row_step, row_adjoint_step, progress=note_resumed, user=c_loc(stop_at))
    call driver_register(driver, rows(2, :), 'row')
    if (.not. present(forgetful)) call driver_register_adjoint(driver, adjoint, 'adjoint of the row')
    rates = 0.5
    if (present(rate)) rates(2) = rate
    call driver_register_parameter(driver, rates(2:2), 'rate')
    call driver_set_store(driver, store, 'run', 0d0)
    call schedule_create(schedule, ADTAPE_SCHEDULE_BINOMIAL, steps, 2_8, 2_8)
    call driver_run(driver, schedule, stat=stat)
    call schedule_destroy(schedule)
    call driver_destroy(driver)
  end subroutine

  subroutine test_resumed
    type(adtape_schedule) :: schedule
    type(adtape_store) :: store
    character(100), allocatable :: names(:)
    real(8) :: expected(3)
    integer(c_int32_t) :: stat
    integer(8) :: stops
    length = 40
    call schedule_create(schedule, ADTAPE_SCHEDULE_STORE_ALL, 40_8)
    call gradient(schedule, .true., expected)
    call store_create_memory(store, 0_8)
    stop_after_turns = 7
    stops = 0
    do
      call run_again(store, 40_8, stat)
      if (stat == ADTAPE_STATUS_OK) exit
      call check(stat == ADTAPE_STATUS_STOPPED, 'stopped')
      call check(stops == 0 .or. resumed > 0, 'resumed')
      if (stops == 2) then
        call run_again(store, 41_8, stat)
        call check(stat == ADTAPE_STATUS_MISMATCH .and. index(adtape_error_message(), '41 steps') > 0, 'another run')
        call run_again(store, 40_8, stat, forgetful=.true.)
        call check(stat == ADTAPE_STATUS_MISMATCH .and. index(adtape_error_message(), 'adjoint of the row') > 0, &
                   'a variable that is registered no more')
        call run_again(store, 40_8, stat, rate=0.75)
        call check(stat == ADTAPE_STATUS_MISMATCH .and. &
                   index(adtape_error_message(), 'parameter "rate" was 0.5 and is 0.75 now') > 0, 'another parameter')
      end if
      stops = stops + 1
    end do
    call check(stops >= 5 .and. resumed > 0, 'stopped often')
    call check(all(adjoint == expected), 'the gradient of a run that was stopped again and again')
    call check(all(rows(1, :) == 7) .and. all(rows(3, :) == 7), 'rows that are not registered')
    call store_list(store, names)
    call check(size(names) == 0, 'nothing is left')
    call store_destroy(store)
    stop_after_turns = -1
  end subroutine

  ! ---- nested --------------------------------------------------------------------------------------------------------

  ! A step of six steps, and its adjoint by a driver of its own.
  function outer_step(step, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    integer(c_int64_t) :: k
    do k = 0, 5
      call forward(k)
    end do
    flow = merge(ADTAPE_FLOW_CONTINUE, ADTAPE_FLOW_STOP, step >= 0 .and. c_associated(user))
  end function

  function inner_adjoint_step(step, first, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    logical(c_bool), value :: first
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    flow = model_adjoint_step(step, logical(first .and. outer_is_first, c_bool), user)
  end function

  function outer_adjoint_step(step, first, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    logical(c_bool), value :: first
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    type(adtape_driver) :: inner
    type(adtape_schedule) :: schedule
    outer_is_first = first
    call driver_create(inner)
    call driver_set_calls(inner, model_step, inner_adjoint_step, user=user)
    call driver_register(inner, x)
    call schedule_create(schedule, ADTAPE_SCHEDULE_BINOMIAL, 6_8, 2_8)
    call driver_run(inner, schedule)
    call schedule_destroy(schedule)
    call driver_destroy(inner)
    flow = merge(ADTAPE_FLOW_CONTINUE, ADTAPE_FLOW_STOP, step >= 0)
  end function

  subroutine test_nested
    type(adtape_driver) :: driver
    type(adtape_schedule) :: schedule
    real(8) :: found(3, 2)
    integer :: i
    length = 1000
    stop_at = -1
    do i = 1, 2
      x = [0.3d0, 0.5d0, 0.7d0]
      call driver_create(driver)
      call driver_set_calls(driver, outer_step, outer_adjoint_step, user=c_loc(stop_at))
      call driver_register(driver, x)
      call schedule_create(schedule, ADTAPE_SCHEDULE_BINOMIAL, 8_8, merge(1_8, 8_8, i == 1))
      call driver_run(driver, schedule)
      call schedule_destroy(schedule)
      call driver_destroy(driver)
      found(:, i) = adjoint
    end do
    call check(all(found(:, 1) == found(:, 2)) .and. all(found /= 0), 'nested drivers')
  end subroutine

  ! Swaps two pointers, late.
  function swap_step(step, user) bind(c) result(flow)
    integer(c_int64_t), value :: step
    type(c_ptr), value :: user
    integer(c_int32_t) :: flow
    integer, pointer :: other(:)
    other => here
    if (step >= 5) here => there
    if (step >= 5) there => other
    flow = merge(ADTAPE_FLOW_CONTINUE, ADTAPE_FLOW_STOP, c_associated(user))
  end function

  subroutine test_moved
    type(adtape_driver) :: driver
    type(adtape_schedule) :: schedule
    integer(c_int32_t) :: stat
    allocate (here(2), there(2), source=0)
    call driver_create(driver)
    call driver_set_calls(driver, swap_step, model_adjoint_step, user=c_loc(stop_at))
    call driver_register(driver, here, 'here')
    call driver_watch(driver, there, stat)
    call check(stat == ADTAPE_STATUS_BAD_ARGUMENT, 'a pointer to what is not registered')
    call driver_watch(driver, here)
    call schedule_create(schedule, ADTAPE_SCHEDULE_BINOMIAL, 12_8, 3_8)
    call driver_run(driver, schedule, stat=stat)
    call check(stat == ADTAPE_STATUS_MISMATCH .and. index(adtape_error_message(), '"here" has moved') > 0, 'moved')
    call schedule_destroy(schedule)
    call driver_destroy(driver)
  end subroutine

  subroutine test_budget
    type(adtape_schedule) :: schedule
    type(adtape_driver) :: driver
    type(adtape_prediction) :: prediction
    integer(c_int32_t) :: stat
    call driver_create(driver)
    call driver_create_schedule(driver, 10_8, 1000_8, schedule, stat)
    call check(stat == ADTAPE_STATUS_BAD_ARGUMENT, 'nothing is registered')
    call driver_register(driver, x)
    call driver_create_schedule(driver, 10_8, 3*24_8, schedule)
    call schedule_predict(schedule, prediction)
    call check(prediction%extra_steps == 15, 'three snapshots for ten steps')
    call schedule_destroy(schedule)
    call driver_destroy(driver)
    call check(.not. c_associated(driver%handle), 'a NULL handle after driver_destroy')
    call driver_destroy(driver)
  end subroutine

  subroutine test_refusals
    type(adtape_schedule) :: schedule
    type(adtape_driver) :: driver
    type(adtape_instruction) :: what
    type(adtape_prediction) :: prediction
    real(8), target :: a(10)
    real(8), allocatable, target :: never(:, :)
    integer(c_int32_t) :: stat
    call schedule_create(schedule, ADTAPE_SCHEDULE_BINOMIAL, 5_8, 0_8, stat=stat)
    call check(stat == ADTAPE_STATUS_BAD_ARGUMENT .and. .not. c_associated(schedule%handle), 'no snapshot')
    call schedule_next(schedule, what, stat)
    call check(stat == ADTAPE_STATUS_NULL_HANDLE, 'a NULL schedule')
    call schedule_create(schedule, ADTAPE_SCHEDULE_ONLINE, memory_snapshots=2_8)
    call schedule_predict(schedule, prediction, stat)
    call check(stat == ADTAPE_STATUS_BAD_ARGUMENT, 'an unknown length')
    call schedule_end_at(schedule, 3_8, stat)
    call check(stat == ADTAPE_STATUS_BAD_ARGUMENT, 'it is not there')
    call schedule_destroy(schedule)
    call driver_run(driver, schedule, stat=stat)
    call check(stat == ADTAPE_STATUS_NULL_HANDLE, 'a NULL driver')
    call driver_create(driver)
    a = 0
    call driver_register(driver, a)
    call driver_register(driver, a(3:4), stat=stat)
    call check(stat == ADTAPE_STATUS_BAD_ARGUMENT .and. index(adtape_error_message(), 'overlaps') > 0, 'twice')
    call driver_register(driver, never, stat=stat)
    call check(stat == ADTAPE_STATUS_NULL_POINTER, 'not allocated')
    length = 100
    stop_at = 4
    call driver_set_calls(driver, model_step, model_adjoint_step, user=c_loc(stop_at))
    call schedule_create(schedule, ADTAPE_SCHEDULE_BINOMIAL, 20_8, 3_8)
    call driver_run(driver, schedule, stat=stat)
    call check(stat == ADTAPE_STATUS_STOPPED .and. index(adtape_error_message(), 'step 4') > 0, 'stopped')
    call schedule_destroy(schedule)
    call driver_destroy(driver)
  end subroutine

end module driver_tests

program drivers
  use support
  use driver_tests
  implicit none
  call test_schedules
  call test_gradients
  call test_resumed
  call test_nested
  call test_moved
  call test_budget
  call test_refusals
  call finish('drivers')
end program drivers
