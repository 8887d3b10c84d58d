! Cheaper adjoints, Fig. 8(a) wrapped by Fig. 10, ilB = 10: recovering indices from the tape or by inversion.
!
! What it shows: the adjoint of line 7 or 11 needs the indices i, j, k, m that the forward sweep used. Store-all (Ps)
! pushes each before it is overwritten: 52 integers an outer step. Inversion (Pi) runs the index
! computations backwards from the last i and j: 2 integers an outer step. The counts are Table 1's and are taken
! from the tape's profile of the running loops.
!
! Fig. 8(b) as extracted has misprints (t1 for t, l>=0 for l>0, the increments of lines 9, 10, 15, 16) and no bars.
! Here the adjoint of `v = u * p * w` is right also where two of its indices are equal, which happens.
!
! The dependent is c, the sum of all values that lines 7 and 11 assign. It is linear and its indices are at hand,
! so nothing is pushed for it.
!
!   cheaper_adjoints [olB]      by default 1000000
module cheaper_adjoints_code
  use, intrinsic :: iso_fortran_env, only: int64
  use adtape
  use example
  implicit none

  integer, parameter :: ilB = 10

  ! What a variant reports about its tape between the sweeps.
  type :: sweeps
    integer(int64) :: bytes, integers, floats, integers_popped, floats_popped
    real(8) :: forward_seconds, reverse_seconds, c
  end type

  abstract interface
    subroutine variant(olB, a, ab, p, s)
      import :: sweeps
      integer, intent(in) :: olB
      real(8), intent(inout) :: a(0:), ab(0:)
      real(8), intent(in) :: p(0:)
      type(sweeps), intent(out) :: s
    end subroutine
  end interface

  ! What original_complex is called with.
  real(8) :: of_p(0:81)
  integer :: of_olB

contains

  ! ---- original code -----------------------------------------------------------------------------

  subroutine original(olB, a, p, c)
    integer, intent(in) :: olB
    real(8), intent(inout) :: a(0:)
    real(8), intent(in) :: p(0:)
    real(8), intent(out) :: c
    integer :: i, j, k, l, m, o
    c = 0
    o = 0
    do while (o < olB)
      i = o
      j = o
      l = 0
      do while (l < ilB)
        k = i - j
        m = k + 3 + l
        i = k + 2*l
        a(i) = a(j)*p(k)*a(m)
        c = c + a(i)
        j = j + m + 4
        i = i + j + 1
        a(j) = a(i)*p(k)*a(m)
        c = c + a(j)
        l = l + 1
      end do
      o = o + 1
    end do
  end subroutine

  ! ---- adjoint of v = u * p * w ------------------------------------------------------------------

  ! All three may be the same element of a: its bar is read and cleared before any is added to.
  subroutine product_b(ab, v, u, w, p, a)
    real(8), intent(inout) :: ab(0:)
    integer, intent(in) :: v, u, w
    real(8), intent(in) :: p, a(0:)
    real(8) :: vb
    vb = ab(v)
    ab(v) = 0
    ab(u) = ab(u) + p*a(w)*vb
    ab(w) = ab(w) + a(u)*p*vb
  end subroutine

  integer(int64) function elements(type, operation)
    integer, intent(in) :: type, operation
    type(adtape_traffic) :: traffic
    call stats_traffic(type, operation, traffic)
    elements = traffic%elements
  end function

  subroutine after_forward(s, start, c)
    type(sweeps), intent(inout) :: s
    real(8), intent(in) :: start, c
    s%forward_seconds = seconds() - start
    s%c = c
    s%bytes = tape_bytes()
    s%integers = elements(ADTAPE_TYPE_I32, ADTAPE_OPERATION_PUSH)
    s%floats = elements(ADTAPE_TYPE_F64, ADTAPE_OPERATION_PUSH)
  end subroutine

  subroutine after_reverse(s, start)
    type(sweeps), intent(inout) :: s
    real(8), intent(in) :: start
    s%reverse_seconds = seconds() - start
    s%integers_popped = elements(ADTAPE_TYPE_I32, ADTAPE_OPERATION_POP)
    s%floats_popped = elements(ADTAPE_TYPE_F64, ADTAPE_OPERATION_POP)
  end subroutine

  ! ---- Ps: all indices stored --------------------------------------------------------------------

  subroutine store_all(olB, a, ab, p, s)
    integer, intent(in) :: olB
    real(8), intent(inout) :: a(0:), ab(0:)
    real(8), intent(in) :: p(0:)
    type(sweeps), intent(out) :: s
    real(8), parameter :: cb = 1
    real(8) :: c, start
    integer :: i, j, k, l, m, o
    start = seconds()
    i = 0
    j = 0
    k = 0
    m = 0
    c = 0
    o = 0
    do while (o < olB)
      i = o
      j = o
      l = 0
      do while (l < ilB)
        call push(k)
        k = i - j
        call push(m)
        m = k + 3 + l
        call push(i)
        i = k + 2*l
        call push(a(i))
        a(i) = a(j)*p(k)*a(m)
        c = c + a(i)
        call push(j)
        j = j + m + 4
        call push(i)
        i = i + j + 1
        call push(a(j))
        a(j) = a(i)*p(k)*a(m)
        c = c + a(j)
        l = l + 1
      end do
      call push(i)
      call push(j)
      o = o + 1
    end do

    call after_forward(s, start, c)
    start = seconds()

    do while (o > 0)
      o = o - 1
      call pop(j)
      call pop(i)
      l = ilB
      do while (l > 0)
        l = l - 1
        ab(j) = ab(j) + cb
        call pop(a(j))
        call product_b(ab, j, i, m, p(k), a)
        call pop(i)
        call pop(j)
        ab(i) = ab(i) + cb
        call pop(a(i))
        call product_b(ab, i, j, m, p(k), a)
        call pop(i)
        call pop(m)
        call pop(k)
      end do
    end do
    call after_reverse(s, start)
  end subroutine

  ! ---- Pi: indices recovered by inversion --------------------------------------------------------

  subroutine inversion(olB, a, ab, p, s)
    integer, intent(in) :: olB
    real(8), intent(inout) :: a(0:), ab(0:)
    real(8), intent(in) :: p(0:)
    type(sweeps), intent(out) :: s
    real(8), parameter :: cb = 1
    real(8) :: c, start
    integer :: i, j, k, l, m, o, before
    start = seconds()
    c = 0
    o = 0
    do while (o < olB)
      i = o
      j = o
      l = 0
      do while (l < ilB)
        k = i - j
        m = k + 3 + l
        i = k + 2*l
        call push(a(i))
        a(i) = a(j)*p(k)*a(m)
        c = c + a(i)
        j = j + m + 4
        i = i + j + 1
        call push(a(j))
        a(j) = a(i)*p(k)*a(m)
        c = c + a(j)
        l = l + 1
      end do
      call push(i)
      call push(j)
      o = o + 1
    end do

    call after_forward(s, start, c)
    start = seconds()

    do while (o > 0)
      o = o - 1
      call pop(j)
      call pop(i)
      l = ilB
      do while (l > 0)
        before = i - j - 1  ! 1: line 9 inverted; i itself is still needed
        l = l - 1           ! 2: line 12 inverted
        k = before - 2*l    ! 3: line 5 inverted
        m = k + 3 + l       ! 4: line 4 run forward
        ab(j) = ab(j) + cb
        call pop(a(j))
        call product_b(ab, j, i, m, p(k), a)
        i = before
        j = j - m - 4       ! 5: line 8 inverted
        ab(i) = ab(i) + cb
        call pop(a(i))
        call product_b(ab, i, j, m, p(k), a)
        i = k + j           ! 6: line 3 inverted
      end do
    end do
    call after_reverse(s, start)
  end subroutine

  ! The original code on complex numbers: c of a.
  function original_complex(z0) result(c)
    complex(8), intent(in) :: z0(:)
    complex(8) :: c
    complex(8), allocatable :: z(:)
    integer :: i, j, k, l, m, o
    allocate (z(0:size(z0) - 1))
    z(:) = z0
    c = 0
    do o = 0, of_olB - 1
      i = o
      j = o
      do l = 0, ilB - 1
        k = i - j
        m = k + 3 + l
        i = k + 2*l
        z(i) = z(j)*of_p(k)*z(m)
        c = c + z(i)
        j = j + m + 4
        i = i + j + 1
        z(j) = z(i)*of_p(k)*z(m)
        c = c + z(j)
      end do
    end do
  end function

end module

program cheaper_adjoints
  use, intrinsic :: iso_fortran_env, only: int64
  use adtape
  use example
  use cheaper_adjoints_code
  implicit none
  real(8), allocatable :: first(:), a(:), stored(:), inverted(:)
  real(8) :: p(0:81), c, start
  integer :: olB, last, i

  olB = argument(1, 1000000)
  last = olB + 499  ! Table 1's "size of a" is the largest index
  allocate (first(0:last), a(0:last), stored(0:last), inverted(0:last))
  call first_values()
  a(:) = first
  start = seconds()
  call original(olB, a, p, c)
  call report_count('olB', int(olB, int64))
  call report_count('size of a (largest index)', int(last, int64))
  call report_real('P microseconds', 1d6*(seconds() - start))

  call run('Ps', store_all, stored, 52)
  call run('Pi', inversion, inverted, 2)
  call check_same_bits('both gradients are equal bit for bit', stored, inverted)
  do i = 0, last
    a(i) = noise(i + 123)
  end do
  of_p = p
  of_olB = olB
  call check_error('gradient in a direction against a complex step', &
                   error_of_complex_step(original_complex, first, inverted, 1d-12, a), 1d-12)
  call report_real('c', c)
  call finish()

contains

  ! a(15) is multiplied by a(o+29), which contains the a(15) of ten steps before, so that its logarithm and its relative
  ! derivatives grow like 1.2**o whatever the data. Magnitudes of 1 up to a(499) keep it at 1 while the factors a(5)
  ! to a(93) still change, until o = 86; smaller ones beyond bring it to 0 soon after. From there on l = 0 to 3
  ! produce zeros and l = 4 to 9 products of a few factors, in every outer step.
  subroutine first_values()
    integer :: i, k
    do i = 0, last
      first(i) = sign(merge(1.0d0, 1.0d0 - 0.1d0*abs(noise(i + 17)), i < 500), noise(i + 1))
    end do
    do k = 0, 81
      p(k) = sign(1.0d0, noise(k + 91))
    end do
  end subroutine

  ! Runs a variant twice, the second time with profile statistics; gradient in ab.
  subroutine run(name, sweep, ab, integers_each)
    character(*), intent(in) :: name
    procedure(variant) :: sweep
    real(8), intent(out) :: ab(0:)
    integer, intent(in) :: integers_each
    real(8), allocatable :: again(:)
    type(sweeps) :: timed, counted
    integer(int64) :: steps
    steps = olB
    allocate (again(0:last))
    ab = 0
    again = 0
    a(:) = first
    call sweep(olB, a, ab, p, timed)
    call check_same_bits(name//' restores a', a, first)

    call stats_set_profile(.true.)
    call stats_reset()
    call sweep(olB, a, again, p, counted)
    call stats_set_profile(.false.)
    call check_same_bits(name//' computes the same gradient under profile', again, ab)

    call check_count(name//' integers on the tape', counted%integers, integers_each*steps)
    call check_count(name//' floats on the tape', counted%floats, 20*steps)
    call check_count(name//' integers and floats popped', counted%integers_popped + counted%floats_popped, &
                     counted%integers + counted%floats)
    call check_count(name//' tape bytes', timed%bytes, (integers_each*4 + 160)*steps)
    call check_close(name//" forward sweep's result", timed%c, c, 1.0d0, 0.0d0)
    call report_real(name//' microseconds', 1d6*(timed%forward_seconds + timed%reverse_seconds))
    call check_tape_empty('bytes on the tape after the adjoint')
  end subroutine

end program
