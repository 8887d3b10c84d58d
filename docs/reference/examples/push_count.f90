integer :: count
real(c_double) :: x
count = 0
x = 1000
do while (x > 1)
  x = 0.5_c_double*x
  count = count + 1
end do
call push_count(count)
count = 0
call pop_count(count)
if (count /= 10) error stop
