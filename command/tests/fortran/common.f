C     Memory that procedures share or keep.

      subroutine setup(t, n)
      implicit real*8 (a-h, o-z)
      common /state/ u(3), p, k(0:2)
      common /state/ q
      common w(2, 3), s
      real*4 s
      u(1) = t
      u(2) = t*t
      u(3) = sin(t)
      p = t*u(2)
      k(0) = n
      k(2) = 2
      q = p + 1
      w(2, 3) = t*p
      s = real(t)
      end

      subroutine sharing(n, x, y)
      implicit real*8 (a-h, o-z)
      dimension x(n), y(n)
      common /state/ u(3), p, k(0:2), q
      common w(2, 3), s
      real*4 s
      do 10 i = 1, n
      call setup(x(i)*0.5d0, i)
      y(i) = y(i)*u(mod(i, 3) + 1) + p*q
      x(i) = x(i) + k(0)*w(2, 3)*0.1d0
      w(2, 3) = w(2, 3)*x(i)
      p = p*p
      call change(y(i))
      if (k(0) .gt. 5) y(i) = y(i)*0.25d0
   10 continue
      end

      subroutine change(y)
      implicit real*8 (a-h, o-z)
      common /state/ v(3), r, k(0:2), q
      common w(2, 3)
      y = y + v(2)*r + q*w(2, 3)
      q = 0
      end

C     One block in two layouts.
      subroutine layouts(n, x, y)
      implicit real*8 (a-h, o-z)
      dimension x(n), y(n)
      common /scratch/ w(4), z
      do 20 i = 1, n - 1
      do 10 j = 1, 4
   10 w(j) = 1
      z = x(i)
      call fill(x(i), y(i))
      y(i) = y(i)*w(1) + w(4)*w(2) + z
      x(i) = x(i)*w(3)
   20 continue
      end

      subroutine fill(t, r)
      implicit real*8 (a-h, o-z)
      common /scratch/ a, b(2, 2)
      a = t*t
      do 10 j = 1, 2
      do 10 i = 1, 2
   10 b(i, j) = b(i, j)*r + i*t
      end

      subroutine equal(n, x, y)
      implicit real*8 (a-h, o-z)
      dimension x(n), y(n), v(2), m(2, 2), a(2, 3), b(6)
      equivalence (p, v(1)), (q, v(2)), (a(2, 1), b(2))
      integer l
      equivalence (l, m(2, 1))
      do 10 i = 1, n
      p = x(i)
      q = y(i)*i
      m(1, 1) = 0
      l = i
      do 5 j = 1, 6
    5 b(j) = x(i)*j
      a(2, 2) = a(1, 2)*a(1, 1)
      x(i) = x(i) + v(1)*v(2) + b(4)*a(1, 3)*0.01d0
      v(2) = v(1)*v(2)
      y(i) = q*m(2, 1) + b(5)
   10 continue
      end

C     A variable of a block with a second name.
      subroutine beside(n, x, y)
      implicit real*8 (a-h, o-z)
      dimension x(n), y(n), f(3)
      common /line/ c, d, e
      equivalence (f(1), c)
      do 10 i = 1, n
      c = x(i)
      d = y(i)
      e = c*d
      call along(f(2))
   10 x(i) = x(i)*f(3) + f(2)*e
      end

      subroutine along(g)
      implicit real*8 (a-h, o-z)
      g = g*g + 1
      end

C     Tables by DATA, scratch memory with SAVE, a table that the first call fills.
      subroutine tables(n, x, y)
      implicit real*8 (a-h, o-z)
      save work, g, first
      dimension x(n), y(n), c(4), d(2, 2), work(8), g(3)
      logical first
      integer l(3)
      data c /0.5d0, 2*1.25d0, -3.0/, l /3*2/, first /.true./
      data ((d(i, j), i = 1, 2), j = 1, 2) /1d0, 2d0, 3d0, 4d0/
      if (first) then
        do 5 i = 1, 3
    5   g(i) = 1d0/(i + 1d0)
        first = .false.
      end if
      do 10 i = 1, n
   10 work(i) = x(i)*c(mod(i, 4) + 1)*d(mod(i, 2) + 1, 2)
      do 20 i = 1, n
      t = work(n + 1 - i)*l(2)
      y(i) = y(i)*t*g(mod(i, 3) + 1)
   20 x(i) = x(i) + t**2
      end

C     SAVE without names: what each call sets first is as good as local.
      subroutine kept(n, x, y)
      save
      integer n, i, j
      real*8 x(n), y(n), t, w(3), r
      do 20 i = 1, n
      t = x(i)*0.5d0
      do 10 j = 1, 3
      w(j) = t*j
   10 t = t + y(i)*w(j)
      r = t
      if (r .gt. 1d0) r = 1d0/r
   20 y(i) = y(i)*r + w(2)
      x(1) = x(1)*y(2)
      end

      block data begin
      implicit real*8 (a-h, o-z)
      common /state/ u(3), p, k(0:2), q
      data u /3*1d0/, k(1) /7/
      end
