! polymorphic.f90: pointers of class, whose objects have several types, on the thread's tape and by handle.
module shapes
  implicit none
  type :: shape_t
    real(8) :: x = 0
    class(shape_t), pointer :: next => null(), prev => null()
  end type
  type, extends(shape_t) :: circle
    real(8) :: radius = 0
  end type
  type, extends(shape_t) :: polygon
    integer :: corners = 0
    real(8) :: sides(4) = 0
  end type
end module shapes

module shape_pointers
  use shapes, only: adtape_object => shape_t
  include 'adtape_polymorphic.inc'
end module shape_pointers

module polymorphic_tests
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  use shapes
  use shape_pointers
  implicit none
  private
  public :: test_list, test_null

contains

  ! A list of objects of two types, destroyed from its head: what points back waits, and has its type when it comes.
  subroutine test_list(t)
    type(adtape_tape), intent(in) :: t
    integer, parameter :: length = 20
    class(shape_t), pointer :: head, p, headb, pb
    type(adtape_range) :: range
    type(adtape_live_stats) :: counts
    integer :: i, corners
    nullify (head, p, headb, pb)
    do i = 1, length
      if (mod(i, 3) == 0) then
        allocate (circle :: p)
      else
        allocate (polygon :: p)
      end if
      call live_add(p, ADTAPE_KIND_HEAP, 'shape')
      p%x = i
      p%next => head
      if (associated(head)) head%prev => p
      call push_pointer(t, head)
      head => p
    end do
    do while (associated(head))
      p => head
      head => p%next
      call push(p%x)
      call push_pointer(p%next)
      call push_pointer(t, p%prev)
      select type (p)
      type is (circle)
        call push_control(0, 1)
      class default
        call push_control(1, 1)
      end select
      call live_end(t, p)
      deallocate (p)
    end do
    call live_begin_reverse()
    do i = 1, length
      call pop_range(t, range)
      call pop_control(corners, 1)
      if (corners == 0) then
        allocate (circle :: p, pb)
      else
        allocate (polygon :: p, pb)
      end if
      call rebase_add(range, p, pb)
      call pop_pointer(t, p%prev, pb%prev)
      call pop_pointer(p%next, pb%next)
      call pop(p%x)
      pb%x = -p%x
      head => p
      headb => pb
    end do
    call live_stats(counts)
    call check(counts%waiting == 0, 'nothing waits any more')
    p => head
    pb => headb
    do i = length, 1, -1
      call check(p%x == i .and. pb%x == -i, 'an object and its adjoint')
      call check(is_circle(p) .eqv. mod(i, 3) == 0, 'of the type that it had')
      call check(is_circle(pb) .eqv. mod(i, 3) == 0, 'which is that of the adjoint')
      if (i > 1) then
        call check(associated(p%next%prev, p) .and. associated(pb%next%prev, pb), 'forwards and backwards')
        call check(is_circle(p%next%prev) .eqv. is_circle(p), 'the type of a pointer that waited')
        p => p%next
        pb => pb%next
      end if
    end do
    do i = length, 1, -1
      p => head
      pb => headb
      call pop_pointer(t, head, headb)
      call rebase_remove(p)
      deallocate (p, pb)
    end do
    call check(.not. (associated(head) .or. associated(headb)), 'at first there was none')
  end subroutine

  logical function is_circle(p)
    class(shape_t), intent(in) :: p
    select type (p)
    type is (circle)
      is_circle = .true.
    class default
      is_circle = .false.
    end select
  end function

  subroutine test_null(t)
    type(adtape_tape), intent(in) :: t
    class(shape_t), pointer :: p, pb, q
    type(adtape_range) :: range
    nullify (p, q)
    call push_pointer(p)
    allocate (circle :: p)
    pb => p
    q => p
    call live_add(q, ADTAPE_KIND_HEAP)
    call push_pointer(t, q)
    q => null()
    call pop_pointer(t, q)
    call check(associated(q, p) .and. is_circle(q), 'without an adjoint')
    call pop_pointer(p, pb)
    call check(.not. (associated(p) .or. associated(pb)), 'null')
    call live_end(q)
    call live_begin_reverse()
    call pop_range(range)
    call rebase_add(range, q)
    call rebase_remove(q)
    deallocate (q)
  end subroutine

end module polymorphic_tests

program polymorphic
  use adtape
  use polymorphic_tests
  use support
  implicit none
  type(adtape_tape) :: t
  type(adtape_stats) :: stats
  type(adtape_live_stats) :: counts
  call adtape_create(t)
  call test_list(t)
  call test_null(t)
  call tape_stats(t, stats)
  call check(stats%bytes == 0, 'nothing is left on the tape')
  call tape_stats(stats)
  call check(stats%bytes == 0, 'nothing is left on the thread''s tape')
  call live_stats(counts)
  call check(counts%ranges == 0 .and. counts%waiting == 0, 'nothing is left alive')
  call adtape_destroy(t)
  call finish('polymorphic')
end program polymorphic
