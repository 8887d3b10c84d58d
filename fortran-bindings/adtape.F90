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
! type(adtape_tape) made by adtape_new; without `t`, on the calling thread's own tape, made at its first use and
! released when the thread ends.
!
! Errors. Push, pop and their control and count forms have no status: they call the session's error handler, which by
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

  public :: push, pop, push_bytes, pop_bytes
  public :: push_control, pop_control, push_count, pop_count, push_bool, pop_bool
  public :: mark_take, mark_reset, mark_compare, mark_bytes_between
  public :: repeat_start, repeat_reset, repeat_end
  public :: live_add, live_remove, live_end, live_adjoint, live_find, live_list, live_stats, live_print
  public :: push_range, pop_range, begin_reverse, rebase_add, rebase_remove, rebase_pointer
  public :: deallocate_save, undo_deallocate, undo_allocate
  public :: push_pointer_text, pop_pointer_text, deallocate_save_text, undo_deallocate_text, undo_allocate_text
  public :: push_pointers, pop_pointers
  public :: push_pointer, pop_pointer, pointer_waiting, push_pair, pop_pair, adtape_pair_add, adtape_kind_name
  public :: stats_get, stats_set_profile, stats_traffic, stats_reset, stats_print
  public :: heap_new, heap_destroy, heap_self, heap_release, heap_acquire, heap_set_recording, heap_begin_reverse
  public :: heap_end_reverse, heap_adjoint, heap_find_adjoint, heap_trim, heap_stats_get, heap_range
  public :: heap_join, heap_leave
  public :: heap_alloc, heap_calloc, heap_alloc_aligned, heap_realloc, heap_realloc_save, heap_free, heap_free_save
  public :: heap_undo_alloc, heap_undo_realloc, heap_undo_free, heap_alloc_adjoint, heap_free_adjoint
  public :: heap_mark_take, heap_mark_check, heap_push_mark, heap_pop_mark, heap_save_bytes, heap_save, heap_restore
  public :: adtape_self, adtape_new, adtape_free, adtape_release, adtape_acquire, adtape_trim
  public :: store_new_memory, store_new_files, store_new_tiers, store_free, store_remove, store_trim, store_list
  public :: checkpoint_create, checkpoint_write, checkpoint_write_allocatable, checkpoint_commit
  public :: checkpoint_open, checkpoint_read, checkpoint_read_allocatable, checkpoint_next, checkpoint_skip
  public :: checkpoint_find, checkpoint_free, checkpoint_write_pointer, checkpoint_read_pointer
  public :: live_set_pointers, live_set_allocator, live_set_bounds, live_add_allocatable, allocate_wanted
  public :: live_add_heap, live_remove_heap, live_save, live_save_some, live_restore, live_arrive
  public :: live_forget_adjoints, restoration_free, adtape_allocate, adtape_deallocate
  public :: adtape_set_memory_limit, adtape_set_spill_directory, adtape_memory, adtape_set_error_handler, adtape_error_handler
  public :: adtape_error_message, adtape_status_name, adtape_type_name, adtape_text
  public :: schedule_new_binomial, schedule_new_multistage, schedule_new_disk_revolve, schedule_new_two_level
  public :: schedule_new_online, schedule_new_mixed, schedule_new_store_all, schedule_free
  public :: schedule_next, schedule_end_at, schedule_predict
  public :: driver_new, driver_free, driver_set_steps, driver_set_records, driver_set_snapshots, driver_register
  public :: driver_set_progress, driver_show_progress, driver_set_store, driver_new_schedule, driver_run
  public :: driver_snapshot_bytes, driver_register_adjoint, driver_set_resume

  ! Kind of IEEE quadruple precision, which has no interoperable name in Fortran 2018.
  integer, parameter :: r16 = selected_real_kind(33)

#include "adtape_constants.inc"
#include "adtape_types.inc"

  abstract interface
    ! What adtape_set_error_handler takes: gets the status, the message as a C string (see adtape_text) and the
    ! address given at the installation. It must not return; it may `stop` or `error stop`.
    subroutine adtape_error_handler(status, message, user) bind(c)
      import :: c_int32_t, c_ptr
      integer(c_int32_t), value :: status
      type(c_ptr), value :: message, user
    end subroutine

    ! What driver_set_steps and driver_set_records take; the result is one of ADTAPE_FLOW_....
    function adtape_step(step, user) bind(c) result(flow)
      import :: c_int64_t, c_int32_t, c_ptr
      integer(c_int64_t), value :: step
      type(c_ptr), value :: user
      integer(c_int32_t) :: flow
    end function
    function adtape_adjoint_step(step, first, user) bind(c) result(flow)
      import :: c_int64_t, c_int32_t, c_ptr
      integer(c_int64_t), value :: step
      integer(c_int32_t), value :: first
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

    ! What driver_set_snapshots takes: stores or brings back state `step`; slots count from 0.
    function adtape_snapshot(step, level, slot, user) bind(c) result(flow)
      import :: c_int64_t, c_int32_t, c_ptr
      integer(c_int64_t), value :: step, slot
      integer(c_int32_t), value :: level
      type(c_ptr), value :: user
      integer(c_int32_t) :: flow
    end function

    ! What driver_set_progress takes.
    subroutine adtape_progress_call(progress, user) bind(c)
      import :: adtape_progress, c_ptr
      type(adtape_progress), intent(in) :: progress
      type(c_ptr), value :: user
    end subroutine
  end interface

  ! call push(x), call push(t, x): pushes x. Undone by pop of a variable of the same type, kind and shape.
  !   t  the tape; without it, the thread's own
  !   x  a scalar, or an array of any rank up to 7, also a section that is not contiguous (no copy is made), of type
  !      integer(1,2,4,8), real(4,8,10,16), complex(4,8,10,16), logical(1,2,4,8,16), character(*) or type(c_ptr), as
  !      far as the compiler has them. An array without elements pushes nothing.
  ! An assumed-size array has no shape: push a section with an upper bound, x(1:n), or use push_bytes. A derived type
  ! is pushed by its components, also of arrays of it (call push(x%v)), or by push_bytes. flang describes an array of
  ! type(c_ptr) like one of any other derived type of 8 bytes, and such a type is therefore pushed as pointers.
  ! gfortran copies a component x%v or substring x(:)(1:2) of an array to a temporary array and back; it counts real(10) in
  ! arrays as real(16), and an array pointer, in another procedure than p => z%im of a whole array z, as complex: there associate
  ! it with a section, p => z(:)%im.
  ! Errors: NULL_HANDLE; NULL_POINTER (unallocated or disassociated; also the constant [real ::]); BAD_ARGUMENT (derived
  !   type, elements that overlap); MEMORY_LIMIT, OUT_OF_MEMORY; WRONG_THREAD, RELEASED.
  ! Source: adtape_push_<type>, adtape_push_array, adtape_push_section in adtape.h.
  interface push
#include "adtape_push_scalar.inc"
#include "adtape_push_array.inc"
  end interface

  ! call pop(x), call pop(t, x): pops x. Undoes push of a value of the same type, kind and shape; the strides of an
  ! array may differ.
  ! Errors: those of push, UNDERFLOW, and in check mode MISMATCH.
  ! Source: adtape_pop_<type>, adtape_pop_array, adtape_pop_section in adtape.h.
  interface pop
#include "adtape_pop_scalar.inc"
#include "adtape_pop_array.inc"
  end interface

#include "adtape_bytes.inc"
#include "adtape_control.inc"
#include "adtape_mark.inc"
#include "adtape_stats.inc"
#include "adtape_heap.inc"
#include "adtape_block.inc"
#include "adtape_snapshot.inc"
#include "adtape_tape.inc"
#include "adtape_store.inc"
#include "adtape_checkpoint.inc"
#include "adtape_restoration.inc"
#include "adtape_address.inc"

  ! call push_pointer(p), call push_pointer(t, p): pushes a Fortran pointer of any intrinsic type and rank that is about to be
  ! associated anew, if it is null or all that it points to lies in one range: its bounds and strides, and the place of
  ! its first element as an object and an offset. 8 bytes for a null one, else 32 and 24 for each dimension. Undone by
  ! pop_pointer.
  !   p  of integer(1,2,4,8), real(4,8,10,16), complex(4,8,10,16), logical(1,2,4,8,16) or character(n), as far as the
  !      compiler has them, up to rank 7; of character(:) push_pointer_text; of a derived type by adtape_derived.inc. Without elements it may point
  !      anywhere.
  ! gfortran 12 gives a call with a pointer or allocatable of this and the following procedures no line of its own: messages
  ! name the procedure rightly, and a line of it.
  ! Errors: NO_RANGE, those of push. Source: adtape_abi0_push_association; Alg. 2, line 18.
  interface push_pointer
#include "adtape_push_association.inc"
  end interface

  ! call pop_pointer(p, p_adjoint), call pop_pointer(t, p, p_adjoint): associates p with its target, wherever that is now,
  ! with the bounds and strides that it had, and p_adjoint with the same part of the adjoint.
  !   p_adjoint  optional, of a real or complex p: a pointer of the same kind and rank, or in double precision for one in
  !              single precision; null if the target has no adjoint. Both are associated or null before, not undefined.
  ! If the target is not back yet, both are null and wait, and rebase_add or undo_deallocate sets them: until then, or until
  ! they are popped again, they stay where they are and are assigned nothing else.
  ! Errors: UNDERFLOW, CORRUPT, MISMATCH (another type, kind or rank was pushed), UNEVEN (the adjoint has elements of
  !   another size). Source: adtape_abi0_pop_association; Alg. 2, line 20.
  interface pop_pointer
#define RANK_ 0
#define COLONS_
#include "adtape_pop_association.inc"
#undef RANK_
#undef COLONS_
#define RANK_ 1
#define COLONS_ (:)
#include "adtape_pop_association.inc"
#undef RANK_
#undef COLONS_
#define RANK_ 2
#define COLONS_ (:, :)
#include "adtape_pop_association.inc"
#undef RANK_
#undef COLONS_
#define RANK_ 3
#define COLONS_ (:, :, :)
#include "adtape_pop_association.inc"
#undef RANK_
#undef COLONS_
#define RANK_ 4
#define COLONS_ (:, :, :, :)
#include "adtape_pop_association.inc"
#undef RANK_
#undef COLONS_
#define RANK_ 5
#define COLONS_ (:, :, :, :, :)
#include "adtape_pop_association.inc"
#undef RANK_
#undef COLONS_
#define RANK_ 6
#define COLONS_ (:, :, :, :, :, :)
#include "adtape_pop_association.inc"
#undef RANK_
#undef COLONS_
#define RANK_ 7
#define COLONS_ (:, :, :, :, :, :, :)
#include "adtape_pop_association.inc"
#undef RANK_
#undef COLONS_
  end interface

  ! call deallocate_save(x), call deallocate_save(t, x): deallocates an allocatable, or what a pointer was allocated with;
  ! its values, bounds and range go onto the tape, and the range ends. One that is not allocated, or not associated, is
  ! pushed as such. Kinds are those of push_pointer. Undone by undo_deallocate.
  ! Errors: BAD_ARGUMENT (the range that begins there has another size; a pointer to what is not contiguous), those of
  !   push. Source: adtape_abi0_push_allocation; Alg. 2, line 13.
  interface deallocate_save
#include "adtape_deallocate_save_allocatable.inc"
#include "adtape_deallocate_save_pointer.inc"
  end interface

  ! call undo_deallocate(x, x_adjoint), call undo_deallocate(t, x, x_adjoint): allocates x with the bounds that it had,
  ! gives it the values that it had, and x_adjoint zeros; its range, if it had one, is there from now on, and pointers that
  ! wait for it are set. x is as it was: not allocated, if that was pushed.
  !   x_adjoint  optional, of a real or complex x: as in pop_pointer
  ! Errors: BAD_ARGUMENT (an allocatable is allocated), MISMATCH, UNDERFLOW, CORRUPT, OVERLAP, UNEVEN, OUT_OF_MEMORY; x
  !   is then not allocated. Source: adtape_abi0_pop_allocation; Alg. 2, line 14.
  interface undo_deallocate
#include "adtape_undo_deallocate_allocatable.inc"
#include "adtape_undo_deallocate_pointer.inc"
  end interface

  ! call undo_allocate(x, x_adjoint): the allocation of an allocatable or pointer that live_add told is reversed: its range
  ! ends, it is deallocated, and x_adjoint, which is optional, too, if it is allocated. Errors: NULL_POINTER (it is not
  ! allocated), NO_RANGE, AMBIGUOUS. Source: adtape_rebase_remove; Alg. 2, line 11.
  interface undo_allocate
#include "adtape_undo_allocate.inc"
  end interface

#include "adtape_text.inc"

#include "adtape_schedule.inc"
#include "adtape_driver.inc"

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

  ! adtape_kind_name(kind): the name of a kind of memory, e.g. 'heap' for ADTAPE_KIND_HEAP.
  function adtape_kind_name(kind) result(text)
    integer(c_int32_t), intent(in) :: kind
    character(:), allocatable :: text
    text = adtape_text(c_kind_name(kind))
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

  ! call adtape_set_error_handler(handler, user): what push and pop, and procedures without `stat`, call when they fail.
  !   handler  optional; without it, the default, which prints the message to standard error and aborts. It must not
  !            return: the process aborts if it does.
  !   user     optional address that the handler gets
  ! Source: adtape_session_set_error_handler.
  subroutine adtape_set_error_handler(handler, user, stat)
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

  subroutine stats_set_profile_self(on, stat)
    logical, intent(in) :: on
    integer(c_int32_t), intent(out), optional :: stat
    call stats_set_profile_call(adtape_self(), on, stat)
  end subroutine

  subroutine stats_set_profile_call(t, on, stat)
    type(adtape_tape), intent(in) :: t
    logical, intent(in) :: on
    integer(c_int32_t), intent(out), optional :: stat
    call glue_set_profile(t, merge(1_c_int32_t, 0_c_int32_t, on), stat)
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

#include "adtape_driver_procedures.inc"

end module adtape
