! domain.f90: the channel in parts, one a rank. Cells of observations lie four apart, so a part has a multiple of four
! cells each way.
module shallow_water_domain
  use mpi_f08
  use adtape_mpi
  use shallow_water_grid, only: part_t
  implicit none
  private

  public :: domain_create

  type, public :: domain_t
    type(MPI_Comm) :: comm          ! ranks in a grid: periodic along the channel, walls across it
    integer :: rank, ranks
    integer :: count(2) = 0, place(2) ! parts along x and y, and which of them is this rank's, from 0
    integer :: nx, ny               ! cells of the part
    type(part_t) :: part
  end type

contains

  ! Collective. Not ok if the channel is too small for that many ranks.
  subroutine domain_create(d, whole_nx, whole_ny, ok)
    type(domain_t), intent(out) :: d
    integer, intent(in) :: whole_nx, whole_ny
    logical, intent(out) :: ok
    call MPI_Comm_size(MPI_COMM_WORLD, d%ranks)
    call MPI_Dims_create(d%ranks, 2, d%count)
    ok = whole_nx/4 >= d%count(1) .and. whole_ny/4 >= d%count(2)
    if (.not. ok) return
    call adtape_MPI_Cart_create(MPI_COMM_WORLD, 2, d%count, [.true., .false.], .true., d%comm)
    call MPI_Comm_rank(d%comm, d%rank)
    call MPI_Cart_coords(d%comm, d%rank, 2, d%place)
    d%part = part_t(whole_nx, whole_ny)
    call cut(whole_nx, d%count(1), d%place(1), d%part%x, d%nx)
    call cut(whole_ny, d%count(2), d%place(2), d%part%y, d%ny)
  end subroutine

  ! Cuts `cells` into `count` parts of blocks of four; the first parts have one block more where that does not come out
  ! even.
  pure subroutine cut(cells, count, place, first, length)
    integer, intent(in) :: cells, count, place
    integer, intent(out) :: first, length
    integer :: each, more
    each = cells/4/count
    more = mod(cells/4, count)
    first = 4*(place*each + min(place, more))
    length = 4*(each + merge(1, 0, place < more))
  end subroutine

end module shallow_water_domain
