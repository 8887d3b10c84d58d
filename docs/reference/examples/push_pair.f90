real(c_double), target :: x(4)
type(adtape_pair) :: pair
type(c_ptr) :: p
call live_add(c_loc(x), 32, ADTAPE_KIND_STACK, 'x')
pair%base = c_loc(x)
pair = adtape_pair_add(pair, 80_c_int64_t)         ! marches past the end
call push_pair(pair%base, pair%offset)
pair = adtape_pair()
call pop_pair(pair, p)
if (.not. c_associated(pair%base, c_loc(x)) .or. pair%offset /= 80) error stop
