! restart.f90: the adjoint of a time loop in bounded memory, which can be killed at any moment and started again.
!
!     restart DIRECTORY RUN [SEGMENTS]     ends itself with SIGKILL after so many segments, to show it
!
! The loop is cut into segments. The forward run keeps the state at the beginning of each in a checkpoint. The reverse
! sweep goes through the segments from the last to the first: it loads the state, runs the segment forward once more with
! pushes, and then backward with pops; after each segment the adjoint goes to a checkpoint of its own. Whatever is in the
! store when the program starts is where it goes on.
program restart
  use, intrinsic :: iso_c_binding
  use adtape
  implicit none
  integer, parameter :: n = 2000, segments = 20, steps = 50
  real(c_double), parameter :: c = 0.2d0, pi = 3.14159265358979312d0
  interface
    integer(c_int) function c_raise(signal) bind(c, name='raise')
      import :: c_int
      integer(c_int), value :: signal
    end function
  end interface
  type(adtape_store) :: s
  character(200) :: directory, run, argument
  real(c_double), allocatable :: u(:), ub(:)
  integer :: segment, reversed, k, i, left

  left = -1
  call get_command_argument(1, directory)
  call get_command_argument(2, run)
  if (command_argument_count() < 2) error stop 'usage: restart DIRECTORY RUN [SEGMENTS]'
  if (command_argument_count() > 2) then
    call get_command_argument(3, argument)
    read (argument, *) left
  end if
  call store_create_files(s, directory, run=run)

  reversed = load('adjoint', ub)  ! segments from here on are reversed
  if (reversed < 0) then
    ! Forward, from the last state there is.
    do segment = segments, 1, -1
      if (load(name_of(segment), u) >= 0) exit
    end do
    if (segment == 0) then
      allocate (u(0:n - 1))
      u = [(0.5d0 + 0.4d0*sin(2*pi*i/n), i = 0, n - 1)]
      call save(name_of(0), 0, u)
    else
      print '(a,i0,a)', 'goes on with segment ', segment, ' forward'
    end if
    do segment = segment, segments - 1
      do k = 1, steps
        call step(u, .false.)
      end do
      call save(name_of(segment + 1), segment + 1, u)
      call tick()
    end do
    ub = u  ! of J = sum(u**2) / 2 at the end
    reversed = segments
    call save('adjoint', reversed, ub)
  else
    print '(a,i0,a)', 'goes on with segment ', reversed, ' in reverse'
  end if

  do while (reversed > 0)
    if (load(name_of(reversed - 1), u) < 0) error stop 'a state is missing'
    do k = 1, steps
      call step(u, .true.)
    end do
    do k = 1, steps
      call step_adjoint(u, ub)
    end do
    reversed = reversed - 1
    call save('adjoint', reversed, ub)  ! replaces the older one: at every moment there is one, whole
    call tick()
  end do

  print '(a,3es25.16)', 'gradient:', ub(lbound(ub)), ub(ubound(ub)), sum([(ub(lbound(ub, 1) + i - 1)*i, i = 1, n)])
  call store_remove(s, 'adjoint')
  do segment = 0, segments
    call store_remove(s, name_of(segment))
  end do
  call store_destroy(s)

contains

  ! ---- the model: u' = diffusion and a reaction, on a ring ---------------------------------------------------

  ! One step; the state that it overwrites is pushed if the step will be reversed.
  subroutine step(u, record)
    real(c_double), intent(inout) :: u(0:)
    logical, intent(in) :: record
    if (record) call push(u)
    u = u + c*(cshift(u, 1) - 2*u + cshift(u, -1)) + 0.01d0*u*(1 - u)
  end subroutine

  ! Its adjoint: ub becomes the adjoint of the state before.
  subroutine step_adjoint(u, ub)
    real(c_double), intent(inout) :: u(0:), ub(0:)
    call pop(u)
    ub = ub*(1 - 2*c + 0.01d0*(1 - 2*u)) + c*(cshift(ub, 1) + cshift(ub, -1))
  end subroutine

  ! ---- checkpoints ---------------------------------------------------------------------------------------------

  subroutine save(name, segment, x)
    character(*), intent(in) :: name
    integer, intent(in) :: segment
    real(c_double), allocatable, intent(in) :: x(:)
    type(adtape_checkpoint) :: k
    call checkpoint_create(k, s, name)
    call checkpoint_write(k, 'segment', segment)
    call checkpoint_write_allocatable(k, 'x', x)
    call checkpoint_commit(k)
  end subroutine

  ! The segment of the checkpoint, or -1 if there is none. x gets the bounds that it had.
  integer function load(name, x) result(segment)
    character(*), intent(in) :: name
    real(c_double), allocatable, intent(inout) :: x(:)
    type(adtape_checkpoint) :: k
    integer(c_int32_t) :: status
    segment = -1
    call checkpoint_open(k, s, name, stat=status)
    if (status == ADTAPE_STATUS_NOT_FOUND) return
    if (status /= ADTAPE_STATUS_OK) error stop 'a checkpoint cannot be opened'
    call checkpoint_read(k, 'segment', segment)
    call checkpoint_read_allocatable(k, 'x', x)
    call checkpoint_close(k)
  end function

  function name_of(segment) result(name)
    integer, intent(in) :: segment
    character(40) :: name
    write (name, '(a,i0)') 'segment-', segment
  end function

  ! A segment is done.
  subroutine tick()
    integer(c_int) :: status
    if (left > 0) then
      left = left - 1
      if (left == 0) status = c_raise(9_c_int)
    end if
  end subroutine

end program
