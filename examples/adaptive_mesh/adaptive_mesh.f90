! adaptive_mesh.f90: an adaptive mesh on the stable heap; adaptive_mesh.c in Fortran, through C_F_POINTER.
!
! Cells are refined where a front passes and coarsened behind it, in a linked list of type(c_ptr) that allocates and
! frees while it steps. In the reverse sweep a cell comes back where it was, and its adjoint is one addition away.
!
!   adaptive_mesh [cells [steps]]       by default 80000 and 25
module adaptive_mesh
  use, intrinsic :: iso_c_binding
  use adtape
  use example
  implicit none
  private
  public :: mesh, forward, reverse

  integer, parameter :: max_level = 3
  real(8), parameter :: dt = 0.3d0
  integer, parameter :: keep = 0, refined = 1, coarsened = 2

  ! A cell of level l is 2**(-l) as wide as one of the first mesh; of its values it has 4 + 4 l.
  type, bind(c) :: cell
    type(c_ptr) :: next = c_null_ptr
    integer(c_int64_t) :: index = 0
    integer(c_int32_t) :: level = 0, n = 0
    real(c_double) :: u(4 + 4*max_level) = 0
  end type

  type :: mesh
    integer :: cells = 0, steps = 0
    logical :: recording = .false.
    type(adtape_heap) :: h                               ! for runs without records
    type(c_ptr) :: head = c_null_ptr
    integer(8) :: made = 0
  end type

contains

  function at(p) result(c)
    type(c_ptr), intent(in) :: p
    type(cell), pointer :: c
    call c_f_pointer(p, c)
  end function

  function adjoint(p) result(cb)
    type(c_ptr), intent(in) :: p
    type(cell), pointer :: cb
    call c_f_pointer(heap_adjoint(p), cb)
  end function

  integer(c_int64_t) function bytes_of(level)
    integer, intent(in) :: level
    bytes_of = 24 + 8*(4 + 4*level)
  end function

  function new_cell(m, level, index) result(p)
    type(mesh), intent(inout) :: m
    integer, intent(in) :: level
    integer(8), intent(in) :: index
    type(c_ptr) :: p
    type(cell), pointer :: c
    if (m%recording) then
      p = heap_alloc(bytes_of(level))
    else
      p = heap_alloc(m%h, adtape_self(), bytes_of(level))
    end if
    call describe(p, level, index, c_null_ptr)
    c => at(p)
    c%u(:c%n) = 0
    m%made = m%made + 1
  end function

  subroutine free_cell(m, p)
    type(mesh), intent(in) :: m
    type(c_ptr), intent(in) :: p
    if (m%recording) then
      call heap_free(p)
    else
      call heap_free(m%h, adtape_self(), p)
    end if
  end subroutine

  subroutine describe(p, level, index, next)
    type(c_ptr), intent(in) :: p, next
    integer, intent(in) :: level
    integer(8), intent(in) :: index
    type(cell), pointer :: c
    c => at(p)
    c%level = level
    c%n = 4 + 4*level
    c%index = index
    c%next = next
  end subroutine

  real(8) function width(m, c)
    type(mesh), intent(in) :: m
    type(cell), intent(in) :: c
    width = 1d0/(real(m%cells, 8)*2d0**c%level)
  end function

  logical function is_near(m, c, k)
    type(mesh), intent(in) :: m
    type(cell), intent(in) :: c
    integer, intent(in) :: k
    is_near = abs((c%index + 0.5d0)*width(m, c) - (0.1d0 + 0.8d0*k/m%steps)) < 0.05d0
  end function

  ! Which value of the parent the value j of its left (0) or right (1) child is.
  integer function source(parent, child, right, j)
    type(cell), intent(in) :: parent, child
    integer, intent(in) :: right, j
    source = (right*child%n + j - 1)*parent%n/(2*child%n) + 1
  end function

  ! ---- forward sweep -------------------------------------------------------------------------------

  function refine(m, p) result(pa)
    type(mesh), intent(inout) :: m
    type(c_ptr), intent(in) :: p
    type(c_ptr) :: pa, pb
    type(cell), pointer :: c, a, b
    integer :: j
    c => at(p)
    pa = new_cell(m, c%level + 1, 2*c%index)
    pb = new_cell(m, c%level + 1, 2*c%index + 1)
    a => at(pa)
    b => at(pb)
    do j = 1, a%n
      a%u(j) = c%u(source(c, a, 0, j))
      b%u(j) = c%u(source(c, b, 1, j))
    end do
    a%next = pb
    b%next = c%next
    call free_cell(m, p)
  end function

  function coarsen(m, pc) result(pp)
    type(mesh), intent(inout) :: m
    type(c_ptr), intent(in) :: pc
    type(c_ptr) :: pp, pd
    type(cell), pointer :: p, c, d
    integer :: j
    c => at(pc)
    pd = c%next
    d => at(pd)
    pp = new_cell(m, c%level - 1, c%index/2)
    p => at(pp)
    do j = 1, c%n
      p%u(source(p, c, 0, j)) = p%u(source(p, c, 0, j)) + real(p%n, 8)/(2*c%n)*c%u(j)
      p%u(source(p, d, 1, j)) = p%u(source(p, d, 1, j)) + real(p%n, 8)/(2*c%n)*d%u(j)
    end do
    p%next = d%next
    call free_cell(m, pc)
    call free_cell(m, pd)
  end function

  integer function what_to_do(m, c, k)
    type(mesh), intent(in) :: m
    type(cell), intent(in) :: c
    integer, intent(in) :: k
    type(cell), pointer :: d
    what_to_do = keep
    if (is_near(m, c, k)) then
      if (c%level < max_level) what_to_do = refined
    else if (c%level > 0 .and. mod(c%index, 2_8) == 0 .and. c_associated(c%next)) then
      d => at(c%next)
      if (d%level == c%level .and. .not. is_near(m, d, k)) what_to_do = coarsened
    end if
  end function

  subroutine adapt(m, k)
    type(mesh), intent(inout) :: m
    integer, intent(in) :: k
    type(c_ptr) :: before, present_cell, here, last
    type(cell), pointer :: c
    integer :: branch
    integer(8) :: count
    before = c_null_ptr
    present_cell = m%head
    count = 0
    do while (c_associated(present_cell))
      c => at(present_cell)
      branch = what_to_do(m, c, k)
      here = present_cell
      last = present_cell
      if (branch == refined) then
        here = refine(m, present_cell)
        c => at(here)
        last = c%next
      else if (branch == coarsened) then
        here = coarsen(m, present_cell)
        last = here
      end if
      if (m%recording) then
        call push(before)
        call push_control(branch, 2)
      end if
      call link(m, before, here)
      before = last
      c => at(last)
      present_cell = c%next
      count = count + 1
    end do
    if (m%recording) call push_count(count)
  end subroutine

  subroutine link(m, before, here)
    type(mesh), intent(inout) :: m
    type(c_ptr), intent(in) :: before, here
    type(cell), pointer :: b
    if (c_associated(before)) then
      b => at(before)
      b%next = here
    else
      m%head = here
    end if
  end subroutine

  subroutine evolve(m)
    type(mesh), intent(in) :: m
    type(c_ptr) :: p
    type(cell), pointer :: c
    real(8) :: left, last
    integer :: j
    integer(8) :: count
    left = 1
    count = 0
    p = m%head
    do while (c_associated(p))
      c => at(p)
      last = c%u(c%n)
      if (m%recording) then
        call push(c%u(:c%n))
        call push(left)
        call push(p)
      end if
      do j = c%n, 2, -1
        c%u(j) = c%u(j) - dt*c%u(j)*(c%u(j) - c%u(j - 1))
      end do
      c%u(1) = c%u(1) - dt*c%u(1)*(c%u(1) - left)
      left = last
      p = c%next
      count = count + 1
    end do
    if (m%recording) call push_count(count)
  end subroutine

  ! y, the integral of the square of u at the end.
  subroutine forward(m, x, y)
    type(mesh), intent(inout) :: m
    real(8), intent(in) :: x(:)
    real(8), intent(out) :: y
    type(c_ptr) :: p, last
    type(cell), pointer :: c
    integer :: i, j, k
    m%made = 0
    last = c_null_ptr
    do i = 1, m%cells
      p = new_cell(m, 0, i - 1_8)
      c => at(p)
      do j = 1, c%n
        c%u(j) = 1 + 0.1d0*x(i) + 0.01d0*noise(4*(i - 1) + j - 1)
      end do
      call link(m, last, p)
      last = p
    end do
    do k = 0, m%steps - 1
      call adapt(m, k)
      call evolve(m)
    end do
    y = 0
    p = m%head
    do while (c_associated(p))
      c => at(p)
      y = y + width(m, c)/c%n*sum(c%u(:c%n)**2)
      p = c%next
    end do
  end subroutine

  ! ---- reverse sweep -------------------------------------------------------------------------------

  function refine_b(pa) result(pc)
    type(c_ptr), intent(in) :: pa
    type(c_ptr) :: pb, pc
    type(cell), pointer :: a, b, c, ab, bb, cb
    integer :: j
    pc = heap_undo_free()
    a => at(pa)
    pb = a%next
    b => at(pb)
    call describe(pc, a%level - 1, a%index/2, b%next)
    c => at(pc)
    ab => adjoint(pa)
    bb => adjoint(pb)
    cb => adjoint(pc)
    do j = a%n, 1, -1
      cb%u(source(c, b, 1, j)) = cb%u(source(c, b, 1, j)) + bb%u(j)
      cb%u(source(c, a, 0, j)) = cb%u(source(c, a, 0, j)) + ab%u(j)
    end do
    call heap_undo_alloc()
    call heap_undo_alloc()
  end function

  function coarsen_b(pp) result(pc)
    type(c_ptr), intent(in) :: pp
    type(c_ptr) :: pc, pd
    type(cell), pointer :: p, c, d, pb, cb, db
    integer :: j
    pd = heap_undo_free()
    pc = heap_undo_free()
    p => at(pp)
    call describe(pd, p%level + 1, 2*p%index + 1, p%next)
    call describe(pc, p%level + 1, 2*p%index, pd)
    c => at(pc)
    d => at(pd)
    pb => adjoint(pp)
    cb => adjoint(pc)
    db => adjoint(pd)
    do j = c%n, 1, -1
      db%u(j) = db%u(j) + real(p%n, 8)/(2*c%n)*pb%u(source(p, d, 1, j))
      cb%u(j) = cb%u(j) + real(p%n, 8)/(2*c%n)*pb%u(source(p, c, 0, j))
    end do
    call heap_undo_alloc()
  end function

  subroutine adapt_b(m)
    type(mesh), intent(inout) :: m
    type(c_ptr) :: before, here
    type(cell), pointer :: b
    integer(8) :: count
    integer :: branch
    call pop_count(count)
    do while (count > 0)
      call pop_control(branch, 2)
      call pop(before)
      here = m%head
      if (c_associated(before)) then
        b => at(before)
        here = b%next
      end if
      if (branch == refined) then
        here = refine_b(here)
      else if (branch == coarsened) then
        here = coarsen_b(here)
      end if
      call link(m, before, here)
      count = count - 1
    end do
  end subroutine

  subroutine evolve_b()
    type(c_ptr) :: p
    type(cell), pointer :: c, cb
    real(8) :: left, leftb, lastb
    integer(8) :: count
    integer :: j
    leftb = 0
    call pop_count(count)
    do while (count > 0)
      call pop(p)
      call pop(left)
      c => at(p)
      cb => adjoint(p)
      call pop(c%u(:c%n))
      lastb = leftb
      leftb = dt*c%u(1)*cb%u(1)
      cb%u(1) = (1 - dt*(2*c%u(1) - left))*cb%u(1)
      do j = 2, c%n
        cb%u(j - 1) = cb%u(j - 1) + dt*c%u(j)*cb%u(j)
        cb%u(j) = (1 - dt*(2*c%u(j) - c%u(j - 1)))*cb%u(j)
      end do
      cb%u(c%n) = cb%u(c%n) + lastb
      count = count - 1
    end do
  end subroutine

  subroutine reverse(m, xb)
    type(mesh), intent(inout) :: m
    real(8), intent(out) :: xb(:)
    type(c_ptr) :: p
    type(cell), pointer :: c, cb
    integer :: i, k
    call heap_begin_reverse(heap_self())
    p = m%head
    do while (c_associated(p))
      c => at(p)
      cb => adjoint(p)
      cb%u(:c%n) = 2*width(m, c)/c%n*c%u(:c%n)
      p = c%next
    end do
    do k = m%steps - 1, 0, -1
      call evolve_b()
      call adapt_b(m)
    end do
    p = m%head
    do i = 1, m%cells
      c => at(p)
      cb => adjoint(p)
      xb(i) = 0.1d0*sum(cb%u(:c%n))
      p = c%next
    end do
    do i = m%cells, 1, -1
      call heap_undo_alloc()
    end do
  end subroutine

end module

program adaptive_mesh_program
  use, intrinsic :: iso_c_binding
  use adtape
  use example
  use adaptive_mesh
  implicit none
  type(mesh) :: m
  type(adtape_heap_stats) :: stats
  real(8), allocatable :: x(:), xb(:)
  real(8) :: y
  integer :: i

  m%cells = argument(1, 80000)
  m%steps = argument(2, 25)
  x = [(noise(i), i=0, m%cells - 1)]
  allocate (xb(m%cells))
  m%recording = .true.
  call forward(m, x, y)
  call report_count('cells made', m%made)
  call report_count('tape bytes', tape_bytes())
  call reverse(m, xb)
  call heap_end_reverse(heap_self())
  call check_nothing_left()
  call heap_stats(heap_self(), stats)
  call check_count('cells alive after it', stats%blocks, 0_8)
  call report_count('most bytes of cells alive', stats%peak_bytes)
  call check_close('the forward sweep computes what the original computes', y, original(x), abs(y), 1d-14)
  call check_against_function(original, x, xb, 1d-6)
  call finish()

contains

  ! Without records, on a heap of its own.
  real(8) function original(x)
    real(8), intent(in) :: x(:)
    type(mesh) :: plain
    plain%cells = m%cells
    plain%steps = m%steps
    call heap_create(plain%h, 0, 0_c_int64_t)
    call heap_set_recording(plain%h, .false.)
    call forward(plain, x, original)
    call heap_destroy(plain%h)
  end function

end program
