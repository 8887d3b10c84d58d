type(adtape_store) :: s
type(adtape_checkpoint) :: c
real(c_double), allocatable :: h(:)
real(8) :: u(3, 2)
integer :: step
step = 40
u = 1.5d0
allocate (h(-1:1))
h = 2
call store_create_memory(s, 0_c_int64_t)

call checkpoint_create(c, s, 'step-40')
call checkpoint_write(c, 'step', step)
call checkpoint_write(c, 'u', u)
call checkpoint_write_allocatable(c, 'h', h)
call checkpoint_commit(c)

step = 0
u = 0
deallocate (h)
call checkpoint_open(c, s, 'step-40')
call checkpoint_read(c, 'step', step)
call checkpoint_read(c, 'u', u)
call checkpoint_read_allocatable(c, 'h', h)
call checkpoint_close(c)
if (step /= 40 .or. u(3, 2) /= 1.5d0 .or. lbound(h, 1) /= -1) error stop
call store_destroy(s)
