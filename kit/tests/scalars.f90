! Pushes, pops and looks of scalars in the Fortran spelling, one kind for each name; interfaces are implicit, as in
! generated adjoints. See random.f90.
module scalars
  use, intrinsic :: iso_c_binding, only: c_intptr_t, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64, real128
  implicit none
  private
  public :: move_scalar

  integer, parameter, public :: op_push = 1, op_pop = 2, op_look = 3
  integer, parameter, public :: scalar_kinds = 22, first_control = 14
  ! Kinds that have no look.
  integer, parameter, public :: pointer_kind = 13

  ! A pointer to a scalar is passed as it is.
  interface
    subroutine pushpointer(p)
      import :: real64
      real(real64), pointer :: p
    end subroutine
    subroutine poppointer(p)
      import :: real64
      real(real64), pointer :: p
    end subroutine
  end interface

  real(real64), target, save :: targets(0:9)

contains

  ! Performs one operation with a value that follows from the seed. What is popped or read is compared: `right`.
  subroutine move_scalar(op, kind, seed, right)
    integer, intent(in) :: op, kind, seed
    logical, intent(out) :: right
    external :: pushinteger4, popinteger4, lookinteger4, pushinteger8, popinteger8, lookinteger8
    external :: pushreal4, popreal4, lookreal4, pushreal8, popreal8, lookreal8, pushreal16, popreal16, lookreal16
    external :: pushcomplex8, popcomplex8, lookcomplex8, pushcomplex16, popcomplex16, lookcomplex16
    external :: pushcharacter, popcharacter, lookcharacter, pushboolean, popboolean, lookboolean
    external :: pushbit, pushpointer4, poppointer4, lookpointer4, pushpointer8, poppointer8, lookpointer8
    logical, external :: popbit, lookbit
    integer(int32) :: i4, i4_is
    integer(int64) :: i8, i8_is
    real(real32) :: r4, r4_is
    real(real64) :: r8, r8_is
    real(real128) :: r16, r16_is
    complex(real32) :: c8, c8_is
    complex(real64) :: c16, c16_is
    character :: s, s_is
    logical :: l, l_is
    type(c_ptr) :: address
    integer(c_intptr_t) :: place
    real(real64), pointer :: p
    right = .true.
    select case (kind)
    case (1)
      i4_is = seed
      i4 = merge(i4_is, 0, op == op_push)
      if (op == op_push) call pushinteger4(i4)
      if (op == op_pop) call popinteger4(i4)
      if (op == op_look) call lookinteger4(i4)
      right = i4 == i4_is
    case (2)
      i8_is = -3_int64*10_int64**12 - seed
      i8 = merge(i8_is, 0_int64, op == op_push)
      if (op == op_push) call pushinteger8(i8)
      if (op == op_pop) call popinteger8(i8)
      if (op == op_look) call lookinteger8(i8)
      right = i8 == i8_is
    case (3)
      r4_is = 0.5*seed
      r4 = merge(r4_is, -1.0, op == op_push)
      if (op == op_push) call pushreal4(r4)
      if (op == op_pop) call popreal4(r4)
      if (op == op_look) call lookreal4(r4)
      right = r4 == r4_is
    case (4)
      r8_is = seed/3d0
      r8 = merge(r8_is, -1d0, op == op_push)
      if (op == op_push) call pushreal8(r8)
      if (op == op_pop) call popreal8(r8)
      if (op == op_look) call lookreal8(r8)
      right = r8 == r8_is
    case (5)
      r16_is = seed/3.0_real128
      r16 = merge(r16_is, -1.0_real128, op == op_push)
      if (op == op_push) call pushreal16(r16)
      if (op == op_pop) call popreal16(r16)
      if (op == op_look) call lookreal16(r16)
      right = r16 == r16_is
    case (6)
      c8_is = cmplx(seed, -0.25*seed)
      c8 = merge(c8_is, (-1.0, 0.0), op == op_push)
      if (op == op_push) call pushcomplex8(c8)
      if (op == op_pop) call popcomplex8(c8)
      if (op == op_look) call lookcomplex8(c8)
      right = c8 == c8_is
    case (7)
      c16_is = cmplx(seed/3d0, -seed/7d0, real64)
      c16 = merge(c16_is, (-1d0, 0d0), op == op_push)
      if (op == op_push) call pushcomplex16(c16)
      if (op == op_pop) call popcomplex16(c16)
      if (op == op_look) call lookcomplex16(c16)
      right = c16 == c16_is
    case (8)
      s_is = achar(33 + modulo(seed, 90))
      s = merge(s_is, ' ', op == op_push)
      if (op == op_push) call pushcharacter(s)
      if (op == op_pop) call popcharacter(s)
      if (op == op_look) call lookcharacter(s)
      right = s == s_is
    case (9)
      l_is = modulo(seed, 2) == 1
      l = l_is .eqv. op == op_push
      if (op == op_push) call pushboolean(l)
      if (op == op_pop) call popboolean(l)
      if (op == op_look) call lookboolean(l)
      right = l .eqv. l_is
    case (10)
      l_is = modulo(seed, 2) == 1
      l = l_is
      if (op == op_push) call pushbit(l)
      if (op == op_pop) l = popbit()
      if (op == op_look) l = lookbit()
      right = l .eqv. l_is
    case (11)
      address = transfer(int(seed, c_intptr_t)*2_c_intptr_t**20, address)
      if (op == op_push) call pushpointer4(address)
      if (op /= op_push) address = transfer(1_c_intptr_t, address)
      if (op == op_pop) call poppointer4(address)
      if (op == op_look) call lookpointer4(address)
      place = transfer(address, place)
      right = place == int(seed, c_intptr_t)*2_c_intptr_t**20
    case (12)
      address = transfer(int(seed, c_intptr_t)*2_c_intptr_t**21, address)
      if (op == op_push) call pushpointer8(address)
      if (op /= op_push) address = transfer(1_c_intptr_t, address)
      if (op == op_pop) call poppointer8(address)
      if (op == op_look) call lookpointer8(address)
      place = transfer(address, place)
      right = place == int(seed, c_intptr_t)*2_c_intptr_t**21
    case (pointer_kind)
      p => targets(modulo(seed, 10))
      if (op == op_push) call pushpointer(p)
      if (op /= op_push) nullify (p)
      if (op == op_pop) call poppointer(p)
      right = associated(p, targets(modulo(seed, 10)))
    case default
      call move_control(op, kind - first_control + 1, modulo(seed, 2**(kind - first_control + 1)), right)
    end select
  end subroutine

  subroutine move_control(op, width, is, right)
    integer, intent(in) :: op, width, is
    logical, intent(out) :: right
    external :: pushcontrol1b, popcontrol1b, lookcontrol1b, pushcontrol2b, popcontrol2b, lookcontrol2b
    external :: pushcontrol3b, popcontrol3b, lookcontrol3b, pushcontrol4b, popcontrol4b, lookcontrol4b
    external :: pushcontrol5b, popcontrol5b, lookcontrol5b, pushcontrol6b, popcontrol6b, lookcontrol6b
    external :: pushcontrol7b, popcontrol7b, lookcontrol7b, pushcontrol8b, popcontrol8b, lookcontrol8b
    external :: pushcontrol9b, popcontrol9b, lookcontrol9b
    integer :: cc
    cc = merge(is, -1, op == op_push)
    select case (3*width + op)
    case (4)
      call pushcontrol1b(cc)
    case (5)
      call popcontrol1b(cc)
    case (6)
      call lookcontrol1b(cc)
    case (7)
      call pushcontrol2b(cc)
    case (8)
      call popcontrol2b(cc)
    case (9)
      call lookcontrol2b(cc)
    case (10)
      call pushcontrol3b(cc)
    case (11)
      call popcontrol3b(cc)
    case (12)
      call lookcontrol3b(cc)
    case (13)
      call pushcontrol4b(cc)
    case (14)
      call popcontrol4b(cc)
    case (15)
      call lookcontrol4b(cc)
    case (16)
      call pushcontrol5b(cc)
    case (17)
      call popcontrol5b(cc)
    case (18)
      call lookcontrol5b(cc)
    case (19)
      call pushcontrol6b(cc)
    case (20)
      call popcontrol6b(cc)
    case (21)
      call lookcontrol6b(cc)
    case (22)
      call pushcontrol7b(cc)
    case (23)
      call popcontrol7b(cc)
    case (24)
      call lookcontrol7b(cc)
    case (25)
      call pushcontrol8b(cc)
    case (26)
      call popcontrol8b(cc)
    case (27)
      call lookcontrol8b(cc)
    case (28)
      call pushcontrol9b(cc)
    case (29)
      call popcontrol9b(cc)
    case (30)
      call lookcontrol9b(cc)
    end select
    right = cc == is
  end subroutine

end module
