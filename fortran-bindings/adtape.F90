! adtape.F90: the tape of adjoint code, in Fortran.
!
!     program sine_squared                         ! y = sin(x)**2 in two sweeps
!       use adtape
!       implicit none
!       real(8) :: x, y, v, xb, yb, vb
!       x = 0.5d0
!       v = sin(x)                                 ! forward sweep
!       call push(v)                               !   v is about to be overwritten, its derivative needs it
!       v = v*v
!       y = v
!       yb = 1                                     ! reverse sweep
!       vb = yb
!       call pop(v)                                !   as it was pushed, in reverse order
!       vb = 2*v*vb
!       xb = cos(x)*vb
!       print *, 'dy/dx =', xb, sin(2*x)
!     end program
!
! Vocabulary. A tape is a last-in first-out store of values, one order for all types. A mark is a position on it. A
! repeat region is a part of it that is popped several times. Where a procedure takes `t`, it works on that tape, a
! type(adtape_tape) made by adtape_create; without `t`, on the calling thread's own tape, made at its first use and
! released when the thread ends.
!
! Errors. Push, pop and their control and count forms have no status: they call the error handler, which by
! default prints what happened, where, how much and what to do, and aborts. The other procedures have an optional last
! argument `stat`, integer(c_int32_t): ADTAPE_STATUS_OK (0), or what went wrong, with the message in
! adtape_error_message(); the tape is then unchanged. Without `stat` they call the error handler, too.
!
! Messages and check mode name file and line of a call in code compiled with -g. With optimisation add
! -fno-optimize-sibling-calls: else a call that is the last thing a procedure does counts as made by that procedure's
! caller.
!
! Link with libadtape and adtape_glue.c, which is compiled by the C compiler that goes with the Fortran compiler.
module adtape
  use, intrinsic :: iso_c_binding
  implicit none
  private

#include "generated/public.inc"
  ! Procedures of this file, and what programs hand over.
  public :: adtape_pair_add, range_label, heap_self, adtape_self, store_list, live_set_allocator, adtape_allocate
  public :: adtape_deallocate, process_set_error_handler, adtape_error_handler, adtape_error_message
  public :: adtape_status_name, adtape_type_name, adtape_text, adtape_version, driver_set_calls
  public :: test_gradient, test_complex, test_dot, test_text
  public :: adtape_test_function_f64, adtape_test_function_f32, adtape_test_gradient_f64, adtape_test_gradient_f32
  public :: adtape_test_linear_f64, adtape_test_linear_f32, adtape_test_complex_f64, adtape_test_complex_f32
  public :: adtape_test_product_f64, adtape_test_product_f32

  ! Kind of IEEE quadruple precision, which has no interoperable name in Fortran 2018.
  integer, parameter :: r16 = selected_real_kind(33)

#include "generated/constants.inc"
#include "generated/types.inc"

  abstract interface
    ! What process_set_error_handler takes: gets the status, the message as a C string (see adtape_text) and the
    ! address given at the installation. It must not return; it may `stop` or `error stop`.
    subroutine adtape_error_handler(status, message, user) bind(c)
      import :: c_int32_t, c_ptr
      integer(c_int32_t), value :: status
      type(c_ptr), value :: message, user
    end subroutine

    ! What driver_set_calls takes, for steps; the result is one of ADTAPE_FLOW_....
    function adtape_step(step, user) bind(c) result(flow)
      import :: c_int64_t, c_int32_t, c_ptr
      integer(c_int64_t), value :: step
      type(c_ptr), value :: user
      integer(c_int32_t) :: flow
    end function
    function adtape_adjoint_step(step, first, user) bind(c) result(flow)
      import :: c_int64_t, c_int32_t, c_bool, c_ptr
      integer(c_int64_t), value :: step
      logical(c_bool), value :: first
      type(c_ptr), value :: user
      integer(c_int32_t) :: flow
    end function

    ! What live_set_allocator takes: allocates an object and returns its address, or c_null_ptr; deallocates it.
    function adtape_allocate(wanted, user) bind(c) result(base)
      import :: adtape_wanted, c_ptr
      type(adtape_wanted), intent(in) :: wanted
      type(c_ptr), value :: user
      type(c_ptr) :: base
    end function
    subroutine adtape_deallocate(wanted, base, user) bind(c)
      import :: adtape_wanted, c_ptr
      type(adtape_wanted), intent(in) :: wanted
      type(c_ptr), value :: base, user
    end subroutine

    ! What driver_set_calls takes, for snapshots: stores or brings back state `step`; slots count from 0.
    function adtape_snapshot(step, level, slot, user) bind(c) result(flow)
      import :: c_int64_t, c_int32_t, c_ptr
      integer(c_int64_t), value :: step, slot
      integer(c_int32_t), value :: level
      type(c_ptr), value :: user
      integer(c_int32_t) :: flow
    end function

    ! What driver_set_calls takes, for the progress.
    subroutine adtape_progress_call(progress, user) bind(c)
      import :: adtape_progress, c_ptr
      type(adtape_progress), intent(in) :: progress
      type(c_ptr), value :: user
    end subroutine

#include "generated/verify_interfaces.inc"
  end interface

  ! A program's procedures while a derivative test runs.
  type :: test_calls_f64
    procedure(adtape_test_function_f64), pointer, nopass :: f => null()
    procedure(adtape_test_gradient_f64), pointer, nopass :: gradient => null()
    procedure(adtape_test_complex_f64), pointer, nopass :: complex => null()
    procedure(adtape_test_linear_f64), pointer, nopass :: tangent => null(), adjoint => null()
    procedure(adtape_test_product_f64), pointer, nopass :: product => null()
  end type
  type :: test_calls_f32
    procedure(adtape_test_function_f32), pointer, nopass :: f => null()
    procedure(adtape_test_gradient_f32), pointer, nopass :: gradient => null()
    procedure(adtape_test_complex_f32), pointer, nopass :: complex => null()
    procedure(adtape_test_linear_f32), pointer, nopass :: tangent => null(), adjoint => null()
    procedure(adtape_test_product_f32), pointer, nopass :: product => null()
  end type

  ! ---- calls, by theme: what each does stands at its interface ---------------------------------------------------

#include "generated/process.inc"
#include "generated/tape.inc"
#include "generated/objects.inc"
#include "generated/heap.inc"
#include "generated/checkpoint.inc"
#include "generated/driver.inc"
#include "generated/verify.inc"

contains

  ! adtape_self(): the calling thread's own tape, for procedures that have no form without `t`. Valid on this thread
  ! and as long as it lives. Source: adtape_self in adtape.h.
  function adtape_self() result(t)
    type(adtape_tape) :: t
    t%handle = adtape_abi0_self()
  end function

  ! heap_self(): the calling thread's own stable heap, made at its first use. Source: adtape_heap_self.
  function heap_self() result(h)
    type(adtape_heap) :: h
    h%handle = c_heap_self()
  end function

  ! adtape_error_message(): the message of this thread's last error, of one or more lines; '' if there was none.
  function adtape_error_message() result(text)
    character(:), allocatable :: text
    text = adtape_text(c_error_message())
  end function

  ! adtape_status_name(status): the name of a status, e.g. 'ADTAPE_STATUS_UNDERFLOW'.
  function adtape_status_name(status) result(text)
    integer(c_int32_t), intent(in) :: status
    character(:), allocatable :: text
    text = adtape_text(c_status_name(status))
  end function

  ! adtape_type_name(type): the name of a type, e.g. 'f64' for ADTAPE_TYPE_F64.
  function adtape_type_name(type) result(text)
    integer(c_int32_t), intent(in) :: type
    character(:), allocatable :: text
    text = adtape_text(c_type_name(type))
  end function

  ! adtape_version(): the version of the library that the program runs with, e.g. '0.1.0'.
  function adtape_version() result(text)
    character(:), allocatable :: text
    text = adtape_text(c_version())
  end function

  ! range_label(range): the label of a range of the process's objects. Source: adtape_range_label.
  function range_label(range) result(text)
    type(adtape_range), intent(in) :: range
    character(:), allocatable :: text
    text = adtape_text(c_range_label(c_null_ptr, range))
  end function

  ! adtape_pair_add(q, bytes): the pair of a pointer that is assigned q + bytes. Source: eq. (3).
  pure function adtape_pair_add(q, bytes) result(sum)
    type(adtape_pair), intent(in) :: q
    integer(c_int64_t), intent(in) :: bytes
    type(adtape_pair) :: sum
    if (c_associated(q%base)) sum = adtape_pair(q%base, q%offset + bytes)
  end function

  ! adtape_text(string): the characters of a C string, e.g. of the message that an error handler gets.
  function adtape_text(string) result(text)
    type(c_ptr), intent(in) :: string
    character(:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    if (.not. c_associated(string)) then
      text = ''
      return
    end if
    call c_f_pointer(string, characters, [c_strlen(string)])
    allocate (character(len=size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function

  ! call process_set_error_handler(handler, user): what push and pop, and procedures without `stat`, call when they
  ! fail.
  !   handler  optional; without it, the default, which prints the message to standard error and aborts. It must not
  !            return: the process aborts if it does.
  !   user     optional address that the handler gets
  ! Source: adtape_process_set_error_handler.
  subroutine process_set_error_handler(handler, user, stat)
    procedure(adtape_error_handler), optional :: handler
    type(c_ptr), intent(in), optional :: user
    integer(c_int32_t), intent(out), optional :: stat
    type(c_funptr) :: address
    type(c_ptr) :: passed
    address = c_null_funptr
    if (present(handler)) address = c_funloc(handler)
    passed = c_null_ptr
    if (present(user)) passed = user
    call glue_set_error_handler(address, passed, stat)
  end subroutine

  ! tape_is_empty(t), tape_is_empty(): whether nothing is on the tape. Source: adtape_is_empty in adtape.h.
  function tape_is_empty_self() result(empty)
    logical :: empty
    empty = c_is_empty(adtape_self())
  end function

  function tape_is_empty_call(t) result(empty)
    type(adtape_tape), intent(in) :: t
    logical :: empty
    empty = c_is_empty(t)
  end function

  subroutine stats_set_profile_self(on, stat)
    logical, intent(in) :: on
    integer(c_int32_t), intent(out), optional :: stat
    call stats_set_profile_call(adtape_self(), on, stat)
  end subroutine

  subroutine stats_set_profile_call(t, on, stat)
    type(adtape_tape), intent(in) :: t
    logical, intent(in) :: on
    integer(c_int32_t), intent(out), optional :: stat
    call glue_stats_set_profile(t, merge(1_c_int32_t, 0_c_int32_t, on), stat)
  end subroutine

  subroutine set_recording(h, on, stat)
    type(adtape_heap), intent(in) :: h
    logical, intent(in) :: on
    integer(c_int32_t), intent(out), optional :: stat
    call glue_heap_set_recording(h, merge(1_c_int32_t, 0_c_int32_t, on), stat)
  end subroutine

  ! call store_list(s, names): the names of all checkpoints of a store in ascending order.
  !   names  character(100), allocatable, of rank 1
  ! Errors: NULL_HANDLE, IO; names is then empty. Source: adtape_store_list.
  subroutine store_list(s, names, stat)
    type(adtape_store), intent(in) :: s
    character(100), allocatable, intent(out) :: names(:)
    integer(c_int32_t), intent(out), optional :: stat
    character(100) :: name
    integer(c_int64_t) :: count, i
    type(c_ptr) :: text
    call glue_store_list(s, 0_c_int64_t, count, text, stat)
    allocate (names(count))
    do i = 1, count
      call glue_store_list(s, i - 1, count, text, stat)
      name = adtape_text(text)
      names(i) = name
    end do
  end subroutine

  ! call live_set_allocator(label, allocate, deallocate, user): how objects of this label are allocated and deallocated by
  ! live_restore, which otherwise takes malloc and free, or for kind ALLOCATABLE an error. For an allocatable variable:
  ! call allocate_wanted(x, wanted), and deallocate it. Without both: as if never said.
  !   user  optional address that both get
  ! Errors: NULL_POINTER (one without the other). Source: adtape_live_set_allocator.
  subroutine live_set_allocator(label, allocate, deallocate, user, stat)
    character(len=*, kind=c_char), intent(in) :: label
    procedure(adtape_allocate), optional :: allocate
    procedure(adtape_deallocate), optional :: deallocate
    type(c_ptr), intent(in), optional :: user
    integer(c_int32_t), intent(out), optional :: stat
    type(c_funptr) :: allocates, deallocates
    type(c_ptr) :: passed
    allocates = c_null_funptr
    deallocates = c_null_funptr
    if (present(allocate)) allocates = c_funloc(allocate)
    if (present(deallocate)) deallocates = c_funloc(deallocate)
    passed = c_null_ptr
    if (present(user)) passed = user
    call glue_live_set_allocator(label, allocates, deallocates, passed, stat)
  end subroutine

#include "driver_procedures.inc"
#include "generated/verify_procedures.inc"

end module adtape
