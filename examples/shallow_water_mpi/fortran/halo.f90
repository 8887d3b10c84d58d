! halo.f90: ghost cells of a part of the channel, in place of examples/shallow_water/fortran/ghosts.f90.
!
! Two cells next to each side go to the neighbour there, and two of the neighbour's come back:
!
!     | ghost ghost | inner inner ... inner inner | ghost ghost |
!        to be filled  sent west       sent east     to be filled
!
! Where there is a wall, there is no neighbour: MPI_PROC_NULL. A message is tagged with the side that it leaves by.
module shallow_water_ghosts
  use mpi_f08
  use adtape_mpi
  use shallow_water_support, only: dp
  use shallow_water_grid, only: grid_t
  use shallow_water_domain, only: domain_t
  implicit none
  private

  public :: halo_create, halo_destroy, fill_ghosts, fill_ghosts_fwd, fill_ghosts_b

  integer, parameter :: west = 0, east = 1, south = 2, north = 3

  type(MPI_Comm) :: comm
  integer :: neighbour(west:north)
  integer :: inner(2, west:north), ghost(2, west:north) ! the first cell that is sent, and that is filled
  type(MPI_Datatype) :: cells(west:north)               ! columns of two, or two rows

contains

  ! Prepares what follows for fields of this grid.
  subroutine halo_create(d, g)
    type(domain_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    integer :: side
    comm = d%comm
    inner = reshape([2, 2, g%nx, 2, 2, 2, 2, g%ny], [2, 4])
    ghost = reshape([0, 2, g%nx + 2, 2, 2, 0, 2, g%ny + 2], [2, 4])
    call MPI_Cart_shift(comm, 0, 1, neighbour(west), neighbour(east))
    call MPI_Cart_shift(comm, 1, 1, neighbour(south), neighbour(north))
    do side = west, north
      if (side == west .or. side == east) then
        call MPI_Type_vector(g%ny, 2, g%row, MPI_DOUBLE_PRECISION, cells(side))
      else
        call MPI_Type_vector(2, g%nx, g%row, MPI_DOUBLE_PRECISION, cells(side))
      end if
      call MPI_Type_commit(cells(side))
    end do
  end subroutine

  subroutine halo_destroy()
    integer :: side
    do side = west, north
      call MPI_Type_free(cells(side))
    end do
  end subroutine

  pure integer function opposite(side)
    integer, intent(in) :: side
    opposite = ieor(side, 1)
  end function

  ! ---- between neighbours: the primal, which leaves nothing on the tape; forward and reverse sweep ----------------

  subroutine exchange(g, q)
    type(grid_t), intent(in) :: g
    real(dp), intent(inout), asynchronous :: q(0:g%nx+3, 0:g%ny+3)
    type(MPI_Request) :: r(8)
    integer :: side
    do side = west, north
      call MPI_Irecv(q(ghost(1, side), ghost(2, side)), 1, cells(side), neighbour(side), opposite(side), comm, r(1 + side))
    end do
    do side = west, north
      call MPI_Isend(q(inner(1, side), inner(2, side)), 1, cells(side), neighbour(side), side, comm, r(5 + side))
    end do
    call MPI_Waitall(8, r, MPI_STATUSES_IGNORE)
  end subroutine

  subroutine exchange_fwd(g, q)
    type(grid_t), intent(in) :: g
    real(dp), intent(inout), asynchronous :: q(0:g%nx+3, 0:g%ny+3)
    type(MPI_Request) :: r(8)
    integer :: side
    do side = west, north
      call adtape_MPI_Irecv(q(ghost(1, side), ghost(2, side)), 1, cells(side), neighbour(side), opposite(side), comm, &
                            r(1 + side))
    end do
    do side = west, north
      call adtape_MPI_Isend(q(inner(1, side), inner(2, side)), 1, cells(side), neighbour(side), side, comm, r(5 + side))
    end do
    call adtape_MPI_Waitall(8, r, MPI_STATUSES_IGNORE)
  end subroutine

  ! Which field, which neighbour, how much: the tape knows.
  subroutine exchange_bwd()
    integer :: side
    call adtape_MPI_Waitall_b()
    do side = west, north
      call adtape_MPI_Isend_b()
    end do
    do side = west, north
      call adtape_MPI_Irecv_b()
    end do
  end subroutine

  ! ---- at the walls: the mirror image, with wall_sign -1 for the momentum across the wall --------------------------

  logical function is_wall(side)
    integer, intent(in) :: side
    is_wall = neighbour(side) == MPI_PROC_NULL
  end function

  subroutine mirror(g, q, wall_sign)
    type(grid_t), intent(in) :: g
    real(dp), intent(inout) :: q(0:g%nx+3, 0:g%ny+3)
    real(dp), intent(in) :: wall_sign
    integer :: nx, ny
    nx = g%nx
    ny = g%ny
    if (is_wall(south)) then
      q(2:nx+1, 0) = wall_sign*q(2:nx+1, 3)
      q(2:nx+1, 1) = wall_sign*q(2:nx+1, 2)
    end if
    if (is_wall(north)) then
      q(2:nx+1, ny+2) = wall_sign*q(2:nx+1, ny+1)
      q(2:nx+1, ny+3) = wall_sign*q(2:nx+1, ny)
    end if
  end subroutine

  subroutine mirror_b(g, qb, wall_sign)
    type(grid_t), intent(in) :: g
    real(dp), intent(inout) :: qb(0:g%nx+3, 0:g%ny+3)
    real(dp), intent(in) :: wall_sign
    integer :: nx, ny
    nx = g%nx
    ny = g%ny
    if (is_wall(north)) then
      qb(2:nx+1, ny) = qb(2:nx+1, ny) + wall_sign*qb(2:nx+1, ny+3)
      qb(2:nx+1, ny+1) = qb(2:nx+1, ny+1) + wall_sign*qb(2:nx+1, ny+2)
      qb(2:nx+1, ny+2:ny+3) = 0.0_dp
    end if
    if (is_wall(south)) then
      qb(2:nx+1, 2) = qb(2:nx+1, 2) + wall_sign*qb(2:nx+1, 1)
      qb(2:nx+1, 3) = qb(2:nx+1, 3) + wall_sign*qb(2:nx+1, 0)
      qb(2:nx+1, 0:1) = 0.0_dp
    end if
  end subroutine

  ! ---- both --------------------------------------------------------------------------------------------------------

  subroutine fill_ghosts(g, q, wall_sign)
    type(grid_t), intent(in) :: g
    real(dp), intent(inout) :: q(0:g%nx+3, 0:g%ny+3)
    real(dp), intent(in) :: wall_sign
    call exchange(g, q)
    call mirror(g, q, wall_sign)
  end subroutine

  subroutine fill_ghosts_fwd(g, q, wall_sign)
    type(grid_t), intent(in) :: g
    real(dp), intent(inout) :: q(0:g%nx+3, 0:g%ny+3)
    real(dp), intent(in) :: wall_sign
    call exchange_fwd(g, q)
    call mirror(g, q, wall_sign)
  end subroutine

  ! The adjoints that come and go are found by the addresses that register_field of problem.f90 gave.
  subroutine fill_ghosts_b(g, qb, wall_sign)
    type(grid_t), intent(in) :: g
    real(dp), intent(inout) :: qb(0:g%nx+3, 0:g%ny+3)
    real(dp), intent(in) :: wall_sign
    call mirror_b(g, qb, wall_sign)
    call exchange_bwd()
  end subroutine

end module shallow_water_ghosts
