! waypoints.f90: waypoints in Fortran, of scalars, of arrays of two ranks and of sections, in both kinds.
program waypoints
  use, intrinsic :: iso_c_binding
  use support
  use adtape
  implicit none
  integer, parameter :: n = 3, steps = 6
  type(adtape_test_report) :: report
  integer :: broken

  do broken = 1, steps
    call test_gradient(f, [0.7d0, 1.1d0, -0.4d0, 0.5d0], report, gradient_call=g)
    call check(.not. logical(report%passed), 'a wrong gradient')
    call check_names('right at', 2*(steps - broken) + 1)
    call check_names('wrong at', 2*(steps - broken) + 3)
    call test_gradient(f_single, [0.7, 1.1, -0.4], report, gradient_call=g_single)
    call check_names('wrong at', steps - broken + 2)
  end do
  broken = 0
  call test_gradient(f, [0.7d0, 1.1d0, -0.4d0, 0.5d0], report, gradient_call=g)
  call check(logical(report%passed) .and. index(test_text(), 'waypoint') == 0, 'a right one')
  call test_gradient(f_single, [0.7, 1.1, -0.4], report, gradient_call=g_single)
  call check(logical(report%passed), 'a right one in real(4)')
  call check_nothing_left(adtape_self())
  call finish('waypoints')

contains

  subroutine check_names(words, number)
    character(*), intent(in) :: words
    integer, intent(in) :: number
    character(:), allocatable :: text
    character(40) :: wanted
    integer :: from, to
    text = test_text()
    from = index(text, '    '//words)
    call check(from > 0, 'the text has: '//words)
    to = from + index(text(from:), new_line('a'))
    write (wanted, '(a, i0, a)') "number ", number, ' of'
    call check(index(text(from:to), trim(wanted)) > 0, words//' '//trim(wanted)//': '//text(from:to))
    call check(index(text(from:to), 'waypoints.f90:') > 0, 'the line')
  end subroutine

  ! Every other element of a matrix, and a scalar parameter.
  subroutine forward(y, p, value)
    real(c_double), intent(inout) :: y(:, :), p
    real(c_double), intent(out) :: value
    integer :: k, i
    do k = 1, steps
      call waypoint_forward('p', p)
      call waypoint_forward('y', y(::2, :))
      do i = 1, n
        call push(y(1, i))
        y(1, i) = y(1, i) + 0.1d0*p*y(1, i)*y(1, 1 + mod(i, n))
      end do
    end do
    call waypoint_forward('p', p)
    call waypoint_forward('y', y(::2, :))
    value = sum(y(1, :)**2)
  end subroutine

  function f(x) result(value)
    real(c_double), intent(in) :: x(:)
    real(c_double) :: value, y(3, n), p
    y = 0
    y(1, :) = x(:n)
    p = x(n + 1)
    call forward(y, p, value)
  end function

  subroutine g(x, gradient)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(inout) :: gradient(:)
    real(c_double) :: value, y(3, n), p, y_b(2, n), p_b
    integer :: k, i, next
    y = 0
    y(1, :) = x(:n)
    p = x(n + 1)
    call forward(y, p, value)
    y_b = 0
    y_b(1, :) = 2*y(1, :)
    p_b = 0
    call waypoint_reverse('y', y(::2, :), y_b)
    call waypoint_reverse('p', p, p_b)
    do k = steps, 1, -1
      do i = n, 1, -1
        call pop(y(1, i))
        next = 1 + mod(i, n)
        p_b = p_b + 0.1d0*y(1, i)*y(1, next)*y_b(1, i)
        y_b(1, next) = y_b(1, next) + merge(2, 1, k == broken)*0.1d0*p*y(1, i)*y_b(1, i)
        y_b(1, i) = (1 + 0.1d0*p*y(1, next))*y_b(1, i)
      end do
      call waypoint_reverse('y', y(::2, :), y_b)
      call waypoint_reverse('p', p, p_b)
    end do
    gradient(:n) = y_b(1, :)
    gradient(n + 1) = p_b
  end subroutine

  subroutine forward_single(y)
    real(c_float), intent(inout) :: y(:)
    integer :: k
    do k = 1, steps
      call waypoint_forward('y', y)
      call push(y)
      y = y + 0.25*y**2
    end do
    call waypoint_forward('y', y)
  end subroutine

  function f_single(x) result(value)
    real(c_float), intent(in) :: x(:)
    real(c_float) :: value, y(n)
    y = x
    call forward_single(y)
    value = sum(y)
  end function

  subroutine g_single(x, gradient)
    real(c_float), intent(in) :: x(:)
    real(c_float), intent(inout) :: gradient(:)
    real(c_float) :: y(n)
    integer :: k
    y = x
    call forward_single(y)
    gradient = 1
    call waypoint_reverse('y', y, gradient)
    do k = steps, 1, -1
      call pop(y)
      gradient = (1 + 0.5*y)*merge(-1.0, 1.0, k == broken)*gradient
      call waypoint_reverse('y', y, gradient)
    end do
  end subroutine
end program
