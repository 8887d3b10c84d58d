logical(c_bool) :: wet
wet = .true.
call push_bool(wet)                                ! adtape_pop_bool in C, or:
wet = .false.
call pop_bool(wet)
if (.not. wet) error stop
