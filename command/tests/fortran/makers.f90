! Procedures that allocate for what calls them.
module store
  implicit none
  real(8), allocatable :: flux(:), work(:, :)
  integer, allocatable :: place(:)
contains
  subroutine init(n)
    integer, intent(in) :: n
    allocate (flux(0:n), work(n, 2), place(-1:n - 2))
    call find_places(n)
    flux = 0.5d0
    work = 1.d0
  end subroutine

  subroutine finish()
    deallocate (flux, work, place)
  end subroutine

  ! Without a derivative.
  subroutine find_places(n)
    integer, intent(in) :: n
    integer :: k
    do k = 1, n
      place(k - 2) = 1 + mod(3*k, n)
    end do
  end subroutine

  integer function last_place()
    last_place = place(ubound(place, 1))
  end function
end module

module makers
  use store
  implicit none

  type layer
    integer :: n = 0
    real(8), allocatable :: w(:, :), b(:)
  end type

  type sized
    integer :: n
    real(8) :: dx
  end type

  type p0
    real(8) :: x(3), m
  end type
  type, extends(p0) :: p1
    real(8) :: q
  end type
  type, extends(p1) :: p2
    real(8) :: z
  end type
contains
  subroutine filled(n, x, w, last)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), allocatable, intent(out) :: w(:)
    integer, intent(out) :: last
    integer :: i
    last = 0
    allocate (w(0:n - 1))
    w = 2.d0
    do i = 0, n - 1
      w(i) = x(i + 1)**2
      if (i == 4) return
      last = i
    end do
  end subroutine

  ! A dummy that is allocated, twice, and with a name that the caller has, too.
  subroutine by_dummy(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    real(8), allocatable :: v(:)
    integer :: i
    call filled(5, x, v, i)
    y(i) = y(i)*v(0)*v(lbound(v, 1) + i)
    call filled(n=4, x=x(2:), w=v, last=i)
    y(1:size(v)) = y(1:size(v))*v
    x(i) = sin(v(i))
  end subroutine

  subroutine append(list, value)
    real(8), allocatable, intent(inout) :: list(:)
    real(8), intent(in) :: value
    real(8), allocatable :: longer(:)
    if (.not. allocated(list)) allocate (list(0))
    allocate (longer(size(list) + 1))
    longer(1:size(list)) = list*value
    longer(size(longer)) = value
    call move_alloc(longer, list)
    call scaled(list)
  end subroutine

  subroutine scaled(list, factor)
    real(8), intent(inout) :: list(0:)
    real(8), intent(in), optional :: factor
    if (present(factor)) list = list*factor
    list(0) = list(0)*1.5d0
  end subroutine

  ! A list that grows by MOVE_ALLOC and by assignment.
  subroutine by_growth(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    real(8), allocatable :: list(:), s
    call scalar(x(3), s)
    x(3) = s*y(3)
    call append(list, x(1))
    call append(list, x(2)*y(1))
    call append(list, list(1)*list(2))
    call doubled(list)
    y(1:size(list)) = list**2
  end subroutine

  subroutine doubled(list)
    real(8), allocatable, intent(inout) :: list(:)
    list = [list, list(1)*list]
  end subroutine

  function slopes(x) result(s)
    real(8), intent(in) :: x(:)
    real(8), allocatable :: s(:)
    integer :: i
    allocate (s(size(x)))
    s(1) = 0.d0
    do i = 2, size(x)
      s(i) = x(i)*x(i) - x(i - 1)
    end do
  end function

  function squares(x)
    real(8), intent(in) :: x(:)
    real(8), allocatable :: squares(:)
    squares = x*x
  end function

  ! Results that are allocated, in expressions and in a loop.
  subroutine by_result(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    real(8), allocatable :: w(:)
    integer :: k
    allocate (w, source=slopes(x))
    y = y*slopes(w + x)*squares(w)
    do k = 1, 2
      x = 0.5d0*squares(x) + slopes(slopes(x))*0.1d0
    end do
    y(1) = y(1)*sum(squares(x(1:n:2)))
  end subroutine

  subroutine step_flux(n, x)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    integer :: i
    do i = 1, n
      flux(i) = flux(i - 1)*x(i) + work(i, 1)
      work(i, 2) = flux(i)**2
    end do
  end subroutine

  ! Variables of a module that live as long as the call.
  subroutine by_module(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer :: k
    call init(n)
    do k = 1, 3
      call step_flux(n, x)
      work(:, 1) = work(:, 2)*x
    end do
    call find_places(n)
    y = y*flux(1:) + work(place, 1) + ubound(flux, 1)
    y(last_place()) = y(1)*x(place(-1))
    call finish()
    if (allocated(flux)) y = 0.d0
    call init(2)
    y(1) = y(1)*sum(flux)*x(2)
    call finish()
  end subroutine

  subroutine make(this, n, m, scale)
    type(layer), intent(out) :: this
    integer, intent(in) :: n, m
    real(8), intent(in), optional :: scale
    integer :: i, j
    this%n = n
    allocate (this%w(n, m), this%b(n))
    do j = 1, m
      do i = 1, n
        this%w(i, j) = 0.1d0*(i - j)
      end do
    end do
    this%b = 0.3d0
    if (present(scale)) this%w = this%w*scale
  end subroutine

  subroutine forward(this, x, y)
    type(layer), intent(in) :: this
    real(8), intent(in) :: x(:)
    real(8), intent(out) :: y(this%n)
    y = tanh(matmul(this%w, x) + this%b)
  end subroutine

  pure real(8) function weight(this)
    type(layer), intent(in) :: this
    weight = sum(this%w**2) + sum(this%b)
  end function

  subroutine drop(this)
    type(layer), intent(inout) :: this
    deallocate (this%w, this%b)
  end subroutine

  ! Components that other procedures allocate, read and free.
  subroutine by_component(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    type(layer) :: one, two
    real(8) :: hidden(3)
    call make(one, 3, n, x(1))
    call make(two, n, 3)
    two%b = two%b*x
    call forward(one, x, hidden)
    call forward(two, hidden, y)
    y(1) = y(1) + weight(one)*weight(two)
    call drop(one)
    call make(one, 2, 2, scale=y(2))
    y(3) = weight(one)
  end subroutine

  ! A procedure inside allocates for the one around it.
  subroutine by_inside(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    real(8), allocatable :: w(:)
    integer :: k
    call prepare(3)
    do k = 1, n
      y(k) = y(k)*w(1 + mod(k, 3))*level()
      call change(k)
    end do
  contains
    subroutine prepare(m)
      integer, intent(in) :: m
      allocate (w(m))
      w = x(1:m)**2
    end subroutine

    real(8) function level()
      level = sum(w)
    end function

    subroutine change(k)
      integer, intent(in) :: k
      w(1) = w(1)*w(2)*x(k)
    end subroutine
  end subroutine

  subroutine scalar(x, s)
    real(8), intent(in) :: x
    real(8), allocatable, intent(out) :: s
    s = x*x
  end subroutine

  ! Memory of each pass.
  subroutine by_pass(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    real(8), allocatable :: v(:)
    integer :: k, i
    do k = 1, n - 1
      call filled(k, x, v, i)
      y(k) = y(k)*sum(v)
      x(k) = x(k)*v(0) + 0.1d0*x(k + 1)
      deallocate (v)
    end do
  end subroutine

  ! Extents in memory of the procedure, whose contents the reverse sweep has later than the arrays.
  subroutine by_size(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    type(sized) :: s
    real(8), allocatable :: h(:)
    integer :: i
    s%n = n - 1
    s%dx = x(1)
    allocate (h(s%n))
    do i = 1, s%n
      h(i) = x(i)*s%dx
      h(i) = h(i)**2
    end do
    y(1:s%n) = y(1:s%n)*h*s%dx
  end subroutine

  subroutine by_element(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer, allocatable :: k(:)
    real(8), allocatable :: h(:)
    integer :: i
    allocate (k(n))
    do i = 1, n
      k(i) = mod(3*i, n) + 1
    end do
    allocate (h(k(2)))
    do i = 1, k(2)
      h(i) = x(k(i))
      h(i) = h(i)**2
    end do
    y(1:k(2)) = y(1:k(2))*h
  end subroutine

  ! Returns to labels.
  subroutine labels(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer :: i
    do i = 1, n
      call chk(y(i), *10, *20)
      y(i) = y(i)*2
      cycle
10    y(i) = y(i)*x(i)
      cycle
20    y(i) = sin(y(i))
    end do
    call chk(x(2), *30, *30)
    x(1) = x(1)*x(2)
30  continue
    x(3) = x(3)*x(1)
  end subroutine
  subroutine chk(v, *, *)
    real(8) :: v
    v = v*1.5d0
    if (v > 1.7d0) return 1
    if (v > 1.d0) return 2
    v = v*v
  end subroutine

  ! Components by the type that is extended.
  subroutine parents(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    type(p2) :: a, b(2)
    a%p0%x = x(1:3)
    a%p1%q = y(1)
    a%p1%p0%m = x(4)
    a%z = 2
    b = a
    b(2)%p1%x(2) = a%p0%m*a%p1%q
    y(1) = a%p0%m*a%q + sum(a%p0%x*b(1)%p1%m) + b(2)%p0%x(2)*a%z
  end subroutine
end module
