! Each statement that cannot be read is reported, the others are read.
subroutine faults(x)
  real :: x(3
  integer :: i
  structure /old/
  x(1) = 2 +
  x(2) = 3
  do i = 1, 3
    call f(x(i)
  end do
  if (x(1) > 0 then
    x(3) = 1
  end if
  y = 'open
  end if
  z ? 3
  x(3) = 4
end subroutine wrong
