! associations_random.f90: random programs of allocations and pointer associations, against a model that knows where each
! pointer points. In the reverse sweep arrays come back elsewhere, with adjoints.
module random_associations
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  implicit none
  private
  public :: run_program

  integer, parameter :: arrays = 5, pointers = 7, steps = 300
  integer, parameter :: birth = 1, death = 2, change = 3

  ! An array: values say which array it is and which element.
  type :: array
    real(8), allocatable :: x(:, :), xb(:, :)
    integer :: number = 0
  end type

  ! What a pointer points to: elements first + k*step of each dimension of an array, with bounds of its own. Array 0: none.
  type :: association
    integer :: array = 0, first(2) = 0, step(2) = 1, extent(2) = 0, lower(2) = 1
  end type

  type :: view
    real(8), pointer :: p(:, :) => null(), pb(:, :) => null()
    type(association) :: model
  end type

  ! What was done, to be undone.
  type :: event
    integer :: what = 0, index = 0
    type(association) :: before
  end type

  type(array), target :: a(arrays)
  type(view), target :: v(pointers)
  type(event) :: trace(steps*(pointers + 1))
  integer :: events, births

contains

  subroutine run_program(seed)
    integer, intent(in) :: seed
    type(rng) :: r
    type(adtape_stats) :: stats
    integer :: i, ignored
    r%state = 6364136223846793005_8 + seed
    do i = 1, 10
      ignored = draw(r, 2)
    end do
    events = 0
    births = 0
    do i = 1, steps
      call one_step(r)
    end do
    call live_begin_reverse()
    do i = 1, arrays
      if (.not. allocated(a(i)%x)) cycle
      allocate (a(i)%xb, mold=a(i)%x)
      a(i)%xb = -a(i)%x
      call live_set_adjoint(a(i)%x, a(i)%xb)
    end do
    do while (events > 0)
      call undo(trace(events), r, seed)
    end do
    call tape_stats(stats)
    call check(stats%bytes == 0, 'nothing is left on the tape')
  end subroutine

  subroutine note(what, index, before)
    integer, intent(in) :: what, index
    type(association), intent(in) :: before
    events = events + 1
    trace(events)%what = what
    trace(events)%index = index
    trace(events)%before = before
  end subroutine

  subroutine one_step(r)
    type(rng), intent(inout) :: r
    integer :: k, j
    logical :: early
    k = 1 + draw(r, arrays)
    select case (draw(r, 4))
    case (0)
      if (allocated(a(k)%x)) then
        ! Pointers into it are pushed before or behind it.
        early = draw(r, 2) == 0
        if (early) call leave(k)
        call deallocate_save(a(k)%x)
        call note(death, k, association(array=a(k)%number))
        if (.not. early) call leave(k)
      else
        call bear(k, r)
      end if
    case default
      j = 1 + draw(r, pointers)
      call push_pointer(v(j)%p)
      call note(change, j, v(j)%model)
      v(j)%model = association()
      if (allocated(a(k)%x)) v(j)%model = random_association(k, r)
      call associate_as(v(j))
    end select
  end subroutine

  subroutine bear(k, r)
    integer, intent(in) :: k
    type(rng), intent(inout) :: r
    integer :: lower(2), extent(2), i, j
    lower = [draw(r, 7) - 3, draw(r, 7) - 3]
    extent = [draw(r, 6), 1 + draw(r, 4)]
    allocate (a(k)%x(lower(1):lower(1) + extent(1) - 1, lower(2):lower(2) + extent(2) - 1))
    births = births + 1
    a(k)%number = births
    do j = lbound(a(k)%x, 2), ubound(a(k)%x, 2)
      do i = lbound(a(k)%x, 1), ubound(a(k)%x, 1)
        a(k)%x(i, j) = code(births, i, j)
      end do
    end do
    call live_add(a(k)%x, ADTAPE_KIND_ALLOCATABLE, 'array '//digit_string(k))
    call note(birth, k, association())
  end subroutine

  ! Pushes the pointers into array k and lets go of it.
  subroutine leave(k)
    integer, intent(in) :: k
    integer :: j
    do j = 1, pointers
      if (v(j)%model%array /= k) cycle
      call push_pointer(v(j)%p)
      call note(change, j, v(j)%model)
      v(j)%model = association()
      nullify (v(j)%p)
    end do
  end subroutine

  pure real(8) function code(number, i, j)
    integer, intent(in) :: number, i, j
    code = number*10000 + (i + 10)*100 + (j + 10)
  end function

  function random_association(k, r) result(m)
    integer, intent(in) :: k
    type(rng), intent(inout) :: r
    type(association) :: m
    integer :: d, n, reach
    m%array = k
    do d = 1, 2
      n = size(a(k)%x, d)
      m%lower(d) = draw(r, 9) - 4
      m%step(d) = 1 + draw(r, 2)
      m%extent(d) = draw(r, (n + m%step(d) - 1)/m%step(d) + 1)
      reach = max(m%extent(d) - 1, 0)*m%step(d)
      m%first(d) = lbound(a(k)%x, d) + draw(r, max(n - reach, 1))
      if (draw(r, 2) == 0) then
        m%first(d) = m%first(d) + reach
        m%step(d) = -m%step(d)
      end if
    end do
  end function

  subroutine associate_as(w)
    type(view), intent(inout) :: w
    integer :: last(2)
    nullify (w%p)
    if (w%model%array == 0) return
    associate (m => w%model)
      last = m%first + (m%extent - 1)*m%step
      w%p(m%lower(1):, m%lower(2):) => &
        a(m%array)%x(m%first(1):last(1):m%step(1), m%first(2):last(2):m%step(2))
    end associate
  end subroutine

  subroutine undo(done, r, seed)
    type(event), intent(in) :: done
    type(rng), intent(inout) :: r
    integer, intent(in) :: seed
    real(8), allocatable, target, save :: hole(:)
    type(event) :: now
    integer :: k, j
    now = done
    events = events - 1
    k = now%index
    select case (now%what)
    case (birth)
      call undo_allocate(a(k)%x, a(k)%xb)
      call check(.not. (allocated(a(k)%x) .or. allocated(a(k)%xb)), 'an array that is not born')
    case (death)
      if (draw(r, 2) == 0) then
        if (allocated(hole)) deallocate (hole)
        allocate (hole(draw(r, 30)), source=0d0)
      end if
      call undo_deallocate(a(k)%x, a(k)%xb)
      a(k)%number = now%before%array
      call check(all(a(k)%xb == 0), 'an adjoint of zeros')
      a(k)%xb = -a(k)%x
    case (change)
      call pop_pointer(v(k)%p, v(k)%pb)
      v(k)%model = now%before
    end select
    do j = 1, pointers
      call compare(v(j), seed)
    end do
  end subroutine

  ! Whether a pointer and its adjoint are what the model says; null while the array is away.
  subroutine compare(w, seed)
    type(view), intent(in) :: w
    integer, intent(in) :: seed
    logical :: same
    integer :: i, j
    associate (m => w%model)
      if (m%array == 0) then
        same = .not. associated(w%p)
      else if (.not. allocated(a(m%array)%x)) then
        same = .not. associated(w%p) .or. size(w%p) == 0
      else
        same = associated(w%p)
        if (same) same = all(shape(w%p) == m%extent)
        if (same .and. size(w%p) > 0) then
          same = all(lbound(w%p) == m%lower)
          do j = 0, m%extent(2) - 1
            do i = 0, m%extent(1) - 1
              same = same .and. w%p(m%lower(1) + i, m%lower(2) + j) == &
                     code(a(m%array)%number, m%first(1) + i*m%step(1), m%first(2) + j*m%step(2))
            end do
          end do
          if (same .and. associated(w%pb)) same = all(shape(w%pb) == m%extent) .and. all(lbound(w%pb) == m%lower) &
                                                  .and. all(w%pb == -w%p)
        end if
      end if
      if (.not. same) print *, 'seed', seed, 'events left', events
      call check(same, 'a pointer as the model says')
    end associate
  end subroutine

end module random_associations

program associations_random
  use random_associations
  use support
  implicit none
  integer :: seed
  do seed = 1, 40
    call run_program(seed)
  end do
  call finish('associations_random')
end program associations_random
