! replay.f90: the tape by itself.
module shallow_water_replay
  use adtape
  use shallow_water_support, only: dp, clock_seconds
  use shallow_water_model, only: grid_t
  implicit none
  private

  public :: replay

contains

  ! Pushes and pops what one gradient pushes and pops, in the same pattern of scalars, control bits and sections,
  ! without the model's arithmetic. What each took, in seconds.
  subroutine replay(g, push_seconds, pop_seconds)
    type(grid_t), intent(inout) :: g
    real(dp), intent(out) :: push_seconds, pop_seconds
    real(dp) :: start
    integer :: stage
    start = clock_seconds()
    do stage = 1, 2*g%steps
      call push_stage(g)
    end do
    push_seconds = clock_seconds() - start
    start = clock_seconds()
    do stage = 1, 2*g%steps
      call pop_stage(g)
    end do
    pop_seconds = clock_seconds() - start
  end subroutine

  ! How often the loops of one stage run in a sweep over x (1) and over y (2).
  pure function slopes(g, direction) result(count)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: direction
    integer :: count
    count = merge(3*(g%nx + 2)*g%ny, 3*g%nx*(g%ny + 2), direction == 1)
  end function
  pure function faces(g, direction) result(count)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: direction
    integer :: count
    count = merge((g%nx + 1)*g%ny, g%nx*(g%ny + 1), direction == 1)
  end function

  subroutine push_stage(g)
    type(grid_t), intent(in) :: g
    real(dp) :: hl, hr, ql, qr, ul, ur, cl, cr, speed, fh, v
    integer :: i, direction
    hl = 0.0_dp; hr = 0.0_dp; ql = 0.0_dp; qr = 0.0_dp; ul = 0.0_dp; ur = 0.0_dp
    cl = 0.0_dp; cr = 0.0_dp; speed = 0.0_dp; fh = 0.0_dp; v = 0.0_dp
    do direction = 1, 2
      do i = 1, slopes(g, direction)
        call push_control(iand(i, 3), 2)
      end do
      do i = 1, faces(g, direction)
        call push(hl)
        call push(hr)
        call push(ql)
        call push(qr)
        call push(ul)
        call push(ur)
        call push(cl)
        call push(cr)
        call push(speed)
        call push_control(iand(i, 3), 2)
        call push(fh)
        call push(v)
        call push_control(iand(i, 1), 1)
      end do
    end do
    do i = 1, g%nx*g%ny
      call push(ul)
      call push(v)
      call push(speed)
      call push_control(iand(i, 1), 1)
    end do
    call push(g%h0(2:g%nx+1, 2:g%ny+1))
  end subroutine

  subroutine pop_stage(g)
    type(grid_t), intent(inout) :: g
    real(dp) :: hl, hr, ql, qr, ul, ur, cl, cr, speed, fh, v
    integer :: i, direction, branch
    call pop(g%h0(2:g%nx+1, 2:g%ny+1))
    do i = 1, g%nx*g%ny
      call pop_control(branch, 1)
      call pop(speed)
      call pop(v)
      call pop(ul)
    end do
    do direction = 2, 1, -1
      do i = 1, faces(g, direction)
        call pop_control(branch, 1)
        call pop(v)
        call pop(fh)
        call pop_control(branch, 2)
        call pop(speed)
        call pop(cr)
        call pop(cl)
        call pop(ur)
        call pop(ul)
        call pop(qr)
        call pop(ql)
        call pop(hr)
        call pop(hl)
      end do
      do i = 1, slopes(g, direction)
        call pop_control(branch, 2)
      end do
    end do
  end subroutine

end module shallow_water_replay
