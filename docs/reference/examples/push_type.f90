real(c_double) :: x
complex(c_double_complex) :: z
integer :: i
logical :: found
character(5) :: name
x = 0.5_c_double; z = (1, -1); i = 7; found = .true.; name = 'ocean'
call push(x)
call push(z)
call push(i)
call push(found)
call push(name)
x = 0; z = 0; i = 0; found = .false.; name = ''
call pop(name)
call pop(found)
call pop(i)
call pop(z)
call pop(x)
if (x /= 0.5_c_double .or. z /= (1, -1) .or. i /= 7 .or. .not. found .or. name /= 'ocean') error stop
