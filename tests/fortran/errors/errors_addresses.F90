! errors_addresses.F90: the cases of errors.F90 about live map, rebase map, pointers, pairs and the stable heap.
module errors_addresses
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use adtape
  implicit none
  private
  public :: provoke_address

  real(8), target, save :: a_target(10) = 0

contains

  subroutine provoke_address(name)
    character(*), intent(in) :: name
    type(adtape_tape) :: t
    real(8) :: x, b(4, 4)
    real(8), allocatable, target :: none(:)
    real(8), pointer :: nowhere(:), scalar
    real(4), pointer :: single(:)
    real(8), target :: v(10)
    complex(8), target :: z(3)
    type(c_ptr) :: address, block
    type(adtape_range) :: range
    type(adtape_pair) :: pair
    type(adtape_heap) :: heap, other_heap
    type(adtape_heap_mark) :: heap_mark
    type(adtape_driver) :: driver
    type(c_ptr), target :: saved(100)
    integer(c_int64_t) :: bytes

    b = 1
    v = 1
    z = 1
    nullify (single, scalar)
    address = c_null_ptr
    select case (name)

    ! ---- maps
    case ('overlap')
      call live_add(c_loc(v), 80, ADTAPE_KIND_STACK, 'v (real(8), 10)')
      call live_add(c_loc(v(10)), 8, ADTAPE_KIND_HEAP, 'w') !@overlap
    case ('overlap_twice')
      call live_add(c_loc(v), 80, ADTAPE_KIND_STACK, 'v')
      call live_end(c_loc(v))
      call pop_range(range)
      call rebase_add(range, c_loc(a_target), c_null_ptr, 0)
      call rebase_add(range, c_loc(v)) !@overlap_twice
    case ('pointer_outside')
      call live_add(c_loc(v), 64, ADTAPE_KIND_STACK, 'v (real(8), 8)')
      call push_pointer(c_loc(v(10))) !@pointer_outside
    case ('section_outside')
      call live_add(v(:8), ADTAPE_KIND_STACK, 'v (real(8), 8)')
      nowhere => v(5:9:2)
      call push_pointer(nowhere)
    case ('pointer_kind')
      nullify (nowhere)
      call push_pointer(nowhere)
      call pop_pointer(single)
    case ('array_allocated')
      call deallocate_save(none)
      allocate (none(3))
      call undo_deallocate(none)
    case ('range_of_section')
      call live_add(b(1:4:2, :), ADTAPE_KIND_STACK, 'b') !@range_of_section
    case ('range_of_component')
      call live_add(z%im, ADTAPE_KIND_STACK, 'z') !@range_of_component
    case ('table_of_component')
      call pop_pointers(z%im) !@table_of_component
    case ('range_of_none')
      call live_add(none, ADTAPE_KIND_ALLOCATABLE, 'none') !@range_of_none
    case ('pair_outside')
      call live_add(c_loc(v), 64, ADTAPE_KIND_STACK, 'v')
      call push_pair(c_loc(v(2)), 0_c_int64_t) !@pair_outside
    case ('pair_of_null')
      call push_pair(c_null_ptr, 8_c_int64_t) !@pair_of_null
    case ('base_of_null')
      call live_add(c_null_ptr, 8, ADTAPE_KIND_HEAP, 'w') !@base_of_null
    case ('bytes_of_range')
      call live_add(c_loc(v), -8, ADTAPE_KIND_STACK, 'v') !@bytes_of_range
    case ('kind_unknown')
      call live_add(c_loc(v), 80, 9, 'v') !@kind_unknown
    case ('ends_twice')
      call live_add(c_loc(v), 80, ADTAPE_KIND_STACK, 'v')
      call live_remove(c_loc(v))
      call live_remove(c_loc(v)) !@ends_twice
    case ('base_shared')
      call live_add(c_loc(v), 80, ADTAPE_KIND_STACK, 'v')
      call live_add(c_loc(v), 0, ADTAPE_KIND_STACK, 'none')
      call rebase_remove(c_loc(v)) !@base_shared
    case ('uneven')
      call live_add(c_loc(v), 80, ADTAPE_KIND_STACK, 'v')
      call live_set_adjoint(c_loc(v), c_loc(a_target), 79)
      call push_pointer(c_loc(v(2)))
      call pop_pointer(address) !@uneven
    case ('no_stat')
      call live_find(c_null_ptr, range) !@no_stat
    case ('underflow_pointer')
      call pop_pointer(address) !@underflow_pointer
    case ('underflow_range')
      call adtape_create(t)
      call pop_range(t, range) !@underflow_range
    case ('corrupt_pair')
      call push(1d0)
      call pop_pair(pair) !@corrupt_pair
    case ('mismatch_pointer')
      call push_pointer(c_null_ptr) !@mismatch_pointer_push
      call pop(x) !@mismatch_pointer_pop
    case ('null_handle_pointer')
      call push_pointer(t, c_null_ptr) !@null_handle_pointer
    case ('overlap_stack')
      call live_add(c_loc(v), 80, ADTAPE_KIND_HEAP, 'v (real(8), 10)')
      call live_add(c_loc(v(2)), 16, ADTAPE_KIND_STACK, 'w (real(8), 2)') !@overlap_stack
    case ('overlap_array')
      call live_add(v, ADTAPE_KIND_STACK, 'v')
      call live_add(v(4:5), ADTAPE_KIND_STATIC, 'part') !@overlap_array
    case ('overlap_rebase')
      call live_add(c_loc(a_target), 16, ADTAPE_KIND_STATIC, 'a')
      call live_end(c_loc(a_target))
      call live_add(c_loc(v), 80, ADTAPE_KIND_STACK, 'v (real(8), 10)')
      call pop_range(range)
      call rebase_add(range, c_loc(v(9))) !@overlap_rebase
    case ('between_neighbours')
      call live_add(v(:2), ADTAPE_KIND_STACK, 'low (real(8), 2)')
      call live_add(v(6:), ADTAPE_KIND_HEAP, 'high (real(8), 5)')
      call push_pointer(c_loc(v(4))) !@between_neighbours
    case ('before_all')
      call live_add(v(6:), ADTAPE_KIND_HEAP, 'high (real(8), 5)')
      call push_pointer(c_loc(v(4))) !@before_all
    case ('scalar_outside')
      call live_add(v(:2), ADTAPE_KIND_STACK, 'low (real(8), 2)')
      scalar => v(4)
      call push_pointer(scalar)
    case ('remove_inside')
      call live_add(v, ADTAPE_KIND_STACK, 'v (real(8), 10)')
      call live_remove(c_loc(v(2))) !@remove_inside
    case ('end_inside')
      call live_add(v, ADTAPE_KIND_STACK, 'v (real(8), 10)')
      call live_end(c_loc(v(2))) !@end_inside
    case ('adjoint_unknown')
      call live_set_adjoint(c_loc(v), c_loc(a_target), 80) !@adjoint_unknown
    case ('rebase_remove_unknown')
      call rebase_remove(c_loc(v)) !@rebase_remove_unknown
    case ('rebase_null')
      call live_add(v, ADTAPE_KIND_STACK, 'v')
      call live_end(c_loc(v))
      call pop_range(range)
      call rebase_add(range, c_null_ptr) !@rebase_null
    case ('rebase_of_nothing')
      range%serial = ishft(77_c_int64_t, 48) + 1
      range%base = c_loc(a_target)
      range%bytes = 8
      call rebase_add(range, c_loc(v)) !@rebase_of_nothing
    case ('corrupt_pointer')
      call push(1d0)
      call pop_pointer(address) !@corrupt_pointer
    case ('corrupt_range')
      call push([99_8, 1_8, 1_8, 1_8])
      call pop_range(range) !@corrupt_range
    case ('corrupt_association')
      call push(1d0)
      nullify (nowhere)
      call pop_pointer(nowhere)
    case ('mismatch_pair')
      call push_pointer(c_null_ptr) !@mismatch_pair_push
      call pop_pair(pair) !@mismatch_pair_pop
    case ('mismatch_range')
      call push(3d0) !@mismatch_range_push
      call pop_range(range) !@mismatch_range_pop
    case ('uneven_rebase')
      call live_add(v, ADTAPE_KIND_STACK, 'v (real(8), 10)')
      call push_pointer(c_loc(v(2)))
      call live_end(c_loc(v))
      call live_begin_reverse()
      call pop_range(range)
      call rebase_add(range, c_loc(v), c_loc(a_target), 79)
      call pop_pointer(address, block) !@uneven_rebase
    case ('other_size')
      allocate (none(4))
      call live_add(c_loc(none), 24, ADTAPE_KIND_ALLOCATABLE, 'none (real(8), 3)')
      call deallocate_save(none)
    case ('rebase_of_other_size')
      call live_add(v, ADTAPE_KIND_STACK, 'v (real(8), 10)')
      call live_end(c_loc(v))
      call pop_range(range)
      call rebase_add(range, v(:9)) !@rebase_of_other_size
    case ('table_of_other_shape')
      saved = c_null_ptr
      call push_pointers(saved(1:4))
      call pop_pointers(saved(1:4), saved(5:7)) !@table_of_other_shape
    case ('table_outside')
      saved = c_null_ptr
      call live_add(c_loc(v), 40, ADTAPE_KIND_STACK, 'v (real(8), 5)')
      saved(3) = c_loc(v(9))
      call push_pointers(saved(1:4)) !@table_outside
    case ('watch_scalar')
      call driver_create(driver)
      call driver_watch(driver, scalar)
    case ('not_registered')
      allocate (none(4))
      call undo_allocate(none)

    ! ---- conditions of the stable heap
    case ('heap_freed_twice')
      address = heap_alloc(80_c_size_t)
      call heap_free(address)
      call heap_free(address) !@heap_freed_twice
    case ('heap_freed_inside')
      address = heap_alloc(80_c_size_t)
      call heap_free(transfer(transfer(address, 0_c_intptr_t) + 16, c_null_ptr)) !@heap_freed_inside
    case ('heap_freed_foreign')
      call heap_free(c_loc(v)) !@heap_freed_foreign
    case ('heap_adjoint_early')
      address = heap_alloc(80_c_size_t)
      call heap_find_adjoint(heap_self(), address, block) !@heap_adjoint_early
    case ('heap_adjoint_foreign')
      call heap_find_adjoint(heap_self(), c_loc(v), block) !@heap_adjoint_foreign
    case ('heap_undone_early')
      address = heap_alloc(80_c_size_t)
      call heap_undo_alloc() !@heap_undone_early
    case ('heap_out_of_order')
      address = heap_alloc(80_c_size_t)
      call heap_free(address)
      call heap_begin_reverse(heap_self())
      call heap_undo_alloc() !@heap_out_of_order
    case ('heap_not_undone')
      address = heap_alloc(80_c_size_t)
      call heap_free(address)
      call heap_begin_reverse(heap_self())
      call adtape_create(t)
      block = heap_alloc(heap_self(), t, 80_c_size_t)
      address = heap_undo_free() !@heap_not_undone
    case ('heap_other_tape')
      call adtape_create(t)
      address = heap_alloc(80_c_size_t)
      block = heap_alloc(heap_self(), t, 80_c_size_t)
      call heap_begin_reverse(heap_self())
      call heap_undo_alloc() !@heap_other_tape
    case ('heap_no_record')
      address = heap_alloc(80_c_size_t)
      call push(1d0)
      call heap_begin_reverse(heap_self())
      call heap_undo_alloc() !@heap_no_record
    case ('heap_mark_differs')
      address = heap_alloc(80_c_size_t)
      call heap_mark_take(heap_self(), heap_mark)
      call heap_free(address)
      call heap_mark_check(heap_self(), heap_mark) !@heap_mark_differs
    case ('heap_snapshot_foreign')
      call heap_create(heap, 1, 0_c_int64_t)
      call heap_create(other_heap, 1, 0_c_int64_t)
      call heap_save(heap, c_null_ptr, 0_c_int64_t, bytes)
      call heap_save(heap, c_loc(saved), bytes)
      call heap_restore(other_heap, c_loc(saved), bytes) !@heap_snapshot_foreign
    case ('heap_not_for_adjoints')
      address = heap_alloc(80_c_size_t)
      call heap_free_adjoint(heap_self(), address) !@heap_not_for_adjoints
    case ('heap_joins_twice')
      call heap_join(heap_self(), ADTAPE_JOIN_RANGE, 'blocks')
      call heap_join(heap_self(), ADTAPE_JOIN_RANGE, 'blocks') !@heap_joins_twice
    case ('heap_overlap')
      call heap_join(heap_self(), ADTAPE_JOIN_RANGE, 'blocks')
      address = heap_alloc(80_c_size_t)
      call live_add(address, 80, ADTAPE_KIND_HEAP, 'x (real(8), 10)') !@heap_overlap

    case default
      write (error_unit, '(2a)') 'no such case: ', name
      stop 3
    end select
  end subroutine

end module errors_addresses
