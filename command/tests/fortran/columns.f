C     A module in fixed form, which stands in the output in free form.
      module columns
      implicit none
      real*8, parameter :: factor = 0.5d0,                              IGNORED
C     a comment between
     &                     shift =
     1  0.25d0
      character*80 :: text = 'it''s a text that goes on behind the last
     &column! and ends' ! not in it
*     Old.
      contains
      subroutine long_lines(n, x, y)
      integer, intent(in) :: n
      integer i
      real*8, intent(inout) :: x(n), y(n)
      do 10 i = 1, n
      if (x(i) .gt. 0.5d0 .and.                                         ! why
     +    y(i) .gt. 0.1d0) then
        y(i) = y(i)*x(i)
     *       + factor   ! half

     *       *sin(x(i)) + shift
      else
        x(i) = x(i)*y(i)
      endif
   10 continue
      if (n .lt. 0) print *, text
      end subroutine long_lines
	subroutine tabs(n, x, y)
	integer, intent(in) :: n
	real*8, intent(inout) :: x(n), y(n)
	y(1) = y(1)*x(2) +
	1    x(3)**2*
	2    x(4)
	end subroutine tabs
      end module columns
