! early_exit.f90: an iteration that has converged leaves its loop behind a push, and its reverse sweep knows nothing of it.
program early_exit
   use adtape
   implicit none
   double precision :: x, residual, adjoint
   integer :: i, iterations
   x = 1.0d0
   residual = 1.0d0
   do iterations = 0, 50
      call push(residual)
      residual = x * x - 2.0d0
      if (abs(residual) < 1.0d-12) exit
      call push(x)
      x = x - residual / (2.0d0 * x)
   end do
   adjoint = 1.0d0
   do i = 1, iterations
      call pop(x)
      call pop(residual)
      adjoint = adjoint * (0.5d0 + residual / (2.0d0 * x * x))
   end do
   print *, adjoint
end program early_exit
