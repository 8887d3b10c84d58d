real(c_double) :: a(4, 3)
integer :: n(2)
character(3) :: names(2)
a = 1; n = [4, 5]; names = ['ice', 'sea']
call push(a)
call push(n)
call push(names)
a = 0; n = 0; names = ''
call pop(names)
call pop(n)
call pop(a)
if (any(a /= 1) .or. any(n /= [4, 5]) .or. any(names /= ['ice', 'sea'])) error stop
