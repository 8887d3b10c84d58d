! calls.F90: every call of adtape_mpi from Fortran on two ranks, each with both of its reverse forms: by what is known of
! addresses, and with the adjoint given. Compiled with WITH_F08 (use mpi_f08), WITH_MPI (use mpi), WITH_MODULE (mpif.h and
! the module adtape_mpi), or for mpif.h alone.
#define CHECK(condition) call check(condition, __LINE__)
#if defined(WITH_F08)
#define HANDLE(kind) type(kind)
#define STATUSES(n) type(MPI_Status), dimension(n)
#define SOURCE_OF(s, i) s(i)%MPI_SOURCE
#define STATUS_AT(s, i) s(i)
#else
#define HANDLE(kind) integer
#define STATUSES(n) integer, dimension(MPI_STATUS_SIZE, n)
#define SOURCE_OF(s, i) s(MPI_SOURCE, i)
#define STATUS_AT(s, i) s(:, i)
#endif

#if defined(WITH_F08) || defined(WITH_MPI) || defined(WITH_MODULE)
#define HAS_MODULE
! Half the sum of all ranks' squares.
module distributed_cost
  use, intrinsic :: iso_c_binding
  use adtape_mpi
#if defined(WITH_F08)
  use mpi_f08
#elif defined(WITH_MPI)
  use mpi
#endif
  implicit none
contains
  function cost(x) result(total)
    real(c_double), intent(in) :: x(:)
    real(c_double) :: total, part
#if defined(WITH_MODULE)
    include 'mpif.h'
#endif
    part = 0.5d0*sum(x**2)
    call adtape_MPI_Allreduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    total = adtape_mpi_test_value(total)
  end function
end module
#endif

program calls
  use, intrinsic :: iso_c_binding
  use adtape
#if defined(WITH_F08)
  use mpi_f08
  use adtape_mpi
#elif defined(WITH_MPI)
  use mpi
  use adtape_mpi
#elif defined(WITH_MODULE)
  use adtape_mpi
#endif
#ifdef HAS_MODULE
  use distributed_cost, only: cost
#endif
  implicit none
#if !defined(WITH_F08) && !defined(WITH_MPI)
  include 'mpif.h'
#endif
  integer, parameter :: N = 8
  real(c_double), target :: x(N), xb(N), y(N), yb(N)
  integer :: me, other, ranks, e, level
  logical :: given = .false.

  call adtape_MPI_Init_thread(MPI_THREAD_SERIALIZED, level, e)
  call adtape_MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, e)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, e)
  CHECK(ranks == 2 .and. level <= MPI_THREAD_SERIALIZED)
  other = 1 - me
  call live_add(x, ADTAPE_KIND_STATIC, 'x')
  call live_set_adjoint(x, xb)
  call live_add(y, ADTAPE_KIND_STATIC, 'y')
  call live_set_adjoint(y, yb)
  call communicators()
  call forms()
  given = .true.
  call forms()
  call own_operation()
  call places()
  call joined()
  call seeds()
  call adtape_MPI_Finalize(e)

contains

  subroutine forms()
    integer :: how
    call blocking()
    call exchanged()
    do how = 1, 8
      call waited(how)
    end do
    call probed()
    call matched()
    call to_all()
    call reduced()
    call gathered()
    call scattered()
    call partly_reduced()
    call neighbors()
    call started()
    call nonblocking()
  end subroutine

  subroutine check(holds, line)
    logical, intent(in) :: holds
    integer, intent(in) :: line
    if (holds) return
    print '(a, i0, a, i0, a, l1)', 'calls.F90:', line, ': rank ', me, ': check failed; adjoints given: ', given
    call MPI_Abort(MPI_COMM_WORLD, 1, e)
  end subroutine

  ! x is 1, 2, … on rank 0 and 11, 12, … on rank 1; adjoints of y are 1, 2, … and 101, 102, …
  subroutine reset()
    integer :: i
    x = [(i + 10*me, i=1, N)]
    y = -1
    xb = 0
    yb = [(i + 100*me, i=1, N)]
  end subroutine

  subroutine blocking()
    character, target :: room(4096)
    STATUSES(1) :: status
    integer :: bytes
#if defined(WITH_F08)
    type(c_ptr) :: attached
#else
    character :: attached(1)
#endif
    call reset()
    if (me == 0) then
      call MPI_Buffer_attach(room, 4096, e)
      call adtape_MPI_Send(x, 2, MPI_DOUBLE_PRECISION, 1, 5, MPI_COMM_WORLD, e)
      call adtape_MPI_Ssend(x, 2, MPI_DOUBLE_PRECISION, 1, 5, MPI_COMM_WORLD, e)
      call adtape_MPI_Bsend(x(2), 1, MPI_DOUBLE_PRECISION, 1, 5, MPI_COMM_WORLD, e)
      call MPI_Buffer_detach(attached, bytes, e)
      if (given) then
        call adtape_MPI_Bsend_b_at(xb(2))
        call adtape_MPI_Ssend_b_at(xb)
        call adtape_MPI_Send_b_at(xb)
      else
        call adtape_MPI_Bsend_b()
        call adtape_MPI_Ssend_b()
        call adtape_MPI_Send_b()
      end if
      CHECK(all(xb(1:3) == [204, 311, 0]))
    else
      call adtape_MPI_Recv(y, 2, MPI_DOUBLE_PRECISION, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
      call adtape_MPI_Recv(y(3:4), 2, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, STATUS_AT(status, 1), e)
      CHECK(SOURCE_OF(status, 1) == 0)
      call adtape_MPI_Recv(y(5), 1, MPI_DOUBLE_PRECISION, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
      CHECK(all(y(1:6) == [1, 2, 1, 2, 2, -1]))
      if (given) then
        call adtape_MPI_Recv_b_at(yb(5))
        call adtape_MPI_Recv_b_at(yb(3))
        call adtape_MPI_Recv_b_at(yb)
      else
        call adtape_MPI_Recv_b()
        call adtape_MPI_Recv_b()
        call adtape_MPI_Recv_b()
      end if
      CHECK(all(yb(1:5) == 0) .and. yb(6) == 106)
    end if
  end subroutine

  subroutine exchanged()
    call reset()
    call adtape_MPI_Sendrecv(x, 2, MPI_DOUBLE_PRECISION, other, 1, y, 2, MPI_DOUBLE_PRECISION, other, 1, &
      MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
    call adtape_MPI_Sendrecv_replace(y, 1, MPI_DOUBLE_PRECISION, other, 2, other, 2, MPI_COMM_WORLD, &
      MPI_STATUS_IGNORE, e)
    CHECK(y(1) == x(1) .and. y(2) == 2 + 10*other)
    if (given) then
      call adtape_MPI_Sendrecv_replace_b_at(yb)
      call adtape_MPI_Sendrecv_b_at(xb, yb)
    else
      call adtape_MPI_Sendrecv_replace_b()
      call adtape_MPI_Sendrecv_b()
    end if
    CHECK(xb(1) == 1 + 100*me .and. xb(2) == 2 + 100*other .and. all(yb(1:2) == 0))
  end subroutine

#include "calls_waited.inc"

#include "calls_more.inc"

#include "calls_joined.inc"

  subroutine probed()
    STATUSES(1) :: status
    logical :: flag
    integer :: numbers(2)
    numbers = me
    if (me == 0) then
      call adtape_MPI_Send(numbers, 1, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, e)
      call adtape_MPI_Send_b()
    else
      call adtape_MPI_Probe(0, 3, MPI_COMM_WORLD, STATUS_AT(status, 1), e)
      call adtape_MPI_Iprobe(0, 3, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, e)
      CHECK(flag .and. SOURCE_OF(status, 1) == 0)
      call adtape_MPI_Recv(numbers, 1, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
      CHECK(numbers(1) == 0)
      call adtape_MPI_Recv_b()
      call adtape_MPI_Iprobe_b()
      call adtape_MPI_Probe_b()
    end if
  end subroutine

  ! Matched before they are received.
  subroutine matched()
    STATUSES(1) :: status
    HANDLE(MPI_Message) :: message
    HANDLE(MPI_Request) :: r(1)
    logical :: flag
    call reset()
    if (me == 0) then
      call adtape_MPI_Send(x, 2, MPI_DOUBLE_PRECISION, 1, 4, MPI_COMM_WORLD, e)
      call adtape_MPI_Send(x(2), 1, MPI_DOUBLE_PRECISION, 1, 4, MPI_COMM_WORLD, e)
      call adtape_MPI_Send_b()
      call adtape_MPI_Send_b_at(xb)
      CHECK(xb(1) == 7 .and. xb(2) == 8 + 9)
      call adtape_MPI_Send(x, 1, MPI_DOUBLE_PRECISION, 1, 5, MPI_COMM_WORLD, e)
      call adtape_MPI_Send_b()
      CHECK(xb(1) == 7 + 6)
    else
      call adtape_MPI_Mprobe(0, 4, MPI_COMM_WORLD, message, STATUS_AT(status, 1), e)
      CHECK(SOURCE_OF(status, 1) == 0)
      call adtape_MPI_Mrecv(y, 2, MPI_DOUBLE_PRECISION, message, MPI_STATUS_IGNORE, e)
      call MPI_Probe(0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
      call adtape_MPI_Improbe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, flag, message, MPI_STATUS_IGNORE, e)
      CHECK(flag)
      call adtape_MPI_Imrecv(y(3), 1, MPI_DOUBLE_PRECISION, message, r(1), e)
      call adtape_MPI_Wait(r(1), MPI_STATUS_IGNORE, e)
      CHECK(all(y(1:3) == [1, 2, 2]))
      yb(1:3) = [7, 8, 9]
      call adtape_MPI_Wait_b()
      call adtape_MPI_Imrecv_b()
      call adtape_MPI_Improbe_b()
      call adtape_MPI_Mrecv_b_at(yb)
      call adtape_MPI_Mprobe_b()
      CHECK(all(yb(1:3) == 0))
      call adtape_MPI_Mprobe(0, 5, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE, e)
      call adtape_MPI_Mrecv(y, 1, MPI_DOUBLE_PRECISION, message, MPI_STATUS_IGNORE, e)
      yb(1) = 6
      call adtape_MPI_Mrecv_b()
      call adtape_MPI_Mprobe_b()
      CHECK(yb(1) == 0)
    end if
  end subroutine

  subroutine to_all()
    call reset()
    call adtape_MPI_Bcast(x, 2, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, e)
    call adtape_MPI_Barrier(MPI_COMM_WORLD, e)
    CHECK(all(x(1:2) == [11, 12]))
    xb = 1 + me
    call adtape_MPI_Barrier_b()
    if (given) then
      call adtape_MPI_Bcast_b_at(xb)
    else
      call adtape_MPI_Bcast_b()
    end if
    CHECK(all(xb(1:2) == 3*me) .and. xb(3) == 1 + me)
  end subroutine

  subroutine reduced()
    integer :: counts(2)
    counts = [1, 2]
    call reset()
    call adtape_MPI_Allreduce(x, y, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, e)
    call adtape_MPI_Allreduce(MPI_IN_PLACE, y(3:), 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, e)
    CHECK(all(y(1:3) == [12, 14, -1]))
    if (me == 0) call adtape_MPI_Reduce(MPI_IN_PLACE, y, 1, MPI_DOUBLE_PRECISION, MPI_PROD, 0, MPI_COMM_WORLD, e)
    if (me == 1) call adtape_MPI_Reduce(y, x, 1, MPI_DOUBLE_PRECISION, MPI_PROD, 0, MPI_COMM_WORLD, e)
    CHECK(me == 1 .or. y(1) == 144)
    call adtape_MPI_Reduce_scatter(x, y(4:), counts, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, e)
    call adtape_MPI_Scan(x, y(6:), 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, e)
    CHECK(y(6) == merge(1, 12, me == 0) .and. y(4) == merge(12, 14, me == 0))
    yb = [1, 1, 1, 1, 1, 1, 1, 1]
    if (given) then
      call adtape_MPI_Scan_b_at(xb, yb(6))
      call adtape_MPI_Reduce_scatter_b_at(xb, yb(4))
      call adtape_MPI_Reduce_b_at(yb, yb)
      call adtape_MPI_Allreduce_b_at(MPI_IN_PLACE, yb(3))
      call adtape_MPI_Allreduce_b_at(xb, yb)
    else
      call adtape_MPI_Scan_b()
      call adtape_MPI_Reduce_scatter_b()
      call adtape_MPI_Reduce_b()
      call adtape_MPI_Allreduce_b()
      call adtape_MPI_Allreduce_b()
    end if
    ! y(1) is the product of both 12, and rank 1's y(1) itself is 12; all of them come from the sum.
    CHECK(xb(1) == merge(2, 1, me == 0) + 1 + 12 + 13 .and. xb(2) == 1 + 2 .and. xb(3) == 1)
    CHECK(yb(3) == merge(2, 0, me == 0))
  end subroutine

  ! Rank k's x(1:2) to all; with counts 1 and 2 for the ranks.
  subroutine gathered()
    integer :: counts(2), places(2)
    counts = [1, 2]
    places = [2, 0]
    call reset()
    call adtape_MPI_Gather(x, 1, MPI_DOUBLE_PRECISION, y, 1, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, e)
    CHECK(me == 0 .or. all(y(1:2) == [1, 11]))
    call adtape_MPI_Gatherv(x, me + 1, MPI_DOUBLE_PRECISION, y(3:), counts, places, MPI_DOUBLE_PRECISION, 1, &
      MPI_COMM_WORLD, e)
    CHECK(me == 0 .or. all(y(3:5) == [11, 12, 1]))
    if (given) then
      call adtape_MPI_Gatherv_b_at(xb, yb(3))
      call adtape_MPI_Gather_b_at(xb, yb)
    else
      call adtape_MPI_Gatherv_b()
      call adtape_MPI_Gather_b()
    end if
    CHECK(xb(1) == merge(105 + 101, 103 + 102, me == 0) .and. xb(2) == merge(0, 104, me == 0))
    call reset()
    call adtape_MPI_Allgather(x, 1, MPI_DOUBLE_PRECISION, y, 1, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, e)
    call adtape_MPI_Allgatherv(x, me + 1, MPI_DOUBLE_PRECISION, y(3:), counts, places, MPI_DOUBLE_PRECISION, &
      MPI_COMM_WORLD, e)
    CHECK(all(y(1:5) == [1, 11, 11, 12, 1]))
    if (given) then
      call adtape_MPI_Allgatherv_b_at(xb, yb(3))
      call adtape_MPI_Allgather_b_at(xb, yb)
    else
      call adtape_MPI_Allgatherv_b()
      call adtape_MPI_Allgather_b()
    end if
    CHECK(xb(1) == merge(5 + 105 + 1 + 101, 3 + 103 + 2 + 102, me == 0) .and. xb(2) == merge(0, 4 + 104, me == 0))
    CHECK(all(yb(1:5) == 0))
  end subroutine

  subroutine scattered()
    integer :: counts(2), places(2)
    counts = [1, 2]
    places = [2, 0]
    call reset()
    call adtape_MPI_Scatter(x, 1, MPI_DOUBLE_PRECISION, y, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, e)
    call adtape_MPI_Scatterv(x, counts, places, MPI_DOUBLE_PRECISION, y(2:), me + 1, MPI_DOUBLE_PRECISION, 0, &
      MPI_COMM_WORLD, e)
    CHECK(y(1) == me + 1 .and. y(2) == merge(3, 1, me == 0))
    if (given) then
      call adtape_MPI_Scatterv_b_at(xb, yb(2))
      call adtape_MPI_Scatter_b_at(xb, yb)
    else
      call adtape_MPI_Scatterv_b()
      call adtape_MPI_Scatter_b()
    end if
    CHECK(me == 1 .or. all(xb(1:3) == [1 + 102, 101 + 103, 2]))
    call reset()
    call adtape_MPI_Alltoall(x, 1, MPI_DOUBLE_PRECISION, y, 1, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, e)
    counts = [1, 1]
    call adtape_MPI_Alltoallv(x, counts, places, MPI_DOUBLE_PRECISION, y(3:), counts, places, MPI_DOUBLE_PRECISION, &
      MPI_COMM_WORLD, e)
    CHECK(all(y(1:2) == [1 + me, 11 + me]) .and. y(5) == merge(3, 1, me == 0) .and. y(3) == merge(13, 11, me == 0))
    if (given) then
      call adtape_MPI_Alltoallv_b_at(xb, yb(3))
      call adtape_MPI_Alltoall_b_at(xb, yb)
    else
      call adtape_MPI_Alltoallv_b()
      call adtape_MPI_Alltoall_b()
    end if
    CHECK(all(xb(1:3) == merge([1 + 105, 101, 5], [2 + 103, 102, 3], me == 0)))
  end subroutine

  subroutine communicators()
    HANDLE(MPI_Comm) :: comms(7), plain
    HANDLE(MPI_Group) :: group
    integer :: dims(1), at(1), i
    logical :: periods(1), found(1)
    dims = 2
    periods = .true.
    call MPI_Comm_group(MPI_COMM_WORLD, group, e)
    call adtape_MPI_Comm_dup(MPI_COMM_WORLD, comms(1), e)
    call adtape_MPI_Comm_split(MPI_COMM_WORLD, 0, -me, comms(2), e)
    call adtape_MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, comms(3), e)
    call adtape_MPI_Comm_create(MPI_COMM_WORLD, group, comms(4), e)
    call adtape_MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, .false., comms(5), e)
    call MPI_Cart_get(comms(5), 1, dims, found, at, e)
    CHECK(found(1))
    found = .true.
    call adtape_MPI_Cart_sub(comms(5), found, comms(6), e)
    call adtape_MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, comms(7), e)
    call reset()
    do i = 1, 7
      call adtape_MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_DOUBLE_PRECISION, MPI_SUM, comms(i), e)
      call MPI_Comm_free(comms(i), e)
    end do
    call MPI_Comm_dup(MPI_COMM_WORLD, plain, e)
    call adtape_mpi_adopt(plain)
    call adtape_MPI_Bcast(x, 1, MPI_DOUBLE_PRECISION, 0, plain, e)
    xb(1) = 1
    call adtape_MPI_Bcast_b()
    do i = 1, 7
      call adtape_MPI_Allreduce_b()
    end do
    CHECK(x(1) == 12*64 .and. xb(1) == 128)
    call MPI_Comm_free(plain, e)
    call MPI_Group_free(group, e)
  end subroutine

  subroutine own_operation()
    external :: compose, compose_b
    HANDLE(MPI_Op) :: op
    HANDLE(MPI_Datatype) :: pair
    call reset()
    call MPI_Type_contiguous(2, MPI_DOUBLE_PRECISION, pair, e)
    call MPI_Type_commit(pair, e)
    call MPI_Op_create(compose, .false., op, e)
    call adtape_mpi_op_adjoint(op, compose, compose_b)
    call adtape_MPI_Allreduce(x, y, 1, pair, op, MPI_COMM_WORLD, e)
    call MPI_Op_free(op, e)
    call MPI_Type_free(pair, e)
    ! (1, 2) ∘ (11, 12) = (11, 14)
    CHECK(all(y(1:2) == [11, 14]))
    yb(1:2) = [1 - me, 10*me]
    call adtape_MPI_Allreduce_b()
    CHECK(all(xb(1:2) == merge([11 + 120, 10], [1, 10], me == 0)))
  end subroutine

  ! A two-dimensional array, a column of it, a buffer by its absolute address.
  subroutine places()
    real(c_float), target :: u(2, 3), ub(2, 3)
    HANDLE(MPI_Datatype) :: type
    integer(MPI_ADDRESS_KIND) :: at(1)
    integer :: lengths(1)
    u = me
    ub = 1 + me
    call live_add(u, ADTAPE_KIND_STATIC, 'u')
    call live_set_adjoint(u, ub)
    call MPI_Get_address(u(1, 3), at(1), e)
    lengths = 2
    call MPI_Type_create_hindexed(1, lengths, at, MPI_REAL, type, e)
    call MPI_Type_commit(type, e)
    call adtape_MPI_Bcast(u(:, 2), 2, MPI_REAL, 1, MPI_COMM_WORLD, e)
    call adtape_MPI_Bcast(MPI_BOTTOM, 1, type, 1, MPI_COMM_WORLD, e)
    call MPI_Type_free(type, e)
    CHECK(all(u(:, 2:3) == 1) .and. all(u(:, 1) == me))
    call adtape_MPI_Bcast_b()
    call adtape_MPI_Bcast_b()
    CHECK(all(ub(:, 2:3) == 3*me) .and. all(ub(:, 1) == 1 + me))
    call live_remove(c_loc(u))
  end subroutine
end program

! (a1, b1) ∘ (a2, b2) = (a1 a2, a1 b2 + b1)
#if defined(WITH_F08)
subroutine compose(a_, r_, length, datatype)
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  type(c_ptr), value :: a_, r_
  integer :: length
  type(MPI_Datatype) :: datatype
  real(c_double), pointer :: a(:, :), r(:, :)
  call c_f_pointer(a_, a, [2, length])
  call c_f_pointer(r_, r, [2, length])
#else
subroutine compose(a, r, length, datatype)
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: length, datatype
  real(c_double) :: a(2, length), r(2, length)
#endif
  r(2, :) = a(1, :)*r(2, :) + a(2, :)
  r(1, :) = a(1, :)*r(1, :)
end subroutine

subroutine compose_b(a, b, a_b, b_b, r_b, length, datatype)
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: length, datatype
  real(c_double) :: a(2, length), b(2, length), a_b(2, length), b_b(2, length), r_b(2, length)
  a_b(1, :) = a_b(1, :) + b(1, :)*r_b(1, :) + b(2, :)*r_b(2, :)
  a_b(2, :) = a_b(2, :) + r_b(2, :)
  b_b(1, :) = b_b(1, :) + a(1, :)*r_b(1, :)
  b_b(2, :) = b_b(2, :) + a(1, :)*r_b(2, :)
end subroutine
