! parameter_forgotten.f90: The adjoint of the friction gets nothing.
!
! A pendulum with friction, in steps; the cost is its energy at the end. One mistake; push and pop match.
module parameter_forgotten_code
  use adtape
  implicit none
  real(8), parameter :: dt = 0.1d0
  integer, parameter :: steps = 20

contains

  subroutine forward_sweep(y, J)
    real(8), intent(inout) :: y(3)
    real(8), intent(out) :: J
    integer :: k
    do k = 1, steps
      call waypoint_forward('y', y)
      call push(y(1))
      call push(y(2))
      y(2) = y(2) - dt*(sin(y(1)) + y(3)*y(2)**2)
      y(1) = y(1) + dt*y(2)
    end do
    call waypoint_forward('y', y)
    J = 0.5d0*y(2)**2 + 1 - cos(y(1))
  end subroutine

  subroutine reverse_sweep(y, yb)
    real(8), intent(inout) :: y(3), yb(3)
    integer :: k
    yb(2) = yb(2) + y(2)
    yb(1) = yb(1) + sin(y(1))
    call waypoint_reverse('y', y, yb)
    do k = steps, 1, -1
      yb(2) = yb(2) + dt*yb(1)
      call pop(y(2))
      call pop(y(1))
      yb(1) = yb(1) - dt*cos(y(1))*yb(2)
      ! yb(3) = yb(3) - dt*y(2)**2*yb(2)
      yb(2) = (1 - 2*dt*y(3)*y(2))*yb(2)
      call waypoint_reverse('y', y, yb)
    end do
  end subroutine

  function cost(x) result(J)
    real(8), intent(in) :: x(:)
    real(8) :: J, y(3)
    y = x
    call forward_sweep(y, J)
  end function

  subroutine gradient(x, g)
    real(8), intent(in) :: x(:)
    real(8), intent(inout) :: g(:)
    real(8) :: J, y(3), yb(3)
    y = x
    call forward_sweep(y, J)
    yb = 0
    call reverse_sweep(y, yb)
    g = yb
  end subroutine
end module

program parameter_forgotten
  use, intrinsic :: iso_fortran_env, only: error_unit
  use adtape
  use parameter_forgotten_code
  implicit none
  type(adtape_test_report) :: report
  call test_gradient(cost, [0.8d0, 0.3d0, 0.2d0], report, gradient_call=gradient)
  write (error_unit, '(a)') test_text()
  if (.not. report%passed) stop 1, quiet=.true.
end program
