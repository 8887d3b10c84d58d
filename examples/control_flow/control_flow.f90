! Control flow reversal: branch ids, loop counters and block ids on the tape.
!
! 1. The example of section 2 of the paper: branch ids in one bit, one loop counter. Its adjoint as printed assigns
!    y_adj(1) and y_adj(2) where it has to add to them; here all three rows of the Jacobian are right.
! 2. A structured graph, nested: Kepler's equation for n orbits, a three-way branch (two bits) around the start of a
!    Newton iteration whose number of steps depends on the data (a counter for each orbit, one byte).
! 3. An unstructured graph: five blocks joined by gotos, with a loop that is entered at two places. Each block pushes
!    its id; the reverse sweep pops ids and runs the adjoint blocks ("the most general reversal algorithm",
!    section 5). Ids in three bits, or a byte each as counters: same gradient, bytes of both.
!
!   control_flow [n]     n: orbits and members of 2 and 3, by default 100000
module section2_code
  use adtape
  implicit none

contains

  ! ==== 1. The example of section 2 ===============================================================

  subroutine section2(x, y)
    real(8), intent(in) :: x(2)
    real(8), intent(inout) :: y(3)
    integer :: i
    i = 1
    do while (i < 3)
      if (i < 2) then
        y(2) = sin(x(1))
      else
        y(1) = cos(x(2))
      end if
      i = i + 1
    end do
    y(3) = y(1)*y(2)
  end subroutine

  subroutine section2_forward(x, y)
    real(8), intent(in) :: x(2)
    real(8), intent(inout) :: y(3)
    integer :: i, ctr
    i = 1
    ctr = 0
    do while (i < 3)
      if (i < 2) then
        y(2) = sin(x(1))
        call push_control(1, 1)
      else
        y(1) = cos(x(2))
        call push_control(0, 1)
      end if
      i = i + 1
      ctr = ctr + 1
    end do
    call push_count(ctr)
    y(3) = y(1)*y(2)
  end subroutine

  subroutine section2_adjoint(x, xb, y, yb)
    real(8), intent(in) :: x(2), y(3)
    real(8), intent(inout) :: xb(2), yb(3)
    integer :: rBound, rCtr, branchId
    yb(1) = yb(1) + y(2)*yb(3)
    yb(2) = yb(2) + y(1)*yb(3)
    yb(3) = 0
    call pop_count(rBound)
    do rCtr = 1, rBound
      call pop_control(branchId, 1)
      if (branchId == 1) then
        xb(1) = xb(1) + cos(x(1))*yb(2)
        yb(2) = 0
      else
        xb(2) = xb(2) - sin(x(2))*yb(1)
        yb(1) = 0
      end if
    end do
  end subroutine

end module

module kepler_code
  use, intrinsic :: iso_fortran_env, only: int64
  use adtape
  use example, only: noise
  implicit none

contains

  ! ==== 2. Structured: Kepler's equation ==========================================================

  ! E - e sin(E) = M for each orbit; the dependent c is the sum of weight * (cos(E) - e).
  subroutine kepler(n, M, ecc, weight, c)
    integer, intent(in) :: n
    real(8), intent(in) :: M(n), ecc(n), weight(n)
    real(8), intent(out) :: c
    real(8) :: E
    integer :: i
    c = 0
    do i = 1, n
      if (ecc(i) < 0.3d0) then
        E = M(i)
      else if (M(i) < 1) then
        E = M(i) + 0.85d0*ecc(i)
      else
        E = M(i) + ecc(i)*sin(M(i))
      end if
      do while (abs(E - ecc(i)*sin(E) - M(i)) > 1d-12)
        E = E - (E - ecc(i)*sin(E) - M(i))/(1 - ecc(i)*cos(E))
      end do
      c = c + weight(i)*(cos(E) - ecc(i))
    end do
  end subroutine

  subroutine kepler_forward(n, M, ecc, weight, E, c)
    integer, intent(in) :: n
    real(8), intent(in) :: M(n), ecc(n), weight(n)
    real(8), intent(out) :: E, c
    integer :: i, ctr
    c = 0
    E = 0
    do i = 1, n
      call push(E)
      if (ecc(i) < 0.3d0) then
        E = M(i)
        call push_control(0, 2)
      else if (M(i) < 1) then
        E = M(i) + 0.85d0*ecc(i)
        call push_control(1, 2)
      else
        E = M(i) + ecc(i)*sin(M(i))
        call push_control(2, 2)
      end if
      ctr = 0
      do while (abs(E - ecc(i)*sin(E) - M(i)) > 1d-12)
        call push(E)
        E = E - (E - ecc(i)*sin(E) - M(i))/(1 - ecc(i)*cos(E))
        ctr = ctr + 1
      end do
      call push_count(ctr)
      c = c + weight(i)*(cos(E) - ecc(i))
    end do
  end subroutine

  ! newton_steps: the sum of all loop counters.
  subroutine kepler_adjoint(n, M, Mb, ecc, eccb, weight, E, cb, newton_steps)
    integer, intent(in) :: n
    real(8), intent(in) :: M(n), ecc(n), weight(n), cb
    real(8), intent(inout) :: Mb(n), eccb(n), E
    integer(int64), intent(out) :: newton_steps
    real(8) :: Eb, residual, slope, tempb
    integer :: i, rBound, rCtr, branchId
    newton_steps = 0
    Eb = 0
    do i = n, 1, -1
      Eb = Eb - weight(i)*sin(E)*cb
      eccb(i) = eccb(i) - weight(i)*cb
      call pop_count(rBound)
      newton_steps = newton_steps + rBound
      do rCtr = 1, rBound
        call pop(E)
        residual = E - ecc(i)*sin(E) - M(i)
        slope = 1 - ecc(i)*cos(E)
        tempb = Eb/slope
        Mb(i) = Mb(i) + tempb
        eccb(i) = eccb(i) + (sin(E) - residual*cos(E)/slope)*tempb
        Eb = residual*ecc(i)*sin(E)/slope*tempb
      end do
      call pop_control(branchId, 2)
      select case (branchId)
      case (0)
        Mb(i) = Mb(i) + Eb
      case (1)
        Mb(i) = Mb(i) + Eb
        eccb(i) = eccb(i) + 0.85d0*Eb
      case default
        Mb(i) = Mb(i) + (1 + ecc(i)*cos(M(i)))*Eb
        eccb(i) = eccb(i) + sin(M(i))*Eb
      end select
      Eb = 0
      call pop(E)
    end do
  end subroutine

  ! The sum over all orbits by the same Newton iteration, of complex M and, behind them, ecc; branches on the real part.
  function kepler_complex(first) result(total)
    complex(8), intent(in) :: first(:)
    complex(8) :: total, E
    integer :: n, i
    n = size(first)/2
    total = 0
    do i = 1, n
      associate (M => first(i), ecc => first(n + i))
        if (real(ecc) < 0.3d0) then
          E = M
        else if (real(M) < 1) then
          E = M + 0.85d0*ecc
        else
          E = M + ecc*sin(M)
        end if
        do while (abs(real(E - ecc*sin(E) - M)) > 1d-12)
          E = E - (E - ecc*sin(E) - M)/(1 - ecc*cos(E))
        end do
        total = total + noise(i + 310)*(cos(E) - ecc)
      end associate
    end do
  end function

end module

module unstructured_code
  use, intrinsic :: iso_fortran_env, only: int64
  use adtape
  implicit none
  integer, parameter :: most_blocks = 24

contains

  ! ==== 3. Unstructured: blocks and gotos =========================================================

  ! The independents: p of each member, and the constants a, b, c.
  subroutine unstructured(n, p, a, b, c, y)
    integer, intent(in) :: n
    real(8), intent(in) :: p(n), a, b, c
    real(8), intent(out) :: y
    real(8) :: u, v
    integer :: k, r
    y = 0
    k = 0
100 continue
    u = p(k + 1)
    v = b
    r = 0
    if (u > 0) goto 300
200 continue
    u = sin(u) + a*v
300 continue
    v = v*cos(u) + b*u
    r = r + 1
    if (r >= most_blocks) goto 500
    if (v > u) goto 200
    u = u - c*v*v  ! block 4
    if (u < -1) goto 200
    if (u > -0.5d0) goto 300
500 continue
    y = y + u*v
    k = k + 1
    if (k < n) goto 100
  end subroutine

  subroutine push_block(packed, block)
    logical, intent(in) :: packed
    integer, intent(in) :: block
    if (packed) then
      call push_control(block, 3)
    else
      call push_count(block)
    end if
  end subroutine

  subroutine pop_block(packed, block)
    logical, intent(in) :: packed
    integer, intent(out) :: block
    if (packed) then
      call pop_control(block, 3)
    else
      call pop_count(block)
    end if
  end subroutine

  subroutine unstructured_forward(packed, n, p, a, b, c, u, v, y)
    logical, intent(in) :: packed
    integer, intent(in) :: n
    real(8), intent(in) :: p(n), a, b, c
    real(8), intent(out) :: u, v, y
    integer(int64) :: blocks
    integer :: k, r
    u = 0
    v = 0
    y = 0
    k = 0
    blocks = 0
100 continue
    call push(u)
    u = p(k + 1)
    call push(v)
    v = b
    r = 0
    call push_block(packed, 1)
    blocks = blocks + 1
    if (u > 0) goto 300
200 continue
    call push(u)
    u = sin(u) + a*v
    call push_block(packed, 2)
    blocks = blocks + 1
300 continue
    call push(v)
    v = v*cos(u) + b*u
    r = r + 1
    call push_block(packed, 3)
    blocks = blocks + 1
    if (r >= most_blocks) goto 500
    if (v > u) goto 200
    call push(u)  ! block 4
    u = u - c*v*v
    call push_block(packed, 4)
    blocks = blocks + 1
    if (u < -1) goto 200
    if (u > -0.5d0) goto 300
500 continue
    y = y + u*v
    k = k + 1
    call push_block(packed, 5)
    blocks = blocks + 1
    if (k < n) goto 100
    call push_count(blocks)
  end subroutine

  ! abcb: gradient with respect to a, b, c. k is recovered by inversion, and no partial derivative reads r.
  subroutine unstructured_adjoint(packed, n, pb, a, b, c, abcb, u, v, yb, blocks)
    logical, intent(in) :: packed
    integer, intent(in) :: n
    real(8), intent(in) :: a, b, c, yb
    real(8), intent(inout) :: pb(n), abcb(3), u, v
    integer(int64), intent(out) :: blocks
    real(8) :: ub, vb
    integer(int64) :: executed
    integer :: k, block
    ub = 0
    vb = 0
    k = n
    call pop_count(blocks)
    do executed = 1, blocks
      call pop_block(packed, block)
      select case (block)
      case (1)
        call pop(v)
        abcb(2) = abcb(2) + vb
        vb = 0
        call pop(u)
        pb(k + 1) = pb(k + 1) + ub
        ub = 0
      case (2)
        call pop(u)
        abcb(1) = abcb(1) + v*ub
        vb = vb + a*ub
        ub = cos(u)*ub
      case (3)
        call pop(v)
        abcb(2) = abcb(2) + u*vb
        ub = ub + (b - v*sin(u))*vb
        vb = cos(u)*vb
      case (4)
        call pop(u)
        abcb(3) = abcb(3) - v*v*ub
        vb = vb - 2*c*v*ub
      case default  ! block 5
        k = k - 1
        ub = ub + v*yb
        vb = vb + u*yb
      end select
    end do
  end subroutine

  ! The original on complex numbers, of p and, behind it, a, b and c; comparisons are of real parts.
  function unstructured_complex(p) result(y)
    complex(8), intent(in) :: p(:)
    complex(8) :: y, a, b, c, u, v
    integer :: n, k, r, block
    n = size(p) - 3
    a = p(n + 1)
    b = p(n + 2)
    c = p(n + 3)
    y = 0
    do k = 1, n
      u = p(k)
      v = b
      r = 0
      block = merge(3, 2, real(u) > 0)
      do while (block /= 5)
        select case (block)
        case (2)
          u = sin(u) + a*v
          block = 3
        case (3)
          v = v*cos(u) + b*u
          r = r + 1
          block = merge(5, merge(2, 4, real(v) > real(u)), r >= most_blocks)
        case (4)
          u = u - c*v*v
          block = merge(2, merge(3, 5, real(u) > -0.5d0), real(u) < -1)
        end select
      end do
      y = y + u*v
    end do
  end function

end module

program control_flow
  use, intrinsic :: iso_fortran_env, only: int64
  use example
  use section2_code
  use kepler_code
  use unstructured_code
  implicit none
  integer :: n

  n = argument(1, 100000)
  call run_section2()
  call run_kepler()
  call run_unstructured()
  call finish()

contains

  subroutine run_section2()
    real(8), parameter :: x(2) = [0.6d0, -1.1d0]
    real(8) :: jacobian(3, 2), plain(3), y(3), xb(2), yb(3), worst
    integer :: row
    print '(a)', '-- the example of section 2'
    jacobian(1, :) = [0.0d0, -sin(x(2))]
    jacobian(2, :) = [cos(x(1)), 0.0d0]
    jacobian(3, :) = [cos(x(1))*cos(x(2)), -sin(x(1))*sin(x(2))]
    plain = 0
    y = 0
    worst = 0
    call section2(x, plain)
    do row = 1, 3
      call section2_forward(x, y)
      if (row == 1) then
        call check_same_bits('section 2: the forward sweep computes what the original computes', y, plain)
        call report_count('section 2: tape bytes', tape_bytes())
      end if
      xb = 0
      yb = 0
      yb(row) = 1
      call section2_adjoint(x, xb, y, yb)
      worst = larger(worst, abs(xb(1) - jacobian(row, 1)))
      worst = larger(worst, abs(xb(2) - jacobian(row, 2)))
    end do
    call check_error('section 2: Jacobian against its formula', worst, 1d-15)
    call check_tape_empty('section 2: bytes on the tape after the adjoints')
  end subroutine

  subroutine run_kepler()
    real(8), allocatable :: M(:), ecc(:), Mb(:), eccb(:), weight(:)
    real(8) :: E, c, plain, slope, worst
    integer(int64) :: newton_steps, bytes
    integer :: i, iteration
    print '(a,i0,a)', "-- structured: Kepler's equation, ", n, ' orbits'
    allocate (M(n), ecc(n), Mb(n), eccb(n), weight(n))
    do i = 1, n
      M(i) = 1.5d0 + 1.4d0*noise(i)
      ecc(i) = 0.4d0 + 0.39d0*noise(i + 50020)
      weight(i) = noise(i + 310)
    end do
    Mb = 0
    eccb = 0
    call kepler_forward(n, M, ecc, weight, E, c)
    call kepler(n, M, ecc, weight, plain)
    call check_close("structured: the forward sweep's result", c, plain, 1.0d0, 0.0d0)
    bytes = tape_bytes()
    call kepler_adjoint(n, M, Mb, ecc, eccb, weight, E, 1.0d0, newton_steps)
    call check_tape_empty('structured: bytes on the tape after the adjoint')

    call check_error('structured: gradient in a direction against a complex step', &
                     error_of_complex_step(kepler_complex, [M, ecc], [Mb, eccb], 1d-12), 1d-12)

    ! Against the implicit function theorem, which says dE/dM = 1 / (1 - e cos(E)) and dE/de = sin(E) / (1 - e cos(E))
    ! at the solution, however E was found.
    worst = 0
    do i = 1, n
      E = M(i)
      do iteration = 1, 30
        E = E - (E - ecc(i)*sin(E) - M(i))/(1 - ecc(i)*cos(E))
      end do
      slope = 1 - ecc(i)*cos(E)
      worst = larger(worst, abs(Mb(i) + weight(i)*sin(E)/slope))
      worst = larger(worst, abs(eccb(i) + weight(i)*(sin(E)**2/slope + 1)))
    end do
    call check_error('structured: every component against the implicit function theorem', worst, 1d-6)
    call report_count('structured: Newton steps', newton_steps)
    call report_count('structured: tape bytes', bytes)
    call report_count('structured: of them for control flow', bytes - 8*(newton_steps + n))
  end subroutine

  subroutine run_unstructured()
    real(8), parameter :: a = 0.4d0, b = 0.7d0, c = 0.3d0
    real(8), allocatable :: p(:), pb(:, :)
    real(8) :: abcb(3, 2), plain, y, u, v
    integer(int64) :: bytes(2), blocks
    integer :: i, variant
    logical :: packed
    print '(a,i0,a)', '-- unstructured: blocks and gotos, ', n, ' members'
    allocate (p(n), pb(n, 2))
    do i = 1, n
      p(i) = 2*noise(i)
    end do
    pb = 0
    abcb = 0
    do variant = 1, 2
      packed = variant == 2
      call unstructured_forward(packed, n, p, a, b, c, u, v, y)
      call unstructured(n, p, a, b, c, plain)
      call check_close("unstructured: the forward sweep's result", y, plain, 1.0d0, 0.0d0)
      bytes(variant) = tape_bytes()
      call unstructured_adjoint(packed, n, pb(:, variant), a, b, c, abcb(:, variant), u, v, 1.0d0, blocks)
      call check_tape_empty('unstructured: bytes on the tape after the adjoint')
    end do
    call check_same_bits('unstructured: gradients with respect to p equal bit for bit', pb(:, 1), pb(:, 2))
    call check_same_bits('unstructured: gradients with respect to a, b, c equal bit for bit', abcb(:, 1), abcb(:, 2))

    call check_error('unstructured: gradient in a direction against a complex step', &
                     error_of_complex_step(unstructured_complex, [p, a, b, c], [pb(:, 1), abcb(:, 1)], 1d-11), 1d-11)
    call report_real('unstructured: y', y)
    call report_count('unstructured: blocks run', blocks)
    call report_count('unstructured: tape bytes, block ids a byte each', bytes(1))
    call report_count('unstructured: tape bytes, block ids in three bits', bytes(2))
  end subroutine

end program
