! Binomial checkpointing and fixed points as generated Fortran calls them, without interfaces. Stops with a number where
! something is wrong. With -DREPLACE the program has an adFixedPoint_notReduced of its own.
module loop
  implicit none
  integer, parameter :: pushsnap = 1, looksnap = 2, popsnap = 3, advance = 4, firstturn = 5, turn = 6
  integer, external :: adbinomial_next

contains

  ! Reverses a loop that was planned for `length` steps and exits in step `last`: the number of advances. Each action
  ! finds the state that it needs; `inner` steps are reversed inside of each turn.
  recursive subroutine reverse(length, snapshots, last, inner, advances)
    integer, intent(in) :: length, snapshots, last, inner
    integer(8), intent(out) :: advances
    integer :: stack(snapshots), depth, action, step, present_state, left
    integer(8) :: of_inner
    logical :: resized
    depth = 0
    present_state = 0
    left = last
    advances = 0
    resized = last == length
    call adbinomial_init(length, snapshots, 1)
    do while (adbinomial_next(action, step) == 1)
      select case (action)
      case (pushsnap)
        if (step /= present_state .or. depth == snapshots) stop 1
        depth = depth + 1
        stack(depth) = step
      case (looksnap, popsnap)
        if (depth == 0) stop 2
        if (stack(depth) /= step) stop 3
        present_state = step
        if (action == popsnap) depth = depth - 1
      case (advance)
        if (step /= present_state + 1 .or. step > left) stop 4
        if (step == last .and. .not. resized) then
          call adbinomial_resize()
          resized = .true.
        else
          present_state = step
          advances = advances + 1
        end if
      case (firstturn, turn)
        if ((action == firstturn) .neqv. (left == last)) stop 5
        if (step /= left .or. step /= present_state + 1) stop 6
        left = step - 1
        present_state = -1
        if (inner > 0) call reverse(inner, 2, inner, 0, of_inner)
      case default
        stop 7
      end select
    end do
    if (action /= -1 .or. step /= -1) stop 8
    if (depth /= 0 .or. left /= 0) stop 9
  end subroutine

  ! t(n, s) = r n - beta(s + 1, r - 1), with beta(s, r - 1) < n <= beta(s, r).
  pure function least(n, s) result(t)
    integer, intent(in) :: n, s
    integer(8) :: t
    integer :: r
    r = 1
    do while (beta(s, r) < n)
      r = r + 1
    end do
    t = 0
    if (n > 1) t = int(r, 8)*n - beta(s + 1, r - 1)
  end function

  pure function beta(s, r) result(b)
    integer, intent(in) :: s, r
    integer(8) :: b
    integer :: i
    b = 1
    do i = 1, r
      b = b*(s + i)/i
    end do
  end function

end module

program binomial
  use loop
  implicit none
  logical, external :: adfixedpoint_notreduced, adfixedpoint_toolarge
  integer :: n, s, last, iterations
  integer(8) :: advances
  real(8) :: x, variation

  do n = 0, 60
    do s = 1, 8
      call reverse(n, s, n, 0, advances)
      if (advances /= least(n, s)) stop 11
      do last = 1, n - 1, 3
        call reverse(n, s, last, mod(last, 4), advances)
      end do
    end do
  end do
  ! More snapshots than the kit has room for, and as few steps as there can be in a long loop.
  call reverse(300, 300, 300, 0, advances)
  if (advances /= 299) stop 12
  call reverse(20000, 150, 20000, 0, advances)
  if (advances /= least(20000, 150)) stop 13
  call reverse(200000, 10, 200000, 0, advances)
  if (advances /= 1847284_8) stop 14

  ! x <- (x + 2/x)/2, in a loop of one kind around one of the other.
  iterations = 0
  variation = -1
  do while (adfixedpoint_notreduced(variation, 1.5e-6))
    x = 2 + 0.125d0*iterations
    variation = -1
    do while (adfixedpoint_toolarge(variation, 1e-3))
      variation = abs(0.5d0*(x + 2/x) - x)
      x = 0.5d0*(x + 2/x)
    end do
    if (abs(x - sqrt(2d0)) > 1e-3) stop 15
    variation = 10d0**(-iterations)
    iterations = iterations + 1
    if (iterations > 20) stop 16
  end do
#ifdef REPLACE
  if (iterations /= 3) stop 17
#else
  ! Down to 10^-6 of the first variation, which is 1.
  if (iterations /= 7) stop 18
#endif
end program

#ifdef REPLACE
! Down to a hundredth, whatever the program asks for.
logical function adfixedpoint_notreduced(cumul, reduction)
  implicit none
  real(8), intent(in) :: cumul
  real(4), intent(in) :: reduction
  adfixedpoint_notreduced = cumul < 0 .or. (cumul > 0.01d0 .and. reduction < 1)
end function
#endif
