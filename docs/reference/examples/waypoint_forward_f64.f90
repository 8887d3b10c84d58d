! example: whole
module wrong_gradient_of_sine
  use adtape
  implicit none
contains
  function f(x)
    real(8), intent(in) :: x(:)
    real(8) :: f, y(size(x))
    y = x
    call waypoint_forward('y', y)
    y = sin(y)
    call waypoint_forward('y', y)
    f = sum(y*y)
  end function
  subroutine g(x, gradient)
    real(8), intent(in) :: x(:)
    real(8), intent(inout) :: gradient(:)
    real(8) :: y(size(x)), y_adjoint(size(x))
    y = sin(x)
    y_adjoint = 2*y
    call waypoint_reverse('y', y, y_adjoint)
    y = x
    y_adjoint = -cos(y)*y_adjoint ! the sign is wrong
    call waypoint_reverse('y', y, y_adjoint)
    gradient = y_adjoint
  end subroutine
end module

program main
  use adtape
  use wrong_gradient_of_sine
  implicit none
  type(adtape_test_report) :: report
  call test_gradient(f, [0.7d0, 1.1d0], report, gradient_call=g)
  if (report%passed .or. index(test_text(), 'goes wrong between two waypoints') == 0) error stop
end program
