type(adtape_store) :: s
type(adtape_checkpoint) :: c
type(adtape_section) :: section
real(8) :: y
call store_create_memory(s, 0_c_int64_t)
call checkpoint_create(c, s, 'a')
call checkpoint_write(c, 'x', [1d0, 2d0, 3d0])
call checkpoint_write(c, 'y', 4d0)
call checkpoint_commit(c)
call checkpoint_open(c, s, 'a')
call checkpoint_next(c, section)
if (adtape_text(section%name) /= 'x' .or. section%count /= 3) error stop
call checkpoint_next(c, section, skip=1_8)
if (adtape_text(section%name) /= 'y') error stop
call checkpoint_find(c, 'y')
call checkpoint_read(c, 'y', y)
call checkpoint_close(c)
call store_destroy(s)
if (y /= 4) error stop
