C     Jumps, in fixed form with implicit types.

      subroutine forward(n, x, y)
      implicit real*8 (a-h, o-z)
      dimension x(n), y(n)
      do 30 i = 1, n
      if (x(i) .gt. 0.9d0) goto 10
      y(i) = y(i)*x(i)
      if (i .eq. 3) go to 30
      x(i) = x(i) + y(i)**2
      go to 20
   10 y(i) = sin(x(i))
   20 x(i) = x(i)*1.1d0
   30 continue
      end

      subroutine backward(n, x, y)
      implicit real*8 (a-h, o-z)
      dimension x(n), y(n)
      i = 1
      s = 0
   10 s = s + x(i)*y(i)
      x(i) = x(i)*s
      i = i + 1
      if (i .le. n) goto 10
      t = s
   20 t = t*0.5d0
      y(1) = y(1) + t*x(2)
      if (abs(t) .gt. 0.1d0) goto 20
      end

      subroutine shared(n, x, y)
      implicit real*8 (a-h, o-z)
      dimension x(n), y(n)
      do 10 j = 1, n
      do 10 i = 1, n, 2
      if (mod(i + j, 3) .eq. 0) goto 10
      y(j) = y(j) + x(i)*x(j)*0.1d0
   10 x(i) = x(i) + 0.01d0*y(j)**2
      end

C     From inside of two loops to a place behind both, and to one between.
      subroutine outward(n, x, y)
      implicit real*8 (a-h, o-z)
      dimension x(n), y(n)
      do 40 k = 1, 3
      do 20 j = 1, n
      do 10 i = 1, n
      y(i) = y(i) + x(j)*0.2d0
      if (y(i) .gt. 2.5d0) goto 50
      if (y(i)*x(j) .gt. 1.4d0) goto 30
   10 continue
      x(j) = x(j)*y(j)
   20 continue
   30 y(k) = y(k)*x(k)
   40 continue
   50 x(n) = x(n)*y(n)
      end

      subroutine computed(n, x, y)
      implicit real*8 (a-h, o-z)
      dimension x(n), y(n)
      do 50 i = 1, n
      goto (10, 20, 10, 40), mod(i, 6)
      y(i) = y(i)**2
      goto 50
   10 y(i) = y(i)*x(i)
      goto 30
   20 x(i) = x(i) + y(i)
   30 x(i) = x(i)*x(i)
   40 y(i) = y(i) + x(i)
   50 continue
      end

      subroutine signs(n, x, y)
      implicit real*8 (a-h, o-z)
      dimension x(n), y(n)
      real*4 r
      do 60 i = 1, n
      if (x(i) - 0.55d0) 10, 20, 30
   10 y(i) = y(i)*x(i)
      goto 40
   20 y(i) = 1
   30 y(i) = y(i) + x(i)**2
   40 if (i - 4) 50, 55, 50
   50 x(i) = x(i)*y(i)
   55 r = real(i) - 5.5
      if (r) 60, 60, 58
   58 x(i) = sin(x(i))
   60 continue
      if (n - 3) 70, 70, 80
   70 return
   80 y(1) = y(1)*x(1)
      end

C     Two loops of jumps that overlap.
      subroutine tangled(n, x, y)
      implicit real*8 (a-h, o-z)
      dimension x(n), y(n)
      i = 1
      k = 0
   10 y(i) = y(i)*x(i) + 0.1d0
   20 x(i) = x(i) + 0.3d0*y(i)
      k = k + 1
      if (k .gt. 20) goto 40
      if (mod(k, 3) .eq. 1) goto 20
      i = i + 1
      if (i .gt. n) goto 30
      goto 10
   30 i = 1
      y(2) = y(2)*0.5d0
      if (x(1) .lt. 3d0) goto 20
   40 continue
      end

C     A function that returns early, by a jump from an arm.
      function level(n, x, limit)
      implicit real*8 (a-h, o-z)
      real*8 level, limit
      dimension x(n)
      level = 0
      do 10 i = 1, n
      level = level + x(i)**2
      if (level .gt. limit) then
        level = level*limit
        goto 20
      end if
   10 continue
      level = -level
   20 end

      subroutine levels(n, x, y)
      implicit real*8 (a-h, o-z)
      real*8 level
      dimension x(n), y(n)
      y(1) = y(2)*level(n, x, 1d0)
      y(2) = level(3, y, 9d0)
      do i = 1, n
        if (i .eq. 5) goto 10
        x(i) = x(i)*level(i, y, x(1))
   10 end do
      end

C     The name of a function for a subroutine; powers of integers; constants that the first call finds.
      subroutine renamed(n, x, y)
      implicit real*8 (a-h, o-z)
      dimension x(n), y(n)
      call merge(n, x, y)
      do 10 i = 1, n
      y(i) = y(i)*x(i)**2/2**i + x(i)*3**(i/2) + (-1)**i*x(i)
   10 y(i) = y(i) + x(1)*(i - 2)**(2 - i) + 2**(3 - i)
      y(1) = y(1)*series(x(2))
      end

      subroutine merge(n, x, y)
      implicit real*8 (a-h, o-z)
      dimension x(n), y(n)
      do 10 i = 1, n
   10 x(i) = x(i)*y(i)
      end

      double precision function series(x)
      implicit real*8 (a-h, o-z)
      dimension c(3)
      real*8 machin
      save c, terms, least
      data c /1d0, 0.5d0, 0.25d0/, terms /0d0/, least /0d0/
      if (terms .eq. 0d0) then
        terms = count_terms(c, 3, 0.1d0*machin(3))
        least = 2
      end if
      series = 0
      do 10 i = least, int(terms)
   10 series = series + c(i)*x**i
      end

      double precision function count_terms(c, n, limit)
      implicit real*8 (a-h, o-z)
      real*8 limit
      dimension c(n)
      if (n .lt. 1) stop 'no terms'
      s = 0
      do 10 i = n, 1, -1
      s = s + abs(c(i))
      if (s .gt. limit) goto 20
   10 continue
   20 count_terms = i
      end

      double precision function machin(i)
      integer i
      if (i .lt. 1) stop
      machin = 1
      if (i .eq. 3) machin = 1d-16
      end

C     Bounds that branches set in a loop that jumps make.
      subroutine halved(n, x, y)
      implicit real*8 (a-h, o-z)
      dimension x(n), y(n)
      jr = 4
      last = n - 4
    5 jstep = jr
      jr = jr/2
      if (jr .eq. 0) goto 30
      goto (10, 11), jr
   10 jstart = 1 + jr
      goto 12
   11 jstart = jr
   12 continue
      if (last + jr .gt. n) goto 13
      last = last + jr
      jstop = last - jstep
      goto 14
   13 jstop = last - jr
   14 continue
      do 20 j = jstart, jstop, jstep
   20 x(j) = x(j)*y(j + 1)
      do 21 j = 1, jstop
   21 y(j) = y(j)*x(j + 1)
      do 22 j = jstop, jstart, -1
   22 y(j) = y(j) + x(j)**2
      goto 5
   30 continue
      end
