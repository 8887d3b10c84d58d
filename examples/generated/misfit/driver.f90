! The gradient of misfit beside differences.
program driver
  use oscillation
  implicit none
  integer, parameter :: n = 100
  real(8), parameter :: h = 1.0d-6
  real(8) :: t(n), observed(n), p(3), p_b(3), shifted(3), above, below
  integer :: i, k
  t = [(0.1d0*i, i=0, n - 1)]
  observed = 1.2d0*exp(-0.4d0*t)*cos(2.1d0*t)
  p = [1.0d0, 0.5d0, 2.0d0]
  p_b = 0
  call misfit_b(n, p, p_b, t, observed, 1.0d0)
  do k = 1, 3
    shifted = p
    shifted(k) = p(k) + h
    above = misfit(n, shifted, t, observed)
    shifted(k) = p(k) - h
    below = misfit(n, shifted, t, observed)
    if (abs(p_b(k) - (above - below)/(2*h)) > 1.0d-6*abs(p_b(k))) error stop 'the gradient is wrong'
    print '(a, i0, f12.6)', 'derivative by p', k, p_b(k)
  end do
end program
