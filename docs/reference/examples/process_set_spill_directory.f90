real(c_double) :: x(100000)
integer :: i
call process_set_memory_limit(4194304_c_int64_t)
call process_set_spill_directory('/tmp')
do i = 1, 20
  x = i
  call push(x)
end do
do i = 20, 1, -1
  call pop(x)
  if (x(1) /= i .or. x(100000) /= i) error stop
end do
