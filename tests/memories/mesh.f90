! An adaptive mesh: blocks that are allocated and freed while stepping, 10^5 of them alive; mesh.c in Fortran.
!
! Each block has 2 or 4 cells and a link to its right neighbour, a type(c_ptr). A step moves each block's first cell
! towards its neighbour's, then refines or coarsens every seventh block: a block of the other size takes its place, and
! the link of its left neighbour is redirected. y = sum of the squares of all cells.
module mesh_sweeps
  use, intrinsic :: iso_c_binding
  use adtape
  use blocks
  implicit none
  private
  public :: original, forward_sweep, adjoint

  ! Of u, a block has as much as it has cells.
  type, bind(c) :: block_t
    integer(c_int64_t) :: cells = 0
    type(c_ptr) :: right = c_null_ptr
    real(c_double) :: u(4) = 0
  end type
  integer, parameter :: steps = 6, every = 7

  ! The blocks, and their adjoints in the reverse sweep.
  type(c_ptr), allocatable, target :: mesh(:), meshb(:)

contains

  function at(link) result(p)
    type(c_ptr), intent(in) :: link
    type(block_t), pointer :: p
    call c_f_pointer(link, p)
  end function

  pure logical function adapts(i, step)
    integer, intent(in) :: i, step
    adapts = mod(i + step, every) == 0
  end function

  pure integer(c_int64_t) function bytes_of(cells)
    integer(c_int64_t), intent(in) :: cells
    bytes_of = 16 + 8*cells
  end function

  ! The values of a block of another size: each cell twice, or the mean of two.
  pure function interpolated(u) result(v)
    real(c_double), intent(in) :: u(:)
    real(c_double) :: v(6 - size(u))
    if (size(u) == 2) then
      v = [u(1), u(1), u(2), u(2)]
    else
      v = 0.5d0*(u(1:3:2) + u(2:4:2))
    end if
  end function

  ! What the values of a block get from those of the block that took its place.
  pure function interpolated_b(vb) result(ub)
    real(c_double), intent(in) :: vb(:)
    real(c_double) :: ub(6 - size(vb))
    if (size(vb) == 4) then
      ub = vb(1:3:2) + vb(2:4:2)
    else
      ub = 0.5d0*[vb(1), vb(1), vb(2), vb(2)]
    end if
  end function

  ! ---- the original, whose blocks are in an array -------------------------------------------------------

  real(c_double) function original(x) result(y)
    real(c_double), intent(in) :: x(:)
    real(c_double) :: u(4, size(x))
    integer :: cells(size(x)), i, step
    cells = 2
    u(1, :) = x
    u(2, :) = 2*x
    do step = 0, steps - 1
      do i = 1, size(x) - 1
        u(1, i) = u(1, i) + 0.1d0*sin(u(1, i))*u(1, i + 1)
      end do
      do i = 1, size(x)
        if (.not. adapts(i, step)) cycle
        u(:6 - cells(i), i) = interpolated(u(:cells(i), i))
        cells(i) = 6 - cells(i)
      end do
    end do
    y = 0
    do i = 1, size(x)
      y = y + sum(u(:cells(i), i)**2)
    end do
  end function

  ! ---- the forward sweep -----------------------------------------------------------------------------------

  ! The mesh stays alive: it is there at the reversal point.
  real(c_double) function forward_sweep(x) result(y)
    real(c_double), intent(in) :: x(:)
    type(block_t), pointer :: p, q
    integer :: n, i, step
    n = size(x)
    allocate (mesh(n), meshb(n))
    do i = n, 1, -1
      mesh(i) = birth(bytes_of(2_c_int64_t), 'block')
      p => at(mesh(i))
      p%cells = 2
      p%u(:2) = [x(i), 2*x(i)]
      if (i < n) p%right = mesh(i + 1)
    end do
    do step = 0, steps - 1
      do i = 1, n - 1
        p => at(mesh(i))
        q => at(p%right)
        call push(p%u(1))
        p%u(1) = p%u(1) + 0.1d0*sin(p%u(1))*q%u(1)
      end do
      do i = 1, n
        if (adapts(i, step)) call replace_block(i)
      end do
    end do
    y = 0
    do i = 1, n
      p => at(mesh(i))
      y = y + sum(p%u(:p%cells)**2)
    end do
  end function

  subroutine replace_block(i)
    integer, intent(in) :: i
    type(block_t), pointer :: p, old, left
    type(c_ptr) :: was
    was = mesh(i)
    old => at(was)
    call push_link(mesh(i))
    mesh(i) = birth(bytes_of(6 - old%cells), 'block')
    p => at(mesh(i))
    p%cells = 6 - old%cells
    p%right = old%right
    p%u(:p%cells) = interpolated(old%u(:old%cells))
    if (i > 1) then
      left => at(mesh(i - 1))
      call push_link(left%right)
      left%right = mesh(i)
    end if
    call push(old%u(:old%cells))
    call push_link(old%right)
    call push_count(old%cells)
    call death(was)
  end subroutine

  ! ---- the reverse sweep -----------------------------------------------------------------------------------

  subroutine adjoint(x, xb)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(inout) :: xb(:)
    type(block_t), pointer :: p, pb, q, qb
    real(c_double) :: ub
    integer :: n, i, step
    n = size(x)
    call turn()
    do i = n, 1, -1                                  ! links of adjoints, which a tool keeps from the start
      meshb(i) = adjoint_of(mesh(i))
      p => at(mesh(i))
      pb => at(meshb(i))
      if (i < n) pb%right = meshb(i + 1)
      pb%u(:p%cells) = 2*p%u(:p%cells)
    end do
    do step = steps - 1, 0, -1
      do i = n, 1, -1
        if (adapts(i, step)) call replace_block_b(i)
      end do
      do i = n - 1, 1, -1
        p => at(mesh(i))
        pb => at(meshb(i))
        q => at(p%right)
        qb => at(pb%right)
        ub = pb%u(1)
        call pop(p%u(1))
        pb%u(1) = pb%u(1) + 0.1d0*cos(p%u(1))*q%u(1)*ub
        qb%u(1) = qb%u(1) + 0.1d0*sin(p%u(1))*ub
      end do
    end do
    do i = 1, n
      pb => at(meshb(i))
      xb(i) = xb(i) + pb%u(1) + 2*pb%u(2)
      call unborn(mesh(i))
    end do
    deallocate (mesh, meshb)
  end subroutine

  subroutine replace_block_b(i)
    integer, intent(in) :: i
    type(block_t), pointer :: p, pb, old, oldb, left, leftb
    type(c_ptr) :: taken, was, wasb
    taken = mesh(i)
    p => at(taken)
    pb => at(meshb(i))
    call rebirth(was, wasb)
    old => at(was)
    oldb => at(wasb)
    call pop_count(old%cells)
    call pop_link(old%right, oldb%right)
    call pop(old%u(:old%cells))
    if (i > 1) then
      left => at(mesh(i - 1))
      leftb => at(meshb(i - 1))
      call pop_link(left%right, leftb%right)
    end if
    oldb%u(:old%cells) = oldb%u(:old%cells) + interpolated_b(pb%u(:p%cells))
    call unborn(taken)
    call pop_link(mesh(i), meshb(i))
  end subroutine

end module mesh_sweeps

program mesh
  use, intrinsic :: iso_c_binding
  use example
  use blocks
  use mesh_sweeps
  implicit none
  integer :: n, i
  n = 100000
  call choose_memory(n)
  call report_count('blocks alive', int(n, c_int64_t))
  call check_over_both(original, forward_sweep, adjoint, [(1 + noise(i), i=1, n)], 1.0d-5, 1.0d-8)
  call finish()
end program mesh
