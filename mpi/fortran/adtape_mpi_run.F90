!> adtape_mpi_run: the calls of adtape_mpi_run.h, for `use mpi_f08` and `use mpi`. docs/mpi.md says what they do.
!>
!> Handles of the module adtape are passed by their component: store%handle, driver%handle. `stat` is optional: without
!> it an error ends in adtape's error handler.
module adtape_mpi_run
  use, intrinsic :: iso_c_binding, only: c_bool, c_char, c_double, c_funloc, c_funptr, c_int, c_int32_t, c_int64_t, &
    c_null_char, c_null_funptr, c_null_ptr, c_ptr
#ifndef ADTAPE_MPI_NO_F08
  use mpi_f08, only: MPI_Comm
#endif
  implicit none
  private

  !> Checkpoints of all ranks; a rank's driver among those of all ranks. The component is the handle of C.
  type, bind(c), public :: adtape_mpi_checkpoints
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, bind(c), public :: adtape_mpi_driver
    type(c_ptr) :: handle = c_null_ptr
  end type
  !> A figure of all ranks.
  type, bind(c), public :: adtape_mpi_statistic
    real(c_double) :: least = 0, mean = 0, most = 0
    integer(c_int32_t) :: least_rank = 0, most_rank = 0
  end type

  abstract interface
    !> Writes or reads this rank's part: `c` is the component of a type(adtape_checkpoint). Returns a status.
    function adtape_mpi_part(c, user) bind(c) result(status)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: c, user
      integer(c_int32_t) :: status
    end function
    !> What the module adtape has as adtape_step and adtape_adjoint_step.
    function step_call(step, user) bind(c) result(flow)
      import :: c_int32_t, c_int64_t, c_ptr
      integer(c_int64_t), value :: step
      type(c_ptr), value :: user
      integer(c_int32_t) :: flow
    end function
    function adjoint_step_call(step, first, user) bind(c) result(flow)
      import :: c_bool, c_int32_t, c_int64_t, c_ptr
      integer(c_int64_t), value :: step
      logical(c_bool), value :: first
      type(c_ptr), value :: user
      integer(c_int32_t) :: flow
    end function
  end interface

  interface
    subroutine c_store_create_files(comm, directory, run, flags, store, stat) bind(c, name="adtape_fmpi_store_create_files")
      import :: c_char, c_int, c_int32_t, c_ptr
      integer(c_int), value :: comm
      character(c_char), intent(in) :: directory(*), run(*)
      integer(c_int32_t), value :: flags
      type(c_ptr), intent(out) :: store
      integer(c_int32_t), intent(out), optional :: stat
    end subroutine
    subroutine c_checkpoints_create(comm, store, name, k, stat) bind(c, name="adtape_fmpi_checkpoints_create")
      import :: adtape_mpi_checkpoints, c_char, c_int, c_int32_t, c_ptr
      integer(c_int), value :: comm
      type(c_ptr), value :: store
      character(c_char), intent(in) :: name(*)
      type(adtape_mpi_checkpoints), intent(out) :: k
      integer(c_int32_t), intent(out), optional :: stat
    end subroutine
    subroutine c_checkpoints_act(k, which, part, user, stat) bind(c, name="adtape_fmpi_checkpoints_act")
      import :: adtape_mpi_checkpoints, c_funptr, c_int32_t, c_ptr
      type(adtape_mpi_checkpoints), value :: k
      integer(c_int32_t), value :: which
      type(c_funptr), value :: part
      type(c_ptr), value :: user
      integer(c_int32_t), intent(out), optional :: stat
    end subroutine
    subroutine c_checkpoints_destroy(k) bind(c, name="adtape_mpi_checkpoints_destroy")
      import :: adtape_mpi_checkpoints
      type(adtape_mpi_checkpoints), value :: k
    end subroutine
    function c_checkpoints_epoch(k) bind(c, name="adtape_mpi_checkpoints_epoch") result(epoch)
      import :: adtape_mpi_checkpoints, c_int64_t
      type(adtape_mpi_checkpoints), value :: k
      integer(c_int64_t) :: epoch
    end function
    subroutine c_driver_create(comm, driver, step, adjoint_step, record_step, reverse_step, show_progress, user, m, stat) &
        bind(c, name="adtape_fmpi_driver_create")
      import :: adtape_mpi_driver, c_funptr, c_int, c_int32_t, c_ptr
      integer(c_int), value :: comm
      type(c_ptr), value :: driver, user
      type(c_funptr), value :: step, adjoint_step, record_step, reverse_step
      integer(c_int32_t), value :: show_progress
      type(adtape_mpi_driver), intent(out) :: m
      integer(c_int32_t), intent(out), optional :: stat
    end subroutine
    subroutine c_driver_destroy(m, stat) bind(c, name="adtape_fmpi_driver_destroy")
      import :: adtape_mpi_driver, c_int32_t
      type(adtape_mpi_driver), value :: m
      integer(c_int32_t), intent(out), optional :: stat
    end subroutine
    subroutine c_driver_set_store(m, store, name, interval_seconds, stat) bind(c, name="adtape_fmpi_driver_set_store")
      import :: adtape_mpi_driver, c_char, c_double, c_int32_t, c_ptr
      type(adtape_mpi_driver), value :: m
      type(c_ptr), value :: store
      character(c_char), intent(in) :: name(*)
      real(c_double), value :: interval_seconds
      integer(c_int32_t), intent(out), optional :: stat
    end subroutine
    subroutine c_driver_create_schedule(m, steps, budget_bytes, schedule, stat) &
        bind(c, name="adtape_fmpi_driver_create_schedule")
      import :: adtape_mpi_driver, c_int32_t, c_int64_t, c_ptr
      type(adtape_mpi_driver), value :: m
      integer(c_int64_t), value :: steps, budget_bytes
      type(c_ptr), intent(out) :: schedule
      integer(c_int32_t), intent(out), optional :: stat
    end subroutine
    subroutine c_driver_run(m, schedule, done, stat) bind(c, name="adtape_fmpi_driver_run")
      import :: adtape_mpi_driver, c_int32_t, c_ptr
      type(adtape_mpi_driver), value :: m
      type(c_ptr), value :: schedule, done
      integer(c_int32_t), intent(out), optional :: stat
    end subroutine
    subroutine c_share_memory_limit(comm, machine_bytes, bytes, stat) bind(c, name="adtape_fmpi_share_memory_limit")
      import :: c_int, c_int32_t, c_int64_t
      integer(c_int), value :: comm
      integer(c_int64_t), value :: machine_bytes
      integer(c_int64_t), intent(out), optional :: bytes
      integer(c_int32_t), intent(out), optional :: stat
    end subroutine
    subroutine c_statistics(comm, count, figures, statistics) bind(c, name="adtape_fmpi_statistics")
      import :: adtape_mpi_statistic, c_double, c_int, c_int32_t
      integer(c_int), value :: comm
      integer(c_int32_t), value :: count
      real(c_double), intent(in) :: figures(*)
      type(adtape_mpi_statistic), intent(inout) :: statistics(*)
    end subroutine
    subroutine c_print_statistics(comm) bind(c, name="adtape_fmpi_print_statistics")
      import :: c_int
      integer(c_int), value :: comm
    end subroutine
  end interface

  interface adtape_mpi_store_create_files
    module procedure store_create_files
#ifndef ADTAPE_MPI_NO_F08
    module procedure store_create_files_f08
#endif
  end interface
  interface adtape_mpi_checkpoints_create
    module procedure checkpoints_create
#ifndef ADTAPE_MPI_NO_F08
    module procedure checkpoints_create_f08
#endif
  end interface
  interface adtape_mpi_driver_create
    module procedure driver_create
#ifndef ADTAPE_MPI_NO_F08
    module procedure driver_create_f08
#endif
  end interface
  interface adtape_mpi_share_memory_limit
    module procedure share_memory_limit
#ifndef ADTAPE_MPI_NO_F08
    module procedure share_memory_limit_f08
#endif
  end interface
  interface adtape_mpi_statistics
    module procedure statistics_of
#ifndef ADTAPE_MPI_NO_F08
    module procedure statistics_of_f08
#endif
  end interface
  interface adtape_mpi_print_statistics
    module procedure print_statistics
#ifndef ADTAPE_MPI_NO_F08
    module procedure print_statistics_f08
#endif
  end interface

  public :: adtape_mpi_part, adtape_mpi_store_create_files, adtape_mpi_checkpoints_create, adtape_mpi_checkpoints_save, &
    adtape_mpi_checkpoints_load, adtape_mpi_checkpoints_remove, adtape_mpi_checkpoints_epoch, &
    adtape_mpi_checkpoints_destroy, adtape_mpi_driver_create, adtape_mpi_driver_destroy, adtape_mpi_driver_set_store, &
    adtape_mpi_driver_create_schedule, adtape_mpi_driver_run, adtape_mpi_share_memory_limit, adtape_mpi_statistics, &
    adtape_mpi_print_statistics
contains

  ! ---- stores, checkpoints of all ranks ----

  subroutine store_create_files(comm, directory, run, store, flags, stat)
    integer, intent(in) :: comm
    character(*), intent(in) :: directory, run
    type(c_ptr), intent(out) :: store
    integer(c_int32_t), intent(in), optional :: flags
    integer(c_int32_t), intent(out), optional :: stat
    integer(c_int32_t) :: asked
    asked = 0
    if (present(flags)) asked = flags
    call c_store_create_files(comm, trim(directory)//c_null_char, trim(run)//c_null_char, asked, store, stat)
  end subroutine

  subroutine checkpoints_create(comm, store, name, k, stat)
    integer, intent(in) :: comm
    type(c_ptr), intent(in) :: store
    character(*), intent(in) :: name
    type(adtape_mpi_checkpoints), intent(out) :: k
    integer(c_int32_t), intent(out), optional :: stat
    call c_checkpoints_create(comm, store, trim(name)//c_null_char, k, stat)
  end subroutine

  subroutine adtape_mpi_checkpoints_save(k, write_part, user, stat)
    type(adtape_mpi_checkpoints), intent(in) :: k
    procedure(adtape_mpi_part) :: write_part
    type(c_ptr), intent(in), optional :: user
    integer(c_int32_t), intent(out), optional :: stat
    call c_checkpoints_act(k, 0_c_int32_t, c_funloc(write_part), or_null(user), stat)
  end subroutine

  subroutine adtape_mpi_checkpoints_load(k, read_part, user, stat)
    type(adtape_mpi_checkpoints), intent(in) :: k
    procedure(adtape_mpi_part) :: read_part
    type(c_ptr), intent(in), optional :: user
    integer(c_int32_t), intent(out), optional :: stat
    call c_checkpoints_act(k, 1_c_int32_t, c_funloc(read_part), or_null(user), stat)
  end subroutine

  subroutine adtape_mpi_checkpoints_remove(k, stat)
    type(adtape_mpi_checkpoints), intent(in) :: k
    integer(c_int32_t), intent(out), optional :: stat
    call c_checkpoints_act(k, 2_c_int32_t, c_null_funptr, c_null_ptr, stat)
  end subroutine

  subroutine adtape_mpi_checkpoints_destroy(k)
    type(adtape_mpi_checkpoints), intent(inout) :: k
    call c_checkpoints_destroy(k)
    k%handle = c_null_ptr
  end subroutine

  integer(c_int64_t) function adtape_mpi_checkpoints_epoch(k)
    type(adtape_mpi_checkpoints), intent(in) :: k
    adtape_mpi_checkpoints_epoch = c_checkpoints_epoch(k)
  end function

  ! ---- drivers ----

  subroutine driver_create(comm, driver, m, step, adjoint_step, record_step, reverse_step, show_progress, user, stat)
    integer, intent(in) :: comm
    type(c_ptr), intent(in) :: driver
    type(adtape_mpi_driver), intent(out) :: m
    procedure(step_call), optional :: step, record_step
    procedure(adjoint_step_call), optional :: adjoint_step, reverse_step
    logical, intent(in), optional :: show_progress
    type(c_ptr), intent(in), optional :: user
    integer(c_int32_t), intent(out), optional :: stat
    type(c_funptr) :: calls(4)
    integer(c_int32_t) :: shows
    calls = c_null_funptr
    shows = 0
    if (present(step)) calls(1) = c_funloc(step)
    if (present(adjoint_step)) calls(2) = c_funloc(adjoint_step)
    if (present(record_step)) calls(3) = c_funloc(record_step)
    if (present(reverse_step)) calls(4) = c_funloc(reverse_step)
    if (present(show_progress)) shows = merge(1_c_int32_t, 0_c_int32_t, show_progress)
    call c_driver_create(comm, driver, calls(1), calls(2), calls(3), calls(4), shows, or_null(user), m, stat)
  end subroutine

  subroutine adtape_mpi_driver_destroy(m, stat)
    type(adtape_mpi_driver), intent(inout) :: m
    integer(c_int32_t), intent(out), optional :: stat
    call c_driver_destroy(m, stat)
    m%handle = c_null_ptr
  end subroutine

  subroutine adtape_mpi_driver_set_store(m, store, name, interval_seconds, stat)
    type(adtape_mpi_driver), intent(in) :: m
    type(c_ptr), intent(in) :: store
    character(*), intent(in) :: name
    real(c_double), intent(in) :: interval_seconds
    integer(c_int32_t), intent(out), optional :: stat
    call c_driver_set_store(m, store, trim(name)//c_null_char, interval_seconds, stat)
  end subroutine

  subroutine adtape_mpi_driver_create_schedule(m, steps, budget_bytes, schedule, stat)
    type(adtape_mpi_driver), intent(in) :: m
    integer(c_int64_t), intent(in) :: steps, budget_bytes
    type(c_ptr), intent(out) :: schedule
    integer(c_int32_t), intent(out), optional :: stat
    call c_driver_create_schedule(m, steps, budget_bytes, schedule, stat)
  end subroutine

  !> done: where a type(adtape_progress) is, c_loc(progress), which becomes what was done.
  subroutine adtape_mpi_driver_run(m, schedule, done, stat)
    type(adtape_mpi_driver), intent(in) :: m
    type(c_ptr), intent(in) :: schedule
    type(c_ptr), intent(in), optional :: done
    integer(c_int32_t), intent(out), optional :: stat
    call c_driver_run(m, schedule, or_null(done), stat)
  end subroutine

  ! ---- memory, statistics ----

  subroutine share_memory_limit(comm, machine_bytes, bytes, stat)
    integer, intent(in) :: comm
    integer(c_int64_t), intent(in) :: machine_bytes
    integer(c_int64_t), intent(out), optional :: bytes
    integer(c_int32_t), intent(out), optional :: stat
    call c_share_memory_limit(comm, machine_bytes, bytes, stat)
  end subroutine

  subroutine statistics_of(comm, figures, statistics)
    integer, intent(in) :: comm
    real(c_double), intent(in) :: figures(:)
    type(adtape_mpi_statistic), intent(out) :: statistics(size(figures))
    call c_statistics(comm, size(figures, kind=c_int32_t), figures, statistics)
  end subroutine

  subroutine print_statistics(comm)
    integer, intent(in) :: comm
    call c_print_statistics(comm)
  end subroutine

  function or_null(given) result(address)
    type(c_ptr), intent(in), optional :: given
    type(c_ptr) :: address
    address = c_null_ptr
    if (present(given)) address = given
  end function

#ifndef ADTAPE_MPI_NO_F08
  ! ---- communicators of mpi_f08 ----

  subroutine store_create_files_f08(comm, directory, run, store, flags, stat)
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: directory, run
    type(c_ptr), intent(out) :: store
    integer(c_int32_t), intent(in), optional :: flags
    integer(c_int32_t), intent(out), optional :: stat
    call store_create_files(comm%MPI_VAL, directory, run, store, flags, stat)
  end subroutine

  subroutine checkpoints_create_f08(comm, store, name, k, stat)
    type(MPI_Comm), intent(in) :: comm
    type(c_ptr), intent(in) :: store
    character(*), intent(in) :: name
    type(adtape_mpi_checkpoints), intent(out) :: k
    integer(c_int32_t), intent(out), optional :: stat
    call checkpoints_create(comm%MPI_VAL, store, name, k, stat)
  end subroutine

  subroutine driver_create_f08(comm, driver, m, step, adjoint_step, record_step, reverse_step, show_progress, user, stat)
    type(MPI_Comm), intent(in) :: comm
    type(c_ptr), intent(in) :: driver
    type(adtape_mpi_driver), intent(out) :: m
    procedure(step_call), optional :: step, record_step
    procedure(adjoint_step_call), optional :: adjoint_step, reverse_step
    logical, intent(in), optional :: show_progress
    type(c_ptr), intent(in), optional :: user
    integer(c_int32_t), intent(out), optional :: stat
    call driver_create(comm%MPI_VAL, driver, m, step, adjoint_step, record_step, reverse_step, show_progress, user, stat)
  end subroutine

  subroutine share_memory_limit_f08(comm, machine_bytes, bytes, stat)
    type(MPI_Comm), intent(in) :: comm
    integer(c_int64_t), intent(in) :: machine_bytes
    integer(c_int64_t), intent(out), optional :: bytes
    integer(c_int32_t), intent(out), optional :: stat
    call share_memory_limit(comm%MPI_VAL, machine_bytes, bytes, stat)
  end subroutine

  subroutine statistics_of_f08(comm, figures, statistics)
    type(MPI_Comm), intent(in) :: comm
    real(c_double), intent(in) :: figures(:)
    type(adtape_mpi_statistic), intent(out) :: statistics(size(figures))
    call statistics_of(comm%MPI_VAL, figures, statistics)
  end subroutine

  subroutine print_statistics_f08(comm)
    type(MPI_Comm), intent(in) :: comm
    call print_statistics(comm%MPI_VAL)
  end subroutine
#endif
end module
