! The Bratu problem (TBR paper, section 6 and appendices A and B): adjoint with and without TBR.
!
!   F(i) = x(i-1) - 2 x(i) + x(i+1) + h^2 [f(i-1) + 10 f(i) + f(i+1)] / 12,   f(i) = s exp(x(i) / (1 + t x(i)))
!
! What it shows: without TBR each variable that is assigned is pushed first; with TBR the values of F are not, since
! no partial derivative reads them: 6 values an iteration instead of 9. Both gradients are the same.
!
! Appendix A prints 12.0 for the divisor 1.2 of the middle term (10 / 12); appendix B has 1.2. Here it is 1.2.
!
!   bratu [dim]       by default 10000
module bratu_code
  use, intrinsic :: iso_fortran_env, only: int64
  use adtape
  use example, only: noise, tape_bytes
  implicit none

contains

  ! ---- original code -----------------------------------------------------------------------------

  subroutine bratu(dim, x, prm, F)
    integer, intent(in) :: dim
    real(8), intent(in) :: x(dim), prm(2)
    real(8), intent(inout) :: F(dim)
    integer :: i
    real(8) :: h
    h = 2.0d0/(dim + 1)
    F(1) = -2*x(1) + h*h*prm(1)/12.0d0*(1 + 10*exp(x(1)/(1.0d0 + prm(2)*x(1))))
    F(2) = x(1) + h*h*prm(1)/12.0d0*exp(x(1)/(1.0d0 + prm(2)*x(1)))
    do i = 2, dim - 1
      F(i - 1) = F(i - 1) + x(i) + h*h*prm(1)/12.0d0*exp(x(i)/(1.0d0 + prm(2)*x(i)))
      F(i) = F(i) - 2*x(i) + h*h*prm(1)/1.2d0*exp(x(i)/(1.0d0 + prm(2)*x(i)))
      F(i + 1) = x(i) + h*h*prm(1)/12.0d0*exp(x(i)/(1.0d0 + prm(2)*x(i)))
    end do
    F(dim - 1) = F(dim - 1) + x(dim) + h*h*prm(1)/12.0d0*exp(x(dim)/(1.0d0 + prm(2)*x(dim)))
    F(dim) = F(dim) - 2*x(dim)
    F(dim) = F(dim) + h*h*prm(1)/12.0d0*(1 + 10*exp(x(dim)/(1.0d0 + prm(2)*x(dim))))
  end subroutine

  ! ---- adjoint -----------------------------------------------------------------------------------

  ! Derivative of y / (1 + t y) with respect to y and to t.
  pure real(8) function quotient_y(y, t)
    real(8), intent(in) :: y, t
    quotient_y = 1/(1.0d0 + t*y) - y*t/((1.0d0 + t*y)*(1.0d0 + t*y))
  end function
  pure real(8) function quotient_t(y, t)
    real(8), intent(in) :: y, t
    quotient_t = -(y*y)/((1.0d0 + t*y)*(1.0d0 + t*y))
  end function

  ! Forward and reverse sweep. Fb is the gradient with respect to F, zero on return; xb and prmb are added to.
  ! `all`: every assigned variable is pushed, otherwise those that TBR requires. `bytes`: on the tape between the sweeps.
  subroutine bratu_b(all, dim, x, xb, prm, prmb, F, Fb, bytes)
    logical, intent(in) :: all
    integer, intent(in) :: dim
    real(8), intent(in) :: x(dim), prm(2)
    real(8), intent(inout) :: xb(dim), prmb(2), F(dim), Fb(dim)
    integer(int64), intent(out) :: bytes
    real(8) :: exp1, exp2, exp3, exp4, exp5, exp6, exp7, exp8, exp9, exp10, exp11, exp12, exp13, exp14, h
    real(8) :: exp1b, exp2b, exp3b, exp4b, exp5b, exp6b, exp7b, exp8b, exp9b, exp10b, exp11b, exp12b, exp13b, exp14b
    integer :: adTo, i

    exp1 = 0; exp2 = 0; exp3 = 0; exp4 = 0; exp5 = 0; exp6 = 0; exp7 = 0; exp8 = 0
    exp9 = 0; exp10 = 0; exp11 = 0; exp12 = 0; exp13 = 0; exp14 = 0; h = 0

    if (all) call push(h)
    h = 2.0d0/(dim + 1)
    if (all) call push(exp1)
    exp1 = x(1)/(1.0d0 + prm(2)*x(1))
    if (all) call push(exp2)
    exp2 = exp(exp1)
    if (all) call push(F(1))
    F(1) = -2*x(1) + h*h*prm(1)/12.0d0*(1 + 10*exp2)
    if (all) call push(exp3)
    exp3 = x(1)/(1.0d0 + prm(2)*x(1))
    if (all) call push(exp4)
    exp4 = exp(exp3)
    if (all) call push(F(2))
    F(2) = x(1) + h*h*prm(1)/12.0d0*exp4
    do i = 2, dim - 1
      call push(exp5)
      exp5 = x(i)/(1.0d0 + prm(2)*x(i))
      call push(exp6)
      exp6 = exp(exp5)
      if (all) call push(F(i - 1))
      F(i - 1) = F(i - 1) + x(i) + h*h*prm(1)/12.0d0*exp6
      call push(exp7)
      exp7 = x(i)/(1.0d0 + prm(2)*x(i))
      call push(exp8)
      exp8 = exp(exp7)
      if (all) call push(F(i))
      F(i) = F(i) - 2*x(i) + h*h*prm(1)/1.2d0*exp8
      call push(exp9)
      exp9 = x(i)/(1.0d0 + prm(2)*x(i))
      call push(exp10)
      exp10 = exp(exp9)
      if (all) call push(F(i + 1))
      F(i + 1) = x(i) + h*h*prm(1)/12.0d0*exp10
    end do
    call push(i - 1)
    if (all) call push(exp11)
    exp11 = x(dim)/(1.0d0 + prm(2)*x(dim))
    if (all) call push(exp12)
    exp12 = exp(exp11)
    if (all) call push(F(dim - 1))
    F(dim - 1) = F(dim - 1) + x(dim) + h*h*prm(1)/12.0d0*exp12
    if (all) call push(F(dim))
    F(dim) = F(dim) - 2*x(dim)
    if (all) call push(exp13)
    exp13 = x(dim)/(1.0d0 + prm(2)*x(dim))
    if (all) call push(exp14)
    exp14 = exp(exp13)
    if (all) call push(F(dim))
    F(dim) = F(dim) + h*h*prm(1)/12.0d0*(1 + 10*exp14)

    bytes = tape_bytes()

    if (all) call pop(F(dim))
    exp14b = 10*h*h*prm(1)*Fb(dim)/12.0d0
    prmb(1) = prmb(1) + (1 + 10*exp14)*h*h*Fb(dim)/12.0d0
    exp13b = exp(exp13)*exp14b
    if (all) call pop(exp14)
    xb(dim) = xb(dim) + quotient_y(x(dim), prm(2))*exp13b
    prmb(2) = prmb(2) + quotient_t(x(dim), prm(2))*exp13b
    if (all) call pop(exp13)
    if (all) call pop(F(dim))
    xb(dim) = xb(dim) - 2*Fb(dim)
    if (all) call pop(F(dim - 1))
    exp12b = h*h*prm(1)*Fb(dim - 1)/12.0d0
    prmb(1) = prmb(1) + exp12*h*h*Fb(dim - 1)/12.0d0
    exp11b = exp(exp11)*exp12b
    if (all) call pop(exp12)
    xb(dim) = xb(dim) + Fb(dim - 1) + quotient_y(x(dim), prm(2))*exp11b
    prmb(2) = prmb(2) + quotient_t(x(dim), prm(2))*exp11b
    if (all) call pop(exp11)
    call pop(adTo)
    do i = adTo, 2, -1
      if (all) call pop(F(i + 1))
      exp10b = h*h*prm(1)*Fb(i + 1)/12.0d0
      exp9b = exp(exp9)*exp10b
      xb(i) = xb(i) + Fb(i + 1) + quotient_y(x(i), prm(2))*exp9b
      prmb(1) = prmb(1) + exp10*h*h*Fb(i + 1)/12.0d0
      Fb(i + 1) = 0.0d0
      call pop(exp10)
      call pop(exp9)
      prmb(2) = prmb(2) + quotient_t(x(i), prm(2))*exp9b
      if (all) call pop(F(i))
      exp8b = h*h*prm(1)*Fb(i)/1.2d0
      exp7b = exp(exp7)*exp8b
      xb(i) = xb(i) - 2*Fb(i) + quotient_y(x(i), prm(2))*exp7b
      prmb(1) = prmb(1) + exp8*h*h*Fb(i)/1.2d0
      call pop(exp8)
      call pop(exp7)
      prmb(2) = prmb(2) + quotient_t(x(i), prm(2))*exp7b
      if (all) call pop(F(i - 1))
      exp6b = h*h*prm(1)*Fb(i - 1)/12.0d0
      exp5b = exp(exp5)*exp6b
      xb(i) = xb(i) + Fb(i - 1) + quotient_y(x(i), prm(2))*exp5b
      prmb(1) = prmb(1) + exp6*h*h*Fb(i - 1)/12.0d0
      call pop(exp6)
      call pop(exp5)
      prmb(2) = prmb(2) + quotient_t(x(i), prm(2))*exp5b
    end do
    if (all) call pop(F(2))
    exp4b = h*h*prm(1)*Fb(2)/12.0d0
    prmb(1) = prmb(1) + exp4*h*h*Fb(2)/12.0d0
    exp3b = exp(exp3)*exp4b
    if (all) call pop(exp4)
    xb(1) = xb(1) + Fb(2) + quotient_y(x(1), prm(2))*exp3b
    prmb(2) = prmb(2) + quotient_t(x(1), prm(2))*exp3b
    Fb(2) = 0.0d0
    if (all) call pop(exp3)
    if (all) call pop(F(1))
    exp2b = 10*h*h*prm(1)*Fb(1)/12.0d0
    prmb(1) = prmb(1) + (1 + 10*exp2)*h*h*Fb(1)/12.0d0
    exp1b = exp(exp1)*exp2b
    if (all) call pop(exp2)
    xb(1) = xb(1) - 2*Fb(1) + quotient_y(x(1), prm(2))*exp1b
    prmb(2) = prmb(2) + quotient_t(x(1), prm(2))*exp1b
    Fb(1) = 0.0d0
    if (all) call pop(exp1)
    if (all) call pop(h)
  end subroutine

  ! ---- checks ------------------------------------------------------------------------------------

  pure real(8) function weight(i)
    integer, intent(in) :: i
    weight = noise(i + 4001)
  end function

  elemental complex(8) function rate(x, s, t)
    complex(8), intent(in) :: x, s, t
    rate = s*exp(x/(1.0d0 + t*x))
  end function

  ! sum(weight * F) as the formula above says it, independent of the code: of complex x(1) to x(dim), s and t.
  function formula(independents) result(total)
    complex(8), intent(in) :: independents(:)
    complex(8) :: total
    complex(8), allocatable :: x(:), f(:)
    real(8) :: h
    integer :: dim, i
    dim = size(independents) - 2
    allocate (x(0:dim + 1), f(0:dim + 1))
    x = 0
    x(1:dim) = independents(:dim)
    f(:) = rate(x, independents(dim + 1), independents(dim + 2))
    h = 2.0d0/(dim + 1)
    total = 0
    do i = 1, dim
      total = total + weight(i)*(x(i - 1) - 2*x(i) + x(i + 1) + h*h*(f(i - 1) + 10*f(i) + f(i + 1))/12)
    end do
  end function

end module

program bratu_main
  use, intrinsic :: iso_fortran_env, only: int64
  use example
  use bratu_code
  implicit none
  real(8), parameter :: prm(2) = [0.8d0, 0.05d0]
  real(8), allocatable :: x(:), xb(:, :), F(:), Fb(:), plain(:)
  real(8) :: prmb(2, 2), least(2), tau, start
  integer(int64) :: bytes(2)
  integer :: dim, i, variant, repetition
  logical :: all

  dim = argument(1, 10000)
  if (dim < 4) then
    print '(a)', 'dim is at least 4'
    stop 2, quiet=.true.
  end if
  allocate (x(dim), xb(dim, 2), F(dim), Fb(dim), plain(dim))
  do i = 1, dim
    tau = 2.0d0*i/(dim + 1) - 1.0d0
    x(i) = 0.5d0*(1.0d0 - tau*tau) + 0.05d0*noise(i)
  end do
  plain = 0
  call bratu(dim, x, prm, plain)

  least = huge(least)
  do repetition = 1, 10
    do variant = 1, 2
      all = variant == 2
      xb(:, variant) = 0
      prmb(:, variant) = 0
      F = 0
      do i = 1, dim
        Fb(i) = weight(i)
      end do
      start = seconds()
      call bratu_b(all, dim, x, xb(:, variant), prm, prmb(:, variant), F, Fb, bytes(variant))
      least(variant) = min(least(variant), seconds() - start)
      if (repetition == 1 .and. .not. all) then
        call check_same_bits('the forward sweep computes what the original computes', F, plain)
      end if
    end do
  end do
  call check_tape_empty('bytes on the tape after the adjoints')
  call check_same_bits('both gradients with respect to x are equal bit for bit', xb(:, 1), xb(:, 2))
  call check_same_bits('both gradients with respect to s and t are equal bit for bit', prmb(:, 1), prmb(:, 2))
  call check_error('gradient in a direction against a complex step', &
                   error_of_complex_step(formula, [x, prm], [xb(:, 1), prmb(:, 1)], 1d-14), 1d-14)
  call report_real('gradient with respect to s', prmb(1, 1))
  call report_real('gradient with respect to t', prmb(2, 1))

  call check_count('tape bytes with TBR', bytes(1), (dim - 2)*48_int64 + 4)
  call check_count('tape bytes without TBR', bytes(2), (dim - 2)*72_int64 + 4 + 14*8)
  call report_real('ratio of tape bytes', real(bytes(1), 8)/real(bytes(2), 8))
  call report_real('microseconds with TBR', 1d6*least(1))
  call report_real('microseconds without TBR', 1d6*least(2))
  call report_real('ratio of times (the paper: 0.81)', least(1)/least(2))
  call finish()

end program
