! A model whose pushes are counted by hand: tests/outside/profile.rs has the numbers.
program sweeps
  use adtape
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, parameter :: cells = 1000, steps = 3
  real(real64) :: x(cells)
  integer :: step, i
  x = 1
  do step = 1, steps
    do i = 1, cells
      call push(x(i))                        ! LINE scalar
      if (mod(i, 4) == 0) x(i) = x(i) + 1
    end do
    call push(x)                             ! LINE array
  end do
  do step = steps, 1, -1
    call pop(x)
    do i = cells, 1, -1
      call pop(x(i))                         ! LINE pop
    end do
  end do
end program sweeps
