! derivatives.f90: derivative tests in Fortran, of internal procedures, in both kinds.
program derivatives
  use, intrinsic :: iso_c_binding
  use support
  use adtape
  implicit none
  integer, parameter :: n = 5
  real(c_double) :: x(n), factor
  real(c_float) :: s(3)
  type(adtape_test_report) :: report
  integer(c_int32_t) :: status
  integer :: i, products

  x = [(0.3d0 + 0.2d0*i, i=1, n)]
  s = [0.5, 1.25, -2.0]
  factor = 2
  call gradients()
  call single()
  call dots()
  call refusals()
  call finish('derivatives')

contains

  ! Reads a variable of its host.
  function f(x) result(y)
    real(c_double), intent(in) :: x(:)
    real(c_double) :: y
    y = factor*sum(x*sin(x)) + x(1)*x(size(x))
  end function

  subroutine g(x, gradient)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(inout) :: gradient(:)
    gradient = factor*(sin(x) + x*cos(x))
    gradient(1) = gradient(1) + x(size(x))
    gradient(size(x)) = gradient(size(x)) + x(1)
  end subroutine

  subroutine g_without_a_term(x, gradient)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(inout) :: gradient(:)
    gradient = factor*(sin(x) + x*cos(x))
    gradient(1) = gradient(1) + x(size(x))
  end subroutine

  function f_complex(z) result(y)
    complex(c_double_complex), intent(in) :: z(:)
    complex(c_double_complex) :: y
    y = factor*sum(z*sin(z)) + z(1)*z(size(z))
  end function

  function p(a, b)
    real(c_double), intent(in) :: a(:), b(:)
    real(c_double) :: p
    products = products + 1
    p = dot_product(a, b)
  end function

  ! A forward sweep, which the test takes off the tape.
  function with_branch(x) result(y)
    real(c_double), intent(in) :: x(:)
    real(c_double) :: y
    call push(x(1))
    call push_control(merge(1, 0, x(1) > 1.01d0), 1)
    y = x(1)**2
    if (x(1) > 1.01d0) y = y + 1
  end function

  subroutine gradients()
    real(c_double) :: values(n), every(2*n)
    call test_gradient(f, x, report, gradient_call=g)
    call check(logical(report%passed) .and. abs(report%order - 2) < 0.1d0, 'a right gradient')
    call check(index(test_text(), 'derivative test: passed') > 0, 'the text')
    call test_gradient(f, x, report, gradient_call=g_without_a_term, plot='derivatives.txt')
    call check(.not. logical(report%passed) .and. report%reason == ADTAPE_TEST_WRONG, 'a forgotten term')
    call check(report%component_count == 1 .and. report%component(1) == n, 'its component, from 1')
    call check(abs(report%component_reference(1) - report%component_gradient(1) - x(1)) < 1d-6, 'what it should be')
    call remove('derivatives.txt')
    values = 0
    call g(x, values)
    every = 0
    every(::2) = values
    call test_gradient(f, x, report, every(::2), direction=x(n:1:-1), first_step=0.01d0, steps=8)
    call check(logical(report%passed), 'arrays with strides, a direction')
    call test_gradient(f, x, report, values*0.5d0, search_runs=-1)
    call check(.not. logical(report%passed) .and. report%component_count == 0, 'no search')
    call test_gradient(f, x, report, direction=[1d0, 0d0, 0d0, 0d0, 0d0])
    call check(abs(report%slope - values(1)) < 1d-8, 'a slope without a gradient')
    call test_complex(f_complex, x, report, values)
    call check(logical(report%passed) .and. report%error < 1d-14, 'a complex step')
    values(3) = -values(3)
    call test_complex(f_complex, x, report, values, tolerance=1d-12)
    call check(.not. logical(report%passed) .and. report%component(1) == 3, 'a wrong sign by a complex step')
    products = 0
    call test_gradient(f, x, report, gradient_call=g, product=p)
    call check(logical(report%passed) .and. products > 5, 'a product of the program')
    call test_gradient(with_branch, [1d0], report, [2d0], direction=[1d0])
    call check(logical(report%passed) .and. report%branch_step > 0, 'a branch')
    call check(index(test_text(), 'derivatives.f90:') > 0, 'its line')
    call check_nothing_left(adtape_self())
  end subroutine

  function f_single(x) result(y)
    real(c_float), intent(in) :: x(:)
    real(c_float) :: y
    y = sum(x**3)
  end function

  subroutine single()
    call test_gradient(f_single, s, report, 3*s**2)
    call check(logical(report%passed), 'real(4)')
    call test_gradient(f_single, s, report, 3*s)
    call check(.not. logical(report%passed), 'real(4), wrong')
  end subroutine

  subroutine tangent(xd, yd)
    real(c_double), intent(in) :: xd(:)
    real(c_double), intent(inout) :: yd(:)
    yd = factor*xd(1:size(yd)) + xd(2:size(yd) + 1)
  end subroutine

  subroutine adjoint(yb, xb)
    real(c_double), intent(in) :: yb(:)
    real(c_double), intent(inout) :: xb(:)
    xb(1:size(yb)) = xb(1:size(yb)) + factor*yb
    xb(2:size(yb) + 1) = xb(2:size(yb) + 1) + yb
  end subroutine

  subroutine adjoint_without_a_line(yb, xb)
    real(c_double), intent(in) :: yb(:)
    real(c_double), intent(inout) :: xb(:)
    call adjoint(yb, xb)
    xb(3) = xb(3) - yb(2)
  end subroutine

  subroutine twice(xd, yd)
    real(c_float), intent(in) :: xd(:)
    real(c_float), intent(inout) :: yd(:)
    yd = 2*xd
  end subroutine

  subroutine dots()
    call test_dot(tangent, adjoint, x, x(2:), report)
    call check(logical(report%passed) .and. report%error < 1d-15, 'tangent and adjoint')
    call test_dot(tangent, adjoint_without_a_line, x, x(2:), report)
    call check(.not. logical(report%passed) .and. report%component_count == 2, 'a forgotten line')
    call check(report%component(1) == 3 .and. report%component(2) == -2, 'its input and output')
    call test_dot(twice, twice, s, s, report, direction=s, weights=s)
    call check(logical(report%passed), 'tangent and adjoint in real(4)')
  end subroutine

  subroutine refusals()
    call test_gradient(f, x, report, x(2:), stat=status)
    call check(status == ADTAPE_STATUS_BAD_ARGUMENT, 'a gradient that is too short')
    call test_gradient(f, x(:0), report, x(:0), stat=status)
    call check(status == ADTAPE_STATUS_BAD_ARGUMENT .and. said('no values'), 'no components')
    call test_gradient(f, x, report, x, tolerance=-1d0, stat=status)
    call check(status == ADTAPE_STATUS_BAD_ARGUMENT .and. said('tolerance'), 'a tolerance that makes no sense')
    call test_dot(tangent, adjoint, x, x, report, weights=x(2:), stat=status)
    call check(status == ADTAPE_STATUS_BAD_ARGUMENT, 'weights that are too few')
  end subroutine

  subroutine remove(name)
    character(*), intent(in) :: name
    integer :: unit
    logical :: there
    inquire (file=name, exist=there)
    call check(there, 'the plot')
    open (newunit=unit, file=name)
    close (unit, status='delete')
  end subroutine
end program
