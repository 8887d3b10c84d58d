! A model with an allocatable and with pointers, restored from a checkpoint: Hascoët, Utke, Handling Pointers and Dynamic
! Memory, Alg. 4.
!
! A field on a grid that moves, widens and narrows: it is allocated again with other bounds. Sources, each an object of the
! heap that points to the next one and into the field, come at one end of the grid and go at the other. A section of steps is
! run from a checkpoint, again after the restoration, and once more after it was given up early; each time its result is that
! of a run without checkpoints, bit for bit.
module model
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real64
  use adtape
  use example
  implicit none

  type, bind(c) :: source
    type(c_ptr) :: next = c_null_ptr
    type(c_ptr) :: cell = c_null_ptr        ! of the field, where the source is
    integer(c_int64_t) :: place = 0         ! index of that
    real(c_double) :: strength = 0
  end type

  type, bind(c) :: state
    type(c_ptr) :: sources = c_null_ptr
    type(c_ptr) :: highest = c_null_ptr     ! cell of the field
    integer(c_int64_t) :: steps = 0
  end type

  type(state), target :: now
  real(c_double), allocatable, target :: field(:)

contains

  ! ---- the model ---------------------------------------------------------------------------------

  ! From the beginning.
  subroutine start()
    now = state()
    allocate (field(1:40))
    call live_add_allocatable(field, 'field')
    field = 0
    call point_into_field()
  end subroutine

  subroutine advance(steps)
    integer, intent(in) :: steps
    integer :: step, i
    real(c_double), pointer :: cell
    type(source), pointer :: s
    type(c_ptr) :: p
    do step = 1, steps
      p = now%sources
      do while (c_associated(p))
        call c_f_pointer(p, s)
        call c_f_pointer(s%cell, cell)
        cell = cell + s%strength
        p = s%next
      end do
      call c_f_pointer(now%highest, cell)
      cell = 0.75d0*cell
      do i = lbound(field, 1) + 1, ubound(field, 1)
        field(i) = field(i) + 0.25d0*(field(i - 1) - field(i))
      end do
      now%steps = now%steps + 1
      if (mod(now%steps, 5_c_int64_t) == 0) call move_grid()
      call point_into_field()
    end do
  end subroutine

  ! To the right; every other time with as many cells as before.
  subroutine move_grid()
    real(c_double), allocatable :: old(:)
    integer :: first, last, wider, from, to
    wider = mod(int(now%steps)/5, 2)*merge(3, -2, mod(now%steps, 100_c_int64_t) < 60)
    allocate (old(lbound(field, 1):ubound(field, 1)), source=field)
    first = lbound(field, 1) + 2
    last = ubound(field, 1) + 2 + wider
    call live_remove(c_loc(field))
    deallocate (field)
    allocate (field(first:last))
    call live_add_allocatable(field, 'field')
    field = 0.01d0
    from = max(first, lbound(old, 1))
    to = min(last, ubound(old, 1))
    field(from:to) = old(from:to)
    call drop_sources(first, last)
    call add_source(last)
  end subroutine

  subroutine add_source(place)
    integer, intent(in) :: place
    type(source), pointer :: s
    allocate (s)
    s = source(next=now%sources, place=place, strength=noise(int(now%steps)))
    call live_add(c_loc(s), c_sizeof(s), ADTAPE_KIND_HEAP, 'source')
    now%sources = c_loc(s)
  end subroutine

  ! Those that are not between these places go.
  subroutine drop_sources(first, last)
    integer, intent(in) :: first, last
    type(source), pointer :: s
    type(c_ptr) :: p, kept
    kept = c_null_ptr
    p = now%sources
    do while (c_associated(p))
      call c_f_pointer(p, s)
      p = s%next
      if (s%place >= first .and. s%place <= last) then
        s%next = kept
        kept = c_loc(s)
      else
        call live_remove(c_loc(s))
        deallocate (s)
      end if
    end do
    now%sources = kept
  end subroutine

  subroutine point_into_field()
    type(source), pointer :: s
    type(c_ptr) :: p
    p = now%sources
    do while (c_associated(p))
      call c_f_pointer(p, s)
      s%cell = c_loc(field(s%place))
      p = s%next
    end do
    now%highest = c_loc(field(maxloc(field, 1) + lbound(field, 1) - 1))
  end subroutine

  subroutine end_all()
    call drop_sources(1, 0)
    call live_remove(c_loc(field))
    deallocate (field)
  end subroutine

  ! ---- what is compared --------------------------------------------------------------------------

  ! The bounds, the field, and of each source place, strength and what it points to.
  function picture() result(numbers)
    real(real64), allocatable :: numbers(:)
    real(c_double), pointer :: cell
    type(source), pointer :: s
    type(c_ptr) :: p
    call c_f_pointer(now%highest, cell)
    numbers = [real(lbound(field, 1), real64), real(ubound(field, 1), real64), field, cell]
    p = now%sources
    do while (c_associated(p))
      call c_f_pointer(p, s)
      call c_f_pointer(s%cell, cell)
      numbers = [numbers, real(s%place, real64), s%strength, cell]
      p = s%next
    end do
  end function

  ! ---- checkpoints -------------------------------------------------------------------------------

  function allocate_field(wanted, user) bind(c) result(base)
    type(adtape_wanted), intent(in) :: wanted
    type(c_ptr), value :: user
    type(c_ptr) :: base
    call allocate_wanted(field, wanted)
    base = c_loc(field)
  end function
  subroutine deallocate_field(wanted, base, user) bind(c)
    type(adtape_wanted), intent(in) :: wanted
    type(c_ptr), value :: base, user
    deallocate (field)
  end subroutine

  function allocate_source(wanted, user) bind(c) result(base)
    type(adtape_wanted), intent(in) :: wanted
    type(c_ptr), value :: user
    type(c_ptr) :: base
    type(source), pointer :: s
    allocate (s)
    base = c_loc(s)
  end function
  subroutine deallocate_source(wanted, base, user) bind(c)
    type(adtape_wanted), intent(in) :: wanted
    type(c_ptr), value :: base, user
    type(source), pointer :: s
    call c_f_pointer(base, s)
    deallocate (s)
  end subroutine

  subroutine save_model(store)
    type(adtape_store), intent(in) :: store
    type(adtape_checkpoint) :: c
    call checkpoint_create(c, store, 'model')
    call live_save(c)
    call checkpoint_commit(c)
  end subroutine

  subroutine restore_model(store, expected)
    type(adtape_store), intent(in) :: store
    real(real64), intent(in) :: expected(:)
    type(adtape_checkpoint) :: c
    type(adtape_restore_stats) :: done
    call checkpoint_open(c, store, 'model')
    call live_restore(c, counts=done)
    call checkpoint_close(c)
    call report_count('objects allocated', int(done%allocated, c_int64_t))
    call report_count('objects that were not in the checkpoint', int(done%ended, c_int64_t))
    call check_same_bits('the restored model is that of the checkpoint', picture(), expected)
  end subroutine
end module

program main
  use model
  implicit none
  integer(c_int64_t), parameter :: pointers(2) = [0, 8] ! in both types
  type(adtape_store) :: store
  type(source) :: any_source
  real(real64), allocatable :: before(:), undisturbed(:)
  character(8) :: word
  integer :: n
  n = argument(1, 125)
  call get_command_argument(2, word)        ! identity: nothing says where pointers are, which is wrong
  call live_add(c_loc(now), c_sizeof(now), ADTAPE_KIND_STATIC, 'now')
  if (word /= 'identity') then
    call live_set_pointers('now', int(c_sizeof(now), c_int64_t), pointers)
    call live_set_pointers('source', int(c_sizeof(any_source), c_int64_t), pointers)
  end if
  call live_set_allocator('field', allocate_field, deallocate_field)
  call live_set_allocator('source', allocate_source, deallocate_source)

  call start()
  call advance(3*n)
  undisturbed = picture()
  call end_all()

  call store_create_memory(store, 0_c_int64_t)
  call start()
  call advance(n)
  before = picture()
  call save_model(store)
  call report_count('lower bound at the checkpoint', int(lbound(field, 1), c_int64_t))
  call report_count('cells', size(field, kind=c_int64_t))
  call advance(2*n)
  call report_count('lower bound at the end', int(lbound(field, 1), c_int64_t))
  call report_count('cells', size(field, kind=c_int64_t))
  call check_same_bits('the section', picture(), undisturbed)
  call restore_model(store, before)
  call advance(2*n)
  call check_same_bits('the section run again', picture(), undisturbed)
  call restore_model(store, before)
  call advance(5)                           ! the field has as many cells as before, in other places
  call restore_model(store, before)
  call advance(2*n)
  call check_same_bits('the section run again, given up after 5 steps and run again', picture(), undisturbed)
  call end_all()
  call live_remove(c_loc(now))
  call store_destroy(store)
  call finish()
end program
