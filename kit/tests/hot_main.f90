! Calls the sweeps of hot_loop.f90 and prints a sum that does not depend on how they were compiled.
program hot_main
  implicit none
  external :: forward_sweep, reverse_sweep
  integer, parameter :: n = 20000
  real(8) :: x(n), y(n), xb(n), yb(n)
  integer :: i, rounds, round
  character(len=16) :: text
  rounds = 3
  call get_command_argument(1, text)
  if (len_trim(text) > 0) read (text, *) rounds
  do round = 1, rounds
    x = [(0.5d0 + mod(i, 7), i=1, n)]
    y = [(1d0/(1 + mod(i, 5)), i=1, n)]
    xb = 1
    yb = 0
    call forward_sweep(n, x, y)
    call reverse_sweep(n, x, y, xb, yb)
  end do
  print '(3(z16.16,1x))', sum(x) + sum(y), sum(xb), sum(yb)
end program
