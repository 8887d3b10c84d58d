! ampi.F90: adjoints by Adjoinable MPI's names in Fortran, as Tapenade writes them, on two ranks. ampi.c has more.
program ampi
  implicit none
  include 'ampi/ampif.h'
  double precision :: x(2), xb(2), y(2), yb(2)
  integer :: me, e, r(2), status(MPI_STATUS_SIZE)

  call AMPI_Init_NT(e)
  call AMPI_Comm_rank(MPI_COMM_WORLD, me, e)
  call two_ways()
  call another_order()
  call reductions()
  call AMPI_Finalize_NT(e)

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print '(a, i0, 2a)', 'ampi.F90: rank ', me, ': check failed: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, e)
  end subroutine

  subroutine reset()
    x = [1 + 10*me, 2 + 10*me]
    y = -1
    xb = 0
    yb = [1 + 100*me, 2 + 100*me]
  end subroutine

  ! y of rank 0 is twice its x, doubled on rank 1.
  subroutine two_ways()
    double precision :: local, localb
    call reset()
    if (me == 0) then
      call FW_AMPI_Irecv(y, 1, AMPI_ADOUBLE_PRECISION, 1, 0, AMPI_FROM_SEND, MPI_COMM_WORLD, r(1), e)
      call FW_AMPI_Send(x, 1, AMPI_ADOUBLE_PRECISION, 1, 0, AMPI_TO_RECV, MPI_COMM_WORLD, e)
      call FW_AMPI_Wait(r(1), MPI_STATUS_IGNORE, e)
      call check(y(1) == 2, 'what comes back')
      call ADTOOL_AMPI_Turn(x, xb)
      call ADTOOL_AMPI_Turn(y, yb)
      call BW_AMPI_Wait(r(1), MPI_STATUS_IGNORE, e)
      call BW_AMPI_Send(xb, 1, AMPI_ADOUBLE_PRECISION, 1, 0, AMPI_TO_RECV, MPI_COMM_WORLD, e)
      call BW_AMPI_Irecv(yb, 1, AMPI_ADOUBLE_PRECISION, 1, 0, AMPI_FROM_SEND, MPI_COMM_WORLD, r(1), e)
      call check(xb(1) == 2 .and. yb(1) == 0, 'adjoint of two ways')
    else
      call FW_AMPI_Recv(local, 1, AMPI_ADOUBLE_PRECISION, 0, 0, AMPI_FROM_SEND, MPI_COMM_WORLD, status, e)
      call check(status(MPI_SOURCE) == 0, 'status')
      local = 2*local
      call FW_AMPI_Send(local, 1, AMPI_ADOUBLE_PRECISION, 0, 0, AMPI_TO_IRECV_WAIT, MPI_COMM_WORLD, e)
      localb = 0
      call BW_AMPI_Send(localb, 1, AMPI_ADOUBLE_PRECISION, 0, 0, AMPI_TO_IRECV_WAIT, MPI_COMM_WORLD, e)
      localb = 2*localb
      call BW_AMPI_Recv(localb, 1, AMPI_ADOUBLE_PRECISION, 0, 0, AMPI_FROM_SEND, MPI_COMM_WORLD, status, e)
      call check(localb == 0, 'adjoint of what was received')
    end if
    call FW_AMPI_Barrier(MPI_COMM_WORLD, e)
    call BW_AMPI_Barrier(MPI_COMM_WORLD, e)
  end subroutine

  subroutine another_order()
    call reset()
    if (me == 0) then
      call FW_AMPI_Isend(x(1), 1, AMPI_ADOUBLE_PRECISION, 1, 7, AMPI_TO_IRECV_WAIT, MPI_COMM_WORLD, r(1), e)
      call FW_AMPI_Isend(x(2), 1, AMPI_ADOUBLE_PRECISION, 1, 7, AMPI_TO_IRECV_WAIT, MPI_COMM_WORLD, r(2), e)
      call FW_AMPI_Wait(r(2), MPI_STATUS_IGNORE, e)
      call FW_AMPI_Wait(r(1), MPI_STATUS_IGNORE, e)
      call BW_AMPI_Wait(r(1), MPI_STATUS_IGNORE, e)
      call BW_AMPI_Wait(r(2), MPI_STATUS_IGNORE, e)
      call BW_AMPI_Isend(xb(2), 1, AMPI_ADOUBLE_PRECISION, 1, 7, AMPI_TO_IRECV_WAIT, MPI_COMM_WORLD, r(2), e)
      call BW_AMPI_Isend(xb(1), 1, AMPI_ADOUBLE_PRECISION, 1, 7, AMPI_TO_IRECV_WAIT, MPI_COMM_WORLD, r(1), e)
      call check(all(xb == [101, 102]), 'adjoints in another order')
    else
      call FW_AMPI_Irecv(y(1), 1, AMPI_ADOUBLE_PRECISION, 0, 7, AMPI_FROM_ISEND_WAIT, MPI_COMM_WORLD, r(1), e)
      call FW_AMPI_Irecv(y(2), 1, AMPI_ADOUBLE_PRECISION, 0, 7, AMPI_FROM_ISEND_WAIT, MPI_COMM_WORLD, r(2), e)
      call FW_AMPI_Wait(r(2), MPI_STATUS_IGNORE, e)
      call FW_AMPI_Wait(r(1), MPI_STATUS_IGNORE, e)
      call ADTOOL_AMPI_Turn(y(1), yb(1))
      call ADTOOL_AMPI_Turn(y(2), yb(2))
      call BW_AMPI_Wait(r(1), MPI_STATUS_IGNORE, e)
      call BW_AMPI_Wait(r(2), MPI_STATUS_IGNORE, e)
      call BW_AMPI_Irecv(yb(2), 1, AMPI_ADOUBLE_PRECISION, 0, 7, AMPI_FROM_ISEND_WAIT, MPI_COMM_WORLD, r(2), e)
      call BW_AMPI_Irecv(yb(1), 1, AMPI_ADOUBLE_PRECISION, 0, 7, AMPI_FROM_ISEND_WAIT, MPI_COMM_WORLD, r(1), e)
      call check(all(yb == 0), 'what was received')
    end if
  end subroutine

  subroutine reductions()
    call reset()
    call FWS_AMPI_Reduce(x, y, 2, AMPI_ADOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, e)
    call check(me == 1 .or. all(y == [11, 12]), 'the larger ones')
    call BWS_AMPI_Reduce(x, xb, y, yb, 2, AMPI_ADOUBLE_PRECISION, AMPI_ADOUBLE_PRECISION, MPI_MAX, 0, 0, &
      MPI_COMM_WORLD, e)
    call check(all(xb == merge([0, 0], [1, 2], me == 0)), 'adjoint of the larger ones')
    call reset()
    if (me == 0) call FWS_AMPI_Reduce(MPI_IN_PLACE, x, 1, AMPI_ADOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, e)
    if (me == 1) call FWS_AMPI_Reduce(x, y, 1, AMPI_ADOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, e)
    call check(me == 1 .or. x(1) == 12, 'the sum in place')
    xb(1) = 5*(1 - me)
    if (me == 0) then
      call BWS_AMPI_Reduce(MPI_IN_PLACE, MPI_IN_PLACE, x, xb, 1, AMPI_ADOUBLE_PRECISION, AMPI_ADOUBLE_PRECISION, &
        MPI_SUM, 0, 0, MPI_COMM_WORLD, e)
    else
      call BWS_AMPI_Reduce(x, xb, y, yb, 1, AMPI_ADOUBLE_PRECISION, AMPI_ADOUBLE_PRECISION, MPI_SUM, 0, 0, &
        MPI_COMM_WORLD, e)
    end if
    call check(xb(1) == 5, 'adjoint of the sum in place')
  end subroutine
end program
