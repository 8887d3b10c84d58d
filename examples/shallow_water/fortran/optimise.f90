! optimise.f90: minimisation of the cost with libLBFGS (Debian: liblbfgs-dev), L-BFGS with a backtracking line search.
module shallow_water_optimise
  use, intrinsic :: iso_c_binding
  use shallow_water_support, only: dp, line, progress_clear, fail, integer_text
  use shallow_water_fourdvar
  implicit none
  private

  public :: optimise

  ! lbfgs_parameter_t of lbfgs.h: the same members in the same order
  type, bind(c) :: lbfgs_parameter
    integer(c_int) :: m
    real(c_double) :: epsilon
    integer(c_int) :: past
    real(c_double) :: delta
    integer(c_int) :: max_iterations, linesearch, max_linesearch
    real(c_double) :: min_step, max_step, ftol, wolfe, gtol, xtol, orthantwise_c
    integer(c_int) :: orthantwise_start, orthantwise_end
  end type
  integer(c_int), parameter :: LBFGS_LINESEARCH_BACKTRACKING_WOLFE = 2
  integer(c_int), parameter :: LBFGS_SUCCESS = 0, LBFGSERR_MAXIMUMITERATION = -997

  interface
    ! int lbfgs(int n, double *x, double *ptr_fx, lbfgs_evaluate_t, lbfgs_progress_t, void *instance,
    !           lbfgs_parameter_t *param);
    function lbfgs(n, x, fx, evaluate, progress, instance, param) bind(c) result(status)
      import :: c_int, c_ptr, c_funptr, c_double, lbfgs_parameter
      integer(c_int), value :: n
      type(c_ptr), value :: x, instance
      real(c_double), intent(inout) :: fx
      type(c_funptr), value :: evaluate, progress
      type(lbfgs_parameter), intent(in) :: param
      integer(c_int) :: status
    end function
    ! void lbfgs_parameter_init(lbfgs_parameter_t *param);
    subroutine lbfgs_parameter_init(param) bind(c)
      import :: lbfgs_parameter
      type(lbfgs_parameter), intent(out) :: param
    end subroutine
    ! double *lbfgs_malloc(int n);
    function lbfgs_malloc(n) bind(c) result(x)
      import :: c_int, c_ptr
      integer(c_int), value :: n
      type(c_ptr) :: x
    end function
    ! void lbfgs_free(double *x);
    subroutine lbfgs_free(x) bind(c)
      import :: c_ptr
      type(c_ptr), value :: x
    end subroutine
  end interface

  ! What the callbacks get.
  type :: history_t
    type(fourdvar_t), pointer :: p => null()
    real(dp) :: first_cost = 0
    integer :: evaluations = 0
  end type

contains

  function evaluate(instance, w, gradient, n, step) bind(c) result(j)
    type(c_ptr), value :: instance
    integer(c_int), value :: n
    real(c_double), intent(in) :: w(n)
    real(c_double), intent(out) :: gradient(n)
    real(c_double), value :: step
    real(c_double) :: j
    type(history_t), pointer :: history
    character(80) :: text
    call c_f_pointer(instance, history)
    call cost_and_gradient(history%p, w, j, gradient)
    if (history%evaluations == 0) then
      history%first_cost = j
      write (text, '(i11,es17.6,es13.3)') 0, j, norm2(gradient)
      call line(trim(text))
    end if
    history%evaluations = history%evaluations + 1
  end function

  function report(instance, w, gradient, j, norm_w, norm_gradient, step, n, iteration, evaluations) bind(c) result(stop)
    type(c_ptr), value :: instance
    integer(c_int), value :: n, iteration, evaluations
    real(c_double), intent(in) :: w(n), gradient(n)
    real(c_double), value :: j, norm_w, norm_gradient, step
    integer(c_int) :: stop
    character(80) :: text
    write (text, '(i11,es17.6,es13.3,es12.3,i13)') iteration, j, norm_gradient, step, evaluations
    call line(trim(text))
    stop = 0
  end function

  ! A few iterations of limited-memory BFGS from w, which becomes the best control found; prints a line for each.
  subroutine optimise(p, iterations, w, first_cost, last_cost)
    type(fourdvar_t), intent(inout), target :: p
    integer, intent(in) :: iterations
    real(dp), intent(inout) :: w(:)
    real(dp), intent(out) :: first_cost, last_cost
    type(history_t), target :: history
    type(lbfgs_parameter) :: parameter
    type(c_ptr) :: address
    real(dp), pointer :: x(:)
    integer(c_int) :: status
    address = lbfgs_malloc(int(size(w), c_int)) ! aligned as the library wants it
    if (.not. c_associated(address)) call fail('no memory for the optimiser')
    call c_f_pointer(address, x, [size(w)])
    x = w
    history%p => p
    call lbfgs_parameter_init(parameter)
    parameter%max_iterations = iterations
    parameter%linesearch = LBFGS_LINESEARCH_BACKTRACKING_WOLFE
    call line('  iteration             cost   |gradient|        step  evaluations')
    last_cost = 0.0_dp
    status = lbfgs(int(size(w), c_int), address, last_cost, c_funloc(evaluate), c_funloc(report), c_loc(history), parameter)
    w = x
    call lbfgs_free(address)
    first_cost = history%first_cost
    if (status /= LBFGS_SUCCESS .and. status /= LBFGSERR_MAXIMUMITERATION) then
      call fail('the optimiser stopped with code ' // integer_text(int(status)) // ' of lbfgs.h')
    end if
  end subroutine

end module shallow_water_optimise
