! Derived types with allocatable components, and allocatable variables of a module, which the caller has allocated.
module columns
  implicit none
  integer, parameter :: wp = kind(1.0d0)
  real(wp), allocatable :: depth(:), temperature(:), mixing(:, :), scale
  logical, allocatable :: wet(:)
end module

module held
  use columns
  implicit none
  private
  public :: step, pass, field, mesh, store, through, march, filtered
  type :: field
    real(wp), allocatable :: v(:), m(:, :)
    real(wp), allocatable :: scale
    real(wp) :: total = 0
  end type
  type :: mesh
    type(field), allocatable :: layers(:)
    integer, allocatable :: next(:)
  end type
  type(field), save :: store
contains
  subroutine step(f, n, x)
    type(field), intent(inout) :: f
    integer, intent(in) :: n
    real(wp), intent(in) :: x(n)
    integer :: i
    do i = 2, size(f%v) - 1
      f%v(i) = f%v(i - 1)*x(i) + f%v(i + 1)*f%scale
      f%total = f%total + f%v(i)*f%v(i)
    end do
    f%v(:) = f%v*f%total
    f%m(1:2, 0) = f%m(1:2, 1)*f%v(3)
    do i = lbound(f%m, 2), ubound(f%m, 2)
      f%m(:, i) = f%m(:, i)*x(2) + f%v(1:3)
    end do
    f%m = sin(f%m)
  end subroutine

  subroutine pass(g, n, x, cost)
    type(mesh), intent(inout) :: g
    integer, intent(in) :: n
    real(wp), intent(in) :: x(n)
    real(wp), intent(out) :: cost
    integer :: i, k
    cost = 0
    do k = 1, size(g%layers)
      associate (f => g%layers(k), to => g%layers(g%next(k))%v)
        call step(f, n, x)
        do i = 1, n
          to(i) = to(i)*f%v(i) + cos(f%m(1, mod(i, 2)))
        end do
      end associate
      cost = cost + total(g%layers(k)%v, g%layers(k)%m) + g%layers(k)%total
    end do
  end subroutine

  function total(v, m) result(t)
    real(wp), intent(in) :: v(:), m(:, :)
    real(wp) :: t
    t = sum(v) + m(2, 1)*m(2, 2)
  end function

  subroutine through(n, x, cost)
    integer, intent(in) :: n
    real(wp), intent(in) :: x(n)
    real(wp), intent(out) :: cost
    call step(store, n, x)
    cost = sum(store%v*x)*store%m(3, 1)
  end subroutine

  subroutine march(n, x, cost)
    integer, intent(in) :: n
    real(wp), intent(in) :: x(n)
    real(wp), intent(out) :: cost
    integer :: i, it
    temperature(-1) = temperature(0)*x(2)
    do it = 1, 3
      do i = 1, ubound(wet, 1)
        if (wet(i)) temperature(i) = temperature(i) + depth(i - 1)*temperature(i - 1)*mixing(i, 2)*x(i)
      end do
      mixing(:, 1) = mixing(:, 2)*temperature(1:)*scale
      call spread_out(temperature(1:n), mixing(:, 1))
      call damp(temperature)
    end do
    temperature = 2*temperature
    cost = sum(temperature(lbound(temperature, 1) + 1:)**2) + size(depth)
  end subroutine

  subroutine filtered(t, cost)
    real(wp), allocatable, intent(inout) :: t(:)
    real(wp), intent(out) :: cost
    integer :: i
    do i = 1, ubound(t, 1)
      t(i) = t(i)*t(i - 1)
    end do
    cost = sum(t)*t(0)
  end subroutine

  subroutine spread_out(t, k)
    real(wp), intent(inout) :: t(:)
    real(wp), intent(in) :: k(:)
    integer :: i
    do i = 2, size(t) - 1
      t(i) = t(i) + k(i)*(t(i - 1) - 2*t(i) + t(i + 1))
    end do
  end subroutine

  subroutine damp(t)
    real(wp), intent(inout) :: t(:)
    t(2:) = t(2:) - 0.1_wp*t(:size(t) - 1)**2
  end subroutine
end module
