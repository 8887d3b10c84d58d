! Flattening basic blocks: partial derivatives of a block on the tape instead of the values it overwrites.
!
! 1. The block of Fig. 1, z = -(z * x); y = z / x, for n pairs: two inputs, two outputs, 4 partials against 1 value.
!    Flattening does not always pay.
! 2. The same where z is reached by an index that moves by k in between (Fig. 2): which z the second statement reads is
!    known at run time only, so the graph is split into one subgraph for each assignment (Algorithm 2). The same
!    code is right for k = 0 and k = 1.
! 3. A larger loop: ignition of n cells, m steps of Heun's method with a diffusion in between. The block of a cell has
!    12 assignments, two inputs and two outputs: 4 partials against the 8 values that TBR requires.
!
!   flattening [n [m]]      by default 1000 cells, 1000 steps; 1 and 2 run on n * m pairs
module figures_code
  use adtape
  use example, only: noise
  implicit none

  ! What figure_complex is called with: how far the index moves.
  integer :: distance

contains

  ! ==== 1. Fig. 1 =================================================================================

  subroutine fig1_values_forward(n, x, y, z)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: y(n), z(n + 1)
    integer :: i
    do i = 1, n
      call push(z(i))
      z(i) = -(z(i)*x(i))
      y(i) = z(i)/x(i)
    end do
  end subroutine

  subroutine fig1_values_adjoint(n, x, xb, yb, z, zb)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: xb(n), yb(n), z(n + 1), zb(n + 1)
    integer :: i
    do i = n, 1, -1
      zb(i) = zb(i) + yb(i)/x(i)
      xb(i) = xb(i) - z(i)/(x(i)*x(i))*yb(i)
      yb(i) = 0
      call pop(z(i))
      xb(i) = xb(i) - z(i)*zb(i)
      zb(i) = -x(i)*zb(i)
    end do
  end subroutine

  ! Edges of G: z -> z1, x -> z1, z1 -> y, x -> y. z1 is an output as well; y's edge from it is eliminated.
  subroutine fig1_partials_forward(n, x, y, z)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: y(n), z(n + 1)
    real(8) :: z1_z, z1_x, y_z1, y_x, y_z
    integer :: i
    do i = 1, n
      z1_z = -x(i)
      z1_x = -z(i)
      z(i) = -(z(i)*x(i))
      y_z1 = 1/x(i)
      y_x = -z(i)/(x(i)*x(i))
      y(i) = z(i)/x(i)
      y_z = y_z1*z1_z
      y_x = y_x + y_z1*z1_x
      call push(z1_z)
      call push(z1_x)
      call push(y_z)
      call push(y_x)
    end do
  end subroutine

  subroutine fig1_partials_adjoint(n, xb, yb, zb)
    integer, intent(in) :: n
    real(8), intent(inout) :: xb(n), yb(n), zb(n + 1)
    real(8) :: z1_z, z1_x, y_z, y_x
    integer :: i
    do i = n, 1, -1
      call pop(y_x)
      call pop(y_z)
      call pop(z1_x)
      call pop(z1_z)
      xb(i) = xb(i) + z1_x*zb(i) + y_x*yb(i)
      zb(i) = z1_z*zb(i) + y_z*yb(i)
      yb(i) = 0
    end do
  end subroutine

  ! ==== 2. Fig. 2: an index that moves ============================================================

  subroutine fig2_values_forward(n, k, x, y, z)
    integer, intent(in) :: n, k
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: y(n), z(n + 1)
    integer :: i, j
    do i = 1, n
      j = i
      call push(z(j))
      z(j) = -(z(j)*x(i))
      j = j + k
      y(i) = z(j)/x(i)
    end do
  end subroutine

  subroutine fig2_values_adjoint(n, k, x, xb, yb, z, zb)
    integer, intent(in) :: n, k
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: xb(n), yb(n), z(n + 1), zb(n + 1)
    integer :: i, j
    do i = n, 1, -1
      j = i + k
      zb(j) = zb(j) + yb(i)/x(i)
      xb(i) = xb(i) - z(j)/(x(i)*x(i))*yb(i)
      yb(i) = 0
      j = j - k
      call pop(z(j))
      xb(i) = xb(i) - z(j)*zb(j)
      zb(j) = -x(i)*zb(j)
    end do
  end subroutine

  ! Two subgraphs, no edge between them: each is bipartite already.
  subroutine fig2_partials_forward(n, k, x, y, z)
    integer, intent(in) :: n, k
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: y(n), z(n + 1)
    integer :: i, j
    do i = 1, n
      j = i
      call push(-x(i))
      call push(-z(j))
      z(j) = -(z(j)*x(i))
      j = j + k
      call push(1/x(i))
      call push(-z(j)/(x(i)*x(i)))
      y(i) = z(j)/x(i)
    end do
  end subroutine

  subroutine fig2_partials_adjoint(n, k, xb, yb, zb)
    integer, intent(in) :: n, k
    real(8), intent(inout) :: xb(n), yb(n), zb(n + 1)
    real(8) :: to_z, to_x
    integer :: i, j
    do i = n, 1, -1
      j = i + k
      call pop(to_x)
      call pop(to_z)
      zb(j) = zb(j) + to_z*yb(i)
      xb(i) = xb(i) + to_x*yb(i)
      yb(i) = 0
      j = j - k
      call pop(to_x)
      call pop(to_z)
      xb(i) = xb(i) + to_x*zb(j)
      zb(j) = to_z*zb(j)
    end do
  end subroutine

  ! sum(weight * z) + sum(weight * y) of complex x and, behind them, z.
  function figure_complex(first) result(total)
    complex(8), intent(in) :: first(:)
    complex(8) :: total
    complex(8), allocatable :: z(:)
    integer :: n, i
    n = (size(first) - 1)/2
    allocate (z(n + 1))
    z(:) = first(n + 1:)
    total = 0
    do i = 1, n
      z(i) = -(z(i)*first(i))
      total = total + noise(i + 1716)*(z(i + distance)/first(i))
    end do
    do i = 1, n + 1
      total = total + noise(i + 900)*z(i)
    end do
  end function

end module

module ignition_code
  use, intrinsic :: iso_fortran_env, only: int64
  use adtape
  use example
  implicit none

  ! heat: temperature of a cell, fuel: what is left to burn. Reaction of a cell by Heun's method:
  !   r = D fuel exp(heat / (1 + g heat)),  heat' = r - loss heat,  fuel' = feed (1 - fuel) - use r
  real(8), parameter :: D = 0.25d0, g = 0.1d0, loss = 0.4d0, feed = 0.1d0, use = 0.3d0, dt = 0.01d0
  real(8), parameter :: diffusion = 0.2d0

  ! What ignition_complex is called with.
  integer :: steps_of_complex

  ! What a variant reports: bytes between the sweeps and the seconds of each.
  type :: report
    integer(int64) :: bytes
    real(8) :: forward_seconds, reverse_seconds
  end type

contains

  ! ==== 3. Ignition ===============================================================================

  ! Explicit diffusion with insulated ends. The matrix is symmetric: this is its own adjoint.
  subroutine diffuse(n, heat)
    integer, intent(in) :: n
    real(8), intent(inout) :: heat(n)
    real(8) :: before, here, after
    integer :: i
    before = heat(1)
    do i = 1, n
      here = heat(i)
      after = heat(min(i + 1, n))
      heat(i) = here + diffusion*(before - 2*here + after)
      before = here
    end do
  end subroutine

  subroutine ignition(n, m, heat, fuel)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: heat(n), fuel(n)
    real(8) :: a1, b1, w1, r1, heat1, fuel1, a2, b2, w2, r2
    integer :: i, s
    do s = 1, m
      do i = 1, n
        a1 = 1 + g*heat(i)
        b1 = heat(i)/a1
        w1 = exp(b1)
        r1 = D*fuel(i)*w1
        heat1 = heat(i) + dt*(r1 - loss*heat(i))
        fuel1 = fuel(i) + dt*(feed*(1 - fuel(i)) - use*r1)
        a2 = 1 + g*heat1
        b2 = heat1/a2
        w2 = exp(b2)
        r2 = D*fuel1*w2
        heat(i) = heat(i) + 0.5d0*dt*(r1 - loss*heat(i) + r2 - loss*heat1)
        fuel(i) = fuel(i) + 0.5d0*dt*(feed*(1 - fuel(i)) - use*r1 + feed*(1 - fuel1) - use*r2)
      end do
      call diffuse(n, heat)
    end do
  end subroutine

  subroutine ignition_values(n, m, heat, fuel, heatb, fuelb, sweeps)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: heat(n), fuel(n), heatb(n), fuelb(n)
    type(report), intent(out) :: sweeps
    real(8) :: a1, b1, w1, r1, heat1, fuel1, a2, b2, w2, r2, start
    real(8) :: a1b, b1b, w1b, r1b, heat1b, fuel1b, a2b, b2b, w2b, r2b
    integer :: i, s
    start = seconds()
    a1 = 0; b1 = 0; w1 = 0; fuel1 = 0; a2 = 0; b2 = 0; w2 = 0

    do s = 1, m
      do i = 1, n
        call push(a1)
        a1 = 1 + g*heat(i)
        call push(b1)
        b1 = heat(i)/a1
        call push(w1)
        w1 = exp(b1)
        r1 = D*fuel(i)*w1
        heat1 = heat(i) + dt*(r1 - loss*heat(i))
        call push(fuel1)
        fuel1 = fuel(i) + dt*(feed*(1 - fuel(i)) - use*r1)
        call push(a2)
        a2 = 1 + g*heat1
        call push(b2)
        b2 = heat1/a2
        call push(w2)
        w2 = exp(b2)
        r2 = D*fuel1*w2
        heat(i) = heat(i) + 0.5d0*dt*(r1 - loss*heat(i) + r2 - loss*heat1)
        call push(fuel(i))
        fuel(i) = fuel(i) + 0.5d0*dt*(feed*(1 - fuel(i)) - use*r1 + feed*(1 - fuel1) - use*r2)
      end do
      call diffuse(n, heat)
    end do
    sweeps%forward_seconds = seconds() - start
    sweeps%bytes = tape_bytes()
    start = seconds()

    do s = m, 1, -1
      call diffuse(n, heatb)
      do i = n, 1, -1
        call pop(fuel(i))
        r1b = 0.5d0*dt*(heatb(i) - use*fuelb(i))
        r2b = 0.5d0*dt*(heatb(i) - use*fuelb(i))
        fuel1b = -0.5d0*dt*feed*fuelb(i)
        fuelb(i) = (1 - 0.5d0*dt*feed)*fuelb(i)
        heat1b = -0.5d0*dt*loss*heatb(i)
        heatb(i) = (1 - 0.5d0*dt*loss)*heatb(i)
        fuel1b = fuel1b + D*w2*r2b
        w2b = D*fuel1*r2b
        b2b = w2*w2b
        call pop(w2)
        heat1b = heat1b + b2b/a2
        a2b = -b2/a2*b2b
        call pop(b2)
        heat1b = heat1b + g*a2b
        call pop(a2)
        fuelb(i) = fuelb(i) + (1 - dt*feed)*fuel1b
        r1b = r1b - dt*use*fuel1b
        call pop(fuel1)
        heatb(i) = heatb(i) + (1 - dt*loss)*heat1b
        r1b = r1b + dt*heat1b
        fuelb(i) = fuelb(i) + D*w1*r1b
        w1b = D*fuel(i)*r1b
        b1b = w1*w1b
        call pop(w1)
        heatb(i) = heatb(i) + b1b/a1
        a1b = -b1/a1*b1b
        call pop(b1)
        heatb(i) = heatb(i) + g*a1b
        call pop(a1)
      end do
    end do
    sweeps%reverse_seconds = seconds() - start
  end subroutine

  ! The block flattened. v_h and v_f are the partials of v with respect to the block's inputs heat and fuel; the rate of
  ! the second stage has partials with respect to that stage's heat1 and fuel1 first.
  subroutine ignition_partials(n, m, heat, fuel, heatb, fuelb, sweeps)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: heat(n), fuel(n), heatb(n), fuelb(n)
    type(report), intent(out) :: sweeps
    real(8) :: a1, b1, w1, r1, heat1, fuel1, a2, b2, w2, r2, start
    real(8) :: r1_h, r1_f, heat1_h, heat1_f, fuel1_h, fuel1_f, r2_heat1, r2_fuel1, r2_h, r2_f
    real(8) :: heat_h, heat_f, fuel_h, fuel_f, temp
    integer :: i, s
    start = seconds()

    do s = 1, m
      do i = 1, n
        a1 = 1 + g*heat(i)
        b1 = heat(i)/a1
        w1 = exp(b1)
        r1 = D*fuel(i)*w1
        r1_h = r1*(1 - g*b1)/a1
        r1_f = D*w1
        heat1 = heat(i) + dt*(r1 - loss*heat(i))
        heat1_h = 1 - dt*loss + dt*r1_h
        heat1_f = dt*r1_f
        fuel1 = fuel(i) + dt*(feed*(1 - fuel(i)) - use*r1)
        fuel1_h = -dt*use*r1_h
        fuel1_f = 1 - dt*feed - dt*use*r1_f
        a2 = 1 + g*heat1
        b2 = heat1/a2
        w2 = exp(b2)
        r2 = D*fuel1*w2
        r2_heat1 = r2*(1 - g*b2)/a2
        r2_fuel1 = D*w2
        r2_h = r2_heat1*heat1_h + r2_fuel1*fuel1_h
        r2_f = r2_heat1*heat1_f + r2_fuel1*fuel1_f
        heat(i) = heat(i) + 0.5d0*dt*(r1 - loss*heat(i) + r2 - loss*heat1)
        call push(1 + 0.5d0*dt*(r1_h - loss + r2_h - loss*heat1_h))
        call push(0.5d0*dt*(r1_f + r2_f - loss*heat1_f))
        fuel(i) = fuel(i) + 0.5d0*dt*(feed*(1 - fuel(i)) - use*r1 + feed*(1 - fuel1) - use*r2)
        call push(-0.5d0*dt*(use*r1_h + feed*fuel1_h + use*r2_h))
        call push(1 - 0.5d0*dt*(feed + use*r1_f + feed*fuel1_f + use*r2_f))
      end do
      call diffuse(n, heat)
    end do
    sweeps%forward_seconds = seconds() - start
    sweeps%bytes = tape_bytes()
    start = seconds()

    do s = m, 1, -1
      call diffuse(n, heatb)
      do i = n, 1, -1
        call pop(fuel_f)
        call pop(fuel_h)
        call pop(heat_f)
        call pop(heat_h)
        temp = heat_f*heatb(i) + fuel_f*fuelb(i)
        heatb(i) = heat_h*heatb(i) + fuel_h*fuelb(i)
        fuelb(i) = temp
      end do
    end do
    sweeps%reverse_seconds = seconds() - start
  end subroutine

  ! sum(weight * heat) + sum(weight * fuel) after steps_of_complex steps, of complex heat and, behind it, fuel.
  function ignition_complex(first) result(total)
    complex(8), intent(in) :: first(:)
    complex(8) :: total
    complex(8), allocatable :: heat(:), fuel(:)
    complex(8) :: r1, h1, f1, r2, before, here, after
    integer :: n, i, s
    n = size(first)/2
    allocate (heat(n), fuel(n))
    heat(:) = first(:n)
    fuel(:) = first(n + 1:)
    do s = 1, steps_of_complex
      do i = 1, n
        r1 = D*fuel(i)*exp(heat(i)/(1 + g*heat(i)))
        h1 = heat(i) + dt*(r1 - loss*heat(i))
        f1 = fuel(i) + dt*(feed*(1 - fuel(i)) - use*r1)
        r2 = D*f1*exp(h1/(1 + g*h1))
        heat(i) = heat(i) + 0.5d0*dt*(r1 - loss*heat(i) + r2 - loss*h1)
        fuel(i) = fuel(i) + 0.5d0*dt*(feed*(1 - fuel(i)) - use*r1 + feed*(1 - f1) - use*r2)
      end do
      before = heat(1)
      do i = 1, n
        here = heat(i)
        after = heat(min(i + 1, n))
        heat(i) = here + diffusion*(before - 2*here + after)
        before = here
      end do
    end do
    total = 0
    do i = 1, n
      total = total + noise(i + 12)*heat(i) + noise(i + 1312)*fuel(i)
    end do
  end function

end module

program flattening
  use, intrinsic :: iso_fortran_env, only: int64
  use example
  use figures_code
  use ignition_code
  implicit none
  integer :: n, m

  n = argument(1, 1000)
  m = argument(2, 1000)
  call run_figure('Fig. 1, one graph', n*m, -1)
  call run_figure('Fig. 2, k = 0, two subgraphs', n*m, 0)
  call run_figure('Fig. 2, k = 1, two subgraphs', n*m, 1)
  call run_ignition()
  call finish()

contains

  ! Gradients of sum(weight * z) + sum(weight * y) with respect to x and z, for 1 (k < 0) or 2, both variants.
  subroutine run_figure(name, n, k)
    character(*), intent(in) :: name
    integer, intent(in) :: n, k
    real(8), allocatable :: x(:), y(:), yb(:), z(:), xb(:, :), zb(:, :), first(:)
    real(8) :: worst
    integer(int64) :: bytes(2)
    integer :: i, variant
    print '(2a)', '-- ', name
    allocate (x(n), y(n), yb(n), z(n + 1), xb(n, 2), zb(n + 1, 2))
    xb = 0
    do variant = 1, 2
      do i = 1, n + 1
        z(i) = noise(i + 8)
        zb(i, variant) = noise(i + 900)
      end do
      do i = 1, n
        x(i) = 1.5d0 + 0.7d0*noise(i + 2)
        yb(i) = noise(i + 1716)
      end do
      first = [x, z]
      if (k < 0 .and. variant == 1) then
        call fig1_values_forward(n, x, y, z)
        bytes(variant) = tape_bytes()
        call fig1_values_adjoint(n, x, xb(:, variant), yb, z, zb(:, variant))
      else if (k < 0) then
        call fig1_partials_forward(n, x, y, z)
        bytes(variant) = tape_bytes()
        call fig1_partials_adjoint(n, xb(:, variant), yb, zb(:, variant))
      else if (variant == 1) then
        call fig2_values_forward(n, k, x, y, z)
        bytes(variant) = tape_bytes()
        call fig2_values_adjoint(n, k, x, xb(:, variant), yb, z, zb(:, variant))
      else
        call fig2_partials_forward(n, k, x, y, z)
        bytes(variant) = tape_bytes()
        call fig2_partials_adjoint(n, k, xb(:, variant), yb, zb(:, variant))
      end if
      call check_tape_empty('bytes on the tape after the adjoint')
    end do
    worst = 0
    do i = 1, n
      worst = larger(worst, abs(xb(i, 1) - xb(i, 2)))
    end do
    do i = 1, n + 1
      worst = larger(worst, abs(zb(i, 1) - zb(i, 2)))
    end do
    call check_error('values and partials give the same gradient', worst, 1d-14)
    distance = max(k, 0)
    call check_error('gradient in a direction against a complex step', &
                     error_of_complex_step(figure_complex, first, [xb(:, 2), zb(:, 2)], 1d-12), 1d-12)
    call check_count('tape bytes with values', bytes(1), 8_int64*n)
    call check_count('tape bytes with partials', bytes(2), 32_int64*n)
  end subroutine

  subroutine run_ignition()
    real(8), allocatable :: first(:, :), plain(:, :), state(:, :), gradient(:, :, :)
    real(8) :: largest, worst
    type(report) :: sweeps(2)
    integer :: i, field
    print '(a,i0,a,i0,a)', '-- ignition, ', n, ' cells, ', m, ' steps'
    allocate (first(n, 2), plain(n, 2), state(n, 2), gradient(n, 2, 2))
    do i = 1, n
      first(i, :) = [1.0d0 + 0.8d0*noise(i), 0.8d0 + 0.2d0*noise(i + 5000)]
      gradient(i, 1, :) = noise(i + 12)
      gradient(i, 2, :) = noise(i + 1312)
    end do
    plain(:, :) = first
    call ignition(n, m, plain(:, 1), plain(:, 2))

    ! TBR does not record heat, so that the state after the sweeps is neither the first nor the last.
    state(:, :) = first
    call ignition_values(n, m, state(:, 1), state(:, 2), gradient(:, 1, 1), gradient(:, 2, 1), sweeps(1))
    call check_tape_empty('bytes on the tape after the adjoint')
    state(:, :) = first
    call ignition_partials(n, m, state(:, 1), state(:, 2), gradient(:, 1, 2), gradient(:, 2, 2), sweeps(2))
    call check_tape_empty('bytes on the tape after the adjoint')
    call check_same_bits('the forward sweep computes what the original computes', &
                         reshape(state, [2*n]), reshape(plain, [2*n]))

    largest = 0
    worst = 0
    do field = 1, 2
      do i = 1, n
        largest = larger(largest, abs(gradient(i, field, 1)))
        worst = larger(worst, abs(gradient(i, field, 1) - gradient(i, field, 2)))
      end do
    end do
    call check_error('values and partials give the same gradient', worst/largest, 1d-12)
    steps_of_complex = m
    call check_error('gradient in a direction against a complex step', &
                     error_of_complex_step(ignition_complex, reshape(first, [2*n]), reshape(gradient(:, :, 2), [2*n]), &
                                           1d-12), 1d-12)
    call report_real('largest component of the gradient', largest)
    call check_count('tape bytes with values', sweeps(1)%bytes, 64_int64*n*m)
    call check_count('tape bytes with partials', sweeps(2)%bytes, 32_int64*n*m)
    call report_real('seconds with values, forward', sweeps(1)%forward_seconds)
    call report_real('seconds with values, reverse', sweeps(1)%reverse_seconds)
    call report_real('seconds with partials, forward', sweeps(2)%forward_seconds)
    call report_real('seconds with partials, reverse', sweeps(2)%reverse_seconds)
  end subroutine

end program
