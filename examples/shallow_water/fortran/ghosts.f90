! ghosts.f90: ghost cells, of the primal and of its adjoint: all that the parts of a channel would have to exchange. A
! model on many ranks has this module of its own, examples/shallow_water_mpi/fortran/halo.f90.
module shallow_water_ghosts
  use shallow_water_support, only: dp
  use shallow_water_grid, only: grid_t
  implicit none
  private

  public :: fill_ghosts, fill_ghosts_fwd, fill_ghosts_b

contains

  ! Periodic in x; in y the mirror image, with wall_sign -1 for the momentum across the wall.
  subroutine fill_ghosts(g, q, wall_sign)
    type(grid_t), intent(in) :: g
    real(dp), intent(inout) :: q(0:g%nx+3, 0:g%ny+3)
    real(dp), intent(in) :: wall_sign
    integer :: i, j, nx, ny
    nx = g%nx
    ny = g%ny
    do j = 2, ny + 1
      q(0, j) = q(nx, j)
      q(1, j) = q(nx+1, j)
      q(nx+2, j) = q(2, j)
      q(nx+3, j) = q(3, j)
    end do
    do i = 2, nx + 1
      q(i, 0) = wall_sign*q(i, 3)
      q(i, 1) = wall_sign*q(i, 2)
      q(i, ny+2) = wall_sign*q(i, ny+1)
      q(i, ny+3) = wall_sign*q(i, ny)
    end do
  end subroutine

  ! It is linear: nothing is pushed.
  subroutine fill_ghosts_fwd(g, q, wall_sign)
    type(grid_t), intent(in) :: g
    real(dp), intent(inout) :: q(0:g%nx+3, 0:g%ny+3)
    real(dp), intent(in) :: wall_sign
    call fill_ghosts(g, q, wall_sign)
  end subroutine

  subroutine fill_ghosts_b(g, qb, wall_sign)
    type(grid_t), intent(in) :: g
    real(dp), intent(inout) :: qb(0:g%nx+3, 0:g%ny+3)
    real(dp), intent(in) :: wall_sign
    integer :: i, j, nx, ny
    nx = g%nx
    ny = g%ny
    do i = 2, nx + 1
      qb(i, ny) = qb(i, ny) + wall_sign*qb(i, ny+3)
      qb(i, ny+3) = 0.0_dp
      qb(i, ny+1) = qb(i, ny+1) + wall_sign*qb(i, ny+2)
      qb(i, ny+2) = 0.0_dp
      qb(i, 2) = qb(i, 2) + wall_sign*qb(i, 1)
      qb(i, 1) = 0.0_dp
      qb(i, 3) = qb(i, 3) + wall_sign*qb(i, 0)
      qb(i, 0) = 0.0_dp
    end do
    do j = 2, ny + 1
      qb(3, j) = qb(3, j) + qb(nx+3, j)
      qb(nx+3, j) = 0.0_dp
      qb(2, j) = qb(2, j) + qb(nx+2, j)
      qb(nx+2, j) = 0.0_dp
      qb(nx+1, j) = qb(nx+1, j) + qb(1, j)
      qb(1, j) = 0.0_dp
      qb(nx, j) = qb(nx, j) + qb(0, j)
      qb(0, j) = 0.0_dp
    end do
  end subroutine

end module shallow_water_ghosts
