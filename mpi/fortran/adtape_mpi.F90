!> adtape_mpi: the calls of adtape_mpi.h for programs that use mpi_f08, mpi or mpif.h. Names and arguments are those of
!> MPI with adtape_ in front; docs/mpi.md says what they do. Handles and statuses are integers or types of mpi_f08.
!>
!> A buffer is a variable of any type and rank without gaps. With mpif.h alone, without this module, the calls are
!> external procedures, as MPI's are.
module adtape_mpi
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr
#ifndef ADTAPE_MPI_NO_F08
  use mpi_f08, only: MPI_Comm, MPI_Datatype, MPI_Group, MPI_Info, MPI_Op, MPI_Request, MPI_Status
#endif
  implicit none
  private

  public :: adtape_MPI_Init, adtape_MPI_Init_thread
  interface
    subroutine adtape_MPI_Init(ierror) bind(c, name="adtape_fmpi_init")
      import :: c_int
      integer(c_int), intent(out), optional :: ierror
    end subroutine
    subroutine adtape_MPI_Init_thread(required, provided, ierror) bind(c, name="adtape_fmpi_init_thread")
      import :: c_int
      integer(c_int), intent(in) :: required
      integer(c_int), intent(out) :: provided
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  !> The operation, the procedure that MPI_Op_create got, and its adjoint, whose arguments are
  !> (a, b, a_b, b_b, r_b, len, datatype), as the procedure's are declared.
  public :: adtape_mpi_op_adjoint
  interface adtape_mpi_op_adjoint
    subroutine adtape_mpi_op_adjoint(op, function, adjoint)
      integer, intent(in) :: op
      external :: function, adjoint
    end subroutine
#ifndef ADTAPE_MPI_NO_F08
    procedure :: op_adjoint_f08
#endif
  end interface
#include "generated/interfaces.inc"

#ifndef ADTAPE_MPI_NO_F08
contains

  subroutine op_adjoint_f08(op, function, adjoint)
    type(MPI_Op), intent(in) :: op
    external :: function, adjoint
    call adtape_mpi_op_adjoint(op%MPI_VAL, function, adjoint)
  end subroutine
#endif
end module

!> Says where the variables are that stand for what has no address. The numbers are those of adtape_mpi_fortran.c.
subroutine adtape_mpi_sentinels()
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  include 'mpif.h'
  interface
    subroutine sentinel(which, variable) bind(c, name="adtape_fmpi_sentinel")
      import :: c_int
      integer(c_int), value :: which
      type(*), dimension(..) :: variable
    end subroutine
    subroutine status_size(size) bind(c, name="adtape_fmpi_status_size")
      import :: c_int
      integer(c_int), value :: size
    end subroutine
  end interface
  call status_size(MPI_STATUS_SIZE)
  call sentinel(0, MPI_IN_PLACE)
  call sentinel(1, MPI_BOTTOM)
  call sentinel(2, MPI_STATUS_IGNORE)
  call sentinel(3, MPI_STATUSES_IGNORE)
end subroutine

#ifndef ADTAPE_MPI_NO_F08
!> Likewise for mpi_f08.
subroutine adtape_mpi_sentinels_f08()
  use, intrinsic :: iso_c_binding, only: c_int
  use mpi_f08, only: MPI_IN_PLACE, MPI_BOTTOM, MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE
  implicit none
  interface
    subroutine sentinel(which, variable) bind(c, name="adtape_fmpi_sentinel")
      import :: c_int
      integer(c_int), value :: which
      type(*), dimension(..) :: variable
    end subroutine
  end interface
  call sentinel(0, MPI_IN_PLACE)
  call sentinel(1, MPI_BOTTOM)
  call sentinel(2, MPI_STATUS_IGNORE)
  call sentinel(3, MPI_STATUSES_IGNORE)
end subroutine
#endif
