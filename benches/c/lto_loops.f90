! Pushes and pops n doubles, 1024 of them again and again: as BLOCKS in plain.h.
subroutine push_loop(x, n)
  implicit none
  real(8), intent(in) :: x(1024)
  integer(8), intent(in) :: n
  external :: pushreal8
  integer(8) :: i, part
  do part = 1, n/1024
    do i = 1, 1024
      call pushreal8(x(i))
    end do
  end do
end subroutine

subroutine pop_loop(x, n)
  implicit none
  real(8), intent(inout) :: x(1024)
  integer(8), intent(in) :: n
  external :: popreal8
  integer(8) :: i, part
  do part = 1, n/1024
    do i = 1, 1024
      call popreal8(x(i))
    end do
  end do
end subroutine

! Through the module.
subroutine module_push_loop(x, n)
  use adtape
  implicit none
  real(8), intent(in) :: x(1024)
  integer(8), intent(in) :: n
  integer(8) :: i, part
  do part = 1, n/1024
    do i = 1, 1024
      call push(x(i))
    end do
  end do
end subroutine

subroutine module_pop_loop(x, n)
  use adtape
  implicit none
  real(8), intent(inout) :: x(1024)
  integer(8), intent(in) :: n
  integer(8) :: i, part
  do part = 1, n/1024
    do i = 1, 1024
      call pop(x(i))
    end do
  end do
end subroutine
