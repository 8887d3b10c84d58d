! range_forgotten.f90: the reverse sweep pops the pointers to a block, but not the block.
program range_forgotten
   use, intrinsic :: iso_c_binding
   use adtape
   implicit none
   real(c_double), pointer :: work(:), p, p_b
   integer :: i
   allocate (work(8), source=1.0d0)
   call live_add(work, ADTAPE_KIND_HEAP, 'work')
   do i = 1, 3
      p => work(i)
      call push_pointer(p)
   end do
   call live_end(c_loc(work))
   deallocate (work)
   do i = 3, 1, -1
      call pop_pointer(p, p_b)
   end do
end program range_forgotten
