! Procedures that allocate for their caller and keep variables.
module saved
  implicit none
contains
  subroutine setup(n, x, w)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), allocatable, intent(inout) :: w(:)
    logical, save :: first = .true.
    real(8), save :: table(4)
    integer, save :: k
    integer :: i
    if (first) then
      do i = 1, 4
        table(i) = 0.5d0*i
      end do
      first = .false.
    end if
    k = n/2
    if (.not. allocated(w)) allocate (w(n))
    do i = 1, n
      w(i) = table(1 + mod(i, 4))*x(i)*x(k)
    end do
  end subroutine

  subroutine once(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    real(8), allocatable :: w(:)
    call setup(n, x, w)
    y = y*w*x
    x = w
  end subroutine

  subroutine changed(n, x, w)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), allocatable, intent(out) :: w(:)
    real(8), save :: table(8)
    integer :: i
    do i = 1, n
      table(i) = x(i)**2
    end do
    allocate (w(n))
    w = table(1:n)*x
  end subroutine

  subroutine twice(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    real(8), allocatable :: w(:)
    call changed(n, x, w)
    y = y*w
    call changed(n, y, w)
    x = x*w
  end subroutine
end module
