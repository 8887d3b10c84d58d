! count_differs.f90: a section is popped with one element less than was pushed.
program count_differs
   use adtape
   implicit none
   integer, parameter :: n = 8, steps = 5
   double precision :: column(n), column_adjoint(n)
   integer :: i, step
   column = [(0.1d0 * i, i = 1, n)]
   do step = 1, steps
      call push(column)
      column = 0.5d0 * column**2
   end do
   column_adjoint = 1.0d0
   do step = steps, 1, -1
      call pop(column(2:))
      column_adjoint = column_adjoint * column
   end do
   print *, column_adjoint
end program count_differs
