! Calls the adjoints of memory.f90.
program main
  use store
  use model
  implicit none
  integer, parameter :: n = 4
  real(8) :: x(n) = [1d0, 2d0, 0.5d0, 1.5d0], xb(n), y, yb
  real(8), allocatable :: t(:), tb(:)
  real(8) :: a, b(3), ab, bb(3)
  common /blk/ a, b
  common /blk_b/ ab, bb
  allocate (w(0:n-1), table(n, 2), gain, w_b(0:n-1), table_b(n, 2))
  w = 0.7d0; table = 0.3d0; gain = 1.1d0
  w_b = 0; table_b = 0
  xb = 0; y = 1; yb = 1
  call f_b(n, x, xb, y, yb)
  allocate (t(-1:3), tb(5))
  t = [0.5d0, 1.1d0, 0.9d0, 0.7d0, 1.3d0]; tb = 0; yb = 1
  call g_b(t, tb, y, yb)
  a = 1.2d0; b = 0.4d0; ab = 0; bb = 0; xb = 0; yb = 1; y = 2
  call h_b(n, x, xb, y, yb)
end program
