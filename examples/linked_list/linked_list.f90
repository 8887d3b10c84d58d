! A doubly linked list that is built, walked and destroyed: pointers in blocks, pointers to blocks that are gone.
!
!   y = sum over the nodes of sin(u) * u of the node before (1 for the first)
!
! Nodes are allocated and deallocated, links are pointers to them. The list is destroyed from its head. What pointed back
! from the second node was left dangling, is pushed when that node goes, and comes back before the first node does: it
! waits.
module nodes
  use, intrinsic :: iso_c_binding
  implicit none
  type :: node
    real(c_double) :: u = 0
    type(node), pointer :: next => null(), prev => null()
  end type
end module nodes

module node_pointers
  use nodes, only: adtape_object => node, adtape_adjoint => node
  include 'adtape_derived.inc'
end module node_pointers

module linked_list_sweeps
  use, intrinsic :: iso_c_binding
  use adtape
  use example
  use nodes
  use node_pointers
  implicit none
  private
  public :: original, forward_sweep, adjoint

contains

  ! ---- the original, without a list: the last value is at the head ------------------------------------

  real(c_double) function original(x) result(y)
    real(c_double), intent(in) :: x(:)
    integer :: i
    y = sin(x(size(x)))
    do i = size(x) - 1, 1, -1
      y = y + sin(x(i))*x(i + 1)
    end do
  end function

  real(c_double) function before(p)
    type(node), intent(in) :: p
    before = 1
    if (associated(p%prev)) before = p%prev%u
  end function

  ! ---- the forward sweep -----------------------------------------------------------------------------

  real(c_double) function forward_sweep(x) result(y)
    real(c_double), intent(in) :: x(:)
    type(node), pointer :: p, head
    integer :: i
    head => null()
    do i = 1, size(x)
      allocate (p)
      call live_add(p, ADTAPE_KIND_HEAP, 'node')
      p%u = x(i)
      p%next => head
      if (associated(head)) then
        call push_pointer(head%prev)
        head%prev => p
      end if
      call push_pointer(head)
      head => p
    end do
    y = 0
    p => head
    do while (associated(p))
      y = y + sin(p%u)*before(p)
      call push_pointer(p)
      p => p%next
    end do
    call push_pointer(head)
    do while (associated(head))
      p => head
      head => p%next
      call push(p%u)
      call push_pointer(p%next)
      call push_pointer(p%prev)                         ! dangling: the node before is gone
      call live_end(c_loc(p))
      deallocate (p)
    end do
  end function

  ! ---- the reverse sweep -----------------------------------------------------------------------------

  subroutine adjoint(x, xb)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(inout) :: xb(:)
    type(node), pointer :: p, pb, head, headb
    type(adtape_range) :: range
    type(adtape_live_stats) :: counts
    integer :: i
    nullify (p, pb, head, headb)
    call live_begin_reverse()
    do i = 1, size(x)
      call pop_range(range)
      allocate (pb, p)
      call rebase_add(range, p, pb)
      call pop_pointer(p%prev, pb%prev)
      call pop_pointer(p%next, pb%next)
      call pop(p%u)
      if (i == size(x)/2) then
        call live_stats(counts)
        call check_count('pointers waiting in the midst of it', counts%waiting, 2_c_int64_t)
      end if
    end do
    call pop_pointer(head, headb)
    do i = 1, size(x)
      call pop_pointer(p, pb)
      pb%u = pb%u + cos(p%u)*before(p)
      if (associated(p%prev)) pb%prev%u = pb%prev%u + sin(p%u)
    end do
    do i = size(x), 1, -1
      p => head
      pb => headb
      xb(i) = xb(i) + pb%u
      call pop_pointer(head, headb)
      if (associated(head)) call pop_pointer(head%prev, headb%prev)
      call rebase_remove(c_loc(p))
      deallocate (p, pb)
    end do
  end subroutine

end module linked_list_sweeps

program linked_list
  use, intrinsic :: iso_c_binding
  use adtape
  use example
  use linked_list_sweeps
  implicit none
  real(c_double), allocatable :: x(:), xb(:)
  real(c_double) :: y
  integer :: i
  x = [(1 + noise(i), i=1, argument(1, 100000))]
  allocate (xb(size(x)), source=0d0)
  y = forward_sweep(x)
  call check_close('the forward sweep computes what the original computes', y, original(x), abs(y), 1d-14)
  call report_count('tape bytes', tape_bytes())
  call adjoint(x, xb)
  call check_nothing_left()
  call check_against_function(original, x, xb, 1d-8)
  call finish()
end program linked_list
