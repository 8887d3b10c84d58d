C     Implicit types, COMMON and EQUIVALENCE.
      SUBROUTINE COMMONS (X, N)
      IMPLICIT DOUBLE PRECISION (A-B, D-H, O-Z)
      IMPLICIT LOGICAL (L), CHARACTER*4 (C)
      PARAMETER (M = 3, P = 0.1, Q = 2.5E0)
      DIMENSION X(N), W(M, 2*M)
      REAL S, T(4)
      COMPLEX Z
      COMMON /BLK/ A, S, B(M), I
      COMMON /BLK/ T
      COMMON LONE, Y
      EQUIVALENCE (W(1, 2), V), (T(3), U(2))
      REAL U(2)
      EXTERNAL F
      F1(R) = R*2
      DO 10 J = 1, N
   10 X(J) = F(A) + G(J) + F1(B(1)) + DSQRT(Y) + SQRT(S) + W(1, 1)
      L = X(1) .GT. 0
      C = 'ABC'
      Z = CMPLX(S, 1.0) + K
      CALL SUB (Z, U)
      END
