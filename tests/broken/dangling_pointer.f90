! dangling_pointer.f90: the array that a pointer points to is replaced, and nobody says that the new one lives.
program dangling_pointer
   use, intrinsic :: iso_c_binding
   use adtape
   implicit none
   real(c_double), pointer :: row(:), p
   integer :: day
   allocate (row(4), source=1.0d0)
   call live_add(row, ADTAPE_KIND_HEAP, 'row')
   do day = 1, 3
      if (day == 2) allocate (row(4), source=0.5d0)
      p => row(2)
      call push_pointer(p)
   end do
end program dangling_pointer
