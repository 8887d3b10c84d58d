integer(c_int32_t) :: status
call repeat_end(stat=status)                       ! no region is active
if (status /= ADTAPE_STATUS_REPEAT_UNBALANCED) error stop
if (index(adtape_error_message(), 'end of a repeat region') == 0) error stop
