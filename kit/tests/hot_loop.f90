! The loop of a generated adjoint in a subroutine, with little besides pushes and pops: tests/outside/kit.rs counts the calls
! that are left in its code when the kit's source is compiled with it and -flto.
subroutine forward_sweep(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n), y(n)
  external :: pushreal8, pushinteger4, pushcontrol1b, pushcontrol2b
  integer :: i
  do i = 1, n
    call pushreal8(x(i))
    x(i) = x(i)*y(i)
    if (x(i) > 1d0) then
      call pushreal8(y(i))
      y(i) = y(i)*0.5d0
      call pushcontrol1b(1)
    else
      call pushcontrol1b(0)
    end if
    call pushinteger4(i)
    call pushcontrol2b(mod(i, 4))
  end do
end subroutine

subroutine reverse_sweep(n, x, y, xb, yb)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n), y(n), xb(n), yb(n)
  external :: popreal8, popinteger4, popcontrol1b, popcontrol2b
  integer :: i, k, branch, quarter
  do i = n, 1, -1
    call popcontrol2b(quarter)
    call popinteger4(k)
    call popcontrol1b(branch)
    if (branch == 1) then
      call popreal8(y(k))
      yb(k) = 0.5d0*yb(k)
    end if
    call popreal8(x(k))
    yb(k) = yb(k) + x(k)*xb(k) + quarter
    xb(k) = y(k)*xb(k)
  end do
end subroutine
