! The interfaces of module admm_tapenade_interface: blocks that move between the sweeps, pointers that wait.
program admm
  use, intrinsic :: iso_c_binding
  use admm_tapenade_interface
  implicit none
  real(8), pointer :: x(:), xb(:), y(:), yb(:), p(:), pb(:)
  type(c_ptr) :: address, addressb
  integer :: n
  integer(8) :: address_bytes

  allocate (x(10), xb(10), y(10), yb(10))
  ! Forward: a block is born, a pointer into it is kept, it dies.
  call admm_registershadowed(c_loc(x), c_null_ptr, 80, c_loc(xb), c_null_ptr, 80, 10)
  call pushpointer8(c_loc(x(3)))
  call pushpointer8(c_loc(xb(3)))
  call admm_unregistershadowed(c_loc(x), c_loc(xb), n)
  if (n /= 10) stop 1
  ! Reverse: the pointer comes before its block, which is elsewhere now.
  call poppointer8(addressb)
  call poppointer8(address)
  call admm_rebaseshadowed(address, addressb)
  if (.not. c_associated(address, c_loc(x(3)))) stop 2
  address_bytes = 80
  call admm_registershadowed(c_loc(y), c_loc(x), address_bytes, c_loc(yb), c_loc(xb), address_bytes, 10)
  call c_f_pointer(address, p, [8])
  call c_f_pointer(addressb, pb, [8])
  if (.not. associated(p, y(3:)) .or. .not. associated(pb, yb(3:))) stop 3
  call admm_unregistershadowed(c_loc(y), c_loc(yb), n)
  ! Without adjoints.
  call admm_register(c_loc(x), c_null_ptr, 80, 10)
  call admm_unregister(c_loc(x), n)
  call admm_register(c_loc(y), c_loc(x), address_bytes, 11)
  address = c_loc(x(10))
  call admm_rebase(address)
  if (.not. c_associated(address, c_loc(y(10)))) stop 4
  call admm_unregister(c_loc(y), n)
  if (n /= 11) stop 5
  call admm_statistics()
end program
