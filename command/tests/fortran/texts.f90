! Texts that nothing writes: parts of them, joined ones, what is asked of them. Output that says how it went.
module texts
  implicit none
  character(12) :: scheme = 'upwind, 2nd'
  character(*), parameter :: kinds = 'abc{1}'
contains
  subroutine by_name(n, x, y, name, k)
    integer, intent(in) :: n, k
    real(8), intent(inout) :: x(n), y(n)
    character(*), intent(in) :: name
    integer :: i
    if (name(1:2) == 'rk') y(1) = y(1)*x(1)
    if (name(k:k) == '4' .and. scheme(:6) /= 'upwin') y(2) = y(2)*x(2)
    if (trim(name)//'.nc' == 'rk4.nc') y(3) = y(3)*x(3)
    if (scheme(9:) < kinds) y(4) = y(4)*x(4)
    select case (name(1:1))
    case ('a':'q', 's')
      x(1) = 0
    case ('r')
      x(1) = x(1)*y(1)
    case default
      x(1) = 1
    end select
    select case (trim(scheme(:6)))
    case ('central', 'upwind')
      do i = 2, n
        y(i) = y(i)*x(i - 1)
      end do
    case default
      y = 0
    end select
    i = index(name, '4') + len_trim(scheme)
    y(i - 9) = y(i - 9)*x(i - 8)
    x(len(name) + 1) = x(len(name) + 1)**2
    i = ichar(name(1:1)) - iachar('q')
    x(i) = x(i)*sin(x(i + 1))
    if (lle(name, 'zz') .and. scan(name, 'kr', back=.true.) == 2) x(2) = x(2)*x(3)
  end subroutine

  subroutine asked(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    call by_name(n, x, y, 'rk4', 3)
    call by_name(n, x, y, 'rkf45', 4)
  end subroutine

  ! Output that is left out does not fail.
  subroutine noted(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer :: unit, status
    status = 7
    open (newunit=unit, status='scratch', iostat=status)
    if (status /= 0) then
      x = 0
      return
    end if
    write (unit, *, iostat=status) x
    if (status == 0 .and. unit < -1) y = y*x
    close (unit)
  end subroutine
end module
