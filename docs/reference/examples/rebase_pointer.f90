type, bind(c) :: node_type
  integer(c_int) :: n
  type(c_ptr) :: p
end type
real(c_double), target :: x(4)
type(node_type), target :: node
call live_add(c_loc(x), 32, ADTAPE_KIND_STACK, 'x')
node = node_type(4, c_loc(x(2)))
call push_bytes(c_loc(node), storage_size(node)/8)
node%p = c_null_ptr
call live_begin_reverse()
call pop_bytes(c_loc(node), storage_size(node)/8)
call rebase_pointer(node%p, node%p)
if (.not. c_associated(node%p, c_loc(x(2)))) error stop
