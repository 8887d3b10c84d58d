character(kind=c_char), target :: c_string(5) = ['t', 'a', 'p', 'e', c_null_char]
if (adtape_text(c_loc(c_string)) /= 'tape') error stop
if (adtape_text(c_null_ptr) /= '') error stop
