! Compares adjoints with tangents and with differences: where the call allocates, and where an earlier one has.
program main
  use work
  use lasting
  implicit none
  integer, parameter :: n = 6
  real(8), parameter :: h = 1.0d-6
  abstract interface
    subroutine head(n, x, y)
      integer, intent(in) :: n
      real(8), intent(inout) :: x(n), y(n)
    end subroutine
    subroutine pair(n, x, x_b, y, y_b)
      integer, intent(in) :: n
      real(8), intent(inout) :: x(n), x_b(n), y(n), y_b(n)
    end subroutine
  end interface
  call check('guarded', guarded, guarded_b, guarded_d)
  call check('tables', tables, tables_b, tables_d)
  call check('flagged', flagged, flagged_b, flagged_d)
  call check('inside', inside, inside_b, inside_d)
contains
  subroutine check(name, f, f_b, f_d)
    character(*), intent(in) :: name
    procedure(head) :: f
    procedure(pair) :: f_b, f_d
    real(8) :: x(n), y(n), x_b(n), y_b(n), x_d(n), y_d(n), wx(n), wy(n), dx(n), dy(n)
    real(8) :: high, low, found, along
    integer :: i, round
    logical :: is_right
    do i = 1, n
      wx(i) = 0.7d0 - 0.1d0*i
      wy(i) = 0.4d0 + 0.05d0*i*i
      dx(i) = 0.3d0 + 0.2d0*mod(i, 3)
      dy(i) = 0.5d0 - 0.1d0*mod(i, 4)
    end do
    is_right = .true.
    do round = 1, 3
      ! In the second round everything is there, in the third one the program's arrays are without derivatives.
      if (round == 1) call forget()
      if (round == 3) call forget_derivatives()
      call begin(x, y, 0.0d0)
      x_b = wx
      y_b = wy
      call f_b(n, x, x_b, y, y_b)
      found = sum(x_b*dx) + sum(y_b*dy)
      if (round == 1) call forget()
      if (round == 3) call forget_derivatives()
      call begin(x, y, 0.0d0)
      x_d = dx
      y_d = dy
      call f_d(n, x, x_d, y, y_d)
      along = sum(wx*x_d) + sum(wy*y_d)
      call begin(x, y, h)
      call f(n, x, y)
      high = sum(wx*x) + sum(wy*y)
      call begin(x, y, -h)
      call f(n, x, y)
      low = sum(wx*x) + sum(wy*y)
      is_right = is_right .and. abs(found - along) <= 1d-12*max(1d0, abs(along))
      is_right = is_right .and. abs(found - (high - low)/(2*h)) <= 1d-6*max(1d0, abs(found))
      if (.not. is_right) print *, round, found, along, (high - low)/(2*h)
    end do
    print '(a)', merge('right ', 'WRONG ', is_right)//name
  end subroutine

  subroutine begin(x, y, by)
    real(8), intent(out) :: x(n), y(n)
    real(8), intent(in) :: by
    integer :: i
    do i = 1, n
      x(i) = 0.2d0 + 0.11d0*i + 0.01d0*mod(i*i, 5) + by*(0.3d0 + 0.2d0*mod(i, 3))
      y(i) = 0.3d0 + 0.17d0*mod(3*i, 7) + by*(0.5d0 - 0.1d0*mod(i, 4))
    end do
  end subroutine

  subroutine forget()
    if (allocated(w)) deallocate (w)
    if (allocated(table)) deallocate (table)
    if (allocated(place)) deallocate (place)
    if (allocated(flux)) deallocate (flux)
    if (allocated(rows)) deallocate (rows)
    is_first = .true.
    weights = 0
    call forget_derivatives()
  end subroutine

  subroutine forget_derivatives()
    if (allocated(w_b)) deallocate (w_b)
    if (allocated(w_d)) deallocate (w_d)
    if (allocated(flux_b)) deallocate (flux_b)
    if (allocated(flux_d)) deallocate (flux_d)
  end subroutine
end program
