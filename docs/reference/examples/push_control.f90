real(c_double) :: h
integer :: branch
h = 0.3_c_double
if (h > 1) then
  call push_control(2, 2)
else if (h > 0) then
  call push_control(1, 2)
else
  call push_control(0, 2)
end if
call pop_control(branch, 2)
if (branch /= 1) error stop
