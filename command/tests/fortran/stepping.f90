! Loops that run again: from snapshots, pass by pass.
module stepping
  implicit none
  real(8) :: kept(2) = 1
contains
  subroutine march(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    real(8) :: u(0:n + 1), rate
    logical :: is_odd
    integer :: i, t
    rate = 0.1d0
    is_odd = .false.
    u = 0.5d0
    u(1:n) = x
    !$ad checkpoint snapshots=3
    do t = 1, 20
      do i = 1, n
        u(i) = u(i) + rate*(u(i - 1)*u(i + 1) - u(i)**2)
      end do
      rate = rate + 0.001d0*u(1)
      is_odd = .not. is_odd
      if (is_odd) u(2) = u(2) + y(2)*0.01d0
    end do
    y = y*u(1:n) + rate
  end subroutine

  subroutine until(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    real(8) :: s
    s = 0.1d0
    ! The number of passes is known behind the loop only.
    !$AD CHECKPOINT SNAPSHOTS=2

    do while (s < 2 + x(1))
      s = s + 0.1d0*s*x(2) + 0.05d0
      y(1) = y(1)*0.9d0 + s
    end do
    y(2) = s
  end subroutine

  subroutine blocks(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    real(8) :: a(2, 3:5), single
    integer :: i, j, k
    a = 0.3d0
    kept = x(1:2)
    !$ad checkpoint snapshots=2
    outer: do k = 1, 7
      do j = 3, 5
        do i = 1, 2
          a(i, j) = a(i, j)*x(i) + sin(a(3 - i, 8 - j))*kept(i)
        end do
      end do
      kept(1) = kept(1)*a(1, 3)*0.7d0
      if (k == 6) exit outer
    end do outer
    single = sum(a)
    y(1) = y(1) + single*kept(1)
  end subroutine

  subroutine rows(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    real(8) :: w(3), s
    integer :: i, j
    s = 0
    !$ad again
    do i = 1, n
      do j = 1, 3
        w(j) = x(i)**j*y(1)
      end do
      s = s + w(1)*w(2)*w(3)
    end do
    y(2) = s
  end subroutine
end module
