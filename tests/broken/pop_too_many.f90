! pop_too_many.f90: the reverse sweep of a rare branch pops a value that nobody pushed there.
program pop_too_many
   use adtape
   implicit none
   integer, parameter :: steps = 20, rare = 12
   double precision :: v, drag, v_adjoint
   integer :: step
   v = 1.0d0
   drag = 0.0d0
   do step = 1, steps
      call push(v)
      v = 0.9d0 * v + 0.1d0 * sin(v)
      call push(drag)
      drag = 0.01d0 * v * abs(v)
      v = v - drag
   end do
   v_adjoint = 1.0d0
   do step = steps, 1, -1
      if (step == rare) then
         call pop(drag) ! guilty
      end if
      call pop(drag)
      v_adjoint = v_adjoint * (1.0d0 - drag)
      call pop(v)
      v_adjoint = v_adjoint * (0.9d0 + 0.1d0 * cos(v))
   end do
   print *, v_adjoint
end program pop_too_many
