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
  use example, only: noise
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

  ! The original code on complex numbers.
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

  pure real(8) function first_x(i)
    integer, intent(in) :: i
    first_x = 1.5d0*noise(i + 1)
  end function

  pure real(8) function weight(i)
    integer, intent(in) :: i
    weight = noise(i + 7001)
  end function

  ! sum(weight * x), x the results; the first values of x, and behind them that of a.
  function weighted(first) result(sum)
    complex(8), intent(in) :: first(:)
    complex(8) :: sum
    complex(8), allocatable :: z(:)
    integer :: n, i
    n = size(first) - 2
    allocate (z(0:n))
    z(:) = first(:n + 1)
    call original_complex(n, z, first(n + 2))
    sum = 0
    do i = 0, n
      sum = sum + weight(i)*z(i)
    end do
  end function

end module

program tbr_fig1
  use example
  use tbr_fig1_code
  implicit none
  real(8), parameter :: a = 3.14159d0
  integer :: n

  n = argument(1, 1000000)
  print '(a)', '-- the figure, n = 10'
  call run(10)
  print '(a,i0)', '-- n = ', n
  call run(n)
  call finish()

contains

  subroutine check_gradient(n, gradient, a_gradient)
    integer, intent(in) :: n
    real(8), intent(in) :: gradient(0:n), a_gradient
    real(8), allocatable :: x(:), xb(:), direction(:)
    real(8) :: worst
    integer :: i
    allocate (x(n + 2), xb(n + 2), direction(n + 2))
    do i = 0, n
      x(i + 1) = first_x(i)
    end do
    x(n + 2) = a
    xb(:n + 1) = gradient
    xb(n + 2) = a_gradient
    if (n <= 100) then
      worst = 0
      direction = 0
      do i = 1, n + 2
        direction(i) = 1
        worst = larger(worst, error_of_complex_step(weighted, x, xb, 1d-13, direction))
        direction(i) = 0
      end do
      call check_error('every component against complex steps', worst, 1d-13)
    end if
    do i = 1, n + 2
      direction(i) = noise(i + 30)
    end do
    call check_error('a direction against a complex step', &
                     error_of_complex_step(weighted, x, xb, 1d-12, direction), 1d-12)
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
    call check_gradient(n, xb, ab)
  end subroutine

end program
