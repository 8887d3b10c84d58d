! A doubly linked list that is built, walked and destroyed: pointers in blocks, pointers to blocks that are gone.
!
!   y = sum over the nodes of sin(u) * u of the node before (1 for the first)
!
! The list is destroyed from its head. What pointed back from the second node was left dangling, is pushed when that
! node goes, and comes back before the first node does: it waits. The links are type(c_ptr), which can wait; a Fortran
! pointer is made of one by c_f_pointer where it is used.
module linked_list_sweeps
  use, intrinsic :: iso_c_binding
  use adtape
  use example
  use blocks
  implicit none
  private
  public :: original, forward_sweep, adjoint

  type, bind(c) :: node_t
    real(c_double) :: u = 0
    type(c_ptr) :: next = c_null_ptr, prev = c_null_ptr
  end type
  integer(c_int64_t), parameter :: node_bytes = 24

contains

  function node(link) result(p)
    type(c_ptr), intent(in) :: link
    type(node_t), pointer :: p
    call c_f_pointer(link, p)
  end function

  ! u of the node before.
  real(c_double) function before(p)
    type(node_t), intent(in) :: p
    type(node_t), pointer :: q
    before = 1
    if (.not. c_associated(p%prev)) return
    q => node(p%prev)
    before = q%u
  end function

  ! ---- the original, without a list: the last value is at the head ------------------------------------

  real(c_double) function original(x) result(y)
    real(c_double), intent(in) :: x(:)
    integer :: i
    y = sin(x(size(x)))
    do i = size(x) - 1, 1, -1
      y = y + sin(x(i))*x(i + 1)
    end do
  end function

  ! ---- the forward sweep -----------------------------------------------------------------------------

  real(c_double) function forward_sweep(x) result(y)
    real(c_double), intent(in) :: x(:)
    type(node_t), pointer :: p, head
    type(c_ptr) :: link, walk, fresh
    integer :: i
    link = c_null_ptr
    do i = 1, size(x)
      fresh = birth(node_bytes, 'node')
      p => node(fresh)
      p%u = x(i)
      p%next = link
      if (c_associated(link)) then
        head => node(link)
        call push_link(head%prev)
        head%prev = fresh
      end if
      call push_link(link)
      link = fresh
    end do
    y = 0
    walk = link
    do while (c_associated(walk))
      p => node(walk)
      y = y + sin(p%u)*before(p)
      call push_link(walk)
      walk = p%next
    end do
    call push_link(link)
    do while (c_associated(link))
      walk = link
      p => node(walk)
      link = p%next
      call push(p%u)
      call push_link(p%next)
      call push_link(p%prev)                         ! dangling: the node before is gone
      call death(walk)
    end do
  end function

  ! ---- the reverse sweep -----------------------------------------------------------------------------

  subroutine adjoint(x, xb)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(inout) :: xb(:)
    type(node_t), pointer :: p, pb, q, qb
    type(c_ptr), target :: link, linkb, walk, walkb
    type(c_ptr) :: none(0)
    integer(c_int64_t) :: waiting
    integer :: i
    call turn()
    do i = 1, size(x)
      call rebirth(walk, walkb)
      p => node(walk)
      pb => node(walkb)
      call pop_link(p%prev, pb%prev)
      call pop_link(p%next, pb%next)
      call pop(p%u)
      if (i == size(x)/2 .and. over == over_maps) then
        call pointer_waiting(none, waiting)
        call check_count('pointers waiting in the midst of it', waiting, 2_c_int64_t)
      end if
    end do
    call pop_link(link, linkb)
    do i = 1, size(x)
      call pop_link(walk, walkb)
      p => node(walk)
      pb => node(walkb)
      pb%u = pb%u + cos(p%u)*before(p)
      if (c_associated(p%prev)) then
        qb => node(pb%prev)
        qb%u = qb%u + sin(p%u)
      end if
    end do
    do i = size(x), 1, -1
      walk = link
      pb => node(linkb)
      xb(i) = xb(i) + pb%u
      call pop_link(link, linkb)
      if (c_associated(link)) then
        q => node(link)
        qb => node(linkb)
        call pop_link(q%prev, qb%prev)
      end if
      call unborn(walk)
    end do
  end subroutine

end module linked_list_sweeps

program linked_list
  use, intrinsic :: iso_c_binding
  use example
  use blocks
  use linked_list_sweeps
  implicit none
  integer :: n, i
  n = 100000
  call choose_memory(n)
  call check_over_both(original, forward_sweep, adjoint, [(1 + noise(i), i=1, n)], 1.0d-5, 1.0d-8)
  call finish()
end program linked_list
