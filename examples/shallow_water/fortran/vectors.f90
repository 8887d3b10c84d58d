! vectors.f90: reproducible numbers, as c/vectors.c has them.
module shallow_water_vectors
  use, intrinsic :: iso_c_binding, only: c_int64_t
  use shallow_water_support, only: dp
  implicit none
  private

  public :: noise

contains

  ! Reproducible numbers, evenly spread over [-1, 1): the minimal standard generator, whose products stay below 2^63.
  subroutine noise(seed, x)
    integer, intent(in) :: seed
    real(dp), intent(out) :: x(:)
    integer(c_int64_t) :: state
    integer :: i
    state = seed
    do i = 1, size(x)
      state = mod(48271_c_int64_t*state, 2147483647_c_int64_t)
      x(i) = 2.0_dp*real(state, dp)/2147483647.0_dp - 1.0_dp
    end do
  end subroutine

end module shallow_water_vectors
