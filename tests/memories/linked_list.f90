! A doubly linked list that is built, walked and destroyed: pointers in blocks, pointers to blocks that are gone.
!
!   y = sum over the nodes of sin(u) * u of the node before (1 for the first)
!
! The list is destroyed from its head. What pointed back from the second node was left dangling, is pushed when that
! node goes, and comes back before the first node does: it waits. So it is twice, with the same original:
!
!   of Fortran pointers   nodes are allocated and deallocated, links are pointers to them
!   over blocks           those of blocks.f90, over maps and over the stable heap. Links are type(c_ptr), and a Fortran
!                         pointer is made of one by c_f_pointer where it is used
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

module list_of_pointers
  use, intrinsic :: iso_c_binding
  use adtape
  use blocks, only: identity_of_pointers
  use example
  use nodes
  use node_pointers
  implicit none
  private
  public :: forward_of_pointers, adjoint_of_pointers
  type(node), pointer :: ignored => null()

contains

  real(c_double) function before(p)
    type(node), intent(in) :: p
    before = 1
    if (associated(p%prev)) before = p%prev%u
  end function

  ! ---- the forward sweep -----------------------------------------------------------------------------

  ! With an identity map the address goes onto the tape as well.
  subroutine push_node(p)
    type(node), pointer, intent(in) :: p
    if (identity_of_pointers) call push(address_of(p))
    call push_pointer(p)
  end subroutine

  type(c_ptr) function address_of(p)
    type(node), pointer, intent(in) :: p
    address_of = c_null_ptr
    if (associated(p)) address_of = c_loc(p)
  end function

  real(c_double) function forward_of_pointers(x) result(y)
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
        call push_node(head%prev)
        head%prev => p
      end if
      call push_node(head)
      head => p
    end do
    y = 0
    p => head
    do while (associated(p))
      y = y + sin(p%u)*before(p)
      call push_node(p)
      p => p%next
    end do
    call push_node(head)
    do while (associated(head))
      p => head
      head => p%next
      call push(p%u)
      call push_node(p%next)
      call push_node(p%prev)                         ! dangling: the node before is gone
      call live_end(c_loc(p))
      deallocate (p)
    end do
  end function

  ! ---- the reverse sweep -----------------------------------------------------------------------------

  ! And is taken for that of now.
  subroutine pop_node(p, pb)
    type(node), pointer, intent(inout) :: p, pb
    type(c_ptr) :: address
    if (.not. identity_of_pointers) then
      call pop_pointer(p, pb)
      return
    end if
    call pop_pointer(ignored, pb)
    call pop(address)
    call c_f_pointer(address, p)
  end subroutine

  ! The adjoint is allocated first: it lies where the node lay, if freed addresses are given out at once.
  subroutine adjoint_of_pointers(x, xb)
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
      call pop_node(p%prev, pb%prev)
      call pop_node(p%next, pb%next)
      call pop(p%u)
      if (i == size(x)/2 .and. .not. identity_of_pointers) then
        call live_stats(counts)
        call check_count('pointers waiting in the midst of it', counts%waiting, 2_c_int64_t)
      end if
    end do
    call pop_node(head, headb)
    do i = 1, size(x)
      call pop_node(p, pb)
      pb%u = pb%u + cos(p%u)*before(p)
      if (associated(p%prev)) pb%prev%u = pb%prev%u + sin(p%u)
    end do
    do i = size(x), 1, -1
      p => head
      pb => headb
      xb(i) = xb(i) + pb%u
      call pop_node(head, headb)
      if (associated(head)) call pop_node(head%prev, headb%prev)
      call rebase_remove(c_loc(p))
      deallocate (p, pb)
    end do
  end subroutine

end module list_of_pointers

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
        call live_list_waiting(none, waiting)
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
  use adtape
  use example
  use blocks
  use linked_list_sweeps
  use list_of_pointers
  implicit none
  integer :: n, i
  n = 100000
  call choose_memory(n)
  call check_pointers([(1 + noise(i), i=1, n)], [(noise(i + 31), i=1, n)], 1.0d-5)
  call check_over_both(original, forward_sweep, adjoint, [(1 + noise(i), i=1, n)], 1.0d-5, 1.0d-8)
  call finish()

contains

  subroutine check_pointers(x, direction, step)
    real(c_double), intent(in) :: x(:), direction(:), step
    real(c_double) :: xb(size(x)), value
    type(adtape_live_stats) :: counts
    print '(a)', '-- of Fortran pointers'
    xb = 0
    value = forward_of_pointers(x)
    call check_close('the forward sweep computes what the original computes', value, original(x), abs(value), 1d-14)
    call report_count('tape bytes', tape_bytes())
    call adjoint_of_pointers(x, xb)
    call check_tape_empty('bytes on the tape after the adjoint')
    call live_stats(counts)
    call check_count('ranges left alive', counts%ranges, 0_c_int64_t)
    call check_count('pointers left waiting', counts%waiting, 0_c_int64_t)
    call check_close('the gradient against finite differences', dot_product(xb, direction), &
      (original(x + step*direction) - original(x - step*direction))/(2*step), sum(abs(xb*direction)), 1d-8)
  end subroutine

end program linked_list
