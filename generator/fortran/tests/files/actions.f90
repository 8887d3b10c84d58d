! Every action and construct.
subroutine actions(n, x, *)
  real x(*), y(10) / 10*0.0 /, f, g, half
  integer*8 n, if, do, end, where
  character*8 name*4, line(3)*(*)
  double precision, dimension(:, :), allocatable :: w
  complex(8) z
  logical, save :: ok = .true._4
  equivalence (y(1), z), (if, do)
  namelist /group/ n, z /more/ ok
  parameter (two = 2.0)
  external f
  intrinsic sin
  f(a, b) = a + b*two
  g(a) = f(a, a)
  if = 3; do = 4; end = 5
  where = if
  x(1) = -a**2*b + c/d - e
  x(2) = (a, b) * (/ 1.0, 2.0 /) + [real(8) :: 1, 2]
  ok = .not. a < b .and. c >= d .or. e .eqv. f .neqv. .true.
  ok = a .mine. b // c .mine. .other. d
  x(n:2, ::3, :) = y(1)(2:3) + 'it''s'(1:2) // "b"
  call f
  call obj%items(3)%run(*10, key=x(:), val=%val(n))
  p => q(1:3)
  p(1:2, 2:3) => q
  p(1:) => q
  if (n > 0) x(1) = 2
  if (n - 1) 10, 20, 30
10 if (n > 1) then
    x(1) = 1
  else if (n < 0) then
    x(1) = 2
  else
    x(1) = 3
20 end if
30 continue
  do 100 i = 1, n, 2
    do 100 j = n, 1, -1
      if (i == j) cycle
100 x(i) = x(i) + j
  do while (n > 0)
    n = n - 1
  end do
  do
    exit
  enddo
  do concurrent (integer :: i = 1:n, j = 1:3:2, i /= j) local(t) shared(x)
    x(i) = t
  end do
  select case (n)
  case (1, 3:5, :0)
    x(1) = 1
  case default
    stop 'bad', quiet=.true.
  end select
  select type (s => obj%part)
  type is (real(8))
    x(1) = s
  class is (shape)
    error stop
  class default
    pause
  end select
  select rank (a)
  rank (1)
    x(1) = a(1)
  rank (*)
  rank default
  end select
  associate (u => x(1)%y, v => a + b)
    u = v
  end associate
  inner: block
    integer :: k
    k = 1
    exit inner
  end block inner
  critical
    x(1) = 1
  end critical
  where (x > 0)
    x = 1
  elsewhere (x < 0)
    x = 2
  else where
    x = 3
  end where
  where (m) x = 1
  forall (i = 1:n, j = 1:n, i > j) w(i, j) = 0
  forall (i = 1:n)
    x(i) = i
  end forall
  assign 100 to if
  go to if, (10, 20)
  goto (10, 20, 30), n + 1
  go to 10
  allocate (w(n, 0:m), stat=ierr)
  allocate (real(8) :: v(n)[2:*], source=x)
  deallocate (w, v)
  nullify (p, q%next)
  read (5, *, end=10, err=20) n, (x(i), i = 1, n)
  read 1000, n
  read *, n
  write (unit=*, fmt='(i3)', advance='no') n
  print 1000, n, x(1:3)
  open (unit=7, file='a', status='old')
  inquire (iolength=n) x
  rewind 7
  backspace (7)
  end file 7
  close (7)
1000 format (1x, i5, 'it''s (', 5hdon't)
  sync all
  sync images (*)
  x(i)[3] = y(i)
  i = z'ff' + b"01" + int('0f'x)
  !$omp parallel do private(i) &
  !$omp& shared(x)
  do i = 1, n; x(i) = i; end do
  !dir$ ivdep
  !$ad nocheckpoint
  return
end subroutine
