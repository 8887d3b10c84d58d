! example: whole
program hand_over
  use, intrinsic :: iso_c_binding
  use omp_lib
  use adtape
  implicit none
  type(adtape_tape) :: handle
  real(c_double) :: x
  call push(2.0_c_double)                          ! the forward sweep
  call adtape_release(adtape_self(), handle)
  !$omp parallel num_threads(2) private(x)
  if (omp_get_thread_num() == omp_get_num_threads() - 1) then
    call adtape_acquire(handle)
    call pop(handle, x)
    if (x /= 2) error stop
    call adtape_destroy(handle)
  end if
  !$omp end parallel
end program
