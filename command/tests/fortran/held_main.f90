! Compares adjoints of procedures with allocatable components with differences.
program main
  use columns, only: depth, temperature, mixing, scale, wet, temperature_b, mixing_b
  use held
  implicit none
  integer, parameter :: n = 6, layers = 3
  integer, parameter :: wp = kind(1.0d0)
  real(wp) :: x(n), x_b(n), cost, cost_b, low, high, found
  real(wp), parameter :: h = 1.0e-6_wp
  type(mesh) :: g, g_b
  type(field) :: f, f_b
  integer :: i

  do i = 1, n
    x(i) = 0.3_wp + 0.05_wp*mod(i*i, 4)
  end do
  call begun(f, 1, 0.0_wp)
  call begun(f_b, -1, 0.0_wp)
  x_b = 0
  call step_b(f, f_b, n, x, x_b)
  found = sum(f_b%v) + sum(f_b%m) + f_b%scale + sum(x_b)
  high = weighed(h)
  low = weighed(-h)
  call compare('step', found, (high - low)/(2*h))

  call made(g, 1, 0.0_wp)
  call made(g_b, 0, 0.0_wp)
  x_b = 0
  cost = 0
  cost_b = 1
  call pass_b(g, g_b, n, x, x_b, cost, cost_b)
  found = sum(x_b)
  do i = 1, layers
    found = found + sum(g_b%layers(i)%v) + sum(g_b%layers(i)%m) + g_b%layers(i)%scale
  end do
  high = passed(h)
  low = passed(-h)
  call compare('pass', found, (high - low)/(2*h))

  call begun(store, 1, 0.0_wp)
  call begun(store_b, 0, 0.0_wp)
  x_b = 0
  cost_b = 1
  call through_b(n, x, x_b, cost, cost_b)
  found = sum(x_b) + sum(store_b%v) + sum(store_b%m) + store_b%scale
  call begun(store, 1, h)
  call through(n, x + h, high)
  call begun(store, 1, -h)
  call through(n, x - h, low)
  call compare('through', found, (high - low)/(2*h))

  ! What nothing differentiates needs no adjoint.
  allocate (depth(0:n), temperature(-1:n), mixing(n, 2), scale, wet(n))
  allocate (temperature_b(0:n + 1), mixing_b(2:n + 1, 2))
  depth = 0.1_wp
  scale = 0.5_wp
  wet = .true.
  wet(3) = .false.
  call filled(0.0_wp)
  x_b = 0
  temperature_b = 0
  mixing_b = 0
  cost_b = 1
  call march_b(n, x, x_b, cost, cost_b)
  found = sum(x_b) + sum(temperature_b)
  call filled(h)
  call march(n, x + h, high)
  call filled(-h)
  call march(n, x - h, low)
  call compare('march', found, (high - low)/(2*h))

  call filled(0.0_wp)
  temperature_b = 0
  cost_b = 1
  call filtered_b(temperature, temperature_b, cost, cost_b)
  found = sum(temperature_b)
  call filled(h)
  call filtered(temperature, high)
  call filled(-h)
  call filtered(temperature, low)
  call compare('filtered', found, (high - low)/(2*h))
contains

  subroutine filled(by)
    real(wp), intent(in) :: by
    integer :: i
    do i = 1, n
      mixing(i, :) = 0.1_wp + 0.01_wp*i
    end do
    do i = -1, n
      temperature(i) = 0.4_wp + 0.03_wp*i + by
    end do
  end subroutine

  subroutine compare(name, found, expected)
    character(*), intent(in) :: name
    real(wp), intent(in) :: found, expected
    if (abs(found - expected) <= 1.0e-6_wp*max(1.0_wp, abs(expected))) then
      print '(a)', 'right '//name
    else
      print '(a, 2es24.15)', 'WRONG '//name, found, expected
    end if
  end subroutine

  ! kind: 1 for values, 0 for adjoints that are 0, -1 for weights.
  subroutine begun(f, kind, by)
    type(field), intent(out) :: f
    integer, intent(in) :: kind
    real(wp), intent(in) :: by
    integer :: i, k
    ! Bounds of adjoints need not be those of values.
    if (kind == 1) then
      allocate (f%v(n), f%m(3, 0:2), f%scale)
    else
      allocate (f%v(0:n - 1), f%m(3, 3), f%scale)
    end if
    f%scale = 0.4_wp*kind + by
    f%total = 0
    do i = 1, n
      f%v(lbound(f%v, 1) + i - 1) = (0.2_wp + 0.1_wp*mod(i, 3))*kind + by
    end do
    do k = 0, 2
      do i = 1, 3
        f%m(i, lbound(f%m, 2) + k) = (0.5_wp - 0.1_wp*i*k)*kind + by
      end do
    end do
  end subroutine

  real(wp) function weighed(by)
    real(wp), intent(in) :: by
    type(field) :: f, w
    call begun(f, 1, by)
    call begun(w, -1, 0.0_wp)
    call step(f, n, x + by)
    weighed = sum(w%v*f%v) + sum(w%m*f%m) + w%scale*f%scale
  end function

  subroutine made(g, kind, by)
    type(mesh), intent(out) :: g
    integer, intent(in) :: kind
    real(wp), intent(in) :: by
    integer :: k
    allocate (g%layers(layers), g%next(layers))
    do k = 1, layers
      call begun(g%layers(k), kind, by)
      g%next(k) = 1 + mod(k, layers)
    end do
  end subroutine

  real(wp) function passed(by)
    real(wp), intent(in) :: by
    type(mesh) :: g
    call made(g, 1, by)
    call pass(g, n, x + by, passed)
  end function
end program
