! example: whole
module run_control
  use, intrinsic :: iso_c_binding
  use adtape
  implicit none
contains
  subroutine end_run(status, message, user) bind(c)
    integer(c_int32_t), value :: status
    type(c_ptr), value :: message, user
    print '(3a)', adtape_status_name(status), ': ', adtape_text(message)
    if (status /= ADTAPE_STATUS_UNDERFLOW) error stop
    stop
  end subroutine
end module

program main
  use run_control
  implicit none
  procedure(adtape_error_handler), pointer :: handler
  real(c_double) :: x
  handler => end_run
  call process_set_error_handler(handler)
  call pop(x)                                      ! of an empty tape
  error stop
end program
