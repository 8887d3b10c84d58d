! TBR paper, Fig. 1: original code, forward sweep and adjoint of a loop with a branch.
!
! What it shows: the values that the adjoint reads (an element of x, the indices i and j, the branch) are pushed just
! before they are overwritten; `a` is overwritten in every iteration too, but no partial derivative reads it,
! so it is not to be recorded (TBR).
!
! The figure's sizes are 10, for the first value of j, and 7, in the test; here both grow with n. Its adjoint leaves
! out the adjoint of a = a/2, which is needed as soon as the first value of a is an independent, as here.
!
!   tbr_fig1 [n]      n: the first value of j in the second run, by default 1000000
module tbr_fig1_code
  use, intrinsic :: iso_fortran_env, only: int64
  use adtape
  implicit none

contains

  pure logical function check(j)
    integer, intent(in) :: j
    check = j >= 0
  end function

  pure logical function test(i, j, n)
    integer, intent(in) :: i, j, n
    test = 10*int(max(i, j), int64) > 7*int(n, int64)
  end function

  ! ---- original code -----------------------------------------------------------------------------

  subroutine original(n, x, a0)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(0:n)
    real(8), intent(in) :: a0
    real(8) :: a
    integer :: i, j
    i = 0
    j = n
    a = a0
    do while (check(j))
      if (test(i, j, n)) then
        x(i) = j + sin(x(i))
      else
        x(j) = j*cos(x(j)) + a
      end if
      i = i + 1
      j = j - 1
      a = a/2
    end do
  end subroutine

  ! ---- forward sweep -----------------------------------------------------------------------------

  subroutine forward_sweep(n, x, a0)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(0:n)
    real(8), intent(in) :: a0
    real(8) :: a
    integer :: i, j, count
    i = 0
    j = n
    a = a0
    count = 0
    do while (check(j))
      if (test(i, j, n)) then
        call push(x(i))
        x(i) = j + sin(x(i))
        call push_control(1, 1)
      else
        call push(x(j))
        x(j) = j*cos(x(j)) + a
        call push_control(0, 1)
      end if
      call push(i)
      i = i + 1
      call push(j)
      j = j - 1
      a = a/2
      count = count + 1
    end do
    call push_count(count)
  end subroutine

  ! ---- adjoint -----------------------------------------------------------------------------------

  ! On entry xb is the gradient with respect to the results, on return with respect to the first values; ab is the
  ! gradient with respect to the first value of a.
  subroutine adjoint(n, x, xb, ab)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(0:n), xb(0:n)
    real(8), intent(out) :: ab
    integer :: i, j, count, branch
    ab = 0.0d0
    call pop_count(count)
    do while (count > 0)
      count = count - 1
      ab = ab/2
      call pop(j)
      call pop(i)
      call pop_control(branch, 1)
      if (branch == 1) then
        call pop(x(i))
        xb(i) = cos(x(i))*xb(i)
      else
        call pop(x(j))
        ab = ab + xb(j)
        xb(j) = -j*sin(x(j))*xb(j)
      end if
    end do
  end subroutine

  ! ---- checks ------------------------------------------------------------------------------------

  ! The original code on complex numbers: an imaginary part of size 1e-100 carries the derivative.
  subroutine original_complex(n, x, a0)
    integer, intent(in) :: n
    complex(8), intent(inout) :: x(0:n)
    complex(8), intent(in) :: a0
    complex(8) :: a
    integer :: i, j
    i = 0
    j = n
    a = a0
    do while (check(j))
      if (test(i, j, n)) then
        x(i) = j + sin(x(i))
      else
        x(j) = j*cos(x(j)) + a
      end if
      i = i + 1
      j = j - 1
      a = a/2
    end do
  end subroutine

end module

program tbr_fig1
  use example
  use tbr_fig1_code
  implicit none
  real(8), parameter :: step = 1d-100, a = 3.14159d0
  integer :: n

  n = argument(1, 1000000)
  print '(a)', '-- the figure, n = 10'
  call run(10)
  print '(a,i0)', '-- n = ', n
  call run(n)
  call finish()

contains

  pure real(8) function first_x(i)
    integer, intent(in) :: i
    first_x = 1.5d0*noise(i + 1)
  end function

  pure real(8) function weight(i)
    integer, intent(in) :: i
    weight = noise(i + 7001)
  end function

  ! The derivative of sum(weight * x), x the results, in the direction (x_direction, a_direction).
  real(8) function derivative(n, x_direction, a_direction)
    integer, intent(in) :: n
    real(8), intent(in) :: x_direction(0:n), a_direction
    complex(8), allocatable :: z(:)
    integer :: i
    allocate (z(0:n))
    do i = 0, n
      z(i) = cmplx(first_x(i), step*x_direction(i), 8)
    end do
    call original_complex(n, z, cmplx(a, step*a_direction, 8))
    derivative = 0.0d0
    do i = 0, n
      derivative = derivative + weight(i)*(aimag(z(i))/step)
    end do
  end function

  subroutine check_each_component(n, gradient, a_gradient)
    integer, intent(in) :: n
    real(8), intent(in) :: gradient(0:n), a_gradient
    real(8) :: direction(0:n), worst
    integer :: i
    worst = 0.0d0
    direction = 0.0d0
    do i = 0, n
      direction(i) = 1.0d0
      worst = larger(worst, abs(derivative(n, direction, 0.0d0) - gradient(i))/max(1.0d0, abs(gradient(i))))
      direction(i) = 0.0d0
    end do
    worst = larger(worst, abs(derivative(n, direction, 1.0d0) - a_gradient))
    call check_error('every component against complex steps', worst, 1d-13)
  end subroutine

  subroutine check_direction(n, gradient, a_gradient)
    integer, intent(in) :: n
    real(8), intent(in) :: gradient(0:n), a_gradient
    real(8), allocatable :: direction(:)
    real(8) :: product, scale
    integer :: i
    allocate (direction(0:n))
    product = 0.5d0*a_gradient
    scale = abs(product)
    do i = 0, n
      direction(i) = noise(i + 31)
      product = product + direction(i)*gradient(i)
      scale = scale + abs(direction(i)*gradient(i))
    end do
    call check_close('a direction against a complex step', product, derivative(n, direction, 0.5d0), scale, 1d-13)
  end subroutine

  subroutine run(n)
    integer, intent(in) :: n
    real(8), allocatable :: first(:), x(:), plain(:), xb(:)
    real(8) :: ab
    integer :: i
    allocate (first(0:n), x(0:n), plain(0:n), xb(0:n))
    do i = 0, n
      first(i) = first_x(i)
      xb(i) = weight(i)
    end do
    x(:) = first
    plain(:) = first
    call original(n, plain, a)
    call forward_sweep(n, x, a)
    call check_same_bits('the forward sweep computes what the original computes', x, plain)
    call report_count('tape bytes', tape_bytes())
    call adjoint(n, x, xb, ab)
    call check_tape_empty('bytes on the tape after the adjoint')
    call check_same_bits('the adjoint restores x', x, first)

    call report_real('largest component of the gradient', maxval(abs(xb)))
    call report_real('gradient with respect to a', ab + 0.0d0)
    if (n <= 100) call check_each_component(n, xb, ab)
    call check_direction(n, xb, ab)
  end subroutine

end program
