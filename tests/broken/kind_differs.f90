! kind_differs.f90: a value of the forward sweep is double precision, its variable in the reverse sweep is not.
program kind_differs
   use adtape
   implicit none
   double precision :: x
   real :: last, adjoint
   integer :: i
   x = 0.9d0
   do i = 1, 6
      call push(x)
      x = sin(x)
   end do
   adjoint = 1.0
   do i = 6, 1, -1
      call pop(last)
      adjoint = adjoint * cos(last)
   end do
   print *, adjoint
end program kind_differs
