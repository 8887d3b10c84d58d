! example: whole
module gradient_of_product
  implicit none
contains
  function f(x)
    real(8), intent(in) :: x(:)
    real(8) :: f
    f = x(1)**2*x(2)
  end function
  subroutine g(x, gradient)
    real(8), intent(in) :: x(:)
    real(8), intent(inout) :: gradient(:)
    gradient = [2*x(1)*x(2), x(1)**2]
  end subroutine
  function f_complex(z)
    complex(8), intent(in) :: z(:)
    complex(8) :: f_complex
    f_complex = z(1)**2*z(2)
  end function
end module

program main
  use adtape
  use gradient_of_product
  implicit none
  type(adtape_test_report) :: report
  real(8) :: x(2), wrong(2)
  x = [1.5d0, -0.7d0]
  call test_gradient(f, x, report, gradient_call=g)
  if (.not. report%passed .or. abs(report%order - 2) > 0.1d0) error stop
  wrong = [2*x(1)*x(2), 0d0]
  call test_gradient(f, x, report, wrong, output=1)
  if (report%reason /= ADTAPE_TEST_WRONG .or. report%component(1) /= 2) error stop
  call test_complex(f_complex, x, report, gradient_call=g)
  if (.not. report%passed .or. report%error > 1d-14) error stop
end program
