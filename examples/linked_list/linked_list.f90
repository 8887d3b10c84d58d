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
  implicit none
  private
  public :: original, forward_sweep, adjoint

  type, bind(c), public :: node_t
    real(c_double) :: u = 0
    type(c_ptr) :: next = c_null_ptr, prev = c_null_ptr
  end type
  integer, parameter :: node_bytes = 24

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
    type(c_ptr) :: link, walk
    integer :: i
    link = c_null_ptr
    do i = 1, size(x)
      allocate (p)
      call live_add(c_loc(p), node_bytes, ADTAPE_KIND_HEAP, 'node')
      p%u = x(i)
      p%next = link
      if (c_associated(link)) then
        head => node(link)
        call push_pointer(head%prev)
        head%prev = c_loc(p)
      end if
      call push_pointer(link)
      link = c_loc(p)
    end do
    y = 0
    walk = link
    do while (c_associated(walk))
      p => node(walk)
      y = y + sin(p%u)*before(p)
      call push_pointer(walk)
      walk = p%next
    end do
    call push_pointer(link)
    do while (c_associated(link))
      p => node(link)
      link = p%next
      call push(p%u)
      call push_pointer(p%next)
      call push_pointer(p%prev)                      ! dangling: the node before is gone
      call live_end(c_loc(p))
      deallocate (p)
    end do
  end function

  ! ---- the reverse sweep -----------------------------------------------------------------------------

  ! reborn counts the nodes that came back, moved those of them that lie elsewhere, waiting the pointers that waited in
  ! the midst of it.
  subroutine adjoint(yb, xb, reborn, moved, waiting)
    real(c_double), intent(in) :: yb
    real(c_double), intent(inout) :: xb(:)
    integer(c_int64_t), intent(out) :: reborn, moved, waiting
    type(node_t), pointer :: p, pb, q, qb
    type(c_ptr) :: link, linkb, walk, walkb, none(0)
    type(adtape_range) :: range
    integer :: i
    reborn = 0
    moved = 0
    call begin_reverse()
    do i = 1, size(xb)
      call pop_range(range)
      allocate (pb)                                  ! first, so that it gets the node's old address
      allocate (p)
      call rebase_add(range, c_loc(p), c_loc(pb), node_bytes)
      reborn = reborn + 1
      if (.not. c_associated(range%base, c_loc(p))) moved = moved + 1
      call pop_pointer(p%prev, pb%prev)
      call pop_pointer(p%next, pb%next)
      call pop(p%u)
      if (i == size(xb)/2) call pointer_waiting(none, waiting)
    end do
    call pop_pointer(link, linkb)
    do i = 1, size(xb)
      call pop_pointer(walk, walkb)
      p => node(walk)
      pb => node(walkb)
      pb%u = pb%u + cos(p%u)*before(p)*yb
      if (c_associated(p%prev)) then
        qb => node(pb%prev)
        qb%u = qb%u + sin(p%u)*yb
      end if
    end do
    do i = size(xb), 1, -1
      p => node(link)
      pb => node(linkb)
      xb(i) = xb(i) + pb%u
      call pop_pointer(link, linkb)
      if (c_associated(link)) then
        q => node(link)
        qb => node(linkb)
        call pop_pointer(q%prev, qb%prev)
      end if
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
  real(c_double), parameter :: h = 1.0d-5
  real(c_double), allocatable :: x(:), xb(:), direction(:)
  real(c_double) :: value, difference
  type(adtape_live_counts) :: counts
  integer(c_int64_t) :: reborn, moved, waiting
  integer :: n, i
  n = argument(1, 100000)
  x = [(1 + noise(i), i=1, n)]
  direction = [(noise(i + 31), i=1, n)]
  allocate (xb(n))
  xb = 0
  value = forward_sweep(x)
  call check_close('the forward sweep computes what the original computes', value, original(x), abs(value), 1.0d-14)
  call report_count('tape bytes', tape_bytes())
  call adjoint(1.0d0, xb, reborn, moved, waiting)
  call check_count('pointers waiting in the midst of it', waiting, 2_c_int64_t)
  call check_tape_empty('bytes on the tape after the adjoint')
  call live_stats(counts)
  call check_count('ranges left alive', counts%ranges, 0_c_int64_t)
  call check_count('pointers left waiting', counts%waiting, 0_c_int64_t)
  call report_count('blocks that came back', reborn)
  call check_count('some of them elsewhere', min(moved, 1_c_int64_t), 1_c_int64_t)
  difference = (original(x + h*direction) - original(x - h*direction))/(2*h)
  call check_close('the gradient against finite differences', dot_product(xb, direction), difference, &
    sum(abs(xb*direction)), 1.0d-8)
  call finish()
end program linked_list
