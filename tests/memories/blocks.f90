! blocks.f90: blocks of memory and pointers to them in both sweeps, so that one program runs over different memory;
! blocks.h in Fortran. A block is a type(c_ptr); c_f_pointer makes a pointer of it.
!
!   over     maps      blocks of this module; pointers are translated by the maps of addresses (Alg. 2)
!            heap      the stable heap; pointers are the addresses that they were
!            identity  blocks of this module, and pointers are taken for the addresses that they were: wrong
!
! Under maps and identity an allocator decides where a block lies:
!
!   reuse    an address that is freed is given out again at once, in both sweeps
!   fresh    so it is in the forward sweep; the reverse sweep never gets an address that was used before
!   kind     blocks come back where they were, as it happens: here even an identity map is right
!
! What `allocate` and `deallocate` do is decided by allocator.c, if the program is linked with it and EXAMPLE_ALLOCATOR is
! set: identity is for pointers of the language as well then.
module blocks
  use, intrinsic :: iso_c_binding
  use adtape
  use example
  implicit none
  private
  public :: birth, death, push_link, turn, adjoint_of, rebirth, unborn, pop_link, push_place
  public :: pop_place, moved_by, choose_memory, go_over_to_the_heap, check_blocks, check_over_both

  integer, parameter, public :: over_maps = 0, over_heap = 1, over_identity = 2
  integer, protected, public :: over = over_maps
  logical, protected, public :: identity_of_pointers = .false.
  integer, parameter :: reuse = 0, fresh = 1, kind_one = 2
  integer :: policy = reuse
  integer(c_int64_t) :: reborn = 0, moved = 0            ! blocks that came back, and of them those that lie elsewhere

  ! Words, from which blocks are cut. Before each block lie its size in words and, while it is free, the next free one.
  integer(c_int64_t), allocatable, target :: pool(:)
  integer, parameter :: pool_words = 2**26, sizes = 64
  integer(c_int64_t) :: used = 0, list_words(sizes) = 0, list_top(sizes) = 0
  logical :: reversing = .false.
  type(c_ptr), target :: ignored

  abstract interface
    real(c_double) function value_of(x)
      import :: c_double
      real(c_double), intent(in) :: x(:)
    end function
    subroutine adds_to(x, xb)
      import :: c_double
      real(c_double), intent(in) :: x(:)
      real(c_double), intent(inout) :: xb(:)
    end subroutine
  end interface

contains

  ! ---- the allocator -----------------------------------------------------------------------------------

  integer function list_of(words)
    integer(c_int64_t), intent(in) :: words
    do list_of = 1, sizes
      if (list_words(list_of) == words .or. list_words(list_of) == 0) exit
    end do
    if (list_of > sizes) error stop 'blocks of too many sizes'
    list_words(list_of) = words
  end function

  integer(c_intptr_t) function place(p)
    type(c_ptr), intent(in) :: p
    place = (transfer(p, 0_c_intptr_t) - transfer(c_loc(pool), 0_c_intptr_t))/8 + 1
  end function

  type(c_ptr) function take(bytes)
    integer(c_int64_t), intent(in) :: bytes
    integer(c_int64_t) :: words, at
    integer :: list
    if (.not. allocated(pool)) allocate (pool(pool_words))
    words = max((bytes + 7)/8, 1_c_int64_t)
    list = list_of(words)
    at = list_top(list)
    if (at /= 0) then
      list_top(list) = pool(at - 1)
    else
      at = used + 3
      used = used + 2 + words
      if (used > pool_words) error stop 'the pool of blocks is too small'
      pool(at - 2) = words
    end if
    take = c_loc(pool(at))
  end function

  ! What was in the block is lost at once: no number, and no address.
  subroutine give(p)
    type(c_ptr), intent(in) :: p
    integer(c_int64_t) :: at
    integer :: list
    at = place(p)
    pool(at:at + pool(at - 2) - 1) = -1
    if (policy == fresh .and. reversing) return          ! nobody gets this address again
    list = list_of(pool(at - 2))
    pool(at - 1) = list_top(list)
    list_top(list) = at
  end subroutine

  subroutine zero(p, bytes)
    type(c_ptr), intent(in) :: p
    integer(c_int64_t), intent(in) :: bytes
    integer(c_int64_t), pointer :: words(:)
    call c_f_pointer(p, words, [(bytes + 7)/8])
    words = 0
  end subroutine

  ! Under `kind` in another place than blocks: where the stable heap has what only the reverse sweep uses.
  type(c_ptr) function take_adjoint(bytes)
    integer(c_int64_t), intent(in) :: bytes
    if (policy == kind_one) then
      take_adjoint = heap_alloc_adjoint(heap_self(), bytes)
    else
      take_adjoint = take(bytes)
      call zero(take_adjoint, bytes)
    end if
  end function

  ! ---- the forward sweep -------------------------------------------------------------------------------

  ! Line 10. The block is zero.
  type(c_ptr) function birth(bytes, label) result(p)
    integer(c_int64_t), intent(in) :: bytes
    character(*), intent(in) :: label
    if (over == over_heap) then
      p = heap_calloc(heap_self(), adtape_self(), 1_c_int64_t, bytes)
      return
    end if
    p = take(bytes)
    call zero(p, bytes)
    call live_add(p, bytes, ADTAPE_KIND_HEAP, label)
  end function

  ! Line 13. What is in the block and needed was pushed before.
  subroutine death(p)
    type(c_ptr), intent(in) :: p
    if (over == over_heap) then
      call heap_free(heap_self(), adtape_self(), p)
      return
    end if
    call live_end(p)
    call give(p)
  end subroutine

  ! Line 18.
  subroutine push_link(p)
    type(c_ptr), intent(in) :: p
    if (over /= over_maps) call push(p)
    if (over /= over_heap) call push_pointer(p)
  end subroutine

  ! Line 18*: a pointer as base and offset, which may lie anywhere.
  subroutine push_place(pair)
    type(adtape_pair), intent(in) :: pair
    if (over /= over_maps) call push(pair%base)
    if (over /= over_maps) call push(pair%offset)
    if (over /= over_heap) call push_pair(pair%base, pair%offset)
  end subroutine

  ! ---- the reverse sweep -------------------------------------------------------------------------------

  type(c_ptr) function adjoint_of(p) result(pb)
    type(c_ptr), intent(in) :: p
    type(adtape_range) :: range
    if (over == over_heap) then
      pb = heap_adjoint(heap_self(), p)
    else
      call live_find(p, range)
      pb = range%adjoint_base
    end if
  end function

  ! The reversal point: what is alive gets an adjoint.
  subroutine turn()
    type(adtape_range), allocatable :: ranges(:)
    type(adtape_live_stats) :: counts
    integer(c_int64_t) :: count, i
    if (over == over_heap) then
      call heap_begin_reverse(heap_self())
      return
    end if
    call live_begin_reverse()
    reversing = .true.
    if (policy == fresh) list_top = 0
    call live_stats(counts)
    allocate (ranges(counts%ranges))
    call live_list(ranges, count)
    do i = 1, count
      if (ranges(i)%kind /= ADTAPE_KIND_HEAP) cycle
      call live_set_adjoint(ranges(i)%base, take_adjoint(ranges(i)%bytes), ranges(i)%bytes)
    end do
  end subroutine

  ! Line 14: the block that died comes back, with an adjoint of zeros.
  subroutine rebirth(p, pb)
    type(c_ptr), intent(out) :: p, pb
    type(adtape_range) :: range
    reborn = reborn + 1
    if (over == over_heap) then
      p = heap_undo_free(heap_self(), adtape_self())
      pb = adjoint_of(p)
      return
    end if
    call pop_range(range)
    pb = take_adjoint(range%bytes)                       ! first, so that it gets the block's old address
    p = take(range%bytes)
    call rebase_add(range, p, pb, range%bytes)
    if (.not. c_associated(range%base, p)) moved = moved + 1
  end subroutine

  ! Line 11: the block whose birth is reversed, the last one of those that are not.
  subroutine unborn(p)
    type(c_ptr), intent(in) :: p
    type(c_ptr) :: pb
    if (over == over_heap) then
      call heap_undo_alloc(heap_self(), adtape_self())
      return
    end if
    pb = adjoint_of(p)
    call rebase_remove(p)
    if (policy == kind_one) then
      call heap_free_adjoint(heap_self(), pb)
    else
      call give(pb)
    end if
    call give(p)
  end subroutine

  ! Line 20: a pointer variable and its adjoint, which points to the same place in the adjoint of the block. Both may
  ! have to wait, and are set where they are then.
  subroutine pop_link(p, pb)
    type(c_ptr), intent(inout), target :: p, pb
    select case (over)
    case (over_maps)
      call pop_pointer(p, pb)
    case (over_heap)
      call pop(p)
      pb = heap_adjoint(heap_self(), p)
    case default
      call pop_pointer(ignored, pb)
      call pop(p)
    end select
  end subroutine

  ! Line 20*. The block is back, so that nothing waits. pb is the same place beside the block's adjoint.
  subroutine pop_place(pair, pb)
    type(adtape_pair), intent(inout) :: pair
    type(c_ptr), intent(inout) :: pb
    type(c_ptr) :: p
    if (over /= over_heap) call pop_pair(pair, p, pb)
    if (over /= over_maps) call pop(pair%offset)
    if (over /= over_maps) call pop(pair%base)
    if (over == over_heap) pb = moved_by(adjoint_of(pair%base), pair%offset)
  end subroutine

  ! The address that many bytes behind p, which need not be one that a Fortran pointer may have.
  type(c_ptr) function moved_by(p, bytes)
    type(c_ptr), intent(in) :: p
    integer(c_int64_t), intent(in) :: bytes
    moved_by = transfer(transfer(p, 0_c_intptr_t) + bytes, c_null_ptr)
  end function

  ! ---- around it ---------------------------------------------------------------------------------------

  ! Reads the arguments of the program: one count or two, which n and m become, and the words above; without them, maps
  ! and reuse.
  subroutine choose_memory(n, m)
    integer, intent(inout) :: n
    integer, intent(inout), optional :: m
    character(16) :: word
    integer :: i, letters
    do i = 1, command_argument_count()
      call get_command_argument(i, word)
      select case (word)
      case ('identity')
        over = over_identity
        call get_environment_variable('EXAMPLE_ALLOCATOR', length=letters)
        identity_of_pointers = letters > 0
      case ('reuse')
        policy = reuse
      case ('fresh')
        policy = fresh
      case ('kind')
        policy = kind_one
      case default
        if (i == 2 .and. present(m)) then
          m = argument(i, m)
        else
          n = argument(i, n)
        end if
      end select
    end do
  end subroutine

  subroutine go_over_to_the_heap()
    over = over_heap
  end subroutine

  ! Both sweeps match. Blocks came back elsewhere, with fresh addresses all of them: code that takes an address of the
  ! forward sweep for one of the reverse sweep is wrong here.
  subroutine check_blocks()
    type(adtape_heap_stats) :: heap
    type(adtape_live_stats) :: counts
    call check_tape_empty('bytes on the tape after the adjoint')
    if (over == over_heap) then
      call heap_stats(heap_self(), heap)
      call check_count('blocks left alive', heap%blocks, 0_c_int64_t)
      call report_count('blocks that came back', reborn)
      call heap_end_reverse(heap_self())
    else
      call live_stats(counts)
      call check_count('ranges left alive', counts%ranges, 0_c_int64_t)
      call check_count('pointers left waiting', counts%waiting, 0_c_int64_t)
      call report_count('blocks that came back', reborn)
      if (policy == fresh) call check_count('of them elsewhere', moved, reborn)
      if (policy == reuse) call check_count('some of them elsewhere', min(moved, 1_c_int64_t), 1_c_int64_t)
    end if
    reborn = 0
    moved = 0
    reversing = .false.
  end subroutine

  subroutine gradient(original, forward_sweep, adjoint, x, xb)
    procedure(value_of) :: original, forward_sweep
    procedure(adds_to) :: adjoint
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(inout) :: xb(:)
    real(c_double) :: value
    value = forward_sweep(x)
    call check_close('the forward sweep computes what the original computes', value, original(x), abs(value), 1d-14)
    call report_count('tape bytes', tape_bytes())
    call adjoint(x, xb)
    call check_blocks()
  end subroutine

  ! The gradient over maps, or with an identity map, which is the end of it, against central differences with this step in
  ! one direction; then over the stable heap, bit for bit.
  subroutine check_over_both(original, forward_sweep, adjoint, x, step, tolerance)
    procedure(value_of) :: original, forward_sweep
    procedure(adds_to) :: adjoint
    real(c_double), intent(in) :: x(:), step, tolerance
    real(c_double), allocatable :: xb(:, :), direction(:)
    integer :: i
    allocate (xb(size(x), 2))
    xb = 0
    direction = [(noise(i + 31), i=1, size(x))]
    print '(2a)', '-- over ', trim(merge('maps           ', 'an identity map', over == over_maps))
    call gradient(original, forward_sweep, adjoint, x, xb(:, 1))
    call check_close('the gradient against finite differences', dot_product(xb(:, 1), direction), &
      (original(x + step*direction) - original(x - step*direction))/(2*step), sum(abs(xb(:, 1)*direction)), tolerance)
    if (over /= over_maps) return
    over = over_heap
    print '(a)', '-- over the stable heap'
    call gradient(original, forward_sweep, adjoint, x, xb(:, 2))
    call check_same_bits('both gradients are equal bit for bit', xb(:, 1), xb(:, 2))
    over = over_maps
  end subroutine

end module blocks
