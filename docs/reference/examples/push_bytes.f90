type :: cell
  real(c_double) :: level
  logical :: wet
end type
type(cell), target :: c
c = cell(0.5_c_double, .true.)
call push_bytes(c_loc(c), storage_size(c)/8)
c = cell(0, .false.)
call pop_bytes(c_loc(c), storage_size(c)/8)
if (c%level /= 0.5_c_double .or. .not. c%wet) error stop
