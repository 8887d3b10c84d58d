! Variables of modules that calls leave allocated.
module work
  implicit none
  real(8), allocatable :: w(:), table(:, :), flux(:)
  integer, allocatable :: place(:)
  real(8), allocatable :: given(:), rows(:, :)
  real(8) :: weights(8)
  logical :: is_first = .true.
contains
  subroutine init(n)
    integer, intent(in) :: n
    integer :: i
    if (allocated(table)) return
    allocate (table(0:n, 2), place(n))
    do i = 1, n
      place(i) = 1 + mod(3*i, n)
      table(i, :) = 0.1d0*i
    end do
    table(0, :) = 1.d0
  end subroutine
end module

module lasting
  use work
  implicit none
contains
  ! A work array that the first call allocates.
  subroutine guarded(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer :: i
    if (.not. allocated(w)) allocate (w(n))
    do i = 1, n
      w(i) = sin(x(i))*y(i)
    end do
    do i = 2, n
      y(i) = w(i)*w(i - 1) + x(i)
    end do
    w = w*w
    x(1) = w(2)*x(1)
  end subroutine

  ! Tables, made by the first call.
  subroutine tables(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer :: i, k
    do k = 1, 2
      call init(n)
      do i = 1, n
        y(i) = y(i)*table(i - 1, k) + x(place(i))**2
        table(i, 2) = 0.1d0*i
      end do
    end do
    if (allocated(given)) y(1) = y(1)*given(1)
  end subroutine

  ! Nothing but an allocation: the program's own has none of the derivatives.
  subroutine made(n)
    integer, intent(in) :: n
    if (.not. allocated(w)) allocate (w(n))
  end subroutine

  ! A variable that says whether it was there has to agree with what is.
  subroutine flagged(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer :: i, k
    call made(n)
    w = x*y
    do k = 1, 2
      if (is_first) then
        allocate (rows(2, n))
        do i = 1, n
          rows(:, i) = 0.2d0*i
          weights(i) = 0.1d0*i
        end do
        is_first = .false.
      end if
      y = y*rows(k, :)*w*weights(1:n)
    end do
  end subroutine

  subroutine fluxes(n, x)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    integer :: i
    if (.not. allocated(flux)) allocate (flux(0:n - 1), source=x)
    flux(0) = x(1)*x(2)
    do i = 1, n - 1
      flux(i) = flux(i - 1)*x(i + 1)
    end do
  end subroutine

  ! In a branch of a loop, in a procedure that is called.
  subroutine inside(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    integer :: k
    do k = 1, 3
      if (y(k) > 0.1d0) then
        call fluxes(n, x)
        y(1:n) = y(1:n)*flux
      end if
      x = x + 0.1d0*y
    end do
  end subroutine
end module
