character(:), allocatable, target :: title
character(:), pointer :: word
title = 'sea surface height'
call live_add(c_loc(title), len(title), ADTAPE_KIND_ALLOCATABLE, 'title')
word => title(5:11)
call push_pointer_text(word)
call deallocate_save_text(title)
word => null()
call live_begin_reverse()
call undo_deallocate_text(title)
call pop_pointer_text(word)
if (title /= 'sea surface height' .or. word /= 'surface' .or. len(word) /= 7) error stop
call undo_allocate_text(title)
if (allocated(title)) error stop
