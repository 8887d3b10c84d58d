! micro_adjoint.c in Fortran: compiled once with calls and once with the kit's source and -flto.
subroutine step_b(n, x, xb, y, yb, h)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: y(n), h
  real(8), intent(inout) :: x(n), xb(n), yb(n)
  external :: pushreal8, popreal8, pushinteger4, popinteger4, pushcontrol1b, popcontrol1b
  real(8) :: t, tb
  integer :: i, k, branch
  t = 0d0
  tb = 0d0
  k = 1
  do i = 1, n
    call pushinteger4(k)
    k = i
    call pushreal8(t)
    t = h*(y(k) - x(k))
    if (t > 1d0) then
      call pushreal8(x(k))
      x(k) = x(k) + 1d0
      call pushcontrol1b(0)
    else
      call pushreal8(x(k))
      x(k) = x(k) + t
      call pushcontrol1b(1)
    end if
  end do
  do i = n, 1, -1
    call popcontrol1b(branch)
    if (branch == 0) then
      call popreal8(x(k))
    else
      call popreal8(x(k))
      tb = tb + xb(k)
    end if
    call popreal8(t)
    yb(k) = yb(k) + h*tb
    xb(k) = xb(k) - h*tb
    tb = 0d0
    call popinteger4(k)
  end do
end subroutine

program micro_adjoint
  implicit none
  external :: step_b
  integer, parameter :: cells = 4000, steps = 4000
  real(8) :: x(cells), xb(cells), y(cells), yb(cells)
  integer :: i, step
  xb = 1d0
  yb = 0d0
  do i = 1, cells
    x(i) = mod(i - 1, 50)
    y(i) = mod(i - 1, 7)
  end do
  do step = 1, steps
    call step_b(cells, x, xb, y, yb, 1d-3)
  end do
  print '(2es24.16)', yb(cells/2 + 1), xb(cells/2 + 1)
end program
