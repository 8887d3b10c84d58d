! One array under two names, of which one is written: the language says that they are apart.
module apart
  implicit none
  type pair
    real(8) :: a(4), b(4)
    real(8) :: s, t
  end type
contains
  subroutine axpy(n, a, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: a, x(n)
    real(8), intent(inout) :: y(n)
    integer :: i
    do i = 1, n
      y(i) = y(i)*(1.d0 + y(i)*a*x(i))
    end do
  end subroutine

  subroutine rotate(u, v)
    real(8), intent(inout) :: u(:), v(:)
    real(8) :: t
    integer :: i
    do i = 1, size(u)
      t = u(i)
      u(i) = t*v(i)
      v(i) = sin(v(i))*t
    end do
  end subroutine

  subroutine swap(a, b)
    real(8), intent(inout) :: a, b
    real(8) :: t
    t = a*a
    a = b*a
    b = t
  end subroutine

  subroutine halves(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    call axpy(n/2, y(1), x(1), x(n/2 + 1))
    call axpy(n/2, y(2), x(n/2 + 1), x)
    call axpy(3, x(1), y(1:3), y(4:6))
    call axpy(4, x(1), x(1:7:2), x(2:8:2))
  end subroutine

  subroutine columns(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    real(8) :: q(2, 4)
    integer :: i, j
    q = reshape(x, [2, 4])
    do i = 1, 4
      do j = i + 1, 4
        call rotate(q(:, i), q(:, j))
      end do
    end do
    call rotate(q(1, :), q(2, :))
    call rotate(q(:, mod(3, 4)), q(:, 4))
    x = reshape(q, [8])
    y = y*x
  end subroutine

  subroutine elements(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer :: i
    do i = 1, n - 1
      call swap(x(i), x(i + 1))
      call swap(x(i), y(n - i))
    end do
  end subroutine

  subroutine parts(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    type(pair) :: p
    p%a = x(1:4)
    p%b = x(5:8)
    p%s = y(1)
    p%t = y(2)
    call rotate(p%a, p%b)
    call swap(p%s, p%t)
    call axpy(4, p%s, p%b, p%a)
    call swap(p%a(2), p%s)
    x(1:4) = p%a*p%t
    y(1:4) = p%b*p%s
  end subroutine

  ! The procedure allocates, so its call is written out.
  subroutine grown(u, v, w)
    real(8), intent(inout) :: u(:), v(:)
    real(8), allocatable, intent(inout) :: w(:)
    if (allocated(w)) deallocate (w)
    allocate (w(size(u)))
    w = u*v
    u = w*u
    v = w + v*v
  end subroutine

  subroutine written(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    real(8), allocatable :: w(:)
    call grown(x(1:4), x(5:8), w)
    y(1:4) = y(1:4)*w
    call grown(y(1:n:2), y(2:n:2), w)
    x(1:4) = w
  end subroutine
end module
