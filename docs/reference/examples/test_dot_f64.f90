! example: whole
module both_of_product
  implicit none
contains
  subroutine tangent(xd, yd)
    real(8), intent(in) :: xd(:)
    real(8), intent(inout) :: yd(:)
    yd = [3*xd(1) + 2*xd(2), xd(1)]
  end subroutine
  subroutine adjoint(yb, xb)
    real(8), intent(in) :: yb(:)
    real(8), intent(inout) :: xb(:)
    xb = xb + [3*yb(1) + yb(2), 2*yb(1)]
  end subroutine
end module

program main
  use adtape
  use both_of_product
  implicit none
  type(adtape_test_report) :: report
  real(8) :: x(2), y(2)
  x = [2d0, 3d0]
  y = [6d0, 2d0]
  call test_dot(tangent, adjoint, x, y, report)
  if (.not. report%passed .or. report%error > 1d-15) error stop
end program
