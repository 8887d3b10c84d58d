! The paths of the Fortran module, for fortran.c: scalars of some kinds, control and counts. Compiled as calls and, with
! -flto, inlined.
module paths
  use, intrinsic :: iso_c_binding
  use adtape
  implicit none
  private
  integer, parameter :: most = 601
  integer(4) :: i32(most)
  real(8) :: f64(most)
  complex(8) :: complex_f64(most)
  logical(4) :: logical32(most)
  real(16) :: f128(most)

! One operation n times. t is NULL but where a tape is given by its handle.
#define PATH(path, statement) subroutine path(t, x, n) bind(c, name="path");\
  type(adtape_tape), value :: t; real(c_double), value :: x; integer(c_long), value :: n; integer(c_long) :: i;\
  do i = 1, n; call statement; end do; end subroutine

contains

PATH(fortran_push_i32_fast_path, push(i32(i)))
PATH(fortran_pop_i32_fast_path, pop(i32(i)))
PATH(fortran_push_f64_fast_path, push(f64(i)))
PATH(fortran_pop_f64_fast_path, pop(f64(i)))
PATH(fortran_push_complex_f64_fast_path, push(complex_f64(i)))
PATH(fortran_pop_complex_f64_fast_path, pop(complex_f64(i)))
PATH(fortran_push_logical32_fast_path, push(logical32(i)))
PATH(fortran_pop_logical32_fast_path, pop(logical32(i)))
PATH(fortran_push_f128_fast_path, push(f128(i)))
PATH(fortran_pop_f128_fast_path, pop(f128(i)))
PATH(fortran_push_f64_handle_fast_path, push(t, f64(i)))
PATH(fortran_pop_f64_handle_fast_path, pop(t, f64(i)))
PATH(fortran_push_control_fast_path, push_control(iand(i32(i), 1), 1))
PATH(fortran_pop_control_fast_path, pop_control(i32(i), 1))
PATH(fortran_push_count_fast_path, push_count(i32(i)))
PATH(fortran_pop_count_fast_path, pop_count(i32(i)))

end module
