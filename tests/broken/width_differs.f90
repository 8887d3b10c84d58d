! width_differs.f90: a branch of three ways was pushed with two bits and is popped as one of two ways.
program width_differs
   use adtape
   implicit none
   double precision :: x, adjoint
   integer :: way, i
   x = 0.25d0
   do i = 1, 6
      way = merge(2, merge(1, 0, x < 0.0d0), x > 1.0d0)
      call push_control(way, 2)
      x = merge(1.0d0, 1.5d0 * x, way == 2)
   end do
   adjoint = 1.0d0
   do i = 6, 1, -1
      call pop_control(way, 1)
      if (way == 0) adjoint = 1.5d0 * adjoint
   end do
   print *, adjoint
end program width_differs
