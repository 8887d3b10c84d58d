! Each public procedure takes n, x(n), y(n). What goes between procedures: texts, messages, arguments that may be left out,
! arrays as results, variables of the procedure around.
module passed
  implicit none
  private
  public :: texts, messages, machine, left_out, returned, hosted, around, listed, reshaped, along, everywhere, folded
  integer, parameter :: wp = kind(1.0d0)
  character(*), parameter :: name = 'passed'
  integer :: complaints = 0
contains
  subroutine scaled(how, a, b)
    character(*), intent(in) :: how
    real(wp), intent(in) :: a
    real(wp), intent(inout) :: b
    select case (how)
    case ('half')
      b = b + 0.5_wp*a*a
    case ('double', 'twice')
      b = b + 2*sin(a)
    case default
      b = b*a
    end select
    if (trim(how) == 'twice') b = b*b
  end subroutine

  ! Only the first letter arrives.
  subroutine by_letter(letter, a)
    character, intent(in) :: letter
    real(wp), intent(inout) :: a
    if (letter == 'T') then
      call scaled('it''s', a*a, a)
    else if (same(letter, 'n')) then
      a = 3*a
    end if
  end subroutine

  logical function same(a, b)
    character, intent(in) :: a, b
    same = a == b .or. ichar(a) + 32 == ichar(b)
  end function

  subroutine texts(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    integer :: i
    do i = 1, n
      if (mod(i, 3) == 0) call scaled('half', x(i), y(i))
      if (mod(i, 3) == 1) call scaled('twice', x(i), y(i))
      if (mod(i, 3) == 2) call scaled(name, y(i), x(i))
    end do
    call by_letter('Transpose', y(1))
    call by_letter('No', y(2))
    call by_letter('c', y(3))
  end subroutine

  ! Writes, counts, and may stop.
  subroutine complain(what, level, value)
    character(*), intent(in) :: what
    integer, intent(in) :: level
    real(wp), intent(in), optional :: value
    character(40) :: line
    complaints = complaints + 1
    line = what
    if (level > 5) then
      if (present(value)) write (*, *) line, value
      write (*, '(a)') 'this is long and says much: '//trim(line)
      error stop 'it is enough'
    end if
  end subroutine

  logical function had_complaints(least)
    integer, intent(in) :: least
    had_complaints = complaints >= least
  end function

  subroutine remark(what)
    character(*), intent(in) :: what
    if (len(what) > 100) print '(a)', what
  end subroutine

  subroutine messages(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    character(20) :: number
    integer :: i
    do i = 1, n
      write (number, '(i0)') i
      if (x(i) > 1.0_wp) call complain('x is large', level=2, value=x(i))
      if (x(i) > 100.0_wp) call complain('x is much too large for what comes behind, so nothing of that is done here', 9)
      call remark('element '//number)
      y(i) = y(i) + x(i)**2
    end do
    if (had_complaints(1)) y(1) = y(1)*x(n)
    if (had_complaints(1000000)) y(2) = 0
  end subroutine

  ! As old libraries have it: one memory for integers and reals.
  real(wp) function constant_of_machine(which)
    integer, intent(in) :: which
    integer :: bits(2)
    real(wp) :: values(1)
    equivalence (bits, values)
    bits(1) = 0
    bits(2) = 1072693248
    constant_of_machine = values(1)*2.0_wp**(-which)
  end function

  ! The first call fills what all later ones read.
  real(wp) function series(x)
    real(wp), intent(in) :: x
    logical, save :: first = .true.
    real(wp), save :: limit, c1
    if (first) then
      limit = (4*constant_of_machine(3))**(1.0_wp/6)
      c1 = 1.0_wp/24
    end if
    first = .false.
    series = c1*x + limit*x**2
  end function

  subroutine machine(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp) :: least
    integer :: i
    least = constant_of_machine(3)
    do i = 1, n
      if (abs(x(i)) > least) y(i) = series(y(i)) + x(i)/constant_of_machine(i)
    end do
  end subroutine

  subroutine moved(a, by, times, b)
    real(wp), intent(inout) :: a
    real(wp), intent(in), optional :: by
    integer, intent(in), optional :: times
    real(wp), intent(inout), optional :: b(:)
    integer :: k, last
    last = 1
    if (present(times)) last = times
    do k = 1, last
      if (present(by)) a = a + by*a*a
      if (.not. present(by)) a = a*1.5_wp
    end do
    if (present(b) .and. last > 0) b = b + a
  end subroutine

  subroutine passes_on(a, by, b)
    real(wp), intent(inout) :: a
    real(wp), intent(in), optional :: by
    real(wp), intent(inout), optional :: b(:)
    call moved(a, by=by, b=b)
    call moved(a, times=2)
  end subroutine

  subroutine left_out(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    call moved(x(1), y(1))
    call moved(x(2), times=3)
    call moved(y(2), 0.1_wp, 2, y(4:n:2))
    call passes_on(y(1))
    call passes_on(x(3), b=y)
    call passes_on(x(4), x(2))
  end subroutine

  function cross(a, b) result(c)
    real(wp), intent(in) :: a(3), b(3)
    real(wp) :: c(3)
    c(1) = a(2)*b(3) - a(3)*b(2)
    c(2) = a(3)*b(1) - a(1)*b(3)
    c(3) = a(1)*b(2) - a(2)*b(1)
  end function

  pure function unit(a)
    real(wp), intent(in) :: a(:)
    real(wp) :: unit(size(a))
    unit = a/norm2(a)
  end function

  function factors(count, first) result(f)
    integer, intent(in) :: count, first
    integer :: k
    real(wp) :: f(first:first + count - 1)
    do k = first, first + count - 1
      f(k) = 1.0_wp/k
    end do
  end function

  subroutine returned(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp) :: h(3)
    h = cross(x(1:3), y(2:4))
    y(1:3) = y(1:3) + unit(h + unit(cross(h, x(4:6))))*x(n)
    y(4) = y(4) + norm2(cross(h, y(1:3))) + sum(unit(x)*factors(n, 2))
    x = x*factors(n, 3) - unit(x)
    if (dot_product(unit(h), cross(x(1:3), h + 1)) > 100) y = 0
    call scaled('half', sum(cross(h, y(5:7))), x(1))
  end subroutine

  subroutine hosted(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp) :: total, work(0:n), factor
    integer :: i, calls
    total = 0
    calls = 0
    factor = 1.5_wp
    work = 0
    do i = 1, n
      call take(x(i))
      if (is_third(i)) factor = factor*y(i)
    end do
    y = y + share()*work(1:n)
    call last
    if (calls > 5) y(1) = y(1)*total
  contains
    subroutine take(a)
      real(wp), intent(inout) :: a
      total = total + factor*a*a
      work(i) = a*total
      a = a + work(i - 1)
      calls = calls + 1
      if (calls == 4) call doubled
    end subroutine
    subroutine doubled
      total = total*2
      work(0) = total
    end subroutine
    logical function is_third(k)
      integer, intent(in) :: k
      is_third = mod(k, 3) == 0 .and. calls > 0
    end function
    function share() result(s)
      real(wp) :: s(n)
      s = total/(1 + x**2)
    end function
    subroutine last
      x(n) = x(n)*sin(total)
    end subroutine
  end subroutine

  ! Arrays of assumed shape, seen from inside.
  subroutine inner_loops(a, b)
    real(wp), intent(inout) :: a(2:), b(:)
    integer :: k
    do k = 2, ubound(a, 1)
      call one(k)
    end do
  contains
    subroutine one(at)
      integer, intent(in) :: at
      real(wp) :: own(size(b))
      own = b*a(at)
      a(at) = a(at) + sum(own)
      b(at - 1) = own(at - 1)*weight(at)
    end subroutine
    real(wp) function weight(at)
      integer, intent(in) :: at
      weight = 1.0_wp/(at + size(b))
    end function
  end subroutine

  subroutine around(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    call inner_loops(x(2:5), y)
    call inner_loops(y, x)
  end subroutine

  subroutine listed(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp) :: z(7)
    integer :: i, j
    z = [x(2:3), y(1)*x(1), (x(i)*i, y(i), i=3, 4)]
    y(1:7) = y(1:7) + z*z
    x(1:6) = [((y(i)*x(j), j=1, 2), i=5, 1, -2)]
    y(1:2) = y(1:2) + unit([x(4), y(4)])
    y(8) = y(8) + sum([x(1), y(2)]*[y(1), x(2)]) + maxval([x, y])
  end subroutine

  subroutine reshaped(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp) :: a(2, 3), b(3, 2)
    a = reshape(x(2:7), [2, 3])
    b = reshape(a, shape=[3, 2])
    y(1:4) = y(1:4) + pack(matmul(a, b), .true.)
    b = cshift(b, 1, 2)*cshift(b, -4)
    x(1:6) = reshape(b, [6])*x(1:6)
    y = y + cshift(y, n - 3)
  end subroutine

  subroutine along(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    real(wp) :: a(2, 3, 2), b(3, 2)
    integer :: i, k, j(1)
    do k = 1, 2
      do i = 1, 3
        a(1, i, k) = x(i)*y(k + i)
        a(2, i, k) = sin(x(i + k)) - 0.4_wp
      end do
    end do
    b = sum(a, 1)*maxval(a, dim=1, mask=a < 0.5_wp .and. a > -2)
    y(1:2) = y(1:2) + sum(b*b, dim=1) + product(sum(a, 3), dim=2)
    y(3:5) = y(3:5) + merge(b(:, 1), norm2(a(:, :, 2), 1), any(a(:, :, 1) > 0.3_wp, 1))
    x(1:3) = minval(a(1, :, :), 2) + count(a(:, :, 1) > 0.1_wp, 1)*x(4:6)
    k = maxloc(x, 1)
    y(k) = y(k)*x(minloc(y, dim=1, mask=y > 0.5_wp))
    j = minloc(x(2:n))
    y(6) = y(6) + x(j(1))**2
  end subroutine

  elemental real(wp) function bent(a, by)
    real(wp), intent(in) :: a, by
    bent = a + by*a**3
  end function

  subroutine everywhere(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    y = y + bent(x, 0.5_wp)*bent(2.0_wp, y)
    x(2:n) = bent(x(1:n - 1), y(2:n))
  end subroutine

  subroutine folded(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(inout) :: x(n), y(n)
    logical, parameter :: refined = .true., checked = .false.
    integer :: i
    outer: do i = 1, n
      if (checked) exit outer
      if (refined) then
        if (x(i) > 1) cycle outer
        y(i) = y(i)*x(i)
      else
        y(i) = 0
      end if
      if (.not. refined) return
      if (checked .and. y(i) > 0) then
        y(i) = 1
      else if (refined .or. y(i) > 2) then
        y(i) = y(i) + x(i)
      else
        x(i) = 0
      end if
    end do outer
  end subroutine
end module
