module oscillation
  implicit none
contains
  ! The squared distance between observations and a damped oscillation with parameters p.
  real(8) function misfit(n, p, t, observed)
    integer, intent(in) :: n
    real(8), intent(in) :: p(3), t(n), observed(n)
    real(8) :: model, r
    integer :: i
    misfit = 0
    do i = 1, n
      model = p(1)*exp(-p(2)*t(i))*cos(p(3)*t(i))
      r = model - observed(i)
      misfit = misfit + r*r
    end do
  end function
end module
