! Pushes, pops and looks of arrays in the Fortran spelling, one kind for each name; interfaces are implicit, as in
! generated adjoints. See random.f90.
!
! Types that compilers lack are moved as others of the same size: integer(16) and complex(2) as pairs of integers, real(32)
! as a pair of real(16).
module arrays
  use, intrinsic :: iso_c_binding, only: c_intptr_t, c_ptr
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64, real128
  use scalars, only: op_push, op_pop, op_look
  implicit none
  private
  public :: move_array

  ! Bytes have no look.
  integer, parameter, public :: array_kinds = 16, bytes_kind = 16

contains

  ! Performs one operation with n values that follow from the seed. What is popped or read is compared: `right`.
  subroutine move_array(op, kind, n, seed, right)
    integer, intent(in) :: op, kind, n, seed
    logical, intent(out) :: right
    select case (kind)
    case (1:3)
      call move_integers(op, kind, n, seed, right)
    case (4:7)
      call move_reals(op, kind, n, seed, right)
    case (8:11)
      call move_complex(op, kind, n, seed, right)
    case default
      call move_others(op, kind, n, seed, right)
    end select
  end subroutine

  subroutine move_integers(op, kind, n, seed, right)
    integer, intent(in) :: op, kind, n, seed
    logical, intent(out) :: right
    external :: pushinteger4array, popinteger4array, lookinteger4array
    external :: pushinteger8array, popinteger8array, lookinteger8array
    external :: pushinteger16array, popinteger16array, lookinteger16array
    integer(int32) :: i4(n), i4_is(n)
    integer(int64) :: i8(n), i8_is(n), i16(2*n), i16_is(2*n)
    integer :: i
    right = .true.
    select case (kind)
    case (1)
      i4_is = [(seed + i, i=1, n)]
      i4 = merge(i4_is, 0, op == op_push)
      if (op == op_push) call pushinteger4array(i4, n)
      if (op == op_pop) call popinteger4array(i4, n)
      if (op == op_look) call lookinteger4array(i4, n)
      right = all(i4 == i4_is)
    case (2)
      i8_is = [(seed*10_int64**9 + i, i=1, n)]
      i8 = merge(i8_is, 0_int64, op == op_push)
      if (op == op_push) call pushinteger8array(i8, n)
      if (op == op_pop) call popinteger8array(i8, n)
      if (op == op_look) call lookinteger8array(i8, n)
      right = all(i8 == i8_is)
    case (3)
      i16_is = [(seed*10_int64**10 + i, i=1, 2*n)]
      i16 = merge(i16_is, 0_int64, op == op_push)
      if (op == op_push) call pushinteger16array(i16, n)
      if (op == op_pop) call popinteger16array(i16, n)
      if (op == op_look) call lookinteger16array(i16, n)
      right = all(i16 == i16_is)
    end select
  end subroutine

  subroutine move_reals(op, kind, n, seed, right)
    integer, intent(in) :: op, kind, n, seed
    logical, intent(out) :: right
    external :: pushreal4array, popreal4array, lookreal4array, pushreal8array, popreal8array, lookreal8array
    external :: pushreal16array, popreal16array, lookreal16array, pushreal32array, popreal32array, lookreal32array
    real(real32) :: r4(n), r4_is(n)
    real(real64) :: r8(n), r8_is(n)
    real(real128) :: r16(n), r16_is(n), r32(2*n), r32_is(2*n)
    integer :: i
    right = .true.
    select case (kind)
    case (4)
      r4_is = [(0.5*seed + i, i=1, n)]
      r4 = merge(r4_is, 0.0, op == op_push)
      if (op == op_push) call pushreal4array(r4, n)
      if (op == op_pop) call popreal4array(r4, n)
      if (op == op_look) call lookreal4array(r4, n)
      right = all(r4 == r4_is)
    case (5)
      r8_is = [(seed/3d0 + i, i=1, n)]
      r8 = merge(r8_is, 0d0, op == op_push)
      if (op == op_push) call pushreal8array(r8, n)
      if (op == op_pop) call popreal8array(r8, n)
      if (op == op_look) call lookreal8array(r8, n)
      right = all(r8 == r8_is)
    case (6)
      r16_is = [(seed/3.0_real128 + i, i=1, n)]
      r16 = merge(r16_is, 0.0_real128, op == op_push)
      if (op == op_push) call pushreal16array(r16, n)
      if (op == op_pop) call popreal16array(r16, n)
      if (op == op_look) call lookreal16array(r16, n)
      right = all(r16 == r16_is)
    case (7)
      r32_is = [(seed/7.0_real128 + i, i=1, 2*n)]
      r32 = merge(r32_is, 0.0_real128, op == op_push)
      if (op == op_push) call pushreal32array(r32, n)
      if (op == op_pop) call popreal32array(r32, n)
      if (op == op_look) call lookreal32array(r32, n)
      right = all(r32 == r32_is)
    end select
  end subroutine

  subroutine move_complex(op, kind, n, seed, right)
    integer, intent(in) :: op, kind, n, seed
    logical, intent(out) :: right
    external :: pushcomplex4array, popcomplex4array, lookcomplex4array
    external :: pushcomplex8array, popcomplex8array, lookcomplex8array
    external :: pushcomplex16array, popcomplex16array, lookcomplex16array
    external :: pushcomplex32array, popcomplex32array, lookcomplex32array
    integer(int16) :: c4(2*n), c4_is(2*n)
    complex(real32) :: c8(n), c8_is(n)
    complex(real64) :: c16(n), c16_is(n)
    complex(real128) :: c32(n), c32_is(n)
    integer :: i
    right = .true.
    select case (kind)
    case (8)
      c4_is = [(int(modulo(seed + i, 30000), int16), i=1, 2*n)]
      c4 = merge(c4_is, -1_int16, op == op_push)
      if (op == op_push) call pushcomplex4array(c4, n)
      if (op == op_pop) call popcomplex4array(c4, n)
      if (op == op_look) call lookcomplex4array(c4, n)
      right = all(c4 == c4_is)
    case (9)
      c8_is = [(cmplx(seed, i), i=1, n)]
      c8 = merge(c8_is, (-1.0, 0.0), op == op_push)
      if (op == op_push) call pushcomplex8array(c8, n)
      if (op == op_pop) call popcomplex8array(c8, n)
      if (op == op_look) call lookcomplex8array(c8, n)
      right = all(c8 == c8_is)
    case (10)
      c16_is = [(cmplx(seed/3d0, i, real64), i=1, n)]
      c16 = merge(c16_is, (-1d0, 0d0), op == op_push)
      if (op == op_push) call pushcomplex16array(c16, n)
      if (op == op_pop) call popcomplex16array(c16, n)
      if (op == op_look) call lookcomplex16array(c16, n)
      right = all(c16 == c16_is)
    case (11)
      c32_is = [(cmplx(seed/3.0_real128, i, real128), i=1, n)]
      c32 = merge(c32_is, (-1.0_real128, 0.0_real128), op == op_push)
      if (op == op_push) call pushcomplex32array(c32, n)
      if (op == op_pop) call popcomplex32array(c32, n)
      if (op == op_look) call lookcomplex32array(c32, n)
      right = all(c32 == c32_is)
    end select
  end subroutine

  subroutine move_others(op, kind, n, seed, right)
    integer, intent(in) :: op, kind, n, seed
    logical, intent(out) :: right
    external :: pushcharacterarray, popcharacterarray, lookcharacterarray
    external :: pushbooleanarray, popbooleanarray, lookbooleanarray
    external :: pushpointer4array, poppointer4array, lookpointer4array
    external :: pushpointer8array, poppointer8array, lookpointer8array
    external :: pushnarray, popnarray
    character(len=n) :: s, s_is
    logical :: l(n), l_is(n)
    integer(c_intptr_t) :: places(n), places_is(n)
    type(c_ptr) :: addresses(n)
    integer(int8) :: bytes(n), bytes_is(n)
    integer :: i
    right = .true.
    select case (kind)
    case (12)
      do i = 1, n
        s_is(i:i) = achar(33 + modulo(seed + i, 90))
      end do
      s = merge(s_is, repeat(' ', n), op == op_push)
      if (op == op_push) call pushcharacterarray(s, n)
      if (op == op_pop) call popcharacterarray(s, n)
      if (op == op_look) call lookcharacterarray(s, n)
      right = s == s_is
    case (13)
      l_is = [(modulo(seed + i, 3) == 1, i=1, n)]
      l = l_is .eqv. op == op_push
      if (op == op_push) call pushbooleanarray(l, n)
      if (op == op_pop) call popbooleanarray(l, n)
      if (op == op_look) call lookbooleanarray(l, n)
      right = all(l .eqv. l_is)
    case (14, 15)
      places_is = [(seed*2_c_intptr_t**20 + i, i=1, n)]
      addresses = transfer(merge(places_is, 0_c_intptr_t, op == op_push), addresses)
      if (kind == 14) then
        if (op == op_push) call pushpointer4array(addresses, n)
        if (op == op_pop) call poppointer4array(addresses, n)
        if (op == op_look) call lookpointer4array(addresses, n)
      else
        if (op == op_push) call pushpointer8array(addresses, n)
        if (op == op_pop) call poppointer8array(addresses, n)
        if (op == op_look) call lookpointer8array(addresses, n)
      end if
      places = transfer(addresses, places)
      right = all(places == places_is)
    case (bytes_kind)
      bytes_is = [(int(modulo(seed + i, 120), int8), i=1, n)]
      bytes = merge(bytes_is, -1_int8, op == op_push)
      if (op == op_push) call pushnarray(bytes, n)
      if (op == op_pop) call popnarray(bytes, n)
      right = all(bytes == bytes_is)
    end select
  end subroutine

end module
