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
