! types.F90: every type that push and pop take, at every rank, whole and in sections; in sections of ranks above 3 one
! type of each kind and size.
module types_tests
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  implicit none
  private
  public :: test_all_types
  integer, parameter :: r16 = selected_real_kind(33)

contains

#include "types_sections.inc"

#define TESTED test_integer1
#define MORE_RANKS
#define NAME 'integer(1)'
#define TYPE_ integer(1)
#define VALUE(i) int(mod(i, 251) - 125, 1)
#define SAME(a, b) ((a) == (b))
#include "types_of.inc"

#define TESTED test_integer2
#define NAME 'integer(2)'
#define TYPE_ integer(2)
#define VALUE(i) int(i - 192, 2)
#define SAME(a, b) ((a) == (b))
#include "types_of.inc"

#define TESTED test_integer4
#define NAME 'integer(4)'
#define TYPE_ integer(4)
#define VALUE(i) int(i - 192, 4)
#define SAME(a, b) ((a) == (b))
#include "types_of.inc"

#define TESTED test_integer8
#define NAME 'integer(8)'
#define TYPE_ integer(8)
#define VALUE(i) int(i - 192, 8)
#define SAME(a, b) ((a) == (b))
#include "types_of.inc"

#define TESTED test_real4
#define NAME 'real(4)'
#define TYPE_ real(4)
#define VALUE(i) (real(i, 4)/3)
#define SAME(a, b) ((a) == (b))
#include "types_of.inc"

#define TESTED test_real8
#define MORE_RANKS
#define NAME 'real(8)'
#define TYPE_ real(8)
#define VALUE(i) (real(i, 8)/3)
#define SAME(a, b) ((a) == (b))
#include "types_of.inc"

#if defined(__GFC_REAL_10__) || defined(__x86_64__)
#define TESTED test_real10
#define NAME 'real(10)'
#define TYPE_ real(10)
#define VALUE(i) (real(i, 10)/3)
#define SAME(a, b) ((a) == (b))
#include "types_of.inc"
#endif

#define TESTED test_real16
#define NAME 'real(r16)'
#define TYPE_ real(r16)
#define VALUE(i) (real(i, r16)/3)
#define SAME(a, b) ((a) == (b))
#include "types_of.inc"

#define TESTED test_complex4
#define NAME 'complex(4)'
#define TYPE_ complex(4)
#define VALUE(i) (cmplx(i, -i, 4)/7)
#define SAME(a, b) ((a) == (b))
#include "types_of.inc"

#define TESTED test_complex8
#define NAME 'complex(8)'
#define TYPE_ complex(8)
#define VALUE(i) (cmplx(i, -i, 8)/7)
#define SAME(a, b) ((a) == (b))
#include "types_of.inc"

#if defined(__GFC_REAL_10__) || defined(__x86_64__)
#define TESTED test_complex10
#define NAME 'complex(10)'
#define TYPE_ complex(10)
#define VALUE(i) (cmplx(i, -i, 10)/7)
#define SAME(a, b) ((a) == (b))
#include "types_of.inc"
#endif

#define TESTED test_complex16
#define MORE_RANKS
#define NAME 'complex(r16)'
#define TYPE_ complex(r16)
#define VALUE(i) (cmplx(i, -i, r16)/7)
#define SAME(a, b) ((a) == (b))
#include "types_of.inc"

#define TESTED test_logical1
#define NAME 'logical(1)'
#define TYPE_ logical(1)
#define VALUE(i) logical(mod(i, 3) == 1, 1)
#define SAME(a, b) logical((a) .eqv. (b))
#include "types_of.inc"

#define TESTED test_logical2
#define NAME 'logical(2)'
#define TYPE_ logical(2)
#define VALUE(i) logical(mod(i, 3) == 1, 2)
#define SAME(a, b) logical((a) .eqv. (b))
#include "types_of.inc"

#define TESTED test_logical4
#define MORE_RANKS
#define NAME 'logical(4)'
#define TYPE_ logical(4)
#define VALUE(i) logical(mod(i, 3) == 1, 4)
#define SAME(a, b) logical((a) .eqv. (b))
#include "types_of.inc"

#define TESTED test_logical8
#define NAME 'logical(8)'
#define TYPE_ logical(8)
#define VALUE(i) logical(mod(i, 3) == 1, 8)
#define SAME(a, b) logical((a) .eqv. (b))
#include "types_of.inc"

#ifndef __flang__
#define TESTED test_logical16
#define NAME 'logical(16)'
#define TYPE_ logical(16)
#define VALUE(i) logical(mod(i, 3) == 1, 16)
#define SAME(a, b) logical((a) .eqv. (b))
#include "types_of.inc"
#endif

#define TESTED test_character1
#define NAME 'character(1)'
#define TYPE_ character(1)
#define VALUE(i) achar(33 + mod(i, 90))
#define SAME(a, b) ((a) == (b))
#include "types_of.inc"

#define TESTED test_character3
#define MORE_RANKS
#define NAME 'character(3)'
#define TYPE_ character(3)
#define VALUE(i) digit_string(i)
#define SAME(a, b) ((a) == (b))
#include "types_of.inc"

#define TESTED test_c_ptr
#define MORE_RANKS
#define NAME 'type(c_ptr)'
#define TYPE_ type(c_ptr)
#define VALUE(i) pointer_of(i)
#define SAME(a, b) same_ptr(a, b)
#include "types_of.inc"

  subroutine test_all_types(t)
    type(adtape_tape), intent(in) :: t
    call test_integer1(t)
    call test_integer2(t)
    call test_integer4(t)
    call test_integer8(t)
    call test_real4(t)
    call test_real8(t)
#if defined(__GFC_REAL_10__) || defined(__x86_64__)
    call test_real10(t)
#endif
    call test_real16(t)
    call test_complex4(t)
    call test_complex8(t)
#if defined(__GFC_REAL_10__) || defined(__x86_64__)
    call test_complex10(t)
#endif
    call test_complex16(t)
    call test_logical1(t)
    call test_logical2(t)
    call test_logical4(t)
    call test_logical8(t)
#ifndef __flang__
    call test_logical16(t)
#endif
    call test_character1(t)
    call test_character3(t)
    call test_c_ptr(t)
  end subroutine

end module types_tests

program types
  use adtape
  use support
  use types_tests
  implicit none
  type(adtape_tape) :: t
  type(adtape_stats) :: stats

  call adtape_create(t)
  call test_all_types(t)
  call tape_stats(t, stats)
  call check(stats%bytes == 0, 'the tape is empty at the end')
  call tape_stats(stats)
  call check(stats%bytes == 0, 'the thread''s tape is empty at the end')
  call adtape_destroy(t)
  call finish('types')
end program types
