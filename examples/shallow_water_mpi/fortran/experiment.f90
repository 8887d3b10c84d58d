! experiment.f90: common/experiment.h, for Fortran.
module shallow_water_experiment
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  private

  public :: experiment_choose

  ! As grid_create has them.
  type, bind(c), public :: experiment_t
    integer(c_int) :: nx, ny, steps, observe_every
  end type

  interface
    ! experiment_t experiment_choose(void);
    function experiment_choose() bind(c) result(experiment)
      import :: experiment_t
      type(experiment_t) :: experiment
    end function
  end interface

end module shallow_water_experiment
