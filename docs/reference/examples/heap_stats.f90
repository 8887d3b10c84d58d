type(adtape_heap) :: h
type(adtape_heap_stats) :: stats
type(c_ptr) :: p
h = heap_self()
p = heap_alloc(h, adtape_self(), 100_c_int64_t)
call heap_stats(h, stats)
if (stats%blocks /= 1 .or. stats%bytes < 100) error stop
if (stats%reserved_bytes /= stats%adjoint_reserved_bytes .or. .not. c_associated(stats%base)) error stop
call heap_begin_reverse(h)
call heap_undo_alloc(h, adtape_self())
call heap_trim(h)
