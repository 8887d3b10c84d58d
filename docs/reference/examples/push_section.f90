real(c_double) :: h(5, 4), before(5, 4)
integer :: i
h = reshape([(real(i, c_double), i=1, 20)], [5, 4])
before = h
call push(h(2:4, 2:3))
call push(h(5:1:-2, 4))                            ! strides of any sign
h(2:4, 2:3) = -1
h(:, 4) = -1
call pop(h(5:1:-2, 4))
call pop(h(2:4, 2:3))
if (any(h(:, :3) /= before(:, :3)) .or. any(h(1:5:2, 4) /= before(1:5:2, 4))) error stop
