! Pushes and pops of every type straight in a main program, popped into elements of arrays that the compiler has just seen
! being written: with -flto it compares the types of Fortran and C and must not keep what it saw. Stops with a number where
! a value is wrong.
program aliases
  implicit none
  external :: pushboolean, popboolean, pushinteger4, popinteger4, pushinteger8, popinteger8, pushreal4, popreal4
  external :: pushreal8, popreal8, pushreal16, popreal16, pushcomplex8, popcomplex8, pushcomplex16, popcomplex16
  external :: pushcharacter, popcharacter, pushcontrol2b, popcontrol2b, pushbooleanarray, popbooleanarray
  external :: pushreal8array, popreal8array
  integer, parameter :: n = 3
  logical :: l(n) = .true.
  integer(4) :: i4(n) = 4, branch(n)
  integer(8) :: i8(n) = 8
  real(4) :: r4(n) = 0.25
  real(8) :: r8(n) = 0.5d0
  real(16) :: r16(n) = 0.125q0
  complex(4) :: c4(n) = (1.0, 2.0)
  complex(8) :: c8(n) = (3d0, 4d0)
  character :: s(n) = 'k'
  integer :: k, round

  do round = 1, 1000
    k = 1 + mod(round, n)
    call pushboolean(l(k))
    l(k) = .false.
    call popboolean(l(k))
    if (.not. l(k)) stop 1
    call pushinteger4(i4(k))
    i4(k) = 0
    call popinteger4(i4(k))
    if (i4(k) /= 4) stop 2
    call pushinteger8(i8(k))
    i8(k) = 0
    call popinteger8(i8(k))
    if (i8(k) /= 8) stop 3
    call pushreal4(r4(k))
    r4(k) = 0
    call popreal4(r4(k))
    if (r4(k) /= 0.25) stop 4
    call pushreal8(r8(k))
    r8(k) = 0
    call popreal8(r8(k))
    if (r8(k) /= 0.5d0) stop 5
    call pushreal16(r16(k))
    r16(k) = 0
    call popreal16(r16(k))
    if (r16(k) /= 0.125q0) stop 6
    call pushcomplex8(c4(k))
    c4(k) = 0
    call popcomplex8(c4(k))
    if (c4(k) /= (1.0, 2.0)) stop 7
    call pushcomplex16(c8(k))
    c8(k) = 0
    call popcomplex16(c8(k))
    if (c8(k) /= (3d0, 4d0)) stop 8
    call pushcharacter(s(k))
    s(k) = ' '
    call popcharacter(s(k))
    if (s(k) /= 'k') stop 9
    branch(k) = 0
    call pushcontrol2b(3)
    call popcontrol2b(branch(k))
    if (branch(k) /= 3) stop 10
    call pushbooleanarray(l, n)
    l = .false.
    call popbooleanarray(l, n)
    if (.not. all(l)) stop 11
    call pushreal8array(r8, n)
    r8 = 0
    call popreal8array(r8, n)
    if (any(r8 /= 0.5d0)) stop 12
    ! Half of one type is half of another where the program says so.
    call pushreal4(r4(1))
    call pushreal4(r4(2))
    call popinteger8(i8(1))
    if (transfer(i8(1), r4(1)) /= 0.25) stop 13
    i8 = 8
  end do
  print '(a)', 'passed'
end program
