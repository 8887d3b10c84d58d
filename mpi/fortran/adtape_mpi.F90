!> adtape_mpi: the calls of adtape_mpi.h for programs that use mpi_f08, mpi or mpif.h. Names and arguments are those of
!> MPI with adtape_ in front; docs/mpi.md says what they do. Handles and statuses are integers or types of mpi_f08.
!>
!> A buffer is a variable of any type and rank without gaps. With mpif.h alone, without this module, the calls are
!> external procedures, as MPI's are.
module adtape_mpi
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_float, c_double
#ifndef ADTAPE_MPI_NO_F08
  use mpi_f08, only: MPI_Comm, MPI_Datatype, MPI_Group, MPI_Info, MPI_Message, MPI_Op, MPI_Request, MPI_Status
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

  !> Where adtape_mpi_check_seed expects the seed, if not on a rank that is known.
  integer(c_int), parameter, public :: ADTAPE_MPI_ON_ALL = -1, ADTAPE_MPI_ON_ONE = -2

  !> Derivative tests over the ranks of a communicator, MPI_COMM_WORLD unless call adtape_mpi_test_on(comm) says another:
  !> call test_gradient(f, x, report, ..., product=adtape_mpi_test_product_f64), where f returns
  !> adtape_mpi_test_value(...), which is rank 0's if the ranks agree, and else an error.
  public :: adtape_mpi_test_on, adtape_mpi_test_value, adtape_mpi_test_product_f64, adtape_mpi_test_product_f32
  interface adtape_mpi_test_on
    subroutine test_on(comm) bind(c, name="adtape_fmpi_test_on")
      import :: c_int
      integer(c_int), intent(in) :: comm
    end subroutine
#ifndef ADTAPE_MPI_NO_F08
    subroutine test_on_f08(comm) bind(c, name="adtape_fmpi_test_on")
      import :: MPI_Comm
      type(MPI_Comm), intent(in) :: comm
    end subroutine
#endif
  end interface
  interface adtape_mpi_test_value
    function test_value_f64(value) result(same) bind(c, name="adtape_fmpi_test_value_f64")
      import :: c_double
      real(c_double), value :: value
      real(c_double) :: same
    end function
    function test_value_f32(value) result(same) bind(c, name="adtape_fmpi_test_value_f32")
      import :: c_float
      real(c_float), value :: value
      real(c_float) :: same
    end function
  end interface
  interface
    function test_sum(value) result(total) bind(c, name="adtape_fmpi_test_sum")
      import :: c_double
      real(c_double), value :: value
      real(c_double) :: total
    end function
  end interface

contains

  function adtape_mpi_test_product_f64(a, b) result(p)
    real(c_double), intent(in) :: a(:), b(:)
    real(c_double) :: p
    p = test_sum(dot_product(a, b))
  end function

  function adtape_mpi_test_product_f32(a, b) result(p)
    real(c_float), intent(in) :: a(:), b(:)
    real(c_double) :: p
    p = test_sum(dot_product(real(a, c_double), real(b, c_double)))
  end function

#ifndef ADTAPE_MPI_NO_F08
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
