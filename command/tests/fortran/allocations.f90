! Each public procedure takes n, x(n), y(n). Variables that the procedure allocates.
module allocations
  implicit none
  private
  public :: alike, moved, again, inside, asked, passed, returned, same_shape
  integer, parameter :: wp = kind(1.0d0)
contains
  subroutine alike(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp), allocatable :: a(:), b(:), c(:, :), s, t(:)
    integer :: status
    status = 1
    allocate (a, source=x*y, stat=status)
    allocate (b(0:n - 1), mold=x)
    allocate (c(2, n), source=y(1))
    allocate (s)
    allocate (t(status + 1:n), source=x)
    b = a**2
    s = b(0)*c(2, 3)
    c(1, :) = c(1, :)*b*t
    y = y*c(1, :) + s
    deallocate (a, b, c, s, stat=status)
    x(status + 2) = t(status + 1)*t(2)
  end subroutine

  subroutine moved(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp), allocatable :: a(:), b(:)
    allocate (a(-1:n), b(2))
    a = 1
    a(1:n) = x*y
    call move_alloc(a, b)
    y = y*b(1:n)
    x(1) = b(-1)*b(n)*lbound(b, 1)
    allocate (a(2:3))
    a = x(2:3)
    x(4:5) = a*b(2:3)
  end subroutine

  ! Another shape each time.
  subroutine again(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp), allocatable :: a(:)
    allocate (a(n))
    a = x*y
    y = y*a
    a = a(2:)*a(:n - 1)
    y(2:) = y(2:)*a + size(a)
    a = [a, x(1)*a(1)]
    x = x*a
    deallocate (a)
    allocate (a(0:2))
    a = x(2:4)
    y(1) = a(0)*a(2)
  end subroutine

  ! In a loop, and in a branch.
  subroutine inside(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp), allocatable :: a(:)
    integer :: i
    do i = 1, n
      allocate (a(i))
      a = x(1:i)*y(i)
      a = a*a
      y(i) = sum(a)
      deallocate (a)
      if (mod(i, 2) == 0) then
        allocate (a(0:1), source=y(i))
        x(i) = a(0)*x(i) + a(1)
        deallocate (a)
      end if
    end do
  end subroutine

  subroutine asked(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp), allocatable :: a(:)
    if (allocated(a)) deallocate (a)
    if (.not. allocated(a)) allocate (a(n))
    a = x*y
    if (allocated(a)) y = y*a
  end subroutine

  ! Assignments that allocate, where no others follow.
  subroutine returned(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp), allocatable :: a(:)
    integer :: i
    if (n < 2) return
    do i = 2, n
      a = x(1:i)*y(i)
      y(i) = sum(a*a)
    end do
    if (y(1) > 0.1_wp) then
      a = x(1:3)*y(1:3)
      y(1) = a(3)*a(1)
    end if
    a = x*y
    x = a*a
  end subroutine

  ! Only a run shows that the shapes are the same.
  subroutine same_shape(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp), allocatable :: a(:), b(:, :)
    integer :: half, i
    half = n/2
    allocate (a(0:n - half - 1), b(2, n - half))
    do i = 1, 3
      a = x(1:half)*y(n - half + 1:n)*i
      b = reshape(x, [2, half])
      if (a(1) > 0.1_wp) a = a + b(2, 1:half)
      x(1:half) = x(1:half) + 0.1_wp*a
      y(1) = y(1) + a(0)*b(1, half)
    end do
  end subroutine

  ! Bounds go along.
  subroutine passed(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp), allocatable :: a(:), b(:, :)
    allocate (a(-2:n - 3), source=x)
    allocate (b(2, 0:3))
    b = reshape(y, [2, 4])
    call layers(a, b)
    call layers(h=b, t=a)
    x = a
    y = reshape(b, [n])
  end subroutine

  subroutine layers(t, h)
    real(wp), allocatable, intent(inout) :: t(:)
    real(wp), allocatable, intent(in out) :: h(:, :)
    integer :: i
    if (.not. allocated(t)) allocate (t(3))
    do i = lbound(t, 1) + 1, ubound(t, 1)
      t(i) = t(i)*h(1, mod(i + 3, 4)) + sin(t(i - 1))
    end do
    h(:, lbound(h, 2)) = h(:, 3)*t(-2)
    h = h*total(t)
  end subroutine

  real(wp) function total(t)
    real(wp), allocatable, intent(in) :: t(:)
    total = sum(t) + t(0)*lbound(t, 1)
  end function
end module
