! guide.f90: the program of docs/guide.md, "Adjoint your loop by hand in 15 minutes".
!
! A reservoir of level h is filled by an inflow q(k) and drained by an outlet (a sqrt(h)) and, above its crest, by a
! weir (b (h - crest)**1.5). J measures how far h is from observed levels. Wanted: the gradient of J with
! respect to a, b, the first level and all inflows.
!
!   guide [n]             n time steps, by default 100000
!   guide --mistake [n]   a reverse sweep that does not match its forward sweep; try it with ADTAPE_CHECK=1
module reservoir_code
  use, intrinsic :: iso_fortran_env, only: int64
  use adtape
  implicit none
  real(8), parameter :: dt = 0.02d0, crest = 1.0d0
  real(8), allocatable :: observed(:)

contains

  ! ---- 1. the loop -------------------------------------------------------------------------------

  real(8) function reservoir(n, h0, a, b, q, seen) result(J)
    integer, intent(in) :: n
    real(8), intent(in) :: h0, a, b, q(n), seen(n)
    real(8) :: h, out
    integer :: k
    h = h0
    J = 0
    do k = 1, n
      out = a*sqrt(h)
      if (h > crest) then
        out = out + b*(h - crest)**1.5d0
      end if
      h = h + dt*(q(k) - out)
      J = J + dt*(h - seen(k))**2
    end do
  end function

  ! ---- 2. forward sweep --------------------------------------------------------------------------

  ! Steps from first to last. h: the level before, then after. J: their part of the misfit.
  subroutine forward_sweep(first, last, h, a, b, q, seen, J)
    integer, intent(in) :: first, last
    real(8), intent(inout) :: h
    real(8), intent(in) :: a, b, q(:), seen(:)
    real(8), intent(out) :: J
    real(8) :: out
    integer :: k
    J = 0
    do k = first, last
      out = a*sqrt(h)
      if (h > crest) then
        out = out + b*(h - crest)**1.5d0
        call push_control(1, 1)
      else
        call push_control(0, 1)
      end if
      call push(h)
      h = h + dt*(q(k) - out)
      J = J + dt*(h - seen(k))**2
    end do
  end subroutine

  ! ---- 3. reverse sweep --------------------------------------------------------------------------

  ! Steps last down to first. h: the level after them, then before; hb its adjoint.
  subroutine reverse_sweep(first, last, h, hb, a, ab, b, bb, qb, seen, Jb)
    integer, intent(in) :: first, last
    real(8), intent(inout) :: h, hb, ab, bb, qb(:)
    real(8), intent(in) :: a, b, seen(:), Jb
    real(8) :: outb
    integer :: k, wet
    do k = last, first, -1
      hb = hb + 2*dt*(h - seen(k))*Jb
      call pop(h)
      qb(k) = qb(k) + dt*hb
      outb = -dt*hb
      call pop_control(wet, 1)
      if (wet == 1) then
        bb = bb + (h - crest)**1.5d0*outb
        hb = hb + 1.5d0*b*sqrt(h - crest)*outb
      end if
      ab = ab + sqrt(h)*outb
      hb = hb + a/(2*sqrt(h))*outb
    end do
  end subroutine

  ! ---- 4. checks ---------------------------------------------------------------------------------

  ! The tangent: every line differentiated in its order. The derivative of J in the direction (hd0, ad, bd, qd).
  real(8) function tangent(n, h0, hd0, a, ad, b, bd, q, qd, seen) result(Jd)
    integer, intent(in) :: n
    real(8), intent(in) :: h0, hd0, a, ad, b, bd, q(n), qd(n), seen(n)
    real(8) :: h, hd, out, outd
    integer :: k
    h = h0
    hd = hd0
    Jd = 0
    do k = 1, n
      out = a*sqrt(h)
      outd = ad*sqrt(h) + a/(2*sqrt(h))*hd
      if (h > crest) then
        out = out + b*(h - crest)**1.5d0
        outd = outd + bd*(h - crest)**1.5d0 + 1.5d0*b*sqrt(h - crest)*hd
      end if
      h = h + dt*(q(k) - out)
      hd = hd + dt*(qd(k) - outd)
      Jd = Jd + 2*dt*(h - seen(k))*hd
    end do
  end function

  ! The loop as a function of all that the gradient is for: h0, a, b and the inflows, one behind the other. `observed` is
  ! what was seen.
  real(8) function cost(x)
    real(8), intent(in) :: x(:)
    cost = reservoir(size(x) - 3, x(1), x(2), x(3), x(4:), observed)
  end function

  logical function taylor_test(x, gradient) result(passed)
    real(8), intent(in) :: x(:), gradient(:)
    type(adtape_test_report) :: report
    call test_gradient(cost, x, report, gradient)
    write (*, '(a)', advance='no') test_text()
    passed = report%passed
  end function

  ! ---- 5. what to tape ---------------------------------------------------------------------------

  integer(int64) function tape_bytes()
    type(adtape_stats) :: stats
    call tape_stats(stats)
    tape_bytes = stats%bytes + (stats%pending_bits + 7)/8
  end function

  ! A forward sweep that records every variable it overwrites.
  subroutine forward_everything(n, h0, a, b, q, seen)
    integer, intent(in) :: n
    real(8), intent(in) :: h0, a, b, q(n), seen(n)
    real(8) :: h, out, J
    integer :: k
    h = h0
    J = 0
    out = 0
    do k = 1, n
      call push(out)
      out = a*sqrt(h)
      call push_control(merge(1, 0, h > crest), 1)
      if (h > crest) then
        call push(out)
        out = out + b*(h - crest)**1.5d0
      end if
      call push(h)
      h = h + dt*(q(k) - out)
      call push(J)
      J = J + dt*(h - seen(k))**2
    end do
  end subroutine

  ! The gradient with a tape that is never longer than the starts of all sections and the steps of one. most: the
  ! longest it was.
  subroutine gradient_by_sections(n, section, h0, hb, a, ab, b, bb, q, qb, seen, most)
    integer, intent(in) :: n, section
    real(8), intent(in) :: h0, a, b, q(n), seen(n)
    real(8), intent(inout) :: hb, ab, bb, qb(n)
    integer(int64), intent(out) :: most
    real(8) :: h, out, J
    integer :: k, first, last
    h = h0
    do k = 1, n
      if (mod(k - 1, section) == 0) call push(h)
      out = a*sqrt(h)
      if (h > crest) then
        out = out + b*(h - crest)**1.5d0
      end if
      h = h + dt*(q(k) - out)
    end do
    most = 0
    do first = (n - 1)/section*section + 1, 1, -section
      last = min(first + section - 1, n)
      call pop(h)
      call forward_sweep(first, last, h, a, b, q, seen, J)
      most = max(most, tape_bytes())
      call reverse_sweep(first, last, h, hb, a, ab, b, bb, qb, seen, 1.0d0)
    end do
  end subroutine

  ! ---- 6. a mistake ------------------------------------------------------------------------------

  ! The forward sweep pushes `over` only where the weir runs, the reverse sweep pops it always.
  subroutine mistake(n, h0, a, b, q)
    integer, intent(in) :: n
    real(8), intent(in) :: h0, a, b, q(n)
    real(8) :: h, out, over, levels
    integer :: k, wet
    h = h0
    over = 0
    levels = 0
    do k = 1, n
      out = a*sqrt(h)
      call push(h)
      if (h > crest) then
        call push(over)
        over = h - crest
        out = out + b*over**1.5d0
      end if
      call push_control(merge(1, 0, h > crest), 1)
      h = h + dt*(q(k) - out)
    end do
    do k = n, 1, -1
      call pop_control(wet, 1)
      call pop(over)
      call pop(h)
      levels = levels + h
    end do
    print '(a,f0.6,a,i0,a)', 'mean level: ', levels/n, ', and ', tape_bytes(), ' bytes are left on the tape'
  end subroutine

end module

program guide
  use, intrinsic :: iso_fortran_env, only: int64
  use adtape
  use reservoir_code
  implicit none
  real(8), parameter :: h0 = 0.5d0, a = 0.6d0, b = 0.8d0
  real(8), allocatable :: q(:), qd(:), qb(:), qb2(:), seen(:)
  real(8) :: h, hb, ab, bb, h2b, a2b, b2b, J, along, forward
  type(adtape_mark) :: start
  integer(int64) :: most
  integer :: n, k, failures
  logical :: mistaken

  call read_arguments()
  failures = 0
  allocate (q(n), qd(n), qb(n), qb2(n), seen(n))
  do k = 1, n
    q(k) = 0.7d0 + 0.5d0*sin(0.013d0*(k - 1))
    qd(k) = cos(0.7d0*(k - 1))
    seen(k) = 1.0d0 + 0.3d0*sin(0.013d0*(k - 1) - 1.0d0)
  end do
  if (mistaken) then
    call mistake(n, h0, a, b, q)
    stop
  end if

  h = h0
  call forward_sweep(1, n, h, a, b, q, seen, J)
  print '(a,es16.9)', 'J: ', J
  call check('the forward sweep computes what the loop computes', &
             abs(J - reservoir(n, h0, a, b, q, seen)) <= 1d-12*J)
  print '(a,i0)', 'tape bytes of the forward sweep: ', tape_bytes()
  hb = 0
  ab = 0
  bb = 0
  qb = 0
  call reverse_sweep(1, n, h, hb, a, ab, b, bb, qb, seen, 1.0d0)
  call check('the tape is empty after the reverse sweep', tape_bytes() == 0)
  call check('the first level is back', abs(h - h0) <= 0)
  print '(a,es16.9)', 'dJ/da: ', ab, 'dJ/db: ', bb, 'dJ/dh0: ', hb

  along = 0.5d0*hb + 0.2d0*ab - 0.3d0*bb + dot_product(qb, qd)
  forward = tangent(n, h0, 0.5d0, a, 0.2d0, b, -0.3d0, q, qd, seen)
  print '(a,es22.15)', 'gradient times direction: ', along, 'tangent in the direction: ', forward
  call check('dot-product test', abs(along - forward) <= 1d-10*abs(forward))
  observed = seen
  call check('Taylor test', taylor_test([h0, a, b, q], [hb, ab, bb, qb]))

  call mark_take(start)
  call forward_everything(n, h0, a, b, q, seen)
  print '(a,i0)', 'tape bytes if everything is recorded: ', tape_bytes()
  call mark_reset(start)
  call check('a mark takes the tape back', tape_bytes() == 0)

  h2b = 0
  a2b = 0
  b2b = 0
  qb2 = 0
  call gradient_by_sections(n, 300, h0, h2b, a, a2b, b, b2b, q, qb2, seen, most)
  print '(a,i0)', 'tape bytes by sections of 300 steps: ', most
  call check('the gradient by sections is the same, bit for bit', &
             maxval(abs(qb - qb2)) <= 0 .and. abs(hb - h2b) + abs(ab - a2b) + abs(bb - b2b) <= 0)
  call check('the tape is empty at the end', tape_bytes() == 0)
  if (failures > 0) then
    print '(a)', 'SOME CHECKS FAILED'
    stop 1, quiet=.true.
  end if
  print '(a)', 'all checks passed'

contains

  subroutine read_arguments()
    character(32) :: text
    integer :: status
    n = 100000
    call get_command_argument(1, text)
    mistaken = text == '--mistake'
    if (mistaken) call get_command_argument(2, text)
    if (text /= '') then
      read (text, *, iostat=status) n
      if (status /= 0) n = 0
    end if
    if (n < 100) then
      print '(a)', 'guide: n is at least 100'
      stop 2, quiet=.true.
    end if
  end subroutine

  subroutine check(label, passed)
    character(*), intent(in) :: label
    logical, intent(in) :: passed
    print '(3a)', label, ': ', merge('passed', 'FAILED', passed)
    if (.not. passed) failures = failures + 1
  end subroutine

end program
